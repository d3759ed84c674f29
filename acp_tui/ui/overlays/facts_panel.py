"""Facts in rows of a name and a value, in groups, over the screen: to be read, scrolled and copied."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from textual.content import Content

from acp_tui.ui.kit.announcements import say
from acp_tui.ui.kit.hints import CLOSE, SCROLL
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.overlays.text_panel import TextPanel
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.ui.terminal.clipboard import write_clipboard
from acp_tui.views.session_facts import Group

GAP = 2
HEIGHT_SHARE, BESIDE, BESIDE_SHORT = 0.92, 6, 2  # of the screen, and rows of the panel beside the facts
NAMES_SHARE = 0.45  # of the width that the names may take
LONGEST = 4_000  # cells of one value


class FactsPanel(TextPanel):
    """It has what was true when it was opened; `copied` is what a copy has instead."""

    KEYS = (SCROLL, PanelKey("y,c", "copy", "copy"), CLOSE)

    def __init__(self, title: str, groups: Sequence[Group], copied: Sequence[Group] | None = None) -> None:
        super().__init__(title)
        self._groups = groups
        self._copied = groups if copied is None else copied

    def start(self) -> None:
        super().start()
        self.call_after_refresh(self._fill)

    def on_resize(self) -> None:
        self.call_after_refresh(self._fill)

    def action_copy(self) -> None:
        write_clipboard(self.app, text_of(self._copied))
        say(self.app, f"Copied {str(self.title).lower()}", 3)

    def _fill(self) -> None:
        width, height = max(10, self.scroll.scrollable_content_region.width - 1), self.app.size.height
        lines = list(lines_of(self._groups, width))
        room = height - BESIDE_SHORT if self.is_short else int(height * HEIGHT_SHARE) - BESIDE
        self.scroll.styles.height = max(1, min(len(lines), room))
        self.words.update(Content("\n").join(lines))


def lines_of(groups: Sequence[Group], width: int) -> Iterator[Content]:
    """The rows below the headings of their groups, in two columns of so many cells together."""
    names = [sanitise_line(name, 60) for _, rows in groups for name, _ in rows]
    names_width = min(max(map(len, names), default=0) + GAP, max(GAP + 1, int(width * NAMES_SHARE)))
    for number, (heading, rows) in enumerate(groups):
        if number:
            yield Content("")
        if heading:
            yield Content.styled(sanitise_line(heading, width), f"{ACCENT} bold")
        for name, value in rows:
            yield from _row(name, value, names_width, width)


def _row(name: str, value: str, names_width: int, width: int) -> Iterator[Content]:
    told = Content(sanitise_line(value, LONGEST))
    if not name:
        yield from told.wrap(width)
        return
    left = Content.styled(sanitise_line(name, 60), MUTED).wrap(max(1, names_width - GAP))
    for key, words in zip_longest(left, told.wrap(max(1, width - names_width)), fillvalue=Content("")):
        yield Content.assemble(key, " " * (names_width - key.cell_length), words)


def text_of(groups: Sequence[Group]) -> str:
    """All of it as plain text."""
    parts = []
    for heading, rows in groups:
        lines = [f"{name}: {sanitise_line(value, LONGEST)}" if name else value for name, value in rows]
        parts.append("\n".join([heading, *lines] if heading else lines))
    return sanitise("\n\n".join(parts)) + "\n"
