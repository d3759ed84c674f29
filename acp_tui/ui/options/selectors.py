"""The selector bar: every config option in the agent's order with its value; usage at the right.

The keys that change them stand in the footer, where neither a longer value nor a usage figure moves them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from acp_tui.session.state import Session
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.render.text import painted
from acp_tui.views.limits import usage_notes
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
    class Chosen(Message):
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
            self.post_message(self.Chosen(option_id))

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
