"""What an agent tells again of a fork is not shown again, and what it says anew is never missing."""

from collections.abc import Iterable
from unittest.mock import Mock

import pytest

from acp_tui.host.sessions import replay_filter
from acp_tui.host.sessions.replay_filter import ForkReplay
from acp_tui.protocol.vocabulary.session_updates import (
    MessageUpdate,
    Plan,
    PlanUpdate,
    StateUpdate,
    Update,
    UsageUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.state import Session
from tests.rows import each_of
from tests.unit.session.speech import idle, running, say, text, told, user

CALL = ToolCallUpdate(tool_call_id="t", title="Look", status="completed")
HISTORY: list[Update] = [user("first", "u1"), say("the one", "a1"), CALL, say("done", "a2"), user("second", "u2")]
HISTORY += [say("the two", "a3")]
IDLE = StateUpdate(state="idle")


def history() -> Session:
    one = told()
    for update in HISTORY:
        one.apply(update)
    return one.session


def again(number: int) -> list[Update]:
    """The first of what was said, told again under other ids, in other pieces."""
    told: list[Update] = [
        user("fir", "x1"),
        user("st", "x1"),
        say("the", "x2"),
        say("one\n", "x2"),
        CALL,
        say("done", "x3"),
        user("second", "x4"),
        say("the ", "x5"),
        say("two", "x5"),
    ]
    return told[:number]


def sift(replay: ForkReplay, updates: Iterable[Update]) -> list[Update]:
    return [shown for update in updates for shown in replay.sift(update)]


def opened(before: int = 0) -> ForkReplay:
    replay = ForkReplay(history().entries)
    assert sift(replay, again(before)) == []
    replay.opened()
    return replay


def asked(before: int = 0, after: int = 0) -> ForkReplay:
    """A fork to which a prompt was sent after parts of its replay."""
    replay = opened(before)
    assert sift(replay, again(after)[before:]) == []
    replay.sent()
    own = MessageUpdate(session_update="user_message", message_id="m", content=[text("first")], from_here=True)
    assert sift(replay, [own, running()]) == [own, running()]
    return replay


ANSWER: list[Update] = [say("the answer", "n1"), CALL, say("done", "n2")]


@each_of("before", range(10))
def test_a_replay_is_taken_wherever_the_answer_and_the_prompt_come_into_it(before: int) -> None:
    for after in range(before, 10):
        replay = asked(before, after)
        rest = again(9)[after:]
        if after:
            assert sift(replay, rest) == []
        assert sift(replay, [*ANSWER, IDLE]) == [*ANSWER, IDLE]


def test_a_replay_that_begins_after_the_prompt_is_taken() -> None:
    replay = asked()
    assert sift(replay, [*again(9), *ANSWER]) == ANSWER


def test_what_only_begins_like_what_was_said_is_shown_whole() -> None:
    replay = asked()
    said: list[Update] = [user("fi", "n"), user("ne", "n"), say("the one", "a")]
    assert sift(replay, [*said, IDLE]) == [*said, IDLE]
    replay = asked()
    assert sift(replay, [user("fi", "n"), IDLE]) == [user("fi", "n"), IDLE]
    replay = asked()
    assert sift(replay, [user("fi", "n")]) == []
    assert replay.rest() == [user("fi", "n")]


def test_an_answer_that_says_the_same_as_one_before_is_shown() -> None:
    for before in (0, 6, 9):
        assert sift(asked(before), [say("done", "n"), IDLE]) == [say("done", "n"), IDLE]


def test_what_is_no_message_passes_while_a_prompt_is_answered() -> None:
    plan = PlanUpdate(plan=Plan(plan_id="p", type="items"))
    assert sift(asked(4), [plan]) == [plan]


def test_before_anything_is_asked_only_a_prompt_begins_a_replay() -> None:
    replay = opened()
    usage = UsageUpdate(used=1, size=2)
    assert sift(replay, [usage, say("Welcome", "w"), idle()]) == [usage, say("Welcome", "w"), idle()]
    assert sift(replay, [user("an odd prompt", "x"), say("an odd answer", "y"), usage]) == [usage]


def test_part_of_it_may_be_told() -> None:
    replay = ForkReplay(history().entries)
    assert sift(replay, again(9)[6:]) == []
    assert replay.prompts == 1
    assert replay.opened() is None


def test_what_was_said_is_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pieces tell it again, and however many prompts nobody knows here."""
    session, pieces = Session("root", "/x"), 50
    for number in range(pieces):
        session.apply(user(f"question {number}", f"u{number}"))
    session.apply(say("word " * pieces))
    squeezed = Mock(wraps=replay_filter._squeezed)
    monkeypatch.setattr(replay_filter, "_squeezed", squeezed)
    replay = ForkReplay(session.entries)
    told = [user(f"strange {number}", f"s{number}") for number in range(pieces)]
    told += [user(f"question {pieces - 1}", "u"), *[say("word ") for _ in range(pieces)]]
    assert [update for each in told for update in replay.sift(each)] == []
    assert replay.opened() is None
    assert squeezed.call_count == len(told) + len(session.entries)
