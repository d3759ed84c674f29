"""The first screen where no agent was named: all that can be started here, filtered as one types."""

from collections.abc import Callable, Sequence
from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Static

from acp_tui.host.catalog.agent_entries import Agent
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.system.threads import in_thread
from acp_tui.session.text.phrases import counted
from acp_tui.ui.agents.agent_rows import (
    DEMO,
    DetailsPanel,
    agent_row,
    command_of,
    enter_word,
    heading,
    is_same,
    searched,
    title_width,
    with_demo,
)
from acp_tui.ui.agents.consent_dialog import ConsentScreen
from acp_tui.ui.agents.install_flow import InstallFlow
from acp_tui.ui.kit.base_screens import Closable
from acp_tui.ui.kit.list_panel import KeyedWidget, PanelKey
from acp_tui.ui.kit.row_list import ROOMY, FilteredList, ListRow, RowList, grouped
from acp_tui.ui.kit.session_view import announce_problems
from acp_tui.ui.kit.theme import MUTED, Hint, fitting, key_hints
from acp_tui.ui.render.text import cut_left, sanitise_line
from acp_tui.ui.text_panels import HelpScreen, help_rows
from acp_tui.views.formatting import home_path
from acp_tui.views.row_search import matching

FIRST = "No agents installed yet. Try the demo, or install one."
BESIDE_FOLDER = 16  # cells of the header beside the folder
NAMED = 4  # problems that are told one by one


SPARE = ("move", "copy command", "rescan", "quit")  # words of hints that go where there is no room, in this order


def footer_hints(hints: Sequence[Hint], room: int) -> list[Hint]:
    """Those that fit in `room` cells."""
    return fitting(hints, room, [hint for hint in hints if hint[1] in SPARE])


class AgentsScreen(Closable[None], KeyedWidget, inherit_bindings=False):
    """Enter starts the highlighted agent: `start` is called once the user has agreed to what needs consent."""

    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]
    KEYS = (
        PanelKey(
            "enter",
            lambda panel: enter_word(panel.highlighted) if panel.highlighted else "",
            help="Start the highlighted agent, install it, or show its page",
        ),
        PanelKey("up,down,tab,pageup,pagedown", "move", label="↑↓", help="Select"),
        PanelKey("letters", help="Filter by name"),
        PanelKey(
            "escape",
            lambda panel: "clear" if panel.query_typed else "close" * panel.beside,
            "clear",
            rank=1,
            help="Clear the filter, or close the list",
        ),
        PanelKey("ctrl+y", "copy command", "copy", help="Copy the command that is shown"),
        PanelKey("f5", "rescan", "rescan", help="Rescan for installed agents"),
        PanelKey("f1,question_mark", "help", label="?", rank=3, help="Help (? with an empty filter)"),
        PanelKey("f1", act="help"),
        PanelKey(
            "ctrl+q,ctrl+c,ctrl+d",
            lambda panel: "" if panel.beside else "quit",
            "leave",
            rank=2,
            help="Quit, or close the list over a session",
        ),
    )

    def __init__(
        self,
        agent_list: AgentList,
        start: Callable[[LaunchPlan], object],
        chosen: str | LaunchPlan | None = "",
        *,
        demo: Callable[[], LaunchPlan],
    ) -> None:
        """What is `chosen` is started at once, or asked for: an agent by name (None: the default one), or a plan.

        `demo` makes a project for the demo, and says how to start it there.
        """
        super().__init__(id="agents")
        self._agent_list, self._chosen = agent_list, chosen
        self._start_now, self._demo = start, demo
        self._started = False
        self._told: set[str] = set()
        self._agents: Sequence[Agent] = ()
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
        self._install_flow = InstallFlow(self.app, self._agent_list, self._details, self._installed)
        self._tell_title()
        self._list()
        self._tell_problems()
        if self._chosen != "":
            self._choose(self._chosen)
        if self._agent_list.to_fetch and not self._started:
            self.app.run_worker(self._fetch(), exit_on_error=False)

    @property
    def highlighted(self) -> Agent | None:
        return self._rows.list.value

    @property
    def query_typed(self) -> str:
        return self._rows.line.value

    @property
    def said(self) -> str:
        """What the screen says beside the rows."""
        return self._details.said

    @property
    def beside(self) -> bool:
        """Whether this is to choose another agent beside a session; else there is nothing to go back to."""
        return self.app.screen_stack[0] is not self

    def on_resize(self) -> None:
        folder = cut_left(
            sanitise_line(home_path(str(self._agent_list.folder)), 200), self.app.size.width - BESIDE_FOLDER
        )
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
        self._agent_list.look_again()
        self._told.clear()
        self._tell_title()
        self._list(self.highlighted)
        found = sum(agent.installed for agent in self._agent_list.agents.listed)
        self._details.say(f"Rescanned: {counted(found, 'agent')} installed")
        self._tell_problems()

    def action_copy(self) -> None:
        """Put the command that is shown on the clipboard, as it is typed into a shell."""
        command = command_of(self.highlighted) if self.highlighted else ""
        if command:
            self._install_flow.copy(command)

    def action_help(self) -> None:
        self.app.push_screen(HelpScreen(help_rows("Agents", self.KEYS)))

    def _choose(self, chosen: str | LaunchPlan | None) -> None:
        if isinstance(chosen, LaunchPlan):
            self._start_or_ask(chosen)
            return
        if chosen is None and self._agent_list.ignored:
            announce_problems(self.app, [self._agent_list.ignored])
        with self._details.saying_faults():
            if name := self._agent_list.default_agent if chosen is None else chosen:
                self._begin(self._agent_list.find(name), by_default=chosen is None, named=True)

    def _begin(self, agent: Agent | None, *, by_default: bool = False, named: bool = False) -> None:
        """Start an agent that was chosen here, or was `named` before: then nothing is asked but a consent."""
        if agent is None or self._started or self._install_flow.at_work or not self.is_active:
            return  # Enter may come twice
        if not agent.program:
            self._agent_list.look_again()
            self._list(agent)
            agent = self._agent_list.agents.get(agent.name) or agent
        if agent.program:
            with self._details.saying_faults():
                demo = agent is DEMO
                self._start_or_ask(self._demo() if demo else self._agent_list.plan(agent, by_default=by_default))
        elif named:
            self._install_flow.tell_missing(agent)
        else:
            self._install_flow.get(agent)

    def _start_or_ask(self, plan: LaunchPlan) -> None:
        if plan.consent is None or self._agent_list.is_trusted(plan):
            self._start(plan)
        else:
            self.app.push_screen(ConsentScreen(plan, plan.consent), lambda agreed: self._agreed(plan, agreed))

    def _start(self, plan: LaunchPlan) -> None:
        self._started = True
        with self._details.saying_faults():  # of what the arguments or the config file add
            self._start_now(plan)
            return
        self._started = False

    def _agreed(self, plan: LaunchPlan, agreed: bool | None) -> None:
        if not agreed:
            return
        try:
            self._agent_list.trust(plan)
        except OSError as error:
            problem = f"Your answer could not be saved ({error.strerror or error}). You will be asked again."
            self.app.notify(sanitise_line(problem, 300), severity="warning", markup=False)
        self._start(plan)

    def _installed(self, agent: Agent) -> None:
        if not self.is_active:
            return  # closed meanwhile
        self._tell_title()
        with self._rows.line.prevent(Input.Changed):
            self._rows.line.value = ""
        self._list(agent)
        self._begin(agent)

    def _tell_problems(self) -> None:
        new = [problem for problem in self._agent_list.agents.problems if problem not in self._told]
        self._told.update(new)
        if new:
            told = [sanitise_line(home_path(problem), 300) for problem in new[:NAMED]]
            more = [f"{len(new) - NAMED} more: acp-tui agents"] if len(new) > NAMED else []
            self._details.say("Some agents cannot be listed", *told, *more, severity="warning")

    def _tell_title(self, doing: str = "") -> None:
        startable = any(agent.program for agent in self._agent_list.agents.listed)
        note = doing or ("" if startable else FIRST)
        title = Content.assemble(
            (self.title or ("New session with…" if self.beside else "Choose an agent"), "bold"), (f"  {note}", MUTED)
        )
        self.query_one("#agents-title", Static).update(title)

    def _tell_keys(self) -> None:
        self._footer.update(key_hints(footer_hints(self.hints(), self.app.size.width - 6)))

    async def _fetch(self) -> None:
        """What comes back is for who still chooses: others have gone on."""
        self._tell_title(f"Fetching {sanitise_line(self._agent_list.to_fetch, 120)}")
        await in_thread(self._agent_list.fetch)
        if not self._started:
            self._tell_title()
            self._list(self.highlighted)
            self._tell_problems()

    def _list(self, keep: Agent | None = None) -> None:
        self._agents = with_demo(self._agent_list.agents.listed)
        self._details.list_agents(self._agents)
        self._fill(keep)

    def _fill(self, keep: Agent | None = None) -> None:
        width = title_width(self._agents)
        found = matching(self._rows.line.value, self._agents, searched)
        rows = ((heading(agent), ListRow(partial(agent_row, agent, width), agent)) for agent in found)
        self._rows.show(grouped(rows, apart=self.app.size.height >= ROOMY), partial(is_same, keep))
