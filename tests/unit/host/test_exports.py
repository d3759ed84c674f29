"""Exported files: free names, nothing overwritten, every failure said."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.user_programs import free_name, write_new_file

pytestmark = pytest.mark.anyio


def test_a_name_tells_the_title_and_is_free(tmp_path: Path) -> None:
    first = free_name(str(tmp_path), "Fix: the ../login\x1b test!", "md")
    assert first.startswith("fix-the-login-test-20")
    (tmp_path / first).touch()
    assert free_name(str(tmp_path), "Fix: the ../login\x1b test!", "md") == first.replace(".md", "-2.md")
    assert free_name(str(tmp_path), "…", "json").startswith("session-20")


async def test_relative_absolute_and_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "in").mkdir()
    assert await write_new_file(str(tmp_path / "in"), "a.md", "é\r\n") == tmp_path / "in" / "a.md"
    assert (tmp_path / "in" / "a.md").read_bytes() == "é\r\n".encode()
    assert await write_new_file("/nowhere", "~/b.md", "") == tmp_path / "b.md"
    assert await write_new_file("/nowhere", str(tmp_path / "c.md"), "") == tmp_path / "c.md"


@pytest.mark.parametrize("name", ["taken", "link", "missing/a.md", ".", "nul\0", "x" * 300])
async def test_what_cannot_be_written_is_said(name: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserFault):
        await write_new_file(str(tmp_path), name, "text")
    assert (tmp_path / "taken").read_text() == "mine"
    assert not (tmp_path / "elsewhere").exists()
