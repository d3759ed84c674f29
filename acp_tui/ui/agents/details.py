"""What stands below the list of agents: the highlighted one, and what there is to say, until the user goes on."""

from collections.abc import Sequence

from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import Fault
from acp_tui.host.catalog.agents import Agent
from acp_tui.ui.agents.rows import Needs, details, in_rows, rows_of_details
from acp_tui.ui.kit.announcements import Severity, brief, headed
from acp_tui.ui.render.text import sanitise

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
        self._needs: Needs = {}
        self._said = ""

    def on_mount(self) -> None:
        self._notice.display = False

    def list_agents(self, agents: Sequence[Agent], needs: Needs) -> None:
        """Keep room for what is told of any of these."""
        self._agents, self._needs = agents, needs
        self.fit()

    def show(self, agent: Agent | None) -> None:
        self._agent = agent
        self._about.update(Content("") if agent is None else details(agent, self._needs, self._width, self._rows))

    def say(self, title: str, *parts: str, severity: Severity = "information") -> None:
        """Say something in place of what was said before; nothing foreign of it is markup."""
        heading, *others = [brief(part) for part in (title, *parts) if part]
        words = [Content.styled(heading, f"bold {TONES[severity]}"), *map(Content, others)]
        lines = [line for text in words for line in text.wrap(self._width)]
        self._said = sanitise("\n".join([heading, *others]))
        self._notice.update(in_rows(lines, max(LEAST_SAID, self.app.size.height // 3)))
        self._notice.set_class(severity != "information", "-warns")
        self._show_notice(True)

    def say_fault(self, fault: Fault) -> None:
        """Say what the user asked for and cannot have, and why."""
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
        self._about.styles.height = rows_of_details(self._agents, self._needs, self._width, self._rows)
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
