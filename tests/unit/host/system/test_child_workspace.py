"""The folders of child sessions: inside the user's, by real paths, whatever the agent calls them."""

from pathlib import Path

import pytest

from acp_tui.host.system.sandbox_paths import SandboxRoots
from acp_tui.host.system.workspace import ChildRoots, NamedFolders


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("project/sub/deep", "project/other", "outside/inner"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path / "project"


def roots(project: Path, *named: Path | str, allowed: tuple[str, ...] = ()) -> ChildRoots:
    cwd, *more = map(str, named)
    return ChildRoots(NamedFolders(cwd, tuple(more)), SandboxRoots([project]), allowed)


@pytest.mark.parametrize("cwd", ["/", "", "sub", "..", "\0", "/" * 5_000])
def test_whatever_a_folder_is_called_nothing_outside_is_held(project: Path, cwd: str) -> None:
    assert not roots(project, cwd).hold(str(project.parent / "outside/file"))
    assert not roots(project, cwd).hold("/etc/passwd")


def test_the_root_of_all_files_is_what_the_user_gave_and_no_more(project: Path) -> None:
    found = roots(project, "/")
    assert found.hold(str(project / "file"))
    assert (found.paths, found.start) == ((project,), str(project))
    assert found.wanted("/etc/passwd") == "", "the whole machine is never asked for"


def test_a_folder_inside_is_all_that_is_held(project: Path) -> None:
    found = roots(project, project / "sub")
    assert found.hold(str(project / "sub/deep/file"))
    assert not found.hold(str(project / "other/file"))
    assert (found.paths, found.start) == ((project / "sub",), str(project / "sub"))


def test_a_relative_folder_is_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert roots(project, "sub").paths == ()
    assert not roots(project, "sub").hold(str(project / "sub/file"))
    assert roots(project, "sub").wanted(str(project / "sub/file")) == ""


def test_a_folder_that_is_exchanged_for_a_link_leads_nowhere(project: Path) -> None:
    found = roots(project, project / "link")
    (project / "link").symlink_to(project / "sub")
    assert found.hold(str(project / "sub/file"))
    (project / "link").unlink()
    (project / "link").symlink_to(project.parent / "outside")
    assert not found.hold(str(project.parent / "outside/file"))
    assert found.wanted(str(project.parent / "outside/file")) == str(project.parent / "outside")


def test_a_folder_outside_is_wanted_and_held_once_it_is_allowed(project: Path) -> None:
    outside = project.parent / "outside"
    file = str(outside / "inner/file")
    assert roots(project, project, outside).wanted(file) == str(outside)
    assert roots(project, outside, outside / "inner").wanted(file) == str(outside / "inner"), "the innermost"
    allowed = roots(project, project, outside, allowed=(str(outside),))
    assert allowed.hold(file)
    assert not allowed.hold(str(project.parent / "file"))
    assert not roots(project, project, allowed=(str(outside),)).hold(file), "allowed, but none of this child's"


def test_a_folder_around_the_users_is_narrowed_until_it_is_allowed(project: Path) -> None:
    around = project.parent
    assert roots(project, around).paths == (project,)
    assert roots(project, around).wanted(str(around / "outside/file")) == str(around)
    assert roots(project, around, allowed=(str(around),)).hold(str(around / "outside/file"))


def test_commands_do_not_run_elsewhere_when_the_folder_for_them_is_outside(project: Path) -> None:
    outside = project.parent / "outside"
    assert roots(project, outside, project).start == str(outside)
