"""What an agent sent as bytes, in a file of our own naming."""

import base64
import stat
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.state_files import cache_folder
from acp_tui.host.user_programs import has_viewer, save_content, viewer_command

pytestmark = pytest.mark.anyio


async def test_bytes_are_written_once_under_a_name_of_our_own() -> None:
    path = await save_content(base64.b64encode(b"picture").decode(), "image/png")
    assert path.read_bytes() == b"picture"
    assert path.parent == cache_folder() / "content"
    assert path.suffix == ".png"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert await save_content(b"picture", "IMAGE/PNG; q=1") == path
    assert list(path.parent.iterdir()) == [path]


async def test_a_file_that_is_not_whole_is_written_again() -> None:
    path = await save_content(b"picture", "image/png")
    path.write_bytes(b"pic")
    assert (await save_content(b"picture", "image/png")).read_bytes() == b"picture"


@pytest.mark.parametrize("mime_type", ["text/html", "image/svg+xml", "application/x-desktop", "../../evil", "", None])
async def test_types_that_may_be_run_get_no_ending_that_says_so(mime_type: str | None) -> None:
    assert not has_viewer(mime_type)
    assert (await save_content(b"x", mime_type)).suffix == ".bin"


async def test_what_is_no_base64_is_said() -> None:
    with pytest.raises(UserFault, match="Cannot save this"):
        await save_content("no base64!", "image/png")


async def test_a_folder_that_cannot_be_written_is_said() -> None:
    cache_folder().mkdir(parents=True)
    (cache_folder() / "content").write_text("in the way")
    with pytest.raises(UserFault, match="Cannot save this"):
        await save_content(b"x", "image/png")


def test_the_systems_opener_is_used_where_there_is_one() -> None:
    assert viewer_command(Path("/a.png"), lambda _name: None) is None
    command = viewer_command(Path("/a.png"), lambda name: f"/bin/{name}")
    assert command is not None
    assert command[-1] == "/a.png"
