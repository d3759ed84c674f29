"""What the user can do about the agent as a program: restart it, end work beside the turn, keep options for later."""

import time

from acp_tui.host.choices import Choice
from acp_tui.session.background import Work, can_be_cancelled, separate_work
from acp_tui.ui.config.picker import Picker, PickerRow
from acp_tui.ui.offer import OfferLine
from acp_tui.ui.presses import DoublePress
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.session_view import SessionView

NAMED = 3


class AgentActions:
    """The agent of one session, as a program."""

    def __init__(self, view: SessionView) -> None:
        self._view = view
        self._restarts = DoublePress()

    @property
    def gone(self) -> bool:
        """Whether the agent has ended and can be started again."""
        return self._view.client.connection.phase == "gone"

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
            self._view.client.cancel_work(self._view.session, work)
            return
        text = "The agent offers no way to cancel this by itself; closing the session ends it"
        if work.cancellable:
            text = "It has ended, or can no longer be cancelled by itself"
        self._view.say(text, 5, "warning")


class KeptOptions:
    """Whether the options that the user chose are kept for the next sessions with this agent: asked once, in a line."""

    def __init__(self, view: SessionView, line: OfferLine) -> None:
        self._view, self._line = view, line
        self._offered: tuple[Choice, ...] = ()

    def look(self) -> None:
        """Something was chosen: offer to keep what was not offered before."""
        self._offered = self._view.client.choices_offered(self._view.session)
        self._line.show(self._question() if self._offered else "")

    def pass_by(self) -> None:
        """The user goes on without an answer: enough asked about these, in the next sessions too."""
        if self._offered:
            self.decline()

    def keep(self) -> None:
        client, session = self._view.client, self._view.session
        chosen = client.choices_unkept(session)
        if not chosen:
            self._view.say("There is nothing new to keep", 4)
            return
        client.keep_choices(session)
        self.look()
        self._view.say(f"Kept: {_named(chosen)}", 4)

    def decline(self) -> None:
        """Leave it to the agent from the next session on."""
        if self._view.client.choices_offered(self._view.session):
            self._view.client.decline_choices(self._view.session)
            self.look()

    def forget(self) -> None:
        """Keep nothing any more."""
        self._view.client.forget_choices()
        self.look()
        self._view.say("No options are kept for this agent any more", 4)

    def _question(self) -> str:
        agent = sanitise_line(self._view.session.agent_name, 40) or "this agent"
        return f"Keep {_named(self._offered)} for {agent}?"


def _about(work: Work) -> str:
    kinds = {"tool_call": "tool call", "terminal": "command"}
    where = "in the background" if work.background else "in this turn"
    kind = kinds.get(work.type, sanitise_line(work.type, 40))
    return f"{kind} · {where}" + ("" if work.cancellable else " · cannot be cancelled by itself")


def _named(choices: tuple[Choice, ...]) -> str:
    names = ", ".join(sanitise_line(str(choice), 60) for choice in choices[:NAMED])
    return f"{names} and {len(choices) - NAMED} more" if len(choices) > NAMED else names
