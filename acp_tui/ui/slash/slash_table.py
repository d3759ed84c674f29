"""The client's slash commands for users: the pages show them."""

from typing import NamedTuple

from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.slash.offers import client_wins


class SlashRow(NamedTuple):
    """A row of the table, as users read it.

    `name` with its argument, `others` that do the same, what it does, and whose it is where the agent has one of that
    name too.
    """

    name: str
    others: str
    words: str
    whose: str


def slash_table() -> list[SlashRow]:
    """Every command that has a slash name, in the order of the help."""
    return [
        SlashRow(
            f"/{each.slash[0]} {each.argument}".rstrip(),
            ", ".join(f"/{name}" for name in each.slash[1:]),
            each.tooltip,
            _whose(each.wins, [f"/{name}" for name in each.slash if not client_wins(each, name)]),
        )
        for each in COMMANDS
        if each.slash
    ]


def _whose(wins: bool, yields: list[str]) -> str:
    if not wins:
        return "agent"
    return f"client ({', '.join(yields)}: agent)" if yields else "client"
