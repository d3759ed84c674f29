"""What becomes of what is written: sent, queued, completed, kept in the history, given back."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from acp_tui.ui.presses import DoublePress
from acp_tui.ui.prompt.attaching import AttachActs, attachments_of
from acp_tui.ui.prompt.chips import Draft, as_attached, bare
from acp_tui.ui.prompt.keeping import DraftKeeping
from acp_tui.ui.prompt.local_commands import local_command, with_local
from acp_tui.ui.prompt.mention_acts import MentionActs
from acp_tui.ui.prompt.outbox import Outbox
from acp_tui.ui.prompt.queue import prompt_text
from acp_tui.ui.prompt.shell import ShellActs, line_of
from acp_tui.ui.prompt.waiting import WaitingActs
from acp_tui.ui.render.text import sanitise_line

if TYPE_CHECKING:
    from acp_tui.protocol.content import ContentBlock
    from acp_tui.ui.screen import ConversationScreen


class PromptActs:
    """The prompt of one screen."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self.mentions = MentionActs(screen)
        self.outbox = Outbox(screen)
        self.waiting = WaitingActs(screen)
        self.shell = ShellActs(screen)
        self.attaching = AttachActs(screen)
        self.keeping = DraftKeeping(screen)
        self._escapes = DoublePress()

    def connect(self) -> None:
        """The pop-ups take their keys before the editor does."""
        self._screen.editor.popup_keys = self._popup_key
        self.mentions.connect()
        self.attaching.connect()
        self.keeping.restore()
        self.edited()

    def disconnect(self) -> None:
        """The screen goes."""
        self.keeping.close()

    def send(self, draft: Draft) -> None:
        """Send a prompt, or say why it cannot be sent and give it back."""
        line = line_of(draft.text)
        if line != "":
            self._screen.history.add(bare(draft.text))
        if line is not None:
            self.shell.run(line)
            return
        ours = local_command(draft.text, self._screen.session.commands)
        if ours is not None:
            self._screen.action_command(ours)
            return
        self.outbox.send(replace(draft, place=self.waiting.take_place()))

    def put_first(self, text: str) -> None:
        """Send a text, before everything that waits already."""
        from acp_tui.protocol.content import TextContent  # noqa: PLC0415 (the first frame does not need it)

        if text.strip():
            self._screen.client.submit(self._screen.session, [TextContent(text=text)], place=0)

    def take_back_queued(self) -> None:
        """The last queued prompt comes back to the editor."""
        screen = self._screen
        if not screen.session.queue:
            screen.app.notify("No prompt is queued", markup=False, timeout=3)
            return
        last = screen.session.queue[-1]
        screen.client.withdraw_queued(screen.session, last.id)
        screen.editor.give_back(prompt_text(last), attachments_of(last.blocks))
        screen.editor.focus()

    def set_aside(self) -> None:
        """Clear the draft; the history keeps it."""
        editor = self._screen.editor
        self._screen.history.add(bare(editor.draft))
        editor.set_draft("")

    def search_history(self) -> None:
        """Pick an old prompt into the editor."""
        from acp_tui.ui.config.picker import Picker, PickerRow  # noqa: PLC0415 (the first frame does not need it)

        entries = list(reversed(self._screen.history.entries))
        rows = [PickerRow(text, sanitise_line(text)) for text in entries]
        self._screen.app.push_screen(Picker("Prompt history", rows), partial(self._recall, {}))

    def escape(self) -> None:
        """Esc where there is nothing to step back from: the second time on an empty prompt, pick an earlier message."""
        if not self._screen.editor.text and self._escapes.again(time.monotonic()):
            self.pick_earlier()

    def pick_earlier(self) -> None:
        """Pick a message of this session to edit and send again."""
        from acp_tui.session.entries import MessageEntry  # noqa: PLC0415 (the first frame does not need it)
        from acp_tui.session.messages import attachments_of, text_of  # noqa: PLC0415
        from acp_tui.ui.config.picker import Picker, PickerRow  # noqa: PLC0415

        said = [each for each in self._screen.session.entries if isinstance(each, MessageEntry) and each.role == "user"]
        attached: dict[str, Sequence[ContentBlock]] = {}
        for entry in reversed(said):
            attached.setdefault(text_of(entry.parts).strip(), attachments_of(entry.parts))
        rows = [PickerRow(text, sanitise_line(text)) for text in attached if text]
        if rows:
            self._screen.app.push_screen(Picker("Your messages in this session", rows), partial(self._recall, attached))
        else:
            self._screen.app.notify("You have written nothing in this session yet", markup=False, timeout=3)

    def _recall(self, attached: Mapping[str, Sequence[ContentBlock]], text: str | None) -> None:
        """Write what was chosen; what was written before is in the history."""
        if text is not None:
            self.set_aside()
            self._screen.editor.set_draft(*as_attached(text, attached.get(text, ())))

    def edited(self) -> None:
        """What is written changed: offer what completes it."""
        screen = self._screen
        if not screen.complete:
            return
        text = screen.editor.text if screen.editor.document.line_count == 1 else ""
        screen.completion.offer(text, with_local(screen.session.commands))
        if screen.completion.display:
            screen.completion.stand_on(screen.prompt_top)
        self.mentions.edited()
        self.keeping.edited()

    def accept_completion(self) -> None:
        """Write the highlighted command."""
        screen = self._screen
        command = screen.completion.chosen()
        if command is not None:
            screen.editor.set_draft(f"/{command.name} ")
            screen.completion.close()
            screen.editor.focus()

    def _popup_key(self, key: str) -> bool:
        """Whether a pop-up took the key."""
        if self._screen.completion.is_open or self.mentions.list.is_open:
            self.edited()  # a key can come before the news of what was typed before it
        if self.mentions.take_key(key):
            return True
        completion = self._screen.completion
        if not completion.is_open:
            return False
        if key in ("up", "down"):
            completion.move(-1 if key == "up" else 1)
            return True
        if key == "tab" or (key == "enter" and not self._written_out()):
            self.accept_completion()
            return True
        return False

    def _written_out(self) -> bool:
        """Whether the highlighted command stands in the editor already, so that Enter sends it."""
        command = self._screen.completion.chosen()
        return command is not None and self._screen.editor.text == f"/{command.name}"
