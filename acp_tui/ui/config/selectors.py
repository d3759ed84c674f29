"""The selector bar: every config option in the agent's order with its value and its key; usage at the right."""

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from acp_tui.session.state import Session
from acp_tui.session.words import option_name
from acp_tui.ui.commands.registry import BY_CATEGORY
from acp_tui.ui.config.choices import first_of, value_name
from acp_tui.ui.config.layout import GAP, Label, place
from acp_tui.ui.config.usage import fullness, usage_text
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.tones import ACCENT, FAINT, MUTED


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
        """The person clicked an option, or (with an empty id) the count of those that do not fit."""

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
        """The options or the usage changed."""
        self.update(self._line(self.size.width), layout=False)

    def on_resize(self) -> None:
        """Another width shows more or less."""
        self.look()

    def on_click(self, event: events.Click) -> None:
        """Tell which option is under the pointer."""
        x = event.x - self.gutter.left
        for start, end, option_id in self._places:
            if start <= x < end:
                self.post_message(self.Chosen(option_id))

    def _line(self, width: int) -> Content:
        labels = labels_of(self._session)
        usage = sanitise_line(usage_text(self._session.usage), 40)
        placed = place(labels, width - cell_len(usage) - GAP)
        if not placed.with_keys and self._session.usage is not None:
            usage = sanitise_line(usage_text(self._session.usage, short=True), 40)
            placed = place(labels, width - cell_len(usage) - GAP)
        self.post_message(self.Looked(placed.with_keys))
        more = GAP + len(f"+{placed.hidden}") if placed.hidden else 0
        room = width - cell_len(usage) - GAP - more
        line = self._options(list(placed.labels), placed.with_keys, placed.hidden, room)
        gap = max(1, width - line.cell_length - cell_len(usage))
        return Content.assemble(line, " " * gap, (usage, fullness(self._session.usage).tone))

    def _options(self, labels: list[Label], with_keys: bool, hidden: int, width: int) -> Content:
        self._places = []
        line = Content("")
        for label in labels:
            if self._places:
                line += Content(" " * GAP)
            start = line.cell_length
            line += _label(label, with_keys, max(4, width - start))
            self._places.append((start, line.cell_length, label.option_id))
        if hidden:
            start = line.cell_length + GAP
            line = Content.assemble(line, " " * GAP, (f"+{hidden}", ACCENT))
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
