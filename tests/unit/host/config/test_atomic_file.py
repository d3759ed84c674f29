"""Whatever lies in the place of a small file of ours, and whatever the disk does, each of its users goes on."""

import errno
import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config import preferences, state_files
from acp_tui.host.config import state_files as json_file
from acp_tui.host.config.choices import Choice, Consents, KeptChoices, PromptHistory
from acp_tui.host.config.config import ConfigFile, own_file
from acp_tui.host.config.config_writer import write_setting
from acp_tui.host.config.state_files import json_lines, read_private, state_folder, write_private
from acp_tui.host.prompts import drafts
from acp_tui.host.prompts import drafts as stash
from acp_tui.host.prompts.drafts import ATTACHED, KeptDraft, Stash, StashedDraft
from acp_tui.host.sessions import questions as input_options
from acp_tui.host.sessions.questions import LastOptions
from acp_tui.protocol.vocabulary.content import ImageContent
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema
from tests.rows import each_of

PID = 2**22 + 1  # of no process: more than Linux gives out
SCHEMA = ElicitationSchema.model_validate({"type": "object", "properties": {"a": {"type": "boolean"}}})
IMAGE = ImageContent(data="eA==", mime_type="image/png")


def at(name: str) -> Path:
    return state_folder() / name


def told(keep: Callable[[], object]) -> str:
    """Why it was not kept."""
    try:
        keep()
    except (OSError, UserFault) as fault:
        return f"{fault} {fault.__cause__}"
    return ""


class View:
    """One that keeps a file: where that is, how something is kept (the problem, in words), and what is read again."""

    def path(self) -> Path:
        return at("view.json")

    def keep(self) -> str:
        (file := preferences._file()).store({"a": 1})
        return file.problem

    def read(self) -> object:
        return preferences.recall()


class Choices(View):
    def keep(self) -> str:
        (kept := KeptChoices(self.path())).keep([Choice("a", "b", "A", "B")])
        return kept.problem

    def read(self) -> object:
        return KeptChoices(self.path()).kept


class InputOptions(View):
    def path(self) -> Path:
        return LastOptions(("agent",)).path

    def keep(self) -> str:
        (last := LastOptions(("agent",))).keep(SCHEMA, {"a": True})
        return last._file.problem

    def read(self) -> object:
        return LastOptions(("agent",)).values


class Prompts(View):
    def path(self) -> Path:
        return at("history.jsonl")

    def keep(self) -> str:
        (history := PromptHistory(self.path())).add("a" if history.entries != ["a"] else "b")
        return history.problem

    def read(self) -> object:
        return PromptHistory(self.path()).entries


class LongHistory(Prompts):
    """It is written anew when it is read."""

    def keep(self) -> str:
        problem = super().keep()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("acp_tui.host.config.choices._SLACK", 0)
            (history := PromptHistory(self.path())).entries  # noqa: B018
        return problem or history.problem


class Agreed(View):
    def path(self) -> Path:
        return at("consents.jsonl")

    def keep(self) -> str:
        return told(lambda: Consents().add("a", Path("/p"), "agent"))

    def read(self) -> object:
        return Consents().holds("a")


class Stashed(View):
    def path(self) -> Path:
        return at("stash/9.json")

    def keep(self) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stash, "_name_above", lambda _: "9.json")
            return told(lambda: Stash(at("stash")).put(StashedDraft("a")))

    def read(self) -> object:
        found: list[object] = []
        told(lambda: found.append(Stash(at("stash")).take()))
        return any(found)


class Draft(View):
    def path(self) -> Path:
        return at(f"drafts/p/{PID}-1")

    def keep(self) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("os.getpid", lambda: PID)
            patch.setattr(drafts, "_numbers", iter([1]))
            dead = KeptDraft(Path("p.jsonl"))
        dead.keep("[Image #1]", (IMAGE,))
        dead.close()
        return dead._writer.problem

    def read(self) -> object:
        return [left.text for left in KeptDraft(Path("p.jsonl")).left_behind()] == ["[Image #1]"]


class Attached(Draft):
    def path(self) -> Path:
        return at(f"drafts/p/{PID}-1{ATTACHED}")

    def read(self) -> object:
        at(f"drafts/p/{PID}-1").write_text("[Image #1]")
        return [left.attached for left in KeptDraft(Path("p.jsonl")).left_behind()] == [(IMAGE,)]


class Config(View):
    """The user's own: links and odd files are in the tests of its writer."""

    def path(self) -> Path:
        return own_file()

    def keep(self) -> str:
        own = ConfigFile.read(own_file())
        return told(lambda: write_setting(own, "mouse", own.says("mouse", None) is False))

    def read(self) -> object:
        return ConfigFile.read(own_file()).says("mouse", None) is not None


OURS = (View(), Choices(), InputOptions(), Prompts(), Agreed(), Stashed(), Draft(), Attached())
WHOLE = (View(), Choices(), InputOptions(), Stashed(), Draft(), Attached(), LongHistory(), Config())


def of_each(*users: View) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("user", users, ids=lambda user: type(user).__name__)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    yield
    os.umask(before)


@pytest.mark.skipif(os.name == "nt", reason="files have no modes")
@pytest.mark.parametrize("mask", [0, 0o777])
@of_each(*OURS, LongHistory())
def test_what_is_kept_is_read_again_and_is_private_even_where_it_was_not(user: View, mask: int) -> None:
    with umask(mask):
        for _ in range(2):
            assert user.keep() == ""
            assert user.path().stat().st_mode & 0o777 == 0o600
            user.path().chmod(0o644)
    assert [folder.stat().st_mode & 0o777 for folder in list(user.path().parents)[:2]] == [0o700] * 2
    assert user.read()


DAMAGES = [b"", b"{", b"[]", b"\xff\xfe\0", b"[7]", b"5", b'{"a', b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"]


@of_each(*OURS)
@each_of("damage", DAMAGES)
def test_of_what_is_damaged_nothing_is_used_and_the_next_is_kept(user: View, damage: bytes) -> None:
    user.keep()
    user.path().write_bytes(damage)
    assert not user.read()
    user.keep()
    assert user.read()


PLACES: dict[str, Callable[[Path], None]] = {
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
    "link to a good file": lambda path: path.symlink_to("good"),
    "link to nothing": lambda path: path.symlink_to("none"),
    "link to a device": lambda path: path.symlink_to("/dev/null"),
}


@of_each(*OURS)
@pytest.mark.parametrize("what", PLACES)
def test_what_is_no_regular_file_is_told_stays_and_is_not_followed(user: View, what: str) -> None:
    user.keep()
    path = user.path()
    good = path.rename(path.with_name("good"))
    held = good.read_bytes()
    PLACES[what](path)
    before = path.lstat()
    assert ("a folder with this name exists" if what == "folder" else "not a regular file") in user.keep()
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert (good.read_bytes(), path.with_name("none").exists()) == (held, False)
    assert not user.read()


def full(patch: pytest.MonkeyPatch) -> None:
    """The disk takes some of it, then nothing."""
    write, room = os.write, [3]

    def until_full(descriptor: int, data: Any) -> int:
        if not room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(descriptor, data[: room.pop()])

    patch.setattr("os.write", until_full)


def read_only(patch: pytest.MonkeyPatch) -> None:
    plain = os.open

    def refuse(path: Any, flags: int, *mode: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return plain(path, flags, *mode)

    patch.setattr("os.open", refuse)


@of_each(*WHOLE, Prompts(), Agreed())
@pytest.mark.parametrize("trouble", [full, read_only])
def test_what_the_disk_refuses_is_told_and_leaves_what_was_there(
    user: View, trouble: Callable[[pytest.MonkeyPatch], None]
) -> None:
    user.keep()
    before, beside = user.path().read_bytes(), set(user.path().parent.iterdir())
    with pytest.MonkeyPatch.context() as patch:
        trouble(patch)
        assert ("No space left" if trouble is full else "Read-only file system") in user.keep()
    assert user.path().read_bytes().startswith(before)
    assert set(user.path().parent.iterdir()) == beside
    assert user.read()


@of_each(*OURS)
def test_where_a_file_is_in_the_place_of_its_folder_that_is_told(user: View) -> None:
    user.path().parent.parent.mkdir(parents=True)
    user.path().parent.touch()
    assert "exists" in user.keep() or "Not a directory" in user.keep()
    assert user.path().parent.is_file()


@of_each(*WHOLE)
def test_what_a_killed_writer_left_is_removed_by_the_next_and_nothing_else(user: View) -> None:
    user.keep()
    folder = user.path().parent
    left, at_work = (folder / f".x.{name}{state_files._TEMPORARY}" for name in ("left", "at-work"))
    for each in (left, at_work, folder / ".theirs"):
        each.touch()
    with at_work.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        user.keep()
    assert [each.exists() for each in (left, at_work, folder / ".theirs")] == [False, True, True]


@of_each(*WHOLE)
def test_the_disk_is_waited_for_before_the_rename_but_not_on_the_event_loop(
    user: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    replace = Path.replace

    def rename(old: Path, new: Path) -> None:
        done.append("rename")
        replace(old, new)

    monkeypatch.setattr("os.fsync", lambda _: done.append("fsync"))
    monkeypatch.setattr(Path, "replace", rename)
    user.keep()
    assert done[:2] == (["fsync", "rename"] if isinstance(user, Draft | Config) else ["rename"])


KILLED = """
import os, signal, sys
from pathlib import Path
from acp_tui.host.config.state_files import write_private
Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_private(Path(sys.argv[1]), b"new")
"""


def test_a_writer_that_is_killed_before_the_rename_costs_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_private(path, b"old")
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 2
    write_private(tmp_path / "other", b"x")
    assert {each.name for each in tmp_path.iterdir()} == {"file", "other"}


def test_two_writers_at_once_put_either_there_and_take_nothing_from_each_other(tmp_path: Path) -> None:
    path, wholes, wrong = tmp_path / "file", (b"a" * 100_000, b"b" * 200_000), []
    write_private(path, wholes[0])

    def write(data: bytes) -> None:
        try:
            for _ in range(50):
                write_private(path, data, sync=False)
        except OSError as error:
            wrong.append(error)

    writers = [threading.Thread(target=write, args=[data]) for data in wholes * 2]
    for each in writers:
        each.start()
    while any(each.is_alive() for each in writers):
        assert read_private(path, 200_000) in wholes
    assert wrong == []
    assert list(tmp_path.iterdir()) == [path]


def test_a_temporary_that_was_taken_for_left_over_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock
    taken: list[Path] = []

    def late(descriptor: int, how: int) -> None:
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].unlink()
        lock(descriptor, how)

    monkeypatch.setattr(fcntl, "flock", late)
    write_private(tmp_path / "file", b"new")
    assert len(taken) == 1
    assert (tmp_path / "file").read_bytes() == b"new"


def test_runs_that_start_at_once_do_not_both_restore_a_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    Draft().keep()
    given: list[object] = []

    def slowly(path: Path, most: int) -> bytes:
        data = read_private(path, most)
        monkeypatch.setattr(drafts, "read_private", read_private)
        given.append(Draft().read())
        return data

    monkeypatch.setattr(drafts, "read_private", slowly)
    assert (Draft().read(), given) == (False, [True])


def test_a_draft_that_cannot_be_deleted_is_restored_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    Draft().keep()
    monkeypatch.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(PermissionError()))
    assert Draft().read()


LIMITS: list[tuple[View, object, str, int]] = [
    (View(), None, "", json_file.CAP),
    (Choices(), None, "", json_file.CAP),
    (InputOptions(), None, "", input_options.MAX_BYTES),
    (Stashed(), stash, "STASHED_BYTES", 100),
    (Draft(), drafts, "DRAFT_AT_MOST", 25),
    (Attached(), drafts, "ATTACHED_AT_MOST", 100),
]


@each_of("user, module, name, limit", LIMITS)
def test_a_larger_file_is_not_ours(user: View, module: object, name: str, limit: int) -> None:
    user.keep()
    with pytest.MonkeyPatch.context() as patch:
        if module:
            patch.setattr(module, name, limit)
        most = limit * 4 if name == "DRAFT_AT_MOST" else limit
        user.path().write_bytes(user.path().read_bytes().ljust(most))
        assert user.read() or isinstance(user, Draft)
        user.keep()
        user.path().write_bytes(user.path().read_bytes().ljust(most + 1))
        assert not user.read()


def test_of_a_larger_file_of_lines_the_end_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b'{"a": 1}\n\n{"b": 2}\n{"c": 3}\n')
    assert json_lines(tmp_path / "x", 10) == [b'{"c": 3}']
    assert json_lines(tmp_path / "x", 18) == [b'{"b": 2}', b'{"c": 3}']
