"""Names of keys: read as users write them, and spelt for hints and help."""

import unicodedata
from functools import cache

from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")  # in the order in which Textual writes them
_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
    "control": "ctrl",
    "option": "alt",
    "cmd": "super",
    "command": "super",
    "↑": "up",
    "↓": "down",
    "←": "left",
    "→": "right",
}
_SPELLINGS = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "delete": "del",
}
_LONG_NAMES = {short: long for long, short in KEY_NAME_REPLACEMENTS.items()}
_CAPITALS = {"pgup": "PgUp", "pgdn": "PgDn"}
LAST_SIGN = "\u2200"  # what comes behind it (mathematics, pictures) stands on no key
_SAME = {"ctrl+i": "Tab", "ctrl+m": "Enter", "ctrl+left_square_bracket": "Esc"}


def key_name(written: str) -> str:
    """Textual's name of a key: `Ctrl+P` is `ctrl+p`, `?` is `question_mark`. Raises ValueError that says why not."""
    *given, last = _parts(written.strip())
    modifiers = {_ALIASES.get(part.lower(), part.lower()) for part in given}
    strange = sorted(modifiers - set(MODIFIERS))
    if strange or not last:
        raise ValueError(f"{written!r} is not a key: write keys like ctrl+p, alt+t, f2, shift+tab or pageup")
    base = _base(last, written)
    if len(base) == 1 and modifiers:
        shifted = modifiers == {"shift"}
        base, modifiers = (base.upper(), set[str]()) if shifted else (base.lower(), modifiers)
    name = "+".join([*sorted(modifiers), base])
    if name in _SAME:
        raise ValueError(f"terminals cannot tell {written} from {_SAME[name]}")
    return name


def is_typed(name: str) -> bool:
    """Whether the key writes a character, so that binding it in the prompt would make that impossible to write."""
    if "+" in name:
        return False
    return len(name) == 1 or name == "space" or name not in _named()


@cache
def _named() -> frozenset[str]:
    """Keys that have names of their own, found when first asked for: 1 ms that a start need not take."""
    return frozenset(key.value.rpartition("+")[2] for key in Keys if not key.value.startswith("<"))


def _parts(written: str) -> list[str]:
    """`ctrl++` is two parts: the last of them is the sign itself."""
    if written == "+" or written.endswith("++"):
        return [*(part for part in written[:-2].split("+") if part), "+"]
    return written.split("+")


def _base(last: str, written: str) -> str:
    if len(last) == 1 and last not in _ALIASES:
        return last if last.isalnum() else _sign_name(last)
    name = _ALIASES.get(last.lower(), last.lower())
    if name in _named() or name in KEY_NAME_REPLACEMENTS.values() or _is_sign(name):
        return name
    raise ValueError(f"{written!r} is not a key: unknown key {last!r}")


def _sign_name(sign: str) -> str:
    name = "space" if sign == " " else unicodedata.name(sign, "").lower().replace("-", "_").replace(" ", "_")
    if not name:
        raise ValueError(f"{sign!r} is not a key")
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _is_sign(name: str) -> bool:
    """Whether this is what Unicode calls a sign, with `_` for blanks: `question_mark`; no keyboard has a `banana`."""
    sign = key_to_character(name)
    return sign is not None and sign < LAST_SIGN


def spell(way: str) -> str:
    """A key, or the leader and one more, as hints write it: `alt+p`, `↑`, `^X m`."""
    return " ".join(map(_spell, way.split(" ")))


def _spell(key: str) -> str:
    modifiers, _, last = key.rpartition("+")
    name = _name_shown(last)
    if modifiers == "ctrl":
        return "^" + (name.upper() if len(name) == 1 else name)
    return f"{modifiers}+{name}" if modifiers else name


def spell_out(way: str) -> str:
    """The same in full, as help and README write it: `Ctrl+P`, `Shift+Tab`, `Ctrl+X m`."""
    return " ".join(
        key if len(key) == 1 else "+".join(_capital(_name_shown(part)) for part in key.split("+"))
        for key in way.split(" ")
    )


@cache
def _name_shown(name: str) -> str:
    """`question_mark` is `?`, `underscore` is `_`, `pageup` is `pgup`."""
    if len(name) == 1 or name in MODIFIERS or name in _SPELLINGS:
        return _SPELLINGS.get(name, name)
    if any(key.value == name for key in Keys):
        return name
    sign = key_to_character(_LONG_NAMES.get(name, name))
    return sign if sign is not None and sign.isprintable() else name


def _capital(name: str) -> str:
    return _CAPITALS.get(name, name if len(name) == 1 and not name.isalpha() else name.capitalize())
