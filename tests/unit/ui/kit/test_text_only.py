"""Reading a transcript for its text gives the same lines as painting it, and lexes nothing."""

from dataclasses import replace

import pytest

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, Diff
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.ui.entries.drawings import draw
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render import blocks as code
from acp_tui.ui.transcript.row_painter import lines_of
from tests.transcript_fakes import message

CODE = "def f(a):\n\treturn 'text' + a  # comment\n"
ENTRIES: dict[str, Entry] = {
    "fence": message(0, f"Look:\n\n```python\n{CODE}```\n\n| a | b |\n|---|---|\n| `x` | **y** |"),
    "diff": ToolCallEntry("t", content=[Diff(path="a.py", old_text=CODE, new_text=CODE.replace("a)", "b)"))]),
    "failed": ToolCallEntry("t", status="failed", content=[ContentItem(content=TextContent(text=f"```py\n{CODE}```"))]),
}


def lines(entry: Entry, *, text_only: bool) -> list[tuple[int, str]]:
    palette = replace(palette_for(DARK), text_only=text_only)
    drawing = draw(entry, Session("s", "/"))
    drawing.toggle()
    return [line for unit in drawing.units for line in lines_of(unit.rows(60, palette))]


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES.keys())
def test_the_text_is_the_same(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    painted = lines(entry, text_only=False)
    monkeypatch.setattr(code.Highlighter, "_advance", None)  # would raise if anything were lexed
    assert lines(entry, text_only=True) == painted
