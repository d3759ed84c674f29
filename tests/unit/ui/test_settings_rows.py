"""The rows of the settings, drawn: name, value and source in columns."""

from pathlib import Path

import pytest

from acp_tui.host.config.config import load_config
from acp_tui.host.config.preferences import Preferences
from acp_tui.ui.settings_screen import draw
from acp_tui.views.setting_rows import Listed, SettingRow, found_rows, rows_of
from tests.own_config import write_own_config

pytestmark = pytest.mark.usefixtures("private_folders")


def rows(text: str, folder: Path) -> list[SettingRow]:
    write_own_config(text)
    return rows_of(Preferences(load_config(folder)))


def row(text: str, name: str, folder: Path) -> SettingRow:
    return next(each for each in rows(text, folder) if each.setting.name == name)


@pytest.mark.parametrize("width", [20, 36, 60, 100])
def test_a_row_stays_in_its_width_and_says_name_and_value(tmp_path: Path, width: int) -> None:
    drawn = draw(row("theme = 'nord'\n", "theme", tmp_path))(width).plain
    assert "Theme" in drawn
    assert "nord" in drawn
    assert ("your file" in drawn) is (width >= 60)
    long = draw(row(f"theme = '{'x' * 500}'\n", "theme", tmp_path))(60)
    assert long.cell_length <= 60
    assert "your file" in long.plain


def test_values_stand_below_each_other(tmp_path: Path) -> None:
    drawn = [(each, draw(each)(80).plain) for each in rows("", tmp_path)]
    assert len({text.index(f" {each.value} ", len(each.title)) for each, text in drawn}) == 1


def test_where_a_value_comes_from_is_said_of_those_that_are_set(tmp_path: Path) -> None:
    listed = rows("theme = 'nord'\nsidebar = true\n", tmp_path)
    drawn = [(each.value, draw(each)(80).plain.rstrip()) for each in listed]
    assert len({text.index("your file") for _, text in drawn if text.endswith("your file")}) == 1
    assert not any(text.endswith("  default") for value, text in drawn if value != "default")


def test_a_group_is_expanded_with_its_rows_inset(tmp_path: Path) -> None:
    def shown(*expanded: str) -> list[str]:
        listed: list[Listed] = found_rows("", rows("", tmp_path), expanded)
        return [draw(each)(80).plain.rstrip() for each in listed if each.group == "Snapshots"]

    assert [text.split("  ")[0] for text in shown()] == ["Snapshots", "▸ Snapshot limits"]
    assert [text[:19].rstrip() for text in shown("Snapshot limits")] == [
        "Snapshots",
        "▾ Snapshot limits",
        "  Disk space (MB)",
        "  Days to keep",
    ]
