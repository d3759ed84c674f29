"""Config options: the agent's list, the changes in flight, and what else a change moved."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from acp_tui.session.changes import ConfigOptionsChanged

if TYPE_CHECKING:
    from acp_tui.protocol.config_options import ConfigOption, ConfigOptionUpdate
    from acp_tui.session.facts import ConfigOptionRequested, ConfigOptionSettled
    from acp_tui.session.state import Session


def fold_update(session: Session, update: ConfigOptionUpdate) -> None:
    """Replace the whole list. Apply it before the choice that it answers is settled."""
    before, session.config_options = session.config_options, list(update.config_options)
    session.unknown_config_options = list(update.unknown)
    session.index.options_at = session.clock()
    asked = session.config_in_flight
    session.publish(compared(before, session.config_options, asked) if before else ConfigOptionsChanged())


def fold_requested(session: Session, fact: ConfigOptionRequested) -> None:
    """Remember a choice until the agent has answered it."""
    session.config_in_flight[fact.option_id] = fact.value
    session.index.config_requests[fact.option_id] += 1
    session.publish(ConfigOptionsChanged())


def fold_settled(session: Session, fact: ConfigOptionSettled) -> None:
    """Forget a choice once its last request was answered; an option that cannot be changed at all is noted."""
    requests = session.index.config_requests
    requests[fact.option_id] -= 1
    if requests[fact.option_id] <= 0:
        del requests[fact.option_id]
        session.config_in_flight.pop(fact.option_id, None)
    if fact.unsupported:
        session.config_fixed[fact.option_id] = fact.refused
    session.publish(ConfigOptionsChanged(refused=fact.refused))


def compared(before: list[ConfigOption], after: list[ConfigOption], asked: Collection[str]) -> ConfigOptionsChanged:
    """What changed from one list to the next beside the options that were asked for."""
    old = {option.id: option for option in before}
    new = {option.id: option for option in after}
    return ConfigOptionsChanged(
        altered=tuple(
            _told(old[option.id], option)
            for option in after
            if option.id in old and option.id not in asked and _choices(old[option.id]) != _choices(option)
        ),
        appeared=tuple(option_name(option) for option in after if option.id not in old),
        vanished=tuple(option_name(option) for option in before if option.id not in new),
        by_agent=not asked,
    )


def visible(name: str, key: str) -> str:
    """A name; what it names where it is blank and could not be seen."""
    return name if name.strip() else key


def option_name(option: ConfigOption) -> str:
    """How the agent calls an option."""
    return visible(option.name, option.id)


def value_name(option: ConfigOption, value: str | bool | None = None) -> str:
    """How the agent calls a value of the option, by default its current one; one that it does not list, as it is."""
    shown = option.current_value if value is None else value
    if option.type != "select":
        return "On" if shown else "Off"
    return next((visible(each.name, each.value) for each in option.values if each.value == shown), str(shown))


def _told(old: ConfigOption, new: ConfigOption) -> str:
    moved = old.current_value != new.current_value
    return f"{option_name(new)} → {value_name(new)}" if moved else option_name(new)


def _choices(option: ConfigOption) -> object:
    if option.type == "select":
        return option.current_value, [value.value for value in option.values]
    return option.current_value
