"""A start is felt, so that a screen shows its first frame before all of its parts are there; must not know the rest.

What shows only when somebody is asked, looks for something, or has something to read is loaded beside the loop, and
put into its place once the first frame has been painted.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Self

from textual.screen import Screen

if TYPE_CHECKING:
    from acp_tui.session.entries import Entry
    from acp_tui.session.state import Session
    from acp_tui.ui.elicitation.panel import ElicitationPanel
    from acp_tui.ui.find.bar import FindBar
    from acp_tui.ui.login.panel import LoginPanel
    from acp_tui.ui.opening.acts import OpenActs
    from acp_tui.ui.permission.panel import PermissionPanel
    from acp_tui.ui.screen import ConversationScreen
    from acp_tui.ui.sidebar.panel import Sidebar
    from acp_tui.ui.transcript.unit import Drawing


class CompletingScreen(Screen[None], inherit_bindings=False):
    """Its later parts are there once it is `complete`."""

    find: FindBar
    sidebar: Sidebar
    login: LoginPanel
    permission: PermissionPanel
    elicitation: ElicitationPanel
    opening: OpenActs

    complete = False
    _waiting: tuple[Callable[[], object], ...] = ()

    def complete_later(self, screen: ConversationScreen, completed: Callable[[], None]) -> None:
        """Bring the later parts of `screen` (this one) after the first frame, and call `completed`."""

        async def bring() -> None:
            await (await asyncio.to_thread(_panels))(screen)
            self.complete = True
            completed()
            for act in self._waiting:
                act()
            await asyncio.to_thread(_warm)

        self.call_after_refresh(lambda: self.run_worker(bring()))

    def when_complete(self, act: Callable[[Self], object]) -> None:
        """Do what needs all parts of this screen, at once or as soon as they are there."""
        if self.complete:
            act(self)
        else:
            self._waiting += (partial(act, self),)


def drawings_of(session: Session) -> Callable[[Entry], Drawing]:
    """What draws the entries of a session; there are none in the first frame."""

    def draw_entry(entry: Entry) -> Drawing:
        from acp_tui.ui.transcript.drawings import draw  # noqa: PLC0415 (as said)

        return draw(entry, session)

    return draw_entry


def written_entry(entry: Entry) -> str | None:
    """What stands for an entry on the clipboard (see `drawings.written`)."""
    from acp_tui.ui.transcript.drawings import written  # noqa: PLC0415 (as above)

    return written(entry)


def _panels() -> Callable[[ConversationScreen], Awaitable[None]]:
    from acp_tui.ui.panels import bring_panels  # noqa: PLC0415 (as above)

    return bring_panels


@cache
def _warm() -> None:
    """Load what draws text and code, so that the first answer does not wait for it.

    What is loaded by now stays for good, so that no later collection need look at it.
    """
    from acp_tui.ui.render.code import lexer_for  # noqa: PLC0415 (as above)
    from acp_tui.ui.render.markdown import parser  # noqa: PLC0415 (as above)

    parser().parse("*")
    if (lexer := lexer_for("python")) is not None:
        list(lexer.get_tokens("pass"))
    gc.freeze()
