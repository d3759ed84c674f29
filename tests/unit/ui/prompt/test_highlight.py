"""What is drawn apart in the prompt while it is written."""

from collections.abc import Sequence

import pytest

from acp_tui.ui.prompt.draft import parts_of


def drawn(*lines: str) -> list[tuple[str, str]]:
    """The parts of the last line, with their kinds."""
    return [(lines[-1][start:end], kind) for start, end, kind in parts_of(lines, lambda path: path == "a.py")]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("# one **two**", [("# one **two**", "heading")]),
        ("**two** `a` ``b``", [("**two**", "strong"), ("`a`", "code"), ("``b``", "code")]),
        ("see @a.py and @b.py", [("@a.py", "mention")]),
        ("[Image a.png #1] [Image]", [("[Image a.png #1]", "chip")]),
        ("/fix it", [("/fix", "command")]),
        ("!ls", [("!", "command")]),
        ("a * b", []),
    ],
)
def test_parts_of_the_first_line(line: str, parts: Sequence[tuple[str, str]]) -> None:
    assert drawn(line) == parts


def test_only_the_first_line_begins_with_a_command() -> None:
    assert drawn("a", "/fix") == []


def test_a_block_of_code_has_no_markdown() -> None:
    lines = ("see", "```py", "# **x** @a.py", "```", "**y**")
    assert drawn(*lines[:2]) == [("```py", "code")]
    assert drawn(*lines[:3]) == [("# **x** @a.py", "code"), ("@a.py", "mention")]
    assert drawn(*lines[:4]) == [("```", "code")]
    assert drawn(*lines) == [("**y**", "strong")]
