"""Rows to pick from, each with what it is found by; and those of the command palette, as what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Generic, TypeVar

from acp_tui.safe_text import one_line
from acp_tui.session.text.phrases import counted
from acp_tui.views.command_index import Command, Offer
from acp_tui.views.formatting import SEPARATOR, age
from acp_tui.views.fuzzy_search import Texts
from acp_tui.views.past_sessions import PastSession

Value = TypeVar("Value")
NAME_AT_MOST = 60  # characters of a slash command's name; cells of any


@dataclass(frozen=True, slots=True)
class PickerRow(Generic[Value]):
    """One row: what it stands for, and sanitised words for it.

    The `current` one is marked. A `shortcut` to a row that stands further below too is there until one filters.
    `also` are other words for it, which are not shown; `texts` is what it is found by where that is not what is shown.
    """

    value: Value
    name: str
    description: str = ""
    heading: str = ""
    hint: str = ""
    current: bool = False
    shortcut: bool = False
    also: str = ""
    texts: Texts | None = None


def texts_of(row: PickerRow[Value]) -> Texts:
    """What a row is found by."""
    return row.texts or Texts((row.name,), row.also, (row.heading, row.description, row.hint))


def command_rows(
    commands: Iterable[Command], typed: Mapping[str, str], keys_of: Callable[[Command], str]
) -> list[PickerRow[Command]]:
    """The client's commands; `typed` are the names by which they can be typed now, by their ids."""
    rows = []
    for command in commands:
        if command.in_palette:
            keys = keys_of(command)
            name = f"/{typed[command.id]}" if command.id in typed else ""
            texts = Texts((command.label, *command.slash), command.also, (command.tooltip, keys, command.group))
            hint = keys.split(", ")[0] or name
            rows.append(PickerRow(command, command.label, heading=command.group, hint=hint, texts=texts))
    return rows


def offer_rows(offers: Iterable[Offer], agent: str) -> list[PickerRow[Offer]]:
    """The slash commands of an `agent`, by its name, and own prompts. What cannot run is only said."""
    headings = {"agent": agent, "yours": "Your prompts", "project": "Project prompts"}
    rows = []
    for offer in offers:
        if offer.command is None:
            heading = headings[offer.owner] if offer.can_run else f"Not offered by {agent}"
            words = offer.words if offer.can_run else ""
            texts = Texts((offer.name[:NAME_AT_MOST],), "", (words, heading))
            rows.append(PickerRow(offer, f"/{one_line(offer.name, NAME_AT_MOST)}", words, heading, texts=texts))
    return rows


def _by_title(title: str, *beside: str) -> Texts:
    """A title is prose: a command that is called so stands before it."""
    return Texts((), title, ("Session", *beside))


def tab_row(tab: Value, name: str, state: str, keys: str) -> PickerRow[Value]:
    """Another session that is open."""
    return PickerRow(tab, name, state or "open", "Session", keys, texts=_by_title(name, "open"))


def past_session_rows(known: Iterable[PastSession], now: datetime) -> list[PickerRow[PastSession]]:
    """Sessions of before that one can go back to."""
    return [
        PickerRow(
            each,
            each.title,
            SEPARATOR.join(filter(None, (each.agent, age(each.updated, now)))),
            "Session",
            texts=_by_title(each.title, each.agent),
        )
        for each in known
    ]


def runs_row(hidden: int) -> PickerRow[None]:
    """Leads to the sessions of `acp-tui run`, so many of which are hidden."""
    texts = _by_title("Show runs", "acp-tui run", "automation")
    return PickerRow(None, "Show runs", f"{counted(hidden, 'run')} hidden", "Session", texts=texts)


def theme_row(name: str, ground: str, *, current: bool) -> PickerRow[str]:
    """A theme by its whole name; `dark`, a word of many of them, means a command first."""
    return PickerRow(name, name, ground, "Theme", current=current, texts=Texts((), name, ("theme", ground)))
