"""Work beside the turn: what the agent lists, and the picker that cancels one piece of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.session.background import Work, can_be_cancelled, separate_work
from acp_tui.ui.render.text import sanitise_line

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class WorkActs:
    """What can be done about work beside the turn of one screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen

    def pick(self) -> None:
        """Show all of it; what is picked is cancelled, if the agent says that it can be."""
        from acp_tui.ui.config.picker import Picker, PickerRow  # noqa: PLC0415 (the first frame does not need it)

        works = separate_work(self._screen.session)
        if not works:
            self._screen.app.notify("Nothing runs beside the turn", markup=False, timeout=3)
            return
        rows = [PickerRow(work, sanitise_line(work.title, 120), _about(work)) for work in works]
        self._screen.app.push_screen(Picker("Work beside the turn: Enter cancels", rows), self._picked)

    def _picked(self, work: Work | None) -> None:
        if work is None:
            return
        if can_be_cancelled(self._screen.session, work):
            self._screen.client.cancel_work(self._screen.session, work)
            return
        text = "The agent offers no way to cancel this by itself; closing the session ends it"
        if work.cancellable:
            text = "It has ended, or can no longer be cancelled by itself"
        self._screen.app.notify(text, severity="warning", markup=False)


def _about(work: Work) -> str:
    kinds = {"tool_call": "tool call", "terminal": "command"}
    where = "in the background" if work.background else "in this turn"
    kind = kinds.get(work.type, sanitise_line(work.type, 40))
    return f"{kind} · {where}" + ("" if work.cancellable else " · cannot be cancelled by itself")
