"""What an action is handed instead of the screen: the session, its agent, and the ways to reach the user."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from textual.app import App
from textual.screen import Screen
from textual.widget import Widget

from acp_tui.errors import Fault
from acp_tui.host.client import Client
from acp_tui.host.config.preferences import Preferences
from acp_tui.session.state import Session
from acp_tui.ui.kit.announcements import Severity, announce_fault, say
from acp_tui.ui.kit.key_guards import Strokes

Result = TypeVar("Result")
Kind = TypeVar("Kind")


class SessionView:
    """One session that is shown. Work that is begun here ends with `part`, any widget of its screen."""

    def __init__(
        self,
        client: Client,
        session: Session,
        part: Widget,
        focus_prompt: Callable[[], None],
        strokes: Strokes,
        preferences: Preferences,
    ) -> None:
        self.client, self.session, self.focus_prompt = client, session, focus_prompt
        self.strokes, self._preferences = strokes, preferences
        self._part = part

    @property
    def app(self) -> App[Any]:
        return self._part.app

    @property
    def is_shown(self) -> bool:
        """Whether it is this session that the user looks at, be it below a panel."""
        return self._part.is_attached and self._part.screen in self.app.screen_stack

    @property
    def has_keys(self) -> bool:
        """Whether nothing lies over it."""
        return self._part.is_attached and self._part.screen.is_active

    @property
    def agent_name(self) -> str:
        """What the agent calls itself; it may have said so before any session was open."""
        agent = self.client.connection.agent
        return (agent.title or agent.name) if agent else self.session.agent_name

    def say(self, text: str, seconds: float = 3, severity: Severity = "information") -> None:
        say(self.app, text, seconds, severity)

    def preference(self, name: str, kind: type[Kind]) -> Kind:
        """What the user has set; `kind` is the type of the value."""
        return self._preferences.get(name, kind)

    def prefer(self, name: str, value: object) -> None:
        """Keep what the user sets by a key; where that cannot last, say so."""
        if told := self._preferences.set(name, value):
            self.say(told, 5)

    def open(self, panel: Screen[Result], then: Callable[[Result | None], None] | None = None) -> None:
        self.app.push_screen(panel, then)

    async def ask(self, panel: Screen[Result]) -> Result | None:
        """What the user chooses in a panel; only in work that was begun by `run`."""
        return await self.app.push_screen_wait(panel)

    def run(self, work: Coroutine[Any, Any, object]) -> None:
        """Do some work beside the loop of messages. A `Fault` is told; a mistake of ours does not end the program."""
        self._part.run_worker(self._told(work), exit_on_error=False)

    async def _told(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except Fault as fault:
            announce_fault(self.app, fault)
