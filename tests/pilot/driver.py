"""Drives the app as a user would: by keys, and by reading the screen."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any, TypeVar

from textual import events
from textual._context import visible_screen_stack
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.records.records import Records
from acp_tui.session.state import Session
from acp_tui.ui.app import DEFAULT_SETTINGS, AcpTuiApp, AppSettings
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.sessions.tabs import Opened
from tests.answering import BETWEEN_KEYS, IN_A_WORD
from tests.pilot.fake_client import FakeClient
from tests.still import until_still

CHARACTERS = {
    "equals_sign": "=",
    "space": " ",
    "slash": "/",
    "question_mark": "?",
    "backslash": "\\",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "exclamation_mark": "!",
}
AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])
OfScreen = type[AnyScreen]
LOOK = 0.01  # seconds between two looks
PATIENCE = 60.0  # seconds before a wait gives up; far more than anything takes, for machines that are busy


class Viewer:
    """Someone in front of the app."""

    def __init__(self, app: AcpTuiApp, pilot: Pilot[int], session: Session) -> None:
        self.app, self.pilot, self.session = app, pilot, session

    @property
    def conversation(self) -> ConversationScreen:
        """The screen below all panels."""
        screen = self.app.screen_stack[0]
        assert isinstance(screen, ConversationScreen)
        return screen

    @property
    def draft(self) -> str:
        """What is written in the prompt."""
        return self.conversation.editor.text

    @property
    def focused(self) -> str:
        """The id of the part that has the focus."""
        focused = self.conversation.focused
        return (focused.id or "") if focused is not None else ""

    async def press(self, *keys: str) -> None:
        """Press keys, by Textual's names, and let each be done with before the next."""
        for key in keys:
            character = key if len(key) == 1 else CHARACTERS.get(key)
            self.app.post_message(events.Key(key, character))
            await until_still(self.app)

    async def type(self, text: str) -> None:
        """Type text, letter by letter."""
        names = {character: name for name, character in CHARACTERS.items()}
        for at, letter in enumerate(text):
            self._post(names.get(letter, letter), letter, IN_A_WORD if at else BETWEEN_KEYS)
        await until_still(self.app)

    async def hurry(self, *keys: str, after: float = IN_A_WORD) -> None:
        """Press keys, each so many seconds `after` the last, before anything is done with one."""
        for key in keys:
            self._post(key, key if len(key) == 1 else CHARACTERS.get(key), after)
        await until_still(self.app)

    def _post(self, key: str, character: str | None, after: float) -> None:
        event = events.Key(key, character)
        event.after = after  # type: ignore[attr-defined]
        self.app.post_message(event)

    async def send(self, text: str) -> None:
        """Type a prompt and send it."""
        await self.type(text)
        await self.press("enter")

    async def command(self, words: str) -> None:
        """Run the command that the palette finds by these words."""
        await self.press("ctrl+p")
        palette: Picker[object] = await self.opened(Picker)
        await self.type(words)
        await self.wait_until(lambda: palette.query_one(Input).value == words, f"{words!r} in the palette")
        await self.press("enter")
        await self.wait_until(lambda: palette not in self.app.screen_stack, "the end of the palette")

    def rows(self) -> list[str]:
        """The rows of the screen, and of those that show through it."""
        visible_screen_stack.set(self.app._background_screens)
        return [strip.text for strip in self.app.screen._compositor.render_strips()]

    def sees(self, text: str) -> bool:
        """Whether the text stands in one row of the screen."""
        return any(text in row for row in self.rows())

    async def wait_for(self, text: str) -> None:
        """Wait until the text is on the screen."""
        await self.wait_until(lambda: self.sees(text), f"{text!r} on the screen")

    async def wait_until(self, true: Callable[[], bool], what: str = "it") -> None:
        """Wait until something holds."""
        deadline = monotonic() + PATIENCE
        while not true():
            assert monotonic() < deadline, "\n".join([f"waited in vain for {what}:", *self.rows(), *self.toasts()])
            await asyncio.sleep(LOOK)  # for a thread or a process
            await until_still(self.app)
        await until_still(self.app)  # what made it true may not be at its end yet

    async def opened(self, kind: OfScreen[AnyScreen]) -> AnyScreen:
        """The screen of this kind, once it is there."""
        await self.wait_until(lambda: isinstance(self.app.screen, kind), kind.__name__)
        screen = self.app.screen
        assert isinstance(screen, kind)
        return screen

    def picker_rows(self) -> list[str]:
        """The rows of the open picker, headings too."""
        assert isinstance(self.app.screen, Picker), self.app.screen
        return [str(row.draw(80)) for row in self.app.screen.rows.list.rows]

    def toasts(self) -> list[str]:
        """What is said in toasts: titles and messages."""
        return [f"{note.title} {note.message}".strip() for note in self.app.toasts.live]


class User(Viewer):
    """Someone whose acts are only remembered."""

    def __init__(self, app: AcpTuiApp, pilot: Pilot[int], client: FakeClient, session: Session) -> None:
        super().__init__(app, pilot, session)
        self.client = client

    def acts(self, name: str) -> list[tuple[object, ...]]:
        """What the user did to the agent, by name of the act."""
        return [act[1:] for act in self.client.acts if act[0] == name]


@asynccontextmanager
async def user(
    size: tuple[int, int] = (120, 40),
    *,
    phase: str = "ready",
    history: PromptHistory | None = None,
    prepare: Callable[[Session], None] = lambda _session: None,
    records: Records | None = None,
    settings: AppSettings = DEFAULT_SETTINGS,
    cwd: str | None = None,
    prompt: str = "",
) -> AsyncIterator[User]:
    """The app on a screen of this size, with a client that only remembers; `prepare` tells what came before.

    The `prompt` is one of the command line.
    """
    client = FakeClient(phase)
    session = client.open_session(cwd)
    prepare(session)
    opened = Opened(client, session, history or PromptHistory(None), prompt=prompt)
    app = AcpTuiApp(opened, settings, records=lambda: records)
    async with app.run_test(size=size, notifications=True) as pilot:
        someone = User(app, pilot, client, session)
        await someone.wait_until(lambda: someone.conversation.complete, "all parts of the screen")
        yield someone
        if app.is_running:
            someone.rows()  # the last screen is drawn whole: an error there fails the test
