"""Comments as text for the agent."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.ui.changes.comments import Comment, Quoted
from acp_tui.ui.changes.review_session import heading_of, place_of, prompt_of, text_of

CWD = "/home/me/project"
COMMENT = Comment(f"{CWD}/src/a.py", "new", 10, 10, (Quoted(" ", "x = 1"),), "why?")


def test_an_unchanged_line_is_quoted_as_code() -> None:
    assert text_of(COMMENT, CWD) == "`src/a.py:10`\n```py\nx = 1\n```\nwhy?"


def test_changed_lines_are_quoted_as_a_diff() -> None:
    quote = (Quoted("-", "x = 1"), Quoted("+", "x = 2"), Quoted(" ", "y"))
    comment = replace(COMMENT, first=10, last=11, quote=quote)
    assert text_of(comment, CWD) == "`src/a.py:10-11`\n```diff\n-x = 1\n+x = 2\n y\n```\nwhy?"


def test_what_the_numbers_do_not_tell_is_said() -> None:
    assert heading_of(replace(COMMENT, side="old"), CWD) == "`src/a.py:10` (old version)"
    assert heading_of(replace(COMMENT, gone=True), CWD) == "`src/a.py:10` (line no longer exists)"
    assert place_of(replace(COMMENT, path="/etc/hosts"), CWD) == "/etc/hosts:10"


def test_a_plan_has_a_name_and_no_folder() -> None:
    comment = replace(COMMENT, path="Plan", plan=True, side="old")
    assert text_of(comment, CWD) == "`Plan:10`\n```markdown\nx = 1\n```\nwhy?"


def test_the_fence_is_longer_than_any_in_the_quote() -> None:
    comment = replace(COMMENT, quote=(Quoted(" ", "````py"), Quoted(" ", "x"), Quoted(" ", "````")))
    assert "\n`````py\n````py\nx\n````\n`````\n" in text_of(comment, CWD)


def test_several_are_apart() -> None:
    assert prompt_of([COMMENT, replace(COMMENT, text="how?")], CWD).count("\n\n") == 1
    assert prompt_of([], CWD) == ""


@given(st.text(), st.text())
def test_nothing_in_a_path_or_a_line_gets_out_of_its_place(path: str, line: str) -> None:
    comment = replace(COMMENT, path=f"/{path}", quote=(Quoted(" ", line.replace("\n", "")),))
    told = text_of(comment, CWD)
    assert told.startswith("`")
    assert not any(ord(character) < 32 and character not in "\n\t" for character in told)
    heading, fence, *rest = told.split("\n")
    assert heading.count("`") == 2
    ticks = fence[: len(fence) - len(fence.lstrip("`"))]
    assert [row for row in rest if row == ticks] == [ticks]
