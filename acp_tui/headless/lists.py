"""What `acp-tui agents` and `acp-tui search` print: tables in columns."""

import argparse
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from acp_tui.console import write_output
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import Agent
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.records.record_info import RecordInfo, run_check
from acp_tui.host.records.records import Records
from acp_tui.host.records.search import Hit, SearchResult
from acp_tui.host.system.paths import real_path, written_path
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.words import counted
from acp_tui.views.past_sessions import COLUMNS, PastSession

NO_HITS = 1
WIDE = 110
"""Columns from which on there is room for descriptions."""
_GAP = "  "
_TIME = 16  # cells of `2026-07-12 14:03`
_ORIGINS = {"known": "", "own": "configured", "registry": "registry"}


def show_agents(folder: Path) -> int:
    """Print what is installed, what is not and how to get it; the exit code."""
    agent_list = AgentList(folder)
    agent_list.fetch()
    write_output("\n".join(agents_table(agent_list.agents.listed, _width())))
    for problem in [*agent_list.agents.problems, *agent_list.config.warnings]:
        write_output(f"\n{one_line(problem)}")
    return 0


def agents_table(agents: Sequence[Agent], columns: int) -> list[str]:
    """The lines of the table, at most about `columns` wide."""
    installed = [agent for agent in agents if agent.installed]
    others = [agent for agent in agents if not agent.installed]
    lines: list[str] = []
    for heading, sign, members in (
        ("Installed", "✓", installed),
        ("Not installed", "·", others),
    ):
        if members:
            lines += ["", heading, *_rows(sign, members, agents, columns)]
    lines += ["", "Start one: acp-tui --agent NAME. Choose or install one: acp-tui"]
    lines += ["See who is logged in: acp-tui agents status"] if installed else []
    return lines[1:]


def _rows(sign: str, members: Sequence[Agent], agents: Sequence[Agent], columns: int) -> list[str]:
    names, titles = [named(agent.name) for agent in agents], [agent.title for agent in agents]
    sizes = [1, _widest(names, 20), _widest(titles, 20)]
    wide = columns >= WIDE
    if wide:
        sizes.append(_widest([agent.description for agent in agents], 46))
    rows = [
        [sign, named(agent.name), agent.title, *([agent.description] if wide else []), _how(agent)] for agent in members
    ]
    return [f" {line}" for line in _in_columns(rows, sizes)]


def _how(agent: Agent) -> str:
    """The command that starts it, what installs it, or its page; and who says so."""
    origin = _ORIGINS[agent.origin]
    page = agent.homepage if agent.configured is None else ""
    how = shlex.join(agent.argv) if agent.program else agent.install or page
    if agent.origin == "registry" and agent.package is not None:
        how = f"{agent.package.spec} ({agent.package.kind}): choose it in acp-tui"
    if not how:
        how, origin = shlex.join(agent.argv), f"{origin}, not found"
    return f"{named(how)} ({origin})" if origin else named(how)


class SessionFilter(Frozen):
    """Which sessions are listed: those of an `agent` and a `folder` (empty: of all), and whether `runs` are, too."""

    agent: str = ""
    folder: str = ""
    runs: bool = False

    def search(self, records: Records, words: Sequence[str]) -> tuple[SearchResult, int]:
        """What is found among these sessions, and in how many runs that are hidden."""
        infos = records.list()
        is_run, of = run_check(infos), [info for info in infos if self._has(info)]
        found = records.search(words, among=[info for info in of if self.runs or not is_run(info)])
        hidden = [] if self.runs else [info for info in of if is_run(info)]
        return found, len(records.search(words, among=hidden).hits)

    def _has(self, info: RecordInfo) -> bool:
        """An agent has the name that it tells, and the one by which it was started."""
        names = [str(name).casefold() for name in (info.agent, info.start.get("agent", ""))]
        return (not self.agent or self.agent.casefold() in names) and self.folder in ("", info.cwd)


def show_hits(options: argparse.Namespace) -> int:
    """Print the sessions in which all of the words were said, the newest first; 1 if there are none."""
    folder = "" if options.cwd is None else str(real_path(written_path(options.cwd)))  # it may be gone by now
    only, records = SessionFilter(options.agent or "", folder, options.runs), Records()
    found, hidden = only.search(records, " ".join(options.words).split())
    write_output("\n".join(hits_table(found, _width(), hidden)))
    return 0 if found.hits else NO_HITS


def hits_table(found: SearchResult, columns: int, hidden: int = 0) -> list[str]:
    """The lines of the table, at most about `columns` wide: a row and a snippet for each session; `hidden` runs."""
    lines: list[str] = []
    if found.hits:
        rows = [["when", *(column.name for column in COLUMNS), "title"], *map(_hit_row, found.hits)]
        texts = list(zip(*rows, strict=True))[1:]
        most = (column.printed or column.width for column in COLUMNS)
        sizes = [_TIME, *map(_widest, texts, most)]
        heading, *lines_of_hits = _in_columns(rows, sizes)
        lines.append(heading)
        for line, hit in zip(lines_of_hits, found.hits, strict=True):
            lines += [line[:columns], f"    {one_line(hit.line, min(columns - 4, 240))}"]
    else:
        lines.append(f"No matches in {counted(found.searched, 'recorded session')}.")
    lines += [f"({counted(hidden, 'run')} hidden; show with --runs)"] * bool(hidden)
    return [*lines, f"({found.shortfall})"] if found.shortfall else lines


def _hit_row(hit: Hit) -> list[str]:
    when = hit.info.updated.astimezone().strftime("%Y-%m-%d %H:%M")
    return [when, *(column.text(PastSession(record=hit.info)) for column in COLUMNS), hit.info.title]


def _width() -> int:
    """How many characters fit on a line; plenty where standard output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000


def _in_columns(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    """One line for each row, every column but the last as wide as `widths` says; what is longer is cut with `…`."""
    lines: list[str] = []
    for row in rows:
        cells = [one_line(cell, size).ljust(size) for cell, size in zip(row, widths, strict=False)]
        rest = [one_line(cell, 1000) for cell in row[len(widths) :]]
        lines.append(_GAP.join([*cells, *rest]).rstrip())
    return lines


def _widest(texts: Sequence[str], most: int) -> int:
    return min(most, max((len(one_line(text)) for text in texts), default=0))
