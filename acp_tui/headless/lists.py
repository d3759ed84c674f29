"""Tables of `acp-tui agents` and `acp-tui search`, and the agents and sessions that Tab in a shell completes."""

import argparse
import re
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from acp_tui.console import write_output
from acp_tui.errors import Fault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS, Agent
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.records.record_info import RecordInfo, run_check
from acp_tui.host.records.records import Records
from acp_tui.host.records.search import Hit, SearchResult
from acp_tui.host.system.paths import real_path, written_path
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.phrases import counted
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
    origin = _ORIGINS[agent.origin]
    page = agent.homepage if agent.configured is None else ""
    how = shlex.join(agent.argv) if agent.program else agent.install or page
    if agent.origin == "registry" and agent.package is not None:
        how = f"{agent.package.spec} ({agent.package.kind}): choose it in acp-tui"
    if not how:
        how, origin = shlex.join(agent.argv), f"{origin}, not found"
    return f"{named(how)} ({origin})" if origin else named(how)


class SessionFilter(Frozen):
    """A filter of sessions: those of an `agent` and a `folder` (empty: of all), and whether `runs` are, too."""

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
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000


def _in_columns(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    lines: list[str] = []
    for row in rows:
        cells = [one_line(cell, size).ljust(size) for cell, size in zip(row, widths, strict=False)]
        rest = [one_line(cell, 1000) for cell in row[len(widths) :]]
        lines.append(_GAP.join([*cells, *rest]).rstrip())
    return lines


def _widest(texts: Sequence[str], most: int) -> int:
    return min(most, max((len(one_line(text)) for text in texts), default=0))


SESSIONS_AT_MOST = 50
LONGEST = 60  # characters of a description
_PLAIN = re.compile(r"[\w@%+=:,./][\w@%+=:,./-]*", re.ASCII)
"""Words that mean themselves in every shell: a config file names agents, and an agent its sessions."""


def agents(folder: Path) -> Iterator[tuple[str, str]]:
    """Names for `--agent`, those that can be started first; nothing is fetched."""
    try:
        listed = AgentList(folder).agents.listed
    except Fault:  # a config file that cannot be used: a line that is still written is no place to say so
        yield from ((agent.name, agent.title) for agent in KNOWN_AGENTS)
        return
    for agent in sorted(listed, key=lambda agent: not agent.program):
        title = one_line(agent.title, LONGEST)
        yield agent.name, title if agent.program else f"{title}, not installed"


def sessions(folder: Path) -> Iterator[tuple[str, str]]:
    """IDs for `--resume`, the session that was used last first; runs come behind all others, and are named so."""
    found = [info for info in Records().list(str(folder)) if info.session_id]
    is_run = run_check(found)
    for info in sorted(found, key=is_run)[:SESSIONS_AT_MOST]:
        run = "run" * is_run(info)
        names = one_line(info.title, LONGEST), one_line(info.agent, LONGEST)
        parts = run, *names, f"{info.updated.astimezone():%d %b %H:%M}"
        yield info.session_id, " · ".join(part for part in parts if part)


LISTS = {"agents": agents, "sessions": sessions}


def rows(kind: str, folder: Path) -> Iterable[tuple[str, str]]:
    """The words of a kind, without any that a shell would take for more than a word."""
    seen: set[str] = set()
    for word, told in LISTS[kind](folder):
        if _PLAIN.fullmatch(word) and word not in seen:
            seen.add(word)
            yield word, told
