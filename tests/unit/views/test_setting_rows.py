"""The settings in rows: value, where it comes from, and what it does."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.config import PROJECT_FILE, load_config
from acp_tui.host.config.preferences import Preferences, remember
from acp_tui.host.config.settings_table import SETTINGS, Setting
from acp_tui.session.text.secret_names import CONCEALED
from acp_tui.views.setting_rows import (
    SettingGroup,
    SettingRow,
    about,
    as_line,
    found_rows,
    in_words,
    kind_of,
    question,
    rows_of,
    words_of,
)
from tests.own_config import write_own_config
from tests.rows import each_of

pytestmark = pytest.mark.usefixtures("private_folders")


def preferences(text: str, folder: Path, **given: Any) -> Preferences:
    write_own_config(text)
    return Preferences(load_config(folder), given)


def row(text: str, name: str, folder: Path, **given: Any) -> SettingRow:
    return next(each for each in rows_of(preferences(text, folder, **given)) if each.setting.name == name)


def test_every_setting_has_a_row(tmp_path: Path) -> None:
    assert [each.setting.name for each in rows_of(preferences("", tmp_path))] == [*SETTINGS]


def test_where_a_value_comes_from(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text("default_agent = 'x'\n")
    remember("details", True)
    said = preferences("theme = 'nord'\nediting = 'vim'\n", tmp_path, mouse=False)
    said.set("editing", "default")
    assert {each.setting.name: (each.value, each.source) for each in rows_of(said)} == {
        **{name: (in_words(setting, setting.default), "default") for name, setting in SETTINGS.items()},
        "theme": ("nord", "your file"),
        "details": ("on", "by shortcut"),
        "mouse": ("off", "command line"),
        "editing": ("default", "until you quit"),
        "default_agent": ("x", "project"),
        "sidebar": ("automatic", "default"),
    }


def test_what_is_automatic_if_nothing_is_set_is_off_if_that_is_set(tmp_path: Path) -> None:
    said = preferences("sidebar = false\n", tmp_path)
    row = next(each for each in rows_of(said) if each.setting.name == "sidebar")
    assert (row.value, row.source) == ("off", "your file")
    assert about(row, said)[1].endswith("Default: automatic")


@each_of(
    ("name", "value", "words"),
    [
        ("theme", "", "automatic"),
        ("theme", "acp-dark", "Dark (acp-dark)"),
        ("theme", "nord", "nord"),
        ("mouse", True, "on"),
        ("mouse", False, "off"),
        ("snapshots", "everywhere", "on, in the home folder too"),
        ("snapshot_days", 30, "30"),
        ("editing", "vim", "Vim"),
        ("keys", {}, "default"),
        ("status_line", (), "none"),
        ("system_prompt", "", "the agent's own"),
        ("agents", {"a": 1}, "1 agent"),
        ("keys", {"a": (), "b": ()}, "2 keys"),
        ("status_line", ("cost", "model"), "cost model"),
        ("status_command", ("a b", "-c"), "'a b' -c"),
        ("registry", "https://me:secret@example.com/r", f"https://{CONCEALED}@example.com/r"),
        ("status_command", ("x", "--token", "secret"), f"x --token '{CONCEALED}'"),
        ("registry", "x\n\x1b[2Jy", "x ⏎ y"),
    ],
)
def test_values_in_words(name: str, value: object, words: str) -> None:
    assert in_words(SETTINGS[name], value) == words


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("mouse", "switch"),
        ("theme", "choice"),
        ("editing", "choice"),
        ("registry", "text"),
        ("status_line", "words"),
        ("agents", "table"),
    ],
)
def test_how_each_is_changed(name: str, kind: str) -> None:
    assert kind_of(SETTINGS[name]) == kind


def test_items_are_asked_for_by_their_names() -> None:
    assert question(SETTINGS["status_line"]) == "Status line items: folder, branch, context, cost, limit, model"
    assert question(SETTINGS["registry"]).startswith("Agent registry: Registry with more agents")
    assert words_of(SETTINGS["status_line"], "cost,model  limit") == ["cost", "model", "limit"]


def test_words_are_asked_for_as_in_a_shell() -> None:
    assert words_of(SETTINGS["status_command"], "'my status' -x,y") == ["my status", "-x,y"]
    with pytest.raises(UserFault, match="Unmatched quote"):
        words_of(SETTINGS["status_command"], "'my status")
    assert as_line(("my status", "-x")) == "'my status' -x"
    assert as_line("plain") == "plain"


def test_what_it_does_and_where_it_is_set(tmp_path: Path) -> None:
    def told(text: str, name: str, **given: Any) -> str:
        said = preferences(text, tmp_path, **given)
        return about(next(each for each in rows_of(said) if each.setting.name == name), said)[1]

    assert told("", "mouse") == "mouse · Default: on"
    assert told("# a\nmouse = true\n", "mouse") == "mouse · Set in your file, line 2 · Default: on"
    assert told("", "mouse", mouse=False).startswith("mouse · Set on the command line for this run")
    (tmp_path / PROJECT_FILE).write_text("theme = 'nord'\n")
    assert told("theme = 'dracula'\n", "theme").startswith("theme · Set by the project: ")
    assert f"{PROJECT_FILE}, line 1 · Default: automatic" in told("", "theme")
    folder = f"# a\n[folders.'{tmp_path}']\ndefault_agent = 'goose'\n"
    assert told(folder, "default_agent").startswith("default_agent · Set for this folder in your file, line 3")
    remember("sidebar", True)
    assert told("", "sidebar").startswith("sidebar · Set with a shortcut; your config file overrides it")


def test_a_key_that_sets_what_a_file_sets_lasts_until_the_end(tmp_path: Path) -> None:
    said = preferences("mouse = true\n", tmp_path)
    said.set("mouse", False)
    mouse = next(each for each in rows_of(said) if each.setting.name == "mouse")
    assert about(mouse, said)[1].startswith("mouse · Set with a shortcut until you quit; then ")


@each_of("setting", SETTINGS.values())
def test_a_setting_has_a_name_in_plain_words(setting: Setting) -> None:
    assert "_" not in setting.title
    assert setting.title[0].isupper()
    assert setting.title.split()[0] != setting.name


def found(query: str, folder: Path, *expanded: str) -> list[str]:
    return [each.title for each in found_rows(query, rows_of(preferences("", folder)), expanded)]


@each_of(
    ("query", "first"),
    [
        ("scroll_by_terminal", "Scroll with the terminal"),
        ("scroll with", "Scroll with the terminal"),
        ("scroll by terminal", "Scroll with the terminal"),
        ("keys", "Key bindings"),
        ("snapshots", "Snapshots"),
        ("system_prompt", "System prompt"),
        ("snapshot_days", "Days to keep"),
        ("days to", "Days to keep"),
        ("limits", "Limits"),
        ("snapshot limits", "Disk space (MB)"),
        ("registry", "Agent registry"),
    ],
)
def test_a_setting_is_found_by_its_name_and_its_name_in_the_file(query: str, first: str, tmp_path: Path) -> None:
    assert found(query, tmp_path)[0] == first


def test_snapshot_limits_are_one_row_until_they_are_expanded(tmp_path: Path) -> None:
    limits = [SETTINGS[name].title for name in ("snapshot_store_mb", "snapshot_days")]
    shown = found("", tmp_path)
    assert not set(limits) & set(shown)
    at = shown.index("Snapshots") + 1
    assert shown[at] == "Snapshot limits"
    assert found("", tmp_path, "Snapshot limits") == [*shown[: at + 1], *limits, *shown[at + 1 :]]


def test_a_group_says_what_is_in_it(tmp_path: Path) -> None:
    said = preferences("", tmp_path)
    group = next(each for each in found_rows("", rows_of(said), ()) if isinstance(each, SettingGroup))
    assert group.value == "2 settings"
    assert about(group, said) == ["Disk space (MB), Days to keep", "snapshot_store_mb · snapshot_days"]
