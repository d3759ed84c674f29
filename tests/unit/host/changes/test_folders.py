"""The folders of a session: which of them are kept, and what is told where one is in another."""

from pathlib import Path

import pytest

from acp_tui.host.changes.session_folders import SessionFolders
from acp_tui.host.config.preferences import SnapshotSettings

pytestmark = pytest.mark.anyio


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "outer" / "project"
    folder.mkdir(parents=True)
    (folder / "a").write_text("one")
    return folder


def roots(folders: SessionFolders) -> list[str]:
    return [folder.root for folder in folders]


async def test_a_folder_inside_another_one_and_one_that_is_not_there_are_left_out(project: Path) -> None:
    folders = SessionFolders(
        SnapshotSettings(), (str(project), str(project / "sub"), str(project / "none" / ".."), "/none")
    )
    (project / "sub").mkdir()
    await folders.open()
    assert roots(folders) == [str(project)]
    assert folders.left_out == ("No such folder: /none",)
    assert folders.off == ""


async def test_a_link_to_a_folder_is_that_folder(tmp_path: Path, project: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(project)
    folders = SessionFolders(SnapshotSettings(), (str(link), str(project)))
    await folders.open()
    assert roots(folders) == [str(project)]
    assert folders.roots.key(str(link / "a")) == folders.roots.key(str(project / "a")) == (str(project), "a")


async def test_what_changed_in_a_folder_is_told_once_when_one_around_it_is_added(project: Path) -> None:
    folders = SessionFolders(SnapshotSettings(), (str(project),))
    await folders.open()
    folders.written = (str(project), str(project.parent))
    await folders.open()
    before = (await folders.take({})).trees
    (project / "a").write_text("other")
    (project.parent / "b").write_text("new")
    found = await folders.compare([before, (await folders.take({})).trees])
    assert {file.key for file in found.files} == {(str(project), "a"), (str(project.parent), "b")}
    assert len(found.files) == 2


async def test_a_root_that_vanishes_is_said_and_does_not_cost_the_others(tmp_path: Path, project: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    folders = SessionFolders(SnapshotSettings(), (str(project), str(other)))
    await folders.open()
    other.rmdir()
    taken = await folders.take({})
    assert list(taken.trees) == [str(project)]
    assert any(str(other) in gap for gap in taken.gaps)
