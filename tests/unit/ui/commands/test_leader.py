"""The key after the leader: which there are, what is said of others, and the words of the program that name them."""

import re
from pathlib import Path

import pytest

import acp_tui
from acp_tui.ui.commands.key_table import key_words, leader_table
from acp_tui.ui.commands.registry import BY_ID, COMMANDS, LeaderKeys, after_leader
from acp_tui.ui.kit.theme import key_name
from acp_tui.views.command_index import LEADER
from tests.rows import each_of

LETTERS = {
    "m": "pick_model",
    "a": "next_mode",
    "t": "next_thought_level",
    "o": "change_model_config",
    "c": "all_options",
    "e": "edit_externally",
    "E": "open_in_editor",
    "g": "pick_earlier",
    "w": "show_board",
    "k": "cancel_work",
    "Q": "focus_queue",
    "q": "quit",
    "s": "browse_sessions",
    "l": "browse_sessions",
    "n": "new_session",
    "N": "new_agent",
    "x": "export_markdown",
    "down": "open_subagent",
    "X": "close_session",
    "tab": "switch_session",
    "1": "show_session_1",
    "9": "show_session_9",
    "left": "previous_session",
    "right": "next_session",
    "up": "focus_transcript",
    "y": "copy_answer",
    "Y": "copy_code",
    "v": "attach_output",
    "i": "inspect",
    "D": "show_stderr",
    "R": "restart_agent",
    "b": "toggle_sidebar",
    "d": "show_changes",
    "f": "toggle_follow",
    "z": "undo",
    "Z": "redo",
    "slash": "search_records",
    "question_mark": "help",
    "plus": "keep_choices",
    "minus": "decline_choices",
    "P": "unfold_paste",
}
SOURCES = [path for path in Path(acp_tui.__file__).parent.rglob("*") if path.suffix in (".py", ".toml")]
NAMED = re.compile(r"(?:Ctrl\+X|ctrl\+x|\^X) ([^\s`\"*,]+)")


class Asked:
    """A leader whose acts are remembered."""

    def __init__(self) -> None:
        self.ran: list[str] = []
        self.said: list[str] = []
        self.scrolled: list[int] = []
        self.leader = LeaderKeys(self.ran.append, self.said.append)
        self.leader.menus.append(self)
        self.looked: list[bool] = []

    def look(self) -> None:
        self.looked.append(self.leader.waiting)

    def turn(self, pages: int) -> None:
        self.scrolled.append(pages)

    def press(self, *keys: str) -> list[bool]:
        return [self.leader.takes(key) for key in keys]


@each_of(("key", "command_id"), LETTERS.items())
def test_every_letter_means_what_it_should(key: str, command_id: str) -> None:
    asked = Asked()
    assert asked.press(LEADER.key, key, key) == [True, True, False]
    assert (asked.ran, asked.said) == ([command_id], [])


@pytest.mark.parametrize("key", ["O", "h", "f12", "ctrl+q"])
def test_a_key_that_means_nothing_does_nothing_and_is_told(key: str) -> None:
    asked = Asked()
    assert asked.press(LEADER.key, key) == [True, True]
    assert asked.ran == []
    assert re.fullmatch(r"\^X \S+ is not assigned", asked.said[0])
    assert not asked.leader.waiting


@pytest.mark.parametrize("key", ["escape", "ctrl+c", LEADER.key])
def test_the_ways_out_say_nothing(key: str) -> None:
    asked = Asked()
    assert asked.press(LEADER.key, key, "m") == [True, True, False]
    assert (asked.ran, asked.said) == ([], [])


def test_its_menu_is_scrolled_as_often_as_wanted() -> None:
    asked = Asked()
    assert all(asked.press(LEADER.key, "pagedown", "pagedown", "pageup", "i"))
    assert (asked.scrolled, asked.ran) == ([1, 1, -1], ["inspect"])


def test_its_menus_hear_when_it_begins_and_ends() -> None:
    asked = Asked()
    asked.press(LEADER.key, "pagedown", "m")
    assert asked.looked == [True, False]


def test_without_a_leader_nothing_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LEADER, "key", "")
    assert Asked().press("ctrl+x", "m") == [False, False]


def test_what_ends_closes_or_restarts_is_a_capital() -> None:
    assert {BY_ID[id_].leader.isupper() for id_ in ("restart_agent", "close_session")} == {True}
    assert BY_ID["withdraw_queued"].leader == ""


def test_the_menu_has_every_command_in_the_groups_of_the_help() -> None:
    rows = {row.command_id: group for group, rows in leader_table().items() for row in rows}
    shown = {command.id: command.group for command in COMMANDS if command.leader and command.in_table}
    for id_ in ("show_session_1", "open_subagent", "next_session"):  # whose rows stand for others too
        shown.pop(id_)
    assert rows == shown
    words = {row.key: row.words for rows in leader_table().values() for row in rows}
    assert (words["← →"], words["↑ ↓"]) == ("previous, next", "blocks, subagents")
    assert (words["1–9"], words["s"]) == ("session by number", "sessions")
    assert max(map(len, words.values())) <= 18  # three columns in 80 cells


def test_keys_after_the_leader_that_the_program_names_are_there() -> None:
    named = {key for path in SOURCES for key in NAMED.findall(path.read_text(encoding="utf-8"))}
    assert "k" in named
    assert [key for key in named if after_leader(key_name(key)) is None] == []


def test_the_demo_names_the_keys_of_what_it_shows() -> None:
    demo = "".join(path.read_text(encoding="utf-8") for path in SOURCES if path.parent.name == "demo")
    assert f"`{key_words(BY_ID['cancel_work'])}` to list or cancel" in demo
