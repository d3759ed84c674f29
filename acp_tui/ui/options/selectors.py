"""The selector bar: every config option in the agent's order with its value and its key; usage at the right."""

from dataclasses import dataclass

from rich.cells import cell_len
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
from acp_tui.ui.kit.theme import ACCENT, FAINT, KEY, MUTED
from acp_tui.ui.options.choices import first_of, value_name
from acp_tui.ui.options.usage import fullness, usage_text
from acp_tui.ui.render.text import cut, sanitise_line


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
        keys = ((first_way("keep_choices"), " keep · "), (first_way("decline_choices"), " do not"))
        hint = Content.assemble(*(part for key, word in keys for part in ((key, KEY), (word, MUTED))))
        words = Content(cut(self._words, max(8, self.size.width - hint.cell_length - 2)))
        gap = " " * max(1, self.size.width - words.cell_length - hint.cell_length)
        self.update(Content.assemble(words, gap, hint))


GAP = 3
OPTION = "option"  # what the cells of one carry
FIXED = " (fixed)"  # after the value of an option that the agent cannot change


class Label(Frozen):
    """One option on the bar: its name, its value, and the key that changes it (empty where it has none)."""

    option_id: str
    name: str
    value: str
    key: str = ""
    in_flight: bool = False
    fixed: bool = False

    def words(self, with_key: bool) -> Content:
        style = f"{MUTED} italic" if self.in_flight else MUTED if self.fixed else "$foreground"
        value = self.value + ("…" if self.in_flight else FIXED if self.fixed else "")
        key = f" {self.key}" if with_key and self.key else ""
        return Content.assemble((self.name, MUTED), (f" {value}", style), (key, FAINT))


class Placed(Frozen):
    """What is shown: the labels, whether with keys, and how many more there are."""

    labels: tuple[Label, ...]
    with_keys: bool
    hidden: int


def place(labels: list[Label], width: int) -> Placed:
    """Show as much as fits in `width` cells: all with keys, else all without, else the first of them."""
    for with_keys in (True, False):
        widths = [label.words(with_keys).cell_length for label in labels]
        if sum(widths) + GAP * max(0, len(labels) - 1) <= width:
            return Placed(tuple(labels), with_keys, 0)
    shown, taken = min(1, len(labels) - 1), -GAP
    for count, label_width in enumerate(widths[:-1], 1):
        taken += GAP + label_width
        if taken + GAP + len(f"+{len(labels) - count}") > width:
            break
        shown = count
    return Placed(tuple(labels[:shown]), False, len(labels) - shown)


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
        for short in (False, True):
            usage = sanitise_line(usage_text(self._session.usage, short), 40)
            placed = place(labels, width - cell_len(usage) - GAP)
            if placed.with_keys:
                break
        self.post_message(self.Looked(placed.with_keys))
        shown = [(label.option_id, label.words(placed.with_keys)) for label in placed.labels]
        if placed.hidden:
            shown.append(("", Content.styled(f"+{placed.hidden}", ACCENT)))
        more = GAP + len(f"+{placed.hidden}") if placed.hidden else 0
        room = max(4, width - cell_len(usage) - GAP - more)
        parts = [part.truncate(room, ellipsis=True).stylize(Style.from_meta({OPTION: each})) for each, part in shown]
        line = Content(" " * GAP).join(parts)
        gap = max(1, width - line.cell_length - cell_len(usage))
        return Content.assemble(line, " " * gap, (usage, fullness(self._session.usage).tone))
