"""From a record of the wire to a client that plays it."""

from collections.abc import Sequence
from pathlib import Path

from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.playback.process import Message, Playback, loaded
from acp_tui.host.playback.timeline import Timeline
from acp_tui.host.playback.user import RecordedUser
from acp_tui.host.recording.wire_record import WireLine
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.introduction import Offer

OFFERED = ClientCapabilities(read_text_file=False, write_text_file=False, terminal=False, elicitation=True)
"""A replay touches neither files nor commands."""


class Player:
    """A client whose agent is a record, and the session that the record begins with."""

    def __init__(self, lines: Sequence[WireLine], name: str, speed: float = 1.0, *, stepping: bool = False) -> None:
        """`lines` of a wire record, the `name` under which the agent goes until it introduces itself."""
        played = list(lines[1:] if lines and lines[0].direction == "start" else lines)
        self.timeline = Timeline(played, speed, stepping=stepping)
        sent = [message for line in played if line.direction == "->" and (message := loaded(line.line)) is not None]
        command = AgentCommand((name,), protocol=_offer(sent))
        first = next((message for message in sent if message.get("method") in _BEGINNINGS), {})
        told = first.get("params")
        params = told if isinstance(told, dict) else {}
        self.client = Client(command, _folder(params), OFFERED, attended=True, start=self._start)
        self._user = RecordedUser(self.client)
        self.session = self.client.begin_session(str(params.get("sessionId") or ""))  # none where it is a new one

    async def _start(self, *_: object) -> AgentProcess:
        return Playback(self.timeline, self._user)


_BEGINNINGS = frozenset({"session/new", "session/load", "session/resume"})


def _offer(sent: Sequence[Message]) -> Offer:
    initialize = next((message for message in sent if message.get("method") == "initialize"), {})
    params = initialize.get("params")
    return "2" if isinstance(params, dict) and params.get("protocolVersion") == 2 else "1"


def _folder(params: Message) -> str:
    cwd = params.get("cwd")
    return cwd if isinstance(cwd, str) and cwd else str(Path.cwd())
