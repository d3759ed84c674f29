"""All commands, in the order of the help; found by id, key or category, and by the key after the leader."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Protocol

from textual.actions import parse
from textual.binding import Binding

from acp_tui.ui.commands.conversation_commands import CONVERSATION_COMMANDS
from acp_tui.ui.commands.program_commands import PROGRAM_COMMANDS
from acp_tui.ui.kit.key_names import spell
from acp_tui.views.command_index import LEADER, Command, Scope

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
