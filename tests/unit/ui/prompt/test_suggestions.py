"""Which suggestion is offered, and how an empty prompt shows it."""

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from acp_tui.protocol.vocabulary.content import ContentBlock, ImageContent, ResourceLink, TextContent
from acp_tui.protocol.vocabulary.session_updates import PromptSuggestion
from acp_tui.ui.prompt.draft import LONGEST, invitation, likeliest
from tests.rows import each_of

PICTURE = ImageContent(data="eA==", mime_type="image/png")


def suggestion(*parts: str | ContentBlock) -> PromptSuggestion:
    return PromptSuggestion(prompt=[TextContent(text=part) if isinstance(part, str) else part for part in parts])


@each_of(
    ("parts", "line"),
    [
        (["Run the tests"], "Run the tests"),
        (["  Run\n\nthe\ttests "], "Run the tests"),
        (["Run", "the tests"], "Run the tests"),
        (["Look at", ResourceLink(uri="file:///p/a%20b.py", name="a b.py")], 'Look at @"/p/a b.py"'),
        (["Read", ResourceLink(uri="https://example.com/x", name="x")], "Read https://example.com/x"),
        (["Read", ResourceLink(uri="http://[", name="x")], ""),
        (["what is", PICTURE], ""),
        (["!rm -rf ."], "!rm -rf ."),
        ([" !ls"], "!ls"),
        (["  \n "], ""),
        (["x" * LONGEST], "x" * LONGEST),
        (["x" * (LONGEST + 1)], ""),
    ],
)
def test_a_suggestion_as_a_line(parts: list[str | ContentBlock], line: str) -> None:
    assert likeliest([suggestion(*parts)]) == line


def test_what_cannot_be_offered_gives_way_to_the_next() -> None:
    assert likeliest([suggestion("x" * 1_000_000), suggestion("Go on"), suggestion("Stop")]) == "Go on"
    assert likeliest([]) == ""


@given(st.text(max_size=40))
def test_no_escape_and_no_second_line_gets_there(text: str) -> None:
    line = likeliest([suggestion(f"\x1b[31m{text}\u202e\x9b")])
    assert len(line.splitlines()) <= 1
    assert not set(line) & {"\x1b", "\u202e", "\x9b", "\n"}


@given(st.text(), st.integers(1, 200))
def test_it_fits_into_its_cells_and_tells_the_key(text: str, width: int) -> None:
    line = likeliest([suggestion(text)])
    words = invitation(width, line)
    if line:
        assert words.plain.endswith("  tab accept")
        assert words.cell_length == max(width, cell_len(words.plain.strip()))
        assert words.cell_length <= max(width, 8 + len("  tab accept"))
    else:
        assert words.plain.startswith("Ask anything")
