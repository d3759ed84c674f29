"""Where each motion leads."""

import pytest

from tests.rows import each_of
from tests.unit.ui.prompt.vim_hand import edited


@each_of(
    ("before", "keys", "after"),
    [
        ("a|b", "h", "|ab"),
        ("|ab", "h", "|ab"),
        ("|ab", "l", "a|b"),
        ("a|b\nc", "l", "a|b\nc"),
        ("|abcd", "2l", "ab|cd"),
        ("|one two", "w", "one |two"),
        ("|one.two", "w", "one|.two"),
        ("|one.two three", "W", "one.two |three"),
        ("|one\n\ntwo", "w", "one\n|\ntwo"),
        ("one\n|\ntwo", "w", "one\n\n|two"),
        ("|one", "w", "on|e"),
        ("|one two three", "2w", "one two |three"),
        ("one t|wo", "b", "one |two"),
        ("one |two", "b", "|one two"),
        ("one.two t|hree", "2B", "|one.two three"),
        ("a\n\n|b", "b", "a\n|\nb"),
        ("|one two", "e", "on|e two"),
        ("on|e two", "e", "one tw|o"),
        ("|one.two three", "E", "one.tw|o three"),
        ("  ab|c", "0", "|  abc"),
        ("  ab|c", "^", "  |abc"),
        ("|abc", "$", "ab|c"),
        ("|abc\ndef", "2$", "abc\nde|f"),
        ("a\nb\n|c", "gg", "|a\nb\nc"),
        ("a\nb\n|c", "2gg", "a\n|b\nc"),
        ("|a\nb\nc", "G", "a\nb\n|c"),
        ("|a\nb\nc", "2G", "a\n|b\nc"),
        ("|a\nb", "99G", "a\n|b"),
        ("|a,b,c", "f,", "a|,b,c"),
        ("|a,b,c", "2f,", "a,b|,c"),
        ("|a,b,c", "f,;", "a,b|,c"),
        ("|a,b,c", "f,;,", "a|,b,c"),
        ("|a,b,c", "t,", "|a,b,c"),
        ("|ab,cd,e", "t,;", "ab,c|d,e"),
        ("ab,cd,|e", "T,;", "ab,|cd,e"),
        ("a,b,|c", "F,", "a,b|,c"),
        ("a,b,|c", "2F,", "a|,b,c"),
        ("|abc", "fz", "|abc"),
        ("|abc\nz", "fz", "|abc\nz"),
        ("|abc", ";", "|abc"),
        ("x|(a(b)c)", "%", "x(a(b)c|)"),
        ("|x (a(b)c)", "%", "x (a(b)c|)"),
        ("[ab|]", "%", "|[ab]"),
        ("|abc", "%", "|abc"),
        ("|", "w", "|"),
        ("|", "b", "|"),
        ("|", "e", "|"),
        ("|", "$", "|"),
        ("|", "G", "|"),
    ],
)
def test_a_motion_leads_there(before: str, keys: str, after: str) -> None:
    assert edited(before, keys) == after


@pytest.mark.parametrize(
    ("before", "keys", "after"),
    [
        ("a|b\ncd\nef", "vjy", "a|b\ncd\nef"),
        ("ab\nc|d", "dk", "|"),
        ("a|b\nc\nd", "dj", "|d"),
        ("a\n|b", "dj", "a\n|b"),
        ("a\nb\nc|", "d2k", "|"),
    ],
)
def test_up_and_down_reach_over_lines(before: str, keys: str, after: str) -> None:
    assert edited(before, keys) == after
