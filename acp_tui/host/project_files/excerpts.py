"""Lines of a file for the user to look at, from inside the session's folders."""

from collections.abc import Sequence
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.services.files import Files
from acp_tui.host.services.request_fault import RequestFault
from acp_tui.host.services.roots import resolve
from acp_tui.protocol.faults import RESOURCE_NOT_FOUND
from acp_tui.protocol.vocabulary.terminals import ReadTextFileRequest

LINE_AT_MOST = 400  # characters


class Excerpt(Frozen):
    """Lines of a file from line number `first` on; those that were too long end in `…`."""

    first: int
    lines: tuple[str, ...]


async def read_excerpt(path: str, roots: Sequence[str], first: int, count: int) -> Excerpt:
    """Up to `count` lines from `first` (from 1) on; none if the file is shorter.

    Raises `UserFault` for what is missing, no text, or outside the `roots`.
    """
    first = max(1, first)
    files = Files([Path(root) for root in roots])
    try:
        text = await files.read_text_file(ReadTextFileRequest(session_id="", path=path, line=first, limit=count))
    except RequestFault as fault:
        raise UserFault(str(fault)) from fault
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    short = (line if len(line) <= LINE_AT_MOST else f"{line[:LINE_AT_MOST]}…" for line in lines[:count])
    return Excerpt(first, tuple(line.removesuffix("\r") for line in short))


async def lines_of_file(path: str, roots: Sequence[str]) -> Sequence[str] | None:
    """All lines of a text without their ends, none of a file that is not there; None where it cannot be read."""
    files = Files([Path(root) for root in roots])
    try:
        text = await files.read_text_file(ReadTextFileRequest(session_id="", path=path))
    except RequestFault as fault:
        return () if fault.code == RESOURCE_NOT_FOUND else None
    return [line.removesuffix("\r") for line in text.split("\n")]


def file_inside(path: str, roots: Sequence[str]) -> str:
    """The real path of a file inside the `roots`; raises `UserFault` for any other."""
    try:
        target = resolve(path, [Path(root) for root in roots])
    except RequestFault as fault:
        raise UserFault(str(fault)) from fault
    if not target.is_file():
        raise UserFault(f"{path} is not a file (any more)")
    return str(target)
