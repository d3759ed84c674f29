"""Another folder for the agent to work in: what it can be given, and when."""

from collections.abc import Callable

from acp_tui.host.project_files.folders import existing_folder
from acp_tui.host.system.blocking import in_thread
from acp_tui.ui.answers.asking_screens import Choice
from acp_tui.ui.kit.overlay import AskLine
from acp_tui.ui.kit.picker import PickerRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.actions import AgentActions, SessionActions
from acp_tui.views.formatting import home_path


class FolderActions:
    """The protocol gives an agent its folders when a session is opened: a new one, or one that is brought back."""

    def __init__(
        self, view: SessionView, sessions: SessionActions, agent: AgentActions, changed: Callable[[], None]
    ) -> None:
        """`changed` is called when the session has another folder."""
        self._view, self._sessions, self._agent, self._changed = view, sessions, agent, changed

    def add(self, named: str) -> None:
        """Add the folder of this name; without one ask for it."""
        if named:
            self._view.run(self._add(named))
        else:
            self._view.open(AskLine("Add folder", "", self._add))

    async def _add(self, named: str) -> None:
        view, session = self._view, self._view.session
        folder = await in_thread(existing_folder, named, session.cwd)
        shown = sanitise_line(home_path(folder), 80)
        if folder in view.client.roots(session):
            view.say(f"Added already: {shown}")
            return
        view.client.add_folder(session, folder)
        self._changed()
        can = view.client.connection.capabilities
        if view.client.connection.agent is None:
            view.say(f"Added {shown}", 5)
        elif not can.additional_directories:
            view.say(f"Added {shown} here. This agent does not support more folders.", 8)
        elif session.id and not session.entries:
            self._sessions.begin_here()
            view.say(f"Added {shown} in a new session", 5)
        elif can.load_session or can.resume_session:
            rows = [
                PickerRow(False, "Later", "only new sessions have it"),
                PickerRow(True, "Restart the agent", "and restore its sessions"),
            ]
            title = "Folder added. Restart the agent to use it here?"
            view.open(Choice(title, rows), lambda now: self._agent.restart() if now else None)
        else:
            view.say(f"Added {shown} for new sessions. Start one with /new.", 8)
