"""What presets mean among an agent's options, the order in which they are chosen, and the one line that tells it."""

from collections.abc import Callable, Mapping, Sequence

from acp_tui.host.config.presets import Preset
from acp_tui.host.sessions.preset_choices import (
    PresetRun,
    find_match,
    find_matches,
    preset_values,
    preset_words,
)
from acp_tui.protocol.vocabulary.config_options import (
    BooleanOption,
    ConfigOption,
    ConfigOptionUpdate,
    ConfigValue,
    OptionValue,
    SelectOption,
)
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.facts import ConfigOptionRequested, ConfigOptionSettled
from acp_tui.session.state import Session
from tests.rows import each_of


def select(id_: str, category: str | None, *values: tuple[str, str], name: str = "") -> SelectOption:
    listed = [ConfigValue(value=value, name=label) for value, label in values]
    return SelectOption(id=id_, name=name or id_.title(), category=category, current_value=values[0][0], values=listed)


MODE = select("conduct", "mode", ("ask", "Ask"), ("plan", "Plan"), ("plan-2", "Plan again"))
MODEL = select(
    "engine", "model", ("sonnet", "Sonnet 5"), ("opus", "Opus 4.5"), ("opus[1m]", "Opus 4.5 (1M)"), ("k", "[b]K[/b]")
)
EFFORT = select("effort", None, ("low", "Low"), ("high", "High"))
FAST = BooleanOption(id="fast", name="Fast", category="model_config", current_value=False)
CONTEXT = select("context", "model_config", ("on", "On"), ("off", "Off"))
OPTIONS: list[ConfigOption] = [MODE, EFFORT, MODEL, FAST, CONTEXT]


def session_with(options: Sequence[ConfigOption] = OPTIONS) -> Session:
    session = Session("s", "/")
    session.apply(ConfigOptionUpdate(config_options=list(options)))
    return session


@each_of(
    ("key", "wanted", "words"),
    [
        ("mode", "plan", "Conduct Plan"),
        ("mode", "PLAN", "Conduct Plan"),
        ("mode", "Plan ag*", "Conduct Plan again"),
        ("conduct", "plan-?", "Conduct Plan again"),
        ("model", "opus", "Engine Opus 4.5"),
        ("model", "opus[1m]", "Engine Opus 4.5 (1M)"),
        ("model", "*SONNET*", "Engine Sonnet 5"),
        ("model", "[[]b]k*", "Engine [b]K[/b]"),
        ("thinking", "high", "Effort High"),
        ("thought_level", "hi*", "Effort High"),
        ("effort", "High", "Effort High"),
        ("fast", True, "Fast On"),
        ("fast", "on", "Fast On"),
        ("fast", "off", "Fast Off"),
        ("context", False, "Context Off"),
    ],
)
def test_one_option_and_one_value_are_chosen(key: str, wanted: str | bool, words: str) -> None:
    match = find_match(session_with(), key, wanted)
    assert (match.words, match.problem) == (words, "")


@each_of(
    ("key", "wanted", "problem"),
    [
        ("colour", "red", "this agent has none"),
        ("Mode", "plan", "this agent has none"),
        ("", "*", "this agent has none"),
        ("model_config", True, "several options: Fast, Context"),
        ("mode", "plan*", "plan* matches Plan, Plan again"),
        ("model", "*", "* matches Sonnet 5, Opus 4.5, Opus 4.5 (1M), [b]K[/b]"),
        ("model", "gpt", "no value matches gpt"),
        ("model", "", "no value matches "),
        ("model", True, "no value matches true"),
        ("fast", "maybe", "no value matches maybe"),
        ("model", "[", "no value matches ["),
        ("model", "\x1b[31m" + "x" * 9_999, "no value matches " + "x" * 35),
        ("model", "*a" * 5_000 + "!", "no value matches *a*a"),
    ],
)
def test_none_or_several_are_not_guessed(key: str, wanted: str | bool, problem: str) -> None:
    match = find_match(session_with(), key, wanted)
    assert match.problem.startswith(problem)
    assert match.choice is None
    assert "\x1b" not in match.words
    assert len(match.words) < 250


def test_what_the_agent_cannot_change_is_told_unless_it_is_so() -> None:
    session = session_with()
    session.apply(ConfigOptionRequested("conduct", "plan"))
    assert not find_match(session, "mode", "ask").made  # another value is on its way
    session.apply(ConfigOptionSettled("conduct", "the agent does not support it", unsupported=True))
    assert find_match(session, "mode", "plan").problem == "the agent cannot change it"
    assert find_match(session, "mode", "ask").made
    assert "mode" not in preset_values(session)


class Agent:
    """Answers what is chosen, at once unless it `holds`; a choice of the model brings the options `after` it."""

    def __init__(self, refuses: str = "", after: Sequence[ConfigOption] = ()) -> None:
        self.session, self.asked = session_with(), list[tuple[str, OptionValue]]()
        self._refuses, self._after = refuses, after

    def choose(self, option_id: str, value: OptionValue, then: Callable[[str], None]) -> None:
        self.asked.append((option_id, value))
        if option_id == self._refuses:
            then("sold out\nfor now")
            return
        options = self.session.config_options
        options = [*self._after] if option_id == "engine" and self._after else options
        told = [each.with_value(value) if each.id == option_id else each for each in options]
        self.session.apply(ConfigOptionUpdate(config_options=told))
        then("")

    def apply(self, values: Mapping[str, str | bool], *set_before: str) -> str:
        """What is told of a preset that is called `plan`."""
        PresetRun(self.session, self.choose, Preset("plan", values), set_before).proceed()
        [notice] = [entry for entry in self.session.entries if isinstance(entry, NoticeEntry)]
        assert "\n" not in notice.title
        assert notice.message == ""
        return f"{notice.severity}: {notice.title}"


def test_the_model_comes_first_and_what_depends_on_it_after_its_answer() -> None:
    thinking = select("reasoning", "thought_level", ("a", "Some"), ("b", "Much"), name="Thinking")
    agent = Agent(after=[MODE, MODEL, thinking])
    said = agent.apply({"thinking": "much", "mode": "plan", "engine": "opus", "fast": True})
    assert agent.asked == [("engine", "opus"), ("reasoning", "b"), ("conduct", "plan")]
    assert said == (
        "warning: Preset plan: Engine Opus 4.5 · Thinking Much · Conduct Plan · not set: fast (this agent has none)"
    )


def test_what_is_so_already_is_told_and_not_sent() -> None:
    agent = Agent()
    assert agent.apply({"mode": "ask", "fast": True}) == "info: Preset plan: Conduct Ask · Fast On"
    assert agent.asked == [("fast", True)]


def test_what_is_refused_is_told_and_the_rest_is_chosen() -> None:
    agent = Agent(refuses="engine")
    said = agent.apply({"model": "opus", "mode": "plan"})
    assert said == "warning: Preset plan: Conduct Plan · not set: model (refused: sold out ⏎ for now)"
    assert agent.asked == [("engine", "opus"), ("conduct", "plan")]


def test_what_the_command_line_sets_is_left_to_it() -> None:
    agent = Agent()
    said = agent.apply({"mode": "plan", "fast": True}, "conduct")
    assert said == "info: Preset plan: Fast On · not set: mode (set on the command line)"
    assert agent.asked == [("fast", True)]


def test_a_preset_of_a_thousand_keys_is_one_line() -> None:
    agent = Agent()
    said = agent.apply({f"k{n}": "x" for n in range(1_000)} | {"mode": "plan"})
    assert said.endswith("k7 (this agent has none), 992 more")
    assert said.startswith("warning: Preset plan: Conduct Plan · not set: k0")
    assert Agent().apply({}) == "info: Preset plan: no options"


def test_the_current_options_as_a_preset_fit_them() -> None:
    session = session_with()
    values = preset_values(session)
    assert values == {"mode": "ask", "effort": "low", "model": "sonnet", "fast": False, "context": "on"}
    matches = find_matches(session, Preset("now", values))
    assert all(match.made for match in matches)
    assert preset_words(matches) == "Conduct Ask · Effort Low · Engine Sonnet 5 · Fast Off · Context On"


def test_a_category_is_no_key_where_an_option_of_that_id_is_another_one() -> None:
    clash: list[ConfigOption] = [select("mode", None, ("x", "X")), MODE]
    assert preset_values(session_with(clash)) == {"mode": "x", "conduct": "ask"}
    level = select("level", "thought_level", ("x", "X"))
    assert preset_values(session_with([level])) == {"thinking": "x"}
