"""The options chosen in one session: by the user, by name beforehand, and again when its agent comes back."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from acp_tui.errors import AgentFault, Fault, UserFault
from acp_tui.host.config.choices import Choice, KeptChoices, RecordedOptions, choice_of, in_order, obstacle
from acp_tui.host.config.presets import Preset
from acp_tui.host.connection.connection import AgentLink
from acp_tui.host.sessions.preset_choices import PresetRun
from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.faults import METHOD_NOT_FOUND, ProtocolFault, error_words
from acp_tui.protocol.session_setup import Call, SessionOptions
from acp_tui.protocol.vocabulary.config_options import ConfigOption, OptionValue
from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.session.facts import ConfigOptionRequested, ConfigOptionSettled, Noticed, OptionsSettled
from acp_tui.session.form import Settings, keys_named
from acp_tui.session.state import Session
from acp_tui.wire.jsonrpc import Error, Response

TRIES = 2  # of one choice, when options are chosen again
UNANSWERED = "the agent has not answered"
AnyKey = TypeVar("AnyKey", bound=OptionValue)
Refused = Callable[[str], None]
"""Gets why the agent refused a choice, empty if it did not."""


class ChosenOptions:
    """The user's choices in `session`, the last of each option, in the order in which they were made."""

    def __init__(
        self,
        session: Session,
        fold: Callable[[Sequence[Update]], None],
        after_login: Callable[[Callable[[], None]], None],
        *,
        attended: bool = False,
        preset: Preset | None = None,
    ) -> None:
        """A `preset` is applied once, when the options are chosen first."""
        self._preset = preset
        self._session, self._fold, self._after_login, self._attended = session, fold, after_login, attended
        self.kept: KeptChoices | None = None
        self.initial: tuple[Mapping[str, Any], ...] = ()
        """The values that go with the request that opens the session, as they are sent."""
        self.recorded = RecordedOptions()
        """The options with which the session was left when it was recorded last."""
        self._kept: dict[str, Choice] = {}
        self._made: dict[str, Choice] = {}
        self._given: dict[str, Choice] = {}  # by name, for this run: nobody is asked whether to keep them
        self._wished: dict[str, Choice] = {}
        self._again: dict[str, Choice] = {}  # what is chosen again, in the order in which that is done
        self._tried: Counter[str] = Counter()  # how often, by option
        self._refused: dict[str, str] = {}
        self._missed: dict[str, str] = {}
        self._awaited: Refused | None = None

    @property
    def made(self) -> tuple[Choice, ...]:
        return tuple(self._made.values())

    def choose(self, link: AgentLink, option_id: str, value: OptionValue, then: Refused | None = None) -> None:
        """Choose a value; with `then` as part of a preset: for this run, and nobody is asked whether to keep it."""
        option = self._option(option_id)
        self._again.pop(option_id, None)
        if option is not None:
            self._ask(link, option, value, partial(self._chosen, choice_of(option, value), then))

    def begin(self, kept: KeptChoices, of_new: Iterable[Choice]) -> None:
        """`kept` follows what is chosen here from now on; `of_new` is what counts of it in this session."""
        self.kept = kept
        self._kept = {choice.option_id: choice for choice in of_new}

    @property
    def wanted(self) -> Mapping[str, Choice]:
        """What was recorded, what is kept, and what was made or wished here, by the ids of the options."""
        return self.recorded.again(self._session.config_options) | self._kept | self._given | self._made | self._wished

    def resolve(self, told: SessionOptions, settings: Settings) -> None:
        """Find what is wanted, and the settings by name, among the options that a session would have."""
        options = told.update().config_options
        by_id = {option.id: option for option in options}
        found = {
            choice.option_id: choice.value
            for choice in self.wanted.values()
            if obstacle(choice, by_id.get(choice.option_id)) in (None, "")
        }
        found |= named_values(options, settings)
        ordered = in_order((choice_of(by_id[each], value) for each, value in found.items()), options)
        values = [told.initial_value(by_id[each.option_id], each.value) for each in ordered]
        self.initial = tuple(value for value in values if value is not None)

    def choose_again(self, link: AgentLink, settings: Settings, done: Callable[[], None]) -> None:
        """Choose what is wanted, one by one, but what the session began with; tell what came of it, and call `done`.

        What the `settings` set to another value is left to them. A choice may bring about or change other options: what
        was not possible before it is tried, and what it changed is chosen once more.
        """
        options, left = self._session.config_options, dict(self.wanted)
        if self._preset is not None:
            done = partial(self._apply_preset, link, self._preset, settings, done)
        for option_id, value in named_values(options, settings).items():
            if option_id in left and left[option_id].value != value:
                del left[option_id]
        wanted = in_order(left.values(), options)
        self._again = {choice.option_id: choice for choice in wanted}
        self._refused = {}
        self._tried.clear()
        self._next(link, done)

    def _apply_preset(self, link: AgentLink, preset: Preset, settings: Settings, done: Callable[[], None]) -> None:
        def applied() -> None:
            self._preset = None
            done()

        given = named_values(self._session.config_options, settings)
        PresetRun(self._session, partial(self.choose, link), preset, given, applied).proceed()

    def choose_by_name(
        self, link: AgentLink, settings: Settings, taken_before: Mapping[str, str], done: Callable[[], None]
    ) -> None:
        """Choose what was given as names and values, one by one, and call `done`.

        Where a user attends, who can choose again, what is wrong is told; else it ends the connection.
        """
        if not settings:
            done()
            return
        go_on = partial(self.choose_by_name, link, settings[1:], taken_before, done)
        try:
            option, value = by_name(self._session.config_options, *settings[0], taken_before)
        except UserFault as fault:
            self._not_set("=".join(settings[0]), fault, fault.title[:1].lower() + fault.title[1:], link, go_on)
            return
        choice = choice_of(option, value)
        if self._began_with(choice):
            self._given[choice.option_id] = choice
            go_on()
            return

        def answered(refused: str) -> None:
            if refused:
                self._not_set(str(choice), AgentFault(f"The agent refused {choice}", refused), refused, link, go_on)
            else:
                self._given[choice.option_id] = choice
                go_on()

        self._ask(link, option, value, answered)

    def _not_set(self, what: str, fault: Fault, reason: str, link: AgentLink, go_on: Callable[[], None]) -> None:
        if not self._attended:
            link.agent.fail(fault)
            return
        self._session.apply(Noticed("warning", f"{what} was not set: {reason}"))
        go_on()

    def _chosen(self, choice: Choice, then: Refused | None, refused: str) -> None:
        self._wished.pop(choice.option_id, None)
        if not refused:
            self._made.pop(choice.option_id, None)
            (self._made if then is None else self._given)[choice.option_id] = choice
            if self.kept is not None:
                self.kept.used(choice, self._session.id)
                if then is None and choice.option_id in self.kept.kept:
                    self.kept.keep([choice])
        if then is not None:
            then(refused)

    def _next(self, link: AgentLink, done: Callable[[], None]) -> None:
        possible = filter(self._may_try, self._again.values())
        choice = min(possible, key=lambda each: self._tried[each.option_id], default=None)
        if choice is not None and (option := self._option(choice.option_id)) is not None:
            self._tried[choice.option_id] += 1
            self._awaited = partial(self._chosen_again, link, choice, done)
            self._ask(link, option, choice.value, partial(self._answered, self._awaited), again=True)
            return
        self._missed = self._find_missed()
        tried = [each for each in self._again.values() if self._tried[each.option_id] or self._began_with(each)]
        if words := [choice.words for choice in tried if choice.option_id not in self._missed]:
            self._session.apply(Noticed("info", f"Options restored: {' · '.join(words)}"))
        if self._missed:
            self._session.apply(Noticed("warning", "Options not restored", "\n".join(self._missed.values())))
        done()

    def _may_try(self, choice: Choice) -> bool:
        possible = obstacle(choice, self._option(choice.option_id)) is None
        over = choice.option_id not in self._again or choice.option_id in self._refused
        return possible and not over and self._tried[choice.option_id] < TRIES

    def _find_missed(self) -> dict[str, str]:
        """What could not be chosen again, in words that say why, by option."""
        missed: dict[str, str] = {}
        for option_id, choice in self._again.items():
            option = self._option(option_id)
            problem = obstacle(choice, option)
            if problem != "":
                other = "" if option is None else f"the agent set {option.value_name()}"
                missed[option_id] = f"{choice.words}: {self._refused.get(option_id) or problem or other}"
        return missed

    def _answered(self, then: Refused, refused: str) -> None:
        if self._awaited is then:  # else it is too late
            self._awaited = None
            then(refused)

    def give_up(self) -> None:
        """Go on without what the agent has not answered by now."""
        then = self._awaited
        if then is not None:
            self._awaited = None
            self._refused |= dict.fromkeys(self._again, UNANSWERED)
            then(UNANSWERED)

    def settled(self) -> None:
        """What was wanted of the options was chosen: what the agent says of them is news again.

        A mode in which the session was left and that was not chosen again is said.
        """
        self._session.apply(OptionsSettled(tuple(self._missed)))
        left_out = self.recorded.left_out(self._session.config_options)
        for choice in (each for each in left_out if each.option_id not in self.wanted):
            self._session.apply(Noticed("info", f"{choice.option_name} was {choice.value_name}", see="mode"))

    def _chosen_again(self, link: AgentLink, choice: Choice, done: Callable[[], None], refused: str) -> None:
        wished = self._wished.pop(choice.option_id, None)
        if refused:
            self._refused[choice.option_id] = refused
        elif wished is not None:
            self._made[choice.option_id] = choice
        self._next(link, done)

    def _began_with(self, choice: Choice) -> bool:
        sent = any(value["configId"] == choice.option_id for value in self.initial)
        return sent and obstacle(choice, self._option(choice.option_id)) == ""

    def _option(self, option_id: str) -> ConfigOption | None:
        return next((option for option in self._session.config_options if option.id == option_id), None)

    def _ask(
        self, link: AgentLink, option: ConfigOption, value: OptionValue, then: Refused, *, again: bool = False
    ) -> None:
        call = link.dialect.set_config_option(self._session.id, option, value)

        def ask() -> None:
            link.connection.call(call, answered)

        def answered(answer: Response) -> None:
            if link.wants_login(answer):  # it stays in flight, for which the agent may have to be started again
                if not again:  # that is wanted anyway, and no wish of the user's
                    self._wished[option.id] = choice_of(option, value)
                self._after_login(ask)
                return
            then(self.settle(link.dialect, call, option.id, answer))

        self._session.apply(ConfigOptionRequested(option.id, value))
        ask()

    def settle(self, dialect: Dialect, call: Call, option_id: str, answer: Response) -> str:
        """A choice is answered; why it was refused, empty if it was not."""
        refused = self._refusal(dialect, call, answer)
        unsupported = answer.error is not None and answer.error.code == METHOD_NOT_FOUND
        self._session.apply(ConfigOptionSettled(option_id, refused, unsupported))
        return refused

    def _refusal(self, dialect: Dialect, call: Call, answer: Response) -> str:
        if answer.error is not None:
            unknown = answer.error.code == METHOD_NOT_FOUND
            return f"the agent does not support {call.method}" if unknown else reason_of(answer.error)
        try:
            self._fold(dialect.config_option_set(call, answer.result))
        except ProtocolFault as fault:
            return str(fault)
        return ""


def reason_of(error: Error) -> str:
    """Why the agent would not; a code says something only where there are no words."""
    return error_words(None if error.message else error.code, error.message, error.data)


def named_values(options: Sequence[ConfigOption], settings: Settings) -> dict[str, OptionValue]:
    """The values of those settings that are among the options, by id; others are told once the session is open."""
    found: dict[str, OptionValue] = {}
    for name, text in settings:
        with suppress(UserFault):
            option, value = by_name(options, name, text)
            found[option.id] = value
    return found


def by_name(
    options: Iterable[ConfigOption], name: str, text: str, taken_before: Mapping[str, str] | None = None
) -> tuple[ConfigOption, OptionValue]:
    """The option that has `name` as its id, else as its name, else the first of that category; and its value so, too.

    Raises UserFault that says what there is, with what the agent took before the session, by id and name.
    """
    offered = {option.id: option for option in options}
    names = {each.id: each.shown_name for each in offered.values()}
    found = keys_named(name, names)
    of_category = next((each for each in offered.values() if each.category == name), None)
    listed = {**(taken_before or {}), **names}
    option = of_category if of_category and not found else offered[_one("option", name, found, listed)]
    values = option.values_named(text)
    if option.must_be and not values:
        raise UserFault(f"Option {option.id!r} must be {option.must_be}, not {text!r}.")
    return option, _one("value", text, values, option.names, f" of {option.shown_name}")


def _one(what: str, wanted: str, found: Sequence[AnyKey], listed: Mapping[AnyKey, str], of: str = "") -> AnyKey:
    if len(found) == 1:
        return found[0]
    title = f"More than one {what}{of} is called {wanted!r}" if found else f"Unknown {what} {wanted!r}{of}"
    shown = [str(key) if key == listed[key] else f"{key} ({listed[key]})" for key in found or listed]
    raise UserFault(title, "\n".join(["The agent offers:", *(shown or ["nothing"])]))
