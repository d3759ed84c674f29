"""Sessions that the user can go back to, merged: those that the agent lists, and those recorded here."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from rich.cells import cell_len
from textual.content import Content

from acp_tui.frozen import Frozen
from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.runs import run_check
from acp_tui.protocol.vocabulary.sessions import SessionInfo
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.state import Session
from acp_tui.session.text.told import begins_with_ours
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut, cut_left, sanitise_line
from acp_tui.views.formatting import EARLIEST, age, elsewhere, home_path

FOLDER_AT_MOST = 28


class Known(Frozen):
    """One session, as the agent tells it (`info`), as it was recorded here (`record`), or both; `session` if open.

    `older` are records of it from before it was gone on with. `run`: `acp-tui run` made it, and it is not open.
    """

    info: SessionInfo | None = None
    record: RecordInfo | None = None
    session: Session | None = None
    older: tuple[RecordInfo, ...] = ()
    run: bool = False

    @property
    def id(self) -> str:
        return self.info.session_id if self.info else str(self.record.path) if self.record else ""

    @property
    def title(self) -> str:
        recorded = self.record.title if self.record else ""
        given = recorded if self.record and self.record.named else ""
        told = (self.session and self.session.title) or given or (self.info and _title_of(self.info))
        return sanitise_line(told or recorded or "untitled", 200)

    @property
    def cwd(self) -> str:
        return self.info.cwd if self.info else self.record.cwd if self.record else ""

    @property
    def folders(self) -> tuple[str, ...]:
        named = (self.cwd, *(self.info.additional_directories if self.info else ()))
        return tuple(filter(None, named))

    @property
    def agent(self) -> str:
        return sanitise_line(self.record.agent, 40) if self.record and not self.info else ""

    @property
    def updated(self) -> datetime:
        told = _time(self.info.updated_at) if self.info else None
        return told or (self.record.updated if self.record else EARLIEST)


def _title_of(info: SessionInfo) -> str:
    """What its agent calls a session; nothing where that is what this program put before the user's words."""
    return "" if begins_with_ours(info.title or "") else info.title or ""


def known_sessions(
    told: Iterable[SessionInfo],
    records: Sequence[RecordInfo],
    open_now: Sequence[Session],
    agent: str,
    *,
    lasting: bool = False,
) -> list[Known]:
    """All of them once, the agent's before those that were only recorded, each group with the latest first.

    `lasting`: the agent goes back to sessions by their ids. Others may count them anew in every run.
    """
    sessions = {(session.id, session.cwd): session for session in open_now if session.id and _is_recorded(session)}
    theirs: dict[str, list[RecordInfo]] = {}
    others: dict[object, list[RecordInfo]] = {}
    ids = {info.session_id: info for info in told}
    is_run = run_check(records)
    begun = {session.id for session in open_now} - {id_ for id_, _ in sessions}  # nothing of them is recorded yet
    for record in sorted(records, key=lambda record: record.updated, reverse=True):
        own = record.agent == agent and record.session_id != ""
        latest_of_it = record.session_id not in theirs and record.session_id not in begun
        if own and record.session_id in ids and (lasting or latest_of_it):
            theirs.setdefault(record.session_id, []).append(record)
        else:
            same = (record.session_id, record.cwd) if own and lasting else record.path
            others.setdefault(same, []).append(record)
    recorded: list[Known] = []
    for latest, *older in others.values():
        session = sessions.pop((latest.session_id, latest.cwd), None) if latest.agent == agent else None
        recorded.append(Known(None, latest, session, tuple(older), session is None and is_run(latest)))
    by_id = {session.id: session for session in open_now}
    agents = []
    for id_, info in ids.items():
        own_records, open_one = theirs.get(id_, []), by_id.get(id_)
        run = open_one is None and any(map(is_run, own_records))
        agents.append(Known(info, next(iter(own_records), None), open_one, tuple(own_records[1:]), run))
    return [*_latest_first(agents), *_latest_first(recorded)]


def filtered(known: Iterable[Known], agent: str = "", *, runs: bool = False) -> tuple[list[Known], int]:
    """Those of one agent (empty: of all), without runs unless they are wanted; and how many runs are hidden."""
    of_agent = [each for each in known if not agent or each.info or (each.record and each.record.agent == agent)]
    shown = [each for each in of_agent if runs or not each.run]
    return shown, len(of_agent) - len(shown)


def _is_recorded(session: Session) -> bool:
    """Whether it can have a record: not before something was said."""
    return bool(session.queue) or not all(isinstance(entry, NoticeEntry) for entry in session.entries)


def _latest_first(known: Sequence[Known]) -> list[Known]:
    return sorted(known, key=lambda each: each.updated, reverse=True)


def known_row(known: Known, width: int, now: datetime, doing: str = "", *, folders: bool) -> Content:
    """One line: a sign where it is open, the title, at the right what it is doing, whose it is, the folder, the age."""
    right = age(known.updated, now).rjust(13)
    beside = [part for part in (doing, known.agent) if part]
    if folders:
        folder = sanitise_line(home_path(known.cwd), 200) or "folder not known"
        beside.append(cut_left(folder, min(FOLDER_AT_MOST, width // 3)))
    about = Content("  ".join(beside))
    if about.cell_length + 30 > width:
        about = Content("")  # the title says more
    room = width - 2 - len(right) - about.cell_length - 2 * bool(about)
    title = Content(cut(known.title, max(8, room)))
    gap = " " * max(0, width - 2 - title.cell_length - len(right) - about.cell_length)
    sign = "● " if known.session else "  "
    return Content.assemble((sign, ACCENT), title, gap, about.stylize(MUTED), (right, MUTED))


def folders_row(known: Known, roots: Sequence[str], width: int) -> Content:
    """The folders of a session that are not the user's `roots`, in a line of `width` cells; nothing without any."""
    named = [folder for folder in known.folders if folder not in roots]
    beyond = elsewhere(named, roots)
    if not named:
        return Content("")
    lead = "    outside this project: " if beyond else "    in "
    paths = [sanitise_line(home_path(folder), 4096) for folder in beyond or named]
    room = max(8, width - len(lead))
    told = ", ".join(paths)
    if cell_len(told) > room:
        more = f"  +{len(paths) - 1} more" if len(paths) > 1 else ""
        told = cut_left(paths[0], max(8, room - len(more))) + more
    return Content.styled(f"\n{lead}{told}", "$warning" if beyond else MUTED)


def searched(known: Known) -> tuple[str, ...]:
    """The words by which one is found, weightiest first."""
    return known.title, known.cwd, known.agent


def _time(told: str | None) -> datetime | None:
    try:
        time = datetime.fromisoformat(told or "")
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
