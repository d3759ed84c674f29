"""Agent text is never markup: what a markup-parsing sink of Textual is given must be a literal or `Content`.

The test reads source, not types: it knows the sinks by name, and which functions of the package give `Content`
or `str` by their annotations.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.house.sources import hold, sources, tree_of

WIDGETS = frozenset(
    ("Static", "Label", "Button", "Option", "Checkbox", "RadioButton", "ToggleButton", "Link", "Tab", "TabPane")
)
NOTIFIERS = frozenset(("notify",))
ATTRIBUTES = frozenset(("border_title", "border_subtitle", "tooltip"))
SAFE_MAKERS = frozenset(("Content", "Text", "safe", "Strip", "Group", "Table"))
SAFE_TYPES = frozenset(("Content", "Text", "VisualType", "Visual", "RenderableType", "Table"))
MARKUP_MAKERS = frozenset(("from_markup", "from_rich_text_markup"))


def returns(tree: ast.Module) -> dict[str, set[str]]:
    """For each function's name, what functions of that name are annotated to give."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            found.setdefault(node.name, set()).add(ast.unparse(node.returns))
    return found


def own_classes(tree: ast.Module) -> set[str]:
    """Names of the package's classes, which may be called like Textual's."""
    found = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("acp_tui"):
            found |= {alias.asname or alias.name for alias in node.names}
    return found


def name_of(call: ast.expr) -> str:
    return call.attr if isinstance(call, ast.Attribute) else call.id if isinstance(call, ast.Name) else ""


class Reader:
    """Judges expressions inside one function."""

    def __init__(self, scope: ast.AST, functions: dict[str, set[str]]) -> None:
        self.functions = functions
        self.names: dict[str, list[ast.expr]] = {}
        self.types: dict[str, str] = {}
        for node in ast.walk(scope):
            if isinstance(node, ast.arg) and node.annotation is not None:
                self.types[node.arg] = ast.unparse(node.annotation)
            elif isinstance(node, ast.AnnAssign):
                self.types[name_of(node.target)] = ast.unparse(node.annotation)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    self.names.setdefault(name_of(target), []).append(node.value)

    def is_safe(self, node: ast.expr) -> bool:
        """A literal, or `Content` by construction or annotation."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.IfExp):
            return self.is_safe(node.body) and self.is_safe(node.orelse)
        if isinstance(node, ast.Call):
            return self._call_is_safe(node)
        name = name_of(node)
        if self.types.get(name) in SAFE_TYPES:
            return True
        return name in self.names and all(self.is_safe(value) for value in self.names[name])

    def _call_is_safe(self, call: ast.Call) -> bool:
        if name_of(call.func) in MARKUP_MAKERS:
            return False
        if name_of(call.func) in SAFE_MAKERS:
            return True
        if isinstance(call.func, ast.Attribute):
            receiver = call.func.value
            if name_of(receiver) in SAFE_MAKERS or (isinstance(receiver, ast.Call) and self._call_is_safe(receiver)):
                return True
        given = self.functions.get(name_of(call.func), set())
        return bool(given) and given <= SAFE_TYPES

    def is_str(self, node: ast.expr) -> bool:
        """Certainly a `str` that is no literal."""
        if isinstance(node, ast.JoinedStr):
            return True
        if isinstance(node, ast.BinOp):
            return self.is_str(node.left) or self.is_str(node.right)
        if isinstance(node, ast.Call):
            return name_of(node.func) == "str" or self.functions.get(name_of(node.func), set()) == {"str"}
        return isinstance(node, ast.Name) and self.types.get(node.id) == "str"


def offences(tree: ast.Module, functions: dict[str, set[str]] | None = None) -> Iterator[tuple[int, str]]:
    """Lines on which a sink is given what may be a `str` from elsewhere."""
    known = {**(functions or {}), **returns(tree)}
    sinks = WIDGETS - own_classes(tree) | NOTIFIERS
    scopes = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    for scope in scopes:
        reader = Reader(scope, known)
        for node in ast.walk(scope):
            if isinstance(node, ast.Call):
                yield from call_offences(node, reader, sinks)
            elif isinstance(node, ast.Assign) and sets_markup(node) and not reader.is_safe(node.value):
                yield node.lineno, ast.unparse(node)


def sets_markup(node: ast.Assign) -> bool:
    return any(isinstance(target, ast.Attribute) and target.attr in ATTRIBUTES for target in node.targets)


def call_offences(call: ast.Call, reader: Reader, sinks: frozenset[str]) -> Iterator[tuple[int, str]]:
    name = name_of(call.func)
    texts = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg in ("content", "label"))]
    if name in MARKUP_MAKERS:
        bad = not all(isinstance(text, ast.Constant) for text in texts)
    elif name in sinks:
        bad = not is_plain(call) and not all(reader.is_safe(text) for text in texts)
    else:
        bad = name == "update" and any(reader.is_str(text) for text in texts)
    if bad:
        yield call.lineno, ast.unparse(call)


def is_plain(call: ast.Call) -> bool:
    """Whether the call says that its text is no markup."""
    return any(
        keyword.arg == "markup" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in call.keywords
    )


def functions_of(paths: Iterable[Path]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in paths:
        for function, types in returns(tree_of(path)).items():
            found.setdefault(function, set()).update(types)
    return found


def test_no_foreign_text_reaches_a_sink_that_parses_markup() -> None:
    functions = functions_of(sources("ui"))

    def law(path: Path) -> Iterator[str]:
        yield from (f"line {line}: {source}" for line, source in offences(tree_of(path), functions))

    hold(law, sources("ui"))


@pytest.mark.parametrize(
    "source",
    [
        "def f(title: str): return Static(title)",
        "def f(title): return Label(f'{title}')",
        "def f(app, name: str): app.notify(name)",
        "def f(app, name: str): app.notify('Agent ' + name)",
        "def f(w, name: str): w.border_title = name",
        "def f(w, name: str): w.update(f'[b]{name}')",
        "def f(name: str): return Static(Content.from_markup(name))",
        "def f(name): return Option(name.strip())",
        "def f(x):\n    text = x.title\n    return Static(text)",
    ],
)
def test_what_the_test_is_there_for(source: str) -> None:
    assert list(offences(ast.parse(source)))


@pytest.mark.parametrize(
    "source",
    [
        "def f(): return Static('[b]ours[/b]')",
        "def f(title): return Static(safe(title))",
        "def f(title): return Static(title, markup=False)",
        "def f(app, name: str): app.notify(name, markup=False)",
        "def f(w, title): w.border_title = Content(title)",
        "def f(w, title: Content): w.update(title)",
        "def f(rows): return Static(Content('\\n').join(rows))",
    ],
)
def test_what_is_allowed(source: str) -> None:
    assert not list(offences(ast.parse(source)))
