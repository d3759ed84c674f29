"""How keys are written for people."""

_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "plus": "+",
    "minus": "-",
    "up": "↑",
    "down": "↓",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
}


def spell(key: str) -> str:
    """One key as it is written in hints: `alt+p`, `↑`, `^P`."""
    modifiers, _, last = key.rpartition("+")
    name = _NAMES.get(last, last)
    if modifiers == "ctrl":
        return "^" + (name.upper() if len(name) == 1 else name)
    return f"{modifiers}+{name}" if modifiers else name


def spell_out(key: str) -> str:
    """One key in full, as help and README write it: `Ctrl+P`, `Shift+Tab`, `F1`."""
    if len(key) == 1:
        return key
    return "+".join(_capital(_NAMES.get(part, part)) for part in key.split("+"))


def _capital(name: str) -> str:
    special = {"pgup": "PgUp", "pgdn": "PgDn"}
    return special.get(name, name if len(name) == 1 and not name.isalpha() else name.capitalize())
