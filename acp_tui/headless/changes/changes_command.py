"""`acp-tui changes` and `acp-tui snapshots`: from their arguments to what they print.

What a session changed, or what is not committed, is printed as a patch or as a list of files.
"""

import argparse
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path

import anyio

from acp_tui.console import write_bytes, write_error, write_output
from acp_tui.errors import UserFault
from acp_tui.headless.changes.patch import patch_of, untold
from acp_tui.headless.changes.snapshots import Prune, prune, show_snapshots
from acp_tui.host.changes.history import Changes, Point
from acp_tui.host.changes.settings import snapshot_settings
from acp_tui.host.changes.uncommitted_files import HEAD, Uncommitted
from acp_tui.host.config.config import ConfigFile, own_file
from acp_tui.host.keeping.retention import past_changes
from acp_tui.host.records.records import Records
from acp_tui.host.snapshots.path_state import PathChange
from acp_tui.host.system.paths import real_path, written_path
from acp_tui.host.system.threads import in_thread
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.words import counted
from acp_tui.views.changed_files import SIGNS, line_counts, total_counts
from acp_tui.views.formatting import plain

LATEST = "latest"  # as `Records.meant` has it
SAID = 50  # lines of what a patch lacks; the rest is counted
Texts = Callable[[PathChange], Awaitable[tuple[bytes | None, bytes | None]]]


def changes(options: argparse.Namespace) -> int:
    """Print what a session changed, or what is not committed; the exit code.

    The folder of a session need not be there any more. Raises `UserFault` where there is no such session, turn or
    snapshot.
    """
    if options.uncommitted and (options.session is not None or options.turn is not None):
        raise UserFault("--uncommitted needs no session and no turn", hint="See: acp-tui changes --help")
    by_id = options.cwd is None and options.session not in (None, LATEST)  # that is known by its id alone
    folder = "" if by_id else str(real_path(written_path(options.cwd or ".")))
    anyio.run(_show_uncommitted if options.uncommitted else _show, folder, options)
    return 0


def snapshots(options: argparse.Namespace) -> int:
    """List what is kept, or delete it; the exit code. Raises `UserFault` for options without `prune`."""
    asked = Prune(options.session, options.older_than, options.all, options.yes)
    settings = snapshot_settings(ConfigFile.read(own_file()).says)
    if options.what == "prune":
        return prune(asked, settings)
    if asked != Prune():
        raise UserFault("Only prune has options", hint="See: acp-tui snapshots --help")
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
    await _print(found, folder, uncommitted.texts, "Nothing is uncommitted", stat=options.stat)


async def _print(changes: Changes, root: str, texts: Texts, nothing: str, *, stat: bool) -> None:
    """What changed below one root, and on standard error what has to be said of it."""
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
        raise UserFault("No snapshots of this session are kept", hint="List what is kept with: acp-tui snapshots")
    kept = [point for point in points if point.trees]
    if turn is None:
        if len(kept) < 2:
            raise UserFault("No turn of this session has ended with a snapshot", _why(points))
        return kept[0], kept[-1]
    begun = next((point for point in points if point.kind == "prompt" and point.turn == turn), None)
    if begun is None:
        last = max((point.turn for point in points), default=0)
        turns = f"It has {counted(last, 'turn')}" if last else "It has no turns"
        raise UserFault(f"The session has no turn {turn:,}", hint=turns)
    if not begun.trees:
        raise UserFault(f"There is no snapshot of how turn {turn:,} began", "; ".join(begun.gaps))
    later = [point for point in kept if point.number > begun.number]
    end = next((point for point in later if point.kind == "ended" and point.turn == turn), None)
    end = end or next((point for point in later if point.kind != "ended"), None)  # it was cut off
    if end is None:
        raise UserFault(f"There is no snapshot of how turn {turn:,} ended", "It has not ended, or was cut off")
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
        yield f"Not shown: {counted(count, 'file')} in {named(other)}: name it with -C"


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
