"""The current folder may be gone: it is asked for in one place, which can fail in words."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.sources import PACKAGE, hold, nodes_of, sources

ASKS = PACKAGE / "host" / "system" / "paths.py"
QUESTIONS = ("cwd", "getcwd", "getcwdb", "absolute", "abspath")


def questions(nodes: tuple[ast.AST, ...]) -> Iterator[str]:
    """Calls and names that ask for the current folder, whatever they are called on; `resolve()` asks only bare."""
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr="resolve"), args=[], keywords=[]):
                yield ast.unparse(node)
            case ast.Call(func=ast.Attribute(attr=name), args=arguments) if name in QUESTIONS:
                if name != "cwd" or not arguments:
                    yield ast.unparse(node)
            case ast.ImportFrom(module="os" | "os.path", names=names):
                yield from (alias.name for alias in names if alias.name in QUESTIONS)


def test_nobody_else_asks_for_the_current_folder() -> None:
    def law(path: Path) -> Iterator[str]:
        yield from questions(nodes_of(path))

    hold(law, [path for path in sources() if path != ASKS])


@pytest.mark.parametrize(
    "source", ["Path.cwd()", "os.getcwd()", "Path(a).absolute()", "a.resolve()", "from os import getcwd"]
)
def test_the_law_sees(source: str) -> None:
    assert [*questions(tuple(ast.walk(ast.parse(source))))] != []


@pytest.mark.parametrize("source", ["session.cwd", "form.resolve(1)", "Path(cwd)", "realpath(folder)"])
def test_the_law_lets_pass(source: str) -> None:
    assert [*questions(tuple(ast.walk(ast.parse(source))))] == []
