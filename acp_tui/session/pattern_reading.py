"""A `pattern` (ECMA-262) as steps to follow; must not know what they are tried on.

Reading it never takes more than MAX_STEPS steps, however its repetitions are nested. What has no steps
(looking around, references back, properties of characters) is not read at all.
"""

import string
from collections.abc import Callable
from dataclasses import dataclass, field

MAX_STEPS = 2_000  # of a pattern, once its repetitions are written out
MAX_LENGTH = 5_000  # characters of a pattern
MAX_NESTED = 50  # parentheses

_DIGITS = frozenset(string.digits)
_WORDS = frozenset(string.ascii_letters + string.digits + "_")
_SPACES = frozenset(" \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff") | {
    chr(code) for code in range(0x2000, 0x200B)
}
_LINE_ENDS = frozenset("\n\r\u2028\u2029")
_SETS = {"d": _DIGITS, "w": _WORDS, "s": _SPACES}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "v": "\v", "f": "\f", "0": "\0"}
_HEX_LENGTHS = {"x": 2, "u": 4}

Test = Callable[[str], bool]


class NotTried(Exception):
    """This pattern is not for us."""


@dataclass(slots=True)
class Step:
    """One step: a character that must pass `test`, or an edge of the text, or only a way on to others."""

    ways: list[int] = field(default_factory=list)
    test: Test | None = None
    edge: str = ""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a pattern before it is written out: `build` writes it, given the step after it, from the back."""

    build: Callable[[int], int]
    repeatable: bool = True


class PatternReader:
    """Reads one pattern into `steps`; step 0 is the end, step `first` the beginning. Raises NotTried."""

    def __init__(self, pattern: str) -> None:
        self.steps: list[Step] = [Step()]
        self._text, self._at, self._depth = pattern, 0, 0
        if len(pattern) > MAX_LENGTH:
            raise NotTried
        piece = self._alternatives()
        if self._at < len(pattern):
            raise NotTried  # a closing parenthesis too many
        self.first = piece.build(0)

    # Reading: alternatives of sequences of repeated atoms.

    def _alternatives(self) -> _Piece:
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        if len(branches) == 1:
            return branches[0]
        return _Piece(lambda after: self._add(Step([branch.build(after) for branch in branches])))

    def _sequence(self) -> _Piece:
        pieces: list[_Piece] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            pieces.append(self._repeated(self._atom()))

        def build(after: int) -> int:
            for piece in reversed(pieces):
                after = piece.build(after)
            return after

        return _Piece(build)

    def _repeated(self, piece: _Piece) -> _Piece:
        least, most = self._quantifier()
        if (least, most) == (1, 1):
            return piece
        if not piece.repeatable:
            raise NotTried
        self._take("?")  # lazy or not makes no difference to whether it matches

        def build(after: int) -> int:
            if most is None:
                loop = self._add(Step([after]))
                self.steps[loop].ways.append(piece.build(loop))
                after = loop
            for _ in range(0 if most is None else most - least):
                after = self._add(Step([after, piece.build(after)]))
            for _ in range(least):
                before, after = after, piece.build(after)
                if after == before:
                    break  # a piece without steps: writing it out again and again adds nothing but time
            return after

        return _Piece(build)

    def _quantifier(self) -> tuple[int, int | None]:
        for sign, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self._take(sign):
                return bounds
        if not self._take("{"):
            return 1, 1
        given, closed, rest = self._text[self._at :].partition("}")
        least, comma, most = given.partition(",")
        if not closed or not _is_count(least) or (most and not _is_count(most)):
            raise NotTried
        self._at = len(self._text) - len(rest)
        upper = int(most) if most else None if comma else int(least)
        if upper is not None and upper < int(least):
            raise NotTried
        return int(least), upper

    def _atom(self) -> _Piece:
        character = self._next()
        match character:
            case "(":
                return self._group()
            case "[":
                return self._one(self._class())
            case ".":
                return self._one(lambda given: given not in _LINE_ENDS)
            case "^" | "$":
                return _Piece(lambda after: self._add(Step([after], edge=character)), repeatable=False)
            case "\\":
                return self._one(_test_of(self._escape()))
            case "*" | "+" | "?" | "{" | "}" | "]":
                raise NotTried
        return self._one(lambda given: given == character)

    def _group(self) -> _Piece:
        self._depth += 1
        if self._depth > MAX_NESTED:
            raise NotTried
        if self._take("?") and not self._take(":"):
            self._name()
        piece = self._alternatives()
        if not self._take(")"):
            raise NotTried
        self._depth -= 1
        return piece

    def _name(self) -> None:
        """The name of a group; what else may follow `(?` looks around."""
        if not self._take("<") or self._text[self._at : self._at + 1] in ("=", "!", ""):
            raise NotTried
        while self._next() != ">":
            pass

    def _class(self) -> Test:
        negated = self._take("^")
        members: set[str] = set()
        tests: list[Test] = []
        while not self._take("]"):
            low = self._member()
            if self._text[self._at : self._at + 1] == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                tests.append(_between(low, self._member()))
            elif isinstance(low, str):
                members.add(low)
            else:
                tests.append(_test_of(low))
        return lambda given: negated != (given in members or any(test(given) for test in tests))

    def _member(self) -> "str | _Set":
        character = self._next()
        if character != "\\":
            return character
        return "\b" if self._take("b") else self._escape()

    def _escape(self) -> "str | _Set":
        """After a backslash: a character, or a set of them."""
        letter = self._next()
        if letter.lower() in _SETS:
            return _Set(_SETS[letter.lower()], letter.isupper())
        if letter in _HEX_LENGTHS:
            digits = self._text[self._at : self._at + _HEX_LENGTHS[letter]]
            if len(digits) < _HEX_LENGTHS[letter] or not set(digits) <= set(string.hexdigits):
                raise NotTried
            self._at += len(digits)
            if 0xD800 <= int(digits, 16) < 0xE000:
                raise NotTried  # half a character
            return chr(int(digits, 16))
        if letter in _CONTROLS and not (letter == "0" and self._text[self._at : self._at + 1].isdigit()):
            return _CONTROLS[letter]
        if letter.isalnum():
            raise NotTried  # references back, edges of words, properties of characters
        return letter

    # Writing.

    def _one(self, test: Test) -> _Piece:
        return _Piece(lambda after: self._add(Step([after], test)))

    def _add(self, step: Step) -> int:
        if len(self.steps) >= MAX_STEPS:
            raise NotTried
        self.steps.append(step)
        return len(self.steps) - 1

    def _take(self, sign: str) -> bool:
        taken = self._text.startswith(sign, self._at)
        self._at += taken
        return taken

    def _next(self) -> str:
        if self._at >= len(self._text):
            raise NotTried
        self._at += 1
        return self._text[self._at - 1]


@dataclass(frozen=True, slots=True)
class _Set:
    """`\\d` and its like."""

    characters: frozenset[str]
    negated: bool


def _test_of(member: "str | _Set") -> Test:
    if isinstance(member, str):
        return lambda given: given == member
    return lambda given: member.negated != (given in member.characters)


def _between(low: "str | _Set", high: "str | _Set") -> Test:
    if not isinstance(low, str) or not isinstance(high, str) or low > high:
        raise NotTried
    return lambda given: low <= given <= high


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 5
