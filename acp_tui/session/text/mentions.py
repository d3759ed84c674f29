"""How a prompt names files: `@src/a.py:10-20`, `@"two words.md"`, `@"a \\"quote\\".md"`.

In quotes a backslash is one, but before a quote: there two of them are one, and one makes the quote a part of the name.
"""

import re
from collections.abc import Iterator

from acp_tui.frozen import Frozen

_INSIDE = r"""(?:[^"\\\n]|\\(?:\\\\)*"|\\+(?![\\"]))*"""  # of quotes, up to backslashes before the last one
_NAMED = re.compile(
    rf"""(?<![^\s(\[{{'"])@(?:"(?P<quoted>{_INSIDE}(?:\\\\)*)(?<!@")"|"(?P<bare>[^"\n]+)"|(?P<plain>[^\s"@][^\s"]*))"""
)
_LINES = re.compile(r":(\d{1,7})(?:-(\d{1,7}))?")
_PLAIN_LINES = re.compile(r"(?<=.):(\d{1,7})(?:-(\d{1,7}))?$")
_BEGUN = re.compile(rf"""(?<![^\s(\[{{'"])@(?:"(?P<quoted>{_INSIDE}\\*)|(?P<plain>[^\s"@]*))$""")
_ESCAPED, _TO_ESCAPE = re.compile(r'(\\+)("|\Z)'), re.compile(r'(\\*)("|\Z)')
_CLOSING = ".,;:!?)]}'"


class Mention(Frozen):
    """A file that a text names from `start` to `end`; lines count from 1, 0 means that none are named."""

    start: int
    end: int
    path: str
    first: int = 0
    last: int = 0

    @property
    def name(self) -> str:
        return self.path + _lines_written(self.first, self.last)


def mentions_in(text: str) -> Iterator[Mention]:
    """All that looks like a mention, in order; signs that close a sentence do not belong to it."""
    at = 0
    while (found := _NAMED.search(text, at)) is not None:
        mention = _plain(found) if found["plain"] else _quoted(text, found)
        at = max(found.start() + 1, mention.end)
        yield mention


def written(path: str, first: int = 0, last: int = 0) -> str:
    """The mention of a path, as it stands in a text."""
    found = _NAMED.fullmatch(f"@{path}")
    plain = found is not None and found["plain"] == path.rstrip(_CLOSING) and not _PLAIN_LINES.search(path)
    return "@" + (path if plain else _in_quotes(path)) + _lines_written(first, last)


def mention_of(name: str) -> str:
    """The mention of a name that may have lines behind it, as links have it."""
    plain = f"@{name}"
    return plain if [each.name for each in mentions_in(plain)] == [name] else written(name)


def begun(before: str) -> str | None:
    """What is written of a mention at the end of `before`, the text before the cursor; None if there is none."""
    found = _BEGUN.search(before)
    return None if found is None else _unescaped(found["quoted"] or "") or found["plain"] or ""


def beginning(before: str) -> int:
    """Where the mention that `begun` reads has its `@`."""
    found = _BEGUN.search(before)
    return len(before) if found is None else found.start()


def _in_quotes(path: str) -> str:
    """The path in quotes: what stands before one in it, or at its end, is not taken for the end of it."""
    return '"' + _TO_ESCAPE.sub(lambda found: 2 * found[1] + ('\\"' if found[2] else ""), path) + '"'


def _unescaped(quoted: str) -> str:
    return _ESCAPED.sub(lambda found: found[1][: len(found[1]) // 2] + found[2], quoted)


def _quoted(text: str, found: re.Match[str]) -> Mention:
    lines = _LINES.match(text, found.end())
    first, last = _range(lines)
    path = _unescaped(found["quoted"]) if found["quoted"] else found["bare"]
    return Mention(found.start(), lines.end() if lines else found.end(), path, first, last)


def _plain(found: re.Match[str]) -> Mention:
    path = found["plain"].rstrip(_CLOSING) or found["plain"]
    end = found.start("plain") + len(path)
    lines = _PLAIN_LINES.search(path)
    first, last = _range(lines)
    return Mention(found.start(), end, path[: lines.start()] if lines else path, first, last)


def _range(lines: re.Match[str] | None) -> tuple[int, int]:
    if lines is None:
        return 0, 0
    first = int(lines[1])
    last = int(lines[2]) if lines[2] else first
    return min(first, last), max(first, last)


def _lines_written(first: int, last: int) -> str:
    if not first:
        return ""
    return f":{first}" if last <= first else f":{first}-{last}"
