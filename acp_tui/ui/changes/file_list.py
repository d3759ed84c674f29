"""The left half of the screen: a line to filter by, the changed files, and what has to be said of all of them."""

from collections.abc import Sequence
from functools import partial

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.host.changes.snapshot_history import own_words
from acp_tui.host.snapshots.path_state import PathChange, work_of
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted
from acp_tui.session.tools.title import CREATE, verb_of
from acp_tui.ui.changes.extensions import Extras
from acp_tui.ui.kit.row_list import FilterLine, ListRow, RowList, grouped, words_row
from acp_tui.ui.kit.theme import KEY, MUTED
from acp_tui.ui.render.text import cut, cut_path, painted, sanitise_line
from acp_tui.views.changed_files import SIGNS, WHO, by_who, fewer_columns, file_columns, shown_path
from acp_tui.views.formatting import StyledText, joined
from acp_tui.views.row_search import SearchIndex, SearchTexts

NOTES, NOTES_SHORT = 3, 1  # rows of notes at most where there are many files; the others are a key away
MOST_NOTES = 10
NOTES_KEY = "i"
LONGEST = 1_000  # cells of a note
ROOMY = 66  # cells of a row; in fewer only what is unusual stands between path and counts
BEFORE = 4  # cells: mark, sign, and a blank after each
GAP = 2
NARROWEST, BAR = 36, 3  # cells of the list at least, for its notes; of its scrollbar
MOST_MEASURED = 500  # files by which the list is as wide as it is


class FileRows:
    """Draws rows for one session; what other rooms know of a file is asked for when it is drawn."""

    def __init__(self, session: Session, extras: Extras) -> None:
        self._session, self._extras = session, extras

    def of(self, files: Sequence[PathChange], *, folded: bool = True) -> list[ListRow[PathChange]]:
        """One row a file, below a heading for who changed it; `folded`: one for all of the agent's own."""
        own = [file for file in files if file.who == "own"]
        if folded and own:
            row = ListRow(partial(_draw_own, own), own[0])
            work = self.of(work_of(files))
            return [*work, *([words_row("", MUTED)] if work else []), *grouped([(WHO["own"].heading, row)])]
        widths = [max(len(text) for text, _ in column) for column in zip(*map(self._columns, files), strict=True)]
        rows = ((_heading(file), ListRow(partial(self._draw, file, widths), file)) for file in by_who(files))
        return grouped(rows, apart=True)

    def width_of(self, files: Sequence[PathChange]) -> int:
        """The cells in which all paths of these files and their headings are whole."""
        return max((max(self._cells(file), cell_len(_heading(file))) for file in files), default=0)

    def _cells(self, change: PathChange) -> int:
        columns = self._columns(change)
        fewer = next(fewer_columns(change, columns))
        path = cell_len(shown_path(change, self._session.cwd))
        return BEFORE + path + sum(GAP + cell_len(text) for text, _ in fewer if text)

    def _columns(self, change: PathChange) -> StyledText:
        call = self._session.index.tool_calls.get(change.tool_call)
        verb = verb_of(call.kind) if call is not None else ""
        if change.status == "new" and verb == verb_of("edit"):
            verb = CREATE
        return file_columns(change, self._extras.comments(change), verb)

    def _draw(self, change: PathChange, widths: Sequence[int], width: int) -> Content:
        path, sign = shown_path(change, self._session.cwd), SIGNS[change.status]
        endings = self._endings(change, widths, width)
        ending = next((each for each in endings if _room(width, each) >= cell_len(path)), endings[-1])
        path = cut_path(path, max(1, _room(width, ending)))
        mark = self._extras.mark(change) or " "
        left = painted([(mark, "user"), (" ", ""), (sign.sign, sign.tone), (" ", ""), (path, "")])
        gap = " " * max(0, width - left.cell_length - ending.cell_length)
        return Content.assemble(left, gap, ending)

    def _endings(self, change: PathChange, widths: Sequence[int], width: int) -> list[Content]:
        columns = self._columns(change)
        if width < ROOMY:
            return [_ending(each, widths) for each in fewer_columns(change, columns)]
        texts = [(text.ljust(cells), tone) for (text, tone), cells in zip(columns[:-2], widths, strict=False)]
        return [_ending([*texts, *columns[-2:]], widths)]


def _heading(change: PathChange) -> str:
    return WHO[change.who].heading


def _ending(columns: StyledText, widths: Sequence[int]) -> Content:
    added, removed = (
        [(text.rjust(cells), tone)] for (text, tone), cells in zip(columns[-2:], widths[-2:], strict=True)
    )
    counts = [*added, *([(" ", "")] if all(widths[-2:]) else []), *removed]
    return painted(joined([*([text] for text in columns[:-2]), counts], (" " * GAP, "")))


def _draw_own(own: Sequence[PathChange], width: int) -> Content:
    """`3 files in .agent`: what is no work, in one row."""
    return Content.styled(" " * BEFORE + cut(sanitise_line(own_words(own), LONGEST), max(1, width - BEFORE)), MUTED)


def _room(width: int, ending: Content) -> int:
    """Cells that are left for the path."""
    return width - BEFORE - (ending.cell_length + GAP if ending.plain else 0)


class FileList(Vertical):
    """Keeps the highlight on its file when there are others. The keys are the screen's, but for those of the filter."""

    DEFAULT_CSS = """
    FileList #changes-filter { height: 1; margin: 0 1 1 1; }
    FileList #changes-filter > Static { width: 2; }
    FileList #changes-filter Input {
        width: 1fr; height: 1; border: none; padding: 0; background: $background;
    }
    FileList RowList { height: 1fr; }
    FileList #changes-notes { height: auto; margin: 1 1 0 1; }
    """

    def __init__(self, rows: FileRows, cwd: str) -> None:
        super().__init__(id="changes-files")
        self._rows, self._cwd = rows, cwd
        self.filter = FilterLine("Filter by path")
        self._filter_row = Horizontal(id="changes-filter")
        self.list = RowList[PathChange]()
        self._notes = Static(id="changes-notes")
        self._files: Sequence[PathChange] = ()
        self._index: SearchIndex[PathChange] | None = None
        self.all_notes: Sequence[str] = ()
        self.shown: Sequence[PathChange] = ()

    def compose(self) -> ComposeResult:
        self._filter_row.display = False
        with self._filter_row:
            yield Static(Content.styled("/", KEY))
            yield self.filter
        yield self.list
        yield self._notes

    @property
    def current(self) -> PathChange | None:
        return self.list.value

    @property
    def is_filtered(self) -> bool:
        return self.has_class("-filtered")

    def show(self, files: Sequence[PathChange], notes: Sequence[str]) -> None:
        self._files, self._index, self.all_notes = files, None, notes
        self.look()

    @property
    def width_needed(self) -> int:
        """The cells that its rows need, whatever is filtered."""
        return max(NARROWEST, self._rows.width_of(self._files[:MOST_MEASURED]) + BAR)

    @property
    def height_needed(self) -> int:
        """The rows of all files, of as many notes as stand there where there are many, and a blank one."""
        return len(self._rows.of(self._files)) + (NOTES + 1) * bool(self.all_notes) + 1

    def look(self) -> None:
        """Draw all anew: the filter is another one, or what other rooms know of the files."""
        query = self.filter.value.strip() if self.is_filtered else ""
        self.shown = self._found(query) if query else self._files
        rows = self._rows.of(self.shown, folded=not query)
        kept = self.current
        at = next((n for n, row in enumerate(rows) if kept and row.value and row.value.key == kept.key), None)
        self.list.fill(rows, at)
        self._say()

    def _found(self, query: str) -> list[PathChange]:
        if self._index is None:
            self._index = SearchIndex(self._files, lambda file: SearchTexts((shown_path(file, self._cwd),)))
        return self._index.find(query)

    def on_resize(self) -> None:
        self._say()

    def _say(self) -> None:
        width = max(8, self.size.width - 2)
        free = self.size.height - len(self.list.rows) - 2
        room = max(NOTES_SHORT if self.screen.has_class("-short") else NOTES, min(MOST_NOTES, free))
        told = [cut(sanitise_line(note, LONGEST), width) for note in self.all_notes]
        cut_short = any(len(note) > width for note in self.all_notes)
        lines = list[Content]()
        if self.is_filtered and self.filter.value.strip():
            lines.append(Content.styled(f"{len(self.shown):,} of {counted(len(self._files), 'file')}", MUTED))
        if len(told) > room or cut_short:
            more = f"{len(told) - room + 1} more notes" if len(told) > room else "the whole note"
            shown = told[: room - 1] if len(told) > room else told
            lines += [Content.styled(note, MUTED) for note in shown]
            lines.append(Content.assemble((NOTES_KEY, KEY), (f" {more}", MUTED)))
        else:
            lines += [Content.styled(note, MUTED) for note in told]
        self._notes.display = bool(lines)
        self._notes.update(Content("\n").join(lines))

    # moving and filtering

    def open_filter(self) -> None:
        self.add_class("-filtered")
        self._filter_row.display = True
        self.screen.set_focus(self.filter)  # at once: what is typed behind the key is the filter

    def close_filter(self) -> None:
        self.filter.value = ""
        self.remove_class("-filtered")
        self._filter_row.display = False
        self.look()

    def move(self, step: int, *, around: bool = True) -> bool:
        """Go to another file; whether there is one, where the list does not go `around`."""
        places = self._places()
        at = places.index(self.list.highlighted) if self.list.highlighted in places else -1
        if not places or (not around and not 0 <= at + step < len(places)):
            return False
        self.list.move(step)
        return True

    def end(self, which: int) -> None:
        """Go to the first file (0), or the last (-1)."""
        places = self._places()
        if places:
            self.list.highlight(places[which])

    def _places(self) -> list[int]:
        return [n for n, row in enumerate(self.list.rows) if row.value is not None]
