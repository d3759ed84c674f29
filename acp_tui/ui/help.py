"""The help screen: every key and what it does, generated from the commands."""

from itertools import zip_longest
from textwrap import wrap

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from acp_tui.ui.commands.table import key_table
from acp_tui.ui.hints import CLOSE, SCROLL, key_hints
from acp_tui.ui.overlay import Overlay
from acp_tui.ui.tones import ACCENT, MUTED

KEY_WIDTH = 30

ELSEWHERE = (
    ("On a permission", "1–9 its options · y allow once · n reject once · Y, N always · Tab say why · Esc back"),
    ("On a form", "Tab next · Space chooses · Enter next, at last review · Ctrl+R review · Esc back"),
    ("With the mouse", "drag selects, Ctrl+C copies; click an option below the prompt to change it"),
)


class HelpScreen(Overlay[None]):
    """Scrolls; any of the usual keys closes it."""

    BINDINGS = [
        Binding("escape,q,f1,question_mark,ctrl+c,ctrl+q,enter", "dismiss", "Close", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
    ]

    def __init__(self) -> None:
        super().__init__(classes="picker")

    def compose(self) -> ComposeResult:
        """One table."""
        with Vertical(classes="picker-panel help-panel"):
            yield Static(Content.styled("Keys", "bold"), classes="picker-title")
            with VerticalScroll():
                yield Static(id="help-table")
            yield Static(key_hints((SCROLL, CLOSE)), classes="picker-hints")

    def on_mount(self) -> None:
        """The table takes the scrolling keys."""
        self.query_one(VerticalScroll).focus()

    def on_resize(self) -> None:
        """Another width breaks elsewhere."""
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        width = self.query_one(VerticalScroll).scrollable_content_region.width
        self.query_one("#help-table", Static).update(_table(max(20, width - 1)))

    def action_scroll(self, step: int) -> None:
        """Scroll by one row."""
        self.query_one(VerticalScroll).scroll_relative(y=step, animate=False)


def _table(width: int) -> Content:
    rows: list[Content] = []
    shown = ""
    for group, keys, tooltip in [*key_table(), *(("Elsewhere", where, what) for where, what in ELSEWHERE)]:
        if group != shown:
            rows += [Content(""), Content.styled(group, f"{ACCENT} bold")]
            shown = group
        rows += _row(keys, tooltip, width)
    return Content("\n").join(rows[1:])


def _row(keys: str, words: str, width: int) -> list[Content]:
    """Keys at the left, words at the right, each broken within its own column."""
    keys_width = min(KEY_WIDTH, width // 2)
    left = wrap(keys, keys_width - 2)
    right = wrap(words, width - keys_width)
    return [
        Content.assemble(key.ljust(keys_width), (word, MUTED)) for key, word in zip_longest(left, right, fillvalue="")
    ]
