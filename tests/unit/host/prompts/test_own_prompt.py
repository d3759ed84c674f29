"""What a prompt becomes with the words after its name."""

from pathlib import Path

import pytest
from hypothesis import given

from acp_tui.errors import UserFault
from acp_tui.host.prompts.own_prompt import OwnPrompt, outside_code
from tests.rows import each_of
from tests.strategies import texts


def expanded(text: str, arguments: str = "") -> str:
    return OwnPrompt("fix", Path("fix.md"), text).expand(arguments)


@each_of(
    ("text", "arguments", "becomes"),
    [
        ("Fix $ARGUMENTS.", " the  login ", "Fix the  login."),
        ("Fix $1 of $2.", "bug 'the login'", "Fix bug of the login."),
        ("Fix $1 of $2.", "bug", "Fix bug of ."),
        ("Fix $1, $2", "don't know", "Fix don't, know"),
        ("Read @src/$1.py", "app", "Read @src/app.py"),
        ("$1 and $1", "a", "a and a"),
        ("Fix $1", "$ARGUMENTS $2", "Fix $ARGUMENTS"),
        ("It costs $10 or $$1, not $$ARGUMENTS; pid $$", "", "It costs $10 or $1, not $ARGUMENTS; pid $$"),
        ("$ARGUMENTSX", "", "$ARGUMENTSX"),
        ("Fix it.", "", "Fix it."),
        ("Fix it.", "@src/app.py now", "Fix it.\n\n@src/app.py now"),
        ("It costs $$1", "a", "It costs $1\n\na"),
    ],
)
def test_expand(text: str, arguments: str, becomes: str) -> None:
    assert expanded(text, arguments) == becomes


@each_of(
    ("text", "arguments", "becomes"),
    [
        ("Use `awk '{print $2}'` on $1", "main now", "Use `awk '{print $2}'` on main"),
        (
            "Do $ARGUMENTS:\n```sh\nawk '{print $2}'\necho $$1\n```\n$2",
            "a b",
            "Do a b:\n```sh\nawk '{print $2}'\necho $$1\n```\nb",
        ),
        ("~~~\n$1\n```\n$1\n~~~\n$1", "a", "~~~\n$1\n```\n$1\n~~~\na"),
        ("````\n```\n$1\n````\n$1", "a", "````\n```\n$1\n````\na"),
        ("- $1\n  ```\n  $1\n  ```\n> ```\n> $1\n> ```\n$1", "a", "- a\n  ```\n  $1\n  ```\n> ```\n> $1\n> ```\na"),
        ("1. ```\n   $1\n   ```\n   $1", "a", "1. ```\n   $1\n   ```\n   a"),
        ("```\n$1 is never closed", "", "```\n$1 is never closed"),
        ("`` $1 ` $1 `` $1", "a", "`` $1 ` $1 `` a"),
        ("`over\nlines $1` $1", "a", "`over\nlines $1` a"),
        ("one ` tick $1", "a", "one ` tick a"),
        ("not `in one $1\n\nparagraph` $1", "a", "not `in one a\n\nparagraph` a"),
        ("not code \\`$1\\`", "a", "not code \\`a\\`"),
        ("```$1``` inline", "a", "```$1``` inline\n\na"),
        ("Only in `$1`", "a", "Only in `$1`\n\na"),
    ],
)
def test_code_is_left_as_it_is(text: str, arguments: str, becomes: str) -> None:
    assert expanded(text, arguments) == becomes


@given(texts())
def test_a_text_is_cut_into_code_and_no_code_and_nothing_is_lost(text: str) -> None:
    assert outside_code(text, lambda piece: piece) == text
    fenced = f"~~~~\n{text.replace('~', '-')}\n~~~~\n"
    assert outside_code(fenced, lambda piece: "x" * len(piece)).startswith(fenced)


def test_a_prompt_that_cannot_be_used_says_why() -> None:
    with pytest.raises(UserFault, match=r"fix\.md: empty"):
        OwnPrompt("fix", Path("fix.md"), "", problem="fix.md: empty").expand("now")


def test_it_has_an_end_however_often_the_arguments_stand_there() -> None:
    with pytest.raises(UserFault, match="/fix is too long"):
        expanded("$1" * 100_000, "x" * 100_000)
