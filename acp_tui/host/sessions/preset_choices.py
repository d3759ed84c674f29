"""Presets in one session: what they mean among its options, and choosing that, one by one, the model first."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from fnmatch import translate
from itertools import chain

from acp_tui.frozen import Frozen
from acp_tui.host.config.choices import Choice, choice_of
from acp_tui.host.config.presets import Preset
from acp_tui.protocol.vocabulary.config_options import ConfigOption, OptionValue
from acp_tui.safe_text import one_line
from acp_tui.session.facts import Noticed
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import means_thinking

THINKING = "thought_level"  # the category of the spec
ALIASES = {"thinking": THINKING}
NAMED = 8  # options, values or reasons in one line
NAME, REASON = 40, 80  # characters
SWITCHES = {True: ("true", "on", "yes"), False: ("false", "off", "no")}
ON_COMMAND_LINE = "set on the command line"
Choose = Callable[[str, OptionValue, Callable[[str], None]], None]
"""Has the agent set an option to a value, and calls with why it refused, empty if it did not."""


class PresetMatch(Frozen):
    """What one key of a preset means among some options: a choice, or a problem in words; `made`: it is so already."""

    key: str
    choice: Choice | None = None
    problem: str = ""
    made: bool = False

    @property
    def words(self) -> str:
        if self.choice is not None and not self.problem:
            return one_line(self.choice.words, 2 * NAME)
        return f"{one_line(self.key, NAME)} ({one_line(self.problem, 2 * REASON)})"


def find_match(session: Session, key: str, wanted: str | bool) -> PresetMatch:
    """The one option of a key and the one value that is wanted, as the options are now; nothing is guessed."""
    options = options_of_key(session.config_options, key)
    if len(options) != 1:
        several = f"several options: {_listed([each.shown_name for each in options])}"
        return PresetMatch(key, problem=several if options else "this agent has none")
    [option] = options
    values = values_of_glob(option, wanted)
    if len(values) != 1:
        shown = str(wanted).lower() if isinstance(wanted, bool) else one_line(wanted, NAME)
        several = f"{shown} matches {_listed([option.value_name(each) for each in values])}"
        return PresetMatch(key, problem=several if values else f"no value matches {shown}")
    made = option.current_value == values[0] and option.id not in session.config_in_flight
    fixed = "" if made or option.id not in session.config_fixed else "the agent cannot change it"
    return PresetMatch(key, choice_of(option, values[0]), fixed, made)


def options_of_key(options: Sequence[ConfigOption], key: str) -> list[ConfigOption]:
    """The option with that id, else all of that category; of the thinking level, else those with such a name."""
    category = ALIASES.get(key, key)
    found = [each for each in options if each.id == key] or [each for each in options if each.category == category]
    if not found and category == THINKING:
        return [each for each in options if means_thinking(each.category, each.id, each.name)]
    return found


def values_of_glob(option: ConfigOption, wanted: str | bool) -> list[OptionValue]:
    """The value with that id, else all with that name, else all with an id or a name that the glob matches."""
    words = SWITCHES[wanted] if isinstance(wanted, bool) else (wanted,)
    exact = next(filter(None, map(option.values_named, words)), [])
    if exact or isinstance(wanted, bool):
        return exact
    glob = re.compile(translate(wanted.casefold()))
    return [
        value
        for value, name in option.names.items()
        if glob.match(name.casefold()) or (isinstance(value, str) and glob.match(value.casefold()))
    ]


def preset_values(session: Session) -> dict[str, str | bool]:
    """The current options as a preset has them: by category where one option has it, else by the option's id."""
    options = session.config_options
    counts, ids = Counter(each.category for each in options), {each.id for each in options}

    def key(option: ConfigOption) -> str:
        category = option.category or ""
        name = "thinking" if category == THINKING else category
        return name if category and counts[category] == 1 and name not in ids - {option.id} else option.id

    return {key(each): each.current_value for each in options if each.id not in session.config_fixed}


def find_matches(session: Session, preset: Preset) -> list[PresetMatch]:
    """What the whole preset means among the options as they are now."""
    return [find_match(session, key, wanted) for key, wanted in preset.values.items()]


def preset_words(matches: Sequence[PresetMatch], *, short: bool = False) -> str:
    """What is set and what is not, in one line: `Mode Plan · Model Opus · not set: fast (this agent has none)`.

    In `short`, what it would do here, without the reasons: `Mode Plan · not here: fast`.
    """
    done = [match.words for match in matches if not match.problem]
    left = [one_line(match.key, NAME) if short else match.words for match in matches if match.problem]
    missing = [f"not {'here' if short else 'set'}: {_listed(left)}"] if left else []
    return " · ".join([*_some(done), *missing]) or "no options"


def _some(names: Sequence[str]) -> list[str]:
    return [*names[:NAMED], *([f"{len(names) - NAMED:,} more"] if len(names) > NAMED else [])]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(_some([one_line(name, 2 * REASON) for name in names]))


class PresetRun:
    """Chooses the values of a preset, each key among the options that the agent has after its answer before.

    What comes of it is one row of the session. What the options `set_before` have is left alone.
    """

    def __init__(
        self,
        session: Session,
        choose: Choose,
        preset: Preset,
        set_before: Collection[str] = (),
        done: Callable[[], None] = lambda: None,
    ) -> None:
        self._session, self._choose, self._preset = session, choose, preset
        self._set_before, self._done = set_before, done
        self._left: dict[str, str | bool] = dict(preset.values)
        self._matches: list[PresetMatch] = []

    def proceed(self) -> None:
        """Choose until an answer has to be awaited, then until the end."""
        while self._left:
            key = next(chain(filter(self._is_model, self._left), self._left))
            match = find_match(self._session, key, self._left.pop(key))
            choice = match.choice
            if choice is not None and choice.option_id in self._set_before:
                match = PresetMatch(key, choice, ON_COMMAND_LINE)
            if choice is not None and not (match.problem or match.made):
                self._matches.append(match)
                self._choose(choice.option_id, choice.value, self._answered)
                return
            self._matches.append(match)
        problems = {match.problem for match in self._matches} - {"", ON_COMMAND_LINE}
        name = one_line(self._preset.name, NAME)
        said = f"Preset {name}: {preset_words(self._matches)}"
        self._session.apply(Noticed("warning" if problems else "info", said))
        self._done()

    def _answered(self, refused: str) -> None:
        match = self._matches[-1]
        if refused:
            self._matches[-1] = PresetMatch(match.key, match.choice, f"refused: {one_line(refused, REASON)}")
        self.proceed()

    def _is_model(self, key: str) -> bool:
        return any(option.category == "model" for option in options_of_key(self._session.config_options, key))
