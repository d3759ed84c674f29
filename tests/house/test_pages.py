"""What README.md and docs/ say of the program is what the program says; links and named tests exist."""

import ast
import re
from difflib import unified_diff
from pathlib import Path

from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS
from acp_tui.ui.commands.registry import COMMANDS
from tests.house.pages import PAGES, PART, PARTS, ROOT, SCHEMA, WORKS, made, made_schema
from tests.house.sources import nodes_of

ANCHOR = re.compile(r"\]\(([^)#:]*)#([^)]+)\)")
IN_PALETTE = re.compile(r"\"([^\"]+)\" in the (?:command )?palette|Ctrl\+P and choose \"([^\"]+)\"")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
COUNTS = ("five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen")
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
LINK = re.compile(r"(?:\]\(|src(?:set)?=\")(?!https?://)([^)#\"]+)")


def test_there_are_pages() -> None:
    assert {"README.md", "what-works.md"} <= {page.name for page in PAGES}


def test_the_parts_made_from_the_program_are_up_to_date() -> None:
    texts = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
    stale = {name: _difference(text, now) for name, text in texts.items() if text != (now := made(text))}
    assert stale == {}, "run python -m tests.house.pages"


def _difference(text: str, now: str) -> list[str]:
    return [*unified_diff(text.splitlines(keepends=True), now.splitlines(keepends=True), n=0)]


def test_the_schema_of_the_config_file_is_up_to_date() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == made_schema(), "run python -m tests.house.pages"


def test_every_link_leads_to_a_file() -> None:
    links = [(page, link) for page in PAGES for link in LINK.findall(page.read_text(encoding="utf-8"))]
    assert links
    assert [f"{page.name}: {link}" for page, link in links if not (page.parent / link).exists()] == []


def test_every_entry_of_the_palette_that_is_named_is_one() -> None:
    named = {name for page in PAGES for pair in IN_PALETTE.findall(page.read_text(encoding="utf-8")) for name in pair}
    assert named - {""}
    assert named - {"", *(command.label for command in COMMANDS)} == set()


def test_every_anchor_is_a_heading() -> None:
    links, wrong = 0, list[str]()
    for page in (*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"):
        for file, to in ANCHOR.findall(page.read_text(encoding="utf-8")):
            links += 1
            wrong += [f"{page.name}: {file}#{to}"] if to not in _anchors(page.parent / file if file else page) else []
    assert links
    assert wrong == []


def _anchors(page: Path) -> set[str]:
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_the_readme_is_short_and_begins_with_undo_and_the_diff() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 150
    first = " ".join(lines[:20])
    undo = "`/undo` reverts what a turn did to your project's files, shell commands included, after a preview."
    assert undo in first
    assert "screenshots/demo.svg" in first
    assert "prefers-color-scheme: light" in first
    assert f"and {COUNTS[len(KNOWN_AGENTS) - 5 - 5]} more coding agents" in first
    assert "on day one" not in " ".join(lines)


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
    functions = {node.name for node in nodes_of(file) if isinstance(node, FUNCTIONS)}
    return name in functions if name else any(one.startswith("test_") for one in functions)
