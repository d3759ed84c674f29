"""Getting an agent that is not installed: by its package, once the user has agreed, or from its page."""

from collections.abc import Callable
from typing import Any

from textual.app import App

from acp_tui.errors import Fault
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.roster import Roster
from acp_tui.host.desktop.opener import open_address
from acp_tui.host.installing.installation import Installation, plan_installation
from acp_tui.ui.agents.details import DetailsPanel
from acp_tui.ui.agents.installing import InstallScreen, install
from acp_tui.ui.agents.rows import leads_to_page
from acp_tui.ui.export.opening import Way, opening_of_address
from acp_tui.ui.kit.picker import Picker, PickerRow
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.terminal.clipboard import write_clipboard


class Getting:
    """What Enter does with an agent that is not there. `found` gets one that was installed."""

    def __init__(self, app: App[Any], roster: Roster, details: DetailsPanel, found: Callable[[Agent], None]) -> None:
        self._app, self._roster, self._details, self._found = app, roster, details, found
        self.at_work = False

    def get(self, agent: Agent) -> None:
        """Ask whether to install it, or what to do with the page that says how."""
        if agent.package is not None:
            self._ask(agent)
        elif leads_to_page(agent):
            self._show_page(agent)
        else:
            self.tell_missing(agent)

    def tell_missing(self, agent: Agent) -> None:
        """Say why an agent cannot be started, and what to do."""
        try:
            self._roster.check_installed(agent)
        except Fault as fault:
            self._details.say_fault(fault)

    def copy(self, text: str) -> None:
        write_clipboard(self._app, text)
        self._details.say("Copied", text)

    def _ask(self, agent: Agent) -> None:
        try:
            installation = plan_installation(agent, self._roster)
        except Fault as fault:
            self._details.say_fault(fault)
            return

        def answered(agreed: bool | None) -> None:
            if agreed:
                # In the app: who closes the list has not called the command off.
                self._app.run_worker(self._install(installation), exit_on_error=False)

        self._app.push_screen(InstallScreen(installation), answered)

    async def _install(self, installation: Installation) -> None:
        self.at_work = True
        try:
            agent = await install(self._app, installation, self._roster)
        except Fault as fault:
            self._details.say_fault(fault)
            return
        finally:
            self.at_work = False
        if agent is None:
            self._details.say("Installation cancelled", severity="warning")
        else:
            self._found(agent)

    def _show_page(self, agent: Agent) -> None:
        details, ways = opening_of_address(agent.homepage)
        title = f"Install {sanitise_line(agent.title, 40)} from its page"
        rows = [PickerRow(way, way.label) for way in ways]

        def chosen(way: Way | None) -> None:
            if way is not None:
                self._app.run_worker(self._follow(way), exit_on_error=False)

        self._app.push_screen(Picker(title, rows, details), chosen)

    async def _follow(self, way: Way) -> None:
        if way.act == "copy":
            self.copy(way.subject)
        elif not await open_address(way.subject):
            self._details.say("No browser could be started", f"Open it yourself: {way.subject}", severity="warning")
