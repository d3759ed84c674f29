"""Rooms: small folders whose `__init__` says what they are, the same map in CONTRIBUTING and in tests/unit, imports at
the top of files, and a screen that nobody is handed. (import-linter bars the circles; what it cannot see is here.)
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.house.sources import PACKAGE, ROOT, hold, name_of, nodes_of, sources, text_of, tree_of

ROOMS = [PACKAGE, *sorted(path.parent for path in PACKAGE.rglob("*/__init__.py"))]
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MOST_FILES = 14
MOST_MEMBERS = 5  # of a Protocol
SENTENCE = re.compile(r"[.!?](?:\s|$)")

NOT_EVERYWHERE = {"host/system/git.py": {"resource"}, "host/user_programs.py": {"termios"}}
"""Modules of the standard library that are not on each platform, and are imported where they are used."""

BOUNDARY = "startup.py"
"""The only file that imports by a name, and so later than its own import."""

MAP = ("<!-- map: begin -->", "<!-- map: end -->")


def sentences_of(room: Path) -> str:
    return " ".join((ast.get_docstring(tree_of(room / "__init__.py")) or "").split())


def drawn_map() -> str:
    rows = [f"| `{name_of(room)}/` | {sentences_of(room)} |" for room in ROOMS[1:]]
    return "\n".join(["| room | what it is |", "|---|---|", *rows])


def imports_in(nodes: Iterable[ast.AST]) -> Iterator[ast.Import | ast.ImportFrom]:
    yield from (node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom))


def test_a_room_is_small_and_says_what_it_is() -> None:
    def law(room: Path) -> Iterator[str]:
        files = [path for path in room.glob("*.py") if path.name != "__init__.py"]
        if len(files) > MOST_FILES:
            yield f"{len(files)} files, never over {MOST_FILES}"
        if not 1 <= (sentences := len(SENTENCE.findall(sentences_of(room)))) <= 2:
            yield f"{sentences} sentences about it, not one or two"

    hold(law, ROOMS)


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


def test_imports_stand_at_the_top() -> None:
    def law(path: Path) -> Iterator[str]:
        functions = [node for node in nodes_of(path) if isinstance(node, FUNCTIONS)]
        for node in (node for function in functions for node in imports_in(ast.walk(function))):
            names = {node.module} if isinstance(node, ast.ImportFrom) else {alias.name for alias in node.names}
            if not names <= NOT_EVERYWHERE.get(name_of(path), set()):
                yield f"line {node.lineno}, in a function: {ast.unparse(node)}"
        for word in ("import_module", "__import__") if name_of(path) != BOUNDARY else ():
            if word in text_of(path):
                yield word

    hold(law, sources())


def test_no_module_imports_from_its_own_package() -> None:
    def law(path: Path) -> Iterator[str]:
        package = ".".join(path.relative_to(ROOT).parent.parts)
        for node in imports_in(nodes_of(path)):
            if isinstance(node, ast.ImportFrom) and node.level:
                yield f"line {node.lineno}, a relative import: {ast.unparse(node)}"
            if isinstance(node, ast.ImportFrom) and node.module == package:
                there = {one.stem for one in path.parent.iterdir() if one.is_dir() or one.suffix == ".py"}
                if not {alias.name for alias in node.names} <= there:
                    yield f"line {node.lineno}, what is no module: {ast.unparse(node)}"

    hold(law, sources())


def test_a_package_imports_nothing() -> None:
    """Modules are loaded in several threads. One that loads a package waits for a module in it, and another that loads
    the module waits for its package: Python then gives one of them half a module, which ends the program now and then.
    """
    packages = [path for path in sources() if path.name == "__init__.py"]
    hold(lambda path: map(ast.unparse, imports_in(nodes_of(path))), packages)


SCREEN_HOLDERS = {"ui/app.py", "ui/conversation_screen.py"}
"""They have screens; nobody else reaches one."""
APPS = ("self.app", "app", "self._app")


def test_nobody_is_handed_the_screen() -> None:
    def law(path: Path) -> Iterator[str]:
        for node in nodes_of(path):
            if isinstance(node, ast.arg | ast.AnnAssign):
                name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
                named = name.removeprefix("self.").lstrip("_") == "screen"
                if named and "Any" in ast.unparse(node.annotation or ast.Name("Any")):
                    yield f"line {node.lineno}, a screen that may be anything: {ast.unparse(node)}"
            elif isinstance(node, ast.Attribute) and node.attr == "screen" and ast.unparse(node.value) in APPS:
                yield f"line {node.lineno}: {ast.unparse(node)}"

    assert {*SCREEN_HOLDERS} <= {name_of(path) for path in sources("ui")}
    hold(law, [path for path in sources("ui") if name_of(path) not in SCREEN_HOLDERS])


def test_a_protocol_of_the_screen_is_small() -> None:
    protocols = [
        (name_of(path), node)
        for path in sources("ui")
        for node in nodes_of(path)
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).startswith("Protocol") for base in node.bases)
    ]
    assert protocols
    members = {
        f"{place}:{node.name}": sum(isinstance(part, ast.FunctionDef | ast.AnnAssign) for part in node.body)
        for place, node in protocols
    }
    assert {name: many for name, many in members.items() if many > MOST_MEMBERS} == {}


if __name__ == "__main__":
    print(drawn_map())
