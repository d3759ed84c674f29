"""Where a person writes, made safe: foreign text gets there too, as defaults, titles, names of files, and pastes.

Textual draws what such a field holds as it is, escapes and all.
"""

import re

from rich.text import Text
from textual.widgets import Input, TextArea

from acp_tui.ui.render.text import in_place

_BREAKS = re.compile(r"[\r\n\u2028\u2029\x85]+")


class SafeInput(Input):
    """A line that holds only what may be shown, wherever it comes from."""

    def validate_value(self, value: str) -> str:
        """The value as it may be held: one character for each."""
        return in_place(_BREAKS.sub(" ", value))


class SafeTextArea(TextArea):
    """An area that holds any text as it is, because that is what is sent, and draws it safely."""

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn: one character for each, because the cursor counts them."""
        line = super().get_line(line_index)
        shown = in_place(line.plain)
        if shown != line.plain:
            line.plain = shown
        return line
