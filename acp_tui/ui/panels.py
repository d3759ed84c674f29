"""The parts of the conversation screen that the first frame does without: they show when one is asked, or looks for
something. A start is felt, so that they are loaded and put into their places after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acp_tui.ui.elicitation.panel import ElicitationPanel
from acp_tui.ui.find.bar import FindBar
from acp_tui.ui.login.panel import LoginPanel
from acp_tui.ui.opening.acts import OpenActs
from acp_tui.ui.permission.panel import PermissionPanel
from acp_tui.ui.sidebar.panel import Sidebar
from acp_tui.ui.transcript import drawings

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen

__all__ = ["bring_panels", "drawings"]


async def bring_panels(screen: ConversationScreen) -> None:
    """Make them, one after the other, so that keys are answered in between."""
    session, dock = screen.session, screen.query_one("#dock")
    screen.find = FindBar(screen.transcript, session, screen.focus_prompt)
    screen.sidebar = Sidebar(session, lambda: screen.client.roots(session))
    screen.login, screen.permission, screen.elicitation = LoginPanel(), PermissionPanel(session), ElicitationPanel()
    screen.opening = OpenActs(screen)
    with screen.app.batch_update():  # laid out and painted once, not for each
        await screen.mount(screen.completion)
        await screen.query_one("#middle").mount(screen.sidebar)
        await dock.mount(screen.find, before=screen.plan)
        for panel in (screen.login, screen.permission, screen.elicitation):
            await dock.mount(panel, before=screen.queue)
