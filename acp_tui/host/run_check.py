"""Which recorded sessions lists hide: those of `acp-tui run` that the screen never went on with."""

from collections.abc import Callable, Sequence

from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.runs import runs_among


def run_check(infos: Sequence[RecordInfo]) -> Callable[[RecordInfo], bool]:
    """Says of one of these records whether its session is a run.

    `Runs` goes by ids. A run that failed before it had a session has none, and nobody can have gone on with it.
    """
    alone = runs_among(infos).alone

    def is_run(info: RecordInfo) -> bool:
        return (info.agent, info.session_id) in alone or (info.run and not info.session_id)

    return is_run
