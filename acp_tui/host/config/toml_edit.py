"""TOML texts by their statements: on which line a field begins, and one value more, less or another one.

`tomllib` tells no lines, so the text is cut at the line ends that no string, bracket or comment holds. tomlkit gets the
one statement to change: with a whole file it reorders arrays of tables with others in between (0.15). What came of an
edit must say exactly what was meant and have every comment still, or it is not taken: a file can be set out in more
ways than anybody has tried. All else of it stays, byte by byte.
"""

import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from acp_tui.host.config.source_files import PARTS_AT_MOST, Field, spelled
from acp_tui.safe_text import quoted
from acp_tui.startup import late

Value = str | bool | int | Sequence[str] | Mapping[str, str]
Names = tuple[str, ...]  # of a field: `("agents", "kimi", "args")`

FIELDS_AT_MOST = 100_000  # that are remembered, each with about 250 bytes; of others the table around them is known
_BOM = "\ufeff"
_STUMBLES = (LookupError, TypeError, AttributeError, AssertionError, RecursionError)  # of tomlkit, over what is rare
_TOO_ODD = "it is written in a form that cannot be edited automatically"

# Each alternative matches as much as there is and is never tried again: a string without end is one up to the end.
_STRING_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]++|\\.?|"{1,2}(?!"))*+(?:"{3,5}|\Z)'
    r"|'''(?:[^']++|'{1,2}(?!'))*+(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]++|\\[^\n]?)*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)
_LONG_NAME = re.compile(rf"(?<![\w-])[\w-]++(?:[ \t]*+\.[ \t]*+[\w-]++){{{PARTS_AT_MOST}}}")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_CLOSERS = {"[": "]", "{": "}"}


class TooManyParts(ValueError):
    """A key has more parts than any setting has; `line` is where."""

    def __init__(self, line: int) -> None:
        super().__init__(f"a name has more than {PARTS_AT_MOST} parts")
        self.line = line


class Statement(NamedTuple):
    """The lines from `start` to `end` of a text, the first of which is `line`: what they say in a `table`, or open."""

    start: int
    end: int
    line: int
    table: Field
    opens: bool
    said: Mapping[str, Any]

    def fields(self) -> Iterator[Field]:
        """The fields that it begins, but no elements of arrays and nothing that is deeper than any setting."""
        left: list[tuple[Field, Any]] = [(self.table, {} if self.opens else self.said)]
        while left:
            path, value = left.pop()
            if self.opens or path != self.table:
                yield path
            if isinstance(value, dict) and len(path) <= PARTS_AT_MOST:
                left += [((*path, name), inner) for name, inner in value.items()]


class TomlLines:
    """On which lines the fields of a text begin. Raises `TooManyParts`.

    It need not be valid TOML: what is not is passed over here, for `tomllib` to complain of.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        if found := _LONG_NAME.search(bare(text)):
            raise TooManyParts(text.count("\n", 0, found.end()) + 1)
        self.spans: dict[Field, tuple[int, int, int, int]] = {}
        """Where the statement of a field begins and ends, on which line, and how many names of the field are above."""
        for one in statements_of(text):
            span = one.start, one.end, one.line, len(one.table)
            for field in one.fields():
                for length in range(len(field), 0, -1):
                    if len(self.spans) >= FIELDS_AT_MOST or self.spans.setdefault(field[:length], span) is not span:
                        break

    def line(self, field: Field) -> int:
        """The line (from 1) where `field`, or the nearest table around it, begins; 0 if there is none."""
        lengths = range(len(field), 0, -1)
        start, end, line, above = next(
            (self.spans[field[:n]] for n in lengths if field[:n] in self.spans), (0, 0, 0, 0)
        )
        return line + _lines_before(self._text[start:end], field[above:])


def statements_of(text: str) -> Iterator[Statement]:
    """The statements of a text in their order, each parsed once, so that time grows with length."""
    plain, table = bare(text), Field()
    last: dict[Field, int] = {}  # of each array of tables, the index of its last table
    start, number, depth = 0, 1, 0
    for match in _LINE.finditer(plain):
        depth += sum(match[0].count(sign) for sign in "[{") - sum(match[0].count(sign) for sign in "]}")
        if depth > 0 and match.end() < len(text):
            continue
        written, said = text[start : match.end()], dict[str, Any]()
        with suppress(ValueError, RecursionError):
            said = tomllib.loads(written)
        opens = plain[start : match.end()].lstrip().startswith("[")
        table = _opened(said, last) if said and opens else table
        if said:
            yield Statement(start, match.end(), number, table, opens, said)
        start, number, depth = match.end(), number + written.count("\n"), 0


def _lines_before(written: str, path: Field) -> int:
    """How many lines of a statement are before that on which an element of an array begins."""
    plain = bare(written)
    ends = [match.end() for match in _LINE.finditer(plain)]

    def has(end: int) -> bool:
        closers: list[str] = []
        for sign in re.findall(r"[][{}]", plain[:end]):
            closers = [_CLOSERS[sign], *closers] if sign in _CLOSERS else closers[1:]
        try:
            said: Any = tomllib.loads(written[:end] + "".join(closers))
            for part in path:
                said = said[part]
        except (ValueError, LookupError, TypeError):
            return False
        return True

    if len(ends) < 2 or not has(ends[-1]):
        return 0
    at = bisect_left(ends, True, key=has)
    return written.count("\n", 0, ends[at - 1] if at else 0)


def bare(text: str) -> str:
    """The text, as long as it is, without what strings and comments hold: brackets and dots that are left are signs."""
    return _STRING_OR_COMMENT.sub(lambda found: ("_" if found[0][0] != "#" else " ") * len(found[0]), text)


def comments(text: str) -> list[str]:
    return [found[0].strip() for found in _STRING_OR_COMMENT.finditer(text) if found[0][0] == "#"]


def with_values(text: str, table: Names, values: Mapping[str, Value | None]) -> str:
    """The text with these values in a table, `()` for the top level; a table that it lacks is put at its end.

    None takes a value away, with its line and the comment in it. Byte order mark and ends of lines stay. Raises
    ValueError where the text cannot be changed without a risk for the rest of it.
    """
    plain = text.removeprefix(_BOM)
    windows = "\r\n" in plain and "\n" not in plain.replace("\r\n", "")
    plain = plain.replace("\r\n", "\n") if windows else plain
    plain += "\n" * (plain[-1:] not in ("", "\n"))
    for name, value in values.items():
        plain = _with_value(plain, (*table, name), value)
    return _BOM * text.startswith(_BOM) + (plain.replace("\n", "\r\n") if windows else plain)


def table_lines(table: Names, values: Mapping[str, Value]) -> list[str]:
    """The table as TOML, a line each; the top level has no heading."""
    heading = [f"[{spelled(table)}]"] if table else []
    return [*heading, *(f"{spelled((name,))} = {toml(value)}" for name, value in values.items())]


def toml(value: Any) -> str:
    """A value as TOML, in one line that may be shown."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{spelled((name,))} = {toml(inner)}" for name, inner in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _with_value(text: str, field: Names, value: Value | None) -> str:
    """The first of the ways to write it that says what is meant, and loses no comment."""
    meant = tomllib.loads(text)
    try:
        around = meant
        for name in field[:-1]:
            around = around.setdefault(name, {})
        there = field[-1] in around
        if value is None:
            del around[field[-1]]
        elif there and around[field[-1]] == _plain(value):
            return text
        else:
            around[field[-1]] = _plain(value)
    except _STUMBLES as error:
        raise ValueError(_TOO_ODD) from error
    for made in _written(text, field, value, there=there):
        with suppress(ValueError):
            if tomllib.loads(made) == meant and (value is None or comments(made) == comments(text)):
                return made
    raise ValueError(_TOO_ODD)


def _written(text: str, field: Names, value: Value | None, *, there: bool) -> Iterator[str]:
    """The text with another value, in the places where it may stand; the best first.

    A new setting comes below a comment which has it as an example, below the last one of its table, or else below the
    comment that the file begins with: never between a comment and what that is about.
    """
    table, name = field[:-1], field[-1]
    own = _statements(text, table, name if there else None)
    if value is None:
        if len(own) == 1:  # else it is a table, or its parts stand in several lines
            yield text[: own[0].start] + text[own[0].end :]
        return
    line = f"{table_lines((), {name: value})[0]}\n"
    if not (table or there):
        first_table = re.search(r"^[ \t]*\[", text, re.MULTILINE)
        example = re.compile(rf"^#[ \t]*{re.escape(name)}[ \t]*=[^\n]*\n", re.MULTILINE)
        for found in example.finditer(text, 0, first_table.start() if first_table else len(text)):
            yield text[: found.end()] + line + text[found.end() :]
    for one in own[-1:]:
        for statement in _by_tomlkit(text[one.start : one.end], field, value):
            yield text[: one.start] + statement + text[one.end :]
    if table and not own:
        yield text + "\n" * bool(text) + f"[{spelled(table)}]\n{line}"
    if not (table or there):
        head = re.match(r"(?:#[^\n]*\n)+(?=\n|\Z)", text)
        end = head.end() if head else 0
        gap = "\n" * text[end:].startswith(("#", "["))
        yield text[:end] + "\n" * bool(head) + line + gap + text[end:]


def _by_tomlkit(statement: str, field: Names, value: Value) -> Iterator[str]:
    """The statement with the value, whichever name of the field it begins with; the others are above it."""
    kit = late("tomlkit")
    for first in reversed(range(len(field))):
        with suppress(*_STUMBLES, ValueError):
            document = kit.parse(statement)
            around = document
            for name in field[first:-1]:
                around = around[name]
            around[field[-1]] = kit.value(toml(value))
            yield str(kit.dumps(document))


def _statements(text: str, table: Names, name: str | None = None) -> list[Statement]:
    """The statements of a table that give its fields their values; of those that are called `name`.

    The one that opens it belongs to them where no name is asked for.
    """

    def belongs(one: Statement) -> bool:
        if one.opens:
            return bool(table) and name is None and one.table == table
        return any(field[:-1] == table and name in (None, field[-1]) for field in one.fields())

    return [one for one in statements_of(text) if belongs(one)]


def _opened(said: dict[str, Any], last: dict[Field, int]) -> Field:
    """The table that a heading opens, which says nothing else; `last` has the last index of each array of tables."""
    path: Field = ()
    value: Any = said
    while value:
        if isinstance(value, list):
            last[path] = last.get(path, -1) + 1
            path, value = (*path, last[path]), value[0]
            continue
        name, value = next(iter(value.items()))
        path = (*path, name)
        if isinstance(value, dict) and path in last:
            path = (*path, last[path])
    return path


def _plain(value: Value) -> Any:
    if isinstance(value, str | bool | int):
        return value
    return dict(value) if isinstance(value, Mapping) else list(value)
