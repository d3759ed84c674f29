"""The small Python project that the demo works on: a login with a bug, and the test that shows it."""

import os
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TITLE = "Demo agent"
COMMAND = (sys.executable, "-P", "-X", "utf8", "-m", "acp_tui.demo")
"""How the demo is started; without -P it would import modules of the project instead of Python's."""
BUG = "    return now - session.started > SESSION_TIMEOUT\n"
FIX = "    return now - session.started > SESSION_TIMEOUT * 60\n"


@cache
def texts() -> dict[str, Any]:
    """What the demo shows: `project` (files by their names), `said` (Markdown), `form` (a schema), `options`."""
    return tomllib.loads(Path(__file__).with_name("texts.toml").read_text(encoding="utf-8"))


def create(folder: Path) -> None:
    """Write the project into `folder`, which is made if need be; files of the same names are replaced."""
    for name, text in texts()["project"].items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def scratch() -> Iterator[Path]:
    """The project in a folder that goes when the program does."""
    with TemporaryDirectory(prefix="acp-tui-", ignore_cleanup_errors=True) as folder:
        cwd = Path(os.path.realpath(folder), "demo")
        cwd.mkdir()
        create(cwd)
        yield cwd
