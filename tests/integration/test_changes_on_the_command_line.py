"""`acp-tui changes`: the patch of a session's snapshots, or against HEAD, which git applies; what it lacks is said."""

import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from acp_tui import cli
from acp_tui.host.snapshots.database import FILE_NAME
from tests.unit.host.changes.checkouts import git, make
from tests.unit.host.changes.kept_sessions import KeptRun

GIT = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "crlf.txt").write_bytes(b"one\r\ntwo\r\nthree")
    (root / "gone.py").write_bytes(b"x = 1\n")
    (root / "sub/move me").write_bytes(b"".join(b"%d\n" % number for number in range(40)))
    (root / "pic.png").write_bytes(bytes(range(256)))
    (root / "script").write_bytes(b"#!/bin/sh\n")
    (root / "link").symlink_to("crlf.txt")
    return root


@pytest.fixture
def run(folder: Path) -> KeptRun:
    """Two turns; between them the user changes a file."""
    kept = KeptRun(folder, "4f2a11")
    shutil.copytree(folder, folder.parent / "before", symlinks=True)
    kept.look("opened")
    kept.look("prompt", 1)
    (folder / "crlf.txt").write_bytes(b"one\r\nTWO\r\nthree")
    (folder / "gone.py").unlink()
    (folder / "sub/move me").rename(folder / "sub/mövéd")
    (folder / "pic.png").write_bytes(bytes(range(255, -1, -1)))
    kept.look("ended", 1)
    (folder / "users").write_bytes(b"own\n")
    kept.look("prompt", 2)
    (folder / "script").chmod(0o755)
    (folder / "link").unlink()
    (folder / "link").symlink_to("script")
    (folder / "new\nname").write_bytes(b"")
    kept.look("ended", 2)
    return kept


def tree(root: Path) -> dict[str, tuple[str, bytes]]:
    found = {}
    for path in root.rglob("*"):
        if path.is_symlink():
            found[str(path.relative_to(root))] = "link", os.fsencode(path.readlink())
        elif path.is_file():
            found[str(path.relative_to(root))] = "x" if path.stat().st_mode & 0o100 else "-", path.read_bytes()
    return found


def applied(root: Path, said: bytes) -> dict[str, tuple[str, bytes]]:
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=root, env=GIT, input=said, check=True)
    return tree(root)


def test_its_patch_makes_of_the_folder_before_the_folder_after(
    folder: Path, run: KeptRun, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert cli.main(["changes", "-C", str(folder)]) == 0
    said = capfdbinary.readouterr()
    assert applied(folder.parent / "before", said.out) == tree(folder)
    assert b"\nrename from sub/move me\n" in said.out


def test_it_is_of_the_session_that_is_named_though_its_folder_is_gone(
    folder: Path,
    run: KeptRun,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    after = tree(folder)
    shutil.rmtree(folder)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["changes", "4f2a"]) == 0
    assert applied(folder.parent / "before", capfdbinary.readouterr().out) == after


def test_a_turn_is_from_its_prompt_to_its_end(folder: Path, run: KeptRun, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["changes", "4f2a", "--turn", "2", "--stat"]) == 0
    said = capfd.readouterr().out.splitlines()
    assert [line.split()[:2] for line in said[:-1]] == [["M", "link"], ["A", "new⏎name"], ["M", "script"]]
    assert said[-1] == "3 files changed"


def test_where_nothing_changed_only_that_is_said(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    kept = KeptRun(folder, "9")
    kept.look("prompt", 1)
    kept.look("ended", 1)
    assert cli.main(["changes", "9"]) == 0
    assert capfd.readouterr() == ("", "No files changed since the session began\n")


def test_what_is_not_there_is_said_in_words(
    folder: Path, run: KeptRun, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    for words, told in (
        (["changes", "x"], "No recorded session has an ID"),
        (["changes", "4f2a", "--turn", "7"], "The session has no turn 7\nIt has 2 turns"),
        (["changes", "4f2a", "--turn", "0"], "must be 1 or greater"),
        (["changes", "4f2a", "-C", str(tmp_path / "other")], "The session has no snapshots of"),
        (["changes", "-C", str(tmp_path / "other")], "No recorded session in this folder"),
    ):
        assert cli.main(words) == 2
        out, err = capfd.readouterr()
        assert out == ""
        assert told in err
        assert "Traceback" not in err


def test_a_damaged_store_costs_the_files_in_it_and_is_said(
    folder: Path, run: KeptRun, capfd: pytest.CaptureFixture[str]
) -> None:
    connection = sqlite3.connect(run.store.folder / FILE_NAME)
    with connection:
        connection.execute("UPDATE piece SET data = zeroblob(length(data))")
    connection.close()
    assert cli.main(["changes", "4f2a"]) == 0
    out, err = capfd.readouterr()
    assert out.count("diff --git ") == 1, "a new file without bytes needs none"
    assert len(err.splitlines()) == 7
    assert "Not in the patch: crlf.txt: A saved file is gone" in err


def test_what_is_not_committed_needs_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    root = make(tmp_path / "root")
    git(tmp_path, "clone", "-q", str(root), "before")
    (root / "a").write_bytes(b"one\r\nTWO")
    (root / "big").rename(root / "sub/m\xf6ved")
    (root / "sub/b").unlink()
    (root / "tool").chmod(0o644)
    (root / "link").unlink()
    (root / "link").symlink_to("tool")
    (root / "new").write_bytes(bytes(range(256)))
    monkeypatch.chdir(root)
    assert cli.main(["changes", "--uncommitted"]) == 0
    said = capfdbinary.readouterr()
    assert said.err == b""
    monkeypatch.chdir(tmp_path / "before")
    subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], env=GIT, input=said.out, check=True)
    assert {path: data for path, data in tree(tmp_path / "before").items() if not path.startswith(".git/")} == {
        path: data for path, data in tree(root).items() if not path.startswith(".git/")
    }


def test_a_part_of_what_is_not_committed_is_listed_or_applied_from_the_top(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    root = make(tmp_path / "root")
    (root / "a").write_bytes(b"not asked for\n")
    (root / "sub/b").write_bytes(b"b\nc\n")
    (root / "sub/new").write_bytes(b"")
    assert cli.main(["changes", "--uncommitted", "--stat", "-C", str(root / "sub")]) == 0
    assert capfd.readouterr().out == "M  b    +1\nA  new\n2 files changed, +1\n"
    assert cli.main(["changes", "--uncommitted", "-C", str(root / "sub")]) == 0
    assert capfd.readouterr().out.startswith("diff --git a/sub/b b/sub/b\n")


def test_why_nothing_is_uncommitted_is_said(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = make(tmp_path / "root")
    os.mkfifo(root / "pipe")
    for words, code, told in (
        (["-C", str(root)], 0, "No uncommitted changes\nSkipped, special file: pipe\n"),
        (["-C", str(tmp_path)], 2, "No Git repository here\nUncommitted changes are compared with Git's HEAD.\n"),
        (["-C", str(tmp_path / "gone")], 2, f"No such folder\n{tmp_path / 'gone'}\n"),
        (["--turn", "1"], 2, "--uncommitted takes no session and no turn\n"),
        (["4f2a"], 2, "--uncommitted takes no session and no turn\n"),
    ):
        assert cli.main(["changes", "--uncommitted", *words]) == code
        out, err = capfd.readouterr()
        assert out == ""
        assert told in err
