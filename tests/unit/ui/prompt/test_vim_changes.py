"""What operators and actions change, what they take, and how it is put again."""

import pytest

from acp_tui.ui.prompt import vim_commands as commands
from acp_tui.ui.prompt.vim_commands import Register
from tests.rows import each_of
from tests.unit.ui.prompt.vim_hand import edited, hand, press


@each_of(
    ("before", "keys", "after"),
    [
        ("|one two", "dw", "|two"),
        ("|one two three", "d2w", "|three"),
        ("|one two three", "2dw", "|three"),
        ("|a b c d e f g", "2d3w", "|g"),
        ("one |two\nthree", "dw", "one| \nthree"),
        ("|one two\nthree", "d2w", "|\nthree"),
        ("one |two", "db", "|two"),
        ("|one two", "de", "| two"),
        ("o|ne", "d$", "|o"),
        ("|\nab", "d$", "|\nab"),
        ("  a|b", "d0", "|b"),
        ("  ab|c", "d^", "  |c"),
        ("|foo.bar", "dt.", "|.bar"),
        ("|foo.bar", "df.", "|bar"),
        ("foo.ba|r", "dF.", "foo|r"),
        ("|foo", "dfz", "|foo"),
        ("x|(a)y", "d%", "x|y"),
        ("a\nb\n|c", "dgg", "|"),
        ("a\n|b\nc", "dG", "|a"),
        ("a|b\ncd", "dd", "|cd"),
        ("ab\nc|d", "dd", "|ab"),
        ("|a\nb\nc", "2dd", "|c"),
        ("|a", "dd", "|"),
        ("|abcde", "3x", "|de"),
        ("ab|c", "9x", "a|b"),
        ("|a\nb", "5x", "|\nb"),
        ("ab|c", "X", "a|c"),
        ("|abc", "X", "|abc"),
        ("a|bc\nd", "D", "|a\nd"),
        ("|ab\ncd", "J", "ab| cd"),
        ("|a\n  b\nc", "3J", "a b| c"),
        ("|f(a\n)", "J", "f(a|)"),
        ("|a", "J", "|a"),
        ("|aBc", "~", "A|Bc"),
        ("|aBc", "3~", "Ab|C"),
        ("|abc", "rz", "|zbc"),
        ("|abc", "2r ", " | c"),
        ("|ab", "3rz", "|ab"),
        ("|ab", "r<x", "|b"),
    ],
)
def test_what_is_deleted_and_changed_in_normal_mode(before: str, keys: str, after: str) -> None:
    assert edited(before, keys) == after


@each_of(
    ("before", "keys", "after"),
    [
        ("|one two", "cwx", "x| two"),
        ("on|e two", "cwx", "onx| two"),
        ("|one two three", "c2wx", "x| three"),
        ("one| two", "cwx", "onex|two"),
        ("a|bc\nd", "ccx", "x|\nd"),
        ("|\nd", "cwx", "x|\nd"),
        ("a|bc", "Cx", "ax|"),
        ("a|bc", "sx", "ax|c"),
        ("a|bc\nd", "Sx", "x|\nd"),
        ("a|b", "ix", "ax|b"),
        ("a|b", "ax", "abx|"),
        ("  a|b", "Ix", "  x|ab"),
        ("|ab\nc", "Ax", "abx|\nc"),
        ("|a\nb", "ox", "a\nx|\nb"),
        ("a\n|b", "Ox", "a\nx|\nb"),
        ("|ab", "ix<", "|xab"),
        ("|ab", "Axy<", "abx|y"),
        ("|a", "3ab<", "abb|b"),
        ("|a", "i<", "|a"),
    ],
)
def test_what_leads_to_insert_mode(before: str, keys: str, after: str) -> None:
    assert edited(before, keys) == after


@each_of(
    ("before", "keys", "after"),
    [
        ("|ab", "xp", "b|a"),
        ("|ab", "x2p", "ba|a"),
        ("a|b", "xP", "|ba"),
        ("|ab cd", "ywP", "ab| ab cd"),
        ("a|b\ncd", "yyp", "ab\n|ab\ncd"),
        ("a|b\ncd", "yyP", "|ab\nab\ncd"),
        ("|a\nb", "YGp", "a\nb\n|a"),
        ("|a\nb", "yy2p", "a\n|a\na\nb"),
        ("|ab", "p", "|ab"),
        ("|one two", "yiwwviwp", "one on|e"),
        ("|ab\ncd", "ddVp", "|ab"),
    ],
)
def test_what_was_taken_is_put(before: str, keys: str, after: str) -> None:
    assert edited(before, keys) == after


@pytest.mark.parametrize(
    ("keys", "register"),
    [
        ("yw", Register("one ")),
        ("yy", Register("one two", lines=True)),
        ("x", Register("o")),
        ("cwX", Register("one")),
        ("yfz", Register()),
    ],
)
def test_the_register_has_what_was_taken_last(keys: str, register: Register) -> None:
    vim = hand("|one two\nthree")
    press(vim, keys)
    assert vim.buffer.register == register


@each_of(
    ("before", "keys", "after"),
    [
        ("x o|ne y", "diw", "x | y"),
        ("x o|ne y", "daw", "x |y"),
        ("x o|ne", "daw", "|x"),
        ("x| y", "diw", "x|y"),
        ("a o|ne.two b", "diW", "a | b"),
        ('x "a|b" y', 'di"', 'x "|" y'),
        ('x "a|b" y', 'da"', "x |y"),
        ('|x "ab" y', 'ci"z', 'x "z|" y'),
        ("it's 'a|b'", "di'", "it's '|'"),
        (r'"a\"b|c"', 'di"', '"|"'),
        ("`a|b`", "di`", "`|`"),
        ("f(a, |b)", "di(", "f(|)"),
        ("f(a, |b)", "da)", "|f"),
        ("f(a, (|b))", "dib", "f(a, (|))"),
        ("f(|(a))", "di(", "f((|))"),
        ("f(a|)", "di(", "f(|)"),
        ("[a|b]", "di[", "[|]"),
        ("{a\n|b}", "di{", "{|}"),
        ("|abc", "di(", "|abc"),
        ("|abc", 'di"', "|abc"),
        ("a\nb\n\n|c\nd", "dip", "a\nb\n|"),
        ("|a\n\n\nb", "dap", "|b"),
        ("|", "diw", "|"),
    ],
)
def test_text_objects(before: str, keys: str, after: str) -> None:
    assert edited(before, keys) == after


@each_of(
    ("before", "keys", "after"),
    [
        ("|one two three", "dw.", "|three"),
        ("|one two three", "cwX<w.", "X |X three"),
        ("|a b c d", "dw2.", "|d"),
        ("|abcdef", "2x.", "|ef"),
        ("|ab", "ix<$.", "xa|xb"),
        ("|a\nb", "Ax<G.", "ax\nb|x"),
        ("|a", "ob<.", "a\nb\n|b"),
        ("|ab\ncd\nef", "dd.", "|ef"),
        ("|abcdef", "vld.", "|ef"),
        ("|a\nb\nc\nd", "Vjd.", "|"),
        ("|aa", "~.", "A|A"),
        ("|abab", "rx..", "|xbab"),
        ('|"a" "b"', 'ci"z<$.', '"z" "|z"'),
        ("|ab ab", "yw.", "|ab ab"),
        ("|ab", ".", "|ab"),
        ("|abc", "xp.", "ba|ac"),
    ],
)
def test_a_change_is_done_again(before: str, keys: str, after: str) -> None:
    assert edited(before, keys) == after


@pytest.mark.parametrize("keys", ["999p", "999P", "p999.", "999iLONG<", "iLONG<999."])
def test_a_count_makes_no_text_that_nobody_can_edit(keys: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "MOST", 50_000)
    vim = hand("|a")
    vim.buffer.register = Register("b" * 9_000)
    press(vim, keys.replace("LONG", "x" * 9_000))
    assert len(vim.buffer.text) <= 50_000 + 9_001
