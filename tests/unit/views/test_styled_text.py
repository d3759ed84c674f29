"""Text with tones, and how the screen paints it."""

from acp_tui.ui.render.text import painted
from acp_tui.views.styled_text import joined, plain


def test_parts_that_are_empty_leave_no_separator() -> None:
    parts = joined([[("a", "muted")], [], [("", "error")], [("b", ""), ("c", "error")]])
    assert parts == [("a", "muted"), (" · ", "muted"), ("b", ""), ("c", "error")]
    assert plain(parts) == "a · bc"


def test_tones_become_the_themes_variables_and_words_are_made_safe() -> None:
    content = painted([(" a\x1b[31mb\n[bold]c", "user bold"), (" ", "muted"), ("d ", "")])
    assert content.plain == " ab ⏎ [bold]c d "
    assert [(span.start, span.end, str(span.style)) for span in content.spans] == [
        (0, 13, "$user bold"),
        (13, 14, "$muted"),
    ]


def test_a_span_ends_at_its_limit() -> None:
    assert painted([("word " * 20, "")], limit=10).plain == "word word… "
