"""Which editor is run, and how it is told the line."""

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.user_programs import editor_command
from tests.rows import each_of


def nothing(_name: str) -> None:
    return None


def only_vi(name: str) -> str | None:
    return "/bin/vi" if name == "vi" else None


@each_of(
    ("editor", "command"),
    [
        ("vim", ["vim", "+7", "a b.py"]),
        ("nano -w", ["nano", "-w", "+7", "a b.py"]),
        ("emacs -nw", ["emacs", "-nw", "+7", "a b.py"]),
        ("code", ["code", "--wait", "--goto", "a b.py:7"]),
        ("code -w", ["code", "-w", "--goto", "a b.py:7"]),
        ("/usr/bin/subl", ["/usr/bin/subl", "--wait", "a b.py:7"]),
        ("hx", ["hx", "a b.py:7"]),
        ("'/opt/my editor'", ["/opt/my editor", "+7", "a b.py"]),
    ],
)
def test_each_editor_is_told_the_line_in_its_own_way(editor: str, command: list[str]) -> None:
    assert editor_command("a b.py", 7, {"EDITOR": editor}, nothing) == command


def test_without_a_line_the_path_stands_alone() -> None:
    assert editor_command("a.py", environment={"EDITOR": "vim"}, find=nothing) == ["vim", "a.py"]


def test_visual_comes_first_and_an_empty_variable_is_none() -> None:
    assert editor_command("a", environment={"VISUAL": "kak", "EDITOR": "vim"}, find=nothing) == ["kak", "a"]
    assert editor_command("a", environment={"VISUAL": " ", "EDITOR": "vim"}, find=nothing) == ["vim", "a"]


def test_without_variables_a_usual_one_is_found() -> None:
    assert editor_command("a", environment={}, find=only_vi) == ["/bin/vi", "a"]


@pytest.mark.parametrize("environment", [{}, {"EDITOR": "vim 'unclosed"}])
def test_where_there_is_none_it_is_said(environment: dict[str, str]) -> None:
    with pytest.raises(UserFault, match=r"editor|EDITOR"):
        editor_command("a", environment=environment, find=nothing)
