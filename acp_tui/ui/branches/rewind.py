"""Rewinding to a message: files and conversation, or one of them; and side questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from typing import Literal

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.revert.steps import Preview
from acp_tui.host.sessions.continuation import FILES_STAY
from acp_tui.host.snapshots.path_state import work_of
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.changes import Change
from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.session.folds.messages import attachments_of, text_of
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted, without_note
from acp_tui.startup import late
from acp_tui.ui.bridge import Bridge
from acp_tui.ui.kit.list_panel import Panel, PanelKey
from acp_tui.ui.kit.picker import AskLine
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import CLOSE, MUTED, SCROLL, palette_of
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.terminal.terminal_capabilities import write_clipboard
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.formatting import age
from acp_tui.views.undo import files_words, lowered, since_words, turn_name

READ = 300  # characters of each message that are searched
MEDIA = "(image or audio)"


def messages_of(session: Session) -> list[MessageEntry]:
    """The messages of the user that can be edited, oldest first."""
    own = (entry for entry in session.entries if isinstance(entry, MessageEntry) and entry.role == "user")
    return [entry for entry in own if _is_written(entry)]


def is_own(entry: Entry | None) -> bool:
    """Whether an entry is one of `messages_of` its session."""
    return isinstance(entry, MessageEntry) and entry.role == "user" and _is_written(entry)


def _is_written(entry: MessageEntry) -> bool:
    there = any(isinstance(part, TextPart) and part.length for part in entry.parts)
    return there or bool(text_of(entry.parts).strip() or attachments_of(entry.parts))


def in_one_line(entry: MessageEntry, width: int) -> str:
    """How a message begins, in so many cells."""
    return sanitise_line(without_note(text_of(entry.parts)), width) or cut(MEDIA, width)


Way = Literal["both", "talk", "files"]
NAMES: dict[Way, str] = {"both": "Files and conversation", "talk": "Conversation only", "files": "Files only"}
WAYS: Sequence[Way] = tuple(NAMES)
SHORTER: Mapping[Way, str] = {**NAMES, "talk": "Conversation", "files": "Files"}
NAMINGS: Sequence[Mapping[Way, str]] = (NAMES, SHORTER, {**SHORTER, "both": "Both"})  # for less and less room
UNCHANGED = "No files changed since this message"
NO_SNAPSHOT = "no snapshot from that time"
AFTER_TURN = "when the turn ends"
CONVERSATION_STAYS = ("Keeps the conversation", "Your next prompt tells the agent")


@dataclass(frozen=True, slots=True, eq=False)
class EarlierMessage:
    """A message of the user's; `prompts` of them are before it."""

    entry: MessageEntry
    prompts: int

    @property
    def searched(self) -> str:
        return without_note(text_of(self.entry.parts))[:READ]


class FilesSince(Frozen):
    """What became of the files since a message: the `preview` of their undo, or else `said`, what is true of them.

    `point` is when the message went out; None if that is not known.
    """

    said: str = ""
    point: Point | None = None
    preview: Preview | None = None


def earlier_messages(session: Session) -> list[EarlierMessage]:
    """The messages of `messages_of`, oldest first."""
    found, prompts = list[EarlierMessage](), 0
    for entry in session.entries:
        if isinstance(entry, MessageEntry) and entry.role == "user":
            if _is_written(entry):
                found.append(EarlierMessage(entry, prompts))
            prompts += 1
    return found


class RewindSource:
    """The messages of a session, with what going back to each of them does."""

    def __init__(self, view: SessionView, changes: SessionChanges) -> None:
        self._view, self._changes = view, changes
        self.messages = earlier_messages(view.session)

    def of(self, entry: MessageEntry) -> EarlierMessage:
        return next(each for each in self.messages if each.entry is entry)

    def unchanged(self, message: EarlierMessage) -> FilesSince | None:
        """What is known without a look at the files: that none of them can be undone."""
        changes = self._changes
        point = changes.before(message.prompts, words_of(message.entry))
        said = files_said(changes.off, point, kept=bool(changes.points))
        return FilesSince(said, point) if said or point is None else None

    async def files_since(self, message: EarlierMessage) -> FilesSince:
        """The same, and else what an undo would do to the files that have changed since."""
        changes, point = self._changes, self._changes.before(message.prompts, words_of(message.entry))
        known = self.unchanged(message)
        if known is not None or point is None:
            return known or FilesSince(FILES_STAY)
        try:
            found = await changes.between(point, await changes.look(point))
            if not work_of(found.files):
                return FilesSince(UNCHANGED, point)
            preview = await changes.preview(since_words(words_of(message.entry)), found, found.files)
        except Fault as fault:
            return FilesSince(f"{FILES_STAY}: {fault.title}", point)
        return FilesSince("", point, preview) if preview.steps else FilesSince(UNCHANGED, point)

    def detail(self, message: EarlierMessage) -> str:
        """`2 files · 5 min`: what changed since then, which rewinding undoes, and how long ago it was."""
        point = self._changes.before(message.prompts, words_of(message.entry))
        files = self._files_from(point.turn) if point is not None else 0
        sent = datetime.fromtimestamp(point.time, UTC) if point is not None else self._sent(message.entry)
        ago = age(sent, datetime.now(UTC)) if sent is not None else ""
        return " · ".join(filter(None, [counted(files, "file") if files else "", ago]))

    def _files_from(self, turn: int) -> int:
        return max((count for at, count in self._counts.items() if at >= turn), default=0)

    @cached_property
    def _counts(self) -> dict[int, int]:
        return self._changes.files_from()

    def _sent(self, entry: MessageEntry) -> datetime | None:
        """When the user sent it, unless that was before this run: the times of a record end at 0."""
        seconds = self._view.session.clock() - entry.started_at
        is_known = entry.from_here and entry.started_at > 0
        return datetime.now(UTC) - timedelta(seconds=seconds) if is_known else None

    def about(self, message: EarlierMessage, back: FilesSince, way: Way, chosen: Sequence[bool] = ()) -> list[str]:
        """What rewinding that far does: to the files, whose steps are `chosen` or not, and to the conversation."""
        if back.preview is None:
            files = back.said
        elif way == "talk":
            files = FILES_STAY
        else:
            files = f"Undoes changes to {files_words([step.change for step in back.preview.steps], chosen)}"
            files += f" {AFTER_TURN}" if self._view.session.turn.active else ""
        if way == "files":
            return [files, *(CONVERSATION_STAYS if back.preview is not None else ())]
        said = self._view.client.branches.plan(self._view.session, message.entry).said
        return [files, *(each for each in said if each != FILES_STAY)]


def words_of(message: MessageEntry) -> str:
    return " ".join(without_note(text_of(message.parts)).split())


def name_of_message(message: MessageEntry) -> str:
    """`"fix the parser"`, or what it is where it has no words."""
    return turn_name(words_of(message), 0) if words_of(message) else MEDIA


def files_said(off: str, point: Point | None, *, kept: bool) -> str:
    """What is true of the files where they cannot be undone; empty where they can. `kept`: there are points."""
    if off:
        return f"{FILES_STAY}: {lowered(off)}"
    if point is None:
        return f"{FILES_STAY}: {NO_SNAPSHOT}" if kept else FILES_STAY
    return ""


TITLE = "Side question"
NO_FORK = "This agent cannot fork sessions, so side questions don't work"
NOT_OPEN = "This session is not open yet"


class AsideScreen(Panel[None]):
    """The answer as it comes. Leaving ends the fork."""

    BINDINGS = [
        Binding("q", "dismiss", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
    ]
    CSS = """
    AsideScreen .aside-panel { width: 100; height: 70%; max-height: 100%; background: $background; }
    AsideScreen.-short .aside-panel { height: 100%; }
    AsideScreen #aside-transcript { height: 1fr; }
    AsideScreen #aside-state { height: 1; margin: 0 0 0 1; }
    """
    KEYS = (SCROLL, PanelKey("y,c", "copy", "copy"), CLOSE)
    PANEL = "aside-panel"

    def __init__(self, view: SessionView, aside: Session) -> None:
        super().__init__(TITLE)
        self._from, self.aside = view, aside
        drawings = late("acp_tui.ui.entries.drawings")
        self.transcript = TranscriptView(partial(drawings.draw, session=aside), drawings.written, id="aside-transcript")
        self._state = Static(id="aside-state")
        self._bridge = Bridge(aside, self.transcript)

    def content(self) -> Sequence[Widget]:
        return [self.transcript, self._state]

    def heading(self) -> Content:
        return super().heading() + Content.styled("  not part of the conversation", MUTED)

    def start(self) -> None:
        self.say()
        self.watch(self.app, "theme", lambda: self.transcript.set_palette(palette_of(self.app)))
        self.transcript.focus()
        self._bridge.start(self._follow)
        self._look()

    def on_unmount(self) -> None:
        self._bridge.stop()

    def action_scroll(self, step: int) -> None:
        self.transcript.scroll_relative(y=step, animate=False)

    def action_page(self, step: int) -> None:
        (self.transcript.page_down if step > 0 else self.transcript.page_up)()

    def action_copy(self) -> None:
        answer = answer_of(self.aside)
        if answer:
            write_clipboard(self.app, answer)
        self._from.say("Copied the answer" if answer else "No answer yet")

    @on(TranscriptView.LinkClicked)
    def _link_clicked(self, message: TranscriptView.LinkClicked) -> None:
        write_clipboard(self.app, message.address)
        self._from.say("Copied the URL")

    def _follow(self, _changes: list[Change]) -> None:
        self._look()

    def _look(self) -> None:
        self._state.update(Content.styled(state_of(self.aside), MUTED))


def state_of(aside: Session) -> str:
    """What goes on in it, in a few words; nothing once it was answered."""
    if aside.closed:
        return "Not answered"
    if aside.queue:
        return "Forking the session…"
    return "Answering…" if aside.turn.active else ""


def answer_of(aside: Session) -> str:
    said = (entry for entry in aside.entries if isinstance(entry, MessageEntry) and entry.role == "agent")
    return "\n\n".join(text_of(entry.parts) for entry in said)


class AsideActions:
    """Asks aside from one session. A question that cannot be asked is in the prompt again."""

    def __init__(self, view: SessionView, editor: PromptEditor, command: str) -> None:
        """`command` is the slash command by which it is asked."""
        self._view, self._editor, self._command = view, editor, command

    def ask(self, question: str) -> None:
        if question.strip():
            self._ask(question.strip())
        else:
            self._view.open(AskLine(TITLE, "", self._given, "ask"))

    async def _given(self, question: str) -> None:
        self._editor.call_later(self._ask, question)  # once the line has gone

    def _ask(self, question: str) -> None:
        client, session = self._view.client, self._view.session
        aside = client.branches.aside(session)
        if aside is None:
            can = client.connection.capabilities.fork_session
            self._give_back(question)
            self._view.say(NOT_OPEN if can else NO_FORK, 5, "warning")
            return
        client.of(aside).submit([TextContent(text=question)])

        def left(_result: None) -> None:
            client.branches.end_aside(aside)
            if not answer_of(aside) and aside.closed:
                self._give_back(question)

        self._view.open(AsideScreen(self._view, aside), left)

    def _give_back(self, question: str) -> None:
        self._editor.give_back(f"/{self._command} {question}")
