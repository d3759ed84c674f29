"""Random text that is nasty in every known way, made of pieces so that each family of them does occur.

Hypothesis merges alphabets: of `text(sampled_from(NASTY) | characters())` one character in 30,000 is nasty.
"""

import re

from hypothesis import strategies as st

FAMILIES: dict[str, tuple[str, ...]] = {
    "CSI": ("\x1b[31m", "\x1b[2J", "\x1b[?1049l", "\x1b[6n", "\x1b[", "\x1b[38;5"),
    "OSC": ("\x1b]0;owned\x07", "\x1b]52;c;cHduZWQ=\x07", "\x1b]8;;file:///etc\x1b\\", "\x1b]9;x", "\x1b]"),
    "DCS and its like": ("\x1bP$qm\x1b\\", "\x1b_G\x1b\\", "\x1b^x", "\x1bX", "\x1bP"),
    "other escapes": ("\x1bc", "\x1b(0", "\x1b7", "\x1b\\", "\x1b"),
    "C0": tuple(map(chr, (*range(9), *range(11, 32), 127))),
    "C1": ("\x9b2J", "\x9d0;owned\x9c", "\x90q", *map(chr, range(0x80, 0xA0))),
    "line ends": ("\r", "\r\n", "\n", "\x0b", "\x0c", "\x85", "\u2028", "\u2029"),
    "bidi overrides": ("\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u202egnp."),
    "bidi isolates": ("\u2066", "\u2067", "\u2068", "\u2069", "\u2066rm\u2069"),
    "bidi marks": ("\u061c", "\u200e", "\u200f"),
    "zero width": ("\u200b", "\u200c", "\u2060", "\u2064", "\ufeff", "\u034f", "\u180e", "\u17b4", "\xad"),
    "fillers and blanks": ("\u3164", "\uffa0", "\u115f", "\u1160", "\u2800", "\U0001d159"),
    "emoji sequences": (
        "👩\u200d💻",
        "❤\ufe0f",
        "👍🏽",
        "🏽",
        "1\ufe0f\u20e3",
        "🏳\ufe0f\u200d🌈",
        "🇩🇪",
        "\u200d",
        "\ufe0e",
    ),
    "variation selectors": ("\ufe00", "漢\U000e0100", "\U000e01ef", "\u180b", "\u180f"),
    "marks in runs": ("e\u0301", "\u0301" * 12, "\u0489" * 7, "\u1161" * 9, "\u0e31" * 8, "\u20dd"),
    "wide": ("漢字", "한글", "Ｗ", "🎉", "、"),
    "surrogates": ("\ud800", "\udfff", "\ud83d", "\udc9c"),
    "tags": ("\U000e0041\U000e0042", "\U000e0001", "\U000e007f"),
    "no characters": ("\ufffe", "\uffff", "\ufdd0", "\U0001fffe", "\U0010ffff", "\u0378"),
    "annotation and hieroglyphs": ("\ufff9", "\ufffb", "\U00013430", "\U0001d173", "\U0001bca0", "\u2065", "\ufff0"),
    "width by version": ("☰", "\u268a", "\U0001d300", "\u3248"),
    "markup": ("[bold]", "[/]", "[@click=app.quit]x[/]", "[link=file:///]", "\\["),
    "markdown": ("**", "`", "```\n", "> ", "| a | b |\n", "[x](javascript:y)", "<b>", "# "),
}
_PLAIN = st.sampled_from(["a", "rm -rf", " ", "é", "\t", "-", "7"])

# What a terminal obeys, what is invisible or blank, what is no character: nothing of it may reach one. A table of its
# own, written by family, so that a hole in the program's table shows.
_UNSAFE = {
    "CSI": "\x1b",
    "OSC": "\x1b\x07",
    "DCS and its like": "\x1b",
    "other escapes": "\x1b",
    "C0": "\x00-\x08\x0b-\x1f\x7f",
    "C1": "\x80-\x9f",
    "line ends": "\r\x0b\x0c\x85\u2028\u2029",
    "bidi overrides": "\u202a-\u202e",
    "bidi isolates": "\u2066-\u2069",
    "bidi marks": "\u061c\u200e\u200f",
    "zero width": "\xad\u034f\u17b4\u17b5\u180e\u200b\u200c\u2060-\u2065\u206a-\u206f\ufeff",
    "fillers and blanks": "\u115f\u1160\u3164\uffa0\u2800\U0001d159",
    "emoji sequences": "\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff",
    "variation selectors": "\ufe00-\ufe0f\u180b-\u180f\U000e0100-\U000e01ef",
    "surrogates": "\ud800-\udfff",
    "tags": "\U000e0000-\U000e007f",
    "no characters": "\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff\U0010fffe\U0010ffff",
    "annotation and hieroglyphs": "\ufff0-\ufffb\U00013430-\U0001343f\U0001d173-\U0001d17a\U0001bca0-\U0001bca3",
}
UNSAFE = re.compile("[" + "".join(_UNSAFE.values()) + "]")
UNSETTLED = re.compile("[\u2630-\u2637\u268a-\u268f\u3248-\u324f\U0001d300-\U0001d356\U0001d360-\U0001d376]")  # widths
TOWER = re.compile(
    r"[\u0300-\u036f\u0483-\u0489\u0e31\u1160-\u11ff\u20d0-\u20f0]{7}"
)  # marks that climb over other rows


def _pieces(without: str = "") -> st.SearchStrategy[str]:
    """Pieces of all families and any character, none of the class `without` (as it stands in `[...]`)."""
    barred = re.compile(f"[{without}]" if without else "(?!)")
    families = [[piece for piece in pieces if not barred.search(piece)] for pieces in FAMILIES.values()]
    other = st.characters(codec=None).filter(lambda character: not barred.match(character))
    return st.one_of(*(st.sampled_from(pieces) for pieces in families if pieces), _PLAIN, other)


def texts(without: str = "") -> st.SearchStrategy[str]:
    """Texts of such pieces."""
    return st.lists(_pieces(without), max_size=24).map("".join)


nasty_pieces = _pieces()
nasty_texts = texts()
ONE_OF_EACH = " ".join("".join(pieces) for pieces in FAMILIES.values())
"""All pieces of all families, for where one text must do."""


def families_in(text: str) -> set[str]:
    """The families of which a piece is in the text."""
    return {family for family, pieces in FAMILIES.items() if any(piece in text for piece in pieces)}
