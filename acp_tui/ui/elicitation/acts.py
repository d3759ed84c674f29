"""What becomes of an answer in the panel: it goes to the agent, an address to the browser; must not know forms."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from acp_tui.host.opener import open_address

if TYPE_CHECKING:
    from acp_tui.session.pending import InputOptions, PendingElicitation
    from acp_tui.ui.elicitation.panel import ElicitationPanel
    from acp_tui.ui.screen import ConversationScreen


class ElicitationActs:
    """The questions of one screen. `open_address` shows an address in a browser, and says whether it could."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self.open_address: Callable[[str], Awaitable[bool]] = open_address

    def show(self, asked: PendingElicitation | InputOptions, *, take_focus: bool) -> None:
        """Ask it in the panel, which keeps what was entered if it asks that already."""
        from acp_tui.session.pending import PendingElicitation  # noqa: PLC0415 (the first frame does not need it)
        from acp_tui.ui.elicitation.question import question_before_session, question_of  # noqa: PLC0415 (as above)

        panel = self._screen.elicitation
        if panel.source is not asked:
            question = question_of(asked) if isinstance(asked, PendingElicitation) else question_before_session(asked)
            panel.show(question, self._agent_name(), take_focus=take_focus)
        elif take_focus:
            panel.take_focus()

    def answered(self, message: ElicitationPanel.Answered) -> None:
        """Send the answer."""
        client, session, question = self._screen.client, self._screen.session, message.question
        if question.before_session:
            client.choose_input_options(session, message.content if message.act == "start" else {})
        elif message.act == "open" and question.address is not None:
            client.answer_elicitation(session, question.key, "accept")
            self._screen.run_worker(self._visit(question.address.url), exit_on_error=False)
        elif message.act == "accept":
            client.answer_elicitation(session, question.key, "accept", message.content)
        else:
            client.answer_elicitation(session, question.key, message.act)

    async def _visit(self, url: str) -> None:
        if not await self.open_address(url):
            self._screen.app.notify(
                "No browser could be started. The address stands in the transcript.", severity="warning", markup=False
            )

    def _agent_name(self) -> str:
        agent = self._screen.client.connection.agent
        return self._screen.session.agent_name or ((agent.title or agent.name) if agent else "")
