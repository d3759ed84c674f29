"""What the user does with prompts that wait: edit, move, delete, send now."""

import time

from acp_tui.session.folds.messages import attachments_of
from acp_tui.session.state import QueuedPrompt
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.queue import QueueList, prompt_text

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
        last = self._queue[-1]
        self._withdraw(last)
        self._editor.give_back(prompt_text(last), attachments_of(last.blocks))
        self._editor.focus()

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
        editor.set_draft(prompt_text(prompt), attachments_of(prompt.blocks))
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
