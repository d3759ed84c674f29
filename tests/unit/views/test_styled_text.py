"""Text with tones, and how the screen paints it."""

from acp_tui.ui.render.text import painted
from acp_tui.views.formatting import brief, joined, plain
from tests.rows import each_of


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


@each_of(
    "text, limit, words",
    [
        ("fix the login", 13, "fix the login"),
        (" fix\nthe login ", 10, "fix ⏎ the…"),
        ("fix the login", 9, "fix the…"),
        ("fix a\x1b[31m b", 9, "fix a b"),
        ("\u200b" * 200 + "fix", 9, "…"),
    ],
)
def test_foreign_text_is_cut_in_characters_behind_a_word(text: str, limit: int, words: str) -> None:
    assert brief(text, limit) == words
