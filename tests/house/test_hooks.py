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


def defaults(node: ast.AST) -> Iterator[tuple[str, ast.AnnAssign]]:
    """What a node gives an object to begin with: an attribute, or the fields of a data class that can be written."""
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute) and is_own(node.target):
        yield node.target.attr, node
    elif isinstance(node, ast.ClassDef) and any(is_written(each) for each in node.decorator_list):
        fields = (each for each in node.body if isinstance(each, ast.AnnAssign))
        yield from ((ast.unparse(each.target), each) for each in fields)


def is_written(decorator: ast.expr) -> bool:
    text = ast.unparse(decorator)
    return text.startswith("dataclass") and "frozen=True" not in text


def hooks(nodes: Iterable[ast.AST]) -> list[str]:
    """Attributes that are some function until somebody puts another one there from outside."""
    nodes = list(nodes)
    assigned = [node for node in nodes if isinstance(node, ast.Assign)]
    types = (each for each in assigned if ast.unparse(each.value).startswith("Callable["))
    functions = {"Callable", *(ast.unparse(name) for each in types for name in each.targets)}
    functions |= {node.name for node in nodes if isinstance(node, ast.ClassDef) and is_function_type(node)}
    targets = [each for node in assigned for target in node.targets for each in attributes(target)]
    replaced = {each.attr for each in targets if not is_own(each)}
    begun = ((name, each) for node in nodes for name, each in defaults(node) if each.value is not None)
    found = (name for name, each in begun if isinstance(each.value, ast.Lambda) or type_of(each) in functions)
    return sorted(replaced & {*found})


def type_of(node: ast.AnnAssign) -> str:
    return ast.unparse(node.annotation).partition("[")[0]


def is_function_type(node: ast.ClassDef) -> bool:
    """Whether it is a protocol of something that is called."""
    called = any(isinstance(each, ast.FunctionDef) and each.name == "__call__" for each in node.body)
    return called and any(ast.unparse(base) == "Protocol" for base in node.bases)


def test_no_function_waits_for_another_room_to_replace_it() -> None:
    assert hooks(node for path in sources() for node in nodes_of(path)) == []
    assert {name_of(path) for path in sources()} > {
        "host/client.py",
        "ui/screen_parts.py",
    }  # else the law looks at nothing


def test_the_law_finds_each_kind_of_hook() -> None:
    found = ast.parse(
        "Then = Callable[[], None]\n"
        "class Find(Protocol):\n    def __call__(self): ...\n"
        "@dataclass\nclass Bell:\n    swung: Then = nothing\n    def __init__(self, own):\n"
        "        self.rung: Callable[[], None] = nothing\n"
        "        self.then: Then = nothing\n"
        "        self.find: Find = nothing\n"
        "        self._said: Words = lambda: None\n"
        "        self.mine: Then = nothing\n"
        "        self.name: str = ''\n"
        "bell.rung, bell.then, bell.swung = ring, ring, ring\n"
        "bell.find = bell._said = bell.name = found\n"
    )
    assert hooks(ast.walk(found)) == ["_said", "find", "rung", "swung", "then"]
