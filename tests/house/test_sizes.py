"""Files, classes and functions stay small; the larger ones give their reason, none passes the hard limit."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "acp_tui"
FILE, CLASS, FUNCTION = (400, 450), (250, 300), (43, 80)
SOURCES = sorted(ROOT.rglob("*.py"))


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
    text = path.read_text()
    tree = ast.parse(text)
    yield _too_big(str(path.relative_to(ROOT)), text.count("\n"), FILE, ast.get_docstring(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            limits = CLASS if isinstance(node, ast.ClassDef) else FUNCTION
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield _too_big(f"{path.relative_to(ROOT)}:{node.name}", lines, limits, ast.get_docstring(node))


@pytest.mark.parametrize("path", SOURCES, ids=[str(path.relative_to(ROOT)) for path in SOURCES])
def test_sizes(path: Path) -> None:
    assert [problem for problem in _measure(path) if problem] == []
