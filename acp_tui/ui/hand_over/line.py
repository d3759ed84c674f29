"""The row above the prompt that says how much is handed over, and how the tool output is added to it."""

from collections.abc import Callable, Iterator

from rich.cells import cell_len
from textual.content import Content
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.session.export.digest import tokens_in
from acp_tui.session.text.words import counted
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.kit.theme import KEY, MUTED
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.formatting import tokens

NAME = 24  # cells of an agent's name


class Size(Frozen):
    """How much is handed over: characters of what is `written` and of the transcript that goes with it, if any."""

    agent: str
    written: int
    transcript: int | None = None
    outputs: bool = False

    def forms(self) -> Iterator[tuple[str, str]]:
        """Words for the size and for what the key does, the longest first."""
        total = self.written + (self.transcript or 0)
        about = f"≈{tokens(tokens_in(total))} tokens"
        named = (
            f"Hand-over from {sanitise_line(self.agent, NAME) or 'another agent'}: {counted(self.written, 'character')}"
        )
        if self.transcript is None:
            yield f"{named}, {about} · no transcript", ""
            yield f"{counted(total, 'character')}, {about}", ""
            return
        act = "remove tool output" if self.outputs else "add tool output"
        yield f"{named} + transcript {self.transcript:,}, {about} · {'with' if self.outputs else 'no'} tool output", act
        yield f"Hand-over: {counted(total, 'character')}, {about}", act
        yield f"{counted(total, 'character')}, {about}", f"{'−' if self.outputs else '+'} tool output"


class HandOverLine(Static):
    """One row above the status line; a click adds the tool output or takes it out."""

    DEFAULT_CSS = """
    HandOverLine { display: none; height: 1; padding: 0 3; margin: 1 0 0 0; }
    .-short HandOverLine { margin: 0; }
    """

    def __init__(self, toggle: Callable[[], object]) -> None:
        super().__init__(id="hand-over")
        self._toggle = toggle
        self.size_told: Size | None = None

    def show(self, size: Size | None) -> None:
        if size != self.size_told:
            self.size_told = size
            self.display = size is not None
            self._paint()

    def on_resize(self) -> None:
        self._paint()

    def on_click(self) -> None:
        self._toggle()

    def _paint(self) -> None:
        size = self.size_told
        if size is None:
            return
        width = self.size.width
        for words, act in size.forms():
            hint = Content.assemble((first_way("hand_over"), KEY), (f" {act}", MUTED)) if act else Content("")
            room = width - hint.cell_length - 2
            if cell_len(words) <= room:
                break
        left = Content.styled(cut(words, max(8, room)), MUTED)
        self.update(Content.assemble(left, " " * max(1, width - left.cell_length - hint.cell_length), hint))
