"""What the list of agents says of each, and all about the one that is highlighted; must not know widgets."""

import shlex
from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from acp_tui.host.agents import Agent
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.tones import ACCENT, FAINT, MUTED

TITLE_AT_MOST = 24
_ORIGINS = {"known": "", "own": "yours", "project": "this project's", "registry": "registry"}


def heading(agent: Agent) -> str:
    """What the agents of the group have in common."""
    if agent.installed:
        return "Installed"
    return "Fetched when first started" if agent.program else "Not installed"


def title_width(agents: Sequence[Agent]) -> int:
    """The cells that the column of titles needs."""
    return min(TITLE_AT_MOST, max((cell_len(_title(agent)) for agent in agents), default=0))


def agent_row(agent: Agent, title_width: int, _width: int) -> Content:
    """One line: sign, title, what it is, and who says so where that is not this program."""
    sign, tone = ("✓", "$success") if agent.installed else ("↓", ACCENT) if agent.program else ("·", FAINT)
    title = _title(agent)
    parts: list[tuple[str, str]] = [
        (f"{sign} ", tone),
        (title, "" if agent.program else MUTED),
        (" " * (title_width + 2 - cell_len(title)), ""),
    ]
    description = sanitise_line(agent.description, 200)
    if description:
        parts.append((description + "  ", MUTED))
    if origin := _ORIGINS[agent.origin]:
        parts.append((origin, "$warning" if agent.origin == "project" else ACCENT))
    return Content.assemble(*parts)


def details(agent: Agent) -> Content:
    """How it is started or installed, and where more is told; three lines."""
    command = sanitise_line(shlex.join(agent.argv), 300)
    if agent.program:
        what = Content.assemble(("starts  ", MUTED), command)
    elif agent.install:
        what = Content.assemble(("install  ", MUTED), (sanitise_line(agent.install, 300), "bold"))
    else:
        what = Content.assemble(("not found  ", "$warning"), command)
    return Content("\n").join([_head(agent), what, Content.styled(_note(agent), MUTED)])


def searched(agent: Agent) -> tuple[str, ...]:
    """The words by which an agent is found, weightiest first."""
    return agent.title, agent.name, agent.description, _ORIGINS[agent.origin]


def _title(agent: Agent) -> str:
    return cut(sanitise_line(agent.title or agent.name), TITLE_AT_MOST)


def _head(agent: Agent) -> Content:
    name = sanitise_line(agent.name, 60)
    return Content.assemble((_title(agent), "bold"), ("  --agent " + name, MUTED))


def _note(agent: Agent) -> str:
    if agent.origin == "project":
        return "This project names it: you are asked before it starts"
    if agent.passed_over:
        return (
            f"Found in the project only, where nothing is started by its name: {sanitise_line(agent.passed_over, 200)}"
        )
    if agent.program and agent.fetched:
        return "It is downloaded when it is started first"
    return sanitise_line(agent.homepage, 200)
