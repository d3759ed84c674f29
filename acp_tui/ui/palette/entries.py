"""What the palette finds: rows, and what each of them does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from textual.theme import Theme

from acp_tui.frozen import Frozen
from acp_tui.session.text.words import counted, option_name
from acp_tui.ui.commands.key_table import key_words
from acp_tui.ui.commands.keys import spell_out
from acp_tui.ui.commands.registry import BY_ID, COMMANDS
from acp_tui.ui.kit.fuzzy import Texts
from acp_tui.ui.kit.picker import PickerRow
from acp_tui.ui.kit.theme import grounds_of
from acp_tui.ui.options.choices import Choice, value_choices, value_name
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.sessions.known import Known
from acp_tui.ui.sessions.strip import LOOKS
from acp_tui.ui.sessions.tabs import Tab, Tabs
from acp_tui.ui.slash.offers import Offer
from acp_tui.views.formatting import age

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.config_options import ConfigOption

TITLE_AT_MOST, NAME_AT_MOST = 60, 60  # cells
REMEMBERED_AT_MOST = 99  # characters of a name


class Entry(Frozen):
    """What a row does, where something can be done. With an `id` it is remembered as used recently."""

    act: Callable[[], object] | None
    id: str = ""


Row: TypeAlias = PickerRow[Entry]


def command_rows(run: Callable[[str], None], slash: Mapping[str, str]) -> list[Row]:
    """The client's commands; `slash` are the names by which they can be typed now, by their ids."""
    rows = []
    for command in COMMANDS:
        if command.in_palette:
            keys = key_words(command)
            typed = f"/{slash[command.id]}" if command.id in slash else ""
            rows.append(
                PickerRow(
                    Entry(partial(run, command.id), command.id),
                    command.label,
                    heading=command.group,
                    hint=keys.split(", ")[0] or typed,
                    texts=Texts((command.label, *command.slash), command.also, (command.tooltip, keys, command.group)),
                )
            )
    return rows


def slash_rows(offers: Iterable[Offer], agent: str, write: Callable[[Offer], None]) -> list[Row]:
    """The slash commands of an `agent`, by its name, and own prompts. What cannot run is only said."""
    headings = {"agent": agent, "yours": "Your prompts", "project": "Project prompts"}
    rows = []
    for offer in offers:
        if offer.command is None:
            heading = headings[offer.owner] if offer.can_run else f"Not offered by {agent}"
            words = offer.words if offer.can_run else ""
            id_ = f"/{offer.name}" if len(offer.name) <= REMEMBERED_AT_MOST else ""
            rows.append(
                PickerRow(
                    Entry(partial(write, offer) if offer.can_run else None, id_),
                    f"/{sanitise_line(offer.name, NAME_AT_MOST)}",
                    words,
                    heading,
                    texts=Texts((offer.name[:NAME_AT_MOST],), "", (words, heading)),
                )
            )
    return rows


def option_rows(
    options: Sequence[ConfigOption], change: Callable[[str], None], choose: Callable[[Choice], None]
) -> Iterator[Row]:
    """The options, each with its value, and behind all of them the values that there are."""
    for option in options:
        name = sanitise_line(option_name(option), NAME_AT_MOST)
        yield PickerRow(Entry(partial(change, option.id)), name, value_name(option), "Option")
    for option in options:
        if option.type != "boolean":
            yield from _value_rows(option, choose)


def _value_rows(option: ConfigOption, choose: Callable[[Choice], None]) -> Iterator[Row]:
    name = sanitise_line(option_name(option), NAME_AT_MOST)
    for choice in value_choices([option]):
        beside = (name, choice.heading, choice.description, str(choice.value))
        yield PickerRow(
            Entry(partial(choose, choice)),
            choice.name,
            choice.description,
            name,
            current=choice.current,
            texts=Texts((choice.name,), "", beside),
        )


def _by_title(title: str, *beside: str) -> Texts:
    """A title is prose: a command that is called so stands before it."""
    return Texts((), title, ("Session", *beside))


def tab_rows(tabs: Tabs) -> Iterator[Row]:
    """The other sessions that are open."""
    for label, tab in zip(tabs.labels(), tabs.entries, strict=True):
        if not label.current:
            ways = BY_ID[f"show_session_{label.number}"].ways if f"show_session_{label.number}" in BY_ID else []
            yield PickerRow(
                Entry(partial(_show, tabs, tab)),
                cut(label.name, TITLE_AT_MOST),
                LOOKS[label.state].words or "open",
                "Session",
                spell_out(ways[0]) if ways else "",
                texts=_by_title(label.name, "open"),
            )


def _show(tabs: Tabs, tab: Tab) -> None:
    if tab in tabs.entries:
        tabs.show(tab)


def known_rows(known: Iterable[Known], open_known: Callable[[Known], None], now: datetime) -> list[Row]:
    """Sessions of before that one can go back to."""
    return [
        PickerRow(
            Entry(partial(open_known, each)),
            cut(each.title, TITLE_AT_MOST),
            " · ".join(filter(None, (each.agent, age(each.updated, now)))),
            "Session",
            texts=_by_title(each.title, each.agent),
        )
        for each in known
    ]


def runs_row(hidden: int, show: Callable[[], None]) -> Row:
    """Leads to the sessions of `acp-tui run`, so many of which are hidden."""
    return PickerRow(
        Entry(show),
        "Show runs",
        f"{counted(hidden, 'run')} hidden",
        "Session",
        texts=_by_title("Show runs", "acp-tui run", "automation"),
    )


def theme_rows(themes: Mapping[str, Theme], current: str, choose: Callable[[str], None]) -> list[Row]:
    """Themes by their whole names; `dark`, a word of many of them, means a command first."""
    return [
        PickerRow(
            Entry(partial(choose, name)),
            name,
            ground,
            "Theme",
            current=name == current,
            texts=Texts((), name, ("theme", ground)),
        )
        for name, ground in grounds_of(themes)
    ]
