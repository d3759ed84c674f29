"""Settings are written into the user's own file one by one, can be undone, and never over what somebody else wrote."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.config.config import PROJECT_FILE, load_config, own_file
from acp_tui.host.config.config_writer import OwnSettings
from acp_tui.host.config.preferences import Preferences, recall, remember
from tests.own_config import write_own_config


def opened(text: str | None = None, folder: Path = Path("/"), **given: object) -> tuple[OwnSettings, Preferences]:
    """The settings with a file that says this; None: without one."""
    if text is not None:
        write_own_config(text)
    preferences = Preferences(load_config(folder), given)
    return OwnSettings(preferences), preferences


def test_what_is_set_counts_at_once_and_in_the_next_run() -> None:
    settings, preferences = opened("# mine\nmouse = true # m\n")
    assert settings.set("mouse", False) == "Saved: `mouse = false`"
    assert own_file().read_text() == "# mine\nmouse = false # m\n"
    assert preferences.get("mouse", bool) is False
    assert Preferences(load_config(Path("/"))).get("mouse", bool) is False


def test_each_change_can_be_undone_byte_by_byte() -> None:
    before = "# mine\r\n  mouse=true # m\r\n"
    settings, preferences = opened("")
    own_file().write_bytes(before.encode())
    settings.read()
    settings.set("mouse", False)
    settings.set("theme", "nord")
    settings.use_default("mouse")
    assert [settings.undo() for _ in range(4)] == ["mouse", "theme", "mouse", ""]
    assert own_file().read_bytes() == before.encode()
    assert preferences.get("theme", str) == ""


def test_a_file_that_the_first_setting_made_goes_with_it() -> None:
    settings, _ = opened()
    settings.set("mouse", False)
    assert "\nmouse = false\n" in own_file().read_text()
    assert settings.undo() == "mouse"
    assert not own_file().exists()


def test_the_default_again_is_no_line_in_the_file() -> None:
    settings, preferences = opened("# a\ntheme = 'nord' # b\n# c\n")
    assert settings.use_default("theme") == "Removed from your config file: Theme"
    assert own_file().read_text() == "# a\n# c\n"
    assert preferences.source("theme") == "default"
    assert settings.use_default("theme") == "Theme already has its default"


def test_the_file_counts_more_than_a_key_whose_value_can_be_cleared() -> None:
    remember("details", True)
    settings, preferences = opened("")
    assert preferences.source("details") == "key"
    settings.set("details", False)
    assert (preferences.get("details", bool), preferences.source("details")) == (False, "user")
    assert "value you set with a shortcut" in settings.use_default("details")
    assert preferences.get("details", bool) is True
    assert "Cleared: Expand details, set with a shortcut" in settings.use_default("details")
    assert (preferences.source("details"), recall()) == ("default", {})
    assert settings.undo() == "details"
    assert (preferences.source("details"), recall()) == ("key", {"details": True})


def test_what_was_set_by_key_for_this_run_gives_way_to_the_file() -> None:
    settings, preferences = opened("mouse = true\n")
    assert preferences.set("mouse", False)
    assert preferences.passing("mouse")
    settings.set("mouse", True)
    assert preferences.get("mouse", bool) is True
    assert not preferences.passing("mouse")


def test_what_counts_more_is_said(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text("theme = 'dracula'\n")
    settings, preferences = opened("", tmp_path, mouse=False)
    assert "project's config file overrides Theme" in settings.set("theme", "nord")
    assert "command line overrides Mouse" in settings.set("mouse", True)
    settings, _ = opened(f"[folders.'{tmp_path}']\ndefault_agent = 'goose'\n", tmp_path)
    assert "a different value for this folder: Default agent" in settings.set("default_agent", "kimi")
    settings, preferences = opened('theme = "nord"\nmouse = true\n', tmp_path, mouse=False)
    assert (preferences.get("theme", str), preferences.get("mouse", bool)) == ("dracula", False)
    assert own_file().read_text() == 'theme = "nord"\nmouse = true\n'


def edit() -> None:
    own_file().write_text("theme = 'dracula'\n")


def remove() -> None:
    own_file().unlink()


@pytest.mark.parametrize("meanwhile", [edit, remove])
@pytest.mark.parametrize(
    "act",
    [lambda it: it.set("mouse", False), lambda it: it.use_default("theme"), lambda it: it.undo()],
    ids=["set", "default", "undo"],
)
def test_a_file_that_changed_meanwhile_is_read_anew_and_not_written(
    meanwhile: Callable[[], None], act: Callable[[OwnSettings], str]
) -> None:
    settings, preferences = opened("theme = 'nord'\n")
    settings.set("sidebar", True)
    meanwhile()
    now = own_file().read_bytes() if own_file().exists() else None
    with pytest.raises(UserFault, match="edited in the meantime"):
        act(settings)
    assert (own_file().read_bytes() if own_file().exists() else None) == now
    assert preferences.get("theme", str) == ("dracula" if now else "")
    assert settings.undo() == ""  # nobody wants a file back that another one has followed
    settings.set("mouse", False)
    assert preferences.get("mouse", bool) is False


def test_with_a_syntax_error_nothing_is_written_and_what_was_read_before_counts() -> None:
    settings, preferences = opened("theme = 'nord'\n")
    own_file().write_text("theme = 'nord'\nmouse = tru\n")
    settings.read()
    assert settings.fault is not None
    assert "config.toml, line 2" in settings.fault.message
    assert settings.fault_line == 2
    with pytest.raises(UserFault, match="line 2"):
        settings.set("mouse", False)
    assert own_file().read_text() == "theme = 'nord'\nmouse = tru\n"
    assert preferences.get("theme", str) == "nord"
    own_file().write_text("theme = 'dracula'\nmouse = true\n")
    settings.read()
    assert settings.fault_line == 0
    assert preferences.get("theme", str) == "dracula"


def test_what_the_file_may_not_say_is_not_written() -> None:
    settings, _ = opened("mouse = true\n")
    with pytest.raises(UserFault, match="must be 'folder', 'branch'"):
        settings.set("status_line", ["cost", "modle"])
    assert own_file().read_text() == "mouse = true\n"


def test_a_read_only_file_is_left_alone() -> None:
    settings, _ = opened("mouse = true\n")
    own_file().chmod(0o444)
    with pytest.raises(UserFault, match="read-only"):
        settings.set("mouse", False)
    assert own_file().read_text() == "mouse = true\n"


def test_a_link_stays_one() -> None:
    target = own_file().parent / "dotfiles" / "acp.toml"
    target.parent.mkdir(parents=True)
    target.write_text("mouse = true # m\n")
    own_file().symlink_to("dotfiles/acp.toml")
    settings, _ = opened()
    settings.set("mouse", False)
    assert own_file().is_symlink()
    assert target.read_text() == "mouse = false # m\n"
    settings.undo()
    assert target.read_text() == "mouse = true # m\n"


@pytest.mark.skipif(os.name == "nt", reason="no such lock")
def test_while_another_acp_tui_writes_it_is_left_alone() -> None:
    import fcntl

    settings, _ = opened("mouse = true\n")
    folder = os.open(own_file().parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with pytest.raises(UserFault, match="another acp-tui is writing it"):
            settings.set("mouse", False)
    finally:
        os.close(folder)
    settings.set("mouse", False)
    assert own_file().read_text() == "mouse = false\n"
