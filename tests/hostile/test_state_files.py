"""Files of the state folder in whose place a pipe lies: nobody waits for one, and what is beside it still counts."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes.journal import FOLDER, earlier_runs, key_of
from acp_tui.host.keeping.kept import kept_folders
from acp_tui.host.recording.wire_record import read_wire_record
from acp_tui.host.records.records import Records
from acp_tui.host.snapshots.known import NOTHING_KNOWN, load_known
from acp_tui.host.snapshots.places import snapshots_folder, stores
from acp_tui.host.snapshots.store import Store
from acp_tui.host.store.drafts import KeptDraft
from acp_tui.host.store.folders import state_folder
from acp_tui.host.store.json_file import JsonFile
from acp_tui.host.store.prompt_history import PromptHistory
from acp_tui.host.store.stash import stash_of


def pipe(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


def records(_: Path) -> object:
    pipe(state_folder() / "records" / "20260101-000000-x.jsonl")
    return Records().list(None)


def journals(folder: Path) -> object:
    pipe(folder / FOLDER / f"{key_of('A', 's')}.1.jsonl")
    return earlier_runs(folder, "A", "s", "none").points


def kept(_: Path) -> object:
    pipe(snapshots_folder() / "a" / "root")
    return [*kept_folders(), *stores()]


def known(folder: Path) -> object:
    pipe(folder / "known")
    return load_known(Store(folder)) is not NOTHING_KNOWN


def history(folder: Path) -> object:
    return PromptHistory(pipe(folder / "history.jsonl")).entries


def json_file(folder: Path) -> object:
    return JsonFile(pipe(folder / "x.json")).load(lambda data: data)


def drafts(folder: Path) -> object:
    history = folder / "history" / "project.jsonl"
    pipe(state_folder() / "drafts" / "project" / "999999999-1")
    return KeptDraft(history).left_behind()


@pytest.mark.parametrize("read", [records, journals, kept, known, history, json_file, drafts])
def test_a_pipe_in_the_place_of_a_file_is_passed_over(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    assert not read(tmp_path)


def test_a_pipe_is_no_recording(tmp_path: Path) -> None:
    recording = pipe(tmp_path / "x.jsonl")
    with pytest.raises(UserFault):
        read_wire_record(recording)


def test_a_pipe_in_the_stash_is_no_draft(tmp_path: Path) -> None:
    stash = stash_of(tmp_path / "project.jsonl")
    pipe(state_folder() / "stash" / "project" / "1-x.json")
    assert stash.take() is None
