"""`acp-tui changes`: what a session changed, or what is not committed, printed as a patch or as a list of files."""

import anyio

from acp_tui.console import write_error, write_output
from acp_tui.frozen import Frozen
from acp_tui.headless.changes.telling import (
    Texts,
    bounds,
    cut,
    elsewhere,
    files_in,
    prefix_of,
    print_patch,
    root_of,
    stat_lines,
)
from acp_tui.host.changes.points import Changes
from acp_tui.host.keeping.past import past_changes
from acp_tui.host.records.records import Records
from acp_tui.host.uncommitted.uncommitted import HEAD, Uncommitted
from acp_tui.safe_text import one_line

LATEST = "latest"  # as `Records.meant` has it


class Asked(Frozen):
    """What the user asked for: a session by its id or the beginning of it, one `turn`, only a list of files.

    `folder` (absolute) is where the command runs, or the one that was `named` for it; empty where neither matters.
    """

    folder: str
    session: str | None = None
    turn: int | None = None
    stat: bool = False
    named: bool = False


def show_changes(asked: Asked) -> int:
    """Print them; the exit code. Raises `UserFault` where there is no such session, turn or snapshot."""
    anyio.run(_show, asked)
    return 0


async def _show(asked: Asked) -> None:
    latest = asked.session in (None, LATEST)
    info = Records().meant(asked.session or LATEST, asked.folder if latest else None)
    past = await past_changes(info.agent, info.session_id)
    since, until = bounds(past.points, asked.turn)
    root = root_of(asked.folder if asked.named else info.cwd, since)
    changes = await past.between(since, until)
    about = "since the session began" if asked.turn is None else f"in turn {asked.turn:,}"
    await _print(changes, root, past.texts, f"No files changed {about}", stat=asked.stat)


def show_uncommitted(folder: str, *, stat: bool) -> int:
    """Print what is not committed below a folder (a real path); the exit code. Raises `UserFault`."""
    anyio.run(_show_uncommitted, folder, stat)
    return 0


async def _show_uncommitted(folder: str, stat: bool) -> None:
    uncommitted = Uncommitted([folder])
    changes = await uncommitted.between(HEAD, await uncommitted.look())
    await _print(changes, folder, uncommitted.texts, "Nothing is uncommitted", stat=stat)


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
