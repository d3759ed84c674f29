"""`acp-tui search`: where words were said, as a table; must not know how records are kept."""

from collections.abc import Sequence
from pathlib import Path

from acp_tui.console import write_output
from acp_tui.headless.columns import in_columns, widest, width
from acp_tui.host.records import Found, Hit, Records
from acp_tui.safe_text import one_line

NONE = 1
_TIME = 16  # cells of `2026-07-12 14:03`


def show_hits(words: Sequence[str]) -> int:
    """Print the sessions in which all of these words were said, the newest first; 1 if there are none."""
    found = Records().search(" ".join(words).split())
    write_output("\n".join(table(found, width())))
    return 0 if found.hits else NONE


def table(found: Found, columns: int) -> list[str]:
    """The lines of the table, at most about `columns` wide: a row and a snippet for each session."""
    lines: list[str] = []
    if found.hits:
        rows = [["when", "agent", "folder", "title"], *map(_row, found.hits)]
        sizes = [_TIME, widest([row[1] for row in rows], 20), widest([row[2] for row in rows], 30)]
        heading, *lines_of_hits = in_columns(rows, sizes)
        lines.append(heading)
        for line, hit in zip(lines_of_hits, found.hits, strict=True):
            lines += [line[:columns], f"    {one_line(hit.snippet, min(columns - 4, 240))}"]
    else:
        lines.append(f"Nothing was found in {found.searched:,} recorded session{'' if found.searched == 1 else 's'}.")
    return [*lines, f"({found.shortfall})"] if found.shortfall else lines


def _row(hit: Hit) -> list[str]:
    info = hit.info
    when = info.updated.astimezone().strftime("%Y-%m-%d %H:%M")
    return [when, info.agent, _short(info.cwd), info.title]


def _short(folder: str) -> str:
    try:
        return str(Path("~") / Path(folder).relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return folder
