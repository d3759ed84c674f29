"""What the user can do about the agent as a program: restart it, and end work beside the turn."""

import time

from acp_tui.session.tools.background import Work, can_be_cancelled, separate_work
from acp_tui.ui.kit.key_guards import DoublePress
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.render.text import sanitise_line


class AgentActions:
    """The agent of one session, as a program."""

    def __init__(self, view: SessionView) -> None:
        self._view = view
        self._restarts = DoublePress()

    def restart(self) -> None:
        """Start the agent again; ask first if that ends work."""
        client = self._view.client
        if client.connection.phase in ("closing", "closed"):
            self._view.say("The agent is gone for good")
            return
        working = [session for session in client.sessions if session.turn.active]
        unheard = all(session.turn.cancel_requested_at is not None for session in working)
        if working and not unheard and not self._restarts.again(time.monotonic()):
            self._view.say("The agent is at work. Press the key again to restart it.")
            return
        client.restart()

    def pick_work(self) -> None:
        """Show the work beside the turn; what is picked is cancelled, if the agent says that it can be."""
        works = separate_work(self._view.session)
        if not works:
            self._view.say("Nothing runs beside the turn")
            return
        rows = [PickerRow(work, sanitise_line(work.title, 120), _about(work)) for work in works]
        self._view.open(Picker("Work beside the turn: Enter cancels", rows), self._work_picked)

    def _work_picked(self, work: Work | None) -> None:
        if work is None:
            return
        if can_be_cancelled(self._view.session, work):
            self._view.client.of(self._view.session).cancel_work(work)
            return
        text = "The agent offers no way to cancel this by itself; closing the session ends it"
        if work.cancellable:
            text = "It has ended, or can no longer be cancelled by itself"
        self._view.say(text, 5, "warning")


def _about(work: Work) -> str:
    kinds = {"tool_call": "tool call", "terminal": "command"}
    where = "in the background" if work.background else "in this turn"
    kind = kinds.get(work.type, sanitise_line(work.type, 40))
    return f"{kind} · {where}" + ("" if work.cancellable else " · cannot be cancelled by itself")
