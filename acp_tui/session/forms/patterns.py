"""An agent's `pattern` (ECMA-262) tried on a text, in time that no pattern can blow up.

Python's `re` backtracks, and a pattern that an agent sends could stop the program with it. Here `re` looks at single
characters only; of each part of a pattern all places are found at once where it can end. What cannot be found that way
(looking around, references back, properties of characters), or takes too much work, is not tried.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

MAX_WORK = 100_000
"""Places looked at: some 30 ms, because a form may have hundreds of patterns."""
MAX_LENGTH = 5_000  # characters of a pattern
MAX_CLASSES = 100  # classes and sets of characters in a pattern, which `re` compiles
MAX_NESTED = 50  # parentheses

_ESCAPE = r"\\(?:[dDwWsSnrtvf]|0(?![0-9])|x[0-9a-fA-F]{2}|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}|[\W_])"
_MEMBER = rf"(?:\\b|{_ESCAPE}|[^\\\]])"
_TOKEN = re.compile(
    r"(?P<open>\((?:\?:|\?<(?![=!])[^>]*>|(?!\?)))|(?P<close>\))|(?P<or>\|)|(?P<edge>[\^$])"
    r"|(?P<count>[*+?]|\{(?P<least>[0-9]{1,4})(?P<range>,(?P<most>[0-9]{0,4}))?\})\??"
    rf"|(?P<set>\.|{_ESCAPE}|\[(?P<not>\^?)(?P<members>{_MEMBER}*)\])|(?P<one>[^\\\[\]{{}}(])"
)
_RANGE = re.compile(rf"({_MEMBER})(?:-({_MEMBER}))?")
_COUNTS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
# Sets that Python has otherwise, as members of a class; `\d` and `\w` are those of ASCII in both.
_SETS = {
    r"\s": r"\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
    r"\S": r"\0-\x08\x0e-\x1f!-\x9f\xa1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff"
    r"\u3001-\ufefe\uff00-\U0010ffff",
}


class NotTried(Exception):
    """This pattern is not for us."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """An edge (`^`, `$`), a test of a character or a group of alternatives, and how often it stands there."""

    what: "str | Callable[[str], object] | Alternatives"
    least: int = 1
    most: int | None = 1


Alternatives = list[list[_Piece]]


def matches(pattern: str, text: str) -> bool | None:
    """Whether the pattern is found anywhere in the text; `None` if it is not one that is tried here."""
    try:
        return bool(_Search(text).ends(_read(pattern), set(range(len(text) + 1))))
    except NotTried:
        return None


class _Search:
    """Looks in one text, where parts of a pattern end that begin at given places. Raises NotTried."""

    def __init__(self, text: str) -> None:
        self._text, self._work = text, MAX_WORK

    def ends(self, alternatives: Alternatives, starts: set[int]) -> set[int]:
        found: set[int] = set()
        for pieces in alternatives:
            places = starts
            for piece in pieces:
                places = self._repeated(piece, places)
            found |= places
        return found

    def _repeated(self, piece: _Piece, places: set[int]) -> set[int]:
        for _ in range(piece.least):
            before, places = places, self._once(piece, places)
            if places == before:
                break
        more = len(self._text) if piece.most is None else piece.most - piece.least
        reached, new = set(places), places
        while new and more > 0:
            new = self._once(piece, new) - reached
            reached |= new
            more -= 1
        return reached

    def _once(self, piece: _Piece, starts: set[int]) -> set[int]:
        text = self._text
        self._work -= len(starts) + 1
        if self._work < 0:
            raise NotTried
        if isinstance(piece.what, list):
            return self.ends(piece.what, starts)
        if isinstance(piece.what, str):
            return starts & {0 if piece.what == "^" else len(text)}
        return {at + 1 for at in starts if at < len(text) and piece.what(text[at])}


@lru_cache(maxsize=256)
def _read(pattern: str) -> Alternatives:
    if len(pattern) > MAX_LENGTH:
        raise NotTried
    return _alternatives(_tokens(pattern), 0)


def _tokens(pattern: str) -> Iterator[re.Match[str]]:
    at = classes = 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        classes += token is not None and token["set"] is not None
        if token is None or classes > MAX_CLASSES:
            raise NotTried
        yield token
        at = token.end()


def _alternatives(tokens: Iterator[re.Match[str]], depth: int) -> Alternatives:
    """What stands up to the end, or to the parenthesis that closes a group of that depth."""
    branches: Alternatives = [[]]
    for token in tokens:
        match token.lastgroup:
            case "open" if depth < MAX_NESTED:
                branches[-1].append(_Piece(_alternatives(tokens, depth + 1)))
            case "close" if depth:
                return branches
            case "or":
                branches.append([])
            case "edge":
                branches[-1].append(_Piece(token[0]))
            case "count":
                branches[-1][-1:] = [_counted(branches[-1], token)]
            case "set":
                branches[-1].append(_Piece(_test(token)))
            case "one":
                branches[-1].append(_Piece(token[0].__eq__))
            case _:
                raise NotTried
    if depth:
        raise NotTried
    return branches


def _counted(before: list[_Piece], token: re.Match[str]) -> _Piece:
    """The last piece with how often it may stand there; lazy or not makes no difference to whether it matches."""
    if not before or isinstance(before[-1].what, str) or (before[-1].least, before[-1].most) != (1, 1):
        raise NotTried
    least, most = _COUNTS.get(token[0][0], (int(token["least"] or 0), None))
    if token["least"] is not None and (token["most"] or not token["range"]):
        most = int(token["most"] or least)
    if most is not None and most < least:
        raise NotTried
    return _Piece(before[-1].what, least, most)


def _test(token: re.Match[str]) -> Callable[[str], object]:
    """Whether a character is one of those that `.`, an escape or a class stands for."""
    if token["set"] == ".":
        written = r"[^\n\r\u2028\u2029]"
    elif token["members"] is None:
        written = f"[{_SETS.get(token['set'], token['set'])}]"
    elif not token["members"]:
        written = r"[\s\S]" if token["not"] else "(?!)"
    else:
        ranges = _RANGE.findall(token["members"])
        if any(high and (low in _SETS or high in _SETS) for low, high in ranges):
            raise NotTried
        members = "".join(_member(low) + (f"-{_member(high)}" if high else "") for low, high in ranges)
        written = f"[{token['not']}{members}]"
    try:
        return re.compile(written, re.ASCII).match
    except re.error as error:  # a range that ends before it begins, or at a set
        raise NotTried from error


def _member(text: str) -> str:
    return _SETS.get(text, text) if text[0] == "\\" else re.escape(text)
