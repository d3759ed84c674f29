"""The files of a project that words name: found in every way that a command can say them, and never waited for."""

import os
import re
from pathlib import Path

import pytest

from acp_tui.host.catalog import resume_commands as watched
from acp_tui.host.catalog.resume_commands import watch


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "lib").mkdir(parents=True)
    for name in ("run.sh", "lib/a.js", "two words.py"):
        (folder / name).write_text(name)
    return folder


def names(project: Path, *words: str) -> list[str]:
    found = watch(words, (project,), (project.resolve(),))
    return sorted(os.path.relpath(path, project) for path in found.files)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("./run.sh", "run.sh"),
        ("run.sh", "run.sh"),
        ("lib/../run.sh", "run.sh"),
        ("two words.py", "two words.py"),
        ("--script=run.sh", "run.sh"),
        ("--script=two words.py", "two words.py"),
        ("-rlib/a.js", "lib/a.js"),
        ("--require ./lib/a.js --quiet", "lib/a.js"),
        ("cd x && ./run.sh;true", "run.sh"),
        ("sh './two words.py' $(true)", "two words.py"),
        ("/nowhere:./lib/a.js", "lib/a.js"),
        ("@run.sh", "run.sh"),
    ],
)
def test_a_file_is_found_however_it_is_named(project: Path, word: str, name: str) -> None:
    assert names(project, word) == [name]
    assert names(project, "sh", re.sub(r"(?<!\.)\./", f"{project}/", word)) == [name]


def test_files_outside_are_not_watched_but_links_are(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.sh"
    outside.write_text("1")
    assert names(project, str(outside), "../outside.sh", "/bin/sh") == []
    (project / "out.sh").symlink_to(outside)
    (tmp_path / "in.sh").symlink_to(project / "run.sh")
    found = watch(["./out.sh", str(tmp_path / "in.sh")], (project,), (project.resolve(),))
    assert len(found.files) == 2
    outside.write_text("2")
    assert watch(["./out.sh", str(tmp_path / "in.sh")], (project,), (project.resolve(),)).files != found.files


def test_what_is_in_a_file_counts_and_which_file_a_link_names(project: Path) -> None:
    def look() -> dict[str, str]:
        return watch(["./run.sh"], (project,), (project.resolve(),)).files

    first = look()
    assert look() == first
    (project / "run.sh").write_text("other")
    second = look()
    (project / "run.sh").unlink()
    (project / "same.sh").write_text("other")
    (project / "run.sh").symlink_to(project / "same.sh")
    assert len({str(each) for each in (first, second, look())}) == 3


def test_what_cannot_be_watched_is_named_and_not_waited_for(project: Path) -> None:
    os.mkfifo(project / "pipe")
    found = watch(["./lib", "pipe", "lib", "none", "\0", "x" * 5000], (project,), (project.resolve(),))
    assert found.files == {}
    assert [os.path.relpath(path, project) for path in found.others] == ["lib", "pipe"]
    assert found.whole


def test_too_much_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watched, "MOST", 10)
    (project / "huge").write_bytes(b"")
    os.truncate(project / "huge", 2**40)
    found = watch(["run.sh", "huge"], (project,), (project.resolve(),))
    assert [Path(path).name for path in found.others] == ["huge"]
    assert not found.whole
