"""Words for options, plans and links that every front end shows; the first frame needs them, so no reader of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.config_options import ConfigOption
    from acp_tui.protocol.vocabulary.plans import Plan
    from acp_tui.session.entries import HandOverEntry

TRANSCRIPT_URI = "acp-tui:transcript/"
"""How the address of a transcript begins that is handed over with a prompt; nothing can be found there."""
CARRIED = "This is our conversation so far. Go on from it with the message that follows."
"""How a conversation begins that the first prompt of another session carries, for the agent only."""


def done_words(plans: Sequence[Plan]) -> str:
    """How much is done of what is to be done: `✓ 3 / 3 · 1 cancelled`; empty where there are no steps."""
    statuses = [entry.status for plan in plans for entry in plan.entries]
    done, cancelled = statuses.count("completed"), statuses.count("cancelled")
    wanted = len(statuses) - cancelled
    parts = [f"{'✓ ' if done == wanted else ''}{done} / {wanted}"] if wanted else []
    return " · ".join([*parts, f"{cancelled} cancelled"] if cancelled else parts)


def link_words(entry: HandOverEntry) -> str:
    """Where a conversation went, or where it came from."""
    way = {"to": "Handed over to", "from": "Continued from"}[entry.way]
    return f"{way} {visible(entry.agent, 'another agent')}"


def visible(name: str, key: str) -> str:
    """A name; what it names where it is blank and could not be seen."""
    return name if name.strip() else key


def option_name(option: ConfigOption) -> str:
    return visible(option.name, option.id)


def value_name(option: ConfigOption, value: str | bool | None = None) -> str:
    """How the agent calls a value of the option, by default its current one; one that it does not list, as it is."""
    shown = option.current_value if value is None else value
    if option.type != "select":
        return "On" if shown else "Off"
    return next((visible(each.name, each.value) for each in option.values if each.value == shown), str(shown))
