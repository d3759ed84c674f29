"""The find bar: one line above the prompt.

While the words are typed the nearest match is shown. Enter leaves the line, and then `n`, `N` and Enter step.
The count comes from the entries' texts. An entry that is stepped into is drawn, and from then on its count is what
is really to be seen in it; a folded one is unfolded when the match is inside, and folded again afterwards.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from textual import events, on
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.session.entries import Entry
from acp_tui.session.state import Session
from acp_tui.startup import late
from acp_tui.ui.bridge import EntryWatch
from acp_tui.ui.commands.registry import in_transcript
from acp_tui.ui.kit.line_editor import SafeInput
from acp_tui.ui.kit.theme import ACCENT, CLOSE, KEY, MOVE, MUTED, fitting, key_hints
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.transcript.layout import Heights
from acp_tui.ui.transcript.row_painter import Marks, Match, matches_in
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.ui.transcript.viewport import Here

LONGEST = 200  # characters of what is looked for
STEPS = {"enter": 1, "n": 1, "down": 1, "ctrl+f": 1, "N": -1, "shift+enter": -1, "up": -1}
EDIT = frozenset({"slash", "backspace", "left", "right", "home", "end"})
PASSED_ON = frozenset({"copy_block", "copy_block_code", "unfold_block"})

TYPING = (("↓", "next"), ("↑", "previous"), CLOSE)
STEPPING = (("n", "next"), ("N", "previous"), CLOSE, ("/", "edit"), ("y", "copy"))
DISPENSABLE = (
    ("y", "copy"),
    ("/", "edit"),
    MOVE,
    ("N", "previous"),
    ("n", "next"),
)
ROOM_FOR_WORDS = 36  # cells of the bar that are not for hints


class FindBar(Horizontal, can_focus=True):
    """Hidden until somebody searches. `leave` gives the focus back."""

    DEFAULT_CSS = """
    FindBar { display: none; height: 1; margin: 1 1 0 1; padding: 0 2 0 1; border-left: outer $accent; }
    FindBar > Static { width: auto; }
    FindBar > Input { width: 1fr; min-width: 12; margin: 0 2 0 1; }
    FindBar #find-hints { margin: 0 0 0 3; }
    """

    def __init__(self, view: TranscriptView, session: Session, leave: Callable[[], object]) -> None:
        self._view, self._session, self._leave = view, session, leave
        self._watch = EntryWatch(session, self._entries_changed)
        self._finder: Finder | None = None
        self._follows = False  # whether it sees the view scroll
        self._input = _Words(placeholder="Search this transcript", compact=True, id="find-words")
        self._count, self._hints = Static(id="find-count"), Static(id="find-hints")
        title = Static(Content.styled("Find", f"{ACCENT} bold"))
        super().__init__(title, self._input, self._count, self._hints, id="find")

    @property
    def is_open(self) -> bool:
        return self._finder is not None

    def open(self, words: str = "") -> None:
        if self._finder is None:
            self._finder = Finder(self._view, self._session)
            self._watch.start()
            if not self._follows:
                self._follows = True
                self.watch(self._view, "scroll_y", self._scrolled, init=False)
            self.display = True
            self.call_after_refresh(self._look)
        if words:
            self._input.value = words
            self._input.cursor_position = len(words)
        self._input.focus()

    def close(self) -> None:
        """End the search: what is found stays in view if somebody stepped, else the view goes back."""
        if self._finder is not None:
            finder, self._finder = self._finder, None
            self._watch.stop()
            finder.close(stay=not self._input.has_focus)
            self.display = False
            self._leave()

    def step(self, direction: int) -> None:
        if self._finder is not None:
            self._finder.step(direction)
            self._show_count()

    def on_unmount(self) -> None:
        self._watch.stop()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if len(event.value) > LONGEST:
            self._input.value = event.value.lstrip()[:LONGEST]
        self._look()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._finder is not None and self._finder.total:
            self.focus()

    def on_key(self, event: events.Key) -> None:
        typing = self._input.has_focus
        if event.key in STEPS and (not typing or event.key in ("up", "down", "shift+enter", "ctrl+f")):
            event.stop()
            self.step(STEPS[event.key])
        elif not typing and event.key in EDIT:
            event.stop()
            self._input.focus()
        elif not typing and (command := in_transcript(event.key)) and command.id in PASSED_ON:
            event.stop()
            self.run_worker(self.run_action(f"screen.command('{command.id}')"))

    def _look(self) -> None:
        if self._finder is not None:
            self._finder.look_for(sanitise_line(self._input.value, LONGEST))
            self._show_count()

    def _entries_changed(self, entries: list[Entry]) -> None:
        if self._finder is not None:
            self._finder.look_again(entries)
            self._show_count()

    def _scrolled(self) -> None:
        if self._finder is not None:
            self.call_after_refresh(self._count_shown)

    def _count_shown(self) -> None:
        if self._finder is not None:
            self._finder.count_shown()
            self._show_count()

    @on(events.DescendantFocus)
    @on(events.Focus)
    def _show_count(self) -> None:
        finder = self._finder
        if finder is None:
            return
        if not self._input.value.strip():
            self._count.update(Content(""))
        elif finder.total:
            self._count.update(Content.assemble((f"{finder.number:,}", KEY), (f" / {finder.total:,}", MUTED)))
        else:
            self._count.update(Content.styled("No matches", "$warning"))
        room = self.size.width - ROOM_FOR_WORDS
        typing = TYPING if key_hints(TYPING).cell_length <= room else (MOVE, CLOSE)
        hints = fitting(typing if self._input.has_focus else STEPPING, room, DISPENSABLE)
        self._hints.update(key_hints(hints, room))


class _Words(SafeInput):
    """The line; keys that step or close pass by."""

    BINDINGS = [
        Binding("ctrl+f", "screen.command('find')", show=False),
        Binding("ctrl+c", "screen.command('cancel')", show=False),
    ]


class Query:
    """Words as they were typed. Capitals in them count; all in lower case they stand for both."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.exact = words != words.lower()
        self._pattern = re.compile(re.escape(words), re.NOFLAG if self.exact else re.IGNORECASE)

    def __bool__(self) -> bool:
        return bool(self.words)

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in self._pattern.finditer(text)] if self else []


_Version = tuple[int, ...]
_Text = tuple[Entry, _Version, str]  # an entry, the version that was read, its text


class Counts(Heights):
    """How many matches every entry has, by place; matches are numbered from 0 through all entries.

    Texts are made once and held while somebody searches, so that another letter costs a count and nothing else.
    `text_of` gives an entry's text, `version_of` what is another one whenever that may have changed.
    """

    def __init__(self, text_of: Callable[[Entry], str], version_of: Callable[[Entry], _Version]) -> None:
        super().__init__()
        self._text_of, self._version_of = text_of, version_of
        self._texts: dict[bool, dict[int, _Text]] = {True: {}, False: {}}  # as it is, and in lower case, by identity
        self._query = Query("")

    def search(self, query: Query, entries: Sequence[Entry | None]) -> None:
        self._query = query
        self.truncate(0)
        self.look_again(entries, ())

    def look_again(self, entries: Sequence[Entry | None], places: Iterable[int]) -> None:
        """Count the entries at some places again, and those that are new at the end."""
        for place in places:
            if place < len(self):
                self.set(place, self._count(entries[place]))
        for place in range(len(self), len(entries)):
            self.append(self._count(entries[place]))

    def _count(self, entry: Entry | None) -> int:
        if entry is None or not self._query:
            return 0
        return self._text(entry, exact=self._query.exact).count(self._query.words)

    def _text(self, entry: Entry, *, exact: bool) -> str:
        texts = self._texts[exact]
        held, version = texts.get(id(entry)), self._version_of(entry)
        if held is None or held[0] is not entry or held[1] != version:
            text = self._text_of(entry)
            held = texts[id(entry)] = entry, version, text if exact else text.lower()
        return held[2]


class Finder:
    """One search in one view, from the moment the bar opens until it closes."""

    def __init__(self, view: TranscriptView, session: Session) -> None:
        self._view, self._viewport = view, view.viewport
        drawings = late("acp_tui.ui.entries.drawings")
        self._counts = Counts(partial(drawings.text_of, session=session), partial(drawings.version_of, session=session))
        self._query = Query("")
        self._marks = Marks(self._query.spans)
        self._here: Here = self._viewport.here
        self._at: tuple[int, int] | None = None  # the place of the current match's entry, which of its matches it is
        self._unfolded: int | None = None

    @property
    def total(self) -> int:
        return self._counts.total

    @property
    def number(self) -> int:
        """The number of the current match, from 1; 0 where there is none."""
        return 0 if self._at is None else self._counts.before(self._at[0]) + self._at[1] + 1

    def look_for(self, words: str) -> None:
        self._query = Query(words)
        self._at = None
        self._return()
        self._counts.search(self._query, self._entries)
        self._marks = Marks(self._query.spans)
        self._view.mark(self._marks if self._query else None)
        self.count_shown()
        self._nearest()

    def step(self, direction: int) -> None:
        self._counts.look_again(self._entries, ())  # what came since the last look may be in view
        if not self.total:
            return
        if self._at is None:
            self._nearest()
            return
        number = (self.number - 1 + direction) % self.total
        self._go(*self._counts.at(number), last=direction < 0)

    def look_again(self, entries: Iterable[Entry]) -> None:
        """Entries came or changed: count them again; the current match stays where it is, if it still is."""
        if not self._query:
            return
        layout = self._viewport.layout
        places = (layout.place_of(entry) for entry in entries)
        self._counts.look_again(self._entries, [place for place in places if place is not None])
        self.count_shown()
        if self._at is not None and self._at[1] >= self._counts[self._at[0]]:
            self._at = None
            self._marks.current = None

    def count_shown(self) -> None:
        """Count what is marked in view: rows have words (a sign's, a state's) that an entry's text may not have."""
        if self._query:
            for place in {row.place for row in self._viewport.shown}:
                if place < len(self._counts):
                    hidden = self._counts[place] if self._viewport.folded(place) else 0
                    self._counts.set(place, max(hidden, len(self._matches(place))))

    def close(self, *, stay: bool) -> None:
        """Take the marks away; without `stay` show again what was shown when the search began."""
        self._view.mark(None)
        self._viewport.held = False
        if not stay:
            self._return()

    @property
    def _entries(self) -> list[Entry | None]:
        return self._viewport.layout.entries

    def _return(self) -> None:
        self._fold_back(None)
        self._viewport.go_back(self._here)
        self._view.place()

    def _nearest(self) -> None:
        """The first match in view, else the nearest one above, else the first one below."""
        if not self.total or not self._viewport.ready:
            return
        visible = self._first_visible()
        if visible is not None:
            matches = self._matches(visible.place)
            self._go(visible.place, matches.index(visible) if visible in matches else 0)
            return
        first = self._viewport.shown[0].place if self._viewport.shown else 0
        above = self._counts.before(first + 1) - 1
        self._go(*self._counts.at(max(0, above)), last=above >= 0)

    def _first_visible(self) -> Match | None:
        layout = self._viewport.layout
        for place, unit, row in self._viewport.shown:
            for start, end in self._marks.on_line(layout.held_rows(place, unit) or (), row.line):
                if start >= row.offset:
                    return Match(place, unit, row.line, start, end)
        return None

    def _go(self, place: int, index: int, *, last: bool = False) -> None:
        """Show a match of an entry; coming from below, `last` stands for the last one that is to be seen."""
        last = last and index + 1 == self._counts[place]
        self._fold_back(place)
        matches = self._matches(place)
        if index >= len(matches) and self._viewport.folded(place) and self._view.toggle(place):
            self._unfolded = place
            matches = self._matches(place)
        least = self._counts[place] if self._viewport.folded(place) else 1
        self._counts.set(place, max(least, len(matches)))  # what is to be seen, or was counted in what is folded
        index = max(0, len(matches) - 1) if last else max(0, min(index, len(matches) - 1))
        self._at = place, index
        self._viewport.current = place  # keys about a block are about this one
        self._viewport.hold(True)  # what the agent writes does not move the match out of sight
        self._marks.current = matches[index] if matches else None
        self._view.show_match(matches[index] if matches else Match(place, 0, 0, 0, 0))

    def _matches(self, place: int) -> list[Match]:
        return matches_in(self._viewport.layout, place, self._query.spans)

    def _fold_back(self, place: int | None) -> None:
        """Fold what was unfolded for a match, unless the next one is in it too."""
        if self._unfolded is not None and self._unfolded != place:
            if self._viewport.folded(self._unfolded) is False:
                self._view.toggle(self._unfolded)
            self._unfolded = None
