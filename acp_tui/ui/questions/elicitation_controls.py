"""The controls of a form, by keys and mouse: each fills in a field, and says what is entered now.

Keys that lead elsewhere are told to whom it concerns: `Done` (Enter), `Left` (up or down at the edge).
"""

from dataclasses import dataclass, replace

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option

from acp_tui.session.form_fields import Entered, Field, FieldChoice
from acp_tui.ui.kit.line_editor import SafeTextArea
from acp_tui.ui.kit.picker import AnswerOptions
from acp_tui.ui.kit.theme import ACCENT, MUTED
from acp_tui.ui.prompt.draft import clean_paste
from acp_tui.ui.questions.question import CANCEL, DECLINE, DIGITS
from acp_tui.ui.render.text import sanitise_line

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


_YES, _NO = "yes", "no"
SHOWN_AT_MOST = 5_000  # choices; of more the last are counted
TITLE_AT_MOST = 34  # cells of a title before descriptions begin in a column


class ChoiceControl(OptionList):
    """Space or a click chooses; of one choice Enter chooses and is done, of several it is only done."""

    def __init__(self, field: Field, entered: Entered) -> None:
        self._field = field
        self._several = field.kind == "choices"
        self._shown = field.choices[:SHOWN_AT_MOST]
        self._titles = [sanitise_line(choice.title, 80) or "(empty)" for choice in self._shown]
        given = entered if isinstance(entered, tuple) else () if not isinstance(entered, str) else (entered,)
        self._chosen = set(given)
        self._at: int | None = None
        self._width = min(TITLE_AT_MOST, max(map(cell_len, self._titles), default=0))
        rows = [Option(self._line(index)) for index in range(len(self._shown))]
        hidden = len(field.choices) - len(self._shown)
        more = [Option(Content.styled(f"… {hidden:,} more not shown", MUTED), disabled=True)] if hidden else []
        super().__init__(*rows, *more, markup=False, compact=True)  # those that come later do not make it higher
        # Nothing is highlighted before the keys go here, but what is chosen where that is one thing.
        self.set_reactive(OptionList.highlighted, self._first_chosen() if self._radio else None)

    @property
    def _radio(self) -> bool:
        return False

    def _first_chosen(self) -> int | None:
        return next((index for index, choice in enumerate(self._shown) if choice.value in self._chosen), None)

    def on_focus(self) -> None:
        if self._shown and not self._radio:
            self.highlighted = self._at if self._at is not None else self._first_chosen() or 0

    def on_blur(self) -> None:
        if not self._radio:
            self._at, self.highlighted = self.highlighted, None

    def entered(self) -> Entered:
        values = tuple(choice.value for choice in self._field.choices if choice.value in self._chosen)
        if self._several:
            return values
        return values[0] if values else None

    def _line(self, index: int) -> Content:
        choice: FieldChoice = self._shown[index]
        sign, tone = self._sign(index, choice.value in self._chosen)
        title = self._titles[index]
        described = sanitise_line(choice.description, 200)
        gap = " " * (max(0, self._width - cell_len(title)) + 2) if described else ""
        return Content.assemble((f"{sign} ", tone), title, gap, (described, MUTED))

    def _sign(self, _index: int, chosen: bool) -> tuple[str, str]:
        sign = ("☑" if chosen else "☐") if self._several else ("●" if chosen else "○")
        return sign, ACCENT if chosen else MUTED

    def _toggle(self, index: int | None, *, only_on: bool = False) -> None:
        if index is None or index >= len(self._shown):
            return
        value = self._shown[index].value
        before = set(self._chosen)
        if value in self._chosen and not only_on and (self._several or not self._field.required):
            self._chosen.discard(value)
        elif self._several:
            self._chosen.add(value)
        else:
            self._chosen = {value}
        for number, choice in enumerate(self._shown):
            if (choice.value in before) is not (choice.value in self._chosen):
                self.replace_option_prompt_at_index(number, self._line(number))
        if before != self._chosen:
            self.post_message(Changed(self.entered()))

    async def _on_key(self, event: events.Key) -> None:
        last = len(self._shown) - 1
        if event.key == "enter":
            if not self._several:
                self._toggle(self.highlighted, only_on=True)
            self.post_message(Done())
        elif event.key == "space":
            self._toggle(self.highlighted)
        elif (event.key == "up" and not self.highlighted) or (event.key == "down" and self.highlighted in (last, None)):
            self.post_message(Left(-1 if event.key == "up" else 1))
        elif event.is_printable and event.character:
            self._jump(event.character.lower())
        else:
            return
        event.stop().prevent_default()

    def _jump(self, letter: str) -> None:
        start = (self.highlighted or 0) + 1
        order = [*range(start, len(self._titles)), *range(min(start, len(self._titles)))]
        found = next((index for index in order if self._titles[index].lower().startswith(letter)), None)
        if found is not None:
            self.highlighted = found

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._toggle(event.option_index)


class LeadChoice(AnswerOptions, ChoiceControl):
    """The one choice of a question, answered like a permission: a digit chooses and, where one is enough, sends.

    Of one choice what is highlighted is chosen, which Enter sends; at first that is what the agent suggests, else
    nothing. A yes or no is a choice of two. `Sent` says that the question is answered.
    """

    class Sent(Message):
        """This is the answer."""

    def __init__(self, field: Field, entered: Entered) -> None:
        self._boolean = field.kind == "boolean"
        self._before_mark: tuple[int | None, set[str]] | None = None
        if self._boolean:
            field = replace(field, kind="choice", choices=(FieldChoice(_YES, "Yes"), FieldChoice(_NO, "No")))
            entered = None if entered is None else _YES if entered else _NO
        super().__init__(field, entered)

    def entered(self) -> Entered:
        entered = super().entered()
        return entered == _YES if self._boolean and entered is not None else entered

    @property
    def _radio(self) -> bool:
        return not self._several

    def _sign(self, _index: int, chosen: bool) -> tuple[str, str]:
        digit = str(_index + 1) if _index < DIGITS else " "
        if self._several:
            return f"{super()._sign(_index, chosen)[0]} {digit}", ACCENT if chosen else MUTED
        return f"{'❯' if chosen else ' '} {digit}", "$warning" if chosen else MUTED

    def watch_highlighted(self, highlighted: int | None) -> None:
        """What is highlighted is chosen, but for what Textual highlights while the list is made."""
        super().watch_highlighted(highlighted)
        if self._radio and self.is_mounted:
            self._toggle(highlighted, only_on=True)

    async def _on_key(self, event: events.Key) -> None:
        if event.key in (DECLINE.key, CANCEL.key):
            event.prevent_default()  # a title that begins with the letter does not take the button's key
            return
        if event.key not in ("enter", "up", "down", "space") and not event.is_printable:
            return
        if self._takes(event):
            event.stop().prevent_default()

    @property
    def digits(self) -> str:
        return "123456789"[: len(self._shown)]

    @property
    def leading(self) -> str:
        """The keys that only lead to a choice, or choose one of several; letters where there are more than digits."""
        initials = "".join(title[:1].lower() for title in self._titles) if len(self._shown) > DIGITS else ""
        return f" {self.digits}{initials}"

    @property
    def answers_at_once(self) -> bool:
        return not self._several

    def _takes(self, event: events.Key) -> bool:
        if event.character is not None and event.character in self.digits:
            self.mark(None)
            self._choose(int(event.character) - 1)
        elif event.key == "enter":
            if self._several or self.highlighted is not None:
                self.post_message(self.Sent())
        else:
            return self._radio and event.key == "space"
        return True

    def move(self, step: int) -> bool:
        """Highlight the next choice; whether it is another one."""
        before, last = self.highlighted, len(self._shown) - 1
        at = (-1 if step > 0 else last + 1) if before is None else before
        self.highlighted = max(0, min(last, at + step))
        return self.highlighted != before

    def mark(self, character: str | None) -> None:
        """Highlight what a digit would answer, or again what was highlighted before."""
        if character is not None and self._before_mark is None and self._radio:
            self._before_mark = self.highlighted, set(self._chosen)
            self.highlighted = int(character) - 1
        elif character is None and self._before_mark is not None:
            (highlighted, chosen), self._before_mark = self._before_mark, None
            self.highlighted = highlighted
            if chosen != self._chosen:
                self._chosen = chosen
                for number in range(len(self._shown)):
                    self.replace_option_prompt_at_index(number, self._line(number))
                self.post_message(Changed(self.entered()))

    def _choose(self, index: int) -> None:
        self.highlighted = index
        if self._several:
            self._toggle(index)
        else:
            self.post_message(self.Sent())

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop().prevent_default()
        self._choose(event.option_index)
