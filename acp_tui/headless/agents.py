"""`acp-tui agents`: the agents of a folder as a table; must not know how one is started."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from acp_tui.console import write_output
from acp_tui.headless.columns import in_columns, widest, width
from acp_tui.host.agents import Agent
from acp_tui.host.roster import Roster
from acp_tui.safe_text import named, one_line

WIDE = 110
"""Columns from which on there is room for descriptions."""
_ORIGINS = {"known": "", "own": "configured", "project": "project", "registry": "registry"}


def show_agents(folder: Path) -> int:
    """Print what is installed, what can be fetched, what is not there and how to get it; the exit code."""
    roster = Roster(folder)
    roster.fetch()
    write_output("\n".join(table(roster.agents.listed, width())))
    for problem in [*roster.agents.problems, *roster.config.warnings]:
        write_output(f"\n{one_line(problem)}")
    return 0


def table(agents: Sequence[Agent], columns: int) -> list[str]:
    """The lines of the table, at most about `columns` wide."""
    installed = [agent for agent in agents if agent.installed]
    fetched = [agent for agent in agents if agent.program and agent.fetched]
    others = [agent for agent in agents if not agent.program]
    lines: list[str] = []
    for heading, sign, members in (
        ("Installed", "✓", installed),
        ("Fetched when first started", "↓", fetched),
        ("Not installed: how to install", "·", others),
    ):
        if members:
            lines += ["", heading, *_rows(sign, members, agents, columns)]
    lines += ["", "Start one: acp-tui --agent NAME, or acp-tui alone to choose."]
    return lines[1:]


def _rows(sign: str, members: Sequence[Agent], agents: Sequence[Agent], columns: int) -> list[str]:
    names, titles = [named(agent.name) for agent in agents], [agent.title for agent in agents]
    sizes = [1, widest(names, 20), widest(titles, 20)]
    wide = columns >= WIDE
    if wide:
        sizes.append(widest([agent.description for agent in agents], 46))
    rows = [
        [sign, named(agent.name), agent.title, *([agent.description] if wide else []), _how(agent)] for agent in members
    ]
    return [f" {line}" for line in in_columns(rows, sizes)]


def _how(agent: Agent) -> str:
    """The command that starts it, or what installs it; and who says so."""
    how = named(shlex.join(agent.argv) if agent.program or not agent.install else agent.install)
    origin = _ORIGINS[agent.origin]
    missing = "" if agent.program or agent.install else ", not found"
    return f"{how} ({origin}{missing})" if origin else how
