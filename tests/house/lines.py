"""Counts the lines of the package by kind: `python -m tests.house.lines [FOLDER]`.

Files that are not Python (tables of data, the stylesheet, a script) are `data`, which is not in the `total`.
"""

import ast
import sys
from collections import Counter
from pathlib import Path

DATA = (".json", ".toml", ".tcss", ".sh")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def kinds_of(path: Path) -> Counter[str]:
    """The lines of a file: docstring, import, blank, comment and code (all others), and `total`."""
    lines = path.read_text().splitlines()
    kinds = dict.fromkeys(range(1, len(lines) + 1), "code")
    kinds |= {number: "blank" for number, line in enumerate(lines, 1) if not line.strip()}
    kinds |= {number: "comment" for number, line in enumerate(lines, 1) if line.lstrip().startswith("#")}
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            kinds |= dict.fromkeys(range(node.lineno, (node.end_lineno or 0) + 1), "import")
        elif isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            kinds |= dict.fromkeys(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1), "docstring")
    return Counter(kinds.values()) + Counter(total=len(lines))


def count(folder: Path) -> Counter[str]:
    """The same for all files below a folder, with how many `files` they are."""
    paths = list(folder.rglob("*.py"))
    data = sum(len(path.read_text().splitlines()) for path in folder.rglob("*") if path.suffix in DATA)
    return sum((kinds_of(path) for path in paths), Counter(files=len(paths), data=data))


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2] / "acp_tui"
    for kind, lines in sorted(count(folder).items()):
        print(f"{kind:10} {lines:6}")
