"""Someone in front of the list of agents."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from acp_tui.demo.project import COMMAND, create
from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.launch_plan import LaunchPlan, by_command
from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.config.config import own_file
from acp_tui.ui.agents.agents_screen import AgentsScreen
from acp_tui.ui.agents.consent_dialog import ConsentDialog
from acp_tui.ui.app import AcpTuiApp, AppSettings
from acp_tui.ui.sessions.tabs import Opened
from tests.pilot.driver import User, Viewer
from tests.pilot.fake_client import FakeClient
from tests.pilot.questions import painted


class Chooser(User):
    """Someone in front of the list of agents."""

    launches: list[LaunchPlan]

    @property
    def list(self) -> AgentsScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, AgentsScreen)
        return screen

    @property
    def said(self) -> str:
        """What the list says, and not in a toast."""
        assert self.toasts() == []
        return self.list.said

    @property
    def highlighted(self) -> str:
        agent = self.list.highlighted
        return agent.name if agent else ""


@asynccontextmanager
async def chooser(
    folder: Path,
    *,
    chosen: str | LaunchPlan | None = "",
    problems: tuple[str, ...] = (),
    size: tuple[int, int] = (120, 40),
) -> AsyncIterator[Chooser]:
    """The app where no agent was named; one that is started is a client that only remembers."""
    agent_list = AgentList(folder)
    client = FakeClient()
    session = client.open_session()
    launches: list[LaunchPlan] = []

    def start(launch: LaunchPlan) -> None:
        launches.append(launch)
        app.converse(Opened(client, session, PromptHistory(None)))

    def demo() -> LaunchPlan:
        try:
            create(folder.parent / "demo")
        except OSError as error:
            raise UserFault("No demo today", str(error)) from error
        return by_command(COMMAND, folder.parent / "demo")

    app = AcpTuiApp(
        settings=AppSettings(problems=problems), entrance=lambda: AgentsScreen(agent_list, start, chosen, demo=demo)
    )
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        someone = Chooser(app, pilot, client, session)
        someone.launches = launches
        yield someone


async def asked(someone: Viewer) -> ConsentDialog:
    """The question, once keys count."""
    screen = await someone.opened(ConsentDialog)
    await painted(someone)
    return screen


def put_program(folder: Path, name: str, text: str = "#!/bin/sh\n") -> None:
    (folder / name).write_text(text)
    (folder / name).chmod(0o755)


def configure(text: str) -> None:
    own_file().parent.mkdir(parents=True, exist_ok=True)
    own_file().write_text(text)


def without_gaps(*rows: str) -> str:
    """What is written in the rows of a panel, however it is wrapped."""
    return "".join("".join(row.strip(" ▌┃│").split()) for row in rows)
