import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.config import choices as prompt_history
from acp_tui.host.config.choices import PromptHistory, history_file
from tests.examples import SHARING
from tests.rows import each_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "project.jsonl"


def test_starts_empty_without_a_file(path: Path) -> None:
    history = PromptHistory(path)
    assert history.entries == []
    assert history.problem == ""
    assert not path.exists()


def test_is_kept_across_runs(path: Path) -> None:
    first = PromptHistory(path)
    first.add("one")
    first.add("two\nlines – ✓")
    assert PromptHistory(path).entries == ["one", "two\nlines – ✓"]


def test_a_repeated_prompt_moves_to_the_end(path: Path) -> None:
    history = PromptHistory(path)
    for text in ("one", "two", "one"):
        history.add(text)
    assert history.entries == ["two", "one"]
    assert PromptHistory(path).entries == ["two", "one"]


def test_empty_prompts_are_not_remembered(path: Path) -> None:
    history = PromptHistory(path)
    history.add("")
    history.add(" \n")
    assert history.entries == []
    assert not path.exists()


@each_of(
    ("text", "recalled"),
    [
        ("/", False),
        ("/undo", False),
        ("/settings ", False),
        ("/größe\n", False),
        ("/client:help", False),
        ("/rename Mine", True),
        ("/plan\nthe work", True),
        ("/etc/hosts", True),
        (" /undo", True),
        ("!make", True),
    ],
)
def test_commands_without_an_argument_are_not_remembered(tmp_path: Path, text: str, recalled: bool) -> None:
    path = tmp_path / f"{text.encode().hex()}.jsonl"
    history = PromptHistory(path)
    history.add(text)
    path.write_bytes(json.dumps({"text": text}).encode() + b"\n")  # as earlier versions did
    assert history.entries == PromptHistory(path).entries == [text] * recalled


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"\xff\xfe", b"[1]", b'{"text": 3}', b"null", b"[" * 100_000, b'{"text": ' + b"9" * 5000 + b"}"],
)
def test_damaged_lines_are_skipped(path: Path, damage: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(b'{"text": "before"}\n' + damage + b'\n{"text": "after"}\n')
    assert PromptHistory(path).entries == ["before", "after"]


def test_two_runs_share_a_file(path: Path) -> None:
    first, second = PromptHistory(path), PromptHistory(path)
    first.add("from the first")
    second.add("from the second")
    assert PromptHistory(path).entries == ["from the first", "from the second"]


def test_only_the_latest_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_history, "MAX_PROMPTS", 3)
    history = PromptHistory(path)
    for number in range(10):
        history.add(f"prompt {number}")
    assert history.entries == ["prompt 7", "prompt 8", "prompt 9"]
    assert PromptHistory(path).entries == ["prompt 7", "prompt 8", "prompt 9"]
    assert path.read_bytes().count(b"text") == 3
    assert list(path.parent.iterdir()) == [path]


def test_a_huge_prompt_lives_for_this_run_only(path: Path) -> None:
    history = PromptHistory(path)
    history.add("x" * (prompt_history.MAX_CHARACTERS + 1))
    assert len(history.entries) == 1
    assert PromptHistory(path).entries == []


def test_trouble_is_told_and_does_not_stop(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where a folder should be")
    history = PromptHistory(tmp_path / "state" / "project.jsonl")
    history.add("still here")
    assert history.entries == ["still here"]
    assert "state" in history.problem


def test_without_a_path_nothing_is_written() -> None:
    history = PromptHistory(None)
    history.add("one")
    assert history.entries == ["one"]


def test_projects_of_the_same_name_have_different_files(tmp_path: Path) -> None:
    first, second = history_file(tmp_path / "a" / "project"), history_file(tmp_path / "b" / "project")
    assert first != second
    assert first.name.startswith("project-")
    assert first == history_file(tmp_path / "a" / "x" / ".." / "project")


@SHARING
@given(texts=st.lists(st.text(st.characters(), max_size=20), max_size=8))
def test_what_is_read_is_what_was_remembered(path: Path, texts: list[str]) -> None:
    path.unlink(missing_ok=True)
    history = PromptHistory(path)
    for text in texts:
        history.add(text)
    assert PromptHistory(path).entries == history.entries
    assert len(set(history.entries)) == len(history.entries)
