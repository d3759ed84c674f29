"""The prompts that wait for the turn to end: shown above the prompt, and edited, moved, deleted or sent now."""

import time
from collections.abc import Sequence
from dataclasses import replace

from textual.binding import Binding, BindingsMap
from textual.content import Content
from textual.widgets import Static

from acp_tui.session.state import QueuedPrompt, Session
from acp_tui.session.text.phrases import counted, without_note
from acp_tui.startup import late
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import BY_ID, bindings
from acp_tui.ui.kit.session_view import SessionView, say
from acp_tui.ui.kit.theme import ACCENT, MUTED, Hint, fitting, key_hints, spell_out
from acp_tui.ui.prompt.draft import Draft, as_sent
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import cut, sanitise_line

ROWS = 3
INDENT = 8  # cells, of which the last is the mark's
HIGHLIGHT = "on $primary 16%"  # as of the lists
ROWS_IN_FOCUS = 8
_HINTS = {
    "edit_queued": "edit",
    "move_queued_up": "move up",
    "move_queued_down": "move down",
    "delete_queued": "delete",
    "cancel": "back",
}


def prompt_text(prompt: QueuedPrompt) -> str:
    content = late("acp_tui.protocol.vocabulary.content")
    return without_note("\n".join(block.text for block in prompt.blocks if isinstance(block, content.TextContent)))


def _draft_of(prompt: QueuedPrompt) -> Draft:
    messages = late("acp_tui.session.folds.messages")
    return Draft(as_sent(prompt_text(prompt)), attachments=messages.attachments_of(prompt.blocks))


class QueueList(Static, can_focus=True, inherit_bindings=False):
    """One row per waiting prompt; what does not fit is counted. With the focus it has a cursor.

    Above them stand the prompts on their way into the turn, of which nothing can be changed any more.
    """

    def __init__(self) -> None:
        super().__init__(id="queue")
        naming = Binding("ctrl+d", "name_delete", show=False)  # it quits elsewhere
        self._bindings = BindingsMap([*bindings("queue"), naming])  # the first of a key counts
        self._queue: list[QueuedPrompt] = []
        self._steering: list[QueuedPrompt] = []
        self.waiting: list[str] = []  # texts that are sent once the screen is complete
        self._at, self._enter = 0, ""

    @property
    def current(self) -> int | None:
        return self._queue[self._at].id if self._queue else None

    def action_name_delete(self) -> None:
        keys = BY_ID["delete_queued"].keys
        if keys:
            say(self.app, f"Press {'Delete' if 'delete' in keys else spell_out(keys[0])} to delete", 2)

    def on_mount(self) -> None:
        self.display = False

    def begin(self, session: Session) -> None:
        """The screen is complete: what waited for that is in the session."""
        self.waiting.clear()
        self.show(session)

    def show(self, session: Session) -> None:
        """Show a session's prompts; the cursor stays on its prompt, or near where that was."""
        before, self._queue, self._steering = self.current, list(session.queue), list(session.steering)
        asked = bool(session.permissions or session.elicitations)
        self._enter = "answer the question" if asked else "send now (interrupts)" if session.turn.active else ""
        ids = [prompt.id for prompt in self._queue]
        self._at = ids.index(before) if before in ids else max(0, min(self._at, len(ids) - 1))
        self.display = bool(self.waiting or self._queue or self._steering)
        if self.display:  # an update is a layout
            self._paint()

    def step(self, by: int) -> bool:
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
        rows = [self._row(prompt_text(prompt), "sending") for prompt in self._steering[-ROWS:]]
        rows += map(self._row, self.waiting)
        rows += [self._row(prompt_text(self._queue[index]), cursor=focused and index == self._at) for index in shown]
        if hidden := count - len(shown) + max(0, len(self._steering) - ROWS):
            more = counted(hidden, "more prompt")
            rows.append(Content.styled(f"{' ' * INDENT}and {more}", MUTED))
        if count and focused:
            keys = [(first_way(command), word) for command, word in _HINTS.items()]
            rows.append(self._hints(keys, keys[-2::-1]))
        elif count:
            enter = [(first_way("submit"), self._enter)] if self._enter else []
            edit = (first_way("focus_queue"), "edit queue")
            rows.append(self._hints([*enter, edit], [edit]))
        self.update(Content("\n").join(rows))

    def _hints(self, hints: Sequence[Hint], dispensable: Sequence[Hint]) -> Content:
        """One row of keys, below the texts if there is room."""
        width = self.size.width
        row = key_hints(fitting(hints, width, dispensable), width)
        return Content(" " * INDENT) + row if row.cell_length + INDENT <= width else row

    def _row(self, text: str, word: str = "queued", *, cursor: bool = False) -> Content:
        width = max(10, self.size.width - 10)
        text = cut(sanitise_line(text, 400), width)
        mark = ("▸" if cursor else " ", f"{ACCENT} bold")
        row = Content.assemble((f"{word:{INDENT - 1}}", MUTED), mark, (text, "bold" if cursor else ""))
        if not cursor:
            return row
        row = row.pad_right(self.size.width - row.cell_length)
        return Content.styled(row.plain, "reverse") if self.app.native_ansi_color else row.stylize(HIGHLIGHT)


BOUNCE = 0.5  # seconds after a prompt was sent in which Enter again is taken for a slip


class QueueActions:
    """The queue of one session."""

    def __init__(self, view: SessionView, rows: QueueList, editor: PromptEditor) -> None:
        self._view, self._rows, self._editor = view, rows, editor
        self._sent_at = float("-inf")
        self.place: int | None = None  # that the draft has in the queue, because it was taken from there
        self._before = Draft("")  # what was written when that one was taken

    def focus(self) -> None:
        if self._queue:
            self._rows.focus()
        else:
            self._view.say("No queued prompts")

    def step(self, by: int) -> None:
        if not self._rows.step(by):
            self._view.focus_prompt()

    def take_back(self) -> None:
        if not self._queue:
            self._view.say("No queued prompts")
            return
        draft = _draft_of(self._queue[-1])
        self._withdraw(self._queue[-1])
        self._editor.give_back(draft.text, draft.attachments)
        self._editor.focus()

    def return_all(self) -> None:
        """There is nobody to send them to."""
        for _ in list(self._queue):
            self.take_back()

    def edit(self) -> None:
        """The prompt under the cursor comes to the editor; what was written there comes back when it is sent."""
        found = self._current
        if found is None:
            return
        place, prompt = found
        editor = self._editor
        before = self._before if self.place is not None else editor.written
        if self.place is not None:
            editor.set_aside()
        self._withdraw(prompt)
        draft = _draft_of(prompt)
        editor.set_draft(draft.text, draft.attachments)
        self.place, self._before = place, before
        self._view.focus_prompt()

    def move(self, by: int) -> None:
        found = self._current
        if found is not None:
            self._view.client.of(self._view.session).move_queued(found[1].id, max(0, found[0] + by))

    def delete(self) -> None:
        found = self._current
        if found is not None:
            self._withdraw(found[1])
            self._editor.prompt_history.add(prompt_text(found[1]))
            if not self._queue:
                self._view.focus_prompt()

    def take_place(self) -> int | None:
        """The place in the queue that the draft which is sent now has had, if any; what was written before is back."""
        self._sent_at = time.monotonic()
        place, self.place = self.place, None
        before, self._before = self._before, Draft("")
        if before.text and not self._editor.text:
            self._editor.set_draft(before.text, before.attachments)
        return place

    def put_in_place(self, draft: Draft) -> Draft:
        return replace(draft, place=self.take_place())

    @property
    def just_sent(self) -> bool:
        """Whether Enter now is most likely a slip."""
        return time.monotonic() - self._sent_at < BOUNCE

    def send_now(self) -> None:
        """Interrupt the turn, after which the next prompt goes out by itself."""
        if not self._queue or self.just_sent:
            return
        if self._view.session.turn.active:
            self._view.client.of(self._view.session).cancel()
            self._view.say("Interrupted. Sending the next prompt.")
        else:
            self._view.say("The agent is not ready yet. The prompt will be sent when it is.")

    @property
    def _queue(self) -> list[QueuedPrompt]:
        return self._view.session.queue

    @property
    def _current(self) -> tuple[int, QueuedPrompt] | None:
        found = ((place, prompt) for place, prompt in enumerate(self._queue) if prompt.id == self._rows.current)
        return next(found, None)

    def _withdraw(self, prompt: QueuedPrompt) -> None:
        self._view.client.of(self._view.session).withdraw_queued(prompt.id)
