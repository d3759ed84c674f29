"""`acp-tui agents update` at a terminal: old and new version, the command, a question, and nothing without a yes."""

import json
import os
import sys
from pathlib import Path

import pytest

from acp_tui.host.catalog.installation import agents_folder
from acp_tui.host.config.config import own_file
from tests.driven_screen import DrivenScreen
from tests.integration.checkouts import program
from tests.integration.runs import run
from tests.own_config import write_own_config

_NPM = """\
#!{python}
import pathlib, sys
prefix = pathlib.Path(sys.argv[sys.argv.index("--prefix") + 1])
(prefix / "bin").mkdir(parents=True)
(prefix / "bin" / "extra").write_text("#!/bin/sh\\n")
(prefix / "bin" / "extra").chmod(0o755)
print("npm said this")
sys.exit({code})
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder; `extra` is installed at version 1.0.0, and a registry has 1.1.0."""
    folder = tmp_path / "project"
    folder.mkdir()
    entry = {
        "id": "extra",
        "name": "Extra",
        "license": "MIT",
        "authors": ["Somebody"],
        "distribution": {"npx": {"package": "extra@1.1.0", "args": ["acp"]}},
    }
    (tmp_path / "registry.json").write_text(json.dumps({"agents": [entry]}))
    old = agents_folder() / "extra" / "1.0.0" / "bin" / "extra"
    program(old, "#!/bin/sh\n")
    write_own_config(
        f"registry = '{tmp_path}/registry.json' # mine\n"
        f"[agents.extra]\ncommand = '{old}'\nargs = ['acp']\npackage = 'npm:extra@1.0.0'\n"
    )
    installer(tmp_path, 0)
    monkeypatch.setenv("PATH", f"{tmp_path / 'tools'}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    return folder


def installer(tmp_path: Path, code: int) -> None:
    program(tmp_path / "tools" / "npm", _NPM.format(python=sys.executable, code=code))


def answer(folder: Path, keys: str) -> tuple[int, str]:
    with DrivenScreen("agents", "update", cwd=folder, rows=40, columns=200) as screen:
        screen.wait_for("Install extra@1.1.0? [y/N]")
        screen.press(keys)
        code = screen.wait_for_end()
        return code, "\n".join(screen.recorded.rows())


def test_with_a_yes_it_is_installed_and_pinned(project: Path, tmp_path: Path) -> None:
    code, told = answer(project, "y\r")
    new = agents_folder() / "extra" / "1.1.0" / "bin" / "extra"
    assert code == 0, told
    for words in (
        "1.0.0 → 1.1.0",
        "Somebody",
        "MIT",
        f"{tmp_path}/tools/npm install -g --prefix {new.parents[1]} extra@1.1.0",
        f"{new} acp",
        "run with your permissions",
        "its dependencies are not",
        "npm said this",
        "is installed",
        "1.0.0 remains for running sessions",
    ):
        assert words in told
    assert own_file().read_text() == (
        f"registry = '{tmp_path}/registry.json' # mine\n"
        f'[agents.extra]\ncommand = "{new}"\nargs = [\'acp\']\npackage = "npm:extra@1.1.0"\n'
    )
    assert (agents_folder() / "extra" / "1.0.0").is_dir()  # sessions that run go on with it


@pytest.mark.parametrize("keys", ["\r", "n\r", "no\r", "x\r", "\x04", "\xff\r"])
def test_without_a_yes_nothing_is_done(project: Path, keys: str) -> None:
    before = own_file().read_text()
    code, told = answer(project, keys)
    assert (code, "Skipped." in told) == (0, True)
    assert "npm said this" not in told
    assert own_file().read_text() == before
    assert not (agents_folder() / "extra" / "1.1.0").exists()


def test_where_it_fails_the_old_one_stays(project: Path, tmp_path: Path) -> None:
    installer(tmp_path, 7)
    before = own_file().read_text()
    code, told = answer(project, "y\r")
    assert (code, "failed with exit code 7" in told) == (1, True)
    assert own_file().read_text() == before


def test_where_there_is_nothing_newer_that_is_said(project: Path, tmp_path: Path) -> None:
    registry = tmp_path / "registry.json"
    registry.write_text(registry.read_text().replace("1.1.0", "1.0.0"))
    with DrivenScreen("agents", "update", cwd=project) as screen:
        assert screen.wait_for_end() == 0
        assert screen.recorded.has_shown("up to date")
        assert screen.recorded.has_shown("Nothing to update.")


def test_it_needs_a_terminal(project: Path) -> None:
    ended = run("agents", "update", cwd=project)
    assert ended.code == 2
    assert "needs an interactive terminal" in ended.err
    assert "1.1.0" not in ended.out + ended.err
