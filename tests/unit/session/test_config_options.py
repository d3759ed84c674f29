"""Config options: the list, changes in flight, and what a change moved beside what was asked."""

from acp_tui.protocol.vocabulary.config_options import (
    BooleanOption,
    ConfigOption,
    ConfigOptionUpdate,
    ConfigValue,
    SelectOption,
)
from acp_tui.session.changes import ConfigOptionsChanged
from acp_tui.session.facts import AgentReturned, ConfigOptionRequested, ConfigOptionSettled
from tests.unit.session.speech import told


def select(option_id: str, current: str, values: tuple[str, ...] = ("a", "b")) -> SelectOption:
    listed = [ConfigValue(value=value, name=value) for value in values]
    return SelectOption(id=option_id, name=option_id.title(), current_value=current, values=listed)


def switch(option_id: str, current: bool) -> BooleanOption:
    return BooleanOption(id=option_id, name=option_id.title(), current_value=current)


def options(*listed: ConfigOption) -> ConfigOptionUpdate:
    return ConfigOptionUpdate(config_options=list(listed))


def test_the_first_list_alters_nothing() -> None:
    one = told()
    one.apply(options(select("mode", "a"), switch("fast", False)))
    assert [option.id for option in one.session.config_options] == ["mode", "fast"]
    assert one.changes == [ConfigOptionsChanged()]


def test_a_list_replaces_the_one_before() -> None:
    one = told()
    one.apply(options(select("mode", "a"), switch("fast", False)), options(switch("fast", True)))
    assert one.session.config_options == [switch("fast", True)]


def test_what_was_asked_is_not_altered_but_the_rest_is() -> None:
    one = told()
    one.apply(options(select("model", "a"), select("effort", "a"), switch("fast", False)))
    one.apply(ConfigOptionRequested("model", "b"))
    one.apply(options(select("model", "b"), select("effort", "a", ("a", "z")), switch("wide", True)))
    change = one.last(ConfigOptionsChanged)
    assert (change.altered, change.appeared, change.vanished) == (("Effort",), ("Wide",), ("Fast",))
    assert not change.by_agent


def test_a_choice_is_in_flight_until_it_is_settled() -> None:
    one = told()
    one.apply(ConfigOptionRequested("mode", "b"))
    assert one.session.config_in_flight == {"mode": "b"}
    one.apply(ConfigOptionSettled("mode"))
    assert one.session.config_in_flight == {}


def test_of_two_choices_the_later_stays_in_flight() -> None:
    one = told()
    one.apply(ConfigOptionRequested("mode", "a"), ConfigOptionRequested("mode", "b"), ConfigOptionSettled("mode"))
    assert one.session.config_in_flight == {"mode": "b"}
    one.apply(ConfigOptionSettled("mode"))
    assert one.session.config_in_flight == {}


def test_a_refusal_is_told_with_its_reason() -> None:
    one = told()
    one.apply(options(select("mode", "a")), ConfigOptionRequested("mode", "b"), ConfigOptionSettled("mode", "not now"))
    assert one.last(ConfigOptionsChanged).refused == "not now"
    assert one.session.config_options == [select("mode", "a")]


def test_the_agents_own_change_is_told_by_name() -> None:
    one = told()
    one.apply(options(select("mode", "a")), options(select("mode", "b")))
    assert one.last(ConfigOptionsChanged) == ConfigOptionsChanged(altered=("Mode → b",), by_agent=True)


def test_an_option_that_cannot_be_changed_at_all_is_noted_with_the_reason() -> None:
    one = told()
    one.apply(options(select("mode", "a")), ConfigOptionRequested("mode", "b"))
    one.apply(ConfigOptionSettled("mode", "no such method", unsupported=True))
    assert one.session.config_fixed == {"mode": "no such method"}
    one.apply(AgentReturned())
    assert one.session.config_fixed == {}


def test_a_value_that_the_agent_does_not_list_is_called_as_it_is() -> None:
    assert select("mode", "https://example.com/mode#ask").value_name() == "https://example.com/mode#ask"
    assert switch("fast", False).value_name(True) == "On"


def test_options_of_unknown_type_are_kept() -> None:
    one = told()
    one.apply(ConfigOptionUpdate(config_options=[], unknown=[{"type": "dial"}]))
    assert one.session.unknown_config_options == [{"type": "dial"}]
