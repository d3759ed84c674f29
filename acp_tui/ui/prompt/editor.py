"""The prompt editor: text, pastes, history and the keys in it. What is sent leaves as a message.

Keys act in the order in which they were typed: a binding is looked up and run here instead of bubbling to
the app, because a letter that follows in the same burst of input would otherwise overtake it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingsMap
from textual.document._document import EditResult
from textual.document._edit import Edit
from textual.message import Message
from textual.widgets import TextArea

from acp_tui.host.config.choices import PromptHistory
from acp_tui.session.text.mentions import mentions_in
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import LeaderKeys, bindings
from acp_tui.ui.kit.line_editor import LabelledText, SafeTextArea
from acp_tui.ui.kit.session_view import KeyStrokes, say
from acp_tui.ui.kit.theme import palette_of
from acp_tui.ui.prompt.draft import (
    Chips,
    Draft,
    EditorExtension,
    as_text,
    bare,
    clean_paste,
    invitation,
    is_as_text,
    parts_of,
    style_of,
)
from acp_tui.ui.terminal.terminal_capabilities import read_clipboard
from acp_tui.views.command_index import LEADER

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.content import ContentBlock


class Recall:
    """A walk: from the draft back to older prompts and forward again. Prompts are oldest first."""

    def __init__(self) -> None:
        self._walk: Sequence[str] = ()  # the prompts and then the draft, while a walk is on
        self._at = 0

    def older(self, prompts: Sequence[str], current: str) -> str | None:
        """The prompt before the one shown, or None at the oldest. The first step keeps `current` as the draft."""
        if not self._walk and prompts:
            self._walk, self._at = (*prompts, current), len(prompts)
        if self._at == 0:
            return None
        self._at -= 1
        return self._walk[self._at]

    def newer(self) -> str | None:
        """The prompt after the one shown, the draft after the newest, or None where no walk is on."""
        if not self._walk:
            return None
        self._at += 1
        shown = self._walk[self._at]
        if self._at == len(self._walk) - 1:
            self.stop()
        return shown

    def stop(self) -> None:
        """What is shown was edited or sent: it is the draft from now on."""
        self._walk, self._at = (), 0


SLIP = 0.5  # seconds in which a second Enter is not meant
UNFOLDED_AT_MOST = 100_000  # characters
PASTE = Binding("ctrl+v", "paste_clipboard", "Paste", show=False)


def _keys_now() -> BindingsMap:
    """The commands' keys as they are now, and TextArea's own that mean nothing else here."""
    commands = [*bindings("everywhere"), *bindings("prompt")]
    taken = {LEADER.key, *(key for binding in commands for key in binding.key.split(","))}
    for binding in (PASTE, *TextArea.BINDINGS):
        if isinstance(binding, Binding):
            keys = [key for key in binding.key.split(",") if key not in taken]
            if keys:
                commands.append(Binding(",".join(keys), binding.action, binding.description, show=False))
            taken |= {"ctrl+v"} if binding is PASTE else set()
    return BindingsMap(commands)


class LeaderExtension(EditorExtension):
    """The keys of the whole screen: each is noted, and the leader takes its own."""

    def __init__(self, strokes: KeyStrokes, leader: LeaderKeys) -> None:
        self._strokes, self._leader = strokes, leader

    def takes_key(self, event: events.Key) -> bool:
        self._strokes.note(event.key, event.time)
        return self._leader.takes(event.key)


class PromptEditor(SafeTextArea, inherit_bindings=False):
    """Where the user writes. It grows with its text, up to the height that the style sheet allows.

    The reason for its size: what Textual calls of a text area, and what its extensions change, are methods of it.
    """

    class Typed(Message):
        """A character is typed into the text."""

    class ModeChanged(Message):
        """An extension edits in another mode, or opened or closed a list."""

    @dataclass
    class Submitted(Message):
        """The user sent this."""

        draft: Draft

    def __init__(self, history: PromptHistory, leader: LeaderExtension) -> None:
        super().__init__(id="editor", soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True)
        self._bindings = _keys_now()
        self.cursor_blink = False
        self.highlight_cursor_line = False
        self.match_cursor_bracket = False
        self.chips = Chips()
        self._leader = leader
        self.extensions: list[EditorExtension] = [leader, self.chips]  # in the order in which they are asked
        self.prompt_history = history
        self._recall = Recall()
        self._suggestion = self._unavailable = ""
        self.is_text = False  # what is written is no command, for it was not the user who began it
        self._held_until = 0.0

    def on_resize(self) -> None:
        self.suggest(self._suggestion)

    def suggest(self, prompt: str) -> None:
        """Show a prompt as long as nothing is written; none if it is empty."""
        self._suggestion = prompt
        self.placeholder = self._unavailable or invitation(self.size.width, prompt)

    def invite(self, unavailable: str) -> None:
        """Show why nothing can be sent, in place of the invitation; empty where something can."""
        self._unavailable = unavailable
        self.suggest(self._suggestion)

    def take_suggestion(self) -> None:
        if self._suggestion and not self.text:
            self.insert(as_text(self._suggestion))
            self.is_text = is_as_text(self.text)

    @property
    def keys_bound(self) -> Container[str]:
        """The keys that mean something here, besides those that type."""
        return self._bindings.key_to_bindings

    @property
    def mode(self) -> str:
        return next(filter(None, (each.mode for each in self.extensions)), "")

    @property
    def draft(self) -> str:
        text = self.chips.expand(self.text)
        return as_text(text) if self.is_text else text

    @property
    def piece(self) -> LabelledText:
        """What is written with what its labels stand for, to be put aside."""
        return self.chips.piece(as_text(self.text) if self.is_text else self.text)

    @property
    def written(self) -> Draft:
        return Draft(self.draft, tuple(mentions_in(self.text)), self.chips.attachments(self.text))

    def take_draft(self) -> Draft:
        draft = self.written
        self.set_draft("")
        for each in self.extensions:
            each.emptied()
        return draft

    def set_draft(self, text: str, attachments: Iterable[ContentBlock] = ()) -> None:
        """Replace what is written; a big text becomes a chip. The cursor goes to the end."""
        self.chips.clear()
        self.chips.adopt(text, attachments)
        self._show(self.chips.fold(text))
        self._recall.stop()

    def set_aside(self) -> None:
        self.prompt_history.add(bare(self.draft))
        self.take_draft()

    def rewrite(self, text: str) -> None:
        was_text = self.is_text
        self.set_draft(text, self.chips.attachments(text))
        self.is_text = bool(text) and (was_text or self.is_text)

    def give_back(self, text: str, attachments: Iterable[ContentBlock] = ()) -> None:
        """Put a prompt that was not taken in front of what is written."""
        self.chips.adopt(text, attachments)
        shown = self.chips.fold(text)
        rest, was_text = self.text, self.is_text
        self._show(f"{shown}\n{rest}" if rest.strip() else shown)
        self.is_text = self.is_text or (was_text and bool(rest.strip()))
        self._recall.stop()

    def put_back(self, piece: LabelledText) -> None:
        self.chips.clear()
        self._show(self.chips.restore(piece))
        self._recall.stop()

    def hold(self) -> None:
        """What is here now came right after another prompt was sent: a second Enter is a slip."""
        self._held_until = monotonic() + SLIP

    def submit(self) -> bool:
        """Send what is written; after a backslash begin a new line instead. Whether there was anything."""
        if monotonic() < self._held_until:
            return True
        row, column = self.cursor_location
        if column and self.document[row][column - 1] == "\\":
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
            return True
        written = bool(self.draft.strip())
        if written and not any(each.holds_back(self.written) for each in self.extensions):
            self.post_message(self.Submitted(self.take_draft()))
        return written

    def insert_typed(self, character: str) -> None:
        self._replace_via_keyboard(character, *self.selection)

    def take_typed(self, event: events.Key) -> None:
        """A character that was typed where the focus was on nothing that takes it, not even the leader."""
        if not any(each.takes_key(event) for each in self.extensions if each is not self._leader):
            self.insert_typed(event.character or "")

    def take_later(self, event: events.Key) -> None:
        """A key that came before the focus, behind those that are in our queue already."""
        key = events.Key(event.key, event.character)
        key.time = event.time
        self._forward_event(key)

    def go_up(self) -> None:
        if self.wrapped_document.location_to_offset(self.cursor_location).y > 0:
            self.action_cursor_up()
        elif (older := self._recall.older(self.prompt_history.entries, self.text)) is not None:
            self._show(self.chips.fold(older))

    def go_down(self) -> None:
        last = self.wrapped_document.height - 1
        if self.wrapped_document.location_to_offset(self.cursor_location).y < last:
            self.action_cursor_down()
        elif (newer := self._recall.newer()) is not None:
            self._show(self.chips.fold(newer))

    def edit(self, edit: Edit) -> EditResult:
        self._recall.stop()
        result = super().edit(edit)
        self.is_text = self.is_text and bool(self.text)
        return result

    def action_delete_left(self) -> None:
        row, column = self.cursor_location
        pieces = (each.piece_before(self.document[row], column) for each in self.extensions)
        piece = next(filter(None, pieces), 0) if self.selection.is_empty else 0
        if piece:
            self.delete((row, column - piece), (row, column))
        else:
            super().action_delete_left()

    def get_line(self, line_index: int) -> Text:
        line = super().get_line(line_index)
        palette = palette_of(self.app)
        for start, end, part in parts_of([*self.document.lines[:line_index], line.plain], self._is_mention):
            line.stylize(style_of(part, palette), start, end)
        return line

    def _is_mention(self, path: str) -> bool:
        return any(each.is_mention(path) for each in self.extensions)

    def close_lists(self) -> None:
        for each in self.extensions:
            each.close_lists()

    def draw_again(self) -> None:
        self._line_cache.clear()
        self.refresh()

    async def _on_key(self, event: events.Key) -> None:
        if any(each.takes_key(event) for each in self.extensions):
            event.stop().prevent_default()
        elif event.key in self._bindings.key_to_bindings:
            event.stop().prevent_default()
            for binding in self._bindings.key_to_bindings[event.key]:
                await self.run_action(binding.action)
        elif event.is_printable:
            self.post_message(self.Typed())

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop().prevent_default()
        self.paste(event.text)

    def paste(self, text: str) -> None:
        text = clean_paste(text)
        if any(each.takes_paste(text) for each in self.extensions):
            return
        if result := self._replace_via_keyboard(self.chips.fold_paste(text), *self.selection):
            self.move_cursor(result.end_location)

    def put_in(self, kind: str, words: str, held: str | ContentBlock) -> None:
        self.insert_apart(self.chips.hold(kind, words, held))

    def insert_apart(self, words: str) -> None:
        row, column = self.cursor_location
        before = self.document[row][:column]
        blank = " " if before and not before[-1].isspace() else ""
        self.insert(f"{blank}{words} ")

    # What is killed has its chips, each as one

    def whole_part(self, start: int, end: int) -> tuple[int, int]:
        return self.chips.whole(self.text, start, end)

    def to_piece(self, text: str) -> LabelledText:
        return self.chips.piece(text)

    def of_piece(self, piece: LabelledText) -> str:
        return self.chips.restore(piece)

    def unfold(self) -> None:
        """Put the text of the chip before the cursor, else of the last one, in its place."""
        before = self.get_text_range(self.document.start, self.cursor_location)
        found = self.chips.last_text(before) or self.chips.last_text(self.text)
        if found is None or len(found[1]) > UNFOLDED_AT_MOST:
            way = first_way("edit_externally")
            say(
                self.app,
                f"Too large to edit here. Open it in your editor with {way}." if found else "No paste to expand",
                4,
            )
            return
        label, text = found
        above, _, _ = self.text.partition(label)
        row, column = above.count("\n"), len(above.rpartition("\n")[2])
        self.replace(text, (row, column), (row, column + len(label)), maintain_selection_offset=False)

    async def action_paste_clipboard(self) -> None:
        for each in self.extensions:
            if await each.takes_clipboard():
                return
        self.paste(await read_clipboard(self.app))

    def _show(self, text: str) -> None:
        self.text = text
        self.is_text = is_as_text(text)
        self.move_cursor(self.document.end)
