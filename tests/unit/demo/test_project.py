"""The scratch project: its tests fail before the fix and pass after it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.demo import project


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests"]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=60, check=False)


def test_the_project_has_a_bug_that_its_tests_show_in_colour(tmp_path: Path) -> None:
    project.create(tmp_path)
    done = run_tests(tmp_path)
    assert done.returncode == 1
    assert "\x1b[31m✗\x1b[0m test_session_lasts_a_minute" in done.stdout
    assert "3 passed, 1 failed" in done.stdout


def test_the_fix_makes_them_pass(tmp_path: Path) -> None:
    project.create(tmp_path)
    login = tmp_path / "src" / "login.py"
    login.write_text(login.read_text(encoding="utf-8").replace(project.BUG, project.FIX), encoding="utf-8")
    done = run_tests(tmp_path)
    assert (done.returncode, "4 passed, 0 failed" in done.stdout) == (0, True)


def test_a_project_can_be_written_over_another(tmp_path: Path) -> None:
    project.create(tmp_path / "new")
    project.create(tmp_path / "new")
    assert (tmp_path / "new" / "README.md").read_text(encoding="utf-8").startswith("# Login")


@pytest.mark.parametrize("name", [name for name in project.texts()["project"] if name.endswith(".py")])
def test_every_module_is_python(name: str) -> None:
    ast.parse(project.texts()["project"][name])
