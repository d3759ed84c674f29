"""What the user does with subagents: open the transcript of one, cancel one, go to what it asks."""

from collections.abc import Callable

from acp_tui.session.entries import Entry
from acp_tui.session.state import Subagent
from acp_tui.session.tools.running_work import WorkItem, can_be_cancelled, children_of, subagent_works
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.subagents.screen import SubagentActs, SubagentScreen, choose, choose_of
from acp_tui.views.plans import title_of, tree_of
from acp_tui.views.session_labels import waiting


class SubagentActions:
    """The subagents of the session that is shown. `ask` shows what waits for the user; `answer` gives it the focus."""

    def __init__(self, view: SessionView, ask: Callable[[], object], answer: Callable[[], object]) -> None:
        self._view, self._ask = view, ask
        self._acts = SubagentActs(self.cancel, answer, self._back)

    def choose(self) -> None:
        """Open the only one, or the one that is chosen from a list."""
        choose(self._view.app, list(tree_of(self._view.session)), self.open)

    def open_entry(self, entry: Entry | None) -> bool:
        """Open the subagent of a row, or of a tool call that began it; whether there is one."""
        return choose_of(self._view.app, entry, self._view.session, self.open)

    def open_id(self, session_id: str) -> None:
        child = self._view.session.family.get(session_id)
        if child is not None:
            self.open(child)

    def open(self, child: Subagent) -> None:
        self._view.open(SubagentScreen(child, self._acts), lambda _: self._back())

    def cancel_entry(self, entry: Entry | None) -> None:
        """Cancel the subagent of a row."""
        children = children_of(entry, self._view.session)
        if not children:
            self._view.say("No subagent here")
        for child in children[:1]:
            self.cancel(child)

    def cancel(self, child: Subagent) -> None:
        """Cancel one where its agent allows it; its parent goes on."""
        name = f"“{title_of(child.entry, 60)}”"
        if not subagent_works(child):
            self._view.say(f"Subagent {name} is not working")
            return
        work = WorkItem("subagent", child.entry.id, child.entry.title or "Subagent", child.entry.cancellable, False)
        if can_be_cancelled(self._view.session, work):
            self._view.client.of(self._view.session).cancel_work(work)
            self._view.say(f"Cancelling subagent {name}")
        else:
            self._view.say("The agent does not let you cancel this subagent", 5, "warning")

    def _back(self) -> None:
        if waiting(self._view.session):
            self._ask()
