"""Agent text made safe for a terminal: the one gate that every foreign string passes; knows no markup and no layout.

What passes is printable: no escape, no control but newline and tab, no bidirectional control, no lone
surrogate, and only characters whose cells can be counted one by one. What carries meaning is shown by a
visible stand-in (`␛`, `�`); only what is invisible anyway, and complete colour sequences, go without a trace.
"""

import re
from collections.abc import Iterable

from rich.cells import cell_len, get_character_cell_size
from textual.content import Content
from textual.style import Style

ELLIPSIS = "…"
NEWLINE_MARK = "⏎"
REPLACEMENT = "\ufffd"
MARKS_AT_MOST = 6  # on one character; scripts need four, decoration that climbs over other rows needs more

_ASCII_SUSPECT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SUSPECT = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u180e\u200b\u200d-\u200f\u2028-\u202e\u2060-\u206f\ufe0e\ufe0f"
    r"\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U0001f3fb-\U0001f3ff\U000e0000-\U000e007f]"
)
# A finished CSI sequence, a choice of character set, a hyperlink (OSC 8): they change how text looks, not what it says.
_LOOKS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()*+][0-9A-Z]|\]8;[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\))")
# Candidates for a run of marks: neither ASCII nor letters; or the vowels of Korean, which are letters without width.
_MARKS = re.compile(rf"(?:[^\w\s\x00-\x7f]|[\u1160-\u11ff\ud7b0-\ud7ff]){{{MARKS_AT_MOST + 1},}}")


def _stand_ins() -> dict[int, str]:
    """What each suspect character becomes."""
    table = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
    table[0x7F] = "␡"
    table |= dict.fromkeys((0x0D, 0x85, 0x2028, 0x2029), "\n")
    shown = [*range(0x80, 0x85), *range(0x86, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    shown += [*range(0xFFF9, 0xFFFC), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)]
    table |= dict.fromkeys(shown, REPLACEMENT)
    # Invisible, or joining emoji into one whose width no two terminals agree on.
    dropped = [0xAD, 0x61C, 0x115F, 0x180E, 0x200B, 0x200D, 0x200E, 0x200F, *range(0x2060, 0x2066)]
    dropped += [*range(0x206A, 0x2070), 0xFE0E, 0xFE0F, 0xFEFF, *range(0x1F3FB, 0x1F400), *range(0xE0000, 0xE0080)]
    return table | dict.fromkeys(dropped, "")


_STAND_INS = _stand_ins()
_KEPT_IN_PLACE = {0x09, 0xAD, 0x200D, 0xFE0E, 0xFE0F, *range(0x1F3FB, 0x1F400)}  # as people type them
_IN_PLACE = {code: shown or REPLACEMENT for code, shown in _STAND_INS.items() if code not in _KEPT_IN_PLACE}


def sanitise(text: str) -> str:
    """The text as it may be shown; idempotent, and the same object where nothing had to change.

    Call it on whole lines: a sequence that is cut in two is shown instead of dropped.
    """
    if text.isascii():
        if _ASCII_SUSPECT.search(text) is None:
            return text
    elif _SUSPECT.search(text) is None:
        return _MARKS.sub(_cap_marks, text)
    if "\x1b" in text:
        text = _LOOKS.sub("", text)
    return _MARKS.sub(_cap_marks, text.replace("\r\n", "\n").translate(_STAND_INS))


def in_place(text: str) -> str:
    """The line as a field that is written in may draw it: safe, and with as many characters as before."""
    suspect = _ASCII_SUSPECT if text.isascii() else _SUSPECT
    if suspect.search(text) is not None:
        text = text.translate(_IN_PLACE).replace("\n", NEWLINE_MARK)
    return text if text.isascii() else _MARKS.sub(_replace_marks, text)


def _replace_marks(match: re.Match[str]) -> str:
    """Keep the first marks of a run; each of the others is shown by a stand-in."""
    shown: list[str] = []
    run = 0
    for character in match[0]:
        run = 0 if get_character_cell_size(character) else run + 1
        shown.append(character if run <= MARKS_AT_MOST else REPLACEMENT)
    return "".join(shown)


def _cap_marks(match: re.Match[str]) -> str:
    """Keep the first marks of a run and show one stand-in for the rest."""
    kept: list[str] = []
    run = 0
    for character in match[0]:
        run = 0 if get_character_cell_size(character) else run + 1
        if run <= MARKS_AT_MOST:
            kept.append(character)
        elif run == MARKS_AT_MOST + 1:
            kept.append(REPLACEMENT)
    return "".join(kept)


def sanitise_line(text: str, limit: int = 200) -> str:
    """The text as one line of at most `limit` cells: newlines become `⏎`, tabs blanks, a cut shows as `…`."""
    if len(text) <= limit and text.isascii() and text.isprintable():  # most names are, and lists have hundreds
        return text.strip()
    if len(text) > 8 * limit + 80:
        text = text[: 8 * limit + 80] + ELLIPSIS  # shown even if what is left needs no further cut
    line = sanitise(text.strip())
    if "\n" in line:
        line = re.sub(r"\s*\n\s*", f" {NEWLINE_MARK} ", line)
    return cut(line.replace("\t", " "), limit)


def cut(text: str, width: int) -> str:
    """The sanitised one-line `text` in at most `width` cells, ending in `…` where something was cut."""
    if (len(text) <= width and text.isascii()) or cell_len(text) <= width:
        return text
    if width <= 0:
        return ""
    return text[: _fitting(text, width - 1)].rstrip() + ELLIPSIS


def cut_left(path: str, width: int) -> str:
    """A path in at most `width` cells: its end says more than its beginning."""
    if cell_len(path) <= width:
        return path
    return ELLIPSIS + path[len(path) - _fitting(reversed(path), max(1, width - 1)) :]


def _fitting(text: Iterable[str], width: int) -> int:
    """How many leading characters fit into `width` cells."""
    cells = count = 0
    for character in text:
        cells += get_character_cell_size(character)
        if cells > width:
            break
        count += 1
    return count


def safe(text: str, style: str | Style = "") -> Content:
    """Sanitised text as `Content`, which no widget parses as markup."""
    return Content.styled(sanitise(text), style)


def safe_line(text: str, limit: int = 200, style: str | Style = "") -> Content:
    """`sanitise_line` as `Content`."""
    return Content.styled(sanitise_line(text, limit), style)
