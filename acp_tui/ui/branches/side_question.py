"""A side question: a fork answers it in a panel over the transcript, and the conversation stays as it was."""

from collections.abc import Sequence
from functools import partial

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.changes import Change
from acp_tui.session.entries import MessageEntry
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from acp_tui.startup import late
from acp_tui.ui.bridge import Bridge
from acp_tui.ui.kit.list_panel import Panel, PanelKey
from acp_tui.ui.kit.picker import AskLine
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import CLOSE, MUTED, SCROLL, palette_of
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.terminal.clipboard import write_clipboard
from acp_tui.ui.transcript.transcript_view import TranscriptView

TITLE = "Side question"
NO_FORK = "This agent cannot fork sessions: no side questions"
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
        return super().heading() + Content.styled("  the conversation stays as it was", MUTED)

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
