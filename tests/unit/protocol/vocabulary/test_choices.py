"""Config options, modes and models, folded into one list of options."""

from typing import Any

import pytest

from acp_tui.protocol.capabilities import ClientCapabilities, SessionScope, introduction
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.vocabulary.config_options import (
    OPTION_TYPES,
    BooleanOption,
    ConfigOption,
    ConfigOptionUpdate,
    ConfigValue,
    OptionValue,
    SelectOption,
)
from acp_tui.protocol.vocabulary.session_updates import RejectedUpdate
from tests.rows import each_of
from tests.unit.protocol.told import Told, only

MODES = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}
MODELS = {"currentModelId": "big", "availableModels": [{"modelId": "big", "name": "Big"}, {"modelId": "small"}]}


def select(option_id: str, current: str = "a", category: str | None = None, *values: str) -> dict[str, Any]:
    options = [{"value": value, "name": value.upper()} for value in values or ("a", "b")]
    option = {"type": "select", "id": option_id, "name": option_id, "currentValue": current, "options": options}
    return option | ({"category": category} if category else {})


def chosen(options: list[ConfigOption]) -> dict[str, str | bool]:
    return {option.id: option.current_value for option in options}


def setup(told: Told, **answer: Any) -> list[ConfigOption]:
    return only(ConfigOptionUpdate, told.setup(**answer)).config_options


def choose(told: Told, option: ConfigOption, value: str | bool, result: Any) -> tuple[Call, list[ConfigOption]]:
    call = told.dialect.set_config_option("s", option, value)
    return call, only(ConfigOptionUpdate, told.dialect.config_option_set(call, result)).config_options


def test_options_keep_the_agent_s_order_and_words() -> None:
    switch = {"type": "boolean", "id": "fast", "name": "Fast", "currentValue": True, "category": "permissions"}
    options = setup(Told(), configOptions=[select("z", "https://x/1"), switch, select("a", category="model")])
    assert [option.id for option in options] == ["z", "fast", "a"]
    assert isinstance(options[1], BooleanOption)
    assert [option.category for option in options] == [None, "permissions", "model"]
    assert isinstance(options[0], SelectOption)
    assert options[0].current_value == "https://x/1"  # not among its values, and kept


def test_groups_are_told_beside_each_value() -> None:
    groups = [
        {"group": "g1", "name": "One", "options": [{"value": "a", "name": "A"}, {"name": "bad"}]},
        {"group": "g2", "name": "Two", "options": "bad"},
        {"group": "g3", "name": "Three", "options": [{"value": "b", "name": "B"}]},
    ]
    (option,) = setup(Told(), configOptions=[{**select("m"), "options": groups}])
    assert isinstance(option, SelectOption)
    assert [(value.value, value.group) for value in option.values] == [("a", "One"), ("b", "Three")]


def test_unknown_types_are_kept_and_bad_options_left_out() -> None:
    slider = {"type": "slider", "id": "x", "name": "X"}
    bad = [
        {"type": "select", "id": "b", "name": "B"},
        {"type": "boolean", "id": "c", "name": "C", "currentValue": "on"},
    ]
    update = only(ConfigOptionUpdate, Told().setup(configOptions=[slider, *bad, 5, select("good")]))
    assert [option.id for option in update.config_options] == ["good"]
    assert update.unknown == [slider]


def test_a_setup_that_says_nothing_tells_nothing() -> None:
    assert Told().setup() == []
    assert Told().setup(modes=None, configOptions=None) == []
    assert Told().setup(modes="bad", configOptions="bad") == []


def test_modes_and_models_are_options_where_there_are_no_others() -> None:
    options = setup(Told(), modes=MODES, models=MODELS)
    assert [(option.id, option.category, option.current_value) for option in options] == [
        ("mode", "mode", "ask"),
        ("model", "model", "big"),
    ]
    assert isinstance(options[1], SelectOption)
    assert [(value.value, value.name) for value in options[1].values] == [("big", "Big"), ("small", "small")]


def test_config_options_come_before_modes_and_models() -> None:
    config = [select("m", category="model"), select("k", category="mode")]
    assert [option.id for option in setup(Told(), modes=MODES, models=MODELS, configOptions=config)] == ["m", "k"]


def test_models_are_shown_where_no_option_is_about_models() -> None:
    options = setup(Told(), modes=MODES, models=MODELS, configOptions=[select("model", category="other")])
    assert [(option.id, option.category) for option in options] == [("model", "other"), ("models", "model")]


def test_an_empty_list_of_config_options_leaves_modes() -> None:
    assert [option.id for option in setup(Told(), modes=MODES, configOptions=[])] == ["mode"]


@pytest.mark.parametrize("kind", ["config_option_update", "config_options_update"])
def test_an_update_replaces_all_options(kind: str) -> None:
    told = Told()
    setup(told, configOptions=[select("a"), select("b")])
    assert chosen(told.options(kind, configOptions=[select("c", "b")])) == {"c": "b"}
    assert only(RejectedUpdate, told.say(kind)).path == "configOptions"


@pytest.mark.parametrize("member", ["currentModeId", "modeId"])
def test_the_mode_changes(member: str) -> None:
    told = Told()
    setup(told, modes=MODES)
    assert chosen(told.options("current_mode_update", **{member: "code"})) == {"mode": "code"}
    assert only(RejectedUpdate, told.say("current_mode_update", **{member: 5})).path == "currentModeId"


@pytest.mark.parametrize(
    "form",
    [
        {"currentModelId": "small"},
        {"modelId": "small"},
        {"modeId": "small"},
        {"currentModel": "small"},
        {"model": "small"},
        {"model": {"modelId": "small", "name": "Small"}},
    ],
)
def test_the_model_changes_in_any_form(form: dict[str, Any]) -> None:
    told = Told()
    setup(told, models=MODELS)
    assert chosen(told.options("current_model_update", **form)) == {"model": "small"}


def test_a_mode_told_the_old_way_moves_the_config_option_that_has_it() -> None:
    told = Told()
    setup(told, modes=MODES, configOptions=[select("k", "ask", "mode", "ask", "code"), select("code", "a")])
    assert chosen(told.options("current_mode_update", currentModeId="code")) == {"k": "code", "code": "a"}
    assert chosen(told.options("current_mode_update", currentModeId="elsewhere")) == {"k": "code", "code": "a"}


def test_a_mode_without_any_modes_is_shown_alone() -> None:
    (option,) = Told().options("current_mode_update", currentModeId="yolo")
    assert isinstance(option, SelectOption)
    assert (option.category, option.current_value, option.values) == ("mode", "yolo", [])


@pytest.mark.parametrize("empty", [None, {}, []])
def test_an_empty_answer_is_the_change_itself(empty: Any) -> None:
    told = Told()
    mode, model = setup(told, modes=MODES, models=MODELS)
    call, options = choose(told, mode, "code", empty)
    assert call == Call("session/set_mode", {"sessionId": "s", "modeId": "code"})
    assert chosen(options) == {"mode": "code", "model": "big"}
    call, options = choose(told, model, "small", empty)
    assert call == Call("session/set_model", {"sessionId": "s", "modelId": "small"})
    assert chosen(options) == {"mode": "code", "model": "small"}


@pytest.mark.parametrize("empty", [None, {}, [], {"configOptions": None}, {"configOptions": "bad"}])
def test_an_empty_answer_for_a_config_option_too(empty: Any) -> None:
    told = Told()
    switch = {"type": "boolean", "id": "fast", "name": "Fast", "currentValue": False}
    first, second, third = setup(told, configOptions=[select("x"), switch, select("y")])
    assert chosen(choose(told, first, "b", empty)[1]) == {"x": "b", "fast": False, "y": "a"}
    assert chosen(choose(told, second, True, empty)[1]) == {"x": "b", "fast": True, "y": "a"}
    assert chosen(choose(told, third, "b", empty)[1]) == {"x": "b", "fast": True, "y": "b"}


def test_a_full_answer_replaces_all_options() -> None:
    told = Told()
    (option,) = setup(told, configOptions=[select("x")])
    call, options = choose(told, option, "b", {"configOptions": [select("x", "b"), select("effort")]})
    assert call == Call("session/set_config_option", {"sessionId": "s", "configId": "x", "value": "b"})
    assert chosen(options) == {"x": "b", "effort": "a"}


def test_models_beside_a_config_option_of_their_name_are_set_their_own_way() -> None:
    told = Told()
    provider, models = setup(told, models=MODELS, configOptions=[select("model", category="other")])
    assert told.dialect.set_config_option("s", provider, "b").method == "session/set_config_option"
    assert told.dialect.set_config_option("s", models, "small").method == "session/set_model"


def test_what_was_told_before_does_not_change_afterwards() -> None:
    told = Told()
    before = setup(told, modes=MODES)
    told.options("current_mode_update", currentModeId="code")
    assert chosen(before) == {"mode": "ask"}


def test_updates_before_the_setup_are_remembered() -> None:
    told = Told()
    told.options("config_option_update", configOptions=[select("early")])
    assert [option.id for option in setup(told, modes=MODES)] == ["early"]


@pytest.mark.parametrize("answer", [None, {}, [], {"sessionId": 5}])
def test_a_new_session_needs_an_id(answer: Any) -> None:
    told = Told()
    with pytest.raises(ProtocolFault):
        told.dialect.read_session_setup(told.dialect.open_session("new", SessionScope("/")), answer)


@each_of("method", ["session/load", "session/resume"])
@each_of("answer", [None, {}, {"sessionId": "other"}, {"modes": MODES}])
def test_going_on_with_a_session_keeps_its_id(method: str, answer: Any) -> None:
    setup_read = Told().dialect.read_session_setup(Call(method, {"sessionId": "s", "cwd": "/"}), answer)
    assert setup_read.session_id == "s"
    assert bool(setup_read.updates) == bool(answer and "modes" in answer)


VALUES = [ConfigValue(value="a", name="Ask"), ConfigValue(value="b", name=" "), ConfigValue(value="c", name="ask")]
MODE = SelectOption(id="mode", name="Mode", current_value="a", values=VALUES)
LONE = SelectOption(id="m", name=" ", current_value="x")
SWITCH = BooleanOption(id="fast", name="Fast", current_value=True)


def test_each_type_that_not_every_client_knows_is_offered() -> None:
    offered = introduction("1", ClientCapabilities())["clientCapabilities"]["session"]["configOptions"]
    assert {"select", *offered} == OPTION_TYPES.keys()


@each_of(
    ("option", "name", "value", "is_named"),
    [
        (MODE, "Mode", "Ask", True),
        (MODE.with_value("b"), "Mode", "b", True),
        (MODE.with_value("gone"), "Mode", "gone", False),
        (LONE, "m", "x", False),
        (SWITCH, "Fast", "On", True),
        (SWITCH.with_value(False), "Fast", "Off", True),
    ],
)
def test_how_an_option_and_its_value_are_called(option: ConfigOption, name: str, value: str, is_named: bool) -> None:
    assert (option.shown_name, option.value_name(), option.is_named) == (name, value, is_named)


@each_of(
    ("option", "text", "values"),
    [
        (MODE, "a", ["a"]),
        (MODE, "ASK", ["a", "c"]),
        (MODE, "b", ["b"]),
        (MODE, "On", []),
        (SWITCH, "Yes", [True]),
        (SWITCH, "0", [False]),
        (SWITCH, "Fast", []),
    ],
)
def test_which_value_a_user_means(option: ConfigOption, text: str, values: list[OptionValue]) -> None:
    assert option.values_named(text) == values


@each_of(
    ("option", "wanted", "following"),
    [
        (MODE, None, "b"),
        (MODE, "c", "a"),
        (MODE, "gone", "a"),
        (MODE.with_value("gone"), None, "a"),
        (LONE, None, None),
        (SelectOption(id="m", name="M", current_value="a", values=VALUES[:1]), None, None),
        (SWITCH, None, False),
        (SWITCH, False, True),
    ],
)
def test_the_next_value_goes_round(
    option: ConfigOption, wanted: OptionValue | None, following: OptionValue | None
) -> None:
    assert option.next_value(wanted) == following


@each_of(
    ("option", "value", "offers"),
    [(MODE, "b", True), (MODE, True, False), (LONE, "x", False), (SWITCH, False, True), (SWITCH, "b", False)],
)
def test_what_an_option_can_be_set_to(option: ConfigOption, value: object, offers: bool) -> None:
    assert option.offers(value) is offers
