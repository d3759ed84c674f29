"""A JSON file of kept state: whole, private, and never a reason to stop."""

from pathlib import Path

from acp_tui.host.config.state_files import JsonFile, append_object, json_object, read_object


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
