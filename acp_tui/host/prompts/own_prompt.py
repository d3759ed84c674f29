"""One prompt of one's own, and what it becomes with the words that were typed after its name."""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen

_FENCE = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?=[^`\n]*$)|~{3,})")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_TICKS = re.compile(r"\\`|`+")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with all that is not code as `change` has it."""
    return "".join(piece if is_code else change(piece) for piece, is_code in _pieces(text))


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a text in order, and whether each is code. A span of code ends with its paragraph."""
    prose, fence = "", ""
    for line in _LINE.findall(text):
        if fence:
            yield line, True
            closing = line.strip(" \t>\n")
            if len(closing) >= len(fence) and set(closing) == {fence[0]}:
                fence = ""
            continue
        opening = _FENCE.match(line)
        if opening is None and line.strip():
            prose += line
            continue
        yield from _spans(prose)
        prose, fence = "", opening[1] if opening is not None else ""
        yield line, opening is not None
    yield from _spans(prose)


def _spans(prose: str) -> Iterator[tuple[str, bool]]:
    """The parts of a paragraph: code stands between two equally long rows of backticks."""
    rows = [found for found in _TICKS.finditer(prose) if found[0][0] == "`"]
    last = {len(row[0]): row.start() for row in rows}
    at = opened = 0
    length = 0
    for row in rows:
        if length and len(row[0]) == length:
            yield prose[opened : row.end()], True
            at, length = row.end(), 0
        elif not length and last[len(row[0])] > row.start():
            yield prose[at : row.start()], False
            opened, length = row.start(), len(row[0])
    yield prose[at:], False


MOST = 4_000_000  # characters of what is sent; with 100,000 places, 100 KB of arguments would be 10 GB

# `$$1` and `$$ARGUMENTS` are what they look like without the first sign; `$10` is money.
_PLACE = re.compile(r"\$(\$?)(ARGUMENTS\b|[1-9](?!\d))")


class OwnPrompt(Frozen):
    """A prompt by its slash `name`; `send` is whether it goes at once, or into the editor first.

    `project` is the folder of the project that has it, None for one of the user. `text` is what stands below the front
    matter. Only the name is safe to be shown as it is. `problem` says why its file cannot be used.
    """

    name: str
    path: Path
    text: str
    description: str = ""
    argument_hint: str = ""
    send: bool = True
    project: Path | None = None
    problem: str = ""

    def expand(self, arguments: str) -> str:
        """The text with `$ARGUMENTS`, and `$1` to `$9` by the words of a shell; missing ones are empty, code is left.

        A text without any of these gets the arguments below it. Raises `UserFault` for a `problem` and for more than
        `MOST` characters.
        """
        if self.problem:
            raise UserFault(f"/{self.name} cannot be used", self.problem, "Nothing was sent.")
        arguments = arguments.strip()
        words = _words(arguments)
        placed, size = False, len(self.text)

        def put(found: re.Match[str]) -> str:
            nonlocal placed, size
            if found[1]:
                return found[0][1:]
            placed = True
            at = -1 if found[2] == "ARGUMENTS" else int(found[2]) - 1
            word = arguments if at < 0 else words[at] if at < len(words) else ""
            size += len(word)
            if size > MOST:
                raise UserFault(f"/{self.name} is too long", f"more than {MOST:,} characters", "Shorten its arguments.")
            return word

        text = outside_code(self.text, lambda piece: _PLACE.sub(put, piece))
        return text if placed or not arguments else f"{text}\n\n{arguments}"


def _words(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError:  # a quote without its other one, as in "don't"
        return arguments.split()
