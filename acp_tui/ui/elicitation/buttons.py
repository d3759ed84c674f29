"""A row of acts below a question, by keys and mouse; must not know what they do."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from acp_tui.ui.commands.keys import spell
from acp_tui.ui.elicitation.question import Act, Button
from acp_tui.ui.tones import FAINT


class ActButton(Static, can_focus=True):
    """One act; Enter, Space or a click does it."""

    DEFAULT_CSS = """
    ActButton { width: auto; height: 1; padding: 0 1; margin: 0 1 0 0; background: $panel; }
    ActButton:focus { background: $primary 45%; text-style: bold; }
    """

    @dataclass
    class Pressed(Message):
        """The person wants it done."""

        act: Act

    def __init__(self, button: Button) -> None:
        super().__init__(Content.assemble(button.label, (f" {spell(button.key)}", FAINT)))
        self.button = button

    def on_key(self, event: events.Key) -> None:
        """Do it."""
        if event.key in ("enter", "space"):
            event.stop().prevent_default()
            self.post_message(self.Pressed(self.button.act))

    def on_click(self, event: events.Click) -> None:
        """Do it."""
        event.stop()
        self.post_message(self.Pressed(self.button.act))


class ButtonRow(Horizontal):
    """All acts that there are now."""

    DEFAULT_CSS = """
    ButtonRow { height: 1; padding: 0 1 0 2; }
    """

    def __init__(self, buttons: Sequence[Button]) -> None:
        super().__init__()
        self.buttons = [ActButton(button) for button in buttons]

    def compose(self) -> ComposeResult:
        """One after another."""
        yield from self.buttons

    def act_for(self, key: str) -> Act | None:
        """The act that a key does."""
        return next((each.button.act for each in self.buttons if each.button.key == key), None)
