"""The small editor in which a comment is written, below its line."""

from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import TextArea

from acp_tui.ui.kit.fields import SafeTextArea
from acp_tui.ui.kit.hints import HintLine
from acp_tui.ui.prompt.draft import clean_paste

MOST_ROWS = 8  # of text; more are scrolled
BESIDE = 1  # rows that are no text
NEW_LINE = ("ctrl+j", "shift+enter", "alt+enter")


class CommentArea(SafeTextArea):
    """Enter keeps what is written, Esc leaves it."""

    def __init__(self, text: str, left: Callable[..., object]) -> None:
        self._left = left
        super().__init__(
            text, soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True, placeholder="Comment"
        )
        self.cursor_blink = False
        self.highlight_cursor_line = False

    async def _on_key(self, event: events.Key) -> None:
        if event.key in ("enter", "escape"):
            event.stop().prevent_default()
            self._left(kept=event.key == "enter")
        elif event.key in NEW_LINE:
            event.stop().prevent_default()
            self.insert("\n")
        else:
            await super()._on_key(event)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop().prevent_default()
        if result := self._replace_via_keyboard(clean_paste(event.text), *self.selection):
            self.move_cursor(result.end_location)


class CommentBox(Vertical, can_focus=True):
    """The editor with its keys below it. It has the focus until its editor can have it, and hands keys on to that."""

    DEFAULT_CSS = """
    CommentBox {
        height: auto; position: absolute; background: $surface; border-left: outer $primary; padding: 0 0 0 1;
    }
    CommentBox > CommentArea { height: 1; background: $surface; border: none; padding: 0; }
    CommentBox > HintLine { height: 1; }
    """

    def __init__(self, text: str, resized: Callable[[], object], left: Callable[..., object]) -> None:
        """`resized`: it needs another number of rows. `left`: the comment is to be `kept`, or is a draft."""
        self._resized = resized
        self.area = CommentArea(text, left)
        self.rows_needed = 1 + BESIDE
        super().__init__(self.area)

    def compose(self) -> ComposeResult:
        yield HintLine((("ctrl+j", "new line"), ("enter", "save"), ("esc", "cancel")))

    @property
    def text(self) -> str:
        return self.area.text

    def on_mount(self) -> None:
        self.area.move_cursor(self.area.document.end)
        self.call_later(self._hand_over)

    def _hand_over(self) -> None:
        if self.has_focus:
            self.screen.set_focus(self.area, scroll_visible=False)
        self.can_focus = False

    def on_key(self, event: events.Key) -> None:
        if self.has_focus or self.can_focus:
            event.stop()
            self.area.post_message(event)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.look()

    def look(self) -> None:
        """Have as many rows as the text, up to the limit."""
        rows = max(1, min(self.area.wrapped_document.height, MOST_ROWS))
        leaving = "keep a draft" if self.text.strip() else "cancel"
        self.query_one(HintLine).show((("ctrl+j", "new line"), ("enter", "save"), ("esc", leaving)))
        if rows + BESIDE != self.rows_needed:
            self.rows_needed = rows + BESIDE
            self.area.styles.height = rows
            self._resized()
