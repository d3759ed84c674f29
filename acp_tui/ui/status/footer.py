"""The last line: a few keys, generated from the commands."""

from collections.abc import Mapping

from textual import events
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.ui.commands.keys import spell
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.kit.theme import KEY, MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.command_index import Command

GAP, APART = 2, 3  # cells between two hints, and before and after those that change options
Hint = tuple[str, str, Command]


NAMED = ("model_config",)  # categories whose word is the option's own name: it may be anything of the model's
NAME_CELLS = 14  # of such a name
NONE: Mapping[str, str] = {}


def footer_hints(categories: Mapping[str, str] = NONE) -> list[Hint]:
    """Key, word and command, the most needed first; of those that change options only the `categories`.

    Each of these comes with the name of the option that its key changes.
    """
    return [
        (spell(command.keys[0]), _word(command, categories), command)
        for command in sorted(COMMANDS, key=lambda command: command.footer_rank)
        if command.footer and command.keys and (not command.category or command.category in categories)
    ]


def _word(command: Command, categories: Mapping[str, str]) -> str:
    if command.category not in NAMED:
        return command.footer
    name = cut(sanitise_line(categories[command.category]), NAME_CELLS)
    return (name[:1].lower() + name[1:] if name[1:2].islower() else name) or command.footer


class KeyFooter(Static):
    """One row of keys; a click runs the command. Only its width and what the agent offers decide what is in it."""

    class Clicked(Message):
        """The user clicked a command."""

        def __init__(self, command: Command) -> None:
            super().__init__()
            self.command = command

    def __init__(self) -> None:
        super().__init__(id="footer")
        self._categories: Mapping[str, str] = NONE
        self._told = Content("")  # for a moment in the place of the keys
        self._timer: Timer | None = None
        self._places: list[tuple[int, int, Command]] = []

    def look(self) -> None:
        self.update(self._row(self.size.width))

    def show_categories(self, categories: Mapping[str, str]) -> None:
        if categories != self._categories:
            self._categories = categories
            self.look()

    def tell(self, key: str, words: str, seconds: float) -> None:
        """Say for so long what one key does now, in the place of all others: `esc again to clear the prompt`."""
        self.settle()
        self._told = Content.assemble((key, KEY), (" " + words, MUTED))
        self._timer = self.set_timer(seconds, self.settle)
        self.look()

    def settle(self) -> None:
        """What was told does not count any more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer, self._told = None, Content("")
            self.look()

    def on_resize(self) -> None:
        self.look()

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for start, end, command in self._places:
            if start <= x < end:
                self.post_message(self.Clicked(command))

    def _row(self, width: int) -> Content:
        self._places = []
        if self._told:
            return self._told.truncate(width, ellipsis=True)
        line = Content("")
        for key, word, command in footer_hints(self._categories):
            gap = ""
            if self._places:
                gap = " " * (GAP if bool(self._places[-1][2].category) == bool(command.category) else APART)
            longer = Content.assemble(line, gap, (key, KEY), (" " + word, MUTED))
            if longer.cell_length <= width:
                self._places.append((line.cell_length + len(gap), longer.cell_length, command))
                line = longer
        return line
