"""The help screen: every key and what it does, generated from the commands."""

from itertools import zip_longest
from textwrap import wrap

from textual.binding import Binding
from textual.content import Content

from acp_tui.ui.commands.key_table import key_table
from acp_tui.ui.kit.tones import ACCENT, MUTED
from acp_tui.ui.overlays.text_panel import TextPanel

KEY_WIDTH = 30

ELSEWHERE = (
    ("On a permission", "1–9 its options · y allow once · n reject once · Y, N always · Tab say why · Esc back"),
    ("On a form", "Tab next · Space chooses · Enter next, at last review · Ctrl+R review · Esc back"),
    ("With the mouse", "drag selects, Ctrl+C copies; click an option below the prompt to change it"),
)


class HelpScreen(TextPanel):
    """The keys that opened it close it, too."""

    BINDINGS = [Binding("f1,question_mark", "dismiss", show=False)]

    def __init__(self) -> None:
        super().__init__("Keys")

    def on_resize(self) -> None:
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        self.words.update(_table(max(20, self.scroll.scrollable_content_region.width - 1)))


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
