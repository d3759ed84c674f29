import json
from pathlib import Path

import pytest

from acp_tui.host.config.choices import Choice, KeptChoices, choice_of, in_order, obstacle
from acp_tui.protocol.vocabulary.config_options import BooleanOption, ConfigOption, ConfigValue, SelectOption
from tests.rows import each_of

FAST = BooleanOption(id="fast", name="Fast", current_value=False)
MODEL = SelectOption(
    id="model",
    name="Model",
    category="model",
    current_value="a",
    values=[ConfigValue(value="a", name="A"), ConfigValue(value="b", name="B")],
)
OPTIONS: list[ConfigOption] = [FAST, MODEL]


def choice(option_id: str, value: str | bool) -> Choice:
    return Choice(option_id, value, option_id.title(), str(value))


def test_a_choice_has_the_names_that_a_user_knows() -> None:
    assert str(choice_of(MODEL, "b")) == "Model=B"
    assert str(choice_of(MODEL, "unknown")) == "Model=unknown"
    assert str(choice_of(FAST, True)) == "Fast=On"


def test_models_are_chosen_first() -> None:
    choices = [choice("fast", True), choice("other", "x"), choice("model", "b")]
    assert [each.option_id for each in in_order(choices, OPTIONS)] == ["model", "fast", "other"]


@each_of(
    ("option_id", "value", "expected"),
    [
        ("model", "b", None),
        ("model", "a", ""),
        ("model", "z", "the value no longer exists"),
        ("model", True, "the value no longer exists"),
        ("fast", True, None),
        ("fast", False, ""),
        ("fast", "on", "the value no longer exists"),
        ("gone", "x", "the option no longer exists"),
    ],
)
def test_what_stands_before_a_choice(option_id: str, value: str | bool, expected: str | None) -> None:
    option = next((each for each in OPTIONS if each.id == option_id), None)
    assert obstacle(choice(option_id, value), option) == expected


def test_a_current_value_beside_the_list_is_made_already() -> None:
    odd = MODEL.model_copy(update={"current_value": "odd"})
    assert obstacle(choice("model", "odd"), odd) == ""


def test_what_was_used_last_is_there_next_time_the_latest_first(tmp_path: Path) -> None:
    path = tmp_path / "agent.json"
    first = KeptChoices(path)
    for value in ("a", "b", "c", "b", "d", "e", "f"):
        first.used(choice("model", value), "s")
    first.used(choice("fast", True), "s")
    again = KeptChoices(path)
    assert again.recent == {"model": ["f", "e", "d", "b", "c"]}
    assert (again.kept, again.problem) == ({}, "")
    again.forget()
    assert KeptChoices(path).recent == {}


def test_what_is_kept_is_there_next_time(tmp_path: Path) -> None:
    path = tmp_path / "deeper" / "agent.json"
    first = KeptChoices(path)
    first.keep([choice("fast", True), choice("model", "a")])
    first.keep([choice("fast", False)])
    first.decline([choice("mode", "x")])
    second = KeptChoices(path)
    assert list(second.kept.values()) == [choice("model", "a"), choice("fast", False)]
    assert second.unknown([choice("fast", True), choice("mode", "y"), choice("new", "z")]) == (choice("new", "z"),)
    second.forget()
    assert not path.exists()
    assert KeptChoices(path).kept == {}


def test_keeping_what_was_declined_counts(tmp_path: Path) -> None:
    kept = KeptChoices(tmp_path / "agent.json")
    kept.decline([choice("mode", "x")])
    kept.keep([choice("mode", "x")])
    assert kept.declined == set()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"kept": [{}], "declined": []}', "5", "[" * 100_000])
def test_a_damaged_file_is_told_and_not_used(tmp_path: Path, text: str) -> None:
    path = tmp_path / "agent.json"
    path.write_text(text)
    kept = KeptChoices(path)
    assert kept.kept == {}
    assert "damaged" in kept.problem


@pytest.mark.parametrize("value", [None, [], {}])
def test_a_value_that_no_option_has_is_damage(tmp_path: Path, value: object) -> None:
    path = tmp_path / "agent.json"
    entry = {"option_id": "a", "value": value, "option_name": "A", "value_name": "5"}
    path.write_text(json.dumps({"kept": [entry], "declined": []}))
    assert "damaged" in KeptChoices(path).problem


def test_agents_have_files_of_their_own() -> None:
    names = ["a/b", "a_b", "", "\udce9", "x" * 500]
    paths = {str(KeptChoices.for_agent(name)._file.path) for name in names}
    assert len(paths) == len(names)
    assert KeptChoices(None).problem == ""
