"""Prompts that join the turn that runs, where the agent takes them so."""

from collections.abc import Callable, Sequence
from functools import partial

from acp_tui.host.agent_link import AgentLink
from acp_tui.protocol.content import ContentBlock
from acp_tui.protocol.dialect import Call
from acp_tui.protocol.steering import read_outcome, steer_call
from acp_tui.protocol.updates import StateUpdate, Update
from acp_tui.session.facts import Noticed, PromptSteered, SteeringAnswered
from acp_tui.session.state import Session
from acp_tui.session.turn import QueuedPrompt
from acp_tui.wire.jsonrpc import Response


class Steering:
    """Steers one session. `fold` shows what joined the turn; `queue` takes back what did not."""

    def __init__(
        self,
        session: Session,
        fold: Callable[[Sequence[Update]], None],
        queue: Callable[[list[ContentBlock], int | None], None],
    ) -> None:
        self._session, self._fold, self._queue = session, fold, queue

    def takes(self, link: AgentLink, blocks: list[ContentBlock], place: int | None = None) -> bool:
        """Whether the prompt is on its way into the turn; until the agent has answered, the session tells so.

        What the agent does not take goes to its `place` in the queue.
        """
        session = self._session
        waiting = session.queue or session.permissions or session.elicitations
        if not link.can.steering or not session.turn.active or waiting:
            return False
        call = steer_call(session.id, blocks)
        session.apply(PromptSteered(blocks))
        link.connection.call(call, partial(self._answered, link, call, session.steering[-1], place))
        return True

    def _answered(
        self, link: AgentLink, call: Call, steered: QueuedPrompt, place: int | None, answer: Response
    ) -> None:
        self._session.apply(SteeringAnswered(steered.id))
        outcome = "left" if answer.error is not None else read_outcome(answer.result)
        if outcome == "left":
            self._queue(steered.blocks, place)
            return
        # The turn's own prompt tells its end; this one neither begins nor ends a turn.
        sent = link.dialect.prompt_sent(call, steered.blocks)
        self._fold([update for update in sent if not isinstance(update, StateUpdate)])
        said = "The agent takes this into the turn that runs" if outcome == "joined" else "The agent goes on with this"
        self._session.apply(Noticed("info", said))
