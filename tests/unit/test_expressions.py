"""A regular expression is compiled by its first use, and is a pattern then."""

import re

import pytest

from acp_tui.expressions import expression


def test_it_is_used_as_a_pattern_is() -> None:
    words = expression(r"\w+", re.ASCII)
    assert words.findall("a é b") == ["a", "b"]
    assert words.sub("-", "a b") == "- -"
    assert (words.pattern, words.flags) == (r"\w+", re.compile(r"\w+", re.ASCII).flags)


def test_what_is_wrong_is_reported_with_its_first_use() -> None:
    wrong = expression("(")
    with pytest.raises(re.error):
        wrong.search("")
