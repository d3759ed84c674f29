"""What Tab in a shell completes from what is kept here: names of agents, and sessions of a folder."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from acp_tui.errors import Fault
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.records.record_info import run_check
from acp_tui.host.records.records import Records
from acp_tui.safe_text import one_line

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
