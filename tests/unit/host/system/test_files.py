import os
import socket
import stat
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.system import sandbox_paths, threads
from acp_tui.host.system import workspace_files as file_reading
from acp_tui.host.system import workspace_files as files_module
from acp_tui.host.system.sandbox_paths import RequestFault
from acp_tui.host.system.workspace import SERVICES
from acp_tui.host.system.workspace_files import MAX_COMPARED, MAX_SHOWN, Files, difference
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.protocol.vocabulary.tool_calls import Diff, FileChange, ReadTextFileRequest, WriteTextFileRequest
from acp_tui.session.facts import FileWritten
from tests.examples import SHARING

T = TypeVar("T")


def run(act: Coroutine[object, object, T]) -> T:
    async def main() -> T:
        with anyio.fail_after(60):
            return await act

    return anyio.run(main)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    return folder


@pytest.fixture(params=["by handles", "by paths"])
def each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the handles of folders, and as it is where they cannot be used."""
    if request.param == "by paths":
        monkeypatch.setattr(sandbox_paths, "BY_HANDLE", False)


def read(root: Path, path: Path | str, line: int | None = None, limit: int | None = None) -> str:
    request = ReadTextFileRequest(session_id="s", path=str(path), line=line, limit=limit)
    return run(Files([root]).read_text_file(request))


def write(root: Path, path: Path | str, content: str) -> None:
    request = WriteTextFileRequest(session_id="s", path=str(path), content=content)
    run(Files([root]).write_text_file(request))


def refused(root: Path, path: Path | str, content: str | None = None) -> RequestFault:
    with pytest.raises(RequestFault) as caught:
        read(root, path) if content is None else write(root, path, content)
    return caught.value


class TestReading:
    def test_the_whole_file_byte_for_byte(self, root: Path) -> None:
        text = "\ufeffone\r\ntwo\rthree\n\x00– ✓ 😀"
        (root / "a").write_bytes(text.encode())
        assert read(root, root / "a") == text

    @pytest.mark.parametrize(
        ("line", "limit", "expected"),
        [
            (None, None, "1\n2\r\n3"),
            (0, None, "1\n2\r\n3"),
            (1, None, "1\n2\r\n3"),
            (2, None, "2\r\n3"),
            (2, 1, "2\r\n"),
            (3, 9, "3"),
            (4, None, ""),
            (10**12, 5, ""),
            (None, 2, "1\n2\r\n"),
            (1, 0, ""),
        ],
    )
    def test_a_range_of_lines(self, root: Path, line: int | None, limit: int | None, expected: str) -> None:
        (root / "a").write_bytes(b"1\n2\r\n3")
        assert read(root, root / "a", line, limit) == expected

    def test_an_empty_file(self, root: Path) -> None:
        (root / "a").touch()
        assert read(root, root / "a") == ""

    def test_a_missing_file_is_its_own_error(self, root: Path) -> None:
        fault = refused(root, root / "no such")
        assert fault.code == -32002
        assert fault.data == {"path": str(root / "no such"), "uri": (root / "no such").as_uri()}

    def test_a_folder_is_said_to_be_one(self, root: Path) -> None:
        fault = refused(root, root)
        assert fault.code == -32602
        assert "folder" in fault.message

    def test_no_file_below_a_file(self, root: Path) -> None:
        (root / "a").touch()
        assert refused(root, root / "a" / "b").code == -32002

    def test_what_is_not_utf8_is_said_with_its_place(self, root: Path) -> None:
        (root / "a").write_bytes(b"first\nsecond \xff\n")
        assert "0xff at offset 13" in refused(root, root / "a").message
        with pytest.raises(RequestFault, match="0xff at offset 13"):
            read(root, root / "a", line=2)
        assert read(root, root / "a", limit=1) == "first\n"

    def test_a_fifo_is_refused_and_not_waited_for(self, root: Path) -> None:
        os.mkfifo(root / "fifo")
        assert "regular" in refused(root, root / "fifo").message

    def test_a_socket_is_refused(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(root)  # a socket's address is short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("socket")
            assert refused(root, root / "socket").code in (-32602, -32603)

    def test_a_file_that_is_too_big_is_read_in_parts(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files_module, "MAX_READ", 10)
        (root / "a").write_text("12345\n" * 3)
        assert "line, limit" in refused(root, root / "a").message
        assert read(root, root / "a", line=2, limit=1) == "12345\n"
        with pytest.raises(RequestFault):
            read(root, root / "a", limit=2)
        (root / "a").write_text("123456789\n")
        assert read(root, root / "a") == "123456789\n"

    def test_a_long_line_is_skipped_without_being_held(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files_module, "MAX_READ", 10)
        (root / "a").write_bytes(b"x" * 3_000_000 + b"\nsecond")
        assert read(root, root / "a", line=2) == "second"

    @pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at descriptors where Linux lists them")
    def test_a_descriptor_is_not_left_open(self, root: Path) -> None:
        refused(root, root)
        assert str(root) not in opened_here()
        with os.scandir(root):
            assert str(root) in opened_here()


def opened_here() -> set[str]:
    """What this process has open; other threads open and close theirs meanwhile."""
    found = set()
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(descriptor.readlink()))
    return found


@pytest.mark.usefixtures("each_way")
class TestWriting:
    def test_a_new_file_with_its_folders(self, root: Path) -> None:
        write(root, root / "a" / "b" / "c.txt", "\ufeffone\r\ntwo\n")
        assert (root / "a" / "b" / "c.txt").read_bytes() == "\ufeffone\r\ntwo\n".encode()
        assert list((root / "a" / "b").iterdir()) == [root / "a" / "b" / "c.txt"]

    def test_a_new_file_has_the_mode_of_the_umask(self, root: Path) -> None:
        (root / "plain").touch()
        write(root, root / "new", "x")
        assert (root / "new").stat().st_mode == (root / "plain").stat().st_mode

    def test_an_old_file_keeps_its_mode(self, root: Path) -> None:
        (root / "script").write_text("old")
        (root / "script").chmod(0o751)
        write(root, root / "script", "new")
        assert (root / "script").read_text() == "new"
        assert stat.S_IMODE((root / "script").stat().st_mode) == 0o751

    @pytest.mark.parametrize(
        ("before", "after"), [(0o4755, 0o755), (0o6750, 0o750), (0o2644, 0o2644), (0o1640, 0o1640)]
    )
    def test_a_file_that_ran_as_somebody_does_so_no_more(self, root: Path, before: int, after: int) -> None:
        (root / "a").write_text("old")
        (root / "a").chmod(before)
        write(root, root / "a", "new")
        assert stat.S_IMODE((root / "a").stat().st_mode) == after

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
    def test_a_file_stays_its_owners(self, root: Path) -> None:
        (root / "a").write_text("old")
        os.chown(root / "a", 1234, 2345)
        (root / "a").chmod(0o6755)
        write(root, root / "a", "new")
        found = (root / "a").stat()
        assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 2345, 0o755)

    def test_other_hard_links_keep_what_they_held(self, root: Path) -> None:
        (root / "a").write_text("old")
        os.link(root / "a", root / "b")
        write(root, root / "a", "new")
        assert ((root / "a").read_text(), (root / "b").read_text()) == ("new", "old")

    def test_a_name_may_be_as_long_as_the_system_has_it(self, root: Path) -> None:
        write(root, root / ("語" * 85), "new")
        assert read(root, root / ("語" * 85)) == "new"

    def test_a_link_stays_and_its_target_changes(self, root: Path) -> None:
        (root / "real").mkdir()
        (root / "real" / "file").write_text("old")
        (root / "link").symlink_to("real/file")
        write(root, root / "link", "new")
        assert (root / "link").readlink() == Path("real/file")
        assert (root / "real" / "file").read_text() == "new"

    def test_a_link_to_nothing_gets_its_target(self, root: Path) -> None:
        (root / "link").symlink_to("later")
        write(root, root / "link", "new")
        assert (root / "link").is_symlink()
        assert (root / "later").read_text() == "new"

    def test_a_loop_of_links_is_refused_and_stays(self, root: Path) -> None:
        (root / "loop").symlink_to("loop")
        refused(root, root / "loop", "x")
        refused(root, root / "loop")
        assert (root / "loop").is_symlink()

    def test_a_folder_is_refused(self, root: Path) -> None:
        assert "folder" in refused(root, root, "x").message

    def test_a_fifo_is_refused(self, root: Path) -> None:
        os.mkfifo(root / "fifo")
        assert "regular" in refused(root, root / "fifo", "x").message
        assert stat.S_ISFIFO((root / "fifo").stat().st_mode)

    def test_text_that_cannot_be_encoded_changes_nothing(self, root: Path) -> None:
        (root / "a").write_text("old")
        assert refused(root, root / "a", "\ud800").code == -32602
        assert (root / "a").read_text() == "old"

    def test_a_failed_write_leaves_all_as_it_was(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object, **__: object) -> None:
            raise OSError(28, "No space left on device")

        (root / "a").write_text("old")
        monkeypatch.setattr(os, "replace", fail)
        assert "No space left" in refused(root, root / "a", "new").message
        assert (root / "a").read_text() == "old"
        assert list(root.iterdir()) == [root / "a"]

    def test_a_read_only_file_is_refused(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (root / "a").write_text("old")
        monkeypatch.setattr(os, "access", lambda path, mode, **_: False)  # a privileged user may write anything
        assert "read-only" in refused(root, root / "a", "new").message
        assert (root / "a").read_text() == "old"

    @pytest.mark.parametrize("below", ["b", "b/c"])
    def test_no_file_below_a_file(self, root: Path, below: str) -> None:
        (root / "a").write_text("old")
        assert "its parent is a file" in refused(root, root / "a" / below, "new").message
        assert (root / "a").read_text() == "old"

    def test_a_name_that_is_too_long_is_told(self, root: Path) -> None:
        assert "too long" in refused(root, root / ("x" * 300), "x").message


@pytest.mark.usefixtures("each_way")
@pytest.mark.parametrize("content", [None, "new"])
class TestRoots:
    @pytest.mark.parametrize("path", ["a", "./a", "", "~/a", "file:///a"])
    def test_a_relative_path_is_refused(self, root: Path, content: str | None, path: str) -> None:
        fault = refused(root, path, content)
        assert fault.code == -32602
        assert "absolute" in fault.message

    def test_outside_is_refused(self, root: Path, content: str | None) -> None:
        (root.parent / "other").write_text("old")
        fault = refused(root, root.parent / "other", content)
        assert "outside" in fault.message
        assert str(root) in fault.message
        assert (root.parent / "other").read_text() == "old"

    def test_dots_do_not_lead_out(self, root: Path, content: str | None) -> None:
        (root.parent / "other").write_text("old")
        assert "outside" in refused(root, root / ".." / "other", content).message

    def test_a_like_name_is_not_inside(self, root: Path, content: str | None) -> None:
        assert "outside" in refused(root, str(root) + "2/a", content).message

    def test_a_link_does_not_lead_out(self, root: Path, content: str | None) -> None:
        (root.parent / "other").write_text("old")
        (root / "link").symlink_to(root.parent / "other")
        (root / "folder").symlink_to(root.parent)
        assert "links to" in refused(root, root / "link", content).message
        assert "links to" in refused(root, root / "folder" / "new", content).message
        assert (root.parent / "other").read_text() == "old"

    def test_a_root_may_be_a_link(self, root: Path, content: str | None) -> None:
        (root / "a").write_text("old")
        (root.parent / "alias").symlink_to(root)
        alias = root.parent / "alias"
        for path in (alias / "a", root / "a"):
            read(alias, path) if content is None else write(alias, path, content)
        assert (root / "a").read_text() == (content or "old")

    def test_links_lead_on_to_links_and_back(self, root: Path, content: str | None) -> None:
        (root / "sub/deep").mkdir(parents=True)
        (root / "a").write_text("old")
        (root / "one").symlink_to("sub/../two")
        (root / "two").symlink_to(root / "sub/deep")
        (root / "sub/deep/back").symlink_to("../../a")
        for path in ("one/back", "one/../../one/back", "./two//back", "one/new/../back", "sub/deep/../../a"):
            read(root, f"{root}/{path}") if content is None else write(root, f"{root}/{path}", content)
        assert (root / "a").read_text() == (content or "old")
        assert (root / "sub/deep/back").is_symlink()

    @pytest.mark.parametrize("path", ["sub/..", "sub/../.", "", "/", "sub/../../root"])
    def test_the_root_itself_is_a_folder(self, root: Path, content: str | None, path: str) -> None:
        (root / "sub").mkdir()
        assert "is a folder" in refused(root, f"{root}/{path}", content).message
        assert "outside" in refused(root, "/", content).message

    def test_nul_in_a_path_is_refused(self, root: Path, content: str | None) -> None:
        assert refused(root, str(root) + "/a\0b", content).code == -32602

    def test_a_lone_surrogate_in_a_path_is_refused(self, root: Path, content: str | None) -> None:
        assert refused(root, str(root) + "/a\ud800b", content).code == -32602


@pytest.mark.parametrize("piece", [1, 2, 3, 100])
def test_lines_are_found_whatever_the_pieces(root: Path, monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    monkeypatch.setattr(file_reading, "PIECE", piece)
    lines = ["\n", "one\n", "\n", "two and a half\n", "\n", "last"]
    (root / "a").write_text("".join(lines))
    for first in range(8):
        for limit in (None, 0, 1, 2, 9):
            expected = lines[max(first, 1) - 1 :][:limit]
            assert read(root, root / "a", first, limit) == "".join(expected)


def test_what_is_not_done_in_time_fails(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()

    def hang(_path: str, _place: object) -> None:
        never.wait(60)
        raise OSError

    monkeypatch.setattr(files_module, "open_regular", hang)
    monkeypatch.setattr(files_module, "WITHIN", 0.1)
    (root / "a").write_text("old")
    for content in (None, "new"):
        assert "not responding" in refused(root, root / "a", content).message
    never.set()
    assert (root / "a").read_text() == "old"


def test_more_than_can_hang_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MOST", 0)
    (root / "a").write_text("old")
    assert "are stuck" in refused(root, root / "a").message


@SHARING
@given(text=st.text(max_size=60), line=st.integers(0, 8), limit=st.none() | st.integers(0, 8))
def test_what_is_written_is_read_back_line_by_line(root: Path, text: str, line: int, limit: int | None) -> None:
    write(root, root / "a", text)
    lines = text.encode().split(b"\n")
    lines = [part + b"\n" for part in lines[:-1]] + [lines[-1]]
    first = max(line, 1) - 1
    expected = b"".join(lines[first:] if limit is None else lines[first : first + limit])
    assert read(root, root / "a", line, limit) == expected.decode()


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, "a\nb\n", FileWritten("p", 2, 0, 1, created=True)),
        ("a\nb\n", "a\nx\nb\n", FileWritten("p", 1, 0, 2)),
        ("a\nb\n", "a\n", FileWritten("p", 0, 1, 2)),
        ("a\nb\n", "a\nc\n", FileWritten("p", 1, 1, 2)),
        ("a\n", "a\n", FileWritten("p", 0, 0, 2)),
    ],
)
def test_how_a_written_file_differs(before: str | None, after: str, expected: FileWritten) -> None:
    assert difference("p", before, after) == expected


def test_a_write_tells_the_difference(root: Path) -> None:
    path = str(root / "a")

    def written(content: str) -> FileWritten:
        request = WriteTextFileRequest(session_id="s", path=path, content=content)
        return run(Files([root]).write_text_file(request))

    def diff(before: str | None, after: str) -> Diff:
        return Diff(path=path, old_text=before, new_text=after)

    changed = Diff(changes=[FileChange(operation="modify", path=path)])
    assert written("1\n2\n") == FileWritten(path, 2, 0, 1, created=True, diff=diff(None, "1\n2\n"))
    assert written("1\nx\n") == FileWritten(path, 1, 1, 2, diff=diff("1\n2\n", "1\nx\n"))
    (root / "a").write_bytes(b"\xff")
    assert written("text") == FileWritten(path, 1, 0, 1, diff=changed)
    (root / "a").write_bytes(b"")
    assert written("text").diff == diff("", "text")
    assert written("x" * MAX_SHOWN).diff == changed
    (root / "a").unlink()
    assert written("x" * MAX_SHOWN).diff == diff(None, "x" * MAX_SHOWN)
    (root / "a").write_bytes(b"x" * (MAX_COMPARED + 1))
    assert written("").diff == changed


def test_what_comes_for_one_file_is_done_in_its_order(root: Path) -> None:
    path, last = root / "a", "last"
    files, told = Files([root]), list[str]()

    async def write_and_read() -> None:
        async with anyio.create_task_group() as tasks:
            for content in ("x" * 3_000_000, last):  # on its own the small one is done first
                request = WriteTextFileRequest(session_id="s", path=str(path), content=content)
                tasks.start_soon(files.write_text_file, request)
            tasks.start_soon(tell)

    async def tell() -> None:
        told.append(await files.read_text_file(ReadTextFileRequest(session_id="s", path=str(path))))

    run(write_and_read())
    assert told == [last]
    assert path.read_text() == last


@pytest.mark.parametrize("method", SERVICES)
def test_what_is_not_offered_is_refused(method: str) -> None:
    offered = ClientCapabilities(read_text_file=True, write_text_file=True, terminal=True)
    SERVICES[method].check_offered(method, offered)
    with pytest.raises(RequestFault) as caught:
        SERVICES[method].check_offered(method, replace(offered, **{SERVICES[method].capability: False}))
    assert caught.value.code == -32601
