"""The options of programs that only read, as tables in text, and words split by them as getopt does.

A table is tokens between blanks: `-abc` are three options without a value, `--all` is one. An ending names the value:
`-n=#` a number, `-e=~` text that is no path, `--file=` a word that may be a path, `--color[=]` text that only follows
glued (`-U[=]` too). `-#` stands for `-5`.
"""

import re
from functools import lru_cache
from typing import Literal

from acp_tui.frozen import Frozen
from acp_tui.safe_text import named

_NUMBER = re.compile(r"[+-]?(?:0x[0-9a-fA-F]+|[0-9]+)[A-Za-z]{0,3}")
_FLAG, _NUMBER_KIND, _TEXT, _WORD, _GLUED = "", "=#", "=~", "=", "[=]"


Style = Literal["getopt", "tree", "git"]


class ReaderWords(Frozen):
    """The words behind a program, read by its table.

    `problem`: why they are more than reading, else empty. `options` are those without their values, as in the table,
    `given` the words that begin with them, `operands` the other words; `texts` the values that are no paths, by
    their option, `paths` those that may be.
    """

    problem: str = ""
    options: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    paths: tuple[str, ...] = ()


def unlisted(option: str) -> str:
    """The reason for an option that stands in no table."""
    return f"{named(option[:40])} may do more than read"


@lru_cache(maxsize=256)
def option_table(text: str) -> dict[str, str]:
    """By each option what value it has."""
    table: dict[str, str] = {}
    for token in text.split():
        name, kind = next((token.removesuffix(end), end) for end in ("[=]", "=#", "=~", "=", "") if token.endswith(end))
        names = [name] if name.startswith("--") or kind else [f"-{letter}" for letter in name[1:]]
        table |= dict.fromkeys(names, kind)
    return table


def read_words(table: str, words: tuple[str, ...], *, style: Style = "getopt", stops: bool = False) -> ReaderWords:
    """The words by a table.

    `tree` takes no value from the same word (`-Iox a b` writes to b), and of `git` not every command has options with
    a value behind others in one word. `stops`: all words behind the first operand are operands, as those of BSD have
    it (`uniq a -c` writes to `-c`).
    """
    reading = _Reading(option_table(table), style)
    rest = [*words]
    while rest and not reading.problem:
        word = rest.pop(0)
        if word == "--":
            reading.operands += rest
            break
        if word == "-" or not word.startswith("-"):
            reading.operands.append(word)
            if stops:
                reading.operands += rest
                break
        elif word.startswith("--"):
            reading.long(word, rest)
        else:
            reading.letters(word, rest)
    return reading.read()


class _Reading:
    def __init__(self, table: dict[str, str], style: Style) -> None:
        self._table, self._style = table, style
        self.problem = ""
        self.operands: list[str] = []
        self._options: list[str] = []
        self._given: list[str] = []
        self._texts: list[tuple[str, str]] = []
        self._paths: list[str] = []

    def read(self) -> ReaderWords:
        options, given, operands = tuple(self._options), tuple(self._given), tuple(self.operands)
        return ReaderWords(self.problem, options, given, operands, tuple(self._texts), tuple(self._paths))

    def long(self, word: str, rest: list[str]) -> None:
        name, equals, value = word.partition("=")
        kind = self._table.get(name)
        if kind is None or (kind == _FLAG and equals):
            self.problem = unlisted(name)
        else:
            self._take(name, kind, value if equals else None, rest)
        self._given.append(word)

    def letters(self, word: str, rest: list[str]) -> None:
        self._given.append(word)
        if "-#" in self._table and word[1:].isdecimal() and word.isascii():
            self._options.append("-#")
            return
        for at, letter in enumerate(word[1:], 2):
            name = f"-{letter}"
            kind = self._table.get(name)
            if kind is None:
                self.problem = unlisted(name)
                return
            if kind != _FLAG:
                glued = word[at:] or None
                if (glued and self._style == "tree") or (at > 2 and self._style == "git"):
                    self.problem = unlisted(word)
                else:
                    self._take(name, kind, glued, rest)
                return
            self._options.append(name)

    def _take(self, name: str, kind: str, value: str | None, rest: list[str]) -> None:
        """Note an option with its value, which is the next word if it needs one and has none yet."""
        self._options.append(name)
        if value is None:
            if kind in (_FLAG, _GLUED):
                return
            if not rest:
                self.problem = f"{name} has no value"
                return
            value = rest.pop(0)
        if kind == _NUMBER_KIND and not _NUMBER.fullmatch(value):
            self.problem = f"{name} has no number"
        elif kind in (_TEXT, _GLUED):
            self._texts.append((name, value))
        elif kind == _WORD:
            self._paths.append(value)
