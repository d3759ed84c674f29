"""Lines of fields, held against texts whose lines are known, and against reading every beginning of a text."""

import tomllib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.config.config import WARNINGS_AT_MOST, ConfigFile
from acp_tui.host.config.settings import line_of_fault
from acp_tui.host.config.source_files import NAME_AT_MOST, PARTS_AT_MOST, Field, spelled
from acp_tui.host.config.toml_edit import FIELDS_AT_MOST, TomlLines, TooManyParts, bare, statements_of
from tests.rows import each_of
from tests.strategies import nasty_texts

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
[agents.other]
"""
cwd = "/"
a . "b.c" . 'd' = 1
[[servers]]
name = "one"
[[servers]]
name = 'it''s' # [servers]
hosts = [ { port = 1 }, # {
  { port = [[2], [3,
    4]] } ]
[servers.more]
when = 1979-05-27 07:32:00
"\\u00e9\\n\\"" = 1.5
'''.replace("'it''s'", "'''it's'''")


@each_of(
    ("field", "line"),
    [
        (("theme",), 2),
        (("keys",), 4),
        (("keys", "submit"), 6),
        (("keys", "help"), 7),
        (("keys", "help", 1), 9),
        (("keys", "help", 9), 7),
        (("keys", "missing"), 4),
        (("agents", "my agent"), 12),
        (("agents", "my agent", "env", "B"), 13),
        (("agents", "my agent", "text"), 14),
        (("agents", "my agent", "cwd"), 18),
        (("agents", "my agent", "a", "b.c", "d"), 19),
        (("agents", "my agent", "a", "b.c"), 19),
        (("agents", "other", "cwd"), 12),
        (("servers",), 20),
        (("servers", 0, "name"), 21),
        (("servers", 1), 22),
        (("servers", 1, "name"), 23),
        (("servers", 1, "hosts", 0, "port"), 24),
        (("servers", 1, "hosts", 1), 25),
        (("servers", 1, "hosts", 1, "port", 1), 25),
        (("servers", 1, "hosts", 1, "port", 1, 1), 26),
        (("servers", 1, "more"), 27),
        (("servers", 1, "more", "when"), 28),
        (("servers", 1, "more", 'é\n"'), 29),
        (("nothing",), 0),
        ((), 0),
    ],
)
def test_a_field_is_found(field: Field, line: int) -> None:
    assert tomllib.loads(TEXT)
    assert TomlLines(TEXT).line(field) == line


def fields_of(value: Any, path: Field = ()) -> list[Field]:
    """All fields of what was read, but for elements of arrays of values."""
    found: list[Field] = [path] if path else []
    if isinstance(value, dict):
        for name, inner in value.items():
            found += fields_of(inner, (*path, name))
    elif isinstance(value, list) and all(isinstance(inner, dict) for inner in value):
        for index, inner in enumerate(value):
            found += fields_of(inner, (*path, index))
    return found


def lines_by_reading(text: str) -> dict[Field, range]:
    """The oracle: a field begins on one of the lines that the first readable beginning with it has more."""
    lines, first, readable = text.split("\n"), dict[Field, range](), 0
    for count in range(1, len(lines) + 1):
        try:
            read = tomllib.loads("\n".join(lines[:count]))
        except tomllib.TOMLDecodeError:
            continue
        for field in fields_of(read):
            first.setdefault(field, range(readable + 1, count + 1))
        readable = count
    return first


keys = st.sampled_from(["a", "b", "c", "'a'", '"b"', "d . a", "a.'b.c'", '"[a]"', "1.2", '"\\u0061b"', "' = '"])
values = st.recursive(
    st.sampled_from(
        [
            "1",
            "-1.5e3",
            "true",
            '"x"',
            "'[a]'",
            '"\\"]"',
            '"""\na = 1\n[b]\n"""',
            "'''\n\"\"\"\n]'''",
            '""""q""""',
            "07:32:00",
        ]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(inner, max_size=3).map(lambda items: "[ # ]\n" + ",\n".join(items) + "\n]"),
        st.lists(st.tuples(keys, inner), max_size=3).map(
            lambda pairs: "{ " + ", ".join(f"{key} = {value}" for key, value in pairs) + " }"
        ),
    ),
    max_leaves=5,
)
statements = st.one_of(
    st.tuples(keys, values).map(" = ".join),
    keys.map(lambda key: f"[{key}]"),
    keys.map(lambda key: f" [[ {key} ]] # [x]"),
    st.sampled_from(["", "# a = 1", "  "]),
)


@given(st.lists(statements, max_size=8))
def test_lines_are_those_that_reading_every_beginning_finds(written: list[str]) -> None:
    text = "\n".join(valid(written))
    told = TomlLines(text)
    found = {field: (told.line(field), lines) for field, lines in lines_by_reading(text).items()}
    assert {field: line for field, (line, lines) in found.items() if line not in lines} == {}


def valid(written: list[str]) -> list[str]:
    """The statements that can be said after those before them."""
    kept: list[str] = []
    for statement in written:
        try:
            tomllib.loads("\n".join([*kept, statement]))
        except tomllib.TOMLDecodeError:
            continue
        kept.append(statement)
    return kept


@given(st.lists(st.sampled_from([*"[]{}=,.\"'#\n\\ a1", '"""', "'''"]), max_size=30).map("".join) | nasty_texts)
def test_any_text_is_read_and_what_is_no_sign_stays_as_long(text: str) -> None:
    assert len(bare(text)) == len(text)
    with suppress(TooManyParts):
        assert TomlLines(text).line(("a",)) <= text.count("\n") + 1


def test_signs_in_strings_and_comments_are_none() -> None:
    assert bare('a = \'[\' # {\n"""\n]"""\n[b]') == "a = ___    \n________\n[b]"


@each_of(
    "shape",
    [
        "k = 1\n",
        "[t]\n",
        "[[t]]\n",
        "a = [1, 2]\n",
        "[",
        "a = {b = ",
        "a = {a.b.c.d.e.f.g.h = {",
        "a = [[[[[[[[[",
        '"""\\',
        "'''x''",
        '\\"""',
        '"x\n',
        "'x\n",
        '"""x""\n',
        "#",
        " ",
        "]",
        "}",
    ],
)
def test_work_grows_with_the_text(shape: str) -> None:
    """Characters that are parsed, and the cells of all remembered paths, for twice the text: twice as many at most."""
    texts = [shape * count for count in (1_000, 2_000)]
    work = [sum(one.end - one.start for one in statements_of(text)) for text in texts]
    held = [sum(map(len, TomlLines(text).spans)) for text in texts]
    assert work[1] <= 2 * work[0] + 2
    assert held[1] <= 2 * held[0] + 20


def test_what_is_remembered_is_bounded() -> None:
    lines = TomlLines("".join(f"k{number} = 1\n" for number in range(FIELDS_AT_MOST + 10)))
    assert len(lines.spans) == FIELDS_AT_MOST


@pytest.mark.parametrize("text", ["x = 1\n{} = 1", "x = 1\n[{}]", "x = 1\n[[{}]]", "\nx = {{ {} = 1 }}"])
def test_a_name_of_very_many_parts_is_refused_before_it_is_parsed(text: str, tmp_path: Path) -> None:
    assert TomlLines(text.format(".".join("a" * PARTS_AT_MOST))).spans
    with pytest.raises(TooManyParts) as raised:
        TomlLines(text.format(".".join("a" * (PARTS_AT_MOST + 1))))
    assert raised.value.line == 2
    path = tmp_path / "config.toml"
    path.write_text(text.format(".".join("a" * 500_000)))
    with pytest.raises(UserFault, match="line 2: a name has more than 8 parts"):
        ConfigFile.read(path)


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many characters were parsed, each time."""
    lengths: list[int] = []
    loads = tomllib.loads

    def counted(text: str) -> dict[str, Any]:
        lengths.append(len(text))
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", counted)
    return lengths


def test_a_text_without_faults_is_not_read_for_its_lines(tmp_path: Path, parsed: list[int]) -> None:
    path = tmp_path / "config.toml"
    path.write_text("theme = '1.2.3.4.5.6.7'\n")
    assert ConfigFile.read(path).warnings == ()
    assert parsed == [path.stat().st_size]


def test_many_wrong_values_are_complained_of_in_one_pass(tmp_path: Path, parsed: list[int]) -> None:
    path = tmp_path / "config.toml"
    path.write_text("".join(f"[agents.a{number}]\ncommand = {number}\n" for number in range(6_000)))
    with pytest.raises(UserFault, match=r"line 2, agents\.a0\.command: must be a string in quotes, not 0"):
        ConfigFile.read(path)
    assert sum(parsed) <= 2 * path.stat().st_size


def test_a_wrong_value_at_the_end_of_many_lines_is_found_in_one_pass(tmp_path: Path, parsed: list[int]) -> None:
    path = tmp_path / "config.toml"
    agents = "".join(f"[agents.a{number}]\ncommand = 'x'\n" for number in range(6_000))
    path.write_text(f"{agents}command = 5\n")
    path.write_text(f"{agents}[agents.last]\nargs = 5\n")
    with pytest.raises(UserFault, match=r"line 12002, agents\.last\.args"):
        ConfigFile.read(path)
    assert sum(parsed) <= 2 * path.stat().st_size


def test_many_unknown_names_are_told_in_one_pass_and_not_without_end(tmp_path: Path, parsed: list[int]) -> None:
    path = tmp_path / "config.toml"
    path.write_text("".join(f"stranger{number} = 1\n" for number in range(6_000)))
    warnings = ConfigFile.read(path).warnings
    assert len(warnings) == WARNINGS_AT_MOST + 1
    assert warnings[99] == f"{path}, line 100, stranger99: unknown setting."
    assert warnings[-1] == f"{path}: 5,900 more unknown settings"
    assert sum(parsed) <= 2 * path.stat().st_size


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("1" * 5_000, "a number has too many digits"),
        ("0x" + "f" * 90_000, "must be a string in quotes, not a number of 360,000 bits"),
        ("[" * 90_000, "nested too deeply"),
        ("{a=" * 90_000, "nested too deeply"),
    ],
    ids=["digits", "bits", "arrays", "tables"],
)
def test_values_that_python_cannot_read_or_write_are_complained_of(tmp_path: Path, value: str, reason: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"theme = {value}\n")
    with pytest.raises(UserFault) as raised:
        ConfigFile.read(path)
    assert raised.value.message.endswith(reason)


def test_a_name_of_a_megabyte_is_cut_in_a_complaint(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"{'k' * 900_000} = 1\n")
    (warning,) = ConfigFile.read(path).warnings
    assert warning == f'{path}, line 1, "{"k" * NAME_AT_MOST}…": unknown setting.'


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
