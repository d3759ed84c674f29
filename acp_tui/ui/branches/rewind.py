"""Going back to a message where files have changed since: both, only the talk, or only the files."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.host.changes.points import Changes, Point
from acp_tui.host.sessions.branching import FILES_STAY
from acp_tui.session.entries import MessageEntry
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from acp_tui.ui.answers.asking_screens import AskingOverlay
from acp_tui.ui.branches.line import packed
from acp_tui.ui.kit.announcements import say
from acp_tui.ui.kit.hints import MOVE, HintLine
from acp_tui.ui.kit.row_list import ListRow, RowList
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.undo import files_words

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


class Choice(Frozen):
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


def choices(changes: Changes, plan_said: Sequence[str], *, working: bool) -> list[Choice]:
    """The three ways, where these files have changed since; `plan_said` is what a branch says of itself."""
    talk = [said for said in plan_said if said != FILES_STAY]
    back = f"Undoes {files_words(changes.files)}"
    files = [back, *([AT_THE_END] if working else [])]
    return [
        Choice("both", [*files, *talk]),
        Choice("talk", [FILES_STAY, *talk]),
        Choice("files", [*files, "The talk stays, and the agent is told"]),
    ]


class RewindPanel(AskingOverlay[Way | None]):
    """1 to 3 or Enter choose."""

    ANSWERS = "123"
    HINTS = (MOVE, ("enter, 1–3", "select"), ("esc", "cancel"))

    def __init__(self, title: str, ways: Sequence[Choice]) -> None:
        super().__init__(classes="picker")
        self._words, self._ways = title, ways
        self.list = RowList[Choice]()
        self._hints = HintLine(classes="picker-hints")  # they come with the rows

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel"):
            yield Static(Content.styled(cut(sanitise_line(self._words), 70), "bold"), classes="picker-title")
            yield self.list
            yield self._hints

    def on_mount(self) -> None:
        self.list.fill([])

    def on_resize(self) -> None:
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        self.await_paint()
        self._hints.show(self.HINTS)
        width = max(20, self.list.size.width - 2)
        rows = [_row(number, each, width) for number, each in enumerate(self._ways, 1)]
        first = next((at for at, each in enumerate(self._ways) if not each.refusal), 0)
        self.list.fill(rows, first if self.list.highlighted is None else self.list.highlighted)
        self.list.styles.height = sum(row.lines for row in rows)

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in ("escape", "ctrl+c", "ctrl+q"):
            self.dismiss(None)
        elif self.counts(event):
            act = self._acts().get(event.key)
            if act is not None:
                act()

    def _acts(self) -> dict[str, Callable[[], object]]:
        return {
            "enter": lambda: self._choose(self.list.value),
            **{str(number): partial(self._choose, each) for number, each in enumerate(self._ways, 1)},
        }

    def highlight(self, row: int | None) -> int | None:
        before = self.list.highlighted
        self.list.highlight(row)
        return before

    def move(self, step: int) -> bool | None:
        before = self.list.highlighted
        self.list.move(step)
        return None if self.list.highlighted == before else False

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if self.click_counts():
            self._choose(event.value)

    def _choose(self, choice: Choice | None) -> None:
        if choice is not None and choice.refusal:
            say(self.app, choice.refusal, 4)
        elif choice is not None:
            self.dismiss(choice.way)


def _row(number: int, choice: Choice, width: int) -> ListRow[Choice]:
    """The number and the name, and below what it does, one idea after the other."""
    ink = MUTED if choice.refusal else ""
    told = packed([f"✗ {choice.refusal}"] if choice.refusal else choice.does, width - 4)
    tone = "$warning" if choice.refusal else MUTED
    below = [line for row in told for line in Content.styled(sanitise_line(row, 400), tone).wrap(width - 4)]

    def draw(_width: int) -> Content:
        head = Content.assemble((f"{number}  ", ACCENT), (NAMES[choice.way], ink))
        return Content("\n").join([head, *(Content.assemble("   ", line) for line in below)])

    return ListRow(draw, choice, 1 + len(below))
