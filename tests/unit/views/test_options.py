"""Config options in words, whatever the agent calls them."""

from collections.abc import Sequence

from acp_tui.host.config.choices import Choice as KeptChoice
from acp_tui.protocol.vocabulary.config_options import (
    BooleanOption,
    ConfigOption,
    ConfigOptionUpdate,
    ConfigValue,
    SelectOption,
)
from acp_tui.session.changes import ConfigOptionsChanged
from acp_tui.session.facts import ConfigOptionRequested, ConfigOptionSettled
from acp_tui.session.state import Session
from acp_tui.views.options import (
    altered_line,
    changeable,
    first_of,
    keep_question,
    names_line,
    no_option,
    option_labels,
    option_name,
    steps,
    value_choices,
    value_name,
)
from tests.pilot.fake_client import select
from tests.rows import each_of

SWITCH = BooleanOption(id="fast", name="Fast", category="model_config", current_value=False)
MODELS = select("model", "Model", "model", [f"m{number}" for number in range(9)])


def test_what_has_a_blank_name_goes_by_its_id_so_that_it_is_seen() -> None:
    values = [ConfigValue(value="l", name=""), ConfigValue(value="s", name="Small")]
    option = SelectOption(id="size", name=" ", current_value="l", values=values)
    assert (option_name(option), value_name(option)) == ("size", "l")
    assert [choice.name for choice in value_choices([option])] == ["l", "Small"]
    session = Session("s", "/p")
    session.apply(ConfigOptionUpdate(config_options=[option]))
    assert [(label.name, label.value) for label in option_labels(session)] == [("size", "l")]


def test_an_option_without_values_still_has_a_row() -> None:
    option = SelectOption(id="m", name="M", current_value="x")
    assert [choice.name for choice in value_choices([option])] == ["x"]
    assert value_name(option) == "x"


def an_option(category: str | None, option_id: str = "x", name: str = "Name") -> SelectOption:
    return SelectOption(id=option_id, name=name, category=category, current_value="a")


THINKING = [
    an_option("thinking"),
    an_option("_thinking"),
    an_option("reasoning_effort"),
    an_option("thoughtLevel"),
    an_option(None, name="Thinking"),
    an_option(None, name="Reasoning effort"),
    an_option(None, name="Thought Level"),
    an_option(None, "model_reasoning_effort"),
    an_option("model_config", "effort"),
    an_option("_other", "thinkingBudget"),
]
NOT_THINKING = [
    an_option("mode", name="Thinking"),
    an_option("model", name="Reasoning model"),
    an_option(None, name="Rethinking"),
    an_option(None, name="Show thinking"),
    an_option(None, name="Reasoning summary"),
    an_option(None, name="Best effort delivery"),
    an_option(None, name="Level"),
    an_option(None, name=""),
]


@each_of("option", THINKING)
def test_what_plainly_means_the_thinking_level_is_its_option_where_none_has_the_category(option: SelectOption) -> None:
    assert first_of([an_option(None), option, THINKING[0]], "thought_level") is option
    right = an_option("thought_level")
    assert first_of([option, right], "thought_level") is right
    assert first_of([option], "mode") is None


@each_of("option", NOT_THINKING)
def test_what_only_sounds_like_the_thinking_level_is_not(option: SelectOption) -> None:
    assert first_of([option], "thought_level") is None


def session(*options: ConfigOption, agent: str = "Agent") -> Session:
    one = Session("s", "/p", agent_name=agent)
    one.apply(ConfigOptionUpdate(config_options=list(options)))
    return one


def test_the_bar_says_what_was_asked_for_and_what_cannot_be_changed() -> None:
    one = session(SWITCH, MODELS)
    one.apply(ConfigOptionRequested("fast", True))
    one.apply(ConfigOptionRequested("model", "m1"))
    one.apply(ConfigOptionSettled("model", "no such method", unsupported=True))
    assert [label.words() for label in option_labels(one)] == [
        [("Fast", "muted"), (" On…", "muted italic")],
        [("Model", "muted"), (" m0 (fixed)", "muted")],
    ]
    assert changeable(one, ("model", "model_config", "mode")) == {"model_config": "Fast"}


@each_of(
    ("options", "recent", "rows"),
    [
        ((SWITCH,), (), [("Fast", "On", False), ("Fast", "Off", True)]),
        ((select("m", "M", None, ["a", "b"], "c"),), (), [("", "c", True), ("", "a", False), ("", "b", False)]),
        (
            (select("m", "M", None, ["a"]), select("n", "N", None, ["b"])),
            (),
            [("M", "a", True), ("N", "b", True)],
        ),
        ((MODELS,), ("m0", "gone", "m8"), [("Recently used", "m0", True), ("Recently used", "m8", False)]),
        ((MODELS,), ("m0", "gone"), [("", "m0", True), ("", "m1", False)]),
    ],
)
def test_the_values_to_choose_from(
    options: Sequence[ConfigOption], recent: Sequence[str], rows: list[tuple[str, str, bool]]
) -> None:
    found = value_choices(options, lambda _id: recent)
    assert [(each.heading, each.name, each.current) for each in found][: len(rows)] == rows


def grouped(option_id: str, *groups: str | None) -> SelectOption:
    values = [ConfigValue(value=f"{option_id}{at}", name="x", group=group) for at, group in enumerate(groups)]
    return SelectOption(id=option_id, name=option_id.upper(), current_value=f"{option_id}0", values=values)


def test_a_group_is_a_heading_alone_unless_another_option_has_it() -> None:
    found = value_choices([grouped("m", "Swift", "Both"), grouped("n", "Both", None)])
    assert [each.heading for each in found] == ["Swift", "M · Both", "N · Both", "N"]


@each_of(("option", "stepped"), [(SWITCH, True), (MODELS, False), (select("m", "M", None, ["a", "b", "c"]), True)])
def test_few_values_are_stepped_through(option: ConfigOption, stepped: bool) -> None:
    assert steps(option) is stepped


@each_of(
    ("categories", "words"),
    [
        (("thought_level",), "This agent has no thinking level option"),
        (("model_config",), "This agent has no model configuration option"),
        (("_my_own",), "This agent has no  my own option"),
        (("model", "mode"), "This agent has no model or mode option"),
    ],
)
def test_what_the_agent_has_not(categories: tuple[str, ...], words: str) -> None:
    assert no_option(*categories) == words


def kept(option_id: str, name: str, value: str) -> KeptChoice:
    return KeptChoice(option_id, value, name, value)


@each_of(
    ("choices", "agent", "question"),
    [
        ([kept("model", "Model", "m1")], "Agent", "Use m1 in new Agent sessions?"),
        ([kept("fast", "Fast", "On")], "", "Use Fast On in new this agent sessions?"),
        ([kept("model", "Model", "m1"), kept("fast", "Fast", "On")], "A", "Use m1 and Fast On in new A sessions?"),
        (
            [kept(str(number), f"O{number}", "x") for number in range(5)],
            "A",
            "Use O0 x, O1 x, O2 x and 2 more in new A sessions?",
        ),
    ],
)
def test_whether_choices_are_kept(choices: list[KeptChoice], agent: str, question: str) -> None:
    assert keep_question(choices, session(SWITCH, MODELS, agent=agent)) == question


@each_of(
    ("change", "line"),
    [
        (ConfigOptionsChanged(), ""),
        (ConfigOptionsChanged(altered=("Effort → Low",)), "Also changed: Effort → Low"),
        (ConfigOptionsChanged(altered=("A", "B", "C", "D", "E")), "Also changed: A, B, C, D and 1 more"),
        (
            ConfigOptionsChanged(altered=("A",), appeared=("B",), by_agent=True),
            "Changed by the agent: A · new option: B",
        ),
        (ConfigOptionsChanged(appeared=("A", "B"), vanished=("C",)), "New options: A, B · removed: C"),
    ],
)
def test_what_changed_beside_what_was_asked_for(change: ConfigOptionsChanged, line: str) -> None:
    assert altered_line(change) == line


def test_many_names_are_counted() -> None:
    assert (
        names_line([kept("m", "Model", str(number)) for number in range(5)]) == "Model=0, Model=1, Model=2 and 2 more"
    )
