"""The leader and the key after it, on one screen.

The prompt asks here in the order of what is typed, and the app where something else has the focus, so that the second
key is never an answer there, whatever took the focus in between.
"""

from collections.abc import Callable

from acp_tui.ui.commands.keys import spell
from acp_tui.ui.commands.registry import BY_ID, after_leader
from acp_tui.views.command import LEADER

_PAGES = {"pageup": -1, "pagedown": 1}
_WAYS_OUT = ("cancel", "interrupt")  # their keys end it without a word


class LeaderKeys:
    """Runs commands by their second key. A menu of them `look`s whenever that begins or ends, and may be scrolled."""

    def __init__(self, run: Callable[[str], object], say: Callable[[str], object]) -> None:
        self._run, self._say = run, say
        self.waiting = False
        self.look: Callable[[], object] = lambda: None
        self.scroll: Callable[[int], object] = lambda _pages: None

    def takes(self, key: str) -> bool:
        """Whether this key is the leader or comes after it, and is nobody else's then."""
        if not self.waiting:
            self._wait(key == LEADER.key)
            return self.waiting
        command = after_leader(key)
        if command is None and key in _PAGES:
            self.scroll(_PAGES[key])
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
