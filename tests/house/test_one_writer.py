"""A session's state has one writer, its own floor: nobody else assigns its members or changes what they hold."""

import ast
from collections.abc import Iterator
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

from acp_tui.session.state import Session

ROOT = Path(__file__).parents[2] / "acp_tui"
SOURCES = sorted(path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "session")
MEMBERS = {field.name for field in fields(Session)}
CHANGING = {"append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}


def _written(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            yield ast.unparse(node.func.value) + ".()"


def _of_a_session(place: str) -> bool:
    names = place.replace("[", ".").split(".")
    return any(one.lstrip("_") == "session" and other in MEMBERS for one, other in pairwise(names))


def _breaches(text: str) -> list[str]:
    return [place for place in _written(ast.parse(text)) if _of_a_session(place)]


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(ROOT)) for path in SOURCES])
def test_nobody_but_the_session_writes_its_state(path: Path) -> None:
    assert _breaches(path.read_text()) == []


@pytest.mark.parametrize(
    "text",
    [
        "session.title = ''",
        "session.id, x = 1, 2",
        "self._session.turn.state = ''",
        "a.session.plans['p'] = 1",
        "session.config_in_flight.clear()",
        "del session.entries[0]",
    ],
)
def test_writing_is_found(text: str) -> None:
    assert _breaches(text)


@pytest.mark.parametrize("text", ["self.session = session", "x = session.title", "session.apply(fact)"])
def test_reading_is_no_writing(text: str) -> None:
    assert _breaches(text) == []
