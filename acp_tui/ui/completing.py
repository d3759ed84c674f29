"""What a conversation screen gets after its first frame: panels, actions, and the routes between them.

It is imported in a thread while the first frame can be used already, so that everything it needs stands at the top.
"""

import asyncio
import gc
from functools import cache

from acp_tui.ui.agent_actions import AgentActions
from acp_tui.ui.answering import Questions
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.command_actions import actions_of
from acp_tui.ui.config.panel import KeptOptions, OptionActions
from acp_tui.ui.copies import CopyActions
from acp_tui.ui.find.bar import FindBar
from acp_tui.ui.opening.acts import OpenActions
from acp_tui.ui.parts import Parts
from acp_tui.ui.prompt.attaching import AttachActions
from acp_tui.ui.prompt.earlier import EarlierPrompts
from acp_tui.ui.prompt.keeping import DraftKeeping
from acp_tui.ui.prompt.mention_acts import Completions
from acp_tui.ui.prompt.outbox import Outbox
from acp_tui.ui.prompt.shell import ShellActions
from acp_tui.ui.prompt.waiting import QueueActions
from acp_tui.ui.render.code import lexer_for
from acp_tui.ui.render.markdown import parser
from acp_tui.ui.routes import Routes
from acp_tui.ui.screen import ConversationScreen
from acp_tui.ui.sessions.acts import SessionActions
from acp_tui.ui.sidebar.panel import Sidebar


async def complete(screen: ConversationScreen, app: AcpTuiApp) -> None:
    """Put the later parts into their places and connect them; then show all that happened meanwhile."""
    screen.parts = parts = _parts_of(screen, app)
    routes = Routes(screen, parts)
    screen.follow, screen.send = routes.follow, routes.send
    await _mount(screen, parts)
    screen.completed(actions_of(screen, parts, app))
    await asyncio.to_thread(_warm)


def _parts_of(screen: ConversationScreen, app: AcpTuiApp) -> Parts:
    view, session, history = screen.view, screen.session, screen.history
    editor, transcript = screen.editor, screen.transcript
    completions = Completions(view, editor, lambda: screen.prompt_top)
    AttachActions(view, editor)

    def may_take_focus() -> bool:
        return not editor.text and not completions.commands.is_open and app.screen is screen

    agent, copies = AgentActions(view), CopyActions(transcript, session)
    return Parts(
        FindBar(transcript, session, screen.focus_prompt),
        Sidebar(session, lambda: screen.client.roots(session)),
        Questions(view, editor, may_take_focus),
        completions,
        DraftKeeping(editor, history),
        Outbox(view, editor, transcript, agent.restart),
        QueueActions(view, screen.queue, editor, history),
        ShellActions(view, editor, transcript),
        EarlierPrompts(view, editor, history),
        agent,
        KeptOptions(view, screen.offer),
        OptionActions(view),
        SessionActions(view, app.tabs, editor),
        copies,
        OpenActions(view, copies),
    )


async def _mount(screen: ConversationScreen, parts: Parts) -> None:
    """One after the other, so that keys are answered in between."""
    dock, questions = screen.query_one("#dock"), parts.questions
    with screen.app.batch_update():  # laid out and painted once, not for each
        await screen.mount(parts.completions.commands)
        await screen.query_one("#middle").mount(parts.sidebar)
        await dock.mount(parts.find, before=screen.plan)
        for panel in (questions.login, questions.permission, questions.elicitation):
            await dock.mount(panel, before=screen.queue)
    await screen.mount(parts.completions.mentions.list)


@cache
def _warm() -> None:
    """Use what draws text and code once, so that the first answer does not wait for it.

    What is loaded by now stays for good, so that no later collection need look at it.
    """
    parser().parse("*")
    if (lexer := lexer_for("python")) is not None:
        list(lexer.get_tokens("pass"))
    gc.freeze()
