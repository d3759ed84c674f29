"""The prompt of a turn between its line in the transcript and its bytes, which may wait for who looks at the files."""

from collections.abc import Callable

from acp_tui.frozen import Frozen
from acp_tui.host.sessions.turn_watch import NoWatch, TurnWatch
from acp_tui.protocol.dialect import Dialect
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.session.state import Session


class Held(Frozen):
    """A prompt that has not gone out."""

    dialect: Dialect
    blocks: list[ContentBlock]
    send: Callable[[], object]


class Outgoing:
    """At most one prompt that is held. `watch` looks at the files around each turn, and says when it goes out.

    While it `holds_queue` no queued prompt goes out: the user does something between the turns.
    """

    def __init__(self) -> None:
        self.watch: TurnWatch = NoWatch()
        self.holds_queue = False
        self._held: Held | None = None

    def hold(self, dialect: Dialect, blocks: list[ContentBlock], send: Callable[[], object]) -> None:
        held = self._held = Held(dialect, blocks, send)
        self.watch.prompted(blocks, lambda: self.send() if self._held is held else None)

    def send(self) -> None:
        """Have it go out now: whatever is sent after it stays behind it. Nothing happens where none is held."""
        if (held := self.withdraw()) is not None:
            self.watch.went_out()
            held.send()

    def look_at_call(self, session: Session, tool_call_id: str) -> None:
        if (call := session.index.tool_calls.get(tool_call_id)) is not None:
            self.watch.called(session.cwd, call)

    def withdraw(self) -> Held | None:
        """It does not go out any more; None where none is held."""
        held, self._held = self._held, None
        return held
