"""The options of a permission request, one line each: number, letter, name; must not know who asked."""

from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from acp_tui.protocol.permissions import PermissionOption
from acp_tui.ui.permission.keys import letter_for
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.tones import MUTED

NAME_LIMIT = 300


class OptionRow(Horizontal):
    """One option; a click answers with it."""

    DEFAULT_CSS = """
    OptionRow { height: auto; padding: 0 1; }
    OptionRow > .option-lead { width: 7; }
    OptionRow > .option-name { width: 1fr; height: auto; }
    OptionRow.-highlighted { background: $warning 22%; text-style: bold; }
    /* The terminal's own colours do not blend: on a full ground the sign and the key would not be seen. */
    OptionRow:ansi.-highlighted { background: ansi_default; text-style: bold; }
    """

    class Clicked(Message):
        """The person clicked on the option with this index."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, index: int, options: Sequence[PermissionOption]) -> None:
        self._lead = Static(classes="option-lead")
        super().__init__(self._lead, Static(option_name(options[index]), classes="option-name"))
        self._index, self._options = index, options

    def show(self, *, highlighted: bool) -> None:
        """Draw the option; the highlight is a sign as well as a colour."""
        self.set_class(highlighted, "-highlighted")
        digit = str(self._index + 1) if self._index < 9 else " "
        mark, letter = "❯" if highlighted else " ", letter_for(self._index, self._options)
        self._lead.update(Content.assemble((f"{mark} ", "$warning"), (f"{digit} ", MUTED), (letter, "$warning")))

    def on_click(self, event: events.Click) -> None:
        """Answer with this option."""
        event.stop()
        self.post_message(self.Clicked(self._index))


def option_name(option: PermissionOption) -> Content:
    """The agent's name for an option, and the kind in words where the name does not say it."""
    name = sanitise_line(option.name, NAME_LIMIT) or sanitise_line(option.option_id, NAME_LIMIT)
    kind = sanitise_line(option.kind.replace("_", " "), 40)
    said = kind.lower() in name.lower() or (kind == "reject once" and "reject" in name.lower())
    return Content.assemble(name, ("" if said else f"  {kind}", MUTED))


class AnswerList(VerticalScroll, can_focus=False):
    """All options in the agent's order, and which one Enter answers with."""

    DEFAULT_CSS = """
    AnswerList {
        height: auto;
        scrollbar-size-vertical: 1;
        scrollbar-background: $surface;
    }
    """

    def __init__(self, options: Sequence[PermissionOption], highlighted: int) -> None:
        super().__init__()
        self._options = options
        self._rows = [OptionRow(index, options) for index in range(len(options))]
        self.highlighted = highlighted

    def compose(self) -> ComposeResult:
        """One row each."""
        yield from self._rows

    def on_mount(self) -> None:
        """Draw all."""
        self.highlight(self.highlighted)

    def highlight(self, index: int) -> None:
        """Move the highlight, within bounds."""
        if not self._rows:
            return
        self.highlighted = max(0, min(index, len(self._rows) - 1))
        for number, row in enumerate(self._rows):
            row.show(highlighted=number == self.highlighted)
        self.scroll_to_widget(self._rows[self.highlighted], animate=False)

    def rows_at(self, width: int) -> int:
        """About how many rows the options take at a width."""
        room = max(1, width - 10)
        return sum(-(-option_name(option).cell_length // room) for option in self._options)
