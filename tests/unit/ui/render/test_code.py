from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_all_lexers

from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render import blocks as code
from acp_tui.ui.render.blocks import LINE_LIMIT, Highlighter, highlight, lexer_for, lexer_for_path, styled
from acp_tui.ui.render.palette import SYNTAX

SOURCE = '@cached\ndef f(x: int) -> str:\n    """Doc\n    more."""\n    return "a" + str(x)  # why\n'
PALETTE = palette_for(DARK)


def keys_of(line: list[tuple[str, str]]) -> dict[str, str]:
    return {text.strip(): key for text, key in line if text.strip()}


def test_python_is_told_apart() -> None:
    lines = highlight(SOURCE, lexer_for("python"))
    assert keys_of(lines[0])["@cached"] == "decorator"
    assert keys_of(lines[1])["def"] == "keyword"
    assert keys_of(lines[1])["f"] == "function"
    assert keys_of(lines[3])['more."""'] == "comment"
    assert keys_of(lines[4])["# why"] == "comment"


@pytest.mark.parametrize("language", ["", "text", "no-such-language", "  "])
def test_what_is_unknown_is_plain(language: str) -> None:
    assert lexer_for(language) is None
    assert highlight("def f():\n    pass", lexer_for(language)) == [[("def f():", "")], [("    pass", "")]]


def test_languages_are_known_by_their_first_word_and_files_by_their_name() -> None:
    assert lexer_for("python title=x.py") is lexer_for_path("/a/b/x.py") or lexer_for_path("x.py") is not None
    assert lexer_for("{.python}") is not None
    assert lexer_for_path("x.no-such-suffix") is None


@given(
    st.sampled_from(sorted({name for _, _, names, _ in get_all_lexers(plugins=False) for name in names})),
    st.sampled_from(["", "a", "x.y", "[", "A.B."]),
)
def test_a_file_has_the_lexer_that_pygments_would_take(pattern: str, instead: str) -> None:
    name = pattern.replace("*", instead)
    lexer = lexer_for_path(f"/some.d/{name}")
    assert (lexer and type(lexer)) is find_lexer_class_for_filename(name)


def test_a_file_may_have_the_lexer_of_a_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(Lexer):
        name = "Odd"
        filenames = ("*.odd-one", "*.py")
        priority = 1.0

    monkeypatch.setitem(get_all_lexers.__globals__, "find_plugin_lexers", lambda: iter([Odd]))
    monkeypatch.setattr(code, "_patterns", cache(code._patterns.__wrapped__))
    monkeypatch.setattr(code, "_rated", code._rated.__wrapped__)
    assert isinstance(lexer_for_path("/x/y.odd-one"), Odd)
    assert isinstance(lexer_for_path("y.py"), Odd)
    assert not isinstance(lexer_for_path("y.rs"), Odd)


@given(
    st.lists(st.text(st.characters(exclude_characters="\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")), max_size=12),
    st.sampled_from(["python", "js", "bash", "html", "json", "c", "rust", "diff", "yaml", "md", "sql"]),
)
def test_colouring_never_changes_the_text(lines: list[str], language: str) -> None:
    highlighter = Highlighter(lines, lexer_for(language))
    for index, line in enumerate(lines):
        tokens = highlighter.line(index)
        assert "".join(text for text, _ in tokens) == line
        assert all(key == "" or key in SYNTAX for _, key in tokens)


def test_lines_may_be_asked_for_in_any_order() -> None:
    lines = SOURCE.split("\n")
    forward, backward = Highlighter(lines, lexer_for("python")), Highlighter(lines, lexer_for("python"))
    there = [forward.line(index) for index in range(len(lines))]
    back = [backward.line(index) for index in reversed(range(len(lines)))]
    assert there == back[::-1]


def test_a_line_far_down_is_coloured_without_lexing_all_before_it() -> None:
    lines = ["x = 'some text that is long enough'"] * 50_000
    highlighter = Highlighter(lines, lexer_for("python"))
    assert keys_of(highlighter.line(49_999))["x"] == ""
    assert any(key == "string" for _, key in highlighter.line(49_999))


def test_a_giant_line_is_plain_and_its_neighbours_are_not() -> None:
    lines = ["def f():", "x" * (LINE_LIMIT + 1), "def g():"]
    highlighter = Highlighter(lines, lexer_for("python"))
    assert highlighter.line(1) == [(lines[1], "")]
    assert keys_of(highlighter.line(2))["def"] == "keyword"


def test_styled_runs_stand_on_the_wash() -> None:
    for text, style in styled([("def", "keyword"), (" x", "")], PALETTE, PALETTE.code_block):
        assert text
        assert style.bgcolor == PALETTE.code_block.bgcolor


def test_what_takes_a_lexer_too_long_is_plain_from_there_on() -> None:
    lines = ["int a = 1;", *(["a b"] * 20_000)]
    code = Highlighter(lines, lexer_for("java"))
    assert any(key for _, key in code.line(0))
    assert code.line(19_000) == [("a b", "")]
    assert ["".join(text for text, _ in code.line(index)) for index in range(len(lines))] == lines
