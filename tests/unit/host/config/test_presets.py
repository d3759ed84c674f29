"""Presets in the user's config file: read, named on the command line, and written without touching what is theirs."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.config import PROJECT_FILE, Config, ConfigFile, load_config, own_file
from acp_tui.host.config.config_writer import OwnSettings
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.presets import Preset, preset_named, presets_of
from tests.own_config import write_own_config
from tests.rows import each_of

PLAN = '# mine\n\n[presets.plan] # careful\nmode = "plan" # first\nfast = true\n'


def file_of(text: str) -> ConfigFile:
    return ConfigFile(Path("/c.toml"), text)


def settings_of(text: str) -> tuple[OwnSettings, Preferences]:
    write_own_config(text)
    preferences = Preferences(load_config(Path("/")))
    return OwnSettings(preferences), preferences


def test_a_preset_has_strings_and_switches_in_the_order_of_the_file() -> None:
    text = PLAN + '[presets."[b]two words"]\n"[i]" = "*"\n'
    assert presets_of(file_of(text).says("presets", {})) == [
        Preset("plan", {"mode": "plan", "fast": True}),
        Preset("[b]two words", {"[i]": "*"}),
    ]
    assert file_of(text).warnings == ()


@each_of(
    ("text", "place"),
    [
        ("[presets.a]\nmode = 3", "line 2, presets.a.mode: must be a string in quotes, true or false"),
        ('[presets.a]\nmode = ["x"]', "line 2, presets.a.mode: must be a string in quotes, true or false"),
        ("[presets]\na = 1", "line 2, presets.a: must be a table, not 1"),
        ('[presets.""]\na = "x"', 'line 1, presets."": '),
    ],
)
def test_what_is_no_preset_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(UserFault) as told:
        file_of(text).settings  # noqa: B018
    assert place in str(told.value)


def test_a_projects_file_has_no_presets(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text('[presets.plan]\nmode = "yolo"\n')
    config = load_config(tmp_path)
    assert any("only works in your own config file" in warning for warning in config.warnings)
    assert Preferences(config).get("presets", dict) == {}


MANY = "".join(f'[presets.p{n}]\nmode = "x"\n' for n in range(1_000))


@each_of(
    ("text", "name", "hint"),
    [
        (PLAN, "plam", "Did you mean plan?"),
        (PLAN, "other", "Your presets: plan"),
        ("", "plan", "Save the current options as one with: /preset"),
        (MANY, "zzz", "and 990 more"),
        ('[presets."a\\u001b[31m"]\nx = "y"', "b", "Your presets: a"),
    ],
)
def test_an_unknown_preset_is_told_with_the_nearest(text: str, name: str, hint: str) -> None:
    with pytest.raises(UserFault) as told:
        preset_named(file_of(text), name)
    assert hint in told.value.hint
    assert f"Unknown preset: {name}" in str(told.value)
    assert "\x1b" not in str(told.value)


def test_a_preset_is_found_by_exactly_its_name() -> None:
    assert preset_named(file_of(MANY), "p999") == Preset("p999", {"mode": "x"})
    assert Config(file_of(PLAN)).own.says("presets", {}) == {"plan": {"mode": "plan", "fast": True}}


def test_a_new_preset_is_a_table_at_the_end_and_counts_at_once() -> None:
    settings, preferences = settings_of(PLAN)
    settings.save_preset('my "own"', {"mode": "a b", "opus[1m]": False})
    added = '\n[presets."my \\"own\\""]\nmode = "a b"\n"opus[1m]" = false\n'
    assert own_file().read_text() == PLAN + added
    assert preferences.get("presets", dict)['my "own"'] == {"mode": "a b", "opus[1m]": False}


def test_one_that_is_replaced_loses_what_it_does_not_set_and_keeps_its_comments() -> None:
    settings, preferences = settings_of(PLAN)
    settings.save_preset("plan", {"mode": "code", "model": "opus"})
    assert own_file().read_text() == '# mine\n\n[presets.plan] # careful\nmode = "code" # first\nmodel = "opus"\n'
    assert preferences.get("presets", dict) == {"plan": {"mode": "code", "model": "opus"}}


def test_a_file_that_cannot_be_used_is_left_alone() -> None:
    settings, _ = settings_of(PLAN)
    own_file().write_text("not TOML")
    with pytest.raises(UserFault):
        settings.save_preset("plan", {"mode": "code"})
    assert own_file().read_text() == "not TOML"
