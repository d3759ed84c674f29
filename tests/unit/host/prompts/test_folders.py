"""A folder as the user names it."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.prompts.file_index import existing_folder


@pytest.mark.parametrize("named", ["lib", "./lib", "lib/", "../project/lib", "'lib'", " lib "])
def test_a_folder_is_named_from_where_one_works(tmp_path: Path, named: str) -> None:
    folder = tmp_path / "project" / "lib"
    folder.mkdir(parents=True)
    assert existing_folder(named, str(tmp_path / "project")) == str(folder)


def test_a_folder_is_named_from_home_or_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert existing_folder("~", "/") == existing_folder(str(tmp_path), "/") == str(tmp_path)


@pytest.mark.parametrize(
    ("named", "said"), [("nowhere", "No such folder"), ("file", "Not a folder"), ("a\0b", "No such folder")]
)
def test_what_is_no_folder_is_said(tmp_path: Path, named: str, said: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserFault, match=said):
        existing_folder(named, str(tmp_path))
