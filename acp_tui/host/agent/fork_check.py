"""Whether the agent forked what was asked for: a branch that knows more than its user sees goes astray unnoticed."""

from collections.abc import Callable
from typing import Any

from acp_tui.host.agent.closings import Closings
from acp_tui.host.connection.agent_link import AgentLink, words_of
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.replay_filter import ForkReplay
from acp_tui.host.sessions.sessions import Sessions
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.dialect import Way
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.session.facts import Noticed, SessionIdentified
from acp_tui.session.text.words import counted
from acp_tui.wire.jsonrpc import Response


class ForkCheck:
    """Compares what an agent tells of a fork with what it is to know. Its checks raise `ProtocolFault`."""

    def __init__(self, link: AgentLink, sessions: Sessions, closings: Closings) -> None:
        self._link, self._sessions, self._closings = link, sessions, closings

    def filter_of(self, conversation: Conversation) -> ForkReplay | None:
        """What leaves out what the agent tells again of a fork; None where nothing of it is known here."""
        source = conversation.source
        root = self._sessions.find(source.session_id) if source.aside else None
        told = root.conversation.session if root is not None else conversation.session
        return ForkReplay(told.entries) if told.entries else None

    def check_id(self, conversation: Conversation, way: Way, result: Any) -> None:
        """A fork is no session that is open already, nor the forked one, which may be closed here by now.

        That one is left as it is.
        """
        session_id = result.get("sessionId") if isinstance(result, dict) else None
        if way != "fork" or not isinstance(session_id, str):
            return
        if not session_id:
            raise ProtocolFault("The agent did not fork", reason="The id of the fork is empty")
        if session_id == conversation.source.session_id or self._sessions.find(session_id) is not None:
            raise ProtocolFault("The agent did not fork", reason=f"It named a session that is open: {session_id!r:.80}")

    def is_to_be_told(self, conversation: Conversation) -> bool:
        """Whether only a load can show what the agent forked at a message, since it did not tell that of itself.

        No capability says that an agent takes the message into account. The load costs one more telling of the history.
        """
        branch, replay = conversation.source.branch, conversation.replay
        at_message = branch is not None and branch.plan.way == "at_message"
        return at_message and self._link.can.load_session and replay is not None and not replay.prompts

    def have_told(self, conversation: Conversation, scope: SessionScope, then: Callable[[], None]) -> None:
        """Have the fork told; `then` is called once that is done, not where the user has left meanwhile."""

        def answered(answer: Response) -> None:
            conversation.asking = None
            if conversation.left:
                return
            if answer.error is not None:
                why = "Could not check what the agent remembers"
                conversation.session.apply(Noticed("info", why, words_of(answer.error)))
            then()

        call = self._link.dialect.open_session("load", scope, conversation.session.id)
        conversation.asking = self._link.connection.call(call, answered)

    def check(self, conversation: Conversation) -> None:
        """A branch is to remember no more prompts than it begins with; one that does is forgotten again."""
        branch, replay, session = conversation.source.branch, conversation.replay, conversation.session
        if branch is None or branch.unseen or not isinstance(replay, ForkReplay):
            return
        if not replay.exceeds(branch.fact.prompt):
            return
        session_id, told = (
            session.id,
            f"It told {counted(replay.prompts, 'prompt')} again instead of {branch.fact.prompt}.",
        )
        conversation.replay = None
        self._sessions.leave(session_id)
        self._closings.close(session_id, forget=True)
        self._link.dialect.forget(session_id)
        session.apply(SessionIdentified(""))
        raise ProtocolFault("The agent forked the whole conversation", reason=told)
