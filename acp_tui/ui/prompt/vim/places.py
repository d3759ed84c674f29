"""Places in a text: lines and words by their offsets, which count characters from 0."""

PIECES = range(0x100000, 0x10FFFE)  # the last private plane: each of its characters may stand for one chip
EMOJI_PIECES = range(0x108000, 0x10FFFE)  # or for an emoji
BRACKETS = {"(": ")", "[": "]", "{": "}"}


def line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Where its newline is, or the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def first_word(text: str, at: int) -> int:
    """The first character of the line that is no blank; the line's end where there is none."""
    start, end = line_start(text, at), line_end(text, at)
    return start + len(text[start:end]) - len(text[start:end].lstrip())


def on_character(text: str, at: int) -> int:
    """The nearest place on the line at which a character is: in normal mode the cursor stands on one."""
    start, end = line_start(text, at), line_end(text, at)
    return max(start, min(at, end - 1))


def nth_line(text: str, number: int) -> int:
    """The start of a line, counted from 1; of the last one where there are fewer."""
    at = 0
    for _ in range(number - 1):
        end = text.find("\n", at)
        if end < 0:
            break
        at = end + 1
    return at


def kind(character: str, *, big: bool = False) -> str:
    """What sort of word it belongs to; empty for a blank. For `big` words every character that is no blank counts."""
    if character.isspace():
        return ""
    if big:
        return "word"
    if ord(character) in PIECES and ord(character) not in EMOJI_PIECES:
        return character
    return "word" if character.isalnum() or character == "_" else "signs"


def partner(text: str, at: int) -> int | None:
    """The bracket that belongs to the one at this place."""
    for opening, closing in BRACKETS.items():
        if text[at : at + 1] == opening:
            return _balanced(text, range(at, len(text)), opening, closing)
        if text[at : at + 1] == closing:
            return _balanced(text, range(at, -1, -1), closing, opening)
    return None


def enclosing(text: str, at: int, opening: str) -> tuple[int, int] | None:
    """The nearest brackets of this sort around a place, or at it."""
    closing, depth = BRACKETS[opening], 0
    for place in range(min(at, len(text) - 1), -1, -1):
        depth += (text[place] == closing and place != at) - (text[place] == opening)
        if depth < 0:
            end = _balanced(text, range(place, len(text)), opening, closing)
            return None if end is None else (place, end)
    return None


def _balanced(text: str, places: range, near: str, far: str) -> int | None:
    depth = 0
    for place in places:
        depth += (text[place] == near) - (text[place] == far)
        if depth == 0:
            return place
    return None
