"""Going back to a session, by whatever the agent can or the record has; reading, renaming and deleting it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from textual.app import App
from textual.content import Content

from acp_tui.errors import Fault
from acp_tui.host.changes.retention import forget_session
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.records import READ_AHEAD, Records
from acp_tui.host.records.replay import continue_in
from acp_tui.host.system.sandbox_paths import outside
from acp_tui.host.system.threads import in_joined_thread, in_thread
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.session.entries import Entry
from acp_tui.session.export_formats import MARKDOWN
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted
from acp_tui.ui.export_actions import ExportActions
from acp_tui.ui.kit.picker import AnswerChoice, AskLine
from acp_tui.ui.kit.session_view import SessionView, announce_fault, say
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut, sanitise, sanitise_line
from acp_tui.ui.sessions.session_actions import SessionActions, ask_title, confirm
from acp_tui.ui.sessions.subagents_screen import ReadOnlyScreen
from acp_tui.views.formatting import byte_size, home_path
from acp_tui.views.past_sessions import PastSession, past_sessions, record_origin
from acp_tui.views.row_search import PickerRow

WIDTH, ROWS = 46, 10  # cells of a row in the narrowest panel, and how many rows of folders it can show
PATIENCE = 0.4  # seconds after which a user is told that it takes a while
RELATIVE = "not an absolute path"
Answer = Literal["no", "here", "there"]


class FoldersQuestion(AnswerChoice[Answer]):
    """Asks where to open a session; `there` is in all of its folders."""

    def __init__(self, project: str, folders: Sequence[tuple[str, str]]) -> None:
        rows: list[PickerRow[Answer]] = [
            PickerRow("no", "Don't open"),
            PickerRow("here", "Open in this project only", sanitise(home_path(project))),
        ]
        lines = [f"! {path}{about}" for path, about in folders]
        if sum(1 + len(line) // WIDTH for line in lines) > ROWS:
            lines = [f"! {counted(len(lines), 'folder')}: too many or too long to show"]
        elif not any(RELATIVE in about for _, about in folders):
            rows.append(PickerRow("there", "Open with these folders", "the agent can read and write there"))
        super().__init__(
            "This session uses folders outside this project", rows, ["Folders named by the agent:", *lines]
        )


def described(folder: str) -> tuple[str, str]:
    """A folder as it is shown, and what is odd about it. It looks at the disk: call it in a thread."""
    try:
        real = os.path.realpath(folder)
        exists = Path(real).is_dir()
    except (ValueError, OSError):
        real, exists = folder, False
    abouts = {
        RELATIVE: not Path(folder).is_absolute(),
        "does not exist": not exists,
        f"links to {real}": Path(folder).is_absolute() and os.path.normpath(folder) != real,
        "every file on this machine": real == "/",
        "your home folder": real == os.path.realpath(Path.home()),
    }
    about = ", ".join(words for words, holds in abouts.items() if holds)
    shown = sanitise(folder).replace("\n", "⏎")
    shown = shown if shown == shown.strip() else f'"{shown}"'
    return shown, sanitise(f"  ({about})").replace("\n", "⏎") if about else ""


class PastSessionActions:
    """What can be done with sessions of before, as seen from one that is open."""

    def __init__(self, view: SessionView, sessions: SessionActions, records: Records | None) -> None:
        self._view, self._sessions, self._records = view, sessions, records
        self._client = view.client

    async def recorded(self, folder: str | None) -> list[RecordInfo]:
        """What was recorded in a folder (`None`: in all), read in a thread."""
        if self._records is None:
            return []
        recorded = await in_thread(self._records.list, folder)
        # A record without an id may be that of a session here which has none yet.
        unnamed = any(not session.id for session in self._client.sessions)
        return [record for record in recorded if record.session_id or not unnamed]

    def known(self, recorded: Sequence[RecordInfo]) -> list[PastSession]:
        """These and what the agent has listed, merged."""
        can = self._client.connection.capabilities
        told = self._client.known_sessions.list.entries if can.list_sessions else []
        lasting = can.load_session or can.resume_session
        return past_sessions(told, recorded, self._client.sessions, self._view.agent_name, lasting=lasting)

    def undecided(self, known: PastSession, *, asked: bool) -> bool:
        """Whether the agent, once `asked`, may tell that it knows a recorded session: then it is no mere history."""
        if known.session is not None or known.info is not None:
            return False
        connection = self._client.connection
        if connection.phase == "starting" and not connection.spoken:
            return True
        return connection.capabilities.list_sessions and (not asked or self._client.known_sessions.list.loading)

    def opening(self, known: PastSession) -> Callable[[], None] | None:
        """What shows it: where it is open, as the agent tells it, or as it was recorded, with a new session after that.

        None where there is no way to it, which is said; `forking` does so too.
        """
        info, record = known.info or self._told(known.record), known.record
        can = self._client.connection.capabilities
        if known.session is not None:
            return partial(self._sessions.show, known.session, instead=True)
        if info is not None and (can.load_session or can.resume_session):
            return lambda: self._view.run(self._go_on(info, record))
        if record is not None:
            return lambda: self._view.run(self._history(record))
        self._view.say("This agent cannot load or resume sessions", 4)
        return None

    def forking(self, known: PastSession) -> Callable[[], None] | None:
        """What begins a session that knows what that one knows, and shows it."""
        info, session = known.info or self._told(known.record), known.session
        if not self._client.connection.capabilities.fork_session:
            self._view.say("This agent cannot fork sessions", 4)
        elif session is not None:
            return lambda: self._sessions.show(self._client.branches.begin(session, None, ()))
        elif info is not None:
            return lambda: self._view.run(self._go_on(info, known.record, fork=True))
        else:
            self._view.say("The agent does not know this session", 4)
        return None

    def rename(self, known: PastSession, done: Callable[[], None]) -> None:
        """Ask for another title, and call `done` once it is given; says where that cannot be."""
        theirs = self._client.connection.capabilities.title_session
        if known.session is not None:
            ask_title(self._view, known.session, done)
            return
        if known.record is None and not theirs:
            self._view.say("This agent cannot rename sessions", 4)
            return

        async def give(title: str) -> None:
            record, info = known.record, known.info
            if info is not None and theirs:
                self._client.known_sessions.title(info.session_id, title)
            if record is not None and self._records is not None and (record.named or info is None or not theirs):
                await in_joined_thread(self._records.rename, record.path, title)
            done()

        self._view.open(AskLine("Rename session", known.title, give))

    def archive(self, known: PastSession, *, archived: bool) -> None:
        if known.info is None or not self._client.connection.capabilities.archive_session:
            self._view.say(
                "This agent cannot archive sessions" if known.info else "The agent does not know this session", 4
            )
        elif known.session is not None:
            self._view.say("This session is open: close it first", 4)
        else:
            self._client.known_sessions.archive(known.info.session_id, archived=archived)

    def delete(self, known: PastSession, done: Callable[[], None]) -> None:
        """Have the agent forget it and drop its record, once the user has agreed; then call `done`."""
        if known.session is not None:
            self._view.say("This session is open: close it first", 4)
            return
        can = self._client.connection.capabilities.delete_session
        if known.record is None and not can:
            self._view.say("This agent cannot delete sessions", 4)
            return
        what = "from the agent and this machine" if known.info and known.record and can else "permanently"
        if known.info and not can:
            what = "local record only: this agent cannot delete sessions"
        rows = PickerRow(False, "Keep"), PickerRow(True, "Delete", what)

        def delete() -> None:
            self._delete(known, can)
            done()

        confirm(self._view, f'Delete "{cut(known.title, 50)}"?', rows, delete)

    async def export(self, known: PastSession) -> None:
        if known.session is None and (known.record is None or self._records is None):
            self._view.say("No local copy: open the session first", 4)
            return
        session = known.session or await read_record(self._view.app, self._records, known.record)
        if session is not None:
            ExportActions(self._view).ask(MARKDOWN.suffix, session)

    def _told(self, record: RecordInfo | None) -> SessionInfo | None:
        """What an agent that lists nothing may still know; one that lists would have told it."""
        same = record is not None and record.agent == self._view.agent_name
        if record is None or not same or not record.session_id:
            return None
        if self._client.connection.capabilities.list_sessions:
            return None
        return SessionInfo(session_id=record.session_id, cwd=record.cwd, title=record.title or None)

    async def _given(self, *folders: str) -> list[str] | None:
        """Those folders of a session that the user gives to it; None if it is not to be opened."""
        project, named = self._client.roots(), [folder for folder in folders if folder]
        beyond = await in_thread(outside, named, project)
        if not beyond:
            return named
        about = await in_thread(lambda: [described(folder) for folder in beyond])
        answer = await self._view.ask(FoldersQuestion(project[0], about))
        if answer == "there":
            return named
        return [folder for folder in named if folder not in beyond] if answer == "here" else None

    async def _go_on(self, info: SessionInfo, record: RecordInfo | None, *, fork: bool = False) -> None:
        """Go on with it, or with a fork; an agent that does not tell it again may remember it all the same."""
        folders = await self._given(info.cwd, *info.additional_directories)
        if folders is None:
            return
        tells = self._client.connection.capabilities.load_session and not fork
        replayed = tells and record is not None and record.size >= READ_AHEAD
        told = None if replayed else await read_record(self._view.app, self._records, record)
        begin = self._client.fork_known if fork else self._client.load_session
        self._sessions.show(begin(info, told, folders), instead=True)

    async def _history(self, record: RecordInfo) -> None:
        folders = await self._given(record.cwd)
        if folders is None:
            return
        told = await read_record(self._view.app, self._records, record)
        if told is not None:
            session = self._client.open_session(cwd=next(iter(folders), None))
            continue_in(session, told, record)
            self._sessions.show(session, instead=True)

    async def _forget_snapshots(self, sessions: Iterable[tuple[str, str]]) -> None:
        for agent, session_id in sessions:
            try:
                if session_id:
                    await forget_session(agent, session_id)
            except Fault as fault:
                announce_fault(self._view.app, fault)

    def _delete(self, known: PastSession, can: bool) -> None:
        names = {(each.agent, each.session_id) for each in (known.record, *known.older) if each is not None}
        if known.info is not None and can:
            names.add((self._view.agent_name, known.info.session_id))
            self._client.known_sessions.delete(known.info.session_id)
        self._view.run(self._forget_snapshots(names))
        for record in (known.record, *known.older):
            if record is not None and self._records is not None:
                try:
                    self._records.delete(record.path)
                except Fault as fault:
                    announce_fault(self._view.app, fault)


class HistoryScreen(ReadOnlyScreen):
    """A session that is over."""

    def __init__(
        self, session: Session, info: RecordInfo, follow: Callable[[Entry | None], bool] = lambda _entry: False
    ) -> None:
        """`follow` goes where an entry leads, if it leads anywhere."""
        super().__init__(session)
        self._info, self._follow = info, follow

    def open_entry(self, entry: Entry | None) -> bool:
        return self._follow(entry) or super().open_entry(entry)

    def heading(self, width: int) -> Content:
        about = sanitise_line(record_origin(self._info))
        title = cut(sanitise_line(self._info.title), max(8, width - len(about) - 16))
        return Content.assemble(("History", f"{ACCENT} bold"), ("   " + title, "bold"), ("   " + about, MUTED))


async def read_record(app: App[Any], records: Records | None, info: RecordInfo | None) -> Session | None:
    """What was recorded, read beside the loop; None where there is nothing, or it cannot be read, which is said."""
    if records is None or info is None:
        return None
    told = app.set_timer(PATIENCE, lambda: say(app, f"Reading a record of {byte_size(info.size)}…"))
    try:
        return await in_thread(records.load, info.path)
    except Fault as fault:
        announce_fault(app, fault)
        return None
    finally:
        told.stop()
