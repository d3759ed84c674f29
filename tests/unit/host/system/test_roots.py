"""Folders that lead out of the user's."""

from pathlib import Path

import pytest

from acp_tui.host.system.sandbox_paths import outside


def test_a_folder_is_where_its_links_lead(tmp_path: Path) -> None:
    project, other = tmp_path / "project", tmp_path / "other"
    (project / "sub").mkdir(parents=True)
    other.mkdir()
    (project / "out").symlink_to(other)
    (tmp_path / "alias").symlink_to(project)
    inside = [str(project), str(project / "sub"), str(project / "new"), str(tmp_path / "alias"), f"{project}/sub/.."]
    beyond = [str(other), str(project / "out"), str(tmp_path), f"{project}/..", f"{project}-2", "/"]
    assert outside([*inside, *beyond], [str(project)]) == beyond
    assert outside(beyond, [str(project), "/"]) == []


@pytest.mark.parametrize("folder", ["", ".", "sub", "../x", "~", "/\0", "\ud800"])
def test_what_is_no_absolute_path_leads_out(tmp_path: Path, folder: str) -> None:
    assert outside([folder], [str(tmp_path), str(Path.cwd())]) == [folder]
