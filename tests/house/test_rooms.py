"""Rooms: small folders whose `__init__` says what they are, the same map in CONTRIBUTING and in tests/unit, imports at
the top of files, and a screen that nobody is handed. (import-linter bars the circles; what it cannot see is here.)
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "acp_tui"
SOURCES = sorted(PACKAGE.rglob("*.py"))
ROOMS = [PACKAGE, *sorted(path.parent for path in PACKAGE.rglob("*/__init__.py"))]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MOST_FILES = 14
MOST_MEMBERS = 5  # of a Protocol
SENTENCE = re.compile(r"[.!?](?:\s|$)")

NOT_EVERYWHERE = {"host/system/git.py": {"resource"}, "host/desktop/foreground.py": {"termios"}}
"""Modules of the standard library that are not on each platform, and are imported where they are used."""

BOUNDARY = "startup.py"
"""The only file that imports by a name, and so later than its own import."""

MAP = ("<!-- map: begin -->", "<!-- map: end -->")


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def sentences_of(room: Path) -> str:
    return " ".join((ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or "").split())


def drawn_map() -> str:
    rows = [f"| `{name_of(room)}/` | {sentences_of(room)} |" for room in ROOMS[1:]]
    return "\n".join(["| room | what it is |", "|---|---|", *rows])


def imports_in(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


@pytest.mark.parametrize("room", ROOMS, ids=name_of)
def test_a_room_is_small_and_says_what_it_is(room: Path) -> None:
    files = [path for path in room.glob("*.py") if path.name != "__init__.py"]
    assert len(files) <= MOST_FILES
    assert 1 <= len(SENTENCE.findall(sentences_of(room))) <= 2


def test_contributing_has_the_map() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    assert text.partition(MAP[0])[2].partition(MAP[1])[0].strip() == drawn_map()


def test_contributing_names_files_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = set(re.findall(r"`([a-z0-9_/]+(?:\.(?:py|json|toml)|/))`", text))
    assert len(named) > 40
    missing = {name for name in named if not (PACKAGE / name).exists() and not (ROOT / name).exists()}
    assert missing == set()


def test_unit_tests_mirror_the_rooms() -> None:
    folders = {path.parent for path in (ROOT / "tests" / "unit").rglob("test_*.py")}
    rooms = {name_of(room) for room in ROOMS}
    assert {folder.relative_to(ROOT / "tests" / "unit").as_posix() for folder in folders} <= rooms


def test_no_part_of_the_contract_against_circles_is_switched_off() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    assert "exclude_type_checking_imports" not in contracts
    (acyclic,) = [contract for contract in contracts["contracts"] if contract["type"] == "acyclic_siblings"]
    assert set(acyclic) == {"name", "type", "ancestors"}
    assert acyclic["ancestors"] == ["acp_tui"]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_stand_at_the_top(path: Path) -> None:
    functions = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, FUNCTIONS)]
    late = {
        name
        for function in functions
        for node in imports_in(function)
        for name in ([node.module] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert late <= NOT_EVERYWHERE.get(name_of(path), set())
    if name_of(path) != BOUNDARY:
        assert "import_module" not in path.read_text()
        assert "__import__" not in path.read_text()


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_module_imports_from_its_own_package(path: Path) -> None:
    package = ".".join(path.relative_to(ROOT).parent.parts)
    for node in imports_in(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.ImportFrom) and node.level), "a relative import"
        if isinstance(node, ast.ImportFrom) and node.module == package:
            names = {alias.name for alias in node.names}
            assert names <= {found.stem for found in path.parent.glob("*.py")} | {
                found.name for found in path.parent.iterdir() if found.is_dir()
            }


@pytest.mark.parametrize("path", [path for path in SOURCES if path.name == "__init__.py"], ids=name_of)
def test_a_package_imports_nothing(path: Path) -> None:
    """Modules are loaded in several threads. One that loads a package waits for a module in it, and another that loads
    the module waits for its package: Python then gives one of them half a module, which ends the program now and then.
    """
    assert not list(imports_in(ast.parse(path.read_text())))


SCREEN_HOLDERS = {"ui/app.py", "ui/screen.py"}
"""They have screens; nobody else reaches one."""


@pytest.mark.parametrize("path", [path for path in SOURCES if "ui" in path.relative_to(PACKAGE).parts], ids=name_of)
def test_nobody_is_handed_the_screen(path: Path) -> None:
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and name_of(path) not in SCREEN_HOLDERS:
            name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
            assert name.removeprefix("self.").lstrip("_") != "screen" or "Any" not in ast.unparse(
                node.annotation or ast.Name("Any")
            )
        if isinstance(node, ast.Attribute) and node.attr == "screen" and name_of(path) not in SCREEN_HOLDERS:
            assert ast.unparse(node.value) not in ("self.app", "app", "self._app")
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).startswith("Protocol") for base in node.bases):
            members = [part for part in node.body if isinstance(part, ast.FunctionDef | ast.AnnAssign)]
            assert len(members) <= MOST_MEMBERS, node.name


if __name__ == "__main__":
    print(drawn_map())
