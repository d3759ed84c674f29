"""Vim's keys at the prompt editor: its text and cursor are read before a key, and what came of them is written back."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from textual import events
from textual.keys import key_to_character
from textual.widgets.text_area import Edit, Location, Selection

from acp_tui.ui.kit.line_editor import EMOJI, LabelledText
from acp_tui.ui.prompt.draft import EditorExtension
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.vim.commands import REDO, Mode
from acp_tui.ui.prompt.vim.modes import ESCAPE, Vim
from acp_tui.ui.prompt.vim.motions import EMOJI_PIECES, PIECES

SAME = {
    "left": "h",
    "right": "l",
    "up": "k",
    "down": "j",
    "home": "0",
    "end": "$",
    "backspace": "h",
    "delete": "x",
    "space": "l",
    "ctrl+r": REDO,
}
"""The blank, and keys that type nothing, as the keys that mean the same."""
COPYING = ("ctrl+c", "super+c")
WORDS: Mapping[Mode, str] = {"insert": "INSERT", "normal": "NORMAL", "visual": "VISUAL", "visual line": "V-LINE"}
_PIECE = re.compile(f"[{chr(PIECES[0])}-{chr(PIECES[-1])}]")


class Pieces:
    """Chips and emoji as vim's keys see them: one character each, which every motion and operator takes whole."""

    def __init__(self) -> None:
        self._signs: dict[str, str] = {}  # by labels
        self._labels: dict[str, str] = {}  # by signs

    def shrink(self, text: str, at: int, labels: Collection[str]) -> tuple[str, int]:
        """The text with a character for each of the labels and emoji, and where the cursor is in it.

        A text that has such characters itself stays as it is.
        """
        if (not labels and text.isascii()) or _PIECE.search(text):
            return text, at
        label_in = re.compile("|".join([*map(re.escape, labels), EMOJI.pattern]))
        before = at
        for found in label_in.finditer(text):
            if found.start() < before:
                at -= min(before, found.end()) - found.start() - (before >= found.end())
        return label_in.sub(lambda found: self._sign(found[0], found[0] in labels), text), at

    def _sign(self, label: str, is_chip: bool) -> str:
        first = PIECES[0] if is_chip else EMOJI_PIECES[0]
        sign = self._signs.setdefault(label, chr(first + len(self._signs)))
        self._labels[sign] = label
        return sign

    def grow(self, text: str) -> str:
        """The text with the labels in their places again."""
        return _PIECE.sub(lambda found: self._labels.get(found[0], found[0]), text)


class Changes:
    """What one command changed, undone and done again as one: TextArea's history parts it by letters and time."""

    def __init__(self, editor: PromptEditor) -> None:
        self._editor = editor
        self._joined: list[list[Edit]] = []  # batches of edits that belong to the one before them
        self._last: list[Edit] | None = None
        self.begin()

    def begin(self) -> None:
        """What is edited from now on is another change."""
        self._last = next(reversed(self._editor.history.undo_stack), None)
        self._editor.history.checkpoint()

    def end(self) -> None:
        """What was edited since then is one change."""
        batches = self._editor.history.undo_stack
        first = next((at + 1 for at, batch in enumerate(batches) if batch is self._last), 0)
        known = [*batches, *self._editor.history.redo_stack]
        self._joined = [each for each in known if self._is_joined(each)] + batches[first + 1 :]

    def undo(self) -> None:
        while batches := self._editor.history.undo_stack:
            self._editor.undo()
            if not self._is_joined(batches[-1]):
                break

    def redo(self) -> None:
        self._editor.redo()
        while (left := self._editor.history.redo_stack) and self._is_joined(left[-1]):
            self._editor.redo()

    def _is_joined(self, batch: list[Edit]) -> bool:
        return any(batch is each for each in self._joined)


class VimKeys(EditorExtension):
    """The modes of one prompt."""

    def __init__(self, editor: PromptEditor) -> None:
        self._editor = editor
        self._vim, self._pieces, self._changes = Vim(), Pieces(), (changes := Changes(editor))
        self._granted = {"undo": changes.undo, "redo": changes.redo, "up": editor.go_up, "down": editor.go_down}
        self._register = LabelledText("")  # with what its chips stand for, when the prompt with them is gone
        self._shown: Selection | None = None  # what is selected in a visual mode

    @property
    def mode(self) -> str:
        """The mode, as it is shown; all words take as many cells."""
        return WORDS[self._vim.buffer.mode]

    def takes_key(self, event: events.Key) -> bool:
        """Do what the key means; whether nobody else is to have it."""
        vim, mode = self._vim, self._vim.buffer.mode
        escaping = mode != "normal" or (vim.unfinished and event.key == "escape")
        if escaping and (keys := self._as_escape(event.key)):
            self._editor.close_lists()
            for key in keys:
                self._press(key)
            return True
        if mode == "insert" or event.key == "escape":
            return False
        types = event.is_printable and (event.key != "space" or vim.seeks)
        if means := (event.character if types else None if vim.seeks else SAME.get(event.key)):
            self._press(means)
        elif vim.unfinished:
            self._press(ESCAPE)
        else:
            if vim.selecting and event.key in COPYING:
                self._select(whole=True)
            return False
        return True

    def _as_escape(self, key: str) -> str:
        """Esc; with a character, too, where a key with Alt means nothing else: so it comes in quick succession."""
        name = key.removeprefix("alt+")
        if key == "escape" or name == key or key in self._editor.keys_bound:
            return ESCAPE if key == "escape" else ""
        shifted = name.removeprefix("shift+")
        character = shifted.upper() if shifted != name else key_to_character(name)
        return f"{ESCAPE}{character}" if character else ""

    def emptied(self) -> None:
        self._changes.begin()
        self._vim.start_anew()
        self._editor.post_message(PromptEditor.ModeChanged())

    def _press(self, key: str) -> None:
        vim, buffer = self._vim, self._vim.buffer
        self._read()
        text, mode, register = buffer.text, buffer.mode, buffer.register
        if mode != "insert":
            self._changes.begin()
        vim.press(key)
        if buffer.register != register:
            self._register = self._editor.chips.piece(self._pieces.grow(buffer.register.text))
        if buffer.text != text:
            self._write(text)
        if buffer.mode != "insert":
            self._changes.end()
        if grant := self._granted.get(buffer.wish):
            for _ in range(buffer.wished):
                grant()
                self._read()
                buffer.settle()
        if not vim.unfinished:
            self._show(moved=not buffer.wish)
        if buffer.mode != mode:
            self._editor.post_message(PromptEditor.ModeChanged())

    def _read(self) -> None:
        """Take text and cursor as they are now; what the mouse has selected is selected here too."""
        editor, buffer = self._editor, self._vim.buffer
        start, end = editor.selection
        text, at = self._shrunk(end)
        if self._vim.selecting and (text, editor.selection) == (buffer.text, self._shown):
            return
        buffer.text, buffer.at = text, at
        if buffer.mode == "insert":
            return
        buffer.mode = "normal" if start == end else "visual"
        if start != end:
            anchor = self._shrunk(start)[1]
            buffer.anchor, buffer.at = (anchor, at - 1) if start < end else (anchor - 1, at)

    def _shrunk(self, location: Location) -> tuple[str, int]:
        editor = self._editor
        return self._pieces.shrink(editor.text, editor.index_of(location), editor.chips.labels)

    def _write(self, before: str) -> None:
        """Replace what differs, as one edit."""
        editor = self._editor
        old, new = self._pieces.grow(before), self._pieces.grow(self._vim.buffer.text)
        editor.chips.restore(self._register)
        start = _alike(old, new)
        tail = _alike(old[start:][::-1], new[start:][::-1])
        if not editor.selection.is_empty:
            editor.move_cursor(min(editor.selection))
        editor.replace_part(start, len(old) - tail, new[start : len(new) - tail])

    def _show(self, *, moved: bool) -> None:
        """Put the editor's cursor where it is here. The editor's own ways up and down keep their column."""
        if self._vim.selecting:
            self._select()
        elif (place := self._location(self._vim.buffer.at)) != self._editor.cursor_location or self._shown is not None:
            self._shown = None
            self._editor.move_cursor(place, record_width=moved)

    def _select(self, *, whole: bool = False) -> None:
        """Select in the editor; the cursor's own character is left to the cursor, but for who wants the `whole`."""
        buffer = self._vim.buffer
        start, end, lines = buffer.selected
        if buffer.at < buffer.anchor:
            start, end = end, start
        elif not (lines or whole):
            end = buffer.at
        self._shown = Selection(self._location(start), self._location(end))
        self._editor.selection = self._shown

    def _location(self, at: int) -> Location:
        return self._editor.location_at(len(self._pieces.grow(self._vim.buffer.text[:at])))


def _alike(one: str, other: str) -> int:
    """With how many characters both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(one), len(other)))
