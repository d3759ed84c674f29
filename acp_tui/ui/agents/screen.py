"""The first screen where no agent was named: all that can be started here, filtered as one types."""

import asyncio
import shlex
from collections.abc import Callable, Sequence
from functools import partial

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.errors import Fault
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.launch import Launch
from acp_tui.host.catalog.roster import Roster, passed_over
from acp_tui.ui.agents.consent import ConsentScreen
from acp_tui.ui.kit.announcements import announce_fault, announce_problems
from acp_tui.ui.kit.figures import home_path
from acp_tui.ui.kit.filtered_list import FilteredList, grouped
from acp_tui.ui.kit.fuzzy import matching
from acp_tui.ui.kit.hints import MOVE, key_hints
from acp_tui.ui.kit.overlay import Closable
from acp_tui.ui.kit.row_list import ListRow, RowList
from acp_tui.ui.kit.theme import ACCENT, FAINT, MUTED
from acp_tui.ui.render.text import cut, sanitise_line

DEMO = "None is installed here. acp-tui --demo has one built in."
_HINTS = (("enter", "start"), MOVE, ("esc", "clear"), ("^R", "look again"), ("^Q", "quit"))


class AgentsScreen(Closable[None], inherit_bindings=False):
    """Enter starts the highlighted agent: `start` is called once the user has agreed to what needs consent."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]
    BINDINGS = [
        Binding("escape", "clear", show=False),
        Binding("ctrl+r,f5", "look_again", show=False),
        Binding("ctrl+c,ctrl+d", "app.quit", show=False),
    ]

    def __init__(self, roster: Roster, start: Callable[[Launch], None], chosen: str | Launch | None = "") -> None:
        """What is `chosen` is started at once, or asked for: an agent by name (None: the default one), or a launch."""
        super().__init__(id="agents")
        self._roster, self._chosen = roster, chosen
        self._start_now = start
        self._started = False
        self._told: set[str] = set()
        self._rows = FilteredList[Agent]()

    def compose(self) -> ComposeResult:
        folder = sanitise_line(home_path(str(self._roster.folder)), 200)
        yield Static(Content.assemble(("acp-tui", "bold"), (f" · {folder}", MUTED)), id="header")
        with Vertical(id="agents-body"):
            yield Static(id="agents-title")
            yield self._rows
        yield Static(id="agents-details")
        yield Static(key_hints(_HINTS), id="footer")

    def on_mount(self) -> None:
        self._tell_title()
        self._fill()
        self._tell_problems()
        if self._chosen != "":
            self._choose(self._chosen)
        if self._roster.to_fetch and not self._started:
            self.app.run_worker(self._fetch(), exit_on_error=False)

    @property
    def highlighted(self) -> Agent | None:
        return self._rows.list.value

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self._begin(event.value)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        agent = self.highlighted
        self.query_one("#agents-details", Static).update(Content("") if agent is None else details(agent))

    def action_clear(self) -> None:
        line = self._rows.line
        if not line.value and len(self.app.screen_stack) > 1:
            self.dismiss()
        line.value = ""

    def action_look_again(self) -> None:
        name = self.highlighted.name if self.highlighted else ""
        self._roster.look_again()
        self._fill(name)
        self._tell_problems()

    def _choose(self, name: str | Launch | None) -> None:
        if isinstance(name, Launch):
            self._start_or_ask(name)
            return
        config = self._roster.config
        proposed = name is None and bool(config.proposed_agent)
        name = config.own_default_agent if name is None else name
        try:
            if proposed:
                self._begin(self._roster.find_proposed(), proposed=True)
            elif name:
                self._begin(self._roster.find(name))
        except Fault as fault:
            announce_fault(self.app, fault)

    def _begin(self, agent: Agent | None, *, proposed: bool = False) -> None:
        if agent is None or self._started or not self.is_current:
            return  # Enter may come twice
        if not agent.program:
            self._roster.look_again()
            self._fill(agent.name)
            agent = next((one for one in self._roster.agents.listed if one.name == agent.name), agent)
        if not agent.program:
            self._tell_missing(agent)
            return
        try:
            launch = self._roster.launch(agent, proposed=proposed)
        except Fault as fault:
            announce_fault(self.app, fault)
            return
        self._start_or_ask(launch)

    def _start_or_ask(self, launch: Launch) -> None:
        if launch.consent is None or self._roster.is_trusted(launch):
            self._start(launch)
        else:
            self.app.push_screen(ConsentScreen(launch, launch.consent), lambda agreed: self._agreed(launch, agreed))

    def _start(self, launch: Launch) -> None:
        self._started = True
        self._start_now(launch)

    def _agreed(self, launch: Launch, agreed: bool | None) -> None:
        if not agreed:
            return
        try:
            self._roster.trust(launch)
        except OSError as error:
            problem = f"It is started, but that cannot be remembered: {error.strerror or error}"
            self.app.notify(sanitise_line(problem, 300), severity="warning", markup=False)
        self._start(launch)

    def _tell_missing(self, agent: Agent) -> None:
        if agent.passed_over:
            announce_fault(self.app, passed_over(agent))
            return
        title = f"{sanitise_line(agent.title, 60)} is not installed"
        words = f"Install it with\n{sanitise_line(agent.install, 300)}\nand press Enter again."
        if not agent.install:
            words = f"There is no program {sanitise_line(agent.argv[0], 200)}."
        self.app.notify(words, title=title, severity="warning", markup=False, timeout=12)

    def _tell_problems(self) -> None:
        new = [problem for problem in self._roster.agents.problems if problem not in self._told]
        self._told.update(new)
        if new:
            announce_problems(self.app, new, title="Not all agents can be shown")

    def _tell_title(self, doing: str = "") -> None:
        startable = any(agent.program for agent in self._roster.agents.listed)
        note = doing or ("" if startable else DEMO)
        title = Content.assemble(("Which agent?", "bold"), (f"  {note}", MUTED))
        self.query_one("#agents-title", Static).update(title)

    async def _fetch(self) -> None:
        """What comes back is for who still chooses: others have gone on."""
        self._tell_title(f"fetching {sanitise_line(self._roster.to_fetch, 120)}")
        await asyncio.to_thread(self._roster.fetch)
        if not self._started:
            self._tell_title()
            self._fill(self.highlighted.name if self.highlighted else "")
            self._tell_problems()

    def _fill(self, keep: str = "") -> None:
        agents = self._roster.agents.listed
        width = title_width(agents)
        found = matching(self._rows.line.value, agents, searched)
        rows = ((heading(agent), ListRow(partial(agent_row, agent, width), agent)) for agent in found)
        self._rows.show(grouped(rows, apart=True), lambda agent: agent.name == keep)


TITLE_AT_MOST = 24
_ORIGINS = {"known": "", "own": "yours", "project": "this project's", "registry": "registry"}


def heading(agent: Agent) -> str:
    """What the agents of the group have in common."""
    return "Installed" if agent.installed else "Not installed"


def title_width(agents: Sequence[Agent]) -> int:
    """The cells that the column of titles needs."""
    return min(TITLE_AT_MOST, max((cell_len(_title(agent)) for agent in agents), default=0))


def agent_row(agent: Agent, title_width: int, _width: int) -> Content:
    """One line: sign, title, what it is, and who says so where that is not this program."""
    sign, tone = ("✓", "$success") if agent.installed else ("·", FAINT)
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
    head = Content.assemble((_title(agent), "bold"), (f"  --agent {sanitise_line(agent.name, 60)}", MUTED))
    return Content("\n").join([head, what, Content.styled(_note(agent), MUTED)])


def searched(agent: Agent) -> tuple[str, ...]:
    """The words by which an agent is found, weightiest first."""
    return agent.title, agent.name, agent.description, _ORIGINS[agent.origin]


def _title(agent: Agent) -> str:
    return cut(sanitise_line(agent.title or agent.name), TITLE_AT_MOST)


def _note(agent: Agent) -> str:
    if agent.origin == "project":
        return "This project names it: you are asked before it starts"
    if agent.passed_over:
        return (
            f"Found in the project only, where nothing is started by its name: {sanitise_line(agent.passed_over, 200)}"
        )
    return sanitise_line(agent.homepage, 200)
