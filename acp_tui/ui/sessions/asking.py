"""Asking before something is given up: by its key it wants a second press in a row, else the answer to a question."""

import time
from collections.abc import Callable

from acp_tui.ui.answers.asking_screens import Choice
from acp_tui.ui.commands.keys import spell_out
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.key_guards import DoublePress
from acp_tui.ui.kit.picker import PickerRow
from acp_tui.ui.kit.session_view import SessionView


class AskFirst:
    """For the commands with these ids, which have the same keys for one thing.

    A command that was found in the palette, clicked or typed as a slash command has no key that could be pressed
    again.
    """

    def __init__(self, view: SessionView, *command_ids: str) -> None:
        self._view, self._ids = view, command_ids
        self._presses = DoublePress(view.strokes)

    def before(self, act: Callable[[], object], told: str, what: str) -> None:
        """Call `act` once the user has agreed to `what` (`close the session`); without `told`, at once.

        `told` says what would be given up: `The agent is still working.`
        """
        ways = [way for id_ in self._ids for way in BY_ID[id_].ways]
        pressed = self._view.strokes.which(ways)
        if not told or (pressed and self._presses.again(time.monotonic(), ways)):
            act()
        elif pressed:
            self._view.say(f"{told} Press {spell_out(pressed)} again to {what}.")
        else:

            def answered(agreed: bool | None) -> None:
                if agreed:
                    act()

            rows = [PickerRow(False, "Go back"), PickerRow(True, f"{what[:1].upper()}{what[1:]}")]
            choice = Choice(told.removesuffix("."), rows)
            choice.rule.by_key = True
            self._view.open(choice, answered)
