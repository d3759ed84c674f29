"""Sessions of a folder that were made by `acp-tui run`, which continuing a conversation passes by."""

from collections.abc import Callable, Iterable, Sequence

from acp_tui.frozen import Frozen
from acp_tui.host.records.info import RecordInfo

Key = tuple[str, str]  # an agent, and a session's id there


class Runs(Frozen):
    """Which of a folder's recorded sessions are runs: no record of theirs was made on the screen.

    `sessions`: all of them by agent and id, the one that was used last first. `alone`: the runs among them.
    """

    sessions: tuple[Key, ...] = ()
    alone: frozenset[Key] = frozenset()

    def ids(self, agent: str) -> frozenset[str]:
        """The ids of an agent's runs."""
        return frozenset(id_ for of, id_ in self.alone if of == agent)

    def pass_by(self, agent: str, session_id: str) -> bool:
        """Whether a run is newer than this session, which is recorded and none."""
        key = agent, session_id
        if key in self.alone or key not in self.sessions:
            return False
        return not self.alone.isdisjoint(self.sessions[: self.sessions.index(key)])


def runs_among(infos: Iterable[RecordInfo]) -> Runs:
    """The runs among records, the newest of which comes first. A session that the screen has gone on with is none."""
    of = [((info.agent, info.session_id), info.run) for info in infos if info.session_id]
    on_screen = {key for key, run in of if not run}
    sessions = tuple(dict.fromkeys(key for key, _ in of))
    return Runs(sessions, frozenset(sessions) - on_screen)


def last_session(infos: Sequence[RecordInfo], *, runs: bool) -> RecordInfo | None:
    """The first of these records whose session was opened; without `runs` one of those only if there are no others."""
    opened = [info for info in infos if info.session_id]
    alone = frozenset() if runs else runs_among(opened).alone
    others = (info for info in opened if (info.agent, info.session_id) not in alone)
    return next(others, next(iter(opened), None))


def run_check(infos: Sequence[RecordInfo]) -> Callable[[RecordInfo], bool]:
    """Says of one of these records whether its session is a run.

    `Runs` goes by ids. A run that failed before it had a session has none, and nobody can have gone on with it.
    """
    alone = runs_among(infos).alone

    def is_run(info: RecordInfo) -> bool:
        return (info.agent, info.session_id) in alone or (info.run and not info.session_id)

    return is_run
