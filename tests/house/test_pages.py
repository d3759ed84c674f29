"""What README.md and docs/ say of the program is what the program says; links and named tests exist."""

import ast
import re
from pathlib import Path

import pytest

from tests.house.pages import PAGES, PART, PARTS, ROOT, SCHEMA, WORKS, made, made_schema

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
LINK = re.compile(r"\]\((?!https?://)([^)#]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_parts_made_from_the_program_are_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == made(text), "run python -m tests.house.pages"


def test_the_schema_of_the_config_file_is_up_to_date() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == made_schema(), "run python -m tests.house.pages"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_part_has_its_place() -> None:
    placed = {found[1] for page in PAGES for found in PART.finditer(page.read_text(encoding="utf-8"))}
    assert placed >= PARTS.keys()


def test_every_row_of_what_works_names_tests_that_exist() -> None:
    named = [test for group in WORKS for _, *tests in group["rows"] for test in tests]
    assert len(named) >= 40
    assert [test for test in named if not _exists(*test.partition("::")[::2])] == []
    assert [row for group in WORKS for row in group["rows"] if len(row) < 2] == []


def _exists(path: str, name: str) -> bool:
    file = ROOT / path
    if not file.is_file():
        return False
    functions = {node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, FUNCTIONS)}
    return name in functions if name else any(one.startswith("test_") for one in functions)
