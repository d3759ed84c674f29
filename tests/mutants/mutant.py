"""One mutant: a piece of one function of the program, what stands there instead, and the tests that should fail."""

import ast
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Misplaced(Exception):
    """The code that a mutant names is not there, or is there more than once: whoever moved it moves the row too."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault that would hurt a user.

    `where` is a module and the qualified name in it (`acp_tui.wire.peer:Peer.feed`; the module alone for what stands
    outside of functions). `old` occurs exactly once there. `tests` are files or folders below `tests/`.
    """

    hurts: str
    where: str
    old: str
    new: str
    tests: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The file of the module, from the project's own folder."""
        return Path(*self.where.partition(":")[0].split(".")).with_suffix(".py")

    def applied(self, source: str) -> str:
        """The module's text with this fault; raises `Misplaced`."""
        lines = source.splitlines(keepends=True)
        start, end = _place(ast.parse(source), self.where.partition(":")[2])
        before, piece, after = ("".join(lines[: start - 1]), "".join(lines[start - 1 : end]), "".join(lines[end:]))
        if piece.count(self.old) != 1 or self.old == self.new:
            raise Misplaced(f"{self.where}: {self.old!r} is there {piece.count(self.old)} times")
        changed = before + piece.replace(self.old, self.new) + after
        ast.parse(changed)  # a fault that is no Python fails every test
        return changed

    def check(self, root: Path = ROOT) -> None:
        """Raise `Misplaced` where the code or the tests of this row are gone."""
        for test in self.tests:
            if not (root / "tests" / test).exists():
                raise Misplaced(f"{self.where}: there is no tests/{test}")
        if not (root / self.path).is_file():
            raise Misplaced(f"{self.where}: there is no {self.path}")
        self.applied((root / self.path).read_text(encoding="utf-8"))


def _place(tree: ast.Module, name: str) -> tuple[int, int]:
    """First and last line of what has this qualified name; of the whole module without one."""
    node: ast.AST = tree
    for part in name.split(".") if name else ():
        inner = [
            child
            for child in ast.walk(node)
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and child.name == part
        ]
        if not inner:
            raise Misplaced(f"there is no {name}")
        node = inner[0]
    if isinstance(node, ast.Module):
        return 1, 1_000_000
    assert isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    return node.lineno, node.end_lineno or node.lineno
