"""Real drawings, streamed in pieces: what the viewport shows is what fresh drawings of the same entries show."""

import random

import pytest

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, Diff
from acp_tui.session.entries import Entry, MessageEntry, NoticeEntry, TextPart, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.ui.entries.drawings import draw
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.wrap import text_of
from acp_tui.ui.transcript.layout import Layout
from acp_tui.ui.transcript.viewport import Viewport
from tests.transcript_fakes import extend

PIECES = (
    "# Title\n\n", "Some *words* and `code`, ", "日本語と👍 ", "\n\n", "\n", "- item\n", "  - nested\n", "1. one\n",
    "```python\n", "def f(x):\n    return x\n", "```\n\n", "> quoted\n", "| a | b |\n|---|---|\n", "| 1 | 2 |\n",
    "a very long line " * 9, "http://a.example/b ", "**bold", "** ", "\t", "    indented\n", "---\n",
)  # fmt: skip
HEIGHT = 30
PALETTE = palette_for(DARK)


class Stream:
    """A session whose entries grow, shown by a viewport."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.session = Session("s", "/")
        self.viewport = Viewport(Layout(lambda entry: draw(entry, self.session)))
        self.width = 70
        self.viewport.reshape(self.width, HEIGHT, PALETTE)

    def step(self) -> None:
        act = self.chance.choice([self.begin, self.begin_call, *[self.grow] * 9, self.call_on, self.resize])
        act()

    def add(self, entry: Entry) -> None:
        entry.started_at = len(self.session.entries)
        self.session.entries.append(entry)
        self.viewport.refresh([entry], (), ())

    def begin(self) -> None:
        name = f"e{len(self.session.entries)}"
        if self.chance.random() < 0.2:
            self.add(NoticeEntry(name, "warning", "Something", "happened " * 20))
        else:
            role = self.chance.choice(("user", "agent", "agent", "thought"))
            self.add(MessageEntry(name, role, [TextPart()]))  # type: ignore[arg-type]

    def begin_call(self) -> None:
        content: list[ContentItem | Diff] = [ContentItem(content=TextContent(text="output\n" * 4))]
        if self.chance.random() < 0.5:
            content = [Diff(path="/a.py", old_text="one\ntwo\nthree\n", new_text="one\n2\nthree\nfour\n")]
        self.add(ToolCallEntry(f"e{len(self.session.entries)}", "Do it", kind="edit", content=list(content)))

    def call_on(self) -> None:
        calls = [entry for entry in self.session.entries if isinstance(entry, ToolCallEntry)]
        if calls:
            call = self.chance.choice(calls)
            call.status = self.chance.choice(("in_progress", "completed", "failed"))
            call.version += 1
            self.viewport.refresh((), [call], ())

    def grow(self) -> None:
        messages = [entry for entry in self.session.entries if isinstance(entry, MessageEntry)]
        if messages:
            for _ in range(self.chance.choice((1, 3))):
                extend(messages[-1], self.chance.choice(PIECES))
            self.viewport.refresh((), [messages[-1]], ())

    def resize(self) -> None:
        self.width = self.chance.choice((40, 70, 110))
        self.viewport.reshape(self.width, HEIGHT, PALETTE)

    def fresh(self) -> list[str]:
        """All rows of drawings that see the entries for the first time."""
        drawings = [draw(entry, self.session) for entry in self.session.entries]
        units = [unit for drawing in drawings for unit in drawing.units]
        return [text_of(row).rstrip() for unit in units for row in unit.rows(self.width, PALETTE)]

    def shown(self) -> list[str]:
        return [text_of(shown.row).rstrip() for shown in self.viewport.shown]


@pytest.mark.parametrize("seed", range(6))
def test_the_end_and_the_start_are_those_of_fresh_drawings(seed: int) -> None:
    stream = Stream(seed)
    for _ in range(60):
        stream.step()
        assert stream.shown() == stream.fresh()[-HEIGHT:]
    stream.viewport.scroll_to(0)
    assert stream.shown() == stream.fresh()[:HEIGHT]
