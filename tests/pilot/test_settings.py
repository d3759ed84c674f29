"""The settings screen by keys: what is changed counts at once, is written, and can be undone."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from acp_tui.host.config.config import PROJECT_FILE, load_config, own_file
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.settings import template
from acp_tui.ui.kit.picker import AskLine, Picker
from acp_tui.ui.settings_screen import SettingsScreen
from tests.pilot.choosing import configure
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio


def shown(one: User) -> str:
    """The words on the screen, in however many rows."""
    return " ".join(" ".join(one.rows()).replace("▌", " ").split())


@asynccontextmanager
async def settings(
    text: str | None = "", words: str = "", size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[User, SettingsScreen]]:
    """The screen over a conversation, with a file that says this; None: without one."""
    if text is not None:
        configure(text)
    async with user(size) as one:
        one.conversation.action_command("settings", words)
        screen = await one.opened(SettingsScreen)
        yield one, screen


async def test_what_counts_stands_there_with_where_it_comes_from() -> None:
    async with settings("# mine\ntheme = 'acp-light'\n") as (one, _):
        row = next(row for row in one.rows() if "Theme" in row and "Light (acp-light)" in row)
        assert "your file" in row
        assert any("Copy on select" in row and "on" in row and "default" not in row for row in one.rows())
        assert one.sees("theme · Set in your file, line 2 · Default: automatic")


async def test_a_switch_is_turned_at_once_and_written_and_undone() -> None:
    async with settings("# mine\n", "sidebar") as (one, _):
        assert not one.conversation.has_class("-sidebar")
        await one.press("enter")
        assert one.conversation.has_class("-sidebar")
        assert own_file().read_text() == "# mine\n\nsidebar = true\n"
        assert one.sees("Saved: `sidebar = true`")
        await one.press("ctrl+underscore")
        assert not one.conversation.has_class("-sidebar")
        assert own_file().read_text() == "# mine\n"
        assert one.sees("Undone: Sidebar")
        await one.press("ctrl+underscore")
        assert one.sees("Nothing to undo")
        await one.type("x")
        await one.wait_until(lambda: not one.sees("Nothing to undo"), "the words to go")


async def test_a_theme_is_chosen_from_a_list_and_the_default_comes_back() -> None:
    async with settings(None, "theme") as (one, screen):
        await one.press("enter")
        await one.opened(Picker)
        await one.type("nord")
        await one.press("enter")
        await one.wait_until(lambda: one.app.screen is screen, "the settings")
        assert one.app.theme == "nord"
        assert own_file().read_text().count('\ntheme = "nord"\n') == 1
        await one.press("delete")
        assert one.app.theme == "acp-dark"
        assert own_file().read_text() == template()


async def test_details_are_expanded_at_once() -> None:
    async with settings("", "details") as (one, _):
        assert not one.conversation.transcript.unfolded
        await one.press("enter")
        assert one.conversation.transcript.unfolded


async def test_notifications_are_others_at_once() -> None:
    async with settings("", "notifications") as (one, screen):
        await one.press("enter")
        await one.opened(Picker)
        await one.type("off")
        await one.press("enter")
        await one.wait_until(lambda: one.app.screen is screen, "the settings")
        assert own_file().read_text() == 'notifications = "off"\n'
        assert one.app._settings.calls_by == "off"
        assert not one.sees("takes effect after a restart")


async def test_words_are_asked_for_and_checked() -> None:
    async with settings("", "status_line") as (one, screen):
        await one.press("enter")
        await one.opened(AskLine)
        await one.type("cost, modle")
        await one.press("enter")
        await one.wait_for("Not saved")
        assert "status_line[1]: must be" in shown(one)
        await one.press("backspace", "backspace", "backspace")
        await one.type("del")
        await one.press("enter")
        await one.wait_until(lambda: one.app.screen is screen, "the settings")
        assert own_file().read_text() == 'status_line = ["cost", "model"]\n'


async def test_what_cannot_count_at_once_says_so() -> None:
    async with settings("", "default_agent") as (one, screen):
        await one.press("enter")
        await one.opened(AskLine)
        await one.type("kimi")
        await one.press("enter")
        await one.wait_until(lambda: one.app.screen is screen, "the settings")
        assert one.sees("· takes effect after a restart")


async def test_a_file_edited_meanwhile_is_shown_anew_and_not_written() -> None:
    async with settings("theme = 'nord'\n", "mouse") as (one, screen):
        configure("theme = 'dracula'\nmouse = false\n")
        await one.press("enter")
        assert one.sees("edited in the meantime")
        assert own_file().read_text() == "theme = 'dracula'\nmouse = false\n"
        assert one.app.theme == "dracula"
        assert screen.setting_row is not None
        assert screen.setting_row.value == "off"
        await one.press("enter")
        assert own_file().read_text() == "theme = 'dracula'\nmouse = true\n"


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_with_a_syntax_error_it_says_where_and_writes_nothing(size: tuple[int, int]) -> None:
    async with settings("theme = 'nord'\nmouse = tru\n", "sidebar", size) as (one, _):
        assert one.sees("The file cannot be used")
        assert one.sees("^G edit file")
        assert "line 2" in shown(one)
        await one.press("enter")
        assert one.sees("Not saved: correct the file first")
        assert own_file().read_text() == "theme = 'nord'\nmouse = tru\n"
        assert not one.conversation.has_class("-sidebar")
        configure("mouse = true\n")
        await one.press("f5", "enter")
        assert own_file().read_text() == "mouse = true\nsidebar = true\n"


async def test_a_read_only_file_says_so_and_what_to_add() -> None:
    configure("mouse = true\n")
    own_file().chmod(0o444)
    async with settings(None, "sidebar") as (one, _):
        assert one.sees("config.toml (read-only)")
        await one.press("enter")
        assert one.sees("Not saved: read-only")
        assert "Write it yourself: sidebar = true" in shown(one)
        assert own_file().read_text() == "mouse = true\n"


async def test_a_link_shows_where_it_leads() -> None:
    target = own_file().parent / "dotfiles" / "acp.toml"
    target.parent.mkdir(parents=True)
    target.write_text("")
    own_file().symlink_to("dotfiles/acp.toml")
    async with settings(None, "sidebar") as (one, _):
        assert any("config.toml → " in row and "dotfiles/acp.toml" in row for row in one.rows())
        await one.press("enter")
        assert own_file().is_symlink()
        assert target.read_text() == "sidebar = true\n"


async def test_a_key_that_sets_what_the_file_sets_is_said_to_last_until_the_end() -> None:
    async with settings("sidebar = true\n") as (one, _):
        await one.press("escape")
        await one.wait_until(lambda: one.app.screen is one.conversation, "the conversation")
        one.conversation.action_command("toggle_sidebar")
        await one.wait_until(lambda: any("your config file sets sidebar" in told for told in one.toasts()), "a word")
        assert own_file().read_text() == "sidebar = true\n"


async def test_a_theme_that_cannot_be_kept_is_not_kept_on_the_screen() -> None:
    configure("")
    own_file().chmod(0o444)
    async with settings(None, "theme") as (one, screen):
        await one.press("enter")
        await one.opened(Picker)
        await one.type("nord")
        await one.wait_until(lambda: one.app.theme == "nord", "the theme before it is chosen")
        await one.press("enter")
        await one.wait_until(lambda: one.app.screen is screen, "the settings")
        await one.wait_until(lambda: one.app.theme == "acp-dark", "the theme from before")
        assert one.sees("read-only")


async def test_tables_are_not_thrown_away_by_a_key() -> None:
    async with settings("agents = { a = { command = 'x' } }\n", "agents") as (one, _):
        await one.press("delete")
        assert one.sees("Your agents: edit in the file (^G)")
        assert own_file().read_text() == "agents = { a = { command = 'x' } }\n"


async def test_a_theme_over_which_the_project_wins_is_written_and_not_shown(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text("theme = 'dracula'\n")
    async with user() as one:
        one.app.preferences = Preferences(load_config(tmp_path))
        one.conversation.action_command("settings", "theme")
        screen = await one.opened(SettingsScreen)
        await one.press("enter")
        await one.opened(Picker)
        await one.type("nord")
        await one.press("enter")
        await one.wait_until(lambda: one.app.screen is screen, "the settings")
        await one.wait_until(lambda: one.app.theme == "dracula", "the project's theme")
        assert one.sees("Saved, but this project's config file overrides Theme")
        assert '\ntheme = "nord"\n' in own_file().read_text()


async def test_letters_filter_and_the_keys_that_act_do_not_write() -> None:
    async with settings() as (one, screen):
        await one.type("selects")
        await one.wait_until(lambda: screen.query_one(Input).value == "selects", "the words")
        assert screen.setting_row is not None
        assert screen.setting_row.setting.name == "mouse"
        await one.press("delete", "ctrl+underscore")
        assert screen.query_one(Input).value == "selects"


@pytest.mark.skipif(os.name == "nt", reason="a shell script")
@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("agents", "# mine\n\n[agents.a]\ncommand = 'x'\n", "+3 "),
        ("theme", "# mine\n", ""),
        ("theme", "# mine\nmouse = tru\n", "+2 "),
        ("append_system_prompt", 'theme = "nord"\nappend_system_prompt = """\nOne.\nTwo."""\n', "+2 "),
    ],
)
async def test_the_file_opens_in_the_editor_at_the_line_that_matters(
    monkeypatch: pytest.MonkeyPatch, name: str, text: str, line: str
) -> None:
    opened: list[list[str]] = []

    async def lend(_app: object, argv: list[str]) -> int:
        opened.append(argv)
        own_file().write_text("mouse = false\n")
        return 0

    monkeypatch.setattr("acp_tui.ui.settings_screen.run_on_terminal", lend)
    monkeypatch.setenv("VISUAL", "vi")
    async with settings(text, name) as (one, screen):
        await one.press("enter" if name in ("agents", "append_system_prompt") else "ctrl+g")
        await one.wait_until(lambda: bool(opened), "the editor")
        await one.wait_until(lambda: one.app.preferences.get("mouse", bool) is False, "what was written there")
        assert " ".join(opened[0]) == f"vi {line}{own_file()}"
        assert screen.setting_row is not None
        assert screen.setting_row.setting.name == name


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])  # the fewest rows of a panel with gaps, and of one without
async def test_list_words_and_keys_fit_the_screen(size: tuple[int, int]) -> None:
    async with settings(template(), size=size) as (one, _):
        rows = one.rows()
        at = [
            next(at for at, row in enumerate(rows) if words in row)
            for words in ("Settings", "Theme ", "Default", "esc")
        ]
        assert at == sorted(at)
        assert len(set(at)) == len(at)


async def test_enter_expands_the_snapshot_limits() -> None:
    async with settings() as (one, screen):
        while not one.sees("Snapshot limits  ") or screen.setting_row is not None:
            await one.press("down")
        assert one.sees("enter expand")
        assert not one.sees("delete default")
        await one.press("enter")
        assert one.sees("enter collapse")
        assert one.sees("Days to keep")
        await one.press("enter")
        assert not one.sees("  Days to keep")
