"""The program's own source, found once and parsed once for all laws of the house."""

import ast
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "acp_tui"


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def sources(*rooms: str) -> tuple[Path, ...]:
    """All files of these rooms; of the whole package without any."""
    places = [PACKAGE / room for room in rooms] or [PACKAGE]
    return tuple(sorted(path for place in places for path in place.rglob("*.py")))


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(text_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file: most laws look at each of them."""
    return tuple(ast.walk(tree_of(path)))


def hold(law: Callable[[Path], Iterable[object]], paths: Iterable[Path]) -> None:
    """Fail where a law complains, with a line for each complaint: the file, and what is wrong there.

    A law that looks at nothing holds nothing, and fails too.
    """
    looked_at = {name_of(path): [*law(path)] for path in paths}
    problems = [f"{name}: {problem}" for name, found in looked_at.items() for problem in found]
    if not looked_at or problems:
        pytest.fail("\n".join([f"{len(problems)} problems in {len(looked_at)} files", *problems]), pytrace=False)
