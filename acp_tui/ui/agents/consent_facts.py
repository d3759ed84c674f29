"""All that a project has a say in before its agent starts, as units; must not know how it is agreed to."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from acp_tui.host.config.masked import MASK, is_secret, masked_words
from acp_tui.host.launch import Consent, Launch
from acp_tui.protocol.scope import McpServer
from acp_tui.ui.figures import home_path
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import ExactPiece, exact_lines
from acp_tui.ui.render.wrap import Line, blank_row, rows_of
from acp_tui.ui.transcript.unit import Row, Unit

LABEL = 13  # cells of the column of labels, with the gap after it
_HANG = 2  # cells by which a row that goes on is further to the right
_PIECE = 4000  # characters that are set at a time, when they come into view
_ONE_ROW = 60  # characters of a command that is told in one row
_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


class Fact:
    """A part of a value as `exact_lines` gives it; its `label` stands before its first line."""

    version = 0

    def __init__(self, label: str, lines: Sequence[Sequence[ExactPiece]], *, muted: bool = False) -> None:
        self._label, self._lines, self._muted = label, lines, muted

    def estimate(self, width: int) -> int:
        """About how many rows."""
        return sum(1 + sum(len(text) for text, _ in line) // max(1, width - LABEL) for line in self._lines)

    def rows(self, width: int, palette: Palette) -> Sequence[Row]:
        """Every line, wrapped beside the labels."""
        inks = (palette.muted if self._muted else palette.text, palette.warning)
        lines: list[Line] = []
        for line in self._lines:
            label = "" if lines else self._label
            runs = [(text, inks[stands_in]) for text, stands_in in line]
            lines.append(Line(runs, [(label.ljust(LABEL), palette.muted)], [(" " * (LABEL + _HANG), palette.muted)]))
        return rows_of(lines, width)


class Gap:
    """A blank row between groups."""

    version = 0

    def estimate(self, _width: int) -> int:
        """One row."""
        return 1

    def rows(self, _width: int, _palette: Palette) -> Sequence[Row]:
        """One row."""
        return [blank_row()]


def consent_units(launch: Launch, consent: Consent) -> list[Unit]:
    """Everything that would be started, by whom that is said, and what the consent is bound to."""
    units: list[Unit] = []
    for group in (_start(launch, consent), _servers(launch.mcp_servers, consent), _bounds(consent)):
        facts = list(group)
        if facts and units:
            units.append(Gap())
        units += facts
    return units


def _start(launch: Launch, consent: Consent) -> Iterator[Unit]:
    yield from _value("named by", home_path(str(consent.file)))
    if consent.proposed:
        yield from _value("", f'default_agent = "{consent.name}"')
    command = launch.command
    # What the user configured may hold a secret; what the project says must be seen.
    yield from _command("runs", masked_words(command.argv) if consent.proposed else command.argv)
    if command.program != command.argv[0]:
        yield from _value("program", home_path(command.program), muted=True)
    yield from _value("in", home_path(str(launch.cwd)))
    yield from _variables("variables", command.env, consent)
    for folder in launch.roots:
        yield from _value("more folders", home_path(folder))


def _servers(servers: Sequence[McpServer], consent: Consent) -> Iterator[Unit]:
    for server in servers:
        yield from _value("tool server", server.name)
        if server.command:
            yield from _command("  runs", (server.command, *server.args))
        if server.url:
            yield from _value("  address", server.url)
        yield from _variables("  variables", server.env, consent)
        for name in server.headers:
            yield from _value("  header", f"{name}: {MASK}")


def _bounds(consent: Consent) -> Iterator[Unit]:
    """What is looked at again before each start, and what is not."""
    if consent.lasts:
        bound = [_path(path, consent) for path in (str(consent.file), *consent.watched)]
        yield from _list("asks again", ["when this or one of these changes:", *bound])
    else:
        yield from _value("asks again", "each time: the files that it names are too large to be compared")
    if not consent.proposed:
        loaded = "what these files load" if consent.watched else "what it loads"
        others = [f"{_path(path, consent)} and what is in it" for path in consent.unwatched]
        yield from _list("not watched", [loaded, *others])


def _path(path: str, consent: Consent) -> str:
    shown = Path(path)
    return str(shown.relative_to(consent.folder)) if shown.is_relative_to(consent.folder) else home_path(path)


def _list(label: str, lines: Sequence[str]) -> Iterator[Unit]:
    for line in lines:
        yield from _value(label, line, muted=True)
        label = ""


def _command(label: str, words: Sequence[str]) -> Iterator[Unit]:
    """A command in one row where no word can be mistaken, else a word a row, each in quotes if it needs them."""
    joined = " ".join(words)
    if len(joined) <= _ONE_ROW and all(map(_PLAIN.fullmatch, words)):
        yield from _value(label, joined)
        return
    for word in words:
        yield from _value(label, word if _PLAIN.fullmatch(word) else shlex.quote(word))
        label = ""


def _variables(label: str, variables: Mapping[str, str], consent: Consent) -> Iterator[Unit]:
    """Names with their values, unless a value is the user's or sounds secret."""
    for name, value in sorted(variables.items()):
        if name in consent.hidden:
            source = f" from {home_path(consent.env_file)}" if consent.env_file else ""
            shown = f"{MASK}{source}"
        else:
            shown = f"{MASK} ({len(value):,} characters)" if is_secret(name) else value
        yield from _value(label, f"{name}={shown}")
        label = ""


def _value(label: str, text: str, *, muted: bool = False) -> Iterator[Unit]:
    lines: list[list[ExactPiece]] = []
    size = 0
    for line in exact_lines(text):
        for part in _parts(line):
            lines.append(part)
            size += sum(len(words) for words, _ in part)
            if size >= _PIECE:
                yield Fact(label, lines, muted=muted)
                label, lines, size = "", [], 0
    if lines:
        yield Fact(label, lines, muted=muted)


def _parts(line: Sequence[ExactPiece]) -> Iterator[list[ExactPiece]]:
    """A line in parts that are set one by one; nothing that stands for something else is cut."""
    part: list[ExactPiece] = []
    size = 0
    for text, stands_in in line:
        for start in range(0, max(1, len(text)), _PIECE):
            if size >= _PIECE:
                yield part
                part, size = [], 0
            part.append((text[start : start + _PIECE], stands_in))
            size += len(part[-1][0])
    yield part
