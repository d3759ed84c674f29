"""The settings in rows: value, where it comes from, and what it does."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.config import PROJECT_FILE, load_config
from acp_tui.host.config.preferences import Preferences, remember
from acp_tui.host.config.settings_table import SETTINGS
from acp_tui.session.text.secret_names import CONCEALED
from acp_tui.ui.settings_screen import SettingRow, about, as_line, draw, in_words, kind_of, question, rows_of, words_of
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
        "details": ("true", "set by key"),
        "mouse": ("false", "command line"),
        "editing": ("default", "until you quit"),
        "default_agent": ("x", "project"),
    }


@each_of(
    ("name", "value", "words"),
    [
        ("theme", "", "automatic"),
        ("mouse", True, "true"),
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
    assert question(SETTINGS["status_line"]) == "status_line: folder, branch, context, cost, limit, model"
    assert question(SETTINGS["registry"]).startswith("registry: Registry of more agents")
    assert words_of(SETTINGS["status_line"], "cost,model  limit") == ["cost", "model", "limit"]


def test_words_are_asked_for_as_in_a_shell() -> None:
    assert words_of(SETTINGS["status_command"], "'my status' -x,y") == ["my status", "-x,y"]
    with pytest.raises(UserFault, match="Not a list of words"):
        words_of(SETTINGS["status_command"], "'my status")
    assert as_line(("my status", "-x")) == "'my status' -x"
    assert as_line("plain") == "plain"


@pytest.mark.parametrize("width", [20, 36, 60, 100])
def test_a_row_stays_in_its_width_and_says_name_and_value(tmp_path: Path, width: int) -> None:
    drawn = draw(row("theme = 'nord'\n", "theme", tmp_path))(width).plain
    assert "theme" in drawn
    assert "nord" in drawn
    assert ("your file" in drawn) is (width >= 60)
    long = draw(row(f"theme = '{'x' * 500}'\n", "theme", tmp_path))(60)
    assert long.cell_length <= 60
    assert "your file" in long.plain


def test_what_it_does_and_where_it_is_set(tmp_path: Path) -> None:
    def told(text: str, name: str, **given: Any) -> str:
        said = preferences(text, tmp_path, **given)
        return about(next(each for each in rows_of(said) if each.setting.name == name), said)[1]

    assert told("", "mouse") == "Default: true"
    assert told("# a\nmouse = true\n", "mouse") == "Set in your file, line 2 · Default: true"
    assert told("", "mouse", mouse=False).startswith("Set on the command line for this run")
    (tmp_path / PROJECT_FILE).write_text("theme = 'nord'\n")
    assert told("theme = 'dracula'\n", "theme").startswith("Set by the project: ")
    assert f"{PROJECT_FILE}, line 1 · Default: automatic" in told("", "theme")
    folder = f"# a\n[folders.'{tmp_path}']\ndefault_agent = 'goose'\n"
    assert told(folder, "default_agent").startswith("Set for this folder in your file, line 3")
    remember("sidebar", True)
    assert told("", "sidebar").startswith("Set by key; your config file overrides it")


def test_a_key_that_sets_what_a_file_sets_lasts_until_the_end(tmp_path: Path) -> None:
    said = preferences("mouse = true\n", tmp_path)
    said.set("mouse", False)
    mouse = next(each for each in rows_of(said) if each.setting.name == "mouse")
    assert about(mouse, said)[1].startswith("Set by key until you quit; then ")


def test_values_stand_below_each_other(tmp_path: Path) -> None:
    rows = rows_of(preferences("", tmp_path))
    assert len({draw(each)(80).plain.index(f" {each.value} ") for each in rows}) == 1
    assert len({draw(each)(80).plain.rindex(f" {each.source}") for each in rows}) == 1
