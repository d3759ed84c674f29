"""What a prompt becomes with the words after its name."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.prompts.own_prompt import OwnPrompt
from tests.rows import each_of


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


def test_it_has_an_end_however_often_the_arguments_stand_there() -> None:
    with pytest.raises(UserFault, match="/fix would be too long"):
        expanded("$1" * 100_000, "x" * 100_000)
