"""What the user lets be kept of files."""

from pathlib import Path

import pytest

from acp_tui.host.config.config import PROJECT_FILE, load_config
from acp_tui.host.config.preferences import MB, SnapshotSettings, snapshot_settings
from tests.own_config import write_own_config


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("", SnapshotSettings()),
        ("snapshots = false", SnapshotSettings(off="Snapshots are switched off")),
        ("snapshots = 'everywhere'", SnapshotSettings(everywhere=True)),
        ("snapshot_store_mb = 3\nsnapshot_days = 4", SnapshotSettings(store=3 * MB, days=4)),
    ],
)
def test_what_the_users_own_file_says(tmp_path: Path, text: str, settings: SnapshotSettings) -> None:
    write_own_config(text)
    assert snapshot_settings(load_config(tmp_path).own.says) == settings


def test_settings_that_went_are_told_with_their_line_and_count_for_nothing(tmp_path: Path) -> None:
    path = write_own_config("snapshot_days = 4\nsnapshot_file_mb = 1\nsnapshot_mb = 'x'\n")
    config = load_config(tmp_path)
    assert snapshot_settings(config.own.says) == SnapshotSettings(days=4)
    assert config.warnings == [
        f"{path}, line 2, snapshot_file_mb: no longer a setting: files of more than 32 MB are not saved",
        f"{path}, line 3, snapshot_mb: no longer a setting: snapshot_store_mb limits all snapshots",
    ]


def test_a_project_neither_switches_snapshots_on_or_off_nor_changes_what_is_kept(tmp_path: Path) -> None:
    names = ("snapshots = 'everywhere'", *(f"snapshot_{name} = 1" for name in ("file_mb", "mb", "store_mb", "days")))
    (tmp_path / PROJECT_FILE).write_text("\n".join(names))
    config = load_config(tmp_path)
    assert snapshot_settings(config.own.says) == SnapshotSettings()
    assert len(config.warnings) == len(names)
