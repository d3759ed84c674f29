"""`[limits]`: of the user's file, for a folder instead of that, and never of a project's file."""

from pathlib import Path

import pytest

from acp_tui.host.config.config import Config, ConfigFile
from acp_tui.host.config.preferences import NO_LIMITS, LimitSettings, Preferences, limit_settings
from acp_tui.host.config.settings_table import SETTINGS
from acp_tui.host.config.source_files import UnusableConfig
from acp_tui.views.setting_rows import in_words


def config_of(folder: Path, text: str, *, at: Path = Path("/elsewhere"), project: str = "") -> Config:
    (own := folder / "config.toml").write_text(text)
    (foreign := folder / "project.toml").write_text(project)
    return Config(ConfigFile.read(own), ConfigFile.read(foreign, foreign=True), folder=at)


def test_without_a_table_there_are_no_limits(tmp_path: Path) -> None:
    assert limit_settings(config_of(tmp_path, "")) == NO_LIMITS
    assert limit_settings(config_of(tmp_path, "mouse = false")) == NO_LIMITS


def test_a_folder_has_limits_of_its_own(tmp_path: Path) -> None:
    text = f"[limits]\nsession_cost = 5\ncontext_percent = 85\n[folders.'{tmp_path}'.limits]\nturn_minutes = 20.5\n"
    general, own = config_of(tmp_path, text), config_of(tmp_path, text, at=tmp_path)
    assert limit_settings(general) == LimitSettings(5.0, 0.0, 85.0)
    assert limit_settings(own) == LimitSettings(0.0, 20.5, 0.0)
    assert [Preferences(each).source("limits") for each in (general, own)] == ["user", "folder"]
    assert in_words(SETTINGS["limits"], Preferences(general).get("limits", object)) == "2 limits"


def test_a_project_sets_no_limits(tmp_path: Path) -> None:
    config = config_of(tmp_path, "", project="[limits]\nsession_cost = 500\n")
    assert limit_settings(config) == NO_LIMITS
    assert [warning for warning in config.warnings if "limits" in warning]


def test_an_unknown_limit_is_said_and_the_others_count(tmp_path: Path) -> None:
    config = config_of(tmp_path, "[limits]\nturn_minuts = 5\nsession_cost = 1\n")
    assert limit_settings(config) == LimitSettings(session_cost=1.0)
    assert "limits.turn_minuts: unknown setting. Did you mean turn_minutes?" in config.warnings[0]


@pytest.mark.parametrize(
    "line", ["session_cost = nan", "session_cost = -1", "context_percent = 101", "turn_minutes = true"]
)
def test_a_limit_that_is_no_number_within_its_range_is_a_fault(tmp_path: Path, line: str) -> None:
    with pytest.raises(UnusableConfig):
        config_of(tmp_path, f"[limits]\n{line}\n")
