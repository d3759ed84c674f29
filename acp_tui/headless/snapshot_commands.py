"""`acp-tui changes` and `acp-tui snapshots`: what changed or is not committed, what is kept, deleting it."""

import argparse
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import anyio

from acp_tui.console import agreed, write_bytes, write_error, write_output
from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.headless.patch import patch_of, untold
from acp_tui.host.changes.retention import (
    KeptFolder,
    KeptSession,
    all_of,
    forget,
    kept_folders,
    outdated,
    past_changes,
    retain,
)
from acp_tui.host.changes.snapshot_history import Changes, Point
from acp_tui.host.changes.uncommitted_files import HEAD, Uncommitted
from acp_tui.host.config.config import ConfigFile, own_file
from acp_tui.host.config.preferences import SnapshotSettings, snapshot_settings
from acp_tui.host.records.records import Records
from acp_tui.host.snapshots.path_state import PathChange
from acp_tui.host.system.paths import real_path, written_path
from acp_tui.host.system.threads import in_thread
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.phrases import counted
from acp_tui.views.changed_files import SIGNS, line_counts, total_counts
from acp_tui.views.formatting import byte_size, plain

LISTED = 20  # sessions of a folder; the rest is counted
TITLE, ID, AGENT = 60, 12, 20  # characters
REFUSED = 1
_LIST = "List snapshots with: acp-tui snapshots"


class PruneSelection(Frozen):
    """The snapshots that go: those of a `session` by its id or the beginning of it, `older_than` so many days, `all`.

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
            f"On start-up, snapshots unused for {counted(settings.days, 'day')} (snapshot_days) are deleted, "
            f"then the oldest above {settings.store >> 20:,} MB (snapshot_store_mb)."
        )
    write_output("\n".join(lines))
    return 0


def prune(asked: PruneSelection, settings: SnapshotSettings) -> int:
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
        count += f", and of the oldest sessions above {byte_size(settings.kept)}"
    if not asked.yes:
        if not sys.stdin.isatty():
            raise UserFault("Deleting snapshots needs an interactive terminal to confirm", hint="Or pass --yes")
        if not agreed(f"Delete the snapshots of {count}? Their changes can no longer be undone. [y/N]"):
            write_output("Nothing was deleted.")
            return REFUSED
    freed, deleted = anyio.run(_deleted, folders, sessions, settings if too_much else None)
    write_output(f"Deleted the snapshots of {counted(deleted, 'session')}, {byte_size(freed)}.")
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


def chosen(
    folders: Sequence[KeptFolder], asked: PruneSelection, settings: SnapshotSettings, now: float
) -> list[KeptSession]:
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
    if not folders:
        return ["No snapshots."]
    lines: list[str] = []
    for folder in folders:
        lines += [f"{named(folder.root)}  {byte_size(folder.size)}", *_rows(folder.sessions, titles), ""]
    total = byte_size(sum(folder.size for folder in folders))
    return [*lines, f"{total} in {counted(len(folders), 'folder')}. Sessions in the same folder share identical files."]


def _rows(sessions: Sequence[KeptSession], titles: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """`  2026-07-12 14:03  4f2a1c  3 turns  Claude Agent  Fix the login`."""
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
    return {(info.agent, info.session_id): info.title for info in reversed(Records().list())}


LATEST = "latest"  # as `Records.meant` has it
SAID = 50  # lines of what a patch lacks; the rest is counted
Texts = Callable[[PathChange], Awaitable[tuple[bytes | None, bytes | None]]]


def changes(options: argparse.Namespace) -> int:
    """Print what a session changed, or what is not committed; the exit code.

    The folder of a session need not be there any more. Raises `UserFault` where there is no such session, turn or
    snapshot.
    """
    if options.uncommitted and (options.session is not None or options.turn is not None):
        raise UserFault("--uncommitted takes no session and no turn", hint="See: acp-tui changes --help")
    by_id = options.cwd is None and options.session not in (None, LATEST)  # that is known by its id alone
    folder = "" if by_id else str(real_path(written_path(options.cwd or ".")))
    anyio.run(_show_uncommitted if options.uncommitted else _show, folder, options)
    return 0


def snapshots(options: argparse.Namespace) -> int:
    """List what is kept, or delete it; the exit code. Raises `UserFault` for options without `prune`."""
    asked = PruneSelection(options.session, options.older_than, options.all, options.yes)
    settings = snapshot_settings(ConfigFile.read(own_file()).says)
    if options.what == "prune":
        return prune(asked, settings)
    if asked != PruneSelection():
        raise UserFault("These options work only with prune", hint="See: acp-tui snapshots --help")
    return show_snapshots(settings)


async def _show(folder: str, options: argparse.Namespace) -> None:
    latest = options.session in (None, LATEST)
    info = Records().meant(options.session or LATEST, folder if latest else None)
    past = await past_changes(info.agent, info.session_id)
    since, until = bounds(past.points, options.turn)
    root = root_of(info.cwd if options.cwd is None else folder, since)
    about = "since the session began" if options.turn is None else f"in turn {options.turn:,}"
    await _print(await past.between(since, until), root, past.texts, f"No files changed {about}", stat=options.stat)


async def _show_uncommitted(folder: str, options: argparse.Namespace) -> None:
    uncommitted = Uncommitted([folder])
    found = await uncommitted.between(HEAD, await uncommitted.look())
    await _print(found, folder, uncommitted.texts, "No uncommitted changes", stat=options.stat)


async def _print(changes: Changes, root: str, texts: Texts, nothing: str, *, stat: bool) -> None:
    files = files_in(changes, root)
    said = list(changes.notes)
    if not files:
        said.insert(0, nothing)
    elif stat:
        write_output("\n".join(stat_lines(files)))
    else:
        said += await print_patch(files, texts, prefix_of(root))
    said += elsewhere(changes, root)
    if said:
        write_error("\n".join(map(one_line, cut(said))))


async def print_patch(files: Sequence[PathChange], texts: Texts, prefix: str) -> list[str]:
    """Print the patch, a file after the other; the result is what it lacks."""
    left_out: list[str] = []
    async for data in patch_pieces(files, texts, prefix, left_out):
        write_bytes(data)
    return left_out


async def patch_pieces(
    files: Sequence[PathChange], texts: Texts, prefix: str, left_out: list[str]
) -> AsyncIterator[bytes]:
    """The patch, a file after the other; what it lacks is added to `left_out`."""
    for file in files:
        try:
            before, after = await texts(file)
        except UserFault as fault:  # one path never costs the others
            left_out.append(f"Not in the patch: {named(file.path)}: {fault.title}")
            continue
        if data := await in_thread(patch_of, file, before, after, prefix):
            yield data
        if words := untold(file, before, after):
            left_out.append(f"Not in the patch: {named(file.path)}: {words}")
    left_out += empty_folders(files)


def files_in(changes: Changes, root: str) -> list[PathChange]:
    """What changed below one root, in the order of a patch."""
    return sorted((file for file in changes.files if file.root == root), key=lambda file: file.path)


def bounds(points: Sequence[Point], turn: int | None) -> tuple[Point, Point]:
    """From which point to which: all that is kept, or one turn from its prompt to its end.

    Raises `UserFault` where that is not known.
    """
    if not points:
        raise UserFault("This session has no snapshots", hint="List snapshots with: acp-tui snapshots")
    kept = [point for point in points if point.trees]
    if turn is None:
        if len(kept) < 2:
            raise UserFault("No turn of this session has a snapshot taken after it", _why(points))
        return kept[0], kept[-1]
    begun = next((point for point in points if point.kind == "prompt" and point.turn == turn), None)
    if begun is None:
        last = max((point.turn for point in points), default=0)
        turns = f"It has {counted(last, 'turn')}" if last else "It has no turns"
        raise UserFault(f"The session has no turn {turn:,}", hint=turns)
    if not begun.trees:
        raise UserFault(f"No snapshot from the start of turn {turn:,}", "; ".join(begun.gaps))
    later = [point for point in kept if point.number > begun.number]
    end = next((point for point in later if point.kind == "ended" and point.turn == turn), None)
    end = end or next((point for point in later if point.kind != "ended"), None)  # it was cut off
    if end is None:
        raise UserFault(f"No snapshot from the end of turn {turn:,}", "The turn is still running, or was interrupted")
    return begun, end


def _why(points: Sequence[Point]) -> str:
    return "; ".join(dict.fromkeys(gap for point in points for gap in point.gaps))


def root_of(folder: str, since: Point) -> str:
    """The folder with snapshots that a path lies in; raises `UserFault` where there is none."""
    real = os.path.realpath(folder)
    for root in since.trees:
        if Path(real).is_relative_to(root):
            return root
    hint = "\n".join(["It has snapshots of:", *map(named, since.trees)])
    raise UserFault(f"The session has no snapshots of {named(real)}", hint=hint)


def prefix_of(root: str) -> str:
    """What stands before each path of a patch: Git counts paths from the top of a checkout."""
    folder = Path(root)
    for top in (folder, *folder.parents):
        if os.path.lexists(top / ".git"):
            return "" if top == folder else f"{folder.relative_to(top).as_posix()}/"
    return ""


def elsewhere(changes: Changes, root: str) -> Iterator[str]:
    """What changed in other folders of the session, which are not printed."""
    for other in dict.fromkeys(file.root for file in changes.files if file.root != root):
        count = sum(file.root == other for file in changes.files)
        yield f"{counted(count, 'file')} in {named(other)} not shown. To see them, use -C {named(other)}"


def empty_folders(files: Sequence[PathChange]) -> Iterator[str]:
    """Folders that came or went without a file; a patch has only files."""
    kept = [file.path for file in files if file.before.kind in ("file", "link") or file.after.kind in ("file", "link")]
    parents = {str(parent) for path in kept for parent in Path(path).parents}
    for file in files:
        if {file.before.kind, file.after.kind} == {"folder", "absent"} and file.path not in parents:
            yield f"Not in the patch: {named(file.path)}: {file.status} folder without files"


def stat_lines(files: Sequence[PathChange]) -> list[str]:
    """`M  src/a.py  +12 −3  agent` for each file, then their sum."""
    rows = [(SIGNS[file.status].letter, _name(file), _counts(file), _who(file)) for file in files]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    lines = [f"{sign}  {name:<{widths[1]}}  {counts:<{widths[2]}}  {who}".rstrip() for sign, name, counts, who in rows]
    return [*lines, ", ".join(filter(None, (f"{counted(len(files), 'file')} changed", plain(total_counts(files)))))]


def _name(file: PathChange) -> str:
    return f"{named(file.old_path)} → {named(file.path)}" if file.old_path else named(file.path)


def _who(file: PathChange) -> str:
    return file.who if file.who != "anyone" else ""


def _counts(file: PathChange) -> str:
    if file.added is None or file.removed is None:
        return "binary" if file.before.kind == "file" or file.after.kind == "file" else ""
    return plain(line_counts(file.added, file.removed))


def cut(said: Sequence[str]) -> list[str]:
    """The first of these lines, and how many more there are."""
    return [*said[:SAID], f"and {len(said) - SAID:,} more"] if said[SAID:] else list(said)
