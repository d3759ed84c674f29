"""Keys from a config file: what comes of them, and what a user is told."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.client import Connection
from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way, key_lines, key_words, rebind
from acp_tui.ui.commands.registry import BY_ID, COMMANDS, after_leader, bindings, in_transcript
from acp_tui.ui.status.footer import hints_of
from acp_tui.views.command_index import LEADER

FIRST_RELEASE = {
    "pick_earlier": "h",
    "edit_externally": "g",
    "unfold_paste": "l",
    "withdraw_queued": "q",
    "focus_queue": "u",
    "cancel_work": "w",
    "next_mode": "m",
    "pick_model": "p",
    "answer_permission": "a",
    "open_in_editor": "e",
    "new_agent": "n",
    "browse_sessions": "s",
    "close_session": "x",
    "restart_agent": "r",
    "show_stderr": "d",
    "copy_code": "k",
}
"""Keys after the leader that have changed since, and one that has another beside it."""


@pytest.fixture(autouse=True)
def own_keys() -> Iterator[None]:
    """Other tests want the commands' own keys."""
    yield
    rebind({})


def told(given: Mapping[str, Sequence[str]]) -> list[str]:
    return [f"{problem.id}: {problem.message}" for problem in rebind(given)]


def words(id_: str) -> str:
    return key_words(BY_ID[id_])


def test_nothing_given_changes_nothing() -> None:
    assert told({}) == []
    assert words("pick_model") == "Alt+P, F2, Ctrl+X m"


def test_keys_replace_keys_and_the_leader_s_stays() -> None:
    assert told({"pick_model": ["Alt+M"]}) == []
    assert words("pick_model") == "Alt+M, Ctrl+X m"
    assert [binding.key for binding in bindings("everywhere") if binding.id == "pick_model"] == ["alt+m"]


def test_a_key_after_the_leader_replaces_that_one() -> None:
    assert told({"pick_model": ["f2", "ctrl+x M"], "toggle_plan": ["ctrl+x %"]}) == []
    assert words("pick_model") == "F2, Ctrl+X M"
    assert after_leader("M") is BY_ID["pick_model"]
    assert after_leader("m") is None
    assert after_leader("percent_sign") is BY_ID["toggle_plan"]
    assert not BY_ID["toggle_plan"].keys


def test_several_keys_after_the_leader() -> None:
    assert words("browse_sessions") == "Ctrl+S, Ctrl+X s, Ctrl+X l"
    assert told({"pick_model": ["ctrl+x m", "ctrl+x O"], "help": ["ctrl+x l"]}) == [
        "help: Ctrl+X l taken from browse_sessions"
    ]
    assert after_leader("m") is after_leader("O") is BY_ID["pick_model"]
    assert words("browse_sessions") == "Ctrl+S, Ctrl+X s"


def test_the_second_key_may_have_a_modifier() -> None:
    assert told({"toggle_plan": ["ctrl+x ctrl+g"], "find": ["ctrl+x alt+enter"]}) == []
    assert after_leader("ctrl+g") is BY_ID["toggle_plan"]
    assert words("toggle_plan") == "Ctrl+X Ctrl+G"
    assert first_way("toggle_plan") == "^X ^G"
    assert after_leader("alt+enter") is BY_ID["find"]


def test_letters_of_the_first_release_stay_what_a_file_makes_them() -> None:
    given = {"restart_agent": ["ctrl+x r"], "pick_model": ["alt+p", "ctrl+x p"], "show_stderr": ["ctrl+x d"]}
    assert sorted(told(given)) == [
        "pick_model: Ctrl+X p taken from pick_preset",
        "restart_agent: Ctrl+X r taken from redo_taken_back",
        "show_stderr: Ctrl+X d taken from show_changes",
    ]
    assert [after_leader(key) for key in "rpd"] == [BY_ID[id_] for id_ in given]
    assert [after_leader(key) for key in "RmD"] == [None] * 3


def test_a_letter_that_means_something_else_by_now_is_taken_and_told() -> None:
    assert told({"cancel_work": ["ctrl+x w"], "next_mode": ["shift+tab", "ctrl+x m"]}) == [
        "cancel_work: Ctrl+X w taken from show_board",
        "next_mode: Ctrl+X m taken from pick_model",
    ]
    assert (words("answer_permission"), words("pick_model")) == ("Alt+A", "Alt+P, F2")


def test_a_file_with_all_letters_of_the_first_release_has_all_of_them() -> None:
    told({id_: [f"ctrl+x {key}"] for id_, key in FIRST_RELEASE.items()})
    assert {id_: BY_ID[id_].leader for id_ in FIRST_RELEASE} == FIRST_RELEASE


def test_an_empty_list_takes_all_keys() -> None:
    assert told({"pick_model": [], "palette": []}) == []
    assert words("pick_model") == words("palette") == ""
    ids = [hint.command_id for hint in hints_of(Session("s", "/work"), Connection(phase="ready"), "empty prompt")]
    assert ids == ["menu", "question_mark"]


def test_another_leader() -> None:
    assert told({"leader": ["f9"], "pick_model": ["f9 J"]}) == []
    assert LEADER.key == "f9"
    assert words("pick_model") == "F9 J"
    assert words("next_mode") == "Shift+Tab, F9 a"


def test_no_leader() -> None:
    assert told({"leader": []}) == []
    assert "menu" not in [hint.word for hint in hints_of(Session("s", "/work"), Connection(), "prompt")]
    assert words("next_mode") == "Shift+Tab"
    assert words("all_options") == ""


def test_what_cannot_be_is_told_and_left_out() -> None:
    assert told({"helpp": ["f1"], "pick_model": ["hyperspace", "alt+m"], "quit": ["q"], "palette": ["ctrl+y p"]}) == [
        "pick_model: 'hyperspace' is not a key: unknown key 'hyperspace'",
        "quit: 'q' would no longer type a character: add ctrl or alt, or use an F-key",
        "palette: 'ctrl+y p': only the leader (Ctrl+X) can be followed by a second key",
        "helpp: unknown command. Did you mean help?",
    ]
    assert words("pick_model") == "Alt+M, Ctrl+X m"
    assert words("quit") == "Ctrl+Q, Ctrl+X q"
    assert words("palette") == "Ctrl+P"


def test_the_leader_alone_is_no_key() -> None:
    assert "is the leader key" in told({"quit": ["ctrl+x"]})[0]
    assert told({"leader": ["q"]})[0].startswith("leader: 'q' would no longer type")
    assert told({"leader": ["ctrl+a", "ctrl+b"]}) == ["leader: only one leader key is possible"]
    assert LEADER.key == "ctrl+x"


def test_the_first_line_has_a_key_that_two_want() -> None:
    assert told({"pick_model": ["f16"], "toggle_plan": ["f16", "f15"]}) == [
        "toggle_plan: F16 is already assigned to pick_model"
    ]
    assert words("toggle_plan") == "F15"


def test_a_command_that_loses_its_key_is_told() -> None:
    assert told({"toggle_plan": ["ctrl+p"], "pick_model": ["ctrl+x t"]}) == [
        "toggle_plan: Ctrl+P taken from palette",
        "pick_model: Ctrl+X t taken from next_thought_level",
    ]
    assert words("palette") == ""
    assert words("next_thought_level") == "Alt+T, F3"


def test_swapping_keys_is_no_loss() -> None:
    assert told({"toggle_plan": ["ctrl+o"], "toggle_details": ["ctrl+t"]}) == []
    assert told({"leader": ["ctrl+o"]}) == ["leader: Ctrl+O taken from toggle_details"]


def test_letters_are_keys_in_the_transcript_only() -> None:
    assert told({"copy_block": ["c"], "next_block": ["f17"]}) == []
    assert in_transcript("c") is BY_ID["copy_block"]
    assert in_transcript("y") is None
    assert "would no longer type" in told({"help": ["h"]})[0]


def test_every_command_is_listed_as_a_config_file_has_it() -> None:
    lines = key_lines()
    assert lines[0].startswith('leader = "ctrl+x"')
    assert any(line.startswith('pick_model = ["alt+p", "f2", "ctrl+x m"]') for line in lines)
    assert len(lines) == 1 + len(COMMANDS)


def test_what_is_listed_can_be_written_into_the_file_and_changes_nothing() -> None:
    before = {command.id: (command.keys, command.leader) for command in COMMANDS}
    given = tomllib.loads("\n".join(key_lines()))
    assert told({id_: [ways] if isinstance(ways, str) else ways for id_, ways in given.items()}) == []
    assert {command.id: (command.keys, command.leader) for command in COMMANDS} == before


ids = st.sampled_from(["leader", "nonsense", *BY_ID])
keys = st.sampled_from(["ctrl+a", "alt+a", "f1", "q", "?", "ctrl+x", "ctrl+x m", "ctrl+k m", "ctrl+k", "", "enter"])


@given(st.dictionaries(ids, st.lists(keys, max_size=3), max_size=6))
def test_no_key_ever_means_two_things(given: dict[str, list[str]]) -> None:
    rebind(given)
    for scope in ("prompt", "transcript"):
        bound = [key for command in COMMANDS if command.scope in (scope, "everywhere") for key in command.keys]
        assert len(bound) == len(set(bound))
        assert LEADER.key not in bound
    leaders = [second for command in COMMANDS for second in command.leaders]
    assert len(leaders) == len(set(leaders))
    assert all(after_leader(second) is command for command in COMMANDS for second in command.leaders)
