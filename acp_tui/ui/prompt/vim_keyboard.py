"""Vim's keyboard: its modes, in which keys are commands to a buffer, and the prompt that has them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import partial

from textual import events
from textual.keys import key_to_character
from textual.widgets.text_area import Edit, Location, Selection

from acp_tui.ui.kit.line_editor import EMOJI, LabelledText, line_start
from acp_tui.ui.prompt import vim_commands as commands
from acp_tui.ui.prompt.draft import EditorExtension
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.vim_commands import SAME, UNFINISHED, Buffer, Change, Command, Mode, Motion, Span, read
from acp_tui.ui.prompt.vim_motions import EMOJI_PIECES, PIECES, seek
from acp_tui.ui.render.text import common_start

ESCAPE = "\x1b"


class Vim:
    """The keys of one prompt. Before each, its owner says on the `buffer` how text and cursor are now."""

    def __init__(self) -> None:
        self.buffer = Buffer()
        self._typed = ""
        self._sought = ";", ""  # the last of f…, F…, t… and T… with its character; at first `;` leads nowhere
        self._change: Change | None = None
        self._entered: tuple[str, int] | None = None  # text and cursor when a command led to insert mode

    @property
    def selecting(self) -> bool:
        return self.buffer.mode in ("visual", "visual line")

    @property
    def unfinished(self) -> bool:
        """Whether keys were typed that are no command yet."""
        return bool(self._typed)

    @property
    def seeks(self) -> bool:
        """Whether the next character is one that a key acts with, as after `f`."""
        command = read(f"{self._typed}\0", selecting=self.selecting) if self._typed else None
        return command is not None and bool(command.character)

    def press(self, key: str) -> None:
        """A key, by its character. In insert mode only ESCAPE is one; all else is typed into the text."""
        self.buffer.wish = ""
        if key == ESCAPE:
            self._escape()
        else:
            self._typed += key
            command = read(self._typed, selecting=self.selecting)
            if command is UNFINISHED:
                return
            self._typed = ""
            if command is not None:
                self._do(command)
        self.buffer.settle()

    def start_anew(self) -> None:
        """Another text is begun, in insert mode."""
        self.buffer.mode, self._typed, self._entered = "insert", "", None

    def _escape(self) -> None:
        buffer, self._typed = self.buffer, ""
        if buffer.mode == "insert":
            if self._entered is not None and self._change is not None:
                self._end_insert(self._change, *self._entered)
            self._entered = None
            buffer.at = max(line_start(buffer.text, buffer.at), buffer.at - 1)
        buffer.mode = "normal"

    def _end_insert(self, change: Change, before: str, at: int) -> None:
        buffer, after = self.buffer, before[at:]
        whole = buffer.text.startswith(before[:at]) and buffer.text.endswith(after) and len(buffer.text) >= len(before)
        typed = buffer.text[at : len(buffer.text) - len(after)] if whole else ""  # else more than that was changed
        self._change = change._replace(typed=typed)
        more = self._change.typed_again(change.command.number)[len(typed) :]
        buffer.put(Span(buffer.at, buffer.at), more, buffer.at + len(more))

    def _do(self, command: Command) -> None:
        buffer = self.buffer
        start, end, lines = buffer.selected if self.selecting else Span(0, 0)
        change = Change(command, buffer.text.count("\n", start, end) + 1 if lines else end - start, lines)
        if not self._run(command):
            return
        if buffer.wish == "repeat":
            buffer.wish = ""
            self._repeat(command.number)
        elif change.counts:
            self._change = change
        if buffer.mode == "insert":
            self._entered = buffer.text, buffer.at

    def _repeat(self, count: int) -> None:
        if self._change is None:
            return
        buffer, change = self.buffer, self._change
        command = change.command._replace(number=count) if count else change.command
        if change.selected:
            end = min(len(buffer.text), buffer.at + change.selected)
            self._act(command, buffer.lines_from_cursor(change.selected) if change.lines else Span(buffer.at, end))
        else:
            self._run(command)
        if buffer.mode == "insert":
            typed = change.typed_again(command.number)
            at = max(line_start(buffer.text, buffer.at), buffer.at + len(typed) - 1)
            buffer.put(Span(buffer.at, buffer.at), typed, at)
            buffer.mode = "normal"

    def _run(self, command: Command) -> bool:
        """Do a command; whether it could be done."""
        buffer, key = self.buffer, command.key
        if command.operator:
            return self._act(command, self._reached(command))
        if self.selecting and key in commands.VISUAL:
            return self._act(command, buffer.selected)
        if key[1:] in commands.OBJECTS:
            return self._select_object(key)
        if (action := (commands.VISUAL_ACTIONS if self.selecting else commands.ACTIONS).get(key)) is None:
            led = self._led(command, buffer.at)
            buffer.at = led[0] if led else buffer.at
            return led is not None
        if not isinstance(action.do, str):
            action.do(buffer, command)
        elif not self._run(Command(command.number, *action.do)) and key == "s":
            buffer.change(Span(buffer.at, buffer.at))  # an empty line, too
        return True

    def _act(self, command: Command, span: Span | None) -> bool:
        """Do with a part of the text what a key of the visual modes does; an operator is one of these."""
        if span is None:
            return False
        operator = commands.VISUAL[command.operator or command.key]
        act = operator.act or partial(Buffer.replace, character=command.character)
        act(self.buffer, span)
        if self.buffer.mode != "insert":
            self.buffer.mode = "normal"
        return True

    def _select_object(self, key: str) -> bool:
        buffer, span = self.buffer, self._object(key)
        if span is None:
            return False
        buffer.anchor, buffer.at = span.start, max(span.start, span.end - 1)
        if span.lines:
            buffer.mode = "visual line"
        return True

    def _led(self, command: Command, at: int) -> tuple[int, Motion] | None:
        """Where a motion leads from this place, and as which row of the table."""
        key, character, again = command.key, command.character, command.key in (";", ",")
        if again:
            sought, character = self._sought
            key = sought if key == ";" else sought.swapcase()
        elif character:
            self._sought = key, character
        go = partial(seek, key[0], character, again) if character else commands.MOTIONS[key].go
        to = None if go is None else go(self.buffer.text, at, command.number)
        return None if to is None else (to, commands.MOTIONS[key])

    def _reached(self, command: Command) -> Span | None:
        """What an operator acts on. Of words a changed one goes without its blanks, the last without its line's end."""
        buffer, key, at = self.buffer, command.key, self.buffer.at
        if key == command.operator:
            return buffer.lines_from_cursor(command.number)
        if key[1:] in commands.OBJECTS:
            return self._object(key)
        if key in ("w", "W") and command.operator == "c" and buffer.text[at : at + 1].strip():
            key, at = "e" if key == "w" else "E", at - 1  # the end of this word, even where the cursor is on it
        led = self._led(command._replace(key=key), at)
        if led is None:
            return None
        to, motion = led
        first, last = sorted((buffer.at, to))
        if motion.reach == "lines":
            return buffer.whole_lines(first, last)
        if key in ("w", "W") and "\n" in buffer.text[first:last]:
            last = buffer.text.rindex("\n", first, last)
        on_sign = buffer.text[last : last + 1] not in ("", "\n") or key != command.key
        return Span(first, last + (motion.reach == "inclusive" and on_sign))

    def _object(self, key: str) -> Span | None:
        sort = commands.OBJECTS[key[1:]]
        found = sort.find(self.buffer.text, self.buffer.at, key[0] == "a")
        return None if found is None else Span(*found, lines=sort.lines)


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
        start = common_start(old, new)
        tail = common_start(old[start:][::-1], new[start:][::-1])
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
