"""Nobody hangs a function on another room's object: what is added is an extension, a message or an argument."""

import ast
from collections import Counter
from collections.abc import Iterator

from tests.house.sources import name_of, nodes_of, sources

LEFT = Counter(
    {
        "host/agent/logins.py": 1,
        "host/changes/moments.py": 3,
        "host/changes/turn_points.py": 1,
        "host/client.py": 1,
        "host/project_files/file_index.py": 1,
        "host/sessions/children.py": 1,
        "host/sessions/conversation.py": 1,
        "host/sessions/sessions.py": 1,
        "ui/bridge.py": 1,
        "ui/diff_view/line_cursor.py": 1,
        "ui/questions/permission/full_screen.py": 1,
        "ui/sidebar/panel.py": 1,
        "ui/status/header.py": 1,
        "ui/transcript/view.py": 3,
    }
)
"""How many hooks each file still has; the numbers may only become smaller."""


def attributes(target: ast.AST) -> Iterator[ast.Attribute]:
    for part in target.elts if isinstance(target, ast.Tuple) else [target]:
        if isinstance(part, ast.Attribute):
            yield part


def is_own(target: ast.Attribute) -> bool:
    return isinstance(target.value, ast.Name) and target.value.id == "self"


def hook_of(node: ast.AST) -> str:
    """The public attribute that is some function until another one is put there; empty where a node makes none."""
    if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Attribute)) or node.value is None:
        return ""
    name, is_function = node.target.attr, ast.unparse(node.annotation).startswith("Callable")
    return name if is_function and is_own(node.target) and not name.startswith("_") else ""


def test_no_function_waits_for_another_room_to_replace_it() -> None:
    nodes = [(name_of(path), node) for path in sources() for node in nodes_of(path)]
    targets = [target for _, node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    replaced = {each.attr for target in targets for each in attributes(target) if not is_own(each)}
    found = Counter(name for name, node in nodes if hook_of(node) in replaced)
    assert found - LEFT == Counter()
    assert found  # else the law looks at nothing
