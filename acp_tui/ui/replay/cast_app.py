"""The app while it plays a wire record into a cast: no terminal, no keys, and the prompts as if they were typed."""

import asyncio
import json
import re
from functools import lru_cache
from typing import Any

from textual import events
from textual.app import App
from textual.content import Content
from textual.driver import Driver
from textual.geometry import Size
from textual.widgets import Static

from acp_tui.host.playback.cast import Cast
from acp_tui.host.playback.player import Player
from acp_tui.ui.app import AppSettings
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.replay.app import ReplayApp
from acp_tui.ui.screen import ConversationScreen

INTERVAL = 0.04  # seconds between two looks at where it is
TYPED = 30  # characters that are typed in a second
LAST = 2.5  # seconds for which the end stays
STUCK = 15.0  # seconds for which a line is overdue that will never come
PLACEHOLDER = "Ask anything"
CURSOR = "█"
_NO_PICTURE = re.compile(r"\x1b\[\?2026[hl]|\x1b\]22;[a-z-]*\x07")  # marks around a frame, the pointer's shape


def driver_into(cast: Cast) -> type[Driver]:
    """A driver whose terminal is the cast."""

    class CastDriver(Driver):
        def __init__(self, app: App[Any], **how: Any) -> None:
            super().__init__(app, **{**how, "size": cast.size})

        def write(self, data: str) -> None:
            if data := _NO_PICTURE.sub("", data):
                cast.write(data)

        def start_application_mode(self) -> None:
            cast.write("\x1b[?25l\x1b[2J")
            size = Size(*cast.size)
            asyncio.run_coroutine_threadsafe(self._app._post_message(events.Resize(size, size)), self._loop)  # noqa: SLF001 - as Textual's drivers do

        def disable_input(self) -> None:
            """There is none."""

        def stop_application_mode(self) -> None:
            """The last frame stays."""

    return CastDriver


class CastApp(ReplayApp, inherit_bindings=False):
    """Ends by itself, some seconds after the record, and is `finished` then.

    `stopped_at` is the line at which it got stuck, or 0.
    """

    CSS_PATH = "../styles.tcss"

    def __init__(self, player: Player, cast: Cast, settings: AppSettings) -> None:
        super().__init__(player, "", settings)
        self.driver_class = driver_into(cast)
        self._cast, self._prompt = cast, TypedPrompt()
        self._position, self._moved = -1, 0.0
        self.finished, self.stopped_at = False, 0

    def _show_bar(self) -> None:
        screen = self.screen
        if isinstance(screen, ConversationScreen):
            screen.editor.display = False
            screen.composer.mount(self._prompt, before=screen.editor)
        self.set_interval(INTERVAL, self._look)

    def _tell_terminal(self, sequence: str) -> None:
        """A cast has no window."""

    def _look(self) -> None:
        timeline, now = self._timeline, asyncio.get_running_loop().time()
        if timeline.position != self._position or timeline.due:
            self._position, self._moved = timeline.position, now
        self._prompt.show("" if timeline.over else typed_by_now(timeline.current.line, timeline.due))
        self._give_focus_back()
        still = now - self._moved
        if self._cast.problem or (timeline.over and still > LAST) or still > STUCK:
            self.finished = True
            self.stopped_at = 0 if timeline.over else timeline.position + 1
            self._cast.end()  # how the program leaves is no part of it
            self.leave()

    def _give_focus_back(self) -> None:
        """What a question leaves goes to the prompt; the editor, which would get it, is not to be seen."""
        screen = self.screen
        if not isinstance(screen, ConversationScreen) or not screen.complete or self._prompt.has_focus:
            return
        if screen.focused is None or not screen.parts.questions.holds(screen.focused):
            screen.set_focus(self._prompt)


class TypedPrompt(Static, can_focus=True):
    """In place of the editor: what the user of the record types."""

    DEFAULT_CSS = "TypedPrompt { height: auto; background: $surface; }"

    def __init__(self) -> None:
        super().__init__()
        self._shown: str | None = None

    def on_mount(self) -> None:
        self.show("")

    def show(self, text: str) -> None:
        if text != self._shown:
            self._shown = text
            rest = ("", "") if text else (PLACEHOLDER, MUTED)
            self.update(Content.assemble(sanitise_line(text), (CURSOR, "$primary"), rest))


def typed_by_now(line: bytes, due: float) -> str:
    """The beginning of the prompt that a line sends in `due` seconds, as far as somebody would have typed it."""
    text = prompt_in(line)
    return text[: max(0, len(text) - int(due * TYPED))]


@lru_cache(1)  # it is asked for again and again until the line is due
def prompt_in(line: bytes) -> str:
    """The text of a message that sends a prompt; empty for every other one."""
    if b'"session/prompt"' not in line:
        return ""
    try:
        message = json.loads(line)
        return next(str(block["text"]) for block in message["params"]["prompt"] if block["type"] == "text")
    except (ValueError, RecursionError, LookupError, TypeError, StopIteration):
        return ""
