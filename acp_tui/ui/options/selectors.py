"""The selector bar: every config option in the agent's order with its value; usage at the right.

The keys that change them stand in the footer, where neither a longer value nor a usage figure moves them.
"""

from dataclasses import dataclass
from typing import Protocol

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.session.state import Session
from acp_tui.session.text.words import option_name
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import BY_CATEGORY
from acp_tui.ui.kit.theme import ACCENT, KEY, MUTED
from acp_tui.ui.options.choices import first_of, value_name
from acp_tui.ui.options.usage import usage_note
from acp_tui.ui.render.text import cut, sanitise_line

LEAST, SHORT = 24, "Save default?"  # cells of the question, and what is asked where there are fewer


class OfferLine(Static):
    """One row above the status line."""

    DEFAULT_CSS = "OfferLine { display: none; height: 1; padding: 0 3; margin: 1 0 0 0; }"

    def __init__(self) -> None:
        super().__init__(id="offer")
        self._words = ""

    def show(self, words: str) -> None:
        self._words = words
        self.display = bool(words)
        self._paint()

    def on_resize(self) -> None:
        self._paint()

    def _paint(self) -> None:
        keys = ((first_way("keep_choices"), " yes · "), (first_way("decline_choices"), " no"))
        hint = Content.assemble(*(part for key, word in keys for part in ((key, KEY), (word, MUTED))))
        room = max(8, self.size.width - hint.cell_length - 2)
        words = Content(cut(self._words if room >= LEAST else SHORT, room))
        gap = " " * max(1, self.size.width - words.cell_length - hint.cell_length)
        self.update(Content.assemble(words, gap, hint))


GAP = 3
OPTION = "option"  # what the cells of one carry
FIXED = " (fixed)"  # after the value of an option that the agent cannot change


class Label(Frozen):
    """One option on the bar: its name and its value."""

    option_id: str
    name: str
    value: str
    in_flight: bool = False
    fixed: bool = False

    def words(self) -> Content:
        style = f"{MUTED} italic" if self.in_flight else MUTED if self.fixed else "$foreground"
        value = self.value + ("…" if self.in_flight else FIXED if self.fixed else "")
        return Content.assemble((self.name, MUTED), (f" {value}", style))


class Placed(Frozen):
    """What is shown: the labels, and how many more there are."""

    labels: tuple[Label, ...]
    hidden: int


def place(labels: list[Label], width: int) -> Placed:
    """Show as much as fits in `width` cells: all, else the first of them."""
    widths = [label.words().cell_length for label in labels]
    if sum(widths) + GAP * max(0, len(labels) - 1) <= width:
        return Placed(tuple(labels), 0)
    shown, taken = min(1, len(labels) - 1), -GAP
    for count, label_width in enumerate(widths[:-1], 1):
        taken += GAP + label_width
        if taken + GAP + len(f"+{len(labels) - count}") > width:
            break
        shown = count
    return Placed(tuple(labels[:shown]), len(labels) - shown)


def labels_of(session: Session) -> list[Label]:
    """What the bar says, in the agent's order."""
    labels: list[Label] = []
    for option in session.config_options:
        wanted = session.config_in_flight.get(option.id)
        labels.append(
            Label(
                option.id,
                sanitise_line(option_name(option), 24),
                value_name(option, wanted),
                in_flight=wanted is not None,
                fixed=option.id in session.config_fixed,
            )
        )
    return labels


def changeable(session: Session) -> dict[str, str]:
    """The categories of which the key changes an option, each with the name of that option."""
    found = {category: first_of(session.config_options, category) for category in BY_CATEGORY}
    return {
        category: option.name for category, option in found.items() if option and option.id not in session.config_fixed
    }


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
        labels = labels_of(self._session)
        mode = Content.styled(word + " " * GAP, f"{MUTED} bold") if (word := self._prompt.mode) else Content("")
        width -= mode.cell_length
        for short in (False, True):
            usage = usage_note(self._session.usage, short) if self.tells_usage else Content("")
            placed = place(labels, width - usage.cell_length - GAP)
            if not placed.hidden:
                break
        shown = [(label.option_id, label.words()) for label in placed.labels]
        if placed.hidden:
            shown.append(("", Content.styled(f"+{placed.hidden}", ACCENT)))
        more = GAP + len(f"+{placed.hidden}") if placed.hidden else 0
        room = max(4, width - usage.cell_length - GAP - more)
        parts = [part.truncate(room, ellipsis=True).stylize(Style.from_meta({OPTION: each})) for each, part in shown]
        line = Content(" " * GAP).join(parts)
        gap = max(1, width - line.cell_length - usage.cell_length)
        return Content.assemble(mode, line, " " * gap, usage)
