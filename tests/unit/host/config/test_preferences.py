"""What the user sets by keys stays set, and what is written in a file or on the command line counts more."""

from pathlib import Path

import pytest

from acp_tui.host.config.config import ConfigFile, load_config, own_file
from acp_tui.host.config.preferences import Preferences, Source, recall, remember
from tests.own_config import write_own_config


def loaded(tmp_path: Path, **given: object) -> Preferences:
    return Preferences(load_config(tmp_path), given)


def test_what_a_key_sets_is_there_in_the_next_run(tmp_path: Path) -> None:
    first = loaded(tmp_path)
    assert (first.get("details", bool), first.source("details")) == (False, "default")
    assert first.set("details", True) == ""
    second = loaded(tmp_path)
    assert (second.get("details", bool), second.source("details")) == (True, "key")


@pytest.mark.parametrize(
    ("own", "project", "given", "counts", "source"),
    [
        ('theme = "nord"', "", {}, "nord", "user"),
        ('theme = "nord"', 'theme = "dracula"', {}, "dracula", "project"),
        ('theme = "nord"', 'theme = ""', {}, "nord", "user"),
        ('theme = "nord"', 'theme = "dracula"', {"theme": "gruvbox"}, "gruvbox", "command line"),
    ],
)
def test_who_counts_more(
    tmp_path: Path, own: str, project: str, given: dict[str, object], counts: str, source: Source
) -> None:
    remember("theme", "monokai")
    write_own_config(own)
    (tmp_path / ".acp-tui.toml").write_text(project)
    preferences = loaded(tmp_path, **given)
    assert (preferences.get("theme", str), preferences.source("theme")) == (counts, source)


@pytest.mark.parametrize(
    ("own", "project", "counts", "source"),
    [
        ('default_agent = "mine"', "", "mine", "user"),
        ('default_agent = "mine"', 'default_agent = "theirs"', "theirs", "project"),
        ('default_agent = "mine"\n{folder}default_agent = "its"', 'default_agent = "theirs"', "its", "folder"),
        ('default_agent = "mine"\n{folder}env_file = "x"', "", "mine", "user"),
    ],
)
def test_what_is_for_the_folder_counts_more(
    tmp_path: Path, own: str, project: str, counts: str, source: Source
) -> None:
    write_own_config(own.format(folder=f"[folders.'{tmp_path}']\n"))
    (tmp_path / ".acp-tui.toml").write_text(project)
    preferences = loaded(tmp_path)
    assert (preferences.get("default_agent", str), preferences.source("default_agent")) == (counts, source)
    assert "default_agent" in str(preferences.place("default_agent"))


def test_what_a_file_sets_is_set_by_a_key_for_this_run_only_which_is_said(tmp_path: Path) -> None:
    write_own_config("mouse = true")
    preferences = loaded(tmp_path)
    assert "your config file sets mouse" in preferences.set("mouse", False)
    assert preferences.get("mouse", bool) is False
    assert loaded(tmp_path).get("mouse", bool) is True


def test_a_project_sets_nothing_but_the_theme(tmp_path: Path) -> None:
    write_own_config('status_command = ["mine", "-x"]')
    (tmp_path / ".acp-tui.toml").write_text(
        'mouse = false\nediting = "vim"\nstatus_line = ["folder"]\nstatus_command = "evil"\n'
    )
    config = load_config(tmp_path)
    preferences = Preferences(config)
    assert preferences.get("mouse", bool) is True
    assert preferences.get("editing", str) == "default"
    assert preferences.get("status_line", tuple) == ()
    assert preferences.get("status_command", tuple) == ("mine", "-x")
    assert sum("only works in your own config file" in warning for warning in config.warnings) == 4


@pytest.mark.parametrize("kept", ["yes", 1, None, ["a"]])
def test_what_was_kept_and_is_of_another_type_counts_for_nothing(tmp_path: Path, kept: object) -> None:
    remember("mouse", kept)
    assert loaded(tmp_path).source("mouse") == "default"


def test_what_was_kept_and_is_none_of_the_choices_counts_for_nothing(tmp_path: Path) -> None:
    remember("editing", "\x1b[2Jemacs")
    assert loaded(tmp_path).source("editing") == "default"


def test_a_theme_that_is_no_more_counts_for_nothing(tmp_path: Path) -> None:
    remember("theme", "gone")
    preferences = Preferences(load_config(tmp_path), usable=lambda _name, value: value != "gone")
    assert preferences.get("theme", str) == ""


def test_the_files_that_count_are_named(tmp_path: Path) -> None:
    assert (loaded(tmp_path).files, Preferences().files) == ([], [])
    write_own_config('theme = "nord"')
    (tmp_path / ".acp-tui.toml").write_text('theme = "dracula"')
    assert loaded(tmp_path).files == [own_file(), tmp_path / ".acp-tui.toml"]


def test_what_a_key_set_can_be_forgotten(tmp_path: Path) -> None:
    remember("details", True)
    remember("follow", True)
    preferences = loaded(tmp_path)
    assert preferences.kept("details")
    preferences.forget("details")
    assert (preferences.get("details", bool), preferences.source("details")) == (False, "default")
    assert recall() == {"follow": True}


def test_a_file_that_was_edited_counts_once_it_is_read_anew(tmp_path: Path) -> None:
    write_own_config("mouse = false\ndetails = true")
    preferences = loaded(tmp_path)
    preferences.set("mouse", True)
    preferences.set("details", False)
    write_own_config("details = true\n")
    preferences.read_anew(ConfigFile.read(own_file()))
    assert (preferences.get("mouse", bool), preferences.source("mouse")) == (True, "default")
    assert preferences.get("details", bool) is False  # the file says of it what it said before
    assert preferences.passing("details")


@pytest.mark.parametrize(("own", "place"), [("# a\nmouse = true", "line 2, mouse"), ("", "config.toml, mouse")])
def test_where_a_setting_stands(tmp_path: Path, own: str, place: str) -> None:
    write_own_config(own)
    assert str(loaded(tmp_path).place("mouse")).endswith(place)


def test_a_key_works_without_any_config_file(tmp_path: Path) -> None:
    preferences = Preferences()
    assert preferences.set("theme", "nord") == ""
    assert (preferences.get("theme", str), preferences.own.text) == ("nord", "")
