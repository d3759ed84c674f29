"""How a session comes to be: as a new one, by an id that the agent knows, as the latest of a folder, as a fork or as
a branch from an earlier message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from acp_tui.frozen import Frozen
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.session.state import Session

if TYPE_CHECKING:
    from acp_tui.host.records.record_info import RecordedSetup, RecordInfo, Runs
    from acp_tui.host.sessions.branching import Branch
    from acp_tui.host.store.choices import Choice

    Recorded = tuple[RecordInfo, Session | None]

SourceKind = Literal["new", "known", "latest", "fork", "branch"]
RECORDED = "Find local records with: acp-tui --resume"


class LookUp(Protocol):
    """Finds what was recorded last of an agent's sessions in a folder, and reads what is needed of it.

    It takes its time, so call it in a thread; it raises Fault. `retold`: the agent most likely tells the session again.
    """

    def __call__(self, agent: str, cwd: str, /, *, retold: bool) -> Recorded | None:
        """The record and, as far as it is needed, the transcript; None if there is none."""


def unrecorded(_session: Session) -> None:
    """Nobody records it."""


def no_record(_agent: str, _cwd: str, *, retold: bool) -> None:
    """Nothing is recorded."""


class FindSetup(Protocol):
    """Finds with what an agent's session was opened and left last. It takes its time: call it in a thread."""

    def __call__(self, agent: str, session_id: str, /) -> RecordedSetup | None:
        """What was recorded; None if nothing is known of records."""


def no_setup(_agent: str, _session_id: str) -> None:
    """Nothing is recorded."""


class FindRuns(Protocol):
    """Finds which of a folder's recorded sessions are runs. It takes its time: call it in a thread."""

    def __call__(self, cwd: str, /) -> Runs | None:
        """Those that the `latest` session passes by; None if it passes by none."""


def no_runs(_cwd: str) -> None:
    """None is passed by."""


class Recording(Frozen):
    """How sessions are kept from run to run, as a client knows it.

    `begun` gets every new session before anything has happened in it. `look_up` finds what was recorded last in a
    folder, for agents that cannot list their sessions; `find_setup` with which system prompt one was opened last.
    """

    begun: Callable[[Session], object] = unrecorded
    look_up: LookUp = no_record
    find_setup: FindSetup = no_setup


@dataclass(slots=True, eq=False)
class SessionSource:
    """`session_id` names the one that is `known` to the agent or is to be a `fork`'s root.

    `told` is what was said in it, as far as that is known here. `latest` becomes `known` or `new` once the agent
    has told its sessions, or were found in records: that is the `record` then, which stands in where the agent has
    forgotten. `settings` are options of the session by name, given beforehand. `prompt_known`: the system prompt of
    `scope` is that of the session; else it gets the one it had before. `setup` is what its records say of it, which
    is looked up first. `branch` says what is to be branched
    where. An `aside` is a fork for one question: nobody sees it among the sessions, and it is not brought back.
    Both get the options that were `inherited`. `unseen`: the agent remembers messages that are not known here.
    """

    session: Session
    scope: SessionScope
    kind: SourceKind = "new"
    session_id: str = ""
    told: Session | None = None
    settings: Sequence[tuple[str, str]] = ()
    record: RecordInfo | None = None
    prompt_known: bool = False
    setup: RecordedSetup | None = None
    branch: Branch | None = None
    aside: bool = False
    inherited: Sequence[Choice] = ()
    unseen: bool = False
