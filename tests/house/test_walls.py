"""What the floors must not know, and what the project must not say."""

import re

from acp_tui import __version__
from tests.house.sources import PACKAGE, ROOT, hold, sources, text_of

VERSION_WORDS = re.compile(r"\bv[12]\b|protocol_version|protocolVersion", re.IGNORECASE)
VAGUE_NAMES = re.compile(r"manager|handler|util|helper|common")


def test_nobody_above_protocol_asks_the_version() -> None:
    for room in ("session", "ui"):
        hold(lambda path: VERSION_WORDS.findall(text_of(path)), sources(room))


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
    """The rules name it as a command of an agent, and start nothing."""
    rules = sources("host/rules")
    named = [path.name for path in sources() if path not in rules and re.search(r"""["']git["' ]""", text_of(path))]
    assert named == ["git.py"]
    assert [path.name for path in rules if "subprocess" in text_of(path)] == []
