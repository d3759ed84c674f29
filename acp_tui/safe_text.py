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

NEWLINE_MARK = "⏎"
REPLACEMENT = "\ufffd"
MARKS_AT_MOST = 6  # on one character; scripts need four, decoration that climbs over other rows needs more
# Stands for a part of an emoji sequence where characters are counted: Combining Grapheme Joiner is a mark without
# looks, to which terminals and rich give no cell, and which joins no emoji.
NO_CELL = "\u034f"

_Range = tuple[int, int]
_CONTROLS: tuple[_Range, ...] = ((0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F))
_LINE_ENDS: tuple[_Range, ...] = ((0x0D, 0x0D), (0x85, 0x85), (0x2028, 0x2029))
_SHOWN: tuple[_Range, ...] = (
    (0x202A, 0x202E),  # bidirectional embeddings and overrides
    (0x2066, 0x2069),  # bidirectional isolates
    (0xFFF9, 0xFFFB),  # interlinear annotation
    (0x13430, 0x1343F),  # joiners of hieroglyphs
    (0xD800, 0xDFFF),  # lone surrogates
    (0xFDD0, 0xFDEF),  # no characters, as the next
    *((plane | 0xFFFE, plane | 0xFFFF) for plane in range(0, 0x110000, 0x10000)),
    (0x115F, 0x1160),  # Hangul fillers are letters without looks: 0, 1 or 2 cells
    (0x3164, 0x3164),
    (0xFFA0, 0xFFA0),
    (0x268A, 0x268F),  # wide since Unicode 16, as the next three
    (0x2630, 0x2637),
    (0x1D300, 0x1D356),
    (0x1D360, 0x1D376),
    (0x3248, 0x324F),  # circled numbers: narrow, wide or ambiguous
    (0x302E, 0x302F),  # spacing marks: 0 or 2 cells, as the next
    (0x16FF0, 0x16FF1),
)
_BLANK: tuple[_Range, ...] = ((0x2800, 0x2800), (0x1D159, 0x1D159))  # an empty pattern of Braille, an empty note
_JOINING: tuple[_Range, ...] = (  # what users type and paste as a part of emoji, and soft hyphens
    (0xAD, 0xAD),
    (0x200D, 0x200D),  # the joiner of emoji
    (0xFE00, 0xFE0F),  # variation selectors
    (0x1F3FB, 0x1F3FF),  # colours of skin
    (0xE0100, 0xE01EF),  # variation selectors of ideographs
)
_IGNORABLE: tuple[_Range, ...] = (  # the rest of Default_Ignorable_Code_Point
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200C),
    (0x200E, 0x200F),
    (0x2060, 0x2065),
    (0x206A, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE00FF),
    (0xE01F0, 0xE0FFF),
)
_FUTURE_EMOJI: tuple[_Range, ...] = ((0x1F6D8, 0x1F6DF), (0x1FA70, 0x1FAFF))  # unassigned for an older Python only


def _codes(ranges: tuple[_Range, ...]) -> Iterator[int]:
    return (code for first, last in ranges for code in range(first, last + 1))


def _stand_ins() -> dict[int, str]:
    table = dict.fromkeys((*_codes(_CONTROLS), *_codes(_SHOWN)), REPLACEMENT)
    table |= {code: chr(0x2400 + code) for code in _codes(((0x00, 0x08), (0x0B, 0x1F)))}
    table |= {0x7F: "␡", 0x2630: "≡"}  # the sign of menus has a narrow twin
    table |= dict.fromkeys(_codes(_LINE_ENDS), "\n")
    table |= dict.fromkeys(_codes(_BLANK), " ")
    return table | dict.fromkeys((*_codes(_JOINING), *_codes(_IGNORABLE)), "")


def _any_of(*tables: tuple[_Range, ...]) -> str:
    return "[" + "".join(f"\\U{first:08x}-\\U{last:08x}" for table in tables for first, last in table) + "]"


_STAND_INS = _stand_ins()
_VISIBLE = {code: REPLACEMENT if shown in ("", " ") else shown for code, shown in _STAND_INS.items()}
_IN_PLACE = {code: shown or REPLACEMENT for code, shown in _STAND_INS.items()} | dict.fromkeys(
    _codes(_JOINING), NO_CELL
)
_ASCII_SUSPECT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SUSPECT = re.compile(_any_of(_CONTROLS, _LINE_ENDS, _SHOWN, _BLANK, _JOINING, _IGNORABLE))
# A finished CSI sequence, a choice of character set, a hyperlink (OSC 8): they change how text looks, not what it says.
_LOOKS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()*+][0-9A-Z]|\]8;[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\))")
# Outside the usual blocks, all of whose characters are assigned and none a mark: there may be others, looked at by run.
_ODD = re.compile(
    r"[^\x00-\u02ff\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u1e00-\u1eff\u2010-\u2027\u2030-\u205e\u2190-\u2426"
    r"\u2440-\u244a\u2460-\u2b73\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uffbe"
    r"\ufffd\U0001f300-\U0001f6d7\U0001f900-\U0001f9ff]+"
)
# Candidates for a run of marks: neither ASCII nor letters; or the vowels of Korean, which are letters without width.
_MARKS = re.compile(rf"(?:[^\w\s\x00-\x7f]|[\u1160-\u11ff\ud7b0-\ud7ff]){{{MARKS_AT_MOST + 1}}}")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LINE_BREAK = re.compile(r"\s*\n\s*")


def sanitise(text: str) -> str:
    """The text as it may be shown; idempotent, and the same object where nothing had to change.

    Call it on whole lines: a sequence that is cut in two is shown instead of dropped.
    """
    if text.isascii():
        if _ASCII_SUSPECT.search(text) is None:
            return text
    elif _SUSPECT.search(text) is None:
        return _ODD.sub(_tamed, text)
    if "\x1b" in text:
        text = _LOOKS.sub("", text)
    return _ODD.sub(_tamed, text.replace("\r\n", "\n").translate(_STAND_INS))


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
    return _one_for_one(str(text), _VISIBLE).replace("\t", " ")


def quoted(text: str) -> str:
    """The text in quotes as TOML and JSON have it: what may not be shown is written as a number."""
    return '"' + "".join(_ESCAPES.get(sign) or (sign if is_plain(sign) else _number(ord(sign))) for sign in text) + '"'


def in_place(text: str) -> str:
    """The line as a field that is written in draws it: safe, and with as many characters as before."""
    return _one_for_one(text, _IN_PLACE)


def _one_for_one(text: str, table: dict[int, str]) -> str:
    if text.isascii() and text.isprintable():
        return text
    return _ODD.sub(lambda run: "".join(_shown(run[0])), text.translate(table).replace("\n", NEWLINE_MARK))


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


def _number(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-OQ-WYZ\\`-~]"
)
# What may go on in the next piece.
_BEGUN = re.compile(r"(?:(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*\x1b?|(?:\x1b\[?|\x9b)[0-?]*[ -/]*)\Z")
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
