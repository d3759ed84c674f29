"""Durations, tokens, bytes, money, lines and paths in words."""

from collections.abc import Callable

import pytest

from acp_tui.session.entries import TextPart
from acp_tui.session.text import phrases
from acp_tui.views import formatting
from acp_tui.views.formatting import last_line, money
from tests.rows import each_of


@each_of(
    ("tell", "value", "told"),
    [
        (phrases.duration, 0.4, "0 s"),
        (phrases.duration, 75, "1 min 15 s"),
        (phrases.duration, 3725, "1 h 02 min"),
        (phrases.duration, -3, "0 s"),
        (formatting.tokens, 950, "950"),
        (formatting.tokens, 1300, "1.3k"),
        (formatting.tokens, 200_000, "200k"),
        (formatting.tokens, 1_000_000, "1M"),
        (formatting.byte_size, 12, "12 B"),
        (formatting.byte_size, 1_000_000, "1.0 MB"),
        (formatting.byte_size, 1_234_000_000, "1,234.0 MB"),
    ],
)
def test_figures(tell: Callable[[float], str], value: float, told: str) -> None:
    assert tell(value) == told


@each_of(
    ("amount", "currency", "told"),
    [
        (0.05, "USD", "$0.05"),
        (1234.5, "EUR", "€1,234.50"),
        (1.2, "CHF", "1.20 CHF"),
        (12.3, "jpy", "¥12"),
        (0.0004, "USD", "<$0.01"),
        (0, "GBP", "£0.00"),
        (-0.5, "USD", "−$0.50"),
        (2, "credits", "2.00 credits"),
    ],
)
def test_money(amount: float, currency: str, told: str) -> None:
    assert money(amount, currency) == told


@pytest.mark.parametrize(
    ("text", "told"), [("a", "1 line"), ("a\n", "1 line"), ("a\nb", "2 lines"), ("\n\n", "2 lines")]
)
def test_lines(text: str, told: str) -> None:
    assert formatting.lines_in(text) == told


def test_the_last_line_is_found_without_joining_all() -> None:
    assert last_line([TextPart(["x" * 1000, "\nthe end\n"], 1008)]) == "the end"
    assert last_line([]) == ""
    assert last_line([TextPart(["first\n## **the** `end`\n"], 26)]) == "the end"


@each_of(
    ("path", "limit", "shown"),
    [("/a/b", 4, "/a/b"), ("/a/bc", 4, "…/bc"), ("/a/long/name", 5, "…name"), ("漢" * 9, 4, "…漢漢漢")],
)
def test_of_a_long_path_the_end_is_shown(path: str, limit: int, shown: str) -> None:
    assert phrases.path_end(path, limit) == shown
