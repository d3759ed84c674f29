"""Going back to a message where files have changed since: both, only the talk, or only the files."""

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Literal

from textual import on
from textual.binding import Binding
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.host.changes.snapshot_history import Changes, Point
from acp_tui.host.sessions.continuation import FILES_STAY
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.changes import Change
from acp_tui.session.entries import Entry, MessageEntry, TextPart
from acp_tui.session.folds.messages import attachments_of, text_of
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import without_note
from acp_tui.startup import late
from acp_tui.ui.bridge import Bridge
from acp_tui.ui.kit.list_panel import ListPanel, Panel, PanelKey
from acp_tui.ui.kit.picker import AskingList, AskLine
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.session_view import SessionView, say
from acp_tui.ui.kit.theme import ACCENT, CLOSE, MOVE, MUTED, SCROLL, palette_of
from acp_tui.ui.prompt.banners import packed
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.terminal.terminal_capabilities import write_clipboard
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.row_search import SearchIndex, SearchTexts
from acp_tui.views.undo import files_words

READ = 300  # characters of each message that are searched
MEDIA = "(image or audio)"
Row = ListRow[MessageEntry]


def messages_of(session: Session) -> list[MessageEntry]:
    """What the user said in a session and can edit, oldest first."""
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


class EarlierMessages(ListPanel[MessageEntry, MessageEntry | None]):
    """Enter chooses the message to go on from.

    No row is read before it is seen: 10,000 messages are listed in 0.1 s, and would take 0.8 s to be made safe to show.
    """

    TITLE, FILTER = "Edit an earlier message", "Type to filter"
    KEYS = (MOVE, ("enter", "edit"), CLOSE)

    def __init__(self, said: Sequence[MessageEntry]) -> None:
        """`said` is oldest first."""
        super().__init__()
        digits = len(str(len(said)))
        self._all = [ListRow(partial(_words, f"{at:>{digits}}", entry), entry) for at, entry in enumerate(said, 1)]
        self._all.reverse()
        self.steady = len(said)

    def listed(self) -> Sequence[Row]:
        return self._index.find(self.query_typed) if self.query_typed else self._all

    @cached_property
    def _index(self) -> SearchIndex[Row]:
        return SearchIndex(self._all, _texts)


def _texts(row: Row) -> SearchTexts:
    return SearchTexts((without_note(text_of(row.value.parts))[:READ],)) if row.value is not None else SearchTexts(())


def _words(number: str, entry: MessageEntry, width: int) -> Content:
    return Content.assemble((f"{number}  ", MUTED), in_one_line(entry, max(1, width - len(number) - 2)))


Way = Literal["both", "talk", "files"]
NAMES: dict[Way, str] = {"both": "Files and talk", "talk": "Talk", "files": "Files"}
UNCHANGED = "No files changed since then"
NO_SNAPSHOT = "no snapshot of that moment"
AT_THE_END = "after this turn"
SIDES = 7  # cells of the panel beside its words


class Since(Frozen):
    """What became of the files since a message: `changes`, or none, and what the line above the prompt says of it.

    `point` is when the message went out; None where that is not kept.
    """

    said: str
    point: Point | None = None
    changes: Changes | None = None


class RewindChoice(Frozen):
    """A way back: what it does, in ideas of one line; `refusal` says why it cannot be gone."""

    way: Way
    does: Sequence[str]
    refusal: str = ""


def prompts_before(session: Session, message: MessageEntry) -> int:
    """How many messages of the user stand before this one."""
    count = 0
    for entry in session.entries:
        if entry is message:
            break
        count += isinstance(entry, MessageEntry) and entry.role == "user"
    return count


def words_of(message: MessageEntry) -> str:
    return " ".join(text_of(message.parts).split())


def files_said(off: str, point: Point | None, *, kept: bool) -> str:
    """What is true of the files where they cannot be undone; empty where they can. `kept`: there are points."""
    if off:
        return f"{FILES_STAY}: {off[:1].lower()}{off[1:]}"
    if point is None:
        return f"{FILES_STAY}: {NO_SNAPSHOT}" if kept else FILES_STAY
    return ""


def choices(changes: Changes, plan_said: Sequence[str], *, working: bool) -> list[RewindChoice]:
    """The three ways, where these files have changed since; `plan_said` is what a branch says of itself."""
    talk = [said for said in plan_said if said != FILES_STAY]
    back = f"Undoes {files_words(changes.files)}"
    files = [back, *([AT_THE_END] if working else [])]
    return [
        RewindChoice("both", [*files, *talk]),
        RewindChoice("talk", [FILES_STAY, *talk]),
        RewindChoice("files", [*files, "The talk stays, and the agent is told"]),
    ]


class RewindPanel(AskingList[RewindChoice, Way | None]):
    """1 to 3 or Enter choose."""

    ANSWERS = "123"
    KEYS = (
        MOVE,
        ("enter, 1–3", "select"),
        ("esc", "cancel"),
        PanelKey("enter", "", "choose"),
        *(PanelKey(key, "", f"answer({key})") for key in "123"),
    )

    def __init__(self, title: str, ways: Sequence[RewindChoice]) -> None:
        super().__init__(cut(sanitise_line(title), 70))
        self._ways = ways

    def listed(self) -> list[ListRow[RewindChoice]]:
        width = max(20, self.list.size.width - 2)
        return [_row(number, each, width) for number, each in enumerate(self._ways, 1)]

    def start(self) -> None:
        """The rows come once their width is known."""

    def fit(self) -> None:
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        self.await_paint()
        first = next((each for each in self._ways if not each.refusal), None)
        self.fill((lambda way: way is first) if self.list.highlighted is None else None)

    def action_answer(self, number: int) -> None:
        if number <= len(self._ways):
            self.choose(self._ways[number - 1])

    def choose(self, value: RewindChoice) -> None:
        if value.refusal:
            say(self.app, value.refusal, 4)
        else:
            self.dismiss(value.way)


def _row(number: int, choice: RewindChoice, width: int) -> ListRow[RewindChoice]:
    ink = MUTED if choice.refusal else ""
    told = packed([f"✗ {choice.refusal}"] if choice.refusal else choice.does, width - 4)
    tone = "$warning" if choice.refusal else MUTED
    below = [line for row in told for line in Content.styled(sanitise_line(row, 400), tone).wrap(width - 4)]

    def draw(_width: int) -> Content:
        head = Content.assemble((f"{number}  ", ACCENT), (NAMES[choice.way], ink))
        return Content("\n").join([head, *(Content.assemble("   ", line) for line in below)])

    return ListRow(draw, choice, 1 + len(below))


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
