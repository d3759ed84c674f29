"""The one table of vim's keys: what each is called and does. The documentation's table is made from it.

The character `…` in a key stands for any other.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Literal, NamedTuple

from acp_tui.ui.prompt.vim import desk, motions, objects
from acp_tui.ui.prompt.vim.desk import Act, Do
from acp_tui.ui.prompt.vim.motions import Go, times
from acp_tui.ui.prompt.vim.objects import Find
from acp_tui.ui.prompt.vim.places import first_word, line_end

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


class Operator(NamedTuple):
    """What is done with that to which a motion leads, or with an object."""

    words: str
    act: Act


class Action(NamedTuple):
    """`changes` says that `.` does it again. Without `words` another row tells of it."""

    words: str
    do: Do
    changes: bool = True


class Selected(NamedTuple):
    """What a key does with a selection, by the character after it, if it takes one."""

    words: str
    act: Act | None = None


_big = partial(partial, big=True)
MOTIONS = {
    "h": Motion("Left", times(motions.left)),
    "l": Motion("Right", times(motions.right)),
    "j": Motion("Down; from the last line: next prompt", times(motions.down), "lines"),
    "k": Motion("Up; from the first line: previous prompt", times(motions.up), "lines"),
    "w": Motion("Next word", times(motions.next_word)),
    "W": Motion("Next space-separated word", times(_big(motions.next_word))),
    "b": Motion("Previous word", times(motions.previous_word)),
    "B": Motion("Previous space-separated word", times(_big(motions.previous_word))),
    "e": Motion("End of word", times(motions.word_end), "inclusive"),
    "E": Motion("End of space-separated word", times(_big(motions.word_end)), "inclusive"),
    "0": Motion("Start of line", motions.to_line_start),
    "^": Motion("First word of line", motions.to_first_word),
    "$": Motion("End of line", motions.to_line_end, "inclusive"),
    "gg": Motion("First line, or line by count", motions.to_first_line, "lines"),
    "G": Motion("Last line, or line by count", motions.to_last_line, "lines"),
    f"f{ANY}": Motion("To a character", reach="inclusive"),
    f"F{ANY}": Motion("Back to a character"),
    f"t{ANY}": Motion("Before a character", reach="inclusive"),
    f"T{ANY}": Motion("Back to after a character"),
    ";": Motion("Repeat f, F, t or T"),
    ",": Motion("The same in the other direction"),
    "%": Motion("Matching bracket", motions.to_partner, "inclusive"),
}
OBJECTS = {
    "w": TextObject("Word (i: inside, a: around)", objects.word),
    "W": TextObject("Space-separated word", objects.big_word),
    '"': TextObject("In double quotes", objects.quoted('"')),
    "'": TextObject("In single quotes", objects.quoted("'")),
    "`": TextObject("In backticks", objects.quoted("`")),
    **dict.fromkeys("()b", TextObject("In parentheses", objects.bracketed("("))),
    **dict.fromkeys("[]", TextObject("In brackets", objects.bracketed("["))),
    **dict.fromkeys("{}B", TextObject("In braces", objects.bracketed("{"))),
    "p": TextObject("Paragraph", objects.paragraph, lines=True),
}
OPERATORS = {
    "d": Operator("Delete", desk.delete),
    "c": Operator("Change", desk.change),
    "y": Operator("Yank (copy)", desk.yank),
}
ACTIONS = {
    "i": Action("Insert before the cursor", desk.insert(lambda _text, at: at)),
    "I": Action("Insert at the first word", desk.insert(first_word)),
    "a": Action("Insert after the cursor", desk.insert(motions.right)),
    "A": Action("Insert at the end of the line", desk.insert(line_end)),
    "o": Action("Open a line below", desk.open_below),
    "O": Action("Open a line above", desk.open_above),
    "x": Action("Delete a character", desk.on_line(desk.delete)),
    "X": Action("Delete the character before the cursor", desk.on_line(desk.delete, before=True)),
    "s": Action("Change a character", desk.on_line(desk.change)),
    "S": Action("Change the line", desk.lines(desk.change)),
    "D": Action("Delete to the end of the line", desk.to_line_end(desk.delete)),
    "C": Action("Change to the end of the line", desk.to_line_end(desk.change)),
    "Y": Action("Yank the line", desk.lines(desk.yank), changes=False),
    "p": Action("Put after the cursor", desk.put_after),
    "P": Action("Put before the cursor", desk.put_before),
    f"r{ANY}": Action("Replace a character", desk.replace_here),
    "~": Action("Switch case", desk.toggle_case),
    "J": Action("Join lines", desk.lines(desk.join)),
    "u": Action("Undo", desk.wish("undo"), changes=False),
    REDO: Action("Redo", desk.wish("redo"), changes=False),
    ".": Action("Repeat the last change", desk.wish("repeat"), changes=False),
    "v": Action("Select characters", desk.select("visual"), changes=False),
    "V": Action("Select lines", desk.select("visual line"), changes=False),
    "j": Action("", desk.wish("down"), changes=False),
    "k": Action("", desk.wish("up"), changes=False),
}
VISUAL = {
    "d": Selected("Delete", desk.delete),
    "x": Selected("", desk.delete),
    "c": Selected("Change", desk.change),
    "s": Selected("", desk.change),
    "y": Selected("Yank (copy)", desk.yank),
    "p": Selected("Put in its place", desk.put_over),
    "P": Selected("", desk.put_over),
    "~": Selected("Switch case", desk.swap_case),
    "J": Selected("Join lines", desk.join),
    f"r{ANY}": Selected("Replace every character"),
}
VISUAL_ACTIONS = {
    "o": Action("Other end of the selection", desk.other_end, changes=False),
    "v": Action("", desk.select("visual"), changes=False),
    "V": Action("", desk.select("visual line"), changes=False),
}


class Row(NamedTuple):
    """A row of the documentation's table."""

    where: str
    keys: str
    words: str


def key_rows() -> Iterator[Row]:
    """All keys, one row for objects that are the same."""
    yield from (Row("Motion", key, motion.words) for key, motion in MOTIONS.items())
    for key, operator in OPERATORS.items():
        yield Row("Operator", key, f"{operator.words}: a motion or text object follows")
        yield Row("Operator", key * 2, f"{operator.words} lines")
    for words in dict.fromkeys(each.words for each in OBJECTS.values()):
        signs = [key for key, each in OBJECTS.items() if each.words == words]
        yield Row("Text object", " ".join(f"i{sign} a{sign}" for sign in signs), words)
    yield from _told("Normal mode", ACTIONS)
    yield Row("Normal mode", "1–999", "Count, before a key or a motion")
    yield from _told("Visual mode", VISUAL)
    yield from _told("Visual mode", VISUAL_ACTIONS)
    yield Row("Insert and visual mode", "Esc", "Normal mode")


def _told(where: str, keys: Mapping[str, Action] | Mapping[str, Selected]) -> Iterator[Row]:
    return (Row(where, "Ctrl+R" if key == REDO else key, each.words) for key, each in keys.items() if each.words)
