"""The source of a session: as a new one, by an id that the agent knows, as the latest of a folder, as a fork or as
a branch from an earlier message."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

from acp_tui.host.config.preferences import NO_LIMITS, LimitSettings
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.session.state import Session

if TYPE_CHECKING:
    from acp_tui.host.config.choices import Choice
    from acp_tui.host.config.presets import Preset
    from acp_tui.host.records.record_info import RecordedSetup, RecordInfo, Runs
    from acp_tui.host.sessions.continuation import Branch

    Recorded = tuple[RecordInfo, Session | None]

SourceKind = Literal["new", "known", "latest", "fork", "branch"]
RECORDED = "Find recorded sessions with: acp-tui --resume"


class SessionRecords(Protocol):
    """How sessions are kept from run to run, as a client knows it.

    All but `record` take their time: call them in a thread.
    """

    def record(self, session: Session, /, *, start: Callable[[], Mapping[str, Any]]) -> None:
        """Record a session in which nothing has happened yet; `start` tells how its agent started."""

    def look_up(self, agent: str, cwd: str, /, *, retold: bool) -> Recorded | None:
        """What was recorded last of an agent's sessions in a folder, and as far as it is needed the transcript.

        `retold`: the agent most likely tells the session again. Raises Fault.
        """

    def setup(self, agent: str, session_id: str, /) -> RecordedSetup | None:
        """With what an agent's session was opened and left last; None if nothing is known of records."""

    def runs(self, cwd: str, /) -> Runs | None:
        """Which of a folder's sessions are runs, which the `latest` session passes by; None if it passes by none."""


class NoRecords:
    """The records of a client that keeps nothing."""

    def record(self, _session: Session, /, *, start: Callable[[], Mapping[str, Any]]) -> None: ...

    def look_up(self, _agent: str, _cwd: str, /, *, retold: bool) -> None: ...

    def setup(self, _agent: str, _session_id: str, /) -> None: ...

    def runs(self, _cwd: str, /) -> Runs | None: ...


@dataclass(slots=True, eq=False)
class SessionSource:
    """`session_id` names the one that is `known` to the agent or is to be a `fork`'s root.

    `told` is what was said in it, as far as that is known here. `latest` becomes `known` or `new` once the agent
    has told its sessions, or were found in records: that is the `record` then, which stands in where the agent has
    forgotten. `settings` are options of the session by name, given beforehand, and win over those of the `preset`.
    `prompt_known`: the system prompt of `scope` is that of the session; else it gets the one it had before. `setup` is
    what its records say of it, which is looked up first. `branch` says what is to be branched
    where. An `aside` is a fork for one question: nobody sees it among the sessions, and it is not brought back.
    Both get the options that were `inherited`. `unseen`: the agent remembers messages that are not known here.
    `limits` hold its queue.
    """

    session: Session
    scope: SessionScope
    kind: SourceKind = "new"
    session_id: str = ""
    told: Session | None = None
    settings: Sequence[tuple[str, str]] = ()
    preset: Preset | None = None
    record: RecordInfo | None = None
    prompt_known: bool = False
    setup: RecordedSetup | None = None
    branch: Branch | None = None
    aside: bool = False
    inherited: Sequence[Choice] = ()
    unseen: bool = False
    limits: LimitSettings = NO_LIMITS
