"""The find bar: one line above the prompt.

While the words are typed the nearest match is shown. Enter leaves the line, and then `n`, `N` and Enter step.
"""

from collections.abc import Callable

from textual import events, on
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.session.entries import Entry
from acp_tui.session.state import Session
from acp_tui.ui.commands.registry import in_transcript
from acp_tui.ui.find.finder import Finder
from acp_tui.ui.kit.entry_watch import EntryWatch
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.kit.hints import CLOSE, fitting, key_hints
from acp_tui.ui.kit.theme import ACCENT, KEY, MUTED
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.transcript.view import TranscriptView

LONGEST = 200  # characters of what is looked for
STEPS = {"enter": 1, "n": 1, "down": 1, "ctrl+f": 1, "N": -1, "shift+enter": -1, "up": -1}
EDIT = frozenset({"slash", "backspace", "left", "right", "home", "end"})
PASSED_ON = frozenset({"copy_block", "copy_block_code", "unfold_block"})

TYPING = (("enter", "next"), ("↑↓", "previous/next"), CLOSE)
STEPPING = (("n", "next"), ("N", "previous"), CLOSE, ("/", "edit"), ("y", "copy"))
DISPENSABLE = (
    ("y", "copy"),
    ("/", "edit"),
    ("↑↓", "previous/next"),
    ("N", "previous"),
    ("n", "next"),
    ("enter", "next"),
)
ROOM_FOR_WORDS = 44  # cells of the bar that are not for hints


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
        self._input = _Words(placeholder="Search this transcript", compact=True, id="find-words")
        self._count, self._hints = Static(id="find-count"), Static(id="find-hints")
        title = Static(Content.styled("Find", f"{ACCENT} bold"))
        super().__init__(title, self._input, self._count, self._hints, id="find")

    @property
    def is_open(self) -> bool:
        return self._finder is not None

    def open(self, words: str = "") -> None:
        """Show the bar; with `words` find them."""
        if self._finder is None:
            self._finder = Finder(self._view, self._session)
            self._watch.start()
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
            self._say()

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
        """Step by keys; in the line only by those that write nothing."""
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
            self._say()

    def _entries_changed(self, entries: list[Entry]) -> None:
        if self._finder is not None:
            self._finder.look_again(entries)
            self._say()

    @on(events.DescendantFocus)
    @on(events.Focus)
    def _say(self) -> None:
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
        hints = fitting(TYPING if self._input.has_focus else STEPPING, room, DISPENSABLE)
        self._hints.update(key_hints(hints, room))


class _Words(SafeInput):
    """The line; keys that step or close pass by."""

    BINDINGS = [
        Binding("ctrl+f", "screen.command('find')", show=False),
        Binding("ctrl+c", "screen.command('cancel')", show=False),
    ]
