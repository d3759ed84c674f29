"""Modal screens: the base of all of them, and one that asks for a line of text."""

from collections.abc import Awaitable, Callable

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen, ScreenResultType
from textual.widgets import Input, Static

from acp_tui.errors import Fault
from acp_tui.ui.kit.fields import SafeInput
from acp_tui.ui.kit.hints import CLOSE, key_hints
from acp_tui.ui.render.text import sanitise_line


class Overlay(ModalScreen[ScreenResultType]):
    """A screen over another one, which leaves once, however many keys were pressed before it had."""

    BINDINGS = [Binding("escape,ctrl+c,ctrl+q", "dismiss", show=False)]

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave; once it has left, Textual would take away the screen below."""
        return super().dismiss(result) if self.is_active else AwaitComplete()


class AskLine(Overlay[None]):
    """Asks until `act` takes what was written without a `Fault`, which is shown; Esc leaves."""

    DEFAULT_CSS = "AskLine .ask-fault { height: auto; margin: 0 0 0 1; color: $warning; }"

    def __init__(self, title: str, value: str, act: Callable[[str], Awaitable[None]]) -> None:
        super().__init__(classes="picker")
        self._title, self._value, self._act = title, value, act
        self._fault = Static(classes="ask-fault")

    def compose(self) -> ComposeResult:
        with Vertical(classes="picker-panel"):
            yield Static(Content.styled(self._title, "bold"), classes="picker-title")
            yield SafeInput(self._value, compact=True, select_on_focus=False)
            yield self._fault
            yield Static(key_hints((("enter", "do it"), CLOSE)), classes="picker-hints")

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if not event.value.strip():
            return
        try:
            await self._act(event.value.strip())
        except Fault as fault:
            self._fault.update(
                Content(sanitise_line(" · ".join(filter(None, (fault.title, fault.message, fault.hint)))))
            )
            return
        self.dismiss()
