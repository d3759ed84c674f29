"""The prompts that wait for the turn to end, shown above the prompt."""

from textual.binding import BindingsMap
from textual.content import Content
from textual.widgets import Static

from acp_tui.session.state import QueuedPrompt, Session
from acp_tui.session.text.told import without_note
from acp_tui.session.text.words import counted
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import bindings
from acp_tui.ui.kit.hints import key_hints
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import cut, sanitise_line

ROWS = 3
ROWS_IN_FOCUS = 8
_HINTS = {
    "edit_queued": "edit",
    "move_queued_up": "move up",
    "move_queued_down": "move down",
    "delete_queued": "remove",
    "cancel": "back",
}


def prompt_text(prompt: QueuedPrompt) -> str:
    content = late("acp_tui.protocol.vocabulary.content")
    return without_note("\n".join(block.text for block in prompt.blocks if isinstance(block, content.TextContent)))


class QueueList(Static, can_focus=True, inherit_bindings=False):
    """One row per waiting prompt; what does not fit is counted. With the focus it has a cursor.

    Above them stand the prompts on their way into the turn, of which nothing can be changed any more.
    """

    def __init__(self) -> None:
        super().__init__(id="queue")
        self._bindings = BindingsMap(bindings("queue"))
        self._queue: list[QueuedPrompt] = []
        self._steering: list[QueuedPrompt] = []
        self._at, self._enter = 0, ""

    @property
    def current(self) -> int | None:
        return self._queue[self._at].id if self._queue else None

    def on_mount(self) -> None:
        self.display = False

    def show(self, session: Session) -> None:
        """Show a session's prompts; the cursor stays on its prompt, or near where that was."""
        before, self._queue, self._steering = self.current, list(session.queue), list(session.steering)
        asked = bool(session.permissions or session.elicitations)
        self._enter = "answer the question" if asked else "send now (interrupts)" if session.turn.active else ""
        ids = [prompt.id for prompt in self._queue]
        self._at = ids.index(before) if before in ids else max(0, min(self._at, len(ids) - 1))
        self.display = bool(self._queue or self._steering)
        if self.display:  # an update is a layout
            self._paint()

    def step(self, by: int) -> bool:
        """Move the cursor; whether there is a prompt in that direction."""
        there = 0 <= self._at + by < len(self._queue)
        self._at += by if there else 0
        self._paint()
        return there or by < 0

    def on_resize(self) -> None:
        self._paint()

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        if has_focus:
            self._at = max(0, len(self._queue) - 1)
        self._paint()

    def _paint(self) -> None:
        focused, count = self.has_focus, len(self._queue)
        most = ROWS_IN_FOCUS if focused else ROWS
        first = max(0, min(self._at - most // 2, count - most)) if focused else 0
        shown = range(first, min(count, first + most))
        rows = [self._row(prompt, "sending") for prompt in self._steering[-ROWS:]]
        rows += [self._row(self._queue[index], cursor=focused and index == self._at) for index in shown]
        if hidden := count - len(shown) + max(0, len(self._steering) - ROWS):
            more = counted(hidden, "more prompt")
            rows.append(Content.styled(f"        and {more}", MUTED))
        if count and focused:
            hints = key_hints((first_way(command), word) for command, word in _HINTS.items())
            rows.append(Content("        ") + hints)
        elif count:
            rows.append(_quiet_hints(self._enter))
        self.update(Content("\n").join(rows))

    def _row(self, prompt: QueuedPrompt, word: str = "queued", *, cursor: bool = False) -> Content:
        width = max(10, self.size.width - 10)
        text = cut(sanitise_line(prompt_text(prompt), 400), width)
        mark = ("▸ ", f"{ACCENT} bold") if cursor else ("", "")
        return Content.assemble((f"{word:8}", MUTED), mark, (text, "bold" if cursor else ""))


def _quiet_hints(enter: str) -> Content:
    """`enter` is what that key does on an empty prompt, if anything."""
    send = [(first_way("submit"), enter)] if enter else []
    return Content("        ") + key_hints([*send, (first_way("focus_queue"), "edit queue")])
