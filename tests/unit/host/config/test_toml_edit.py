"""One value of a TOML text is set or taken away; every other line stays as it is."""

import tomllib
from collections import Counter
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.config.settings import template
from acp_tui.host.config.toml_edit import Value, toml, with_values

TOP = (
    "mouse = true # m",
    "'sidebar'=false",
    "keys.find = 'x'",
    "status_line = [ # which\n  'cost',\n]",
    "a = '''\n[k]\n'''",
)
TABLES = (
    "[keys] # k\nhelp = 'f1'",
    "[agents.a]\ncommand = 'a' # c\nenv = {A='1'}",
    "[agents.b.mcp_servers.x]\ncommand = 'x'\n\n  # of x",
    "[[odd]]\nx = 1",
    "[[odd]]\nx = [\n  [1],\n]",
)
LOOSE = ("", "# words", "  # more words", "# theme = 'old'  # example", "# [keys]")


@st.composite
def files(draw: st.DrawFn) -> str:
    """Files as people set them out: comments and blank lines between settings and tables, in any order."""
    loose = st.lists(st.sampled_from(LOOSE), max_size=3)
    parts: list[str] = []
    pieces = [
        *draw(st.lists(st.sampled_from(TOP), unique=True)),
        *draw(st.permutations(TABLES))[: draw(st.integers(0, 5))],
    ]
    for piece in pieces:
        parts += [*draw(loose), piece]
    end = draw(st.sampled_from(["", "\n"]))
    text = "\n".join([*parts, *draw(loose)]) + end
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # keys.find above and [keys] below
        return "\n"
    mark, line_end = draw(st.sampled_from(["", "\ufeff"])), draw(st.sampled_from(["\n", "\r\n"]))
    return mark + text.replace("\n", line_end)


def changes(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that are gone, and those that are new; the others are in their order still."""
    old, now = (text.removeprefix("\ufeff").splitlines() for text in (before, after))
    gone, new = [*(Counter(old) - Counter(now)).elements()], [*(Counter(now) - Counter(old)).elements()]
    rest = iter(now)
    assert all(line in rest for line in old if line not in gone)
    return gone, new


@given(files())
def test_a_new_setting_is_one_line_more_and_goes_without_a_trace(before: str) -> None:
    after = with_values(before, (), {"theme": "nord"})
    gone, new = changes(before, after)
    assert (gone, [line for line in new if line]) == ([], ['theme = "nord"'])
    assert len(new) <= 3
    again = with_values(after, (), {"theme": None})
    assert not any("".join(lines) for lines in changes(before, again))


@given(files())
def test_another_value_changes_one_line(before: str) -> None:
    first = with_values(before, (), {"theme": "nord"})
    second = with_values(first, (), {"theme": "dracula"})
    assert changes(first, second) == (['theme = "nord"'], ['theme = "dracula"'])


@given(files())
def test_the_ends_of_lines_and_the_mark_stay(before: str) -> None:
    after = with_values(before, (), {"theme": "nord"})
    assert after.startswith("\ufeff") == before.startswith("\ufeff")
    if "\r\n" in before:
        assert "\n" not in after.replace("\r\n", "")


@given(files())
def test_an_agent_is_added_whatever_there_is(before: str) -> None:
    after = with_values(before, ("agents", "new one"), {"command": "x", "args": ["a"], "env": {"A": "1"}})
    gone, new = changes(before, after)
    assert (gone, [line for line in new if line]) == (
        [],
        ['[agents."new one"]', 'command = "x"', 'args = ["a"]', 'env = { A = "1" }'],
    )


texts = st.text(max_size=8, alphabet=st.characters(exclude_categories=["Cs"]))


@given(st.one_of(texts, st.booleans(), st.lists(texts, max_size=3), st.dictionaries(texts, texts, max_size=2)))
def test_any_value_is_written_as_it_is_meant(value: Value) -> None:
    assert tomllib.loads(with_values("# mine\n", (), {"x": value})) == {"x": value}


def test_a_setting_is_put_below_its_example() -> None:
    before = template()
    after = with_values(before, (), {"theme": "nord", "notifications": "bell"})
    assert changes(before, after) == ([], ['theme = "nord"', 'notifications = "bell"'])
    lines = after.splitlines()
    for name in ("theme", "notifications"):
        at = next(number for number, line in enumerate(lines) if line.startswith(f"{name} ="))
        assert lines[at - 1].startswith(f"# {name} =")


def test_an_example_below_a_table_is_no_place_for_it() -> None:
    before = "[keys]\n# theme = 'nord'\n"
    assert with_values(before, (), {"theme": "nord"}) == "theme = \"nord\"\n\n[keys]\n# theme = 'nord'\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# head\n# more\n\n# of x\n[agents.x]\n", '# head\n# more\n\ntheme = "n"\n\n# of x\n[agents.x]\n'),
        ("# of x\n[agents.x]\n", 'theme = "n"\n\n# of x\n[agents.x]\n'),
        ("mouse = true\n\n# of keys\n[keys]\n", 'mouse = true\ntheme = "n"\n\n# of keys\n[keys]\n'),
        ("mouse = true # x", 'mouse = true # x\ntheme = "n"\n'),
        ("# x", '# x\n\ntheme = "n"\n'),
        ("  theme = 'old'   # mine\n", '  theme = "n"   # mine\n'),
        ("theme='''\nold''' # mine\n", 'theme="n" # mine\n'),
    ],
)
def test_where_it_stands(before: str, after: str) -> None:
    assert with_values(before, (), {"theme": "n"}) == after


def test_a_value_that_is_there_already_is_not_written_anew() -> None:
    before = "status_line = [\n  'cost', # money\n]\n"
    assert with_values(before, (), {"status_line": ["cost"]}) == before


def test_comments_inside_a_value_are_not_lost() -> None:
    with pytest.raises(ValueError, match="cannot be edited automatically"):
        with_values("status_line = [\n  'cost', # money\n]\n", (), {"status_line": ["model"]})


def test_a_line_goes_with_its_own_comment_only() -> None:
    before = "# a\ntheme = 'x' # b\n# c\nstatus_line = [ # d\n  'cost', # e\n] # f\n# g\n"
    assert with_values(before, (), {"theme": None}) == before.replace("theme = 'x' # b\n", "")
    assert with_values(before, (), {"status_line": None}) == "# a\ntheme = 'x' # b\n# c\n# g\n"


@pytest.mark.parametrize(
    ("before", "name"),
    [("mouse = true\n", "theme"), ("[keys]\nhelp = 'f1'\n", "keys"), ("keys.help = 'f1'\nkeys.find = 'f2'\n", "keys")],
)
def test_what_is_not_one_line_does_not_go(before: str, name: str) -> None:
    with pytest.raises(ValueError, match="cannot be edited automatically"):
        with_values(before, (), {name: None})


def test_what_tomlkit_stumbles_over_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = count()

    def stumble(_text: str) -> None:
        next(tries)
        raise IndexError

    monkeypatch.setattr("tomlkit.parse", stumble)
    with pytest.raises(ValueError, match="cannot be edited automatically"):
        with_values("[agents.x]\ncommand = 'y'\n", ("agents", "x"), {"command": "z"})
    assert next(tries) > 1


def test_what_tomlkit_gets_wrong_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tomlkit.dumps", lambda _document: "mouse = false\n")
    with pytest.raises(ValueError, match="cannot be edited automatically"):
        with_values("theme = 'old'\n", (), {"theme": "nord"})


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "true"),
        (3, "3"),
        ("a\u202eb", '"a\\u202Eb"'),
        (("a", "b"), '["a", "b"]'),
        ({"a b": "c"}, '{ "a b" = "c" }'),
        ({}, "{}"),
    ],
)
def test_values_in_toml(value: object, written: str) -> None:
    assert toml(value).lower() == written.lower()
