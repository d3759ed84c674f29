"""`acp-tui snapshots`: what is kept of which session, and deleting it."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

import anyio

from acp_tui.console import write_output
from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.headless.asking import agreed
from acp_tui.host.changes.retention import KeptFolder, KeptSession, all_of, forget, kept_folders, outdated, retain
from acp_tui.host.changes.snapshot_settings import SnapshotSettings
from acp_tui.host.records.records import Records
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.words import counted

LISTED = 20  # sessions of a folder; the rest is counted
TITLE, ID, AGENT = 60, 12, 20  # characters
REFUSED = 1
_LIST = "List what is kept with: acp-tui snapshots"


class Prune(Frozen):
    """Which snapshots go: those of a `session` by its id or the beginning of it, `older_than` so many days, `all`.

    With none of them those that the settings no longer keep. `yes`: nobody is asked.
    """

    session: str | None = None
    older_than: int | None = None
    all: bool = False
    yes: bool = False

    @property
    def by_settings(self) -> bool:
        return not self.all and self.session is None and self.older_than is None


def show_snapshots(settings: SnapshotSettings) -> int:
    """Print what is kept, and what goes by itself; the exit code."""
    folders = [folder for folder in kept_folders() if folder.sessions]
    lines = table(folders, _titles())
    if folders and not settings.off:
        lines.append(
            f"At a start those go that were not used for {counted(settings.days, 'day')} (snapshot_days), "
            f"then the oldest over {settings.store >> 20:,} MB (snapshot_store_mb)."
        )
    write_output("\n".join(lines))
    return 0


def prune(asked: Prune, settings: SnapshotSettings) -> int:
    """Show what would go, ask, delete it; the exit code. Raises `UserFault` where there is no such session."""
    folders = kept_folders()
    sessions = chosen(folders, asked, settings, time.time())
    too_much = asked.by_settings and sum(folder.size for folder in folders) > settings.kept
    if not sessions and not too_much:
        write_output("Nothing to delete.")
        return 0
    titles = _titles()
    write_output("\n".join(_rows(sessions, titles)))
    count = counted(len(sessions), "session")
    if too_much:
        count += f", and of the oldest others until all take at most {_size(settings.kept)}"
    if not asked.yes:
        if not sys.stdin.isatty():
            raise UserFault("Deleting snapshots needs an interactive terminal, to ask first", hint="Or: --yes")
        if not agreed(f"Delete the snapshots of {count}? What they changed cannot be undone then. [y/N]"):
            write_output("Nothing was deleted.")
            return REFUSED
    freed, deleted = anyio.run(_deleted, folders, sessions, settings if too_much else None)
    write_output(f"Deleted the snapshots of {counted(deleted, 'session')}, {_size(freed)}.")
    return 0


async def _deleted(
    folders: Sequence[KeptFolder], sessions: Sequence[KeptSession], settings: SnapshotSettings | None
) -> tuple[int, int]:
    """Bytes that are free now, and how many sessions are gone; with `settings` the oldest ones, too, until all fits."""
    freed = await forget(folders, sessions)
    if settings is None:
        return freed, len(sessions)
    more = await retain(settings)
    return sum(folder.size for folder in folders) - sum(folder.size for folder in kept_folders()), len(sessions) + more


def chosen(folders: Sequence[KeptFolder], asked: Prune, settings: SnapshotSettings, now: float) -> list[KeptSession]:
    """The sessions that are meant; raises `UserFault` where none is, or several may be."""
    if asked.all:
        return all_of(folders)
    if asked.session is None:
        return outdated(folders, settings.days if asked.older_than is None else asked.older_than, now)
    found = [each for each in all_of(folders) if each.id.startswith(asked.session)]
    exact = [each for each in found if each.id == asked.session]
    if not found:
        raise UserFault(f"No session with snapshots has an ID that starts with {named(asked.session)}", hint=_LIST)
    if len({(each.agent, each.id) for each in exact or found}) > 1:
        rows = "\n".join(_rows((exact or found)[:LISTED], {}))
        raise UserFault(f"Several sessions have an ID that starts with {named(asked.session)}", rows)
    return exact or found


def table(folders: Sequence[KeptFolder], titles: Mapping[tuple[str, str], str]) -> list[str]:
    """Each folder with its size, below it its sessions, then the sum."""
    if not folders:
        return ["No snapshots are kept."]
    lines: list[str] = []
    for folder in folders:
        lines += [f"{named(folder.root)}  {_size(folder.size)}", *_rows(folder.sessions, titles), ""]
    total = _size(sum(folder.size for folder in folders))
    return [*lines, f"{total} in {counted(len(folders), 'folder')}. Sessions of a folder share what is the same."]


def _rows(sessions: Sequence[KeptSession], titles: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """`  2026-07-12 14:03  4f2a1c  3 turns  Claude Code  Fix the login`."""
    shown = sessions[:LISTED]
    rows = [_cells(each, titles) for each in shown]
    widths = [max((len(row[at]) for row in rows), default=0) for at in range(4)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield "  " + "  ".join([*cells, row[-1]]).rstrip()
    if len(sessions) > LISTED:
        yield f"  and {len(sessions) - LISTED:,} more"


def _cells(session: KeptSession, titles: Mapping[tuple[str, str], str]) -> list[str]:
    when = datetime.fromtimestamp(session.used, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    title = titles.get((session.agent, session.id), "")
    about = one_line(session.id, ID), counted(session.turns, "turn"), one_line(session.agent, AGENT)
    return [when, *about, one_line(title, TITLE)]


def _titles() -> dict[tuple[str, str], str]:
    """What the records call the sessions, by agent and id."""
    return {(info.agent, info.session_id): info.title for info in reversed(Records().list())}


def _size(count: int) -> str:
    """A number of bytes in decimal units: `12 B`, `10.2 KB`, `1.0 MB`."""
    if count < 1_000:
        return f"{count} B"
    return f"{count / 1_000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:,.1f} MB"
