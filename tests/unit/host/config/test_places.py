"""Lines of fields, held against texts whose lines are known."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.config.places import Field, line_of, line_of_fault, spelled

TEXT = '''\
# words
theme = "dark"

[keys]
# more words
submit = "enter"
help = [
    "f1",
    "f2",
]

[agents."my agent"]
env = { A = "1", B = "2" }
text = """
theme = "not this one"
"""
cwd = "/"
'''


@pytest.mark.parametrize(
    ("field", "line"),
    [
        (("theme",), 2),
        (("keys",), 4),
        (("keys", "submit"), 6),
        (("keys", "help"), 7),
        (("keys", "help", 1), 7),
        (("keys", "help", 9), 7),
        (("keys", "missing"), 4),
        (("agents", "my agent"), 12),
        (("agents", "my agent", "env", "B"), 13),
        (("agents", "my agent", "cwd"), 17),
        (("agents", "other", "cwd"), 12),
        (("nothing",), 0),
        ((), 0),
    ],
)
def test_a_field_is_found(field: Field, line: int) -> None:
    assert line_of(TEXT, field) == line


@given(st.integers(0, 5), st.integers(0, 5))
def test_lines_before_count(blank: int, comments: int) -> None:
    text = "\n" * blank + "# x = 1\n" * comments + "x = 2\n"
    assert line_of(text, ("x",)) == blank + comments + 1


@pytest.mark.parametrize(
    ("text", "line"), [("a = 1\nb = \n", 2), ('a = "x', 1), ("a = 1\n[t\nb = 2\n", 2), ("a = 1\na = 2\n", 2)]
)
def test_the_line_of_a_fault(text: str, line: int) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as raised:
        tomllib.loads(text)
    assert line_of_fault(text, raised.value) == line


def test_fields_are_spelled_as_toml_has_them() -> None:
    assert spelled(("agents", "my agent", "args", 2)) == 'agents."my agent".args[2]'
    assert spelled(("theme",)) == "theme"
