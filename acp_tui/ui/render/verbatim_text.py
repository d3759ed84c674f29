"""Text that looks like Markdown and was not meant so: formulas, globs, names and paths stay as they were written.

They are rules for the parser of inline text, which ask before its own; and one for blocks.
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

_FORMULA = re.compile(
    r"\$\$(?:[^$]|\$(?!\$))+?\$\$"
    r"|\$(?=[^\s$])(?:\\[^\n]|[^$`\\\n])*(?<!\s)\$(?![\w$])"
    r"|\\\((?:[^\\]|\\(?!\)))+\\\)"
    r"|\\\[(?P<shown>(?:[^\\]|\\(?!\]))+)\\\]"
)
_MATHS = re.compile(r"^\s|[\\^_={}+<>]")  # else `\[` is an escaped bracket
_BREAK = re.compile(r"<br[ \t]*/?>", re.IGNORECASE)
_DUNDER = re.compile(r"__([a-z0-9]+(?:_[a-z0-9]+)*)__(?!_)")
_NAMES = (
    "main name file all path version pycache future builtins import package spec loader annotations wrapped post_init "
    "match_args slots enter exit aenter aexit call del getattr iadd await aiter anext"
)
_KINDS = (object, type, dict, int, Exception)
_OF_PYTHON = {*_NAMES.split(), *(name.strip("_") for kind in _KINDS for name in dir(kind))}
_SUBSCRIPT = re.compile(r"\[[^\[\]\n]*\]\([^\s()/.:#@]*\)")
_PATH = re.compile(r"[A-Za-z]:\\|\\\\[\w.$-]+\\[\w.$-]|(?:\.{1,2}|~|%\w+%|\$\w+|\$env:\w+)\\")  # of Windows
_WORD_ENDS = re.compile(r"[\s()\[\]'\"`]")
LONGEST = 120  # characters before a sign, and behind it, that are looked at
MOST_LINES = 100  # of a formula
_RUN = re.compile(r"\*+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9_]")
_ENDING = re.compile(r"\.[\w*?\[{]")
_CLOSING = ".,;:!?)]}'\""
_OPENING = "([{'\""
_CLOSINGS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)"}
_ENDS = {opening: closing for opening, closing in _CLOSINGS.items() if opening != "\\("}  # of lines of their own


def keep_verbatim(markdown: "MarkdownIt") -> None:
    """Teach a parser of inline text to leave these alone, and what `<br>` is."""
    for rule in (_path, _formula):
        markdown.inline.ruler.before("escape", rule.__name__, rule)
    for rule in (_stars, _underscores):
        markdown.inline.ruler.before("emphasis", rule.__name__, rule)
    markdown.inline.ruler.before("link", "_subscript", _subscript)
    markdown.inline.ruler.before("autolink", "_break", _break)


def keep_formulas(markdown: "MarkdownIt") -> None:
    """Teach a parser of blocks that a formula has no lists and headings inside."""
    markdown.block.ruler.before(
        "fence", "_formula_block", _formula_block, {"alt": ["paragraph", "reference", "blockquote", "list"]}
    )


def opens_formula(text: str) -> bool:
    """Whether what follows may show that a part of this text is a formula, or a path."""
    return "$" in text or "\\" in text


def _put(state: "StateInline", text: str, silent: bool) -> bool:
    if not silent:
        for number, line in enumerate(text.split("\n")):
            if number:
                state.push("softbreak", "br", 0)
            state.push("text", "", 0).content = line.strip(" ") if number else line
    state.pos += len(text)
    return True


def _formula(state: "StateInline", silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    if state.pos and (state.src[state.pos - 1] in "$\\" or state.src[state.pos - 1].isalnum()):
        return False
    closing = _CLOSINGS.get(state.src[state.pos : state.pos + 2], "$")
    if state.src.find(closing, state.pos + 1, state.posMax) < 0:  # else each opening is looked for to the end
        return False
    found = _FORMULA.match(state.src, state.pos, state.posMax)
    if found is None or (found["shown"] and not _MATHS.search(found["shown"])):
        return False
    return _put(state, found[0], silent)


def _path(state: "StateInline", silent: bool) -> bool:
    """A backslash that parts folders; at the end of a line it breaks none."""
    if state.src[state.pos] != "\\":
        return False
    start, end = _word_at(state)
    start += len(state.src[start:end]) - len(state.src[start:end].lstrip("*_~"))
    found = _PATH.match(state.src, start, end)
    if found is None:
        return False
    both = state.pos == start and state.src.startswith("\\\\", start)
    return _put(state, "\\\\" if both else "\\", silent)


def _word_at(state: "StateInline") -> tuple[int, int]:
    src, start = state.src, max(0, state.pos - LONGEST)
    for end in _WORD_ENDS.finditer(src, start, state.pos):
        start = end.end()
    stop = min(len(src), state.pos + LONGEST)
    ends = _WORD_ENDS.search(src, state.pos, stop)
    return start, ends.start() if ends else stop


def _stars(state: "StateInline", silent: bool) -> bool:
    run = _RUN.match(state.src, state.pos, state.posMax)
    return run is not None and not _is_emphasis(state, run[0]) and _put(state, run[0], silent)


def _is_emphasis(state: "StateInline", run: str) -> bool:
    src, at, end = state.src, state.pos, state.pos + len(run)
    before, after = src[at - 1 : at], src[end : end + 1]
    if _ASCII_WORD.match(before) and _ASCII_WORD.match(after):
        return _is_open(state, run)  # 2*3*4, x**2
    leads, ends = _starts_path(src, end), before != "" and before in "/\\"
    if not leads and not ends:
        return True
    if _is_beside(src, at, run):
        return not leads or _is_open(state, run)  # **a**/**b**
    start, stop = _word_at(state)
    word = src[start:stop].lstrip(_OPENING).rstrip(_CLOSING)
    inside = word[len(run) : -len(run)]
    if word.startswith(run) and word.endswith(run) and _ASCII_WORD.search(inside) and not _is_glob(inside):
        return True  # **.env**, *src/*
    return not leads and not word.startswith("*") and _is_open(state, run)


def _is_beside(src: str, at: int, run: str) -> bool:
    """Whether what is emphasised ends before a stroke or dot here, or begins behind a stroke where another ended."""
    end = at + len(run)
    before, after = src[at - 1 : at], src[end : end + 1]
    if before == "/":
        return src[: at - 1].endswith(run) and _is_word(src[at - 2 - len(run) : at - 1 - len(run)]) and _is_word(after)
    return _is_word(before) and (len(run) > 1 or (src.startswith("/*", end) and _is_word(src[end + 2 : end + 3])))


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign in tuple("`_)")


def _is_open(state: "StateInline", run: str) -> bool:
    return any(mark.marker == ord("*") and mark.open and mark.length == len(run) for mark in state.delimiters)


def _starts_path(src: str, at: int) -> bool:
    """Whether a name follows what parts a path here: `*.py`, `*/a`, but not `*.` at the end of a sentence."""
    return src[at : at + 1] in ("/", "\\") or _ENDING.match(src, at) is not None


def _is_glob(inside: str) -> bool:
    """Whether a path between two runs of stars goes on beyond them, or has stars itself."""
    return "*" in inside or (inside[:1] in "/\\." and inside[-1:] in "/\\.")


def _underscores(state: "StateInline", silent: bool) -> bool:
    src, at = state.src, state.pos
    if src[at] != "_" or src[at - 1 : at] == "_":
        return False
    found = _DUNDER.match(src, at, state.posMax)
    if found is not None and (
        found[1] in _OF_PYTHON or src[at - 1 : at] == "." or src[found.end() :][:1] in (*"./([",)
    ):
        return _put(state, found[0], silent)
    end = at + len(src[at:]) - len(src[at:].lstrip("_"))
    beside = src[at - 1 : at] + src[end : end + 1]
    return any(sign in "/\\" for sign in beside) and _put(state, src[at:end], silent)


def _subscript(state: "StateInline", silent: bool) -> bool:
    """`handlers[name](event)` is no link: it stands right behind a name, and leads nowhere."""
    src, at = state.src, state.pos
    if src[at] != "[" or not at or not (_ASCII_WORD.match(src[at - 1]) or src[at - 1] in ")]"):
        return False
    return _SUBSCRIPT.match(src, at, state.posMax) is not None and _put(state, "[", silent)


def _break(state: "StateInline", silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    found = _BREAK.match(state.src, state.pos, state.posMax)
    if found is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = found.end()
    while state.pos < state.posMax and state.src[state.pos] in " \n":  # a break of its own is none more
        state.pos += 1
    return True


def _formula_block(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    lines = [_line(state, start)]
    closing = _ENDS.get(lines[0][:2])
    if closing is None or state.is_code_block(start) or closing in lines[0][2:]:
        return False
    for number in range(start + 1, min(end, start + MOST_LINES)):
        lines.append(_line(state, number))
        if not lines[-1] or closing in lines[-1]:
            break
    if len(lines) == 1 or not lines[-1].endswith(closing):
        return False
    if silent:
        return True
    state.line = start + len(lines)
    opening = state.push("paragraph_open", "p", 1)
    opening.map = [start, state.line]
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = "\n".join(lines), [start, state.line], []
    state.push("paragraph_close", "p", -1)
    return True


def _line(state: "StateBlock", number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()
