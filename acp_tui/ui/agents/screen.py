"""The first screen where no agent was named: all that can be started here, filtered as one types."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.errors import Fault
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.launch import Launch
from acp_tui.host.catalog.roster import Roster
from acp_tui.host.installing.installation import missing_installer
from acp_tui.session.text.words import counted
from acp_tui.ui.agents.consent import ConsentScreen
from acp_tui.ui.agents.details import DetailsPanel
from acp_tui.ui.agents.getting import Getting
from acp_tui.ui.agents.keys import KEYS, hints
from acp_tui.ui.agents.rows import (
    DEMO,
    Needs,
    agent_row,
    command_of,
    heading,
    is_same,
    searched,
    title_width,
    with_demo,
)
from acp_tui.ui.kit.announcements import announce_problems
from acp_tui.ui.kit.filtered_list import FilteredList, grouped
from acp_tui.ui.kit.fuzzy import matching
from acp_tui.ui.kit.hints import key_hints
from acp_tui.ui.kit.overlay import Closable
from acp_tui.ui.kit.row_list import ListRow, RowList
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.overlays.help import HelpScreen
from acp_tui.ui.render.text import cut_left, sanitise_line
from acp_tui.views.formatting import home_path

FIRST = "None yet: try the demo or install one"
BESIDE_FOLDER = 16  # cells of the header beside the folder
ROOMY = 30  # rows of a screen on which groups stand apart
NAMED = 4  # problems that are told one by one


class AgentsScreen(Closable[None], inherit_bindings=False):
    """Enter starts the highlighted agent: `start` is called once the user has agreed to what needs consent."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]
    BINDINGS = [
        Binding("escape", "clear", show=False),
        Binding("ctrl+r,f5", "rescan", show=False),
        Binding("ctrl+y", "copy", show=False),
        Binding("f1", "help", show=False),
        Binding("ctrl+c,ctrl+d,ctrl+q", "leave", show=False),
    ]

    def __init__(
        self,
        roster: Roster,
        start: Callable[[Launch], object],
        chosen: str | Launch | None = "",
        *,
        demo: Callable[[], Launch],
    ) -> None:
        """What is `chosen` is started at once, or asked for: an agent by name (None: the default one), or a launch.

        `demo` makes a project for the demo, and says how to start it there; it may raise OSError.
        """
        super().__init__(id="agents")
        self._roster, self._chosen = roster, chosen
        self._start_now, self._demo = start, demo
        self._started = False
        self._told: set[str] = set()
        self._agents: Sequence[Agent] = ()
        self._needs: Needs = {}
        self._rows = FilteredList[Agent](helped=True)
        self._details = DetailsPanel()
        self._footer = Static(id="footer")

    def compose(self) -> ComposeResult:
        yield Static(id="header")
        with Vertical(id="agents-body"):
            yield Static(id="agents-title")
            yield self._rows
        yield self._details
        yield self._footer

    def on_mount(self) -> None:
        self._getting = Getting(self.app, self._roster, self._details, self._installed)
        self._tell_title()
        self._list()
        self._tell_problems()
        if self._chosen != "":
            self._choose(self._chosen)
        if self._roster.to_fetch and not self._started:
            self.app.run_worker(self._fetch(), exit_on_error=False)

    @property
    def highlighted(self) -> Agent | None:
        return self._rows.list.value

    @property
    def said(self) -> str:
        """What the screen says beside the rows."""
        return self._details.said

    @property
    def beside(self) -> bool:
        """Whether this is to choose another agent beside a session; else there is nothing to go back to."""
        return self.app.screen_stack[0] is not self

    def on_resize(self) -> None:
        folder = cut_left(sanitise_line(home_path(str(self._roster.folder)), 200), self.app.size.width - BESIDE_FOLDER)
        self.query_one("#header", Static).update(Content.assemble(("acp-tui", "bold"), (f" · {folder}", MUTED)))
        self._details.fit()
        self._fill(self.highlighted)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._details.fall_silent()
        self._fill()

    def on_filter_line_help_asked(self) -> None:
        self.action_help()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self._begin(event.value)

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if self._rows.moved:
            self._rows.moved = False
            self._details.fall_silent()
        self._details.show(self.highlighted)
        self._tell_keys()

    def action_clear(self) -> None:
        if not self._rows.line.value and self.beside:
            self.dismiss()
        self._rows.line.value = ""
        self._details.fall_silent()

    async def action_leave(self) -> None:
        if self.beside:
            self.dismiss()
        else:
            await self.app.action_quit()

    def action_rescan(self) -> None:
        self._roster.look_again()
        self._told.clear()
        self._tell_title()
        self._list(self.highlighted)
        found = sum(agent.installed for agent in self._roster.agents.listed)
        self._details.say(f"Rescanned: {counted(found, 'agent')} installed")
        self._tell_problems()

    def action_copy(self) -> None:
        """Put the command that is shown on the clipboard, as it is typed into a shell."""
        command = command_of(self.highlighted) if self.highlighted else ""
        if command:
            self._getting.copy(command)

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(KEYS))

    def _choose(self, name: str | Launch | None) -> None:
        if isinstance(name, Launch):
            self._start_or_ask(name)
            return
        proposed = name is None and bool(self._roster.proposed)
        if name is None and self._roster.ignored:
            announce_problems(self.app, [self._roster.ignored])
        name = self._roster.default_agent if name is None else name
        try:
            if name:
                self._begin(self._roster.find(name), proposed=proposed, named=True)
        except Fault as fault:
            self._details.say_fault(fault)

    def _begin(self, agent: Agent | None, *, proposed: bool = False, named: bool = False) -> None:
        """Start an agent that was chosen here, or was `named` before: then nothing is asked but a consent."""
        if agent is None or self._started or self._getting.at_work or not self.is_active:
            return  # Enter may come twice
        if agent is DEMO:
            self._begin_demo()
            return
        if not agent.program:
            self._roster.look_again()
            self._list(agent)
            agent = next((one for one in self._roster.agents.listed if one.name == agent.name), agent)
        if agent.program:
            self._launch(agent, proposed=proposed)
        elif named:
            self._getting.tell_missing(agent)
        else:
            self._getting.get(agent)

    def _launch(self, agent: Agent, *, proposed: bool) -> None:
        try:
            launch = self._roster.launch(agent, proposed=proposed)
        except Fault as fault:
            self._details.say_fault(fault)
        else:
            self._start_or_ask(launch)

    def _start_or_ask(self, launch: Launch) -> None:
        if launch.consent is None or self._roster.is_trusted(launch):
            self._start(launch)
        else:
            self.app.push_screen(ConsentScreen(launch, launch.consent), lambda agreed: self._agreed(launch, agreed))

    def _begin_demo(self) -> None:
        try:
            launch = self._demo()
        except OSError as error:
            said = "No folder for its scratch project", error.strerror or str(error)
            self._details.say("The demo could not be started", ": ".join(said), severity="error")
        else:
            self._start(launch)

    def _start(self, launch: Launch) -> None:
        self._started = True
        try:
            self._start_now(launch)
        except Fault as fault:  # of what the arguments or the config file add
            self._started = False
            self._details.say_fault(fault)

    def _agreed(self, launch: Launch, agreed: bool | None) -> None:
        if not agreed:
            return
        try:
            self._roster.trust(launch)
        except OSError as error:
            problem = f"Your answer could not be saved, so this will be asked again: {error.strerror or error}"
            self.app.notify(sanitise_line(problem, 300), severity="warning", markup=False)
        self._start(launch)

    def _installed(self, agent: Agent) -> None:
        if not self.is_active:
            return  # closed meanwhile
        self._tell_title()
        with self._rows.line.prevent(Input.Changed):
            self._rows.line.value = ""
        self._list(agent)
        self._begin(agent)

    def _tell_problems(self) -> None:
        new = [problem for problem in self._roster.agents.problems if problem not in self._told]
        self._told.update(new)
        if new:
            told = [sanitise_line(home_path(problem), 300) for problem in new[:NAMED]]
            more = [f"{len(new) - NAMED} more: acp-tui agents"] if len(new) > NAMED else []
            self._details.say("Some agents cannot be listed", *told, *more, severity="warning")

    def _tell_title(self, doing: str = "") -> None:
        startable = any(agent.program for agent in self._roster.agents.listed)
        note = doing or ("" if startable else FIRST)
        title = Content.assemble((self.title or "Choose an agent", "bold"), (f"  {note}", MUTED))
        self.query_one("#agents-title", Static).update(title)

    def _tell_keys(self) -> None:
        room = self.app.size.width - 6
        self._footer.update(
            key_hints(hints(self.highlighted, beside=self.beside, filtered=bool(self._rows.line.value), room=room))
        )

    async def _fetch(self) -> None:
        """What comes back is for who still chooses: others have gone on."""
        self._tell_title(f"Fetching {sanitise_line(self._roster.to_fetch, 120)}")
        await asyncio.to_thread(self._roster.fetch)
        if not self._started:
            self._tell_title()
            self._list(self.highlighted)
            self._tell_problems()

    def _list(self, keep: Agent | None = None) -> None:
        """Show the agents that there are now, with the highlight on the one to `keep`."""
        folder, agents = self._roster.folder, self._roster.agents.listed
        kinds = {agent.package.kind for agent in agents if agent.package is not None}
        missing = ((kind, missing_installer(kind, folder)) for kind in kinds)
        self._needs = {kind: needed for kind, needed in missing if needed is not None}
        self._agents = with_demo(agents)
        self._details.list_agents(self._agents, self._needs)
        self._fill(keep)

    def _fill(self, keep: Agent | None = None) -> None:
        width = title_width(self._agents)
        found = matching(self._rows.line.value, self._agents, searched)
        rows = ((heading(agent), ListRow(partial(agent_row, agent, width, self._needs), agent)) for agent in found)
        self._rows.show(grouped(rows, apart=self.app.size.height >= ROOMY), partial(is_same, keep))
