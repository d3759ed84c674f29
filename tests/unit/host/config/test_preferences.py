"""What the user sets by keys stays set, and what is written in a file or on the command line counts more."""

from pathlib import Path

import pytest

from acp_tui.host.config.config import ConfigFile, load_config, own_file
from acp_tui.host.config.preferences import Preferences, Source
from acp_tui.host.store.view_memory import recall, remember


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with config and state folders of its own beside it."""
    for name in ("CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    (tmp_path / "config" / "acp-tui").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def write_own(folder: Path, text: str) -> None:
    (folder.parent / "config" / "acp-tui" / "config.toml").write_text(text)


def loaded(folder: Path, **given: object) -> Preferences:
    return Preferences(load_config(folder), given)


def test_what_a_key_sets_is_there_in_the_next_run(folder: Path) -> None:
    first = loaded(folder)
    assert (first.get("details", bool), first.source("details")) == (False, "default")
    assert first.set("details", True) == ""
    second = loaded(folder)
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
    folder: Path, own: str, project: str, given: dict[str, object], counts: str, source: Source
) -> None:
    remember("theme", "monokai")
    write_own(folder, own)
    (folder / ".acp-tui.toml").write_text(project)
    preferences = loaded(folder, **given)
    assert (preferences.get("theme", str), preferences.source("theme")) == (counts, source)


def test_what_a_file_sets_is_set_by_a_key_for_this_run_only_which_is_said(folder: Path) -> None:
    write_own(folder, "mouse = true")
    preferences = loaded(folder)
    assert "your config file sets mouse" in preferences.set("mouse", False)
    assert preferences.get("mouse", bool) is False
    assert loaded(folder).get("mouse", bool) is True


def test_a_project_sets_nothing_but_the_theme(folder: Path) -> None:
    (folder / ".acp-tui.toml").write_text('mouse = false\nediting = "vim"\nstatus_command = "true"\n')
    config = load_config(folder)
    preferences = Preferences(config)
    assert preferences.get("mouse", bool) is True
    assert preferences.get("editing", str) == "default"
    assert preferences.get("status_command", tuple) == ()
    assert sum("only works in your own config file" in warning for warning in config.warnings) == 3


@pytest.mark.parametrize("kept", ["yes", 1, None, ["a"]])
def test_what_was_kept_and_is_of_another_type_counts_for_nothing(folder: Path, kept: object) -> None:
    remember("mouse", kept)
    assert loaded(folder).source("mouse") == "default"


def test_a_theme_that_is_no_more_counts_for_nothing(folder: Path) -> None:
    remember("theme", "gone")
    preferences = Preferences(load_config(folder), usable=lambda _name, value: value != "gone")
    assert preferences.get("theme", str) == ""


def test_the_files_that_count_are_named(folder: Path) -> None:
    assert (loaded(folder).files, Preferences().files) == ([], [])
    write_own(folder, 'theme = "nord"')
    (folder / ".acp-tui.toml").write_text('theme = "dracula"')
    assert loaded(folder).files == [folder.parent / "config" / "acp-tui" / "config.toml", folder / ".acp-tui.toml"]


def test_a_status_command_is_the_user_s_alone(folder: Path) -> None:
    (folder / ".acp-tui.toml").write_text('status_command = "evil"\nstatus_line = ["folder"]')
    preferences = loaded(folder)
    assert (preferences.get("status_command", tuple), preferences.get("status_line", tuple)) == ((), ())
    write_own(folder, 'status_command = ["mine", "-x"]')
    assert loaded(folder).get("status_command", tuple) == ("mine", "-x")


def test_what_a_key_set_can_be_forgotten(folder: Path) -> None:
    remember("details", True)
    remember("follow", True)
    preferences = loaded(folder)
    assert preferences.kept("details")
    preferences.forget("details")
    assert (preferences.get("details", bool), preferences.source("details")) == (False, "default")
    assert recall() == {"follow": True}


def test_a_file_that_was_edited_counts_once_it_is_read_anew(folder: Path) -> None:
    write_own(folder, "mouse = false\ndetails = true")
    preferences = loaded(folder)
    preferences.set("mouse", True)
    preferences.set("details", False)
    write_own(folder, "details = true\n")
    preferences.read_anew(ConfigFile.read(own_file()))
    assert (preferences.get("mouse", bool), preferences.source("mouse")) == (True, "default")
    assert preferences.get("details", bool) is False  # the file says of it what it said before
    assert preferences.passing("details")


@pytest.mark.parametrize(("own", "place"), [("# a\nmouse = true", "line 2, mouse"), ("", "config.toml, mouse")])
def test_where_a_setting_stands(folder: Path, own: str, place: str) -> None:
    write_own(folder, own)
    assert str(loaded(folder).place("mouse")).endswith(place)


def test_a_key_works_without_any_config_file(folder: Path) -> None:
    preferences = Preferences()
    assert preferences.set("theme", "nord") == ""
    assert (preferences.get("theme", str), preferences.own.text) == ("nord", "")
