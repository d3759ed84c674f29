"""Vim's modes: commands are done to a buffer, and the last change is done again."""

from functools import partial
from typing import NamedTuple

from acp_tui.ui.kit.line_editor import line_start
from acp_tui.ui.prompt.vim import commands
from acp_tui.ui.prompt.vim.commands import UNFINISHED, Buffer, Command, Motion, Span, copies, read
from acp_tui.ui.prompt.vim.motions import seek

ESCAPE = "\x1b"
TYPES_AGAIN = "iIaA"  # a count before them types the text as often


class Change(NamedTuple):
    """A change as `.` does it again: its command, what was typed after it, and how much was selected, if anything."""

    command: Command
    selected: int = 0
    lines: bool = False
    typed: str = ""

    def typed_again(self, number: int) -> str:
        """What a count before the command makes of the text that was typed."""
        return self.typed * (copies(self.typed, number) if self.command.key in TYPES_AGAIN else 1)

    @property
    def counts(self) -> bool:
        """Whether it changes anything, so that it is done again."""
        operator, key = self.command.operator, self.command.key
        row = commands.VISUAL.get(operator or key) if operator or self.selected else commands.ACTIONS.get(key)
        return row is not None and row.changes


class Vim:
    """The keys of one prompt. Before each, its owner says on the `buffer` how text and cursor are now."""

    def __init__(self) -> None:
        self.buffer = Buffer()
        self._typed = ""
        self._sought = (
            ";",
            "",
        )  # the last of f…, F…, t… and T…, and its character; until there is one `;` leads nowhere
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
