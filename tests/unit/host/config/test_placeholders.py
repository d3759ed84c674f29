"""Values in place of placeholders, and what is none."""

from pathlib import Path

import pytest

from acp_tui.host.config.source_files import Placeholders, Unfilled
from tests.rows import each_of

VARIABLES = {"A": "one", "EMPTY": "", "B": "two", "TOKEN": "secret-1"}


def places(folder: Path = Path("/project")) -> Placeholders:
    return Placeholders(VARIABLES, folder)


@each_of(
    ("text", "expected"),
    [
        ("${A}", "one"),
        ("x${A}${B}y", "xonetwoy"),
        ("${EMPTY}", ""),
        ("${EMPTY:-other}", "other"),
        ("${A:-other}", "one"),
        ("${NONE:-other}", "other"),
        ("${NONE:-}", ""),
        ("${NONE:-a:-b}", "a:-b"),
        ("${NONE:-${A}}", "one"),
        ("${NONE:-${NONE:-${NONE:-d}}}${NONE:-${NONE:-${A}}}", "done"),
        ("${NONE:-{" * 50_000, "${NONE:-{" * 50_000),
        ('${NONE:-{"a": 1}}', '{"a": 1}'),
        ("${env:A}", "one"),
        ("{env:A}", "one"),
        ("${workspaceFolder}/bin/${workspaceFolderBasename}", "/project/bin/project"),
        ("$A ${A%.*} ${A:+x} ${1} ${} $5 $$ {A} {{x}} ${A", "$A ${A%.*} ${A:+x} ${1} ${} $5 $$ {A} {{x}} ${A"),
        ("cost$", "cost$"),
    ],
)
def test_placeholders_are_filled_and_all_else_is_left(text: str, expected: str) -> None:
    assert places().fill(text) == expected


def test_ours_count_where_the_agent_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A", "ours")
    monkeypatch.setenv("OURS", "too")
    assert places().fill("${A} ${OURS}") == "one too"


def test_a_value_is_no_text_with_placeholders() -> None:
    assert Placeholders({"A": "${B}", "B": "b"}, Path("/")).fill("${A}") == "${B}"


@each_of(
    ("text", "told"),
    [
        ("${NONE}", "the variable NONE is not set"),
        ("{env:NONE}", "the variable NONE is not set"),
        ("${A:-${NONE}}${NONE:-${NO}}", "the variable NO is not set"),
        ("${input:key}", "${input:key} cannot be filled in"),
        ("${command:x.y}", "${command:x.y} cannot be filled in"),
        ("{file:./key}", "{file:./key} cannot be filled in"),
    ],
)
def test_what_has_no_value_is_named(text: str, told: str) -> None:
    with pytest.raises(Unfilled) as raised:
        places().fill(text)
    assert str(raised.value).startswith(told)


def test_values_that_may_be_secret_are_known() -> None:
    filling = Placeholders({"T": "long", "P": "abc", "HOME": "/home/me"}, Path("/project"))
    filling.fill("${T}${P}${HOME}${workspaceFolder}${NONE:-default}")
    assert filling.put_in == ["long"]
