"""Standard output and standard error are written through `acp_tui.console` only, which makes all text safe."""

import ast

import pytest

from tests.house.sources import PACKAGE, hold, sources, tree_of

DOOR = PACKAGE / "console.py"
RELAY = (
    PACKAGE / "host" / "system" / "pty_relay.py"
)  # lends the terminal to a command of the user; what that writes is its own
STREAMS = ("stdout", "stderr", "__stdout__", "__stderr__")
ASKED = ("isatty", "fileno", "encoding")  # what may be asked of a stream by others
WRITERS = ("print", "print_exc", "print_exception")
TERMINALS = ("/dev/tty", "/dev/stdout", "/dev/stderr", "CONOUT$")


def offences(tree: ast.Module) -> list[str]:
    """Where a stream is used for more than a question, printed to, or opened by its name."""
    nodes = list(ast.walk(tree))
    asked = {id(part) for node in nodes for part in questioned(node)}
    return [ast.unparse(node) for node in nodes if id(node) not in asked and offends(node)]


def questioned(node: ast.AST) -> list[ast.expr]:
    """What of an expression is only asked about."""
    if isinstance(node, ast.Attribute):
        return [node.value] if node.attr in ASKED else []
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    return node.args if isinstance(node, ast.Call) and name_of(node.func) == "_is_terminal" else []


def offends(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="sys"), attr=name):
            return name in STREAMS
        case ast.Call(func=function, args=[ast.Constant(value=1 | 2), *_]) if name_of(function) == "write":
            return True
        case ast.Call(func=function):
            return name_of(function) in WRITERS
        case ast.ImportFrom(module="sys", names=names):
            return any(alias.name in STREAMS for alias in names)
        case ast.Constant(value=value):
            return value in TERMINALS
    return False


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_nobody_else_writes_to_a_standard_stream() -> None:
    others = [path for path in sources() if path not in (DOOR, RELAY) and "demo" not in path.parts]
    hold(lambda path: offences(tree_of(path)), others)


@pytest.mark.parametrize(
    "source",
    [
        "sys.stderr.write(message)",
        "sys.stdout.buffer.write(data)",
        "print(name)",
        "print(name, file=sys.stderr)",
        "traceback.print_exc()",
        "out = sys.stdout",
        "from sys import stderr",
        "os.write(2, data)",
        "open('/dev/tty', 'w')",
        "sys.__stderr__.write(message)",
    ],
)
def test_what_the_test_is_there_for(source: str) -> None:
    assert offences(ast.parse(source))


@pytest.mark.parametrize("source", ["sys.stdout.isatty()", "_is_terminal(sys.stdin, sys.stdout)", "file.write(text)"])
def test_what_is_allowed(source: str) -> None:
    assert not offences(ast.parse(source))
