"""A TOML text with one value more, less or another one; all else of it stays, byte by byte.

tomlkit gets the one statement to change, or the one to add another to. With a whole file it puts a new line below the
comments that belong to the table which follows, and reorders arrays of tables with others in between (0.15). What came
of it must say exactly what was meant and have every comment still, or it is not taken: a file can be set out in more
ways than anybody has tried.
"""

import copy
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from acp_tui.host.config.field_lines import field_lines, tokens
from acp_tui.host.config.places import spelled
from acp_tui.safe_text import quoted
from acp_tui.startup import late

Value = str | bool | int | Sequence[str] | Mapping[str, str]
Names = tuple[str, ...]  # of a field: `("agents", "kimi", "args")`

_BOM = "\ufeff"
_STATEMENT_AT_MOST = 200  # lines of one value, as far as its end is looked for
_STUMBLES = (LookupError, TypeError, AttributeError, AssertionError, RecursionError)  # of tomlkit, over what is rare
_TOO_ODD = "the way it is written there cannot be edited automatically"


def with_values(text: str, table: Names, values: Mapping[str, Value]) -> str:
    """The text with these values in a table, `()` for the top level; a table that it lacks is put at its end.

    Raises ValueError where the text cannot be changed without a risk for the rest of it.
    """

    def change(plain: str) -> str:
        said = _said(plain, table)
        if table and said is not None and not _statements(plain, table):
            said = None  # it has tables inside, and no line of its own
        if table and said is None:
            return plain + "\n" * bool(plain) + "".join(f"{line}\n" for line in table_lines(table, values))
        for name, value in values.items():
            if said is None or said.get(name) != _plain(value):
                plain = _with_value(plain, (*table, name), value)
        return plain

    return _edited(text, change, lambda meant: _table(meant, table, make=True).update(_all_plain(values)))


def without_value(text: str, field: Names) -> str:
    """The text without the line of this field and the comment in it. Raises ValueError, as `with_values` does."""

    def change(plain: str) -> str:
        found = _statements(plain, field[:-1], field[-1])
        if len(found) != 1:  # it is a table, or its parts stand in several lines
            raise ValueError(_TOO_ODD)
        ((start, end),) = found
        return plain[:start] + plain[end:]

    return _edited(text, change, lambda meant: _table(meant, field[:-1]).pop(field[-1]), gone=field)


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


def _edited(
    text: str, change: Callable[[str], str], mean: Callable[[dict[str, Any]], object], gone: Names | None = None
) -> str:
    """The changed text with its byte order mark and its ends of lines; ValueError unless it says what is meant.

    `mean` does to what the text said what `change` does to the text; `gone` is the field that it takes away.
    """
    plain = text.removeprefix(_BOM)
    windows = "\r\n" in plain and "\n" not in plain.replace("\r\n", "")
    plain = plain.replace("\r\n", "\n") if windows else plain
    plain += "\n" * (plain[-1:] not in ("", "\n"))
    try:
        meant = copy.deepcopy(tomllib.loads(plain))
        mean(meant)
        made = change(plain)
    except _STUMBLES as error:
        raise ValueError(_TOO_ODD) from error
    _check(plain, made, meant, gone)
    return _BOM * text.startswith(_BOM) + (made.replace("\n", "\r\n") if windows else made)


def _check(before: str, after: str, meant: Mapping[str, Any], gone: Names | None) -> None:
    try:
        said = tomllib.loads(after)
    except ValueError as error:
        raise ValueError(_TOO_ODD) from error
    kept = before
    for start, end in _statements(before, gone[:-1], gone[-1]) if gone else ():
        kept = before[:start] + before[end:]
    if said != meant or _comments(after) != _comments(kept):
        raise ValueError(_TOO_ODD)


def _comments(text: str) -> list[str]:
    return [token[0].strip() for token in tokens(text) if token[0].startswith("#")]


def _with_value(text: str, field: Names, value: Value) -> str:
    kit, meant = late("tomlkit"), tomllib.loads(text)
    there = field[-1] in _table(meant, field[:-1])
    _table(meant, field[:-1])[field[-1]] = _plain(value)
    for before, statement, after in _places(text, field, there=there):
        for first in reversed(range(len(field))):  # the name that the statement begins with; the others are above it
            with suppress(*_STUMBLES, ValueError):
                document = kit.parse(statement)
                _table(document, field[first:-1])[field[-1]] = kit.value(toml(value))
                made = before + str(kit.dumps(document)) + after
                if tomllib.loads(made) == meant:
                    return made
    raise ValueError(_TOO_ODD)


def _places(text: str, field: Names, *, there: bool) -> Iterator[tuple[str, str, str]]:
    """What is before the statement to change or to add one to, that statement, and what is after it; the best first.

    A new setting comes below a comment which has it as an example, below the last one of its table, or else below the
    comment that the file begins with: never between a comment and what that is about.
    """
    table, name = field[:-1], field[-1]
    if not (table or there):
        first_table = re.search(r"^[ \t]*\[", text, re.MULTILINE)
        example = re.compile(rf"^#[ \t]*{re.escape(name)}[ \t]*=[^\n]*\n", re.MULTILINE)
        for found in example.finditer(text, 0, first_table.start() if first_table else len(text)):
            yield text[: found.end()], "", text[found.end() :]
    for start, end in _statements(text, table, name if there else None)[-1:]:
        yield text[:start], text[start:end], text[end:]
    if not (table or there):
        head = re.match(r"(?:#[^\n]*\n)+(?=\n|\Z)", text)
        end = head.end() if head else 0
        yield text[:end] + "\n" * bool(head), "", "\n" * text[end:].startswith(("#", "[")) + text[end:]


def _statements(text: str, table: Names, name: str | None = None) -> list[tuple[int, int]]:
    """Where the lines of a table begin and end that give its fields their values; of those that are called `name`.

    The one that opens it belongs to them where no name is asked for.
    """
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    first = {
        line - 1
        for field, line in field_lines(text).items()
        if field[:-1] == table and (name is None or field[-1] == name) and not lines[line - 1].lstrip().startswith("[")
    }
    if name is None and table:
        first |= {number for number, line in enumerate(lines) if _opens(line, table)}
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    return [(starts[number], starts[_end(lines, number)]) for number in sorted(first)]


def _opens(line: str, table: Names) -> bool:
    line = line.strip()
    if not line.startswith("[") or line.startswith("[["):
        return False
    try:
        return _said(line, table) == {} and len(field_lines(line)) == len(table)
    except ValueError:
        return False


def _end(lines: Sequence[str], first: int) -> int:
    """Which line comes after the statement that begins in the line `first`."""
    for end in range(first + 1, min(len(lines), first + _STATEMENT_AT_MOST) + 1):
        try:
            tomllib.loads("".join(lines[first:end]))
        except ValueError:
            continue
        return end
    return first + 1


def _said(text: str, table: Names) -> Mapping[str, Any] | None:
    try:
        said: Mapping[str, Any] = _table(tomllib.loads(text), table)
    except LookupError:
        return None
    return said


def _table(document: Any, names: Names, *, make: bool = False) -> Any:
    for name in names:
        document = document.setdefault(name, {}) if make else document[name]
    return document


def _plain(value: Value) -> Any:
    if isinstance(value, str | bool | int):
        return value
    return dict(value) if isinstance(value, Mapping) else list(value)


def _all_plain(values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in values.items()}
