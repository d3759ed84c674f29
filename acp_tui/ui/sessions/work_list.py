"""The list of background work: opening what stands for it in the transcript, and cancelling it."""

from collections.abc import Callable
from typing import ClassVar

from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.state import Session, Subagent, Terminal
from acp_tui.session.text.phrases import duration
from acp_tui.session.tools.running_work import WorkItem, asks, can_be_cancelled, separate_work, spent
from acp_tui.ui.kit.list_panel import PanelKey, PanelKeys
from acp_tui.ui.kit.session_view import SessionView, Severity
from acp_tui.ui.kit.theme import CLOSE, MOVE
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.sessions.live_picker import LivePicker
from acp_tui.ui.sessions.session_actions import confirm
from acp_tui.ui.transcript.transcript_view import TranscriptView, show_entry
from acp_tui.views.formatting import SEPARATOR, brief
from acp_tui.views.plans import last_of
from acp_tui.views.row_search import PickerRow


class WorkPicker(LivePicker[WorkItem]):
    """Work in the background of the turn; `cancel` is called with what is to end."""

    FILTER: ClassVar[str] = ""
    KEYS: ClassVar[PanelKeys] = (
        MOVE,
        PanelKey("enter", "open", "choose"),
        PanelKey("X,delete", "cancel it", lambda panel: panel.cancel_highlighted()),
        CLOSE,
    )

    def __init__(self, rows: Callable[[], list[PickerRow[WorkItem]]], cancel: Callable[[WorkItem], object]) -> None:
        super().__init__("Background work", rows)
        self._cancel = cancel

    def cancel_highlighted(self) -> None:
        if self.list.value is not None:
            self.dismiss(None)
            self._cancel(self.list.value.value)


class WorkActions:
    """Opens and cancels work of the session that is shown; `open_subagent` opens one by its id."""

    def __init__(self, view: SessionView, transcript: TranscriptView, open_subagent: Callable[[str], object]) -> None:
        self._view, self._transcript, self._open_subagent = view, transcript, open_subagent

    def _inform(self, text: str, tone: Severity = "information") -> None:
        self._view.say(text, 5, tone)

    def pick(self) -> None:
        session, listed = self._view.session, dict[tuple[str, str], WorkItem]()

        def rows() -> list[PickerRow[WorkItem]]:
            """What goes on, and what has ended since the list was opened."""
            now = {(work.type, work.id): work for work in separate_work(session)}
            listed.update(now)
            return [
                PickerRow(work, _named(work, session), _about(work, session))
                if key in now
                else PickerRow(work, f"◌ {sanitise_line(work.title, 120)}", "ended")
                for key, work in listed.items()
            ]

        if separate_work(session):
            self._view.open(WorkPicker(rows, self._ask), self._open)
        else:
            self._inform("No background work")

    def _open(self, work: WorkItem | None) -> None:
        if work is None:
            return
        session = self._view.session
        calls = session.index.terminal_references.get(work.id, {}) if work.type == "terminal" else {}
        entry = next(iter(calls.values()), None) or session.index.tool_calls.get(work.id)
        if work.type == "subagent":
            self._open_subagent(work.id)
        elif entry is not None:
            show_entry(self._transcript, entry)
        else:
            self._inform("This does not appear in the transcript")

    def _ask(self, work: WorkItem) -> None:
        if not can_be_cancelled(self._view.session, work):
            self._refuse(work)
            return
        answers = PickerRow(False, "Go back"), PickerRow(True, "Cancel it")
        title = f'Cancel "{cut(sanitise_line(work.title), 40)}"?'
        confirm(self._view, title, answers, lambda: self._cancel(work)).rule.by_key = True

    def _cancel(self, work: WorkItem) -> None:
        if can_be_cancelled(self._view.session, work):
            self._view.client.of(self._view.session).cancel_work(work)
        else:
            self._refuse(work)

    def _refuse(self, work: WorkItem) -> None:
        text = "The agent cannot cancel this. Close the session to end it."
        if work.cancellable:
            text = "It has ended or can no longer be cancelled"
        self._inform(text, "warning")


def _named(work: WorkItem, session: Session) -> str:
    """The sign of how it stands, and its title."""
    child = session.family.get(work.id) if work.type == "subagent" else None
    return f"{'△' if child is not None and asks(child) else '◐'} {sanitise_line(work.title, 120)}"


def _about(work: WorkItem, session: Session) -> str:
    """What it is at, or what it is, and for how long: `Index part 4 of 12 · 3 s`."""
    child, call, terminal = (
        found.get(work.id) if work.type == kind else None
        for kind, found in (
            ("subagent", session.family),
            ("tool_call", session.index.tool_calls),
            ("terminal", session.terminals),
        )
    )
    kinds = {"tool_call": "tool call", "terminal": "command", "subagent": "subagent"}
    doing = _doing(child) if isinstance(child, Subagent) else ""
    began = next((each.started_at for each in (call, terminal) if isinstance(each, ToolCallEntry | Terminal)), None)
    seconds = spent(child) if isinstance(child, Subagent) else None if began is None else session.clock() - began
    parts = [doing or kinds.get(work.type, sanitise_line(work.type, 40)), "" if seconds is None else duration(seconds)]
    return SEPARATOR.join(filter(None, [*parts, "" if work.cancellable else "cannot be cancelled"]))


def _doing(child: Subagent) -> str:
    return "waiting for you" if asks(child) else brief(last_of(child), 60)
