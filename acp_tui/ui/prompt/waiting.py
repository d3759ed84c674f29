"""What a person does with prompts that wait: edit, move, delete, send now; must not know how they are shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from acp_tui.session.turn import QueuedPrompt
from acp_tui.ui.prompt.attaching import attachments_of
from acp_tui.ui.prompt.chips import Draft
from acp_tui.ui.prompt.queue import prompt_text

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen

BOUNCE = 0.5  # seconds after a prompt was sent in which Enter again is taken for a slip


class WaitingActs:
    """The queue of one screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._sent_at = float("-inf")
        self.place: int | None = None  # that the draft has in the queue, because it was taken from there
        self._before = Draft("")  # what was written when that one was taken

    def focus(self) -> None:
        """Go to the list."""
        if self._queue:
            self._screen.queue.focus()
        else:
            self._say("No prompt is queued")

    def edit(self, queued_id: int | None) -> None:
        """A prompt comes to the editor, and what was written there comes back when it is sent."""
        found = self._find(queued_id)
        if found is None:
            return
        place, prompt = found
        editor = self._screen.editor
        before = self._before if self.place is not None else editor.written
        if self.place is not None:
            self._screen.prompts.set_aside()
        self._withdraw(prompt)
        editor.set_draft(prompt_text(prompt), attachments_of(prompt.blocks))
        self.place, self._before = place, before
        self._screen.focus_prompt()

    def move(self, queued_id: int | None, by: int) -> None:
        """A prompt goes earlier or later."""
        found = self._find(queued_id)
        if found is not None:
            self._screen.client.move_queued(self._screen.session, found[1].id, max(0, found[0] + by))

    def delete(self, queued_id: int | None) -> None:
        """A prompt is not sent; the history keeps it."""
        found = self._find(queued_id)
        if found is not None:
            self._withdraw(found[1])
            self._screen.history.add(prompt_text(found[1]))
            if not self._queue:
                self._screen.focus_prompt()

    def take_place(self) -> int | None:
        """The place in the queue that the draft which is sent now has had, if any; what was written before is back."""
        self._sent_at = time.monotonic()
        place, self.place = self.place, None
        before, self._before = self._before, Draft("")
        if before.text and not self._screen.editor.text:
            self._screen.editor.set_draft(before.text, before.attachments)
        return place

    def send_now(self) -> None:
        """Interrupt the turn, after which the next prompt goes out by itself."""
        screen = self._screen
        if not self._queue or time.monotonic() - self._sent_at < BOUNCE:
            return
        if screen.session.turn.active:
            screen.client.cancel(screen.session)
            self._say("Interrupted: the next prompt goes out now")
        else:
            self._say("The agent is not ready yet; the prompt goes out when it is")

    @property
    def _queue(self) -> list[QueuedPrompt]:
        return self._screen.session.queue

    def _find(self, queued_id: int | None) -> tuple[int, QueuedPrompt] | None:
        return next(((place, prompt) for place, prompt in enumerate(self._queue) if prompt.id == queued_id), None)

    def _withdraw(self, prompt: QueuedPrompt) -> None:
        self._screen.client.withdraw_queued(self._screen.session, prompt.id)

    def _say(self, text: str) -> None:
        self._screen.app.notify(text, markup=False, timeout=3)
