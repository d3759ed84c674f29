"""Foreign text made safe for a terminal: one table of suspect characters, and the functions that apply it.

Foreign is all that this program did not write itself: what an agent says, files and their names, arguments, errors of
the system. The rule of the table: nothing passes that a terminal obeys (controls, bidirectional formatting), that is
invisible or looks like a blank (Unicode's Default_Ignorable_Code_Point, fillers, empty letters), that is no character,
or whose width terminals count differently (parts of emoji sequences, what newer versions of Unicode made wider).

What carries meaning gets a visible stand-in (`␛`, `�`); what is invisible by its nature goes.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from acp_tui.expressions import expression

NEWLINE_MARK = "⏎"
REPLACEMENT = "\ufffd"
MARKS_AT_MOST = 6  # on one character; scripts need four, decoration that climbs over other rows needs more
# Stands for a part of an emoji sequence where characters are counted: Combining Grapheme Joiner is a mark without
# looks, to which terminals and rich give no cell, and which joins no emoji.
NO_CELL = "\u034f"

_Range = tuple[int, int]


def _ranges(*rows: str) -> tuple[_Range, ...]:
    """Ranges of characters from their hexadecimal numbers."""
    ends = (word.split("-") for row in rows for word in row.split())
    return tuple((int(end[0], 16), int(end[-1], 16)) for end in ends)


_CONTROLS = _ranges("00-08 0B-1F 7F-9F")
_LINE_ENDS = _ranges("0D 85 2028-2029")
_SHOWN = _ranges(
    "202A-202E 2066-2069",  # bidirectional embeddings and overrides, and isolates
    "FFF9-FFFB 13430-1343F",  # interlinear annotation, joiners of hieroglyphs
    "FDD0-FDEF",  # no characters, as the next
    *(f"{plane:X}FFFE-{plane:X}FFFF" for plane in range(0x11)),
    "115F-1160 3164 FFA0",  # Hangul fillers are letters without looks: 0, 1 or 2 cells
    "268A-268F 2630-2637 1D300-1D356 1D360-1D376",  # wide since Unicode 16
    "3248-324F",  # circled numbers: narrow, wide or ambiguous
    "302E-302F 16FF0-16FF1",  # spacing marks: 0 or 2 cells
)
_LONE = _ranges("D800-DFFF")  # surrogates
_BLANK = _ranges("2800 1D159")  # an empty pattern of Braille, an empty note
# What users type and paste as a part of emoji: their joiner, variation selectors, colours of skin; and soft hyphens.
_JOINING = _ranges("200D FE00-FE0F 1F3FB-1F3FF E0100-E01EF AD")
_IGNORABLE = _ranges(  # the rest of Default_Ignorable_Code_Point
    "034F 061C 17B4-17B5 180B-180F 200B-200C 200E-200F 2060-2065 206A-206F FEFF FFF0-FFF8",
    "1BCA0-1BCA3 1D173-1D17A E0000-E00FF E01F0-E0FFF",
)
_FUTURE_EMOJI = _ranges("1F6D8-1F6DF 1FA70-1FAFF")  # unassigned for an older Python only


def _codes(ranges: tuple[_Range, ...]) -> Iterator[int]:
    return (code for first, last in ranges for code in range(first, last + 1))


def _stand_ins() -> dict[int, str]:
    """What each suspect character becomes; those of the large ranges have patterns, for a table of them takes 1 MB."""
    table = dict.fromkeys((*_codes(_CONTROLS), *_codes(_SHOWN)), REPLACEMENT)
    table |= {code: chr(0x2400 + code) for code in _codes(((0x00, 0x08), (0x0B, 0x1F)))}
    table |= {0x7F: "␡", 0x2630: "≡"}  # the sign of menus has a narrow twin
    return table | dict.fromkeys(_codes(_LINE_ENDS), "\n")


def _any_of(*tables: tuple[_Range, ...]) -> str:
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for table in tables for first, last in table) + "]"


_STAND_INS = _stand_ins()
_LONE_ONE, _BLANK_ONE = expression(_any_of(_LONE)), expression(_any_of(_BLANK))
_JOINER, _IGNORED = expression(_any_of(_JOINING)), expression(_any_of(_IGNORABLE))
_ASCII_SUSPECT = expression(r"[\x00-\x08\x0b-\x1f\x7f]")
_SUSPECT = expression(_any_of(_CONTROLS, _LINE_ENDS, _SHOWN, _LONE, _BLANK, _JOINING, _IGNORABLE))
# A finished CSI sequence, a choice of character set, a hyperlink (OSC 8): they change how text looks, not what it says.
_LOOKS = expression(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()*+][0-9A-Z]|\]8;[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\))")
# Outside the usual blocks, all of whose characters are assigned and none a mark: there may be others, looked at by run.
_ODD = expression(
    r"[^\x00-\u02ff\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u2190-\u2426"
    r"\u2440-\u244a\u2460-\u2b73\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uffbe"
    r"\ufffd\U0001f300-\U0001f6d7\U0001f900-\U0001f9ff]+"
)
# Candidates for a run of marks: neither ASCII nor letters; or the vowels of Korean, which are letters without width.
_MARKS = expression(rf"(?:[^\w\s\x00-\x7f]|[\u1160-\u11ff\ud7b0-\ud7ff]){{{MARKS_AT_MOST + 1}}}")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LINE_BREAK = expression(r"\s*\n\s*")


def sanitise(text: str) -> str:
    """The text as it may be shown; idempotent, and the same object where nothing had to change.

    Call it on whole lines: a sequence that is cut in two is shown instead of dropped.
    """
    if text.isascii():
        if _ASCII_SUSPECT.search(text) is None:
            return text
    elif _unusual().search(text) is None:
        return text
    elif _SUSPECT.search(text) is None:
        return _ODD.sub(_tamed, text)
    if "\x1b" in text:
        text = _LOOKS.sub("", text)
    return _ODD.sub(_tamed, _replaced(text.replace("\r\n", "\n")))


@cache
def _unusual() -> re.Pattern[str]:
    """Finds what is not among the usual characters, all of which may be shown. It takes 2 ms to compile.

    To look for what is odd or suspect costs 15 times as much (1.2 ms for 26,000 characters that are not ASCII): those
    sets have dozens of ranges above 16 bits, each of which is compared with every character.
    """
    return re.compile(
        r"[^\t\n\x20-\x7e\xa0-\xac\xae-\u02ff\u0391-\u03a1\u03a3-\u0482\u1e00-\u1eff\u2010-\u2027\u2030-\u205e"
        r"\u2190-\u23ff\u2460-\u262f\u2690-\u27ff\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3"
        r"\U0001f300-\U0001f3fa\U0001f400-\U0001f6d7\U0001f900-\U0001f9ff]"
    )


def one_line(text: str, limit: int | None = None) -> str:
    """The text as it may be shown, in one line: newlines become `⏎`, tabs blanks; `…` ends it where it was cut.

    `limit` counts characters.
    """
    line = sanitise(text.strip())
    if "\n" in line:
        line = _LINE_BREAK.sub(f" {NEWLINE_MARK} ", line)
    line = line.replace("\t", " ")
    return line if limit is None or len(line) <= limit else f"{line[: max(0, limit - 1)]}…"


def named(text: object) -> str:
    """A name (of a file, folder, agent, program) in a sentence of ours: one line, of which nothing goes unseen.

    A name can neither begin a line of its own nor be taken for another one that differs by what is invisible.
    """
    return _one_for_one(str(text), REPLACEMENT, REPLACEMENT).replace("\t", " ")


def visible(name: str, key: str) -> str:
    """A name; what it names where it is blank and could not be seen."""
    return name if name.strip() else key


def quoted(text: str) -> str:
    """The text in quotes as TOML and JSON have it: what may not be shown is written as a number."""
    return '"' + "".join(_ESCAPES.get(sign) or (sign if is_plain(sign) else _number(ord(sign))) for sign in text) + '"'


def in_place(text: str) -> str:
    """The line as a field that is written in draws it: safe, and with as many characters as before."""
    return _one_for_one(text, NO_CELL, " ")


def _one_for_one(text: str, joiner: str, blank: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    replaced = _replaced(text, joiner, REPLACEMENT, blank).replace("\n", NEWLINE_MARK)
    return _ODD.sub(lambda run: "".join(_shown(run[0])), replaced)


def _replaced(text: str, joiner: str = "", ignored: str = "", blank: str = " ") -> str:
    text = _JOINER.sub(joiner, _IGNORED.sub(ignored, text))  # NO_CELL would be ignored itself
    return _BLANK_ONE.sub(blank, _LONE_ONE.sub(REPLACEMENT, text)).translate(_STAND_INS)


def _tamed(run: re.Match[str]) -> str:
    """A run of odd characters, with a stand-in for each that is unassigned and one for marks that are too many."""
    text = run[0]
    if text.isprintable() and _MARKS.search(text) is None:
        return text
    kept: list[str] = []
    over = False
    for sign, shown in zip(text, _shown(text), strict=True):
        was_over, over = over, shown == REPLACEMENT and _is_mark(sign)
        if not (over and was_over):
            kept.append(shown)
    return "".join(kept)


def _shown(text: str) -> Iterator[str]:
    marks = 0
    for sign in text:
        marks = marks + 1 if _is_mark(sign) else 0
        yield REPLACEMENT if marks > MARKS_AT_MOST or _is_unassigned(sign) else sign


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign)[0] == "M" or "\u1160" <= sign <= "\u11ff" or "\ud7b0" <= sign <= "\ud7ff"


def _is_unassigned(sign: str) -> bool:
    """Whether it is no character (yet): terminals give it no cell, one or two."""
    if unicodedata.category(sign) != "Cn":
        return False
    return not any(first <= ord(sign) <= last for first, last in _FUTURE_EMOJI)


def is_plain(sign: str) -> bool:
    """Whether a character is seen as itself: printable, and not suspect in any way."""
    return sign.isprintable() and _SUSPECT.match(sign) is None


def is_text(sign: str) -> bool:
    """Whether a character can be typed and sent: any but controls. Whether it may be shown as it is, is asked apart.

    `str.isprintable` is no answer: blanks of Japanese and of Macs, joiners of emoji, icons and new emoji are not.
    """
    return unicodedata.category(sign) not in ("Cc", "Cs")


def _number(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ESCAPE = expression(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
)
# What may go on in the next piece.
_BEGUN = expression(r"(?:(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*\x1b?|(?:\x1b\[?|\x9b)[0-?]*[ -/]*)\Z")
_PATIENCE = 256  # characters after which it is none


class SafeText:
    """A stream of text without escapes; what else is suspect is as `sanitise` shows it, but for carriage returns."""

    def __init__(self) -> None:
        self._begun = ""

    def feed(self, text: str, final: bool = False) -> str:
        """What may be shown of the stream so far and was not yet given."""
        text = _ESCAPE.sub("", self._begun + text)
        begun = None if final else _BEGUN.search(text)
        self._begun = begun.group() if begun and len(begun.group()) <= _PATIENCE else ""
        return sanitise(text[: len(text) - len(self._begun)].replace("\r", ""))
