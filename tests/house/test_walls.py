"""What the floors must not know, and what the project must not say."""

import re
from pathlib import Path

import pytest

from acp_tui.version import __version__

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "acp_tui"
ABOVE_PROTOCOL = sorted([*(PACKAGE / "session").rglob("*.py"), *(PACKAGE / "ui").rglob("*.py")])
VERSION_WORDS = re.compile(r"\bv[12]\b|protocol_version|protocolVersion", re.IGNORECASE)
VAGUE_NAMES = re.compile(r"manager|handler|util|helper|common")


@pytest.mark.parametrize("path", ABOVE_PROTOCOL, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nobody_above_protocol_asks_the_version(path: Path) -> None:
    assert VERSION_WORDS.findall(path.read_text()) == []


def test_no_file_or_folder_has_a_vague_name() -> None:
    assert [path.name for path in PACKAGE.rglob("*") if VAGUE_NAMES.search(path.stem)] == []


def test_version_is_the_newest_of_the_changelog() -> None:
    newest = re.search(r"^## (\d\S*)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == __version__


def test_every_dependency_says_why() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    dependencies = [line for line in lines if re.match(r'    "[A-Za-z-]+[><=]', line)]
    assert len(dependencies) > 5
    assert [line for line in dependencies if "# " not in line] == []


def test_git_is_run_in_one_place_only() -> None:
    named = [path.name for path in PACKAGE.rglob("*.py") if re.search(r"""["']git["' ]""", path.read_text())]
    assert named == ["git.py"]
