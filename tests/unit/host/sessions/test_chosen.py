"""Options and values by id or name."""

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.choices import Choice, choice_of
from acp_tui.host.sessions.chosen_options import by_name
from acp_tui.protocol.vocabulary.config_options import BooleanOption, ConfigOption, ConfigValue, SelectOption

VALUES = [("a/one", "One"), ("b/one", "one"), ("One", "Two")]
MODEL = SelectOption(
    id="model",
    name="The Model",
    current_value="a/one",
    values=[ConfigValue(value=value, name=name) for value, name in VALUES],
)
NAMELESS = SelectOption(
    id="nameless", name=" ", current_value="low", values=[ConfigValue(value="low", name=""), *MODEL.values]
)
FAST = BooleanOption(id="the model", name="Fast", current_value=False)
OPTIONS: list[ConfigOption] = [MODEL, FAST, NAMELESS]


@pytest.mark.parametrize(
    ("name", "text", "chosen"),
    [
        ("model", "b/one", Choice("model", "b/one", "The Model", "one")),
        ("The Model", "TWO", Choice("model", "One", "The Model", "Two")),
        ("model", "One", Choice("model", "One", "The Model", "Two")),
        ("the model", "yes", Choice("the model", True, "Fast", "On")),
        ("fast", "off", Choice("the model", False, "Fast", "Off")),
    ],
)
def test_an_id_comes_before_a_name(name: str, text: str, chosen: Choice) -> None:
    assert choice_of(*by_name(OPTIONS, name, text)) == chosen


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("slow", "x", "Unknown option 'slow'\nThe agent offers:\nmodel (The Model)\nthe model (Fast)\nnameless"),
        ("", "x", "Unknown option ''\nThe agent offers:\nmodel (The Model)\nthe model (Fast)\nnameless"),
        (
            "nameless",
            "",
            "Unknown value '' of nameless\nThe agent offers:\nlow\na/one (One)\nb/one (one)\nOne (Two)",
        ),
        (
            "model",
            "ONE",
            "More than one value of The Model is called 'ONE'\nThe agent offers:\na/one (One)\nb/one (one)",
        ),
        ("fast", "x", "Option 'the model' must be true or false, not 'x'."),
    ],
)
def test_what_cannot_be_meant_is_told_with_what_there_is(name: str, text: str, said: str) -> None:
    with pytest.raises(UserFault) as told:
        by_name(OPTIONS, name, text)
    assert str(told.value) == said
