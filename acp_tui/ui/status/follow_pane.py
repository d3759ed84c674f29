"""The place where an agent works: which one that is, and the lines of its file in a pane that follows it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import UserFault
from acp_tui.host.prompts.mentions import Excerpt, read_excerpt
from acp_tui.protocol.vocabulary.tool_calls import Diff, ToolCallLocation
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.patches import diffs_of
from acp_tui.session.tools.title import verb_of
from acp_tui.ui.entries.base_units import place
from acp_tui.ui.kit.theme import ACCENT, MUTED, palette_for
from acp_tui.ui.render.blocks import Highlighter, lexer_for_path, styled
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import common_start, cut_left, sanitise, sanitise_line

ABOVE = 4  # lines shown above the place
LINES = 14


class WorkPlace(NamedTuple):
    """A file, the line (from 1) if it is known, the kind of tool, and the version of the call that told."""

    path: str
    line: int | None
    kind: str
    version: int


def place_of(entry: Entry) -> WorkPlace | None:
    """Where a tool call works: its last location, else the first line that its last diff changes."""
    if not isinstance(entry, ToolCallEntry):
        return None
    diffs = [diff for diff in diffs_of(entry) if diff.path]
    places: Sequence[ToolCallLocation | Diff] = entry.locations or diffs
    last = places[-1] if places else None
    if last is None or last.path is None:
        return None
    line = None if isinstance(last, Diff) else last.line
    if line is None:
        own = next((diff for diff in reversed(diffs) if diff.path == last.path), None)
        line = None if own is None else first_changed(own)
    return WorkPlace(last.path, line or None, entry.kind, entry.version)


def newest_place(entries: Sequence[Entry]) -> WorkPlace | None:
    """The place of the last of the entries that told one."""
    return next((place for entry in reversed(entries) if (place := place_of(entry)) is not None), None)


def first_changed(diff: Diff) -> int | None:
    """The first line of the new text that is not the old one's, from 1; None where that cannot be told."""
    if diff.new_text is None:
        return None
    old, new = (diff.old_text or "").split("\n"), diff.new_text.split("\n")
    return common_start(old, new) + 1 if diff.old_text else 1


class FollowPane(Vertical):
    """Path and line, and the lines; the newest place wins if reads overtake each other."""

    DEFAULT_CSS = """
    FollowPane { height: auto; display: none; margin: 0 1 1 0; }
    FollowPane > Static { height: auto; width: 1fr; text-wrap: nowrap; text-overflow: clip; }
    """

    def __init__(self, session: Session, roots: Callable[[], Sequence[str]]) -> None:
        super().__init__(id="follow")
        self._roots = roots
        self._session = session
        self.at: WorkPlace | None = None
        self._where, self._lines = Static(id="follow-where"), Static(id="follow-lines")

    def compose(self) -> ComposeResult:
        yield Static(Content.styled("Follow", f"{ACCENT} bold"))
        yield self._where
        yield self._lines

    def go_to(self, at: WorkPlace | None) -> None:
        """Show another place, or the same one anew; its file is read beside the loop."""
        if at is None:
            self._where.update(Content.styled("No file location from the agent yet", MUTED))
        elif at != self.at:
            self.at = at
            self.draw_again()

    def draw_again(self) -> None:
        if self.at is not None:
            self.run_worker(self._show(self.at), exclusive=True, group="follow")

    async def _show(self, at: WorkPlace) -> None:
        width = max(8, self.size.width)
        verb = verb_of(at.kind)
        told = place(at.path, at.line, self._session.cwd)
        self._where.update(Content.assemble(cut_left(told, width - len(verb) - 2), (f"  {verb.lower()}", MUTED)))
        try:
            excerpt = await read_excerpt(at.path, self._roots(), (at.line or 1) - ABOVE, LINES)
        except UserFault as fault:
            reason = fault.title.replace(at.path, "").strip()  # the path is said above
            self._lines.update(Content.styled(sanitise_line(reason, width), MUTED))
            return
        self._lines.update(excerpt_text(excerpt, at, palette_for(self.app.current_theme), width))


def excerpt_text(excerpt: Excerpt, at: WorkPlace, palette: Palette, width: int) -> Text:
    """Numbered, highlighted lines, each cut to the width; the line at hand on a ground of its own."""
    lines = [sanitise(line.expandtabs(4)).replace("\n", " ") for line in excerpt.lines]
    highlighter = Highlighter(lines, lexer_for_path(at.path))
    digits = len(str(excerpt.first + max(0, len(lines) - 1)))
    text = Text(no_wrap=True, end="")
    for index, _ in enumerate(lines):
        number = excerpt.first + index
        ground = palette.panel_background if number == at.line else Style.null()
        mark = "▸" if number == at.line else " "
        row = Text(f"{mark}{number:>{digits}} ", style=palette.line_number + ground, end="")
        for piece, style in styled(highlighter.line(index), palette, ground):
            row.append(piece, style)
        row.truncate(width, overflow="ellipsis", pad=number == at.line)
        text.append_text(row)
        text.append("\n" if index + 1 < len(lines) else "")
    if not lines:
        text.append("The file is shorter than this line number", palette.muted)
    return text
