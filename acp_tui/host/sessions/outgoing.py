"""A prompt on its way out, and who looks at the files around its turn."""

from collections.abc import Callable, Sequence

from acp_tui.host.sessions.turn_watch import TurnWatch
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.state import Session


class Outgoing:
    """`watch` looks at the files around each turn, beside it: no prompt waits.

    While it `holds_queue` no queued prompt goes out: the user does something between the turns.
    """

    def __init__(self, watch: TurnWatch) -> None:
        self.watch = watch
        self.holds_queue = False
        self._look_for_edits: Callable[[], object] | None = None

    def send(self, blocks: Sequence[ContentBlock], send: Callable[[], object]) -> None:
        self.watch.prompted(blocks)
        self.watch.went_out()
        send()

    def open(self, look_for_edits: Callable[[], object]) -> None:
        """The session has its id with this process of the agent; from now on edits are looked for after each turn."""
        self._look_for_edits = look_for_edits

    def turn_ended(self) -> None:
        self.watch.ended()
        if self._look_for_edits is not None:
            self._look_for_edits()

    def look_at_call(self, session: Session, tool_call_id: str) -> None:
        if (call := session.index.tool_calls.get(tool_call_id)) is not None:
            self.watch.called(session.cwd, call)
