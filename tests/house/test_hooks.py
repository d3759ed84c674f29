"""Nobody hangs a function on another room's object: what is added is an extension, a message or an argument."""

import ast
from collections.abc import Iterable, Iterator

from tests.house.sources import name_of, nodes_of, sources


def attributes(target: ast.AST) -> Iterator[ast.Attribute]:
    for part in target.elts if isinstance(target, ast.Tuple) else [target]:
        if isinstance(part, ast.Attribute):
            yield part


def is_own(target: ast.Attribute) -> bool:
    return isinstance(target.value, ast.Name) and target.value.id == "self"


def hook_of(node: ast.AST, functions: set[str]) -> str:
    """The attribute that is some function until another one is put there; empty where a node makes none.

    `functions` are names of types that are functions.
    """
    if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute)) or node.value is None:
        return ""
    kind = ast.unparse(node.annotation).partition("[")[0]
    is_function = kind in functions or isinstance(node.value, ast.Lambda)
    return node.target.attr if is_function and is_own(node.target) else ""


def hooks(nodes: Iterable[ast.AST]) -> list[str]:
    """The hooks among these nodes that somebody replaces from outside."""
    nodes = list(nodes)
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    types = (each for each in assigned if ast.unparse(each.value).startswith("Callable["))
    functions = {"Callable", *(ast.unparse(name) for each in types for name in each.targets)}
    functions |= {node.name for node in nodes if isinstance(node, ast.ClassDef) and is_function_type(node)}
    replaced = {
        each.attr for node in assigned for target in node.targets for each in attributes(target) if not is_own(each)
    }
    return sorted({hook for node in nodes if (hook := hook_of(node, functions)) in replaced})


def is_function_type(node: ast.ClassDef) -> bool:
    """Whether it is a protocol of something that is called."""
    called = any(isinstance(each, ast.FunctionDef) and each.name == "__call__" for each in node.body)
    return called and any(ast.unparse(base) == "Protocol" for base in node.bases)


def test_no_function_waits_for_another_room_to_replace_it() -> None:
    assert hooks(node for path in sources() for node in nodes_of(path)) == []
    assert {name_of(path) for path in sources()} > {"host/client.py", "ui/parts.py"}  # else the law looks at nothing


def test_the_law_finds_each_kind_of_hook() -> None:
    found = ast.parse(
        "Then = Callable[[], None]\n"
        "class Find(Protocol):\n    def __call__(self): ...\n"
        "class Bell:\n    def __init__(self, own):\n"
        "        self.rung: Callable[[], None] = nothing\n"
        "        self.then: Then = nothing\n"
        "        self.find: Find = nothing\n"
        "        self._said: Words = lambda: None\n"
        "        self.mine: Then = nothing\n"
        "        self.name: str = ''\n"
        "bell.rung, bell.then = ring, ring\n"
        "bell.find = bell._said = bell.name = found\n"
    )
    assert hooks(ast.walk(found)) == ["_said", "find", "rung", "then"]
