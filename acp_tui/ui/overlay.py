"""What every panel over the screen has in common; must not know what it shows."""

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Overlay(ModalScreen[ScreenResultType]):
    """A screen over another one, which leaves once, however many keys were pressed before it had."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Leave; once it has left, Textual would take away the screen below."""
        return super().dismiss(result) if self.is_active else AwaitComplete()
