"""Every module of the program can be imported, on each Python."""

from importlib import import_module
from pathlib import Path

import acp_tui

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
