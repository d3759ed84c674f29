"""The README's table of what works names, for each row, tests that exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACE = re.compile(r"<!-- works -->\n(.*?)<!-- /works -->", re.DOTALL)
TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


def _rows() -> list[str]:
    found = PLACE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None, "README.md has no place for what works"
    return [line for line in found[1].splitlines() if line.startswith("|")][2:]


def _exists(path: str, name: str) -> bool:
    file = ROOT / path
    if not file.is_file():
        return False
    functions = {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, FUNCTIONS)}
    return name in functions if name else any(one.startswith("test_") for one in functions)


FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def test_every_row_names_tests_that_exist() -> None:
    rows = _rows()
    assert len(rows) >= 10
    assert [row for row in rows if not TEST.search(row)] == []
    named = [match for row in rows for match in TEST.findall(row)]
    assert [f"{path}::{name}" for path, name in named if not _exists(path, name)] == []
