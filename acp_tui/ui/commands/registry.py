"""All commands, in the order of the help, found by id, key or category; and names of keys, read and spelt."""

import unicodedata
from collections.abc import Callable
from functools import cache, partial
from operator import attrgetter
from typing import Protocol

from textual.actions import parse
from textual.binding import Binding
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, key_to_character

from acp_tui.ui.commands.conversation_commands import CONVERSATION_COMMANDS
from acp_tui.ui.commands.program_commands import PROGRAM_COMMANDS
from acp_tui.views.command_index import LEADER, Command, Scope

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


COMMANDS: tuple[Command, ...] = (*CONVERSATION_COMMANDS, *PROGRAM_COMMANDS)
BY_ID = {command.id: command for command in COMMANDS}
WINNING = frozenset(name for each in COMMANDS for name in each.slash if each.claims(name))  # slash names
BY_CATEGORY = {command.category: command for command in COMMANDS if command.category}
_PAGES = {"pageup": -1, "pagedown": 1}
_WAYS_OUT = ("cancel", "interrupt")  # their keys end it without a word


def after_leader(key: str) -> Command | None:
    return next((command for command in COMMANDS if key in command.leaders), None)


def in_transcript(key: str) -> Command | None:
    return next((each for each in COMMANDS if each.scope == "transcript" and key in each.keys), None)


def bindings(scope: Scope) -> list[Binding]:
    """Textual's bindings for the commands of one scope, with the keys that they have now."""
    return [
        Binding(
            ",".join(each.keys),
            f"screen.command('{each.id}')",
            each.label,
            show=False,
            tooltip=each.tooltip,
            id=each.id,
        )
        for each in COMMANDS
        if each.scope == scope and each.keys
    ]


def action_of(command: Command, screen: object) -> partial[object]:
    """What a command does on the screen of a conversation: its method, with what its row gives that."""
    place, name, given = parse(command.do)
    path = f"{place}.{name}".removeprefix(".")
    root = "" if path.startswith(("screen.", "app.")) else "parts."
    return partial(attrgetter(root + path.removeprefix("screen."))(screen), *given)


class SecondKeys(Protocol):
    """A menu of second keys."""

    def look(self) -> None:
        """Another key is waited for, or none any more."""

    def turn(self, pages: int) -> None: ...


class LeaderKeys:
    """The leader and the key after it, on one screen: runs commands by their second key, of which there may be `menus`.

    The prompt asks here in the order of what is typed, and the app where something else has the focus, so that the
    second key is never an answer there, whatever took the focus in between.
    """

    def __init__(self, run: Callable[[str], object], say: Callable[[str], object]) -> None:
        self._run, self._say = run, say
        self.waiting = False
        self.menus: list[SecondKeys] = []

    def takes(self, key: str) -> bool:
        """Whether this key is the leader or comes after it, and is nobody else's then."""
        if not self.waiting:
            self._wait(key == LEADER.key)
            return self.waiting
        command = after_leader(key)
        if command is None and key in _PAGES:
            for menu in self.menus:
                menu.turn(_PAGES[key])
            return True
        self.stop()
        if command is not None:
            self._run(command.id)
        elif key != LEADER.key and not any(key in BY_ID[each].keys for each in _WAYS_OUT):
            self._say(f"{spell(f'{LEADER.key} {key}')} is not assigned")
        return True

    def stop(self) -> None:
        """Wait for no second key any more."""
        self._wait(False)

    def _wait(self, waiting: bool) -> None:
        if waiting is not self.waiting:
            self.waiting = waiting
            self.look()

    def look(self) -> None:
        for menu in self.menus:
            menu.look()
