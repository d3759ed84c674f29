"""Files, classes and functions stay small; the larger ones give their reason, none passes the hard limit."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import hold, nodes_of, sources, text_of, tree_of

FILE, CLASS, FUNCTION = (400, 450), (250, 300), (43, 80)


def _reasoned(docstring: str | None) -> bool:
    return "reason" in (docstring or "").lower()


def _too_big(what: str, lines: int, limits: tuple[int, int], docstring: str | None) -> str | None:
    soft, hard = limits
    if lines > hard:
        return f"{what}: {lines} lines, never over {hard}"
    if lines > soft and not _reasoned(docstring):
        return f"{what}: {lines} lines, over {soft} without a reason in its docstring"
    return None


def _measure(path: Path) -> Iterator[str | None]:
    yield _too_big("the file", text_of(path).count("\n"), FILE, ast.get_docstring(tree_of(path)))
    for node in nodes_of(path):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            limits = CLASS if isinstance(node, ast.ClassDef) else FUNCTION
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield _too_big(node.name, lines, limits, ast.get_docstring(node))


def test_sizes() -> None:
    hold(lambda path: filter(None, _measure(path)), sources())
