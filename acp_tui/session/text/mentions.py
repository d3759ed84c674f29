"""Mentions of files in a prompt: `@src/a.py:10-20`, `@"two words.md"`, `@"a \"quote\".md"`.

In quotes a backslash is one, but before a quote: there two of them are one, and one makes the quote a part of the name.
"""

import re
from collections.abc import Collection, Iterator

from acp_tui.expressions import expression
from acp_tui.frozen import Frozen

_INSIDE = r"""(?:[^"\\\n]|\\(?:\\\\)*"|\\+(?![\\"]))*"""  # of quotes, up to backslashes before the last one
_NAMED = expression(
    rf"""(?<![^\s(\[{{'"])@(?:"(?P<quoted>{_INSIDE}(?:\\\\)*)(?<!@")"|"(?P<bare>[^"\n]+)"|(?P<plain>[^\s"@][^\s"]*))"""
)
_LINES = expression(r":(\d{1,7})(?:-(\d{1,7}))?")
_PLAIN_LINES = expression(r"(?<=.):(\d{1,7})(?:-(\d{1,7}))?$")
_BEGUN = expression(rf"""(?<![^\s(\[{{'"])@(?:"(?P<quoted>{_INSIDE}\\*)|(?P<plain>[^\s"@]*))$""")
_ESCAPED, _TO_ESCAPE = expression(r'(\\+)("|\Z)'), expression(r'(\\*)("|\Z)')
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


BEGINNING = 400  # characters of a prompt, without white space, by which it is known again
DISTINCT = 40  # characters of a beginning that is in no other text by chance
LONGEST = 64 * 1024  # characters of a message that are looked through
_OPENING = expression(r"\s*<([A-Za-z][\w.:-]{0,80})(?:\s[^<>]{0,400})?>")


def squeezed(text: str) -> str:
    """Without white space, since agents join and trim what they tell again."""
    return "".join(text.split())


def begins_with_tag(text: str) -> bool:
    """Whether a text begins as such a block does."""
    return _OPENING.match(text) is not None


def is_tag_block(text: str) -> bool:
    """Whether a text is nothing but `<tag>…</tag>` blocks, as agents write what a model is to know."""
    text = text.strip()
    return text != "" and _after_blocks(text) == len(text)


def _after_blocks(text: str) -> int:
    """Where the blocks end with which a text begins; one may tell of its own tag, as far as its end tells it apart."""
    at = 0
    while (opening := _OPENING.match(text, at)) is not None:
        end = _end_of(text, opening)
        if end < 0:
            break
        at = end
    return at


def _end_of(text: str, opening: re.Match[str]) -> int:
    """Where the block ends that begins so, with others of its name in it; -1 where it has no end."""
    depth, end = 0, -1
    for found in re.compile(rf"<(/?){re.escape(opening[1])}(?:\s[^<>]{{0,400}})?>").finditer(text, opening.start()):
        depth += -1 if found[1] else 1
        end = found.end() if found[1] else end
        if depth == 0:
            return end
    return end


def beginning_of(text: str) -> str:
    """How a prompt begins, as it is kept to be known again."""
    return squeezed(text[: 4 * BEGINNING])[:BEGINNING]


class OwnPrompts:
    """The prompts that the user sent in a session, by their beginnings; there may be thousands of them."""

    def __init__(self, beginnings: Collection[str]) -> None:
        self._beginnings = frozenset(filter(None, beginnings))
        self._in_one = "\0".join(self._beginnings)
        self._distinct: dict[str, list[str]] = {}  # the longer ones, by how they begin
        for each in self._beginnings:
            if len(each) >= DISTINCT:
                self._distinct.setdefault(each[:DISTINCT], []).append(each)

    def knows(self, text: str) -> bool:
        """Whether a replayed text is such a prompt, a piece of one, or one to which the agent has added something."""
        if len(text) > 2 * LONGEST:
            text = text[:LONGEST] + text[-LONGEST:]
        told, behind = squeezed(text), squeezed(text[_after_blocks(text) :])[:BEGINNING]
        if self.has(text) or (self._in_one and told in self._in_one):
            return True
        return self._holds_short(told, behind) or self._holds(told)

    def has(self, text: str) -> bool:
        """Whether a text begins as such a prompt does, as far as that is kept."""
        return beginning_of(text) in self._beginnings

    def _holds_short(self, told: str, behind: str) -> bool:
        """Whether a prompt that many texts hold by chance is at the beginning, there behind blocks, or at the end."""
        parts = (part for size in range(1, DISTINCT) for part in (told[:size], behind[:size], told[-size:]))
        return any(part in self._beginnings for part in parts)

    def _holds(self, told: str) -> bool:
        """Whether one of the others is anywhere in it."""
        for at in range(len(told) - DISTINCT + 1):
            found = self._distinct.get(told[at : at + DISTINCT])
            if found is not None and told.startswith(tuple(found), at):
                return True
        return False
