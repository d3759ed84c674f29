"""The changed files as rows of a list: mark, sign, path, who, what became of it, counts."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from rich.cells import cell_len
from textual.content import Content

from acp_tui.host.snapshots.states import PathChange, Status, Who, told_changes, work_of
from acp_tui.session.state import Session
from acp_tui.session.text.words import counted
from acp_tui.session.tools.subject import short_path
from acp_tui.session.tools.words import verb_of
from acp_tui.ui.changes.seam import Extras
from acp_tui.ui.kit.filtered_list import grouped, words_row
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut, cut_path, sanitise_line

SIGNS: dict[Status, tuple[str, str]] = {  # and the ink, which says no more than the sign
    "new": ("+", "$success"),
    "changed": ("~", MUTED),
    "deleted": ("−", "$error"),
    "renamed": ("→", MUTED),
    "mode": ("·", MUTED),
    "kind": ("≠", "$warning"),
}
WHOSE: dict[Who, str] = {
    "agent": "Agent",
    "command": "By a command of the agent",
    "afterwards": "Agent, and changed after its last call",
    "unknown": "Outside any command, probably yours",
    "outside": "Between turns, probably yours",
    "session": "Another session",
    "own": "Agent's own state",
    "anyone": "Not committed, whoever changed it",
}
ROOMY = 66  # cells; in fewer only what is unusual stands between path and counts
BEFORE = 4  # cells: mark, sign, and a blank after each
GAP = 2
LONGEST = 1_000  # cells of a path


class Columns(NamedTuple):
    """Cells of what stands behind the paths of a list: comments, tool calls, what became of it, counts."""

    noted: int
    verb: int
    word: int
    added: int
    removed: int


def status_words(change: PathChange) -> str:
    """What became of it: `changed`, `new link`, `now a folder`."""
    after, before = change.after.kind, change.before.kind
    kind = after if change.status != "deleted" else before
    if change.status == "kind":
        return f"now a {after}" if after in ("link", "folder", "file") else "another kind"
    noun = kind if kind in ("link", "folder") else ""
    match change.status:
        case "new":
            return f"new {noun}".rstrip()
        case "mode":
            return "mode"
        case _:
            return f"{noun} {change.status}".strip()


def verb_words(change: PathChange, session: Session) -> str:
    """What the tool call that names it did: `Edit`; nothing where none does."""
    call = session.index.tool_calls.get(change.tool_call)
    return verb_of(call.kind) if call is not None else ""


def told_path(change: PathChange, cwd: str) -> str:
    """Its path on one line, relative to the session's folder where it is in there."""
    return sanitise_line(short_path(f"{change.root}/{change.path}", None, cwd), LONGEST)


def counts(change: PathChange) -> tuple[str, str]:
    """`+12`, `−3`; nothing for none of them, and where they are not known."""
    added = f"+{change.added:,}" if change.added else ""
    return added, f"−{change.removed:,}" if change.removed else ""


class Rows:
    """Draws rows for one session; what other rooms know of a file is asked for when it is drawn."""

    def __init__(self, session: Session, extras: Extras) -> None:
        self._session, self._extras = session, extras

    def of(self, files: Sequence[PathChange], *, folded: bool = True) -> list[ListRow[PathChange]]:
        """One row a file, below a heading for who changed it; `folded`: one for all of the agent's own."""
        own = [file for file in files if file.who == "own"]
        if folded and own:
            row = ListRow(partial(_draw_own, own), own[0])
            work = self.of(work_of(files))
            return [*work, *([words_row("", MUTED)] if work else []), *grouped([(WHOSE["own"], row)])]
        told = [
            (self._noted(file), verb_words(file, self._session), status_words(file), *counts(file)) for file in files
        ]
        columns = Columns(*(max(map(len, texts)) for texts in zip(*told, strict=True))) if told else Columns(*[0] * 5)
        order = {who: number for number, who in enumerate(WHOSE)}
        rows = (
            (WHOSE[file.who], ListRow(partial(self._draw, file, columns), file))
            for file in sorted(files, key=lambda file: order[file.who])
        )
        return grouped(rows, apart=True)

    def _noted(self, change: PathChange) -> str:
        comments = self._extras.comments(change)
        return f"{comments} ✎" if comments else ""

    def _draw(self, change: PathChange, columns: Columns, width: int) -> Content:
        sign, ink = SIGNS[change.status]
        mark = self._extras.mark(change) or " "
        path = told_path(change, self._session.cwd)
        endings = list(self._endings(change, columns, width))
        fits = (each for each in endings if _room(width, each) >= cell_len(path))
        ending = next(fits, endings[-1] if width < ROOMY else endings[0])
        path = cut_path(path, max(1, _room(width, ending)))
        left = Content.assemble((mark, ACCENT), " ", (sign, ink), " ", path)
        gap = " " * max(0, width - left.cell_length - ending.cell_length)
        return Content.assemble(left, gap, ending)

    def _endings(self, change: PathChange, columns: Columns, width: int) -> Iterator[Content]:
        """What may stand behind the path, from the most to the least."""
        added, removed = counts(change)
        figures = Content.assemble(
            (added.rjust(columns.added), "$success"),
            " " * (bool(columns.added) and bool(columns.removed)),
            (removed.rjust(columns.removed), "$error"),
        )
        noted, verb, word = self._noted(change), verb_words(change, self._session), status_words(change)
        if width >= ROOMY:
            texts = (noted, ACCENT), (verb, MUTED), (word, MUTED)
            cells = zip(texts, columns[:3], strict=True)
            yield _joined(*((text.ljust(room), style) for (text, style), room in cells), figures)
            return
        yield _joined((noted, ACCENT), (word if change.status != "changed" else "", MUTED), figures)
        yield _joined((noted, ACCENT), figures)


def _draw_own(own: Sequence[PathChange], width: int) -> Content:
    """`3 files in .agent`: what is no work, in one row."""
    tops = sorted({file.path.partition("/")[0] for file in own})
    said = f"{counted(len(told_changes(own)), 'file')} in {', '.join(tops)}"
    return Content.styled(" " * BEFORE + cut(sanitise_line(said, LONGEST), max(1, width - BEFORE)), MUTED)


def _room(width: int, ending: Content) -> int:
    """Cells that are left for the path."""
    return width - BEFORE - (ending.cell_length + GAP if ending.plain else 0)


def _joined(*parts: Content | tuple[str, str]) -> Content:
    contents = (part if isinstance(part, Content) else Content.styled(*part) for part in parts)
    return Content(" " * GAP).join(part for part in contents if part.plain)


def total_words(files: Sequence[PathChange]) -> Content:
    """`12 files  +340 −51`."""
    added, removed = sum(each.added or 0 for each in files), sum(each.removed or 0 for each in files)
    figures = [(f"+{added:,}", "$success")] if added else []
    figures += [(f"−{removed:,}", "$error")] if removed else []
    spaced = [part for figure in figures for part in (("  " if figure is figures[0] else " ", ""), figure)]
    return Content.assemble(counted(len(files), "file"), *spaced)
