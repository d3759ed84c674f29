"""The list of agents in words: its rows, what is told of the highlighted one and where, its keys."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from rich.cells import cell_len
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import Fault
from acp_tui.host.catalog.agent_entries import Agent
from acp_tui.session.text.secret_masking import masked_words
from acp_tui.ui.kit.session_view import Severity, brief, headed
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut, sanitise, sanitise_line

TITLE_AT_MOST = 24
LONGEST = 2_000  # characters of a command that is told; a longer one says that it was cut
DEMO = Agent("demo", "Demo agent", "Try it out: no account, no network", ("demo",), "known", program=sys.executable)
"""Stands for the built-in agent in the list; it is started in a project of its own."""

_ORIGINS = {"known": "", "own": "configured", "registry": "registry"}


def with_demo(agents: Sequence[Agent]) -> list[Agent]:
    """The demo behind what is installed, before what is not."""
    installed = [agent for agent in agents if agent.installed]
    return [*installed, DEMO, *(agent for agent in agents if not agent.installed)]


def is_same(before: Agent | None, agent: Agent) -> bool:
    """Whether this is the same agent, whatever is known of it now."""
    return before is not None and before.name == agent.name and (before is DEMO) == (agent is DEMO)


def heading(agent: Agent) -> str:
    """What the agents of the group have in common."""
    if agent is DEMO:
        return "Built in"
    if agent.installed:
        return "Installed"
    return "From the registry" if agent.origin == "registry" else "Not installed"


def title_width(agents: Sequence[Agent]) -> int:
    """The cells that the column of titles needs."""
    return min(TITLE_AT_MOST, max((cell_len(_title(agent)) for agent in agents), default=0))


def agent_row(agent: Agent, title_width: int, _width: int) -> Content:
    """One line: sign, title, what it is, who says so where that is not this program, and what it needs first."""
    sign, tone = ("✓", "$success") if agent.installed else (" ", "")
    title = _title(agent)
    gap = " " * (title_width + 2 - cell_len(title))
    head = Content.assemble((f"{sign} ", tone), (title, "" if agent.program else MUTED), gap)
    told = [Content.styled(sanitise_line(agent.description, 200), MUTED)]
    if agent.origin == "own":
        told.append(Content.styled(_ORIGINS[agent.origin], ACCENT))
    if agent.needs is not None:
        told.append(Content.styled(f"needs {agent.needs[0]}", "$warning"))
    return head + Content("  ").join(part for part in told if part)


def command_of(agent: Agent) -> str:
    """What starts or installs it from a shell, or the page that says how; empty where there is nothing to copy."""
    return _starting(agent) if agent.program else agent.install or agent.homepage


def leads_to_page(agent: Agent) -> bool:
    """Whether its page is all that can be offered for it."""
    return agent.package is None and not agent.program and not agent.passed_over and bool(agent.homepage)


def _starting(agent: Agent) -> str:
    return "acp-tui --demo" if agent is DEMO else f"acp-tui --agent {shlex.quote(agent.name)}"


def details(agent: Agent, width: int, rows: int) -> Content:
    """How it is started or installed, and where more is told, in at most so many rows: the command goes last."""
    parts = [part.wrap(width) for part in (_head(agent), _command(agent), _note(agent)) if part]
    for gone in (-1, 0):
        if len(parts) > 1 and sum(map(len, parts)) > rows:
            parts.pop(gone)
    return in_rows([line for part in parts for line in part], rows)


def in_rows(lines: Sequence[Content], rows: int) -> Content:
    """The first lines; the last says where there are more."""
    shown = list(lines[:rows])
    if len(lines) > rows:
        shown[-1] = Content.assemble(shown[-1].right_crop(1) if shown[-1].cell_length else shown[-1], "…")
    return Content("\n").join(shown)


def rows_of_details(agents: Sequence[Agent], width: int, most: int) -> int:
    """Rows that hold what is told of each of them, so that the list stays where it is while one moves."""
    return max((len(details(agent, width, most).split("\n", allow_blank=True)) for agent in agents), default=1)


def searched(agent: Agent) -> tuple[str, ...]:
    """The words by which an agent is found, weightiest first."""
    return agent.title, agent.name, agent.description, _ORIGINS[agent.origin]


def _head(agent: Agent) -> Content:
    return Content.assemble((_title(agent), "bold"), (f"  {sanitise_line(_starting(agent), 80)}", MUTED))


def _command(agent: Agent) -> Content:
    if agent is DEMO:
        return Content("A scripted agent in a scratch project")
    if agent.program:
        words = masked_words(agent.argv) if agent.origin == "own" else agent.argv
        return Content.assemble(("start  ", MUTED), sanitise_line(shlex.join(words), LONGEST))
    if agent.install:
        return Content.assemble(("install  ", MUTED), (sanitise_line(agent.install, LONGEST), "bold"))
    if agent.homepage:
        return Content.assemble(("install from  ", MUTED), (sanitise_line(agent.homepage, LONGEST), "bold"))
    return Content.assemble(("command not found  ", "$warning"), sanitise_line(shlex.join(agent.argv), LONGEST))


def _title(agent: Agent) -> str:
    return cut(sanitise_line(agent.title or agent.name), TITLE_AT_MOST)


def _note(agent: Agent) -> Content:
    if agent.needs is not None:
        return Content.styled(agent.needs[1], "$warning")
    if agent.passed_over:
        found = sanitise_line(agent.passed_over, 200)
        return Content.styled(f"Not started by name, since it was found only inside this project: {found}", MUTED)
    told = () if agent.program else (agent.licence, agent.publisher)
    page = agent.homepage if agent.program or agent.install else ""
    return Content.styled(" · ".join(sanitise_line(part, 200) for part in (*told, page) if part), MUTED)


def enter_word(agent: Agent) -> str:
    """What Enter does with the agent."""
    if agent.program:
        return "start"
    if agent.package is not None:
        return "install"
    return "show page" if leads_to_page(agent) else "check again"


BESIDE = 8  # cells of the screen beside the text: margins, border, padding
LEAST, LEAST_SAID = 3, 5  # rows for what is told of an agent, and for a notice
TONES = {"information": "", "warning": "$warning", "error": "$error"}


class DetailsPanel(Vertical):
    """A notice, and below it how the highlighted agent is started; on few rows the one stands in the other's place."""

    def __init__(self) -> None:
        self._notice, self._about = Static(id="agents-notice"), Static(id="agents-details")
        super().__init__(self._notice, self._about, id="agents-panel")
        self._agent: Agent | None = None
        self._agents: Sequence[Agent] = ()
        self._said = ""

    def on_mount(self) -> None:
        self._notice.display = False

    def list_agents(self, agents: Sequence[Agent]) -> None:
        """Keep room for what is told of any of these."""
        self._agents = agents
        self.fit()

    def show(self, agent: Agent | None) -> None:
        self._agent = agent
        self._about.update(Content("") if agent is None else details(agent, self._width, self._rows))

    def say(self, title: str, *parts: str, severity: Severity = "information") -> None:
        """Say something in place of what was said before; nothing foreign of it is markup."""
        heading, *others = [brief(part) for part in (title, *parts) if part]
        words = [Content.styled(heading, f"bold {TONES[severity]}"), *map(Content, others)]
        lines = [line for text in words for line in text.wrap(self._width)]
        self._said = sanitise("\n".join([heading, *others]))
        self._notice.update(in_rows(lines, max(LEAST_SAID, self.app.size.height // 3)))
        self._notice.set_class(severity != "information", "-warns")
        self._show_notice(True)

    @contextmanager
    def saying_faults(self) -> Iterator[None]:
        """Say what the user asked for and cannot have, and why."""
        try:
            yield
        except Fault as fault:
            title, message = headed(fault.title, fault.message)
            self.say(title, message, fault.hint, severity="error")

    @property
    def said(self) -> str:
        """What is said now, whole; empty if nothing is."""
        return self._said

    def fall_silent(self) -> None:
        self._said = ""
        self._show_notice(False)

    def fit(self) -> None:
        """As many rows as the longest needs, of those that the screen can spare."""
        self._about.styles.height = rows_of_details(self._agents, self._width, self._rows)
        self.show(self._agent)

    def _show_notice(self, shown: bool) -> None:
        self._notice.display = shown
        self.set_class(shown, "-saying")

    @property
    def _width(self) -> int:
        return max(10, self.app.size.width - BESIDE)

    @property
    def _rows(self) -> int:
        return max(LEAST, self.app.size.height // 5)
