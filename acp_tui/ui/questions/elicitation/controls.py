"""The widgets of a form, by keys and mouse: each that fills in a field says what is entered now; buttons act.

Keys that lead elsewhere are told to whom it concerns: `Done` (Enter), `Left` (up or down at the edge).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text
from textual import events
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static, TextArea

from acp_tui.session.form_fields import Entered
from acp_tui.ui.kit.fields import SafeTextArea
from acp_tui.ui.kit.key_names import spell
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.prompt.draft import clean_paste
from acp_tui.ui.questions.elicitation.question import Act, Button

DOT = "•"
LONGEST_PASTE = 20_000  # characters; a text area slows down beyond


@dataclass
class Changed(Message):
    """Something else is entered now."""

    entered: Entered


class Done(Message):
    """The user is done with this field."""


@dataclass
class Left(Message):
    """The user goes up (-1) or down (1) from here."""

    step: int


class TextControl(SafeTextArea):
    """Text: Enter is done, Ctrl+J begins a line unless it is a number. `masked`: a key of many lines is text, too."""

    def __init__(self, text: str, *, masked: bool = False, one_line: bool = False) -> None:
        super().__init__(text, soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True)
        self._masked, self._one_line = masked, one_line
        self.keeps_kills = not masked
        self.cursor_blink = False
        self.highlight_cursor_line = False
        self.match_cursor_bracket = False

    def on_mount(self) -> None:
        self.move_cursor(self.document.end)

    def entered(self) -> Entered:
        return self.text

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn, with a dot for each character where nobody beside should read it."""
        line = super().get_line(line_index)
        if self._masked:
            line.plain = DOT * len(line.plain)
        return line

    async def _on_key(self, event: events.Key) -> None:
        row = self.wrapped_document.location_to_offset(self.cursor_location).y
        if event.key == "enter":
            self.post_message(Done())
        elif event.key in ("ctrl+j", "shift+enter", "alt+enter"):
            if not self._one_line:
                self.insert("\n")
        elif event.key == "up" and row == 0:
            self.post_message(Left(-1))
        elif event.key == "down" and row == self.wrapped_document.height - 1:
            self.post_message(Left(1))
        else:
            return
        event.stop().prevent_default()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop().prevent_default()
        text = clean_paste(event.text)
        if self._one_line:
            text = text.strip().replace("\n", " ")
        if len(text) > LONGEST_PASTE:
            self.app.notify(f"Too long to paste here: {len(text):,} characters", severity="warning", markup=False)
            return
        if result := self._replace_via_keyboard(text, *self.selection):
            self.move_cursor(result.end_location)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(Changed(self.text))


class SwitchControl(Static, can_focus=True):
    """Yes, no, or (where nothing need be said) neither."""

    _PLACES = (("yes", True, 0), ("no", False, 8))

    def __init__(self, value: bool | None, *, required: bool) -> None:
        super().__init__()
        self._value, self._required = value, required

    def on_mount(self) -> None:
        self._show()

    def entered(self) -> Entered:
        return self._value

    def _show(self) -> None:
        marks = ["●" if self._value is value else "○" for _, value, _ in self._PLACES]
        note = "  no answer" if self._value is None else ""
        self.update(Content.assemble(f"{marks[0]} Yes   {marks[1]} No", (note, MUTED)))

    def _choose(self, value: bool | None) -> None:
        self._value = value
        self._show()
        self.post_message(Changed(value))

    def on_key(self, event: events.Key) -> None:
        choices = {"y": True, "n": False, "left": True, "right": False, "space": not self._value}
        if event.key in choices:
            self._choose(choices[event.key])
        elif event.key in ("backspace", "delete") and not self._required:
            self._choose(None)
        elif event.key == "enter":
            self.post_message(Done())
        elif event.key in ("up", "down"):
            self.post_message(Left(-1 if event.key == "up" else 1))
        else:
            return
        event.stop().prevent_default()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.focus()
        for _, value, start in self._PLACES:
            if start <= event.x - self.gutter.left < start + 6:
                self._choose(value)


class NoControl(Static):
    """A field that cannot be filled in."""

    def entered(self) -> Entered:
        return None


class ActButton(Static, can_focus=True):
    """One act; Enter, Space or a click does it."""

    DEFAULT_CSS = """
    ActButton { width: auto; height: 1; padding: 0 1; margin: 0 1 0 0; background: $panel; }
    ActButton:focus { background: $primary 16%; text-style: bold; }
    ActButton:ansi:focus { background: ansi_default; text-style: bold underline; }
    """

    @dataclass
    class Pressed(Message):
        """The user wants it done."""

        act: Act
        by_key: bool = True

    def __init__(self, button: Button) -> None:
        super().__init__(Content.assemble(button.label, (f" {spell(button.key)}", MUTED)))
        self.button = button

    def on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "space"):
            event.stop().prevent_default()
            self.post_message(self.Pressed(self.button.act))

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Pressed(self.button.act, by_key=False))


class ButtonRow(Horizontal):
    """All acts that there are now."""

    DEFAULT_CSS = "ButtonRow { height: 1; padding: 0 1 0 2; }"

    def __init__(self, buttons: Sequence[Button]) -> None:
        self.buttons = [ActButton(button) for button in buttons]
        super().__init__(*self.buttons)

    def act_for(self, key: str) -> Act | None:
        return next((each.button.act for each in self.buttons if each.button.key == key), None)
