"""A JSON file of kept state: whole, private, and never a reason to stop."""

import os
from pathlib import Path

import pytest

from acp_tui.host.store.json_file import JsonFile, append_object, json_object, read_object


def test_what_is_stored_is_loaded(tmp_path: Path) -> None:
    file = JsonFile(tmp_path / "deeper" / "kept.json")
    file.store({"a": [1, "ä"]})
    assert file.load(read_object) == {"a": [1, "ä"]}
    file.delete()
    assert (file.load(read_object), file.problem) == (None, "")


def test_a_reader_that_finds_another_shape_is_damage_too(tmp_path: Path) -> None:
    file = JsonFile(tmp_path / "kept.json")
    file.store({"a": 1})
    assert file.load(lambda value: value["b"]) is None
    assert "damaged" in file.problem


def test_without_a_path_nothing_is_kept() -> None:
    file = JsonFile(None)
    file.store({"a": 1})
    file.delete()
    assert (file.load(read_object), file.problem) == (None, "")


def test_lines_are_added_behind_what_was_broken_off(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b'{"torn')
    append_object(path, {"a": 1})
    append_object(path, {"a": 2})
    assert [one for line in path.read_bytes().split(b"\n") if (one := json_object(line))] == [{"a": 1}, {"a": 2}]


def test_a_line_of_which_the_disk_takes_a_part_is_a_fault_and_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "x.jsonl", os.write
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: write(file, data[:5]))
        with pytest.raises(OSError, match="No space"):
            append_object(path, {"a": 1})
    append_object(path, {"b": 2})
    assert [json_object(line) for line in path.read_bytes().split(b"\n") if line] == [None, {"b": 2}]
