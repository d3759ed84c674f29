"""Files that are endless or do not answer, and folders that are exchanged for links while they are walked."""

import ctypes
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.system import sandbox_paths
from acp_tui.host.system import workspace_files as file_reading
from acp_tui.host.system import workspace_files as files
from acp_tui.host.system.sandbox_paths import RequestFault, SandboxPath
from acp_tui.host.system.workspace_files import Files, open_regular
from acp_tui.protocol.vocabulary.tool_calls import ReadTextFileRequest, WriteTextFileRequest
from tests.agents.scripted import write_script
from tests.integration.driver import BOUND, connected

pytestmark = pytest.mark.anyio


async def read(root: Path, path: Path | str) -> str:
    request = ReadTextFileRequest(session_id="s", path=str(path))
    return await Files([root]).read_text_file(request)


async def write(root: Path, path: Path | str) -> str:
    request = WriteTextFileRequest(session_id="s", path=str(path), content="written")
    await Files([root]).write_text_file(request)
    return "written"


class Scene:
    """A root with a folder and a file, and the same outside."""

    def __init__(self, folder: Path) -> None:
        self.root, self.outside = folder / "root", folder / "outside"
        for place, text in ((self.root / "d", "inside"), (self.outside, "outside")):
            (place / "sub").mkdir(parents=True)
            (place / "file").write_text(text)
            (place / "sub/file").write_text(text)
        (self.root / "link").symlink_to("d")

    def kept(self) -> dict[str, str]:
        """What is outside: the texts of files, and folders."""
        found = {str(path.relative_to(self.outside)): path for path in self.outside.rglob("*")}
        return {name: path.read_text() if path.is_file() else "" for name, path in found.items()}


CALLS = ("open", "stat", "lstat", "access", "readlink", "mkdir", "replace", "rename", "unlink")


class Exchange:
    """Before one call of the system in another thread, something becomes a link to outside."""

    def __init__(self, patch: pytest.MonkeyPatch, at: int, act: Callable[[], None]) -> None:
        self.count, self._at, self._act = 0, at, act
        for name in CALLS:
            patch.setattr(os, name, self._watched(getattr(os, name)))

    @property
    def happened(self) -> bool:
        return self.count > self._at

    def _watched(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*words: Any, **more: Any) -> Any:
            thread = threading.current_thread()
            if thread is not threading.main_thread() and thread.name != "root":
                self.count += 1
                if self.count == self._at + 1:
                    self._act()
            return call(*words, **more)

        return watched


WAYS = {
    "read": (read, "d/file"),
    "read by a link": (read, "link/sub/file"),
    "write": (write, "d/file"),
    "write with new folders": (write, "d/sub/one/two/new"),
    "write by a link": (write, "link/sub/new"),
}


@pytest.mark.parametrize("exchanged", ["d", "d/sub", "link", "d/file", "d/sub/file", "d/sub/one"])
@pytest.mark.parametrize("way", WAYS)
async def test_no_exchange_at_any_step_leads_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, exchanged: str
) -> None:
    monkeypatch.setattr(sandbox_paths, "Thread", NamedThread)
    act, path = WAYS[way]
    for step in range(200):
        scene = Scene(tmp_path / str(step))
        known = scene.kept()
        victim, target = scene.root / exchanged, scene.outside / Path(*Path(exchanged).parts[1:])
        target = target if target.exists() else scene.outside
        with monkeypatch.context() as patch:
            exchanging = Exchange(patch, step, partial(become_link, victim, target))
            with suppress(RequestFault):
                assert await act(scene.root, scene.root / path) in ("inside", "written")
        assert scene.kept() == known
        if not exchanging.happened:
            assert step > 3
            return
    pytest.fail("it took too many steps")


def become_link(path: Path, target: Path) -> None:
    with suppress(FileNotFoundError):
        path.replace(path.with_name("away"))
    path.symlink_to(target)


class NamedThread(threading.Thread):
    """The thread that looks a root up, which is over before anything is asked."""

    def start(self) -> None:
        super().start()
        self.join()


async def test_a_folder_that_is_exchanged_all_the_time(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    known, done = scene.kept(), threading.Event()
    (scene.root / "other").symlink_to(scene.outside)
    flipping = threading.Thread(target=flip, args=(scene.root / "d", scene.root / "other", done))
    flipping.start()

    async def race() -> set[str]:
        files, found = Files([scene.root]), set[str]()
        for number in range(150):
            place = f"{scene.root}/d/sub"
            with suppress(RequestFault):
                found.add(await files.read_text_file(ReadTextFileRequest(session_id="s", path=f"{place}/file")))
            with suppress(RequestFault):
                words = {"path": f"{place}/{number}/new", "content": "x"}
                await files.write_text_file(WriteTextFileRequest(session_id="s", **words))
        return found

    try:
        found = await race()
    finally:
        done.set()
        flipping.join()
    assert found <= {"inside"}
    assert scene.kept() == known


def flip(one: Path, other: Path, done: threading.Event) -> None:
    """Exchange two names, at once where the system can."""
    swap = getattr(ctypes.CDLL(None), "renameat2", None)
    while not done.is_set():
        if swap is not None and swap(-100, os.fsencode(one), -100, os.fsencode(other), 2) == 0:
            continue
        third = one.rename(one.with_name("third"))
        other.rename(one)
        third.rename(other)


async def test_a_root_inside_another_is_not_what_takes_its_place(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    folders = scene.root, scene.root / "d"
    both = Files(folders)
    assert all(root.holds(str(scene.root / "d/file")) for root in both.roots._roots)
    (scene.root / "d").rename(scene.root / "away")
    (scene.root / "d").symlink_to(scene.outside)
    for files_of_a_session in (both, Files(folders)):  # also of one that is opened again
        for name in ("d/file", "d/sub/file"):
            request = ReadTextFileRequest(session_id="s", path=str(scene.root / name))
            with pytest.raises(RequestFault, match="outside"):
                await files_of_a_session.read_text_file(request)


def endless(path: Path) -> Path:
    """A file of 2 TB, all of it a hole; a smaller one where the file system has no bigger ones."""
    for size in (2 << 40, 8 << 30):
        with suppress(OSError):
            path.touch()
            os.truncate(path, size)
            return path
    pytest.skip("this file system has no files with holes")


@pytest.mark.parametrize(("line", "limit"), [(5, None), (5, 3), (10**12, 1)])
async def test_no_line_is_searched_for_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: int, limit: int | None
) -> None:
    monkeypatch.setattr(file_reading, "MAX_SKIPPED", 64 << 20)
    path = endless(tmp_path / "big")
    request = ReadTextFileRequest(session_id="s", path=str(path), line=line, limit=limit)
    with pytest.raises(RequestFault, match=rf"big: line {line} is beyond the first 0.0625 GiB"):
        await Files([tmp_path]).read_text_file(request)
    with pytest.raises(RequestFault, match="more than 16 MiB"):
        await read(tmp_path, path)
    await write(tmp_path, path)
    assert path.read_text() == "written"


@contextmanager
def unanswered(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[threading.Event]:
    """Files of this name are on a file system that does not answer, until the event is set."""
    answers = threading.Event()

    def open_it(path: str, place: SandboxPath) -> Any:
        if place.name == name:
            answers.wait(10 * BOUND)
        return open_regular(path, place)

    monkeypatch.setattr(files, "open_regular", open_it)
    try:
        yield answers
    finally:
        answers.set()
        for thread in threading.enumerate():
            if thread.name == "blocking call":
                thread.join(BOUND)


async def test_reads_that_hang_stop_no_other_and_can_be_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "stuck").write_text("at last")
    (tmp_path / "fine").write_text("fine")
    script = write_script(
        tmp_path,
        f"""
        agent.initialize()
        first = agent.new_session("first")
        agent.expect("session/prompt")
        def read(session, name):
            return {{"sessionId": session, "path": {str(tmp_path)!r} + "/" + name}}
        hanging = [agent.ask("fs/read_text_file", read(first, "stuck")) for _ in range(45)]
        written = agent.ask("fs/write_text_file", {{**read(first, "other/stuck"), "content": "never"}})
        agent.say(agent.request("fs/read_text_file", read(first, "fine"))["content"] + ",")
        second = agent.new_session("second")
        agent.session_id = first
        agent.say(agent.request("fs/read_text_file", read(second, "fine"))["content"] + ",")
        for number in (hanging[7], written):
            agent.notify("$/cancel_request", {{"requestId": number}})
            agent.say(str(agent.answer_to(number)["error"]["code"]) + ",")
        agent.session_id = second
        agent.say(str(agent.answer_to(hanging[0])["error"]["code"]))
        agent.serve()
        """,
    )
    with unanswered(monkeypatch, "stuck") as answers:
        async with connected(script, tmp_path) as driver:
            driver.submit("go")
            await driver.until(lambda: "fine" in "".join(driver.said()))
            other = driver.client.open_session()
            other.subscribe(driver._on_change)
            await driver.until(lambda: "-32800,-32800," in "".join(driver.said()))
            driver.client.close_session(driver.session)
            driver.session = other
            await driver.until(lambda: driver.said() == ["-32800"])
        answers.set()
    assert list((tmp_path / "other").iterdir()) == []


HEADLESS = """
import sys, threading
from acp_tui.host.system import workspace_files as files
from acp_tui.host.system.workspace_files import open_regular
def open_it(path, place):
    if place.name == "stuck":
        threading.Event().wait()
    return open_regular(path, place)
files.open_regular = open_it
from acp_tui.cli import main
sys.exit(main())
"""


def test_a_program_with_reads_that_hang_ends_when_it_is_told_to(tmp_path: Path) -> None:
    (tmp_path / "stuck").touch()
    script = write_script(
        tmp_path,
        f"""
        agent.initialize()
        session = agent.new_session()
        prompt = agent.expect("session/prompt")
        for _ in range(45):
            agent.ask("fs/read_text_file", {{"sessionId": session, "path": {str(tmp_path / "stuck")!r}}})
        agent.request("fs/read_text_file", {{"sessionId": session, "path": __file__}})
        agent.say("done")
        agent.end_turn(prompt)
        agent.serve()
        """,
    )
    command = [sys.executable, "-c", HEADLESS, "run", "go", "--", *script.argv]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=BOUND, check=False)
    assert (ended.returncode, ended.stdout.strip()) == (0, "done"), ended.stderr
