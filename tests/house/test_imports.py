"""Every module of the program can be imported, on each Python, and has what those take from it that import it late."""

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path

import acp_tui
from tests.house.sources import hold, nodes_of, sources, text_of

PACKAGE = Path(acp_tui.__file__).parent
PROGRAMS = {"__main__"}  # importing it runs it


def test_every_module_can_be_imported() -> None:
    names = [
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.stem not in PROGRAMS
    ]
    assert len(names) > 100
    for name in names:
        import_module(name)


def test_what_is_taken_from_a_late_module_is_there() -> None:
    """The type checker does not know: `late` gives any module."""

    def law(path: Path) -> Iterator[str]:
        constants = {
            ast.unparse(node.targets[0]): node.value for node in nodes_of(path) if isinstance(node, ast.Assign)
        }
        for scope in (node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)):
            modules = _late_modules(scope, constants)
            for node in ast.walk(scope):
                name = modules.get(ast.unparse(node.value), "") if isinstance(node, ast.Attribute) else ""
                if isinstance(node, ast.Attribute) and name and not hasattr(import_module(name), node.attr):
                    yield f"line {node.lineno}: {name} has no {node.attr}"

    hold(law, [path for path in sources() if "late(" in text_of(path)])


def _late_modules(scope: ast.AST, constants: Mapping[str, ast.expr]) -> dict[str, str]:
    """Modules of the program by what stands for each in a function: a call of `late`, a variable with its result."""
    found: dict[str, str] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "late":
            name = constants.get(ast.unparse(node.args[0]), node.args[0])
            if isinstance(name, ast.Constant) and str(name.value).startswith("acp_tui."):
                found[ast.unparse(node)] = str(name.value)
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            targets, values = (getattr(part, "elts", [part]) for part in (node.targets[0], node.value))
            given = zip(map(ast.unparse, targets), map(ast.unparse, values), strict=False)
            found |= {variable: found[call] for variable, call in given if call in found}
    return found
