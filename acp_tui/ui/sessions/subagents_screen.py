"""Transcripts that are only read: the base of their screens, and the screen of a subagent.

A subagent's transcript grows while it is looked at. Nobody prompts it; where its agent allows that it is cancelled.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from rich.segment import Segment
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.session.changes import ASKED, SETTLED, Change, InputOptionsChanged, SubagentChanged
from acp_tui.session.entries import Entry
from acp_tui.session.state import Session, Subagent
from acp_tui.session.tools.running_work import children_of, subagent_works, works
from acp_tui.ui.bridge import Bridge
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.entries.drawings import draw, written
from acp_tui.ui.export_actions import CopyActions
from acp_tui.ui.find_bar import FindBar
from acp_tui.ui.kit.base_screens import ROWS, SelectableScreen
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import ACCENT, CLOSE, MOVE, MUTED, Hint, HintLine, palette_of, spell
from acp_tui.ui.questions.docked_panel import asker, count, room_for_name
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, painted, sanitise_line
from acp_tui.ui.render.wrap import LEFT, Row
from acp_tui.ui.sessions.live_picker import LivePicker
from acp_tui.ui.transcript.transcript_view import SubagentClicked, TranscriptView
from acp_tui.views.command_index import LEADER
from acp_tui.views.formatting import capitalised
from acp_tui.views.plans import SubagentNode, elapsed_of, last_of, standing_of, title_of, tree_of
from acp_tui.views.row_search import PickerRow
from acp_tui.views.status import waiting

READ: tuple[Hint, ...] = (MOVE, ("enter", "expand"), ("^O", "expand all"), ("^F", "find"), ("y", "copy"))
CANCEL_KEY = "X"
LISTED = 1_000  # rows of the list of subagents
PAUSE = 0.05  # seconds at least between two looks at the heading


class ReadOnlyScreen(SelectableScreen):
    """A transcript that scrolls, folds, is searched and copied, and takes no prompt."""

    VERTICAL_BREAKPOINTS = ROWS
    BINDINGS = [
        Binding("escape,q,ctrl+q", "back", show=False),
        Binding("ctrl+c,super+c", "copy_or_back", show=False),
        Binding("ctrl+f,slash", "find", show=False),
        Binding("ctrl+o", "unfold_all", show=False),
        Binding("ctrl+l", "app.redraw", show=False),
    ]
    DEFAULT_CSS = """
    ReadOnlyScreen { background: $background; }
    ReadOnlyScreen #reading-head { height: auto; margin: 1 3; text-wrap: nowrap; }
    ReadOnlyScreen #reading-transcript { width: 100%; height: 1fr; }
    ReadOnlyScreen #reading-hints { height: 1; margin: 1 3; }
    ReadOnlyScreen.-short #reading-head, ReadOnlyScreen.-short #reading-hints { margin: 0 3; }
    """

    def __init__(self, session: Session, acts: "SubagentActs | None" = None) -> None:
        super().__init__()
        self.read_session, self.acts = session, acts
        self.transcript = TranscriptView(
            lambda entry: draw(entry, session), written, self._empty, id="reading-transcript"
        )
        self._find = FindBar(self.transcript, session, self.transcript.focus)
        self._copies = CopyActions(self.transcript, session)
        self._head, self._hints = Static(id="reading-head"), HintLine(id="reading-hints")
        self._led = False  # by the key after which another one tells what to do

    def heading(self, width: int) -> Content:
        raise NotImplementedError

    def _empty(self, _width: int, _height: int, _palette: Palette) -> Sequence[Row]:
        return ()

    @property
    def hints(self) -> Sequence[Hint]:
        return *READ, CLOSE

    def compose(self) -> ComposeResult:
        yield self._head
        yield self.transcript
        yield self._find
        yield self._hints

    def on_mount(self) -> None:
        self.watch(self.app, "theme", lambda: self.transcript.set_palette(palette_of(self.app)))
        self.begin()
        self.transcript.focus()

    def begin(self) -> None:
        self.transcript.show(self.read_session)

    def on_resize(self, event: events.Resize) -> None:
        self.look(event.size.width)

    def look(self, width: int = 0) -> None:
        self._head.update(self.heading((width or self.size.width) - self._head.styles.margin.width))
        self._hints.show(self.hints)

    def on_key(self, event: events.Key) -> None:
        if self._led:
            self._led = False
            event.stop()
            self._after_leader(event.key)
        elif event.key == LEADER.key and self.focused is self.transcript:
            self._led = True
            event.stop()
        elif event.key in BY_ID["answer_permission"].keys:
            event.stop()
            self.action_answer()
        elif self.focused is self.transcript and (act := self._act_for(event.key)) is not None:
            event.stop()
            act()

    def _after_leader(self, key: str) -> None:
        acts: dict[str, Callable[[], object]] = {
            "open_subagent": self.choose_child,
            "focus_transcript": self.action_parent,
            "answer_permission": self.action_answer,
            "show_board": partial(self._run_below, "show_board"),
        }
        chosen = next((run for command, run in acts.items() if key in BY_ID[command].leaders), None)
        if chosen is not None:
            chosen()
        elif key not in ("escape", LEADER.key):
            say(self.app, f"{spell(f'{LEADER.key} {key}')} does nothing here", 3)

    def _act_for(self, key: str) -> Callable[[], object] | None:
        view = self.transcript
        acts: dict[str, Callable[[], object]] = {
            "up": lambda: view.focus_entry("previous"),
            "k": lambda: view.focus_entry("previous"),
            "down": lambda: view.focus_entry("next"),
            "j": lambda: view.focus_entry("next"),
            "left_curly_bracket": lambda: view.focus_entry("previous_user"),
            "right_curly_bracket": lambda: view.focus_entry("next_user"),
            "pageup": view.page_up,
            "pagedown": view.page_down,
            "home": view.scroll_to_start,
            "end": view.follow_end,
            "enter": lambda: self.open_entry(view.current_entry) or view.toggle_current(),
            "space": lambda: view.toggle_current() or self.open_entry(view.current_entry),
            "y": lambda: self._copies.block(view.current_entry),
        }
        return acts.get(key)

    @on(TranscriptView.LinkClicked)
    def _link_clicked(self, message: TranscriptView.LinkClicked) -> None:
        self._copies.text(message.address, "the URL")

    @on(SubagentClicked)
    def _open_clicked(self, message: SubagentClicked) -> None:
        child = self.read_session.root.family.get(message.session_id)
        if child is not None:
            self.open_child(child)

    def open_entry(self, entry: Entry | None) -> bool:
        """Go where an entry leads, here to its subagents; whether it leads anywhere."""
        return choose_of(self.app, entry, self.read_session, self.open_child)

    def choose_child(self) -> None:
        choose(self.app, list(tree_of(self.read_session)), self.open_child)

    def open_child(self, child: Subagent) -> None:
        self.app.push_screen(SubagentScreen(child, self.acts), self._left)

    def _left(self, _: None) -> None:
        if self.acts is not None:
            self.acts.back()

    def action_parent(self) -> None:
        self.action_back()

    def action_answer(self) -> None:
        """Go to what waits for the user, wherever that is."""
        self._run_below("answer_permission")

    def _run_below(self, command_id: str) -> None:
        """Run a command of the conversation, in the place of all transcripts that lie over it."""
        if self.acts is not None:
            while len(self.app.screen_stack) > 1 and isinstance(self.app.screen_stack[-1], ReadOnlyScreen):
                self.app.pop_screen()
            self.acts.run(command_id)

    def action_find(self) -> None:
        self._find.open()

    def action_unfold_all(self) -> None:
        self.transcript.toggle_all()

    def action_copy_or_back(self) -> None:
        selected = self.get_selected_text()
        if selected:
            self._copies.text(selected, "the selection")
        else:
            self.action_back()

    def action_back(self) -> None:
        self._led = False
        if self._find.is_open:
            self._find.close()
        elif self.is_current:  # else keys that were pressed meanwhile would close what is below
            self.dismiss(None)


class SubagentActs(NamedTuple):
    """What the user can do about subagents that are at work: cancel one, and run a command of the conversation.

    `back` is called whenever a transcript was left.
    """

    cancel: Callable[[Subagent], object]
    run: Callable[[str], object]
    back: Callable[[], object]


class WaitingLine(Static):
    """That something waits for the user; a click goes there."""

    ALLOW_SELECT = False

    def __init__(self, clicked: Callable[[], object]) -> None:
        super().__init__(id="reading-waits")
        self._clicked = clicked

    def on_click(self) -> None:
        self._clicked()


class SubagentScreen(ReadOnlyScreen):
    """The transcript of one subagent, as it grows; without `acts` it is one of the past."""

    DEFAULT_CSS = """
    SubagentScreen #reading-waits { display: none; height: 1; margin: 1 3 0 3; color: $warning; text-style: bold; }
    SubagentScreen.-short #reading-waits { margin: 0 3; }
    """

    def __init__(self, child: Subagent, acts: SubagentActs | None) -> None:
        super().__init__(child.session, acts)
        self.child = child
        self._bridge = Bridge(child.session, self.transcript, self._look_soon)
        self._waits = WaitingLine(self.action_answer)
        self._unsubscribe: Callable[[], None] = lambda: None
        self._soon: Timer | None = None

    def compose(self) -> ComposeResult:
        for part in super().compose():
            if part is self._hints:
                yield self._waits
            yield part

    def begin(self) -> None:
        self._bridge.start(lambda _changes: None)
        self._unsubscribe = self.read_session.root.subscribe(self._heard)
        self.set_interval(1.0, self._second)

    def on_unmount(self) -> None:
        self._bridge.stop()
        self._unsubscribe()

    def on_screen_suspend(self) -> None:
        self._bridge.pause()

    def on_screen_resume(self) -> None:
        self._bridge.resume()
        self._look_soon()

    def _heard(self, change: Change) -> None:
        own = isinstance(change, SubagentChanged) and change.session_id == self.child.entry.id
        if own or isinstance(change, (*ASKED, *SETTLED, InputOptionsChanged)):
            self._look_soon()

    def _second(self) -> None:
        if works(self.child.entry):
            self._look_soon()

    def _look_soon(self) -> None:
        if self._soon is None and self.is_mounted and not self._bridge.paused:
            self._soon = self.set_timer(PAUSE, self._look_now)

    def _look_now(self) -> None:
        self._soon = None
        self.look()

    def look(self, width: int = 0) -> None:
        super().look(width)
        root = self.read_session.root
        asked = waiting(root) if self.acts is not None else []
        if asked:
            room = room_for_name(self.size.width - 6, len(asked))
            who = asker(asked[0], root, room) or sanitise_line(root.agent_name, 30) or "the agent"
            more = count(len(asked)).plain
            said = f"△ {capitalised(who)} needs an answer ({first_way('answer_permission')}){more}"
            self._waits.update(Content(cut(said, max(8, self.size.width - 6))))
        if self._waits.display is not bool(asked):
            self._waits.display = bool(asked)

    def heading(self, width: int) -> Content:
        standing, elapsed = standing_of(self.child), elapsed_of(self.child)
        stands = f"{standing.sign} {standing.words}", standing.tone
        right = painted([stands, (f" · {elapsed}" if elapsed else "", "muted")])
        title = cut(title_of(self.child.entry), max(8, width - right.cell_length - len("Subagent   ") - 2))
        left = Content.assemble(("Subagent", f"{ACCENT} bold"), ("   " + title, "bold"))
        gap = " " * max(1, width - left.cell_length - right.cell_length)
        below = cut(f"of {self._parent_name} · read-only", width)
        return Content.assemble(left, gap, right, "\n", (below, MUTED))

    @property
    def _parent_name(self) -> str:
        parent = self.child.parent
        above = parent.root.family.get(parent.id)
        if above is not None:
            return f'subagent "{title_of(above.entry, 60)}"'
        return f'"{sanitise_line(parent.title, 60)}"' if parent.title else "this session"

    @property
    def hints(self) -> Sequence[Hint]:
        cancels = ((CANCEL_KEY, "cancel this subagent"),) if self._can_cancel else ()
        return *cancels, *READ, ("esc", "back")

    @property
    def _can_cancel(self) -> bool:
        return self.acts is not None and self.child.entry.cancellable and subagent_works(self.child)

    def _act_for(self, key: str) -> Callable[[], object] | None:
        if key == CANCEL_KEY and self.acts is not None:
            return self._cancel
        return super()._act_for(key)

    def _cancel(self) -> None:
        if self.acts is not None:
            self.acts.cancel(self.child)

    def action_parent(self) -> None:
        """Go to the parent: to the screen below, where that is the one, else to another in the place of this."""
        above = self.read_session.root.family.get(self.child.parent.id)
        below = self.app.screen_stack[-2]
        shown = below.child if isinstance(below, SubagentScreen) else None
        if above is None or above is shown:
            self.action_back()
        elif self.is_current:
            # It is the app that opens it: a screen that is gone is not told when what it opened is left.
            self.app.call_later(self.open_child, above)
            self.dismiss(None)

    def _empty(self, _width: int, height: int, palette: Palette) -> Sequence[Row]:
        said = "Nothing yet" if self.acts is not None else "Nothing was said"
        return [Row([Segment(" " * LEFT), Segment(said, palette.muted)], 0)] if height else ()


def choose_of(app: App[Any], entry: Entry | None, session: Session, chosen: Callable[[Subagent], object]) -> bool:
    """Have one of the subagents chosen that an entry of this session stands for; whether there is any."""
    nodes = [SubagentNode(0, child) for child in children_of(entry, session)]
    if nodes:
        choose(app, nodes, chosen)
    return bool(nodes)


def choose(app: App[Any], nodes: Sequence[SubagentNode], chosen: Callable[[Subagent], object]) -> None:
    """Have one of these chosen from a list; a single one needs no list."""
    if not nodes:
        say(app, "No subagents", 3)
        return
    if len(nodes) == 1:
        chosen(nodes[0].child)
        return

    def take(child: Subagent | None) -> None:
        if child is not None:
            chosen(child)

    more = f" (the first {LISTED:,} of {len(nodes):,})" if len(nodes) > LISTED else ""
    app.push_screen(LivePicker(f"Subagents{more}", lambda: [_picker_row(node) for node in nodes[:LISTED]]), take)


def _picker_row(node: SubagentNode) -> PickerRow[Subagent]:
    child, standing = node.child, standing_of(node.child)
    parts = (standing.words, elapsed_of(child), last_of(child))
    name = f"{node.indent}{standing.sign} {title_of(child.entry, 60)}"
    return PickerRow(child, name, " · ".join(filter(None, parts)))
