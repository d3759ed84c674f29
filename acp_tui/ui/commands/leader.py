"""The leader and the key after it, on one screen.

The prompt asks here in the order of what is typed, and the app where something else has the focus, so that the second
key is never an answer there, whatever took the focus in between.
"""

from collections.abc import Callable
from typing import Protocol

from acp_tui.ui.commands.command import LEADER
from acp_tui.ui.commands.keys import spell
from acp_tui.ui.commands.registry import BY_ID, after_leader

_PAGES = {"pageup": -1, "pagedown": 1}
_WAYS_OUT = ("cancel", "interrupt")  # their keys end it without a word


class SecondKeys(Protocol):
    """A menu of second keys."""

    def look(self) -> None:
        """Another key is waited for, or none any more."""

    def turn(self, pages: int) -> None: ...


class LeaderKeys:
    """Runs commands by their second key, of which there may be `menus`."""

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
