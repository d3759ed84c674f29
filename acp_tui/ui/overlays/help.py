"""The help: every key and what it does, what a beginner needs first, filtered as one types."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from textwrap import wrap

from textual import events
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.ui.commands.key_table import KeyRow, beginner_table, key_table
from acp_tui.ui.commands.keys import spell_out
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.filtered_list import FilterLine
from acp_tui.ui.kit.list_panel import PanelKey, PanelKeys
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.overlays.text_panel import TextPanel

KEYS_WIDTH, KEYS_SHARE = 24, 0.45  # cells of the keys at most, and their part of the panel
GAP = 2


class HelpScreen(TextPanel):
    """Rows of keys in groups, those of the whole program unless others are given. The keys of the help close it."""

    def __init__(self, rows: Sequence[KeyRow] | None = None, title: str = "Help") -> None:
        super().__init__(title)
        self.opened_by = (*BY_ID["help"].ways, *BY_ID["question_mark"].ways)
        self._rows = [*beginner_table(), *key_table()] if rows is None else rows
        self._line = FilterLine("Type to filter")
        self.scroll.can_focus = False

    def content(self) -> Sequence[Widget]:
        return [self._line, self.scroll]

    def start(self) -> None:
        self.say()
        self._line.focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fill)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()
        self.scroll.scroll_home(animate=False)

    def on_key(self, event: events.Key) -> None:
        """Letters that were typed before the filter had the focus belong into it all the same."""
        if event.character and event.is_printable:
            event.stop()
            self._line.insert_text_at_cursor(event.character)

    def _fill(self) -> None:
        found = [row for row in self._rows if answers(row, self._line.value)]
        width = max(1, self.scroll.scrollable_content_region.width - 1)
        self.words.update(Content("\n").join(lines_of(found, width)) if found else Content.styled("No matches", MUTED))


def help_rows(group: str, keys: PanelKeys) -> list[KeyRow]:
    """What a panel's keys do, as far as they are to be told."""
    own = (key for key in keys if isinstance(key, PanelKey) and key.help)
    return [KeyRow(group, ", ".join(map(spell_out, key.names)), key.help) for key in own]


def answers(row: KeyRow, query: str) -> bool:
    """Whether the row has every word of the query in it."""
    text = " ".join(row).lower()
    return all(word in text for word in query.lower().split())


def lines_of(rows: Sequence[KeyRow], width: int) -> Iterator[Content]:
    """The rows, set in two columns below the names of their groups, in so many cells."""
    keys_width = min(KEYS_WIDTH, int(width * KEYS_SHARE), max(len(row.keys) for row in rows) + GAP)
    group = ""
    for row in rows:
        if row.group != group:
            if group:
                yield Content("")
            yield Content.styled(row.group, f"{ACCENT} bold")
            group = row.group
        yield from _lines(row, keys_width, width)


def _lines(row: KeyRow, keys_width: int, width: int) -> Iterator[Content]:
    """The first way to it is the loudest."""
    first = len(row.keys.split(", ")[0])
    at = 0
    keys, words = wrap(row.keys, max(1, keys_width - GAP)), wrap(row.words, max(1, width - keys_width))
    for key, word in zip_longest(keys, words, fillvalue=""):
        loud = max(0, min(len(key), first - at))
        at += len(key) + 1
        gap = " " * (keys_width - len(key))
        yield Content.assemble((key[:loud], "bold"), (key[loud:], MUTED), gap, word)
