"""The selector bar: every config option in the agent's order with its value and its key; usage at the right."""

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from acp_tui.session.state import Session
from acp_tui.session.text.words import option_name
from acp_tui.ui.commands.registry import BY_CATEGORY
from acp_tui.ui.kit.tones import ACCENT, FAINT, MUTED
from acp_tui.ui.options.choices import first_of, value_name
from acp_tui.ui.options.usage import fullness, usage_text
from acp_tui.ui.render.text import cut, sanitise_line

GAP = 3
FIXED = " (fixed)"  # after the value of an option that the agent cannot change


@dataclass(frozen=True, slots=True)
class Label:
    """One option on the bar: its name, its value, and the key that changes it (empty where it has none)."""

    option_id: str
    name: str
    value: str
    key: str = ""
    in_flight: bool = False
    fixed: bool = False

    @property
    def shown(self) -> str:
        return self.value + ("…" if self.in_flight else FIXED if self.fixed else "")

    def width(self, with_key: bool) -> int:
        parts = [self.name, self.shown]
        if with_key and self.key:
            parts.append(self.key)
        return sum(map(cell_len, parts)) + len(parts) - 1


@dataclass(frozen=True, slots=True)
class Placed:
    """What is shown: the labels, whether with keys, and how many more there are."""

    labels: tuple[Label, ...]
    with_keys: bool
    hidden: int


def place(labels: list[Label], width: int) -> Placed:
    """Show as much as fits in `width` cells: all with keys, else all without, else the first of them."""
    for with_keys in (True, False):
        if _total(labels, with_keys) <= width:
            return Placed(tuple(labels), with_keys, 0)
    shown, taken = min(1, len(labels) - 1), -GAP
    for count, label in enumerate(labels[:-1], 1):
        taken += GAP + label.width(False)
        if taken + GAP + len(f"+{len(labels) - count}") > width:
            break
        shown = count
    return Placed(tuple(labels[:shown]), False, len(labels) - shown)


def _total(labels: list[Label], with_keys: bool) -> int:
    return sum(label.width(with_keys) for label in labels) + GAP * max(0, len(labels) - 1)


def labels_of(session: Session) -> list[Label]:
    """What the bar says, in the agent's order; the first option of each category carries the key."""
    labels: list[Label] = []
    keyed = {category: first_of(session.config_options, category) for category in BY_CATEGORY}
    for option in session.config_options:
        command = next((each for category, each in BY_CATEGORY.items() if keyed.get(category) is option), None)
        wanted = session.config_in_flight.get(option.id)
        fixed = option.id in session.config_fixed
        labels.append(
            Label(
                option.id,
                sanitise_line(option_name(option), 24),
                value_name(option, wanted),
                command.keys[0] if command is not None and command.keys and not fixed else "",
                in_flight=wanted is not None,
                fixed=fixed,
            )
        )
    return labels


class SelectorBar(Static):
    """One row; a click on an option changes it."""

    @dataclass
    class Chosen(Message):
        """The user clicked an option, or (with an empty id) the count of those that do not fit."""

        option_id: str

    @dataclass
    class Looked(Message):
        """The bar was laid out anew, with or without room for keys."""

        with_keys: bool

    def __init__(self, session: Session) -> None:
        super().__init__(id="selectors")
        self._session = session
        self._places: list[tuple[int, int, str]] = []

    def look(self) -> None:
        self.update(self._line(self.size.width), layout=False)

    def on_resize(self) -> None:
        self.look()

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for start, end, option_id in self._places:
            if start <= x < end:
                self.post_message(self.Chosen(option_id))

    def _line(self, width: int) -> Content:
        labels = labels_of(self._session)
        for short in (False, True):
            usage = sanitise_line(usage_text(self._session.usage, short), 40)
            placed = place(labels, width - cell_len(usage) - GAP)
            if placed.with_keys:
                break
        self.post_message(self.Looked(placed.with_keys))
        more = GAP + len(f"+{placed.hidden}") if placed.hidden else 0
        room = width - cell_len(usage) - GAP - more
        line = self._options(placed, room)
        gap = max(1, width - line.cell_length - cell_len(usage))
        return Content.assemble(line, " " * gap, (usage, fullness(self._session.usage).tone))

    def _options(self, placed: Placed, width: int) -> Content:
        self._places = []
        line = Content("")
        for label in placed.labels:
            if self._places:
                line += Content(" " * GAP)
            start = line.cell_length
            line += _label(label, placed.with_keys, max(4, width - start))
            self._places.append((start, line.cell_length, label.option_id))
        if placed.hidden:
            start = line.cell_length + GAP
            line = Content.assemble(line, " " * GAP, (f"+{placed.hidden}", ACCENT))
            self._places.append((start, line.cell_length, ""))
        return line


def _label(label: Label, with_key: bool, width: int) -> Content:
    name = cut(label.name, max(1, width - 2))
    value = cut(label.shown, max(1, width - cell_len(name) - 1))
    style = f"{MUTED} italic" if label.in_flight else MUTED if label.fixed else "$foreground"
    parts: list[tuple[str, str]] = [(name, MUTED), (" " + value, style)]
    if with_key and label.key:
        parts.append((" " + label.key, FAINT))
    return Content.assemble(*parts)
