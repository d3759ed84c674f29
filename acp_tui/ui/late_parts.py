"""What a conversation screen gets after its first frame: panels, actions, and the routes between them.

It is imported in a thread while the first frame can be used already, so that everything it needs stands at the top.
"""

import asyncio
import gc
from functools import cache

from acp_tui.session.changes import Change, TurnChanged
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.command_actions import actions_of
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.parts import Parts
from acp_tui.ui.render.code import lexer_for
from acp_tui.ui.render.markdown import parser
from acp_tui.ui.routes import Routes
from acp_tui.ui.screen import ConversationScreen


async def complete(screen: ConversationScreen, app: AcpTuiApp) -> None:
    """Put the later parts into their places and connect them; then show all that happened meanwhile."""
    view = SessionView(screen.client, screen.session, screen.transcript, screen.focus_prompt)
    parts = Parts(view, app.tabs, screen.editor, screen.transcript, screen.queue, screen.offer)
    screen.parts = parts
    await _mount(screen, parts)
    screen.completed(actions_of(screen, parts, app), Routes(screen, parts).follow)
    _warm_up_with_the_first_prompt(screen, app)


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


def _warm_up_with_the_first_prompt(screen: ConversationScreen, app: AcpTuiApp) -> None:
    """Who has not asked anything yet needs no parser of answers (3.4 MB), and the agent takes its time to answer."""

    def changed(change: Change) -> None:
        if isinstance(change, TurnChanged):
            unsubscribe()
            app.run_worker(asyncio.to_thread(_warm))

    unsubscribe = screen.session.subscribe(changed)


@cache
def _warm() -> None:
    """Use what draws text and code once, so that the first answer does not wait for it.

    What is loaded by now stays for good, so that no later collection need look at it.
    """
    parser().parse("*")
    if (lexer := lexer_for("python")) is not None:
        list(lexer.get_tokens("pass"))
    gc.freeze()
