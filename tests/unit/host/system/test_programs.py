"""Where a program is looked for by its name: never where the project says so."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_tui.host.system.paths import (
    Programs,
    folder_problem,
    own_environment,
    own_program,
    project_folders,
    search_path,
    user_shell,
    why_not_started,
)
from acp_tui.host.user_programs import editor_command, open_file

pytestmark = pytest.mark.anyio


def install(folder: Path, name: str = "agent") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)
    return folder / name


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout, in a folder of which one works."""
    inner = tmp_path / "checkout" / "src"
    inner.mkdir(parents=True)
    (tmp_path / "checkout" / ".git").mkdir()
    monkeypatch.chdir(inner)
    return inner


def found(folder: Path, monkeypatch: pytest.MonkeyPatch, *entries: object) -> str:
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, entries)))
    return Programs(folder).find("agent")


def test_an_absolute_entry_of_PATH_counts(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: N802
    program = install(tmp_path / "bin")
    assert found(checkout, monkeypatch, tmp_path / "bin") == str(program)


@pytest.mark.parametrize("entry", ["", ".", "node_modules/.bin", "./node_modules/.bin", "../src", "~"])
def test_a_relative_entry_does_not(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    program = install(tmp_path / "bin")
    for folder in (checkout, checkout / "node_modules" / ".bin", checkout / "~"):
        install(folder)
    assert found(checkout, monkeypatch, entry) == ""
    assert found(checkout, monkeypatch, entry, tmp_path / "bin") == str(program)


def test_nor_does_one_in_the_project(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = install(checkout.parent / ".venv" / "bin")  # above the folder that is worked in, but of the checkout
    (tmp_path / "link").symlink_to(inside.parent)
    for entry in (inside.parent, tmp_path / "link", f"{tmp_path}/checkout/src/../.venv/bin"):
        assert found(checkout, monkeypatch, entry) == ""
        assert Programs(checkout).passed_over("agent") == f"{entry}/agent"
    agreed = Programs(checkout).find("agent", str(inside.parent), agreed=True)
    assert agreed == str(inside)
    assert Programs(checkout).find("agent", "../.venv/bin", agreed=True) == ""


def test_a_program_by_its_path_is_that(checkout: Path) -> None:
    program = install(checkout)
    assert Programs(checkout).find(str(program)) == str(program)


def test_the_home_folder_is_no_project(private_folders: Path) -> None:
    (private_folders / ".git").mkdir()
    work = private_folders / "work"
    work.mkdir()
    assert project_folders(private_folders) == ()
    assert project_folders(Path("/")) == ()
    assert project_folders(work) == (work.resolve(),)


def test_what_is_left_of_PATH(tmp_path: Path) -> None:  # noqa: N802
    inside, beside = tmp_path / "p" / "bin", tmp_path / "pp"
    assert search_path(f"{inside}::x:{beside}", [tmp_path / "p"]) == str(beside)
    assert search_path(f"{inside}::x:{beside}") == f"{inside}:{beside}"
    assert search_path("") == ""


@pytest.mark.parametrize("entry", [".", "bin", "{checkout}/bin", ""])
def test_what_we_start_by_our_own_choice_is_not_the_projects(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    install(checkout, "nano")
    install(checkout / "bin", "nano")
    monkeypatch.setenv("PATH", os.pathsep.join((entry.format(checkout=checkout), str(tmp_path / "bin"))))
    assert own_program("nano") is None
    assert own_environment()["PATH"] == str(tmp_path / "bin")
    ours = install(tmp_path / "bin", "nano")
    assert editor_command("a", environment={}) == [str(ours), "a"]


@pytest.mark.skipif(sys.platform != "linux", reason="another system has another opener")
@pytest.mark.parametrize("ours", [False, True])
async def test_a_checkout_does_not_open_files(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours: bool
) -> None:
    (install(checkout, "xdg-open")).write_text("#!/bin/sh\n: > opened\n")
    install(tmp_path / "bin", "xdg-open" if ours else "other")
    monkeypatch.setenv("PATH", f".{os.pathsep}{checkout}{os.pathsep}{tmp_path / 'bin'}")
    assert await open_file(tmp_path / "picture.png") is ours
    assert not (checkout / "opened").exists()


def test_a_folder_that_is_gone_is_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    monkeypatch.setenv("PATH", "/bin")
    assert own_environment()["PATH"] == "/bin"


def started(program: Path | str, cwd: Path) -> str:
    """Why a program does not start there, in our words."""
    with pytest.raises(OSError, match=r"\[Errno") as raised:
        subprocess.Popen([str(program)], cwd=cwd)
    return why_not_started(raised.value, str(program), cwd)


def test_what_keeps_a_program_from_starting_is_named(tmp_path: Path) -> None:
    scripted, text = install(tmp_path, "scripted"), install(tmp_path, "text")
    scripted.write_text("#!/no/such/interpreter")
    text.chmod(0o600)
    assert started("/bin/sh", tmp_path / "gone") == f"{tmp_path}/gone no longer exists"
    assert started("/bin/sh", text) == f"{text} is not a folder"
    assert started("no-such-program", tmp_path) == "no-such-program: command not found"
    assert started(scripted, tmp_path) == f"{scripted}: interpreter not found"
    assert started(text, tmp_path) == f"{text}: Permission denied"


def test_the_users_shell_is_used_where_it_is_there(tmp_path: Path) -> None:
    shell = str(install(tmp_path, "shell"))
    assert user_shell({"SHELL": shell}) == (shell, "")
    assert user_shell({"SHELL": "shell", "PATH": str(tmp_path)}) == (shell, "")
    assert user_shell({}) == ("/bin/sh", "")
    assert user_shell({"SHELL": "/no/such/shell"}) == ("/bin/sh", "SHELL=/no/such/shell")
    assert user_shell({"SHELL": str(tmp_path)}) == ("/bin/sh", f"SHELL={tmp_path}")


def test_a_folder_of_which_nothing_can_be_known_is_none_to_work_in() -> None:
    name = "x" * 300
    assert folder_problem(name) == f"{name}: File name too long"
