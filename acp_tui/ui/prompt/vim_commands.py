"""Vim's commands: a text with its cursor, what operators do to it, and the one table of keys.

The documentation's table is made of its words. The character `…` in a key stands for any other.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Literal, NamedTuple

from acp_tui.ui.kit.line_editor import line_end, line_start
from acp_tui.ui.prompt import vim_motions as motions
from acp_tui.ui.prompt.vim_motions import BIG_WORDS, WORDS, Find, Go, first_word, on_character, times

Mode = Literal["insert", "normal", "visual", "visual line"]
Wish = Literal["", "undo", "redo", "up", "down", "repeat"]

MOST = 1_000_000  # characters that a count makes of a text; 20 million hold up everything for two minutes


class Register(NamedTuple):
    """What was deleted or yanked last; whole `lines` have no newline at their end."""

    text: str = ""
    lines: bool = False


class Span(NamedTuple):
    """A part of the text, without its `end`; of whole `lines` it ends before the newline."""

    start: int
    end: int
    lines: bool = False


class Command(NamedTuple):
    """Keys by their row in the table: `2d3f,` is number 6, operator `d`, key `f…`, character `,`."""

    number: int = 0
    operator: str = ""
    key: str = ""
    character: str = ""


def copies(text: str, count: int) -> int:
    """How often a text is put for a count (0: none): as often as there is room, and once at least."""
    return max(1, min(count, MOST // max(1, len(text))))


@dataclass(slots=True, eq=False)
class Buffer:
    """A text and the cursor in it, an offset. A selection reaches from the `anchor` to the cursor, both included.

    `wish` is what only the owner of the text can do, as often as `wished` says.
    """

    text: str = ""
    at: int = 0
    anchor: int = 0
    mode: Mode = "insert"
    register: Register = field(default_factory=Register)
    wish: Wish = ""
    wished: int = 1

    @property
    def selected(self) -> Span:
        first, last = sorted((self.anchor, self.at))
        if self.mode == "visual line":
            return self.whole_lines(first, last)
        return Span(first, min(len(self.text), last + 1))

    def whole_lines(self, first: int, last: int) -> Span:
        return Span(line_start(self.text, first), line_end(self.text, last), lines=True)

    def lines_from_cursor(self, count: int) -> Span:
        """So many lines (0: one), as far as there are."""
        return self.whole_lines(self.at, motions.to_line_end(self.text, self.at, count))

    def put(self, span: Span, text: str, at: int) -> None:
        """Put a text in the place of another one; the cursor goes to `at`."""
        self.text = self.text[: span.start] + text + self.text[span.end :]
        self.at = at

    def insert(self, at: int, text: str = "", cursor: int = 0) -> None:
        """To insert mode, with this text put there and the cursor so far in it."""
        self.put(Span(at, at), text, at + cursor)
        self.mode = "insert"

    def keep(self, span: Span) -> None:
        self.register = Register(self.text[span.start : span.end], span.lines)

    def put_register(self, count: int, *, after: bool) -> None:
        text, lines = self.register
        copied, end = [text] * copies(text, count), line_end(self.text, self.at)
        if lines:
            place = end if after else line_start(self.text, self.at)
            written = "\n".join(["", *copied] if after else [*copied, ""])
            self.put(Span(place, place), written, 0)
            self.at = first_word(self.text, place + after)
        elif text:
            place, written = min(end, self.at + 1) if after else self.at, "".join(copied)
            self.put(Span(place, place), written, place if "\n" in written else place + len(written) - 1)

    def select(self, mode: Mode) -> None:
        """To a visual mode; out of it, if it is that already."""
        if self.mode == "normal":
            self.anchor = self.at
        self.mode = "normal" if self.mode == mode else mode

    def ask(self, wish: Wish, count: int) -> None:
        self.wish, self.wished = wish, max(1, count)

    def settle(self) -> None:
        """Where the cursor may be: in normal mode on a character."""
        self.at = max(0, min(self.at, len(self.text)))
        if self.mode != "insert":
            self.at = on_character(self.text, self.at)

    # Operators: what is done with a part of the text

    def yank(self, span: Span) -> None:
        self.keep(span)
        if self.mode != "normal" or not span.lines:
            self.at = span.start

    def delete(self, span: Span) -> None:
        self.keep(span)
        if not span.lines:
            self.put(span, "", span.start)
            return
        start, end = span.start, span.end + 1
        if span.end == len(self.text):  # the last lines go with the newline before them
            start, end = max(0, span.start - 1), span.end
        self.put(Span(start, end), "", 0)
        self.at = first_word(self.text, min(span.start, len(self.text)))

    def change(self, span: Span) -> None:
        self.keep(span)
        self.put(span, "", span.start)
        self.mode = "insert"

    def swap_case(self, span: Span) -> None:
        self.put(span, self.text[span.start : span.end].swapcase(), span.start)

    def replace(self, span: Span, character: str) -> None:
        self.put(span, re.sub(".", lambda _: character, self.text[span.start : span.end]), span.start)

    def join(self, span: Span) -> None:
        """Make one line of these, and of the next if there is but one, with a blank where they met."""
        start, end = span.start, span.end
        if "\n" not in self.text[start:end] and end < len(self.text):
            end = line_end(self.text, end + 1)
        joined, at = "", 0
        for number, line in enumerate(self.text[start:end].split("\n")):
            rest = line.lstrip(" \t") if number else line
            at = len(joined)
            joined += (" " if number and rest and joined[-1:] not in ("", " ", "\t") and rest[0] != ")" else "") + rest
        self.put(Span(start, end), joined, start + at)

    def put_over(self, span: Span) -> None:
        """The register in the place of what is selected, which is in the register then."""
        put = self.register
        self.keep(span)
        written = put.text if span.lines or not put.lines else f"\n{put.text}\n"
        self.put(span, written, span.start + (0 if put.lines else max(0, len(written) - 1)))

    # What other keys do

    def replace_here(self, command: Command) -> None:
        span = Span(self.at, self.at + max(1, command.number))
        if span.end <= line_end(self.text, self.at):
            self.replace(span, command.character)
            self.at = span.end - 1

    def toggle_case(self, command: Command) -> None:
        end = min(line_end(self.text, self.at), self.at + max(1, command.number))
        self.swap_case(Span(self.at, end))
        self.at = end

    def turn(self, _command: Command) -> None:
        self.anchor, self.at = self.at, self.anchor


Act = Callable[[Buffer, Span], None]
ANY = "…"
REDO = "\x12"  # Ctrl+R, as a terminal sends it
Reach = Literal["exclusive", "inclusive", "lines"]


class Motion(NamedTuple):
    """Where it leads (by the character after it, if it takes one), and how far an operator reaches with it."""

    words: str
    go: Go | None = None
    reach: Reach = "exclusive"


class TextObject(NamedTuple):
    """What stands at the cursor; of some objects whole `lines`."""

    words: str
    find: Find
    lines: bool = False


class Action(NamedTuple):
    """What a key does, or the operator and motion that are the same.

    `changes` says that `.` does it again. Without `words` another row tells of it.
    """

    words: str
    do: Callable[[Buffer, Command], object] | str
    changes: bool = True


class Operator(NamedTuple):
    """What is done with that to which a motion leads, with an object, or with a selection.

    Without `act` it is done by the character after the key. `changes` says that `.` does it again.
    """

    words: str
    act: Act | None = None
    changes: bool = True


_next, _previous, _end = motions.next_word, motions.previous_word, motions.word_end
MOTIONS = {
    "h": Motion("Left", times(lambda text, at: max(line_start(text, at), at - 1))),
    "l": Motion("Right", times(motions.right)),
    "j": Motion("Down (from the last line: next prompt)", times(motions.down), "lines"),
    "k": Motion("Up (from the first line: previous prompt)", times(motions.up), "lines"),
    "w": Motion("Next word", times(partial(_next, WORDS))),
    "W": Motion("Next space-separated word", times(partial(_next, BIG_WORDS))),
    "b": Motion("Previous word", times(partial(_previous, WORDS))),
    "B": Motion("Previous space-separated word", times(partial(_previous, BIG_WORDS))),
    "e": Motion("End of word", times(partial(_end, WORDS)), "inclusive"),
    "E": Motion("End of space-separated word", times(partial(_end, BIG_WORDS)), "inclusive"),
    "0": Motion("Start of line", lambda text, at, _: line_start(text, at)),
    "^": Motion("First non-blank character of the line", lambda text, at, _: first_word(text, at)),
    "$": Motion("End of line", motions.to_line_end, "inclusive"),
    "gg": Motion("First line (with a count: that line)", motions.to_first_line, "lines"),
    "G": Motion("Last line (with a count: that line)", motions.to_last_line, "lines"),
    f"f{ANY}": Motion("To a character", reach="inclusive"),
    f"F{ANY}": Motion("To a character, backward"),
    f"t{ANY}": Motion("Up to a character", reach="inclusive"),
    f"T{ANY}": Motion("Up to a character, backward"),
    ";": Motion("Repeat f, F, t or T"),
    ",": Motion("Repeat in the opposite direction"),
    "%": Motion("Matching bracket", motions.to_partner, "inclusive"),
}
OBJECTS = {
    "w": TextObject("Word (i: inside, a: around)", motions.word),
    "W": TextObject("Space-separated word", motions.big_word),
    '"': TextObject("In double quotes", partial(motions.quoted, '"')),
    "'": TextObject("In single quotes", partial(motions.quoted, "'")),
    "`": TextObject("In backticks", partial(motions.quoted, "`")),
    **dict.fromkeys("()b", TextObject("In parentheses", partial(motions.bracketed, "("))),
    **dict.fromkeys("[]", TextObject("In brackets", partial(motions.bracketed, "["))),
    **dict.fromkeys("{}B", TextObject("In braces", partial(motions.bracketed, "{"))),
    "p": TextObject("Paragraph", motions.paragraph, lines=True),
}
ACTIONS = {
    "i": Action("Insert before the cursor", lambda buffer, _: buffer.insert(buffer.at)),
    "I": Action("Insert at the start of the line", lambda buffer, _: buffer.insert(first_word(buffer.text, buffer.at))),
    "a": Action("Insert after the cursor", lambda buffer, _: buffer.insert(motions.right(buffer.text, buffer.at))),
    "A": Action("Insert at the end of the line", lambda buffer, _: buffer.insert(line_end(buffer.text, buffer.at))),
    "o": Action("Open a line below", lambda buffer, _: buffer.insert(line_end(buffer.text, buffer.at), "\n", 1)),
    "O": Action("Open a line above", lambda buffer, _: buffer.insert(line_start(buffer.text, buffer.at), "\n")),
    "x": Action("Delete a character", "dl"),
    "X": Action("Delete the character before the cursor", "dh"),
    "s": Action("Change a character", "cl"),
    "S": Action("Change the line", "cc"),
    "D": Action("Delete to the end of the line", "d$"),
    "C": Action("Change to the end of the line", "c$"),
    "Y": Action("Yank the line", "yy", changes=False),
    "p": Action("Put after the cursor", lambda buffer, command: buffer.put_register(command.number, after=True)),
    "P": Action("Put before the cursor", lambda buffer, command: buffer.put_register(command.number, after=False)),
    f"r{ANY}": Action("Replace a character", Buffer.replace_here),
    "~": Action("Toggle case", Buffer.toggle_case),
    "J": Action("Join lines", lambda buffer, command: buffer.join(buffer.lines_from_cursor(command.number))),
    "u": Action("Undo", lambda buffer, command: buffer.ask("undo", command.number), changes=False),
    REDO: Action("Redo", lambda buffer, command: buffer.ask("redo", command.number), changes=False),
    ".": Action("Repeat the last change", lambda buffer, command: buffer.ask("repeat", command.number), changes=False),
    "v": Action("Select characters", lambda buffer, _: buffer.select("visual"), changes=False),
    "V": Action("Select lines", lambda buffer, _: buffer.select("visual line"), changes=False),
    "j": Action("", lambda buffer, command: buffer.ask("down", command.number), changes=False),
    "k": Action("", lambda buffer, command: buffer.ask("up", command.number), changes=False),
}
VISUAL = {
    "d": Operator("Delete", Buffer.delete),
    "x": Operator("", Buffer.delete),
    "c": Operator("Change", Buffer.change),
    "s": Operator("", Buffer.change),
    "y": Operator("Yank (copy)", Buffer.yank, changes=False),
    "p": Operator("Replace with the yanked text", Buffer.put_over),
    "P": Operator("", Buffer.put_over),
    "~": Operator("Toggle case", Buffer.swap_case),
    "J": Operator("Join lines", Buffer.join),
    f"r{ANY}": Operator("Replace every character"),
}
OPERATORS = {key: VISUAL[key] for key in "dcy"}
VISUAL_ACTIONS = {
    "o": Action("Other end of the selection", Buffer.turn, changes=False),
    **{key: ACTIONS[key]._replace(words="") for key in "vV"},
}


UNFINISHED = Command()
_COUNT = r"([1-9]\d{0,2})?"  # who types more digits has slipped
_TYPED = re.compile(rf"{_COUNT}(?:([{''.join(OPERATORS)}]){_COUNT})?(.*)", re.DOTALL)
_TYPED_SELECTING = re.compile(rf"{_COUNT}()()(.*)", re.DOTALL)
_REACHES = (*MOTIONS, *(f"{reach}{sign}" for reach in "ia" for sign in OBJECTS))
_KEYS, _KEYS_SELECTING = {*MOTIONS, *ACTIONS}, {*_REACHES, *VISUAL, *VISUAL_ACTIONS}
_KEYS_AFTER = {operator: {*_REACHES, operator} for operator in OPERATORS}


def read(typed: str, *, selecting: bool = False) -> Command | None:
    """The command that was typed, UNFINISHED while more keys belong to it, None where no command begins like that."""
    first, operator, second, rest = (_TYPED_SELECTING if selecting else _TYPED).findall(typed)[0]
    number = int(first or 1) * int(second or 1) if first or second else 0
    keys = _KEYS_SELECTING if selecting else _KEYS_AFTER.get(operator, _KEYS)
    if (key := rest[:-1] + ANY) in keys:
        return Command(number, operator, key, rest[-1])
    if rest in keys:
        return Command(number, operator, rest)
    return UNFINISHED if any(key.startswith(rest) for key in keys) else None


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
        row = VISUAL.get(operator or key) if operator or self.selected else ACTIONS.get(key)
        return row is not None and row.changes
