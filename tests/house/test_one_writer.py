"""A session's state has one writer, its own floor: nobody else assigns its members or changes what they hold."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import pairwise

import pytest

from acp_tui.session.state import Session
from tests.house.sources import hold, nodes_of, sources

MEMBERS = {field.name for field in fields(Session)}
CHANGING = {"append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"}


def _written(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            yield ast.unparse(node.func.value) + ".()"


def _of_a_session(place: str) -> bool:
    names = place.replace("[", ".").split(".")
    return any(one.lstrip("_") == "session" and other in MEMBERS for one, other in pairwise(names))


def _breaches(nodes: Iterable[ast.AST]) -> list[str]:
    return [place for place in _written(nodes) if _of_a_session(place)]


def test_nobody_but_the_session_writes_its_state() -> None:
    others = sorted({*sources()} - {*sources("session")})
    assert len(others) < len(sources())
    hold(lambda path: _breaches(nodes_of(path)), others)


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
    assert _breaches(ast.walk(ast.parse(text)))


@pytest.mark.parametrize("text", ["self.session = session", "x = session.title", "session.apply(fact)"])
def test_reading_is_no_writing(text: str) -> None:
    assert _breaches(ast.walk(ast.parse(text))) == []
