"""Vim's modes: commands are done to a desk, and the last change is done again."""

from typing import NamedTuple

from acp_tui.ui.prompt.vim.commands import UNFINISHED, Command, read
from acp_tui.ui.prompt.vim.desk import Desk, Span, copies, lines_from, replace, settle, whole_lines
from acp_tui.ui.prompt.vim.keys import ACTIONS, ANY, MOTIONS, OBJECTS, OPERATORS, VISUAL, VISUAL_ACTIONS, Motion
from acp_tui.ui.prompt.vim.motions import seek, times, word_end
from acp_tui.ui.prompt.vim.places import kind, line_start

ESCAPE = "\x1b"
TYPES_AGAIN = "iIaA"  # a count before them types the text as often
_TURNED = str.maketrans("fFtT", "FfTt")


class Change(NamedTuple):
    """A change as `.` does it again: its command, what was typed after it, and how much was selected, if anything."""

    command: Command
    selected: int = 0
    lines: bool = False
    typed: str = ""


class Vim:
    """The keys of one prompt. Before each, its owner says on the `desk` how text and cursor are now."""

    def __init__(self) -> None:
        self.desk = Desk()
        self._typed = ""
        self._sought = ("", "")  # the last of f, F, t and T, and its character
        self._change: Change | None = None
        self._entered: tuple[str, int] | None = None  # text and cursor when a command led to insert mode

    @property
    def selecting(self) -> bool:
        return self.desk.mode in ("visual", "visual line")

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
        self.desk.wish = ""
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
        settle(self.desk)

    def start_anew(self) -> None:
        """Another text is begun, in insert mode."""
        self.desk.mode, self._typed, self._entered = "insert", "", None

    def _escape(self) -> None:
        desk, self._typed = self.desk, ""
        if desk.mode == "insert":
            if self._entered is not None and self._change is not None:
                self._end_insert(self._change, *self._entered)
            self._entered = None
            desk.at = max(line_start(desk.text, desk.at), desk.at - 1)
        desk.mode = "normal"

    def _end_insert(self, change: Change, before: str, at: int) -> None:
        desk = self.desk
        after = before[at:]
        whole = desk.text.startswith(before[:at]) and desk.text.endswith(after) and len(desk.text) >= len(before)
        typed = desk.text[at : len(desk.text) - len(after)] if whole else ""  # else more than that was changed
        self._change = change._replace(typed=typed)
        more = typed * (copies(typed, change.command.number) - 1) if change.command.key in TYPES_AGAIN else ""
        desk.put(Span(desk.at, desk.at), more, desk.at + len(more))

    def _do(self, command: Command) -> None:
        desk = self.desk
        change = Change(command)
        if self.selecting:
            span = desk.selected
            size = desk.text.count("\n", span.start, span.end) + 1 if span.lines else span.end - span.start
            change = Change(command, size, span.lines)
        if not self._run(command):
            return
        if desk.wish == "repeat":
            desk.wish = ""
            self._repeat(command.number)
        elif _changes(change):
            self._change = change
        if desk.mode == "insert":
            self._entered = desk.text, desk.at

    def _repeat(self, count: int) -> None:
        if self._change is None:
            return
        desk, change = self.desk, self._change
        command = change.command._replace(number=count) if count else change.command
        if change.selected:
            end = min(len(desk.text), desk.at + change.selected)
            self._act(command, lines_from(desk, change.selected) if change.lines else Span(desk.at, end))
        else:
            self._run(command)
        if desk.mode == "insert":
            typed = change.typed * (copies(change.typed, command.number) if command.key in TYPES_AGAIN else 1)
            desk.put(Span(desk.at, desk.at), typed, max(line_start(desk.text, desk.at), desk.at + len(typed) - 1))
            desk.mode = "normal"

    def _run(self, command: Command) -> bool:
        """Do a command; whether it could be done."""
        desk, key = self.desk, command.key
        if command.operator:
            span = self._reached(command)
            if span is not None:
                OPERATORS[command.operator].act(desk, span)
            return span is not None
        if self.selecting and key in VISUAL:
            self._act(command, desk.selected)
        elif self.selecting and key[1:] in OBJECTS and key[0] in "ia":
            return self._select_object(key)
        elif action := (VISUAL_ACTIONS if self.selecting else ACTIONS).get(key):
            action.do(desk, command.number, command.character)
        else:
            return self._move(command)
        return True

    def _act(self, command: Command, span: Span) -> None:
        """Do something with what is selected, or as much as was selected once."""
        act = VISUAL[command.key].act
        if act is not None:
            act(self.desk, span)
        else:
            replace(self.desk, span, command.character)
        if self.desk.mode != "insert":
            self.desk.mode = "normal"

    def _select_object(self, key: str) -> bool:
        desk, span = self.desk, _object(self.desk, key)
        if span is None:
            return False
        desk.anchor, desk.at = span.start, max(span.start, span.end - 1)
        if span.lines:
            desk.mode = "visual line"
        return True

    def _move(self, command: Command) -> bool:
        found = self._led(command)
        if found is not None:
            self.desk.at = found[0]
        return found is not None

    def _led(self, command: Command) -> tuple[int, Motion] | None:
        """Where a motion leads, and as which row of the table."""
        key, character, again = command.key, command.character, False
        if character:
            self._sought = key[0], character
        elif key in (";", ","):
            sought, character = self._sought
            if not character:
                return None
            again, key = True, (sought if key == ";" else sought.translate(_TURNED)) + ANY
        go = seek(key[0], character, again=again) if character else MOTIONS[key].go
        to = go(self.desk.text, self.desk.at, command.number) if go is not None else None
        return None if to is None else (to, MOTIONS[key])

    def _reached(self, command: Command) -> Span | None:
        """What an operator acts on."""
        desk, key = self.desk, command.key
        if key == command.operator:
            return lines_from(desk, command.number)
        if key[0] in "ia":
            return _object(desk, key)
        if key in ("w", "W"):
            return _words(desk, command)
        led = self._led(command)
        if led is None:
            return None
        to, motion = led
        first, last = sorted((desk.at, to))
        if motion.reach == "lines":
            return whole_lines(desk.text, first, last)
        on_sign = motion.reach == "inclusive" and desk.text[last : last + 1] not in ("", "\n")
        return Span(first, last + on_sign)


def _object(desk: Desk, key: str) -> Span | None:
    """The text object of a key, `iw` or `aw`, at the cursor."""
    sort = OBJECTS[key[1:]]
    found = sort.find(desk.text, desk.at, key[0] == "a")
    return None if found is None else Span(*found, lines=sort.lines)


def _changes(change: Change) -> bool:
    command = change.command
    if command.operator:
        return command.operator != "y"
    if change.selected:
        return command.key in VISUAL and command.key != "y"
    return command.key in ACTIONS and ACTIONS[command.key].changes


def _words(desk: Desk, command: Command) -> Span | None:
    """Words as operators take them: the last one without the end of its line, a changed one without its blanks."""
    text, at, big = desk.text, desk.at, command.key == "W"
    if command.operator == "c" and at < len(text) and kind(text[at]):
        end = times(lambda text, at: word_end(text, at, big=big))(text, at - 1, command.number)
        return Span(at, min(len(text), (at - 1 if end is None else end) + 1))
    go = MOTIONS[command.key].go
    to = go(text, at, command.number) if go is not None else None
    if to is None:
        return None
    last = text.rfind("\n", at, to)
    return Span(at, to if last < 0 else last)
