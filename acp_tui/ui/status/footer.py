"""The last rows: the selector bar with every config option in the agent's order and usage at the right, and a few keys.

The keys that change options stand in the footer, where neither a longer value nor a usage figure moves them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.session.state import Session
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.kit.key_names import spell
from acp_tui.ui.kit.theme import ACCENT, KEY, MUTED
from acp_tui.ui.render.text import cut, painted, sanitise_line
from acp_tui.views.command_index import Command
from acp_tui.views.formatting import usage_notes
from acp_tui.views.options import OptionLabel, option_labels

WIDEST = 40  # cells of either part of the usage


GAP = 3
OPTION = "option"  # what the cells of one carry


def fitting(labels: Sequence[OptionLabel], width: int) -> int:
    """How many of the labels are shown in `width` cells: all, else the first of them and the count of the others."""
    widths = [painted(label.words()).cell_length for label in labels]
    if sum(widths) + GAP * max(0, len(labels) - 1) <= width:
        return len(labels)
    shown, taken = min(1, len(labels) - 1), -GAP
    for count, label_width in enumerate(widths[:-1], 1):
        taken += GAP + label_width
        if taken + GAP + len(f"+{len(labels) - count}") > width:
            break
        shown = count
    return shown


class Modal(Protocol):
    """What is edited in modes, as with vim's keys."""

    @property
    def mode(self) -> str: ...


class SelectorBar(Static):
    """One row; a click on an option changes it. It does not tell the usage where a status line of one's own does."""

    tells_usage = True

    @dataclass
    class OptionClicked(Message):
        """The user clicked an option, or (with an empty id) the count of those that do not fit."""

        option_id: str

    def __init__(self, session: Session, prompt: Modal) -> None:
        super().__init__(id="selectors")
        self._session, self._prompt = session, prompt

    def look(self) -> None:
        self.update(self._line(self.size.width), layout=False)

    def on_resize(self) -> None:
        self.look()

    def on_click(self, event: events.Click) -> None:
        option_id = event.style.meta.get(OPTION)
        if option_id is not None:
            self.post_message(self.OptionClicked(option_id))

    def _line(self, width: int) -> Content:
        labels = option_labels(self._session)
        notes = usage_notes(self._session.usage) if self.tells_usage else [[]]
        mode = Content.styled(word + " " * GAP, f"{MUTED} bold") if (word := self._prompt.mode) else Content("")
        width -= mode.cell_length
        for note in notes:
            usage = painted(note, WIDEST)
            hidden = len(labels) - fitting(labels, width - usage.cell_length - GAP)
            if not hidden:
                break
        shown = [(label.option_id, painted(label.words())) for label in labels[: len(labels) - hidden]]
        rest = f"+{hidden}" if hidden else ""
        room = max(4, width - usage.cell_length - GAP - (GAP + len(rest) if rest else 0))
        shown += [("", Content.styled(rest, ACCENT))] if rest else []
        parts = [part.truncate(room, ellipsis=True).stylize(Style.from_meta({OPTION: each})) for each, part in shown]
        line = Content(" " * GAP).join(parts)
        gap = max(1, width - line.cell_length - usage.cell_length)
        return Content.assemble(mode, line, " " * gap, usage)


HINT_GAP, APART = 2, 3  # cells between two hints, and before and after those that change options
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

    class HintClicked(Message):
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
                self.post_message(self.HintClicked(command))

    def _row(self, width: int) -> Content:
        self._places = []
        if self._told:
            return self._told.truncate(width, ellipsis=True)
        line = Content("")
        for key, word, command in footer_hints(self._categories):
            gap = ""
            if self._places:
                gap = " " * (HINT_GAP if bool(self._places[-1][2].category) == bool(command.category) else APART)
            longer = Content.assemble(line, gap, (key, KEY), (" " + word, MUTED))
            if longer.cell_length <= width:
                self._places.append((line.cell_length + len(gap), longer.cell_length, command))
                line = longer
        return line
