"""Vim's keys at the prompt editor: its text and cursor are read before a key, and what came of them is written back."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import count

from textual import events
from textual.keys import key_to_character
from textual.widgets.text_area import Edit, Location, Selection

from acp_tui.ui.kit.line_editing import EMOJI, Piece
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
        self._free, self._free_for_emoji = (map(chr, count(pieces[0])) for pieces in (PIECES, EMOJI_PIECES))

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
        if label not in self._signs:
            self._signs[label] = sign = next(self._free if is_chip else self._free_for_emoji)
            self._labels[sign] = label
        return self._signs[label]

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
        while self._editor.history.redo_stack:
            self._editor.redo()
            left = self._editor.history.redo_stack
            if not left or not self._is_joined(left[-1]):
                break

    def _is_joined(self, batch: list[Edit]) -> bool:
        return any(batch is each for each in self._joined)


class VimKeys(EditorExtension):
    """The modes of one prompt."""

    def __init__(self, editor: PromptEditor) -> None:
        self._editor = editor
        self._vim, self._pieces, self._changes = Vim(), Pieces(), Changes(editor)
        self._register = Piece("")  # with what its chips stand for, when the prompt with them is gone
        self._shown: Selection | None = None  # what is selected in a visual mode

    @property
    def mode(self) -> str:
        """The mode, as it is shown; all words take as many cells."""
        return WORDS[self._vim.desk.mode]

    def takes_key(self, event: events.Key) -> bool:
        """Do what the key means; whether nobody else is to have it."""
        vim, mode = self._vim, self._vim.desk.mode
        if event.key == "escape":
            mine = mode != "normal" or vim.unfinished
            if mine:
                self._editor.close_lists()
                self._press(ESCAPE)
            return mine
        if mode != "normal" and (follows := self._follows_escape(event.key)):
            self._editor.close_lists()
            self._press(ESCAPE)
            self._press(follows)
            return True
        if mode == "insert":
            return False
        if event.is_printable and (event.key != "space" or vim.seeks):
            key = event.character
        else:
            key = None if vim.seeks else SAME.get(event.key)
        if key is not None:
            self._press(key)
        elif vim.unfinished:
            self._press(ESCAPE)
        else:
            if vim.selecting and event.key in COPYING:
                self._select(whole=True)
            return False
        return True

    def _follows_escape(self, key: str) -> str:
        """The character of a key with Alt that has no other meaning: Esc and it, in quick succession, are the same."""
        if not key.startswith("alt+") or key in self._editor.keys_bound:
            return ""
        name = key.removeprefix("alt+")
        shifted = name.removeprefix("shift+")
        return shifted.upper() if shifted != name else key_to_character(name) or ""

    def emptied(self) -> None:
        self._changes = Changes(self._editor)
        self._vim.start_anew()
        self._editor.post_message(PromptEditor.ModeChanged())

    def _press(self, key: str) -> None:
        vim, desk = self._vim, self._vim.desk
        self._read()
        text, mode, register = desk.text, desk.mode, desk.register
        if mode != "insert":
            self._changes.begin()
        vim.press(key)
        if desk.register != register:
            self._register = self._editor.chips.piece(self._pieces.grow(desk.register.text))
        if desk.text != text:
            self._write(text)
        if desk.mode != "insert":
            self._changes.end()
        for _ in range(desk.wished if desk.wish else 0):
            self._grant()
        if not vim.unfinished:
            self._show(moved=not desk.wish)
        if desk.mode != mode:
            self._editor.post_message(PromptEditor.ModeChanged())

    def _grant(self) -> None:
        """What only the editor can do."""
        match self._vim.desk.wish:
            case "undo":
                self._changes.undo()
            case "redo":
                self._changes.redo()
            case "up":
                self._editor.go_up()
            case "down":
                self._editor.go_down()
            case _:
                return
        self._read()
        self._vim.desk.settle()

    def _read(self) -> None:
        """Take text and cursor as they are now; what the mouse has selected is selected here too."""
        editor, desk = self._editor, self._vim.desk
        start, end = editor.selection
        text, at = self._shrunk(end)
        if self._vim.selecting and (text, editor.selection) == (desk.text, self._shown):
            return
        desk.text, desk.at = text, at
        if desk.mode == "insert":
            return
        desk.mode = "normal" if start == end else "visual"
        if start != end:
            anchor = self._shrunk(start)[1]
            desk.anchor, desk.at = (anchor, at - 1) if start < end else (anchor - 1, at)

    def _shrunk(self, location: Location) -> tuple[str, int]:
        editor, (row, column) = self._editor, location
        at = sum(len(line) + 1 for line in editor.document.lines[:row]) + column
        return self._pieces.shrink(editor.text, at, editor.chips.labels)

    def _write(self, before: str) -> None:
        """Replace what differs, as one edit."""
        editor = self._editor
        old, new = self._pieces.grow(before), self._pieces.grow(self._vim.desk.text)
        editor.chips.restore(self._register)
        start = _alike(old, new)
        tail = _alike(old[start:][::-1], new[start:][::-1])
        first, last = _location(old[:start]), _location(old[: len(old) - tail])
        if not editor.selection.is_empty:
            editor.move_cursor(min(editor.selection))
        editor.replace(new[start : len(new) - tail], first, last, maintain_selection_offset=False)

    def _show(self, *, moved: bool) -> None:
        """Put the editor's cursor where it is here. The editor's own ways up and down keep their column."""
        if self._vim.selecting:
            self._select()
        elif (place := self._location(self._vim.desk.at)) != self._editor.cursor_location or self._shown is not None:
            self._shown = None
            self._editor.move_cursor(place, record_width=moved)

    def _select(self, *, whole: bool = False) -> None:
        """Select in the editor; the cursor's own character is left to the cursor, but for who wants the `whole`."""
        desk = self._vim.desk
        start, end, lines = desk.selected
        if desk.at < desk.anchor:
            start, end = end, start
        elif not (lines or whole):
            end = desk.at
        self._shown = Selection(self._location(start), self._location(end))
        self._editor.selection = self._shown

    def _location(self, at: int) -> Location:
        return _location(self._pieces.grow(self._vim.desk.text[:at]))


def _location(before: str) -> Location:
    """The place after this beginning of a text."""
    return before.count("\n"), len(before) - before.rfind("\n") - 1


def _alike(one: str, other: str) -> int:
    """With how many characters both begin."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (ours, theirs) in pairs if ours != theirs), min(len(one), len(other)))
