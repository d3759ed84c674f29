"""Pipes in the place of files that are recorded: nobody waits for one, and what is beside it still counts.

Those of small files are in tests/unit/host/config/test_atomic_file.py.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes.retention import kept_folders
from acp_tui.host.config.state_files import state_folder
from acp_tui.host.records.records import Records
from acp_tui.host.records.wire_record import read_wire_record
from acp_tui.host.snapshots.database import FILE_NAME, StoreFault
from acp_tui.host.snapshots.folder_store import FolderStore, snapshots_folder, stores


def pipe(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


def records(_: Path) -> object:
    pipe(state_folder() / "records" / "20260101-000000-x.jsonl")
    return Records().list(None)


def kept(_: Path) -> object:
    pipe(snapshots_folder() / "a" / "root")
    return [*kept_folders(), *stores()]


def database(folder: Path) -> object:
    pipe(folder / FILE_NAME)
    with pytest.raises(StoreFault, match="taken by something else"):
        FolderStore("/", folder).names()
    return False


@pytest.mark.parametrize("read", [records, kept, database])
def test_a_pipe_in_the_place_of_a_file_is_passed_over(tmp_path: Path, read: Callable[[Path], Any]) -> None:
    assert not read(tmp_path)


def test_a_pipe_is_no_recording(tmp_path: Path) -> None:
    recording = pipe(tmp_path / "x.jsonl")
    with pytest.raises(UserFault):
        read_wire_record(recording)
