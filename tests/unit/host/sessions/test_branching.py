"""Which way a branch goes from each message: what the agent can fork, what it knows, and what it called its answers."""

import pytest

from acp_tui.host.catalog.agent_entries import forks_at_message
from acp_tui.host.sessions.continuation import FILES_STAY, UNSEEN, BranchPlan, Forks, branched_fact, plan_branch
from acp_tui.protocol.vocabulary.session_updates import StateUpdate
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import AgentReturned, Branched
from acp_tui.session.state import CopiedHistory, Session
from tests.rows import each_of
from tests.unit.session.speech import Told, idle, running, say, told, user

ALL, WHOLE, NONE = Forks(session=True, at_message=True), Forks(session=True, at_message=False), Forks(False, False)


def turn(one: Told, number: int, *answers: str) -> None:
    """A question, and an answer under each of these ids."""
    one.apply(user(f"question {number}", f"unnamed-{number}"), running())
    one.apply(*(say(f"answer {name}", name) for name in answers), idle())


def conversation(*ids: str) -> Session:
    """Three turns; the answers of the first two have these ids."""
    one = told()
    turn(one, 1, *(ids or ("a1", "a2")))
    turn(one, 2, "b1")
    turn(one, 3, "c1")
    return one.session


def prompt(session: Session, number: int) -> MessageEntry:
    mine = [entry for entry in session.entries if isinstance(entry, MessageEntry) and entry.role == "user"]
    return mine[number]


def plan(session: Session, number: int | None, can: Forks) -> tuple[str, str]:
    found = plan_branch(session, None if number is None else prompt(session, number), can)
    assert found.said[-1] == FILES_STAY
    return found.way, found.after


@pytest.mark.parametrize("can", [ALL, WHOLE, NONE])
def test_before_the_first_message_nothing_was_said(can: Forks) -> None:
    assert plan(conversation(), 0, can) == ("new", "")


def test_the_fork_point_is_the_last_answer_before_the_message() -> None:
    assert plan(conversation(), 1, ALL) == ("at_message", "a2")
    assert plan(conversation(), 2, ALL) == ("at_message", "b1")


def test_without_a_fork_at_a_message_the_whole_one_knows_too_much() -> None:
    assert plan(conversation(), 1, WHOLE) == ("retold", "")
    assert plan(conversation(), 2, WHOLE) == ("retold", "")
    assert plan(conversation(), 2, NONE) == ("retold", "")


def test_from_the_end_the_whole_one_is_right() -> None:
    assert plan(conversation(), None, ALL) == ("whole", "")
    assert plan(conversation(), None, WHOLE) == ("whole", "")
    assert plan(conversation(), None, NONE) == ("retold", "")
    assert plan(told().session, None, ALL) == ("new", "")


def test_a_message_that_is_not_in_the_transcript_goes_on_from_its_end() -> None:
    elsewhere = prompt(conversation(), 1)
    assert plan_branch(conversation(), elsewhere, WHOLE).way == "whole"


def test_answers_that_the_agent_did_not_name_are_no_fork_points() -> None:
    assert plan(conversation("unnamed-9", "a2"), 1, ALL) == ("at_message", "a2")
    assert plan(conversation("a1", "unnamed-9"), 1, ALL) == ("at_message", "a1")
    assert plan(conversation("unnamed-9"), 1, ALL) == ("retold", "")


def test_an_answer_before_another_prompt_would_cut_that_off() -> None:
    one = told()
    turn(one, 1, "a1")
    turn(one, 2)
    turn(one, 3, "c1")
    assert plan(one.session, 2, ALL) == ("retold", "")


def test_an_empty_answer_is_none() -> None:
    one = told()
    one.apply(user("question", "u"), running(), say(" \n", "a1"), idle())
    turn(one, 2, "b1")
    assert plan(one.session, 1, ALL) == ("retold", "")


def test_what_the_agent_has_taken_out_of_its_context_need_not_be_cut_off() -> None:
    session = conversation()
    session.apply(user("question 4", "unnamed-4"))
    session.apply(running())
    assert plan(session, 3, WHOLE) == ("retold", "")
    session.apply(StateUpdate(state="idle", stop_reason="refusal"))
    assert plan(session, 3, WHOLE) == ("whole", "")
    assert plan(session, 2, WHOLE) == ("retold", "")
    assert plan(session, 3, ALL) == ("at_message", "c1")


def test_what_the_agent_has_forgotten_is_told_again() -> None:
    session = conversation()
    session.apply(AgentReturned(forgotten=True))
    assert plan(session, None, ALL) == plan(session, 2, ALL) == ("retold", "")
    later = Session("later", "/project")
    later.apply(CopiedHistory(conversation(), "recorded", remembered=False))
    assert plan(later, 2, ALL) == ("retold", "")


def test_a_session_without_an_id_cannot_be_forked() -> None:
    session = conversation()
    session.id = ""
    assert plan(session, 2, ALL) == ("retold", "")


def test_what_is_not_shown_is_said_where_it_is_left_out() -> None:
    session = conversation()
    can = Forks(session=True, at_message=False, unseen=True)
    assert UNSEEN in plan_branch(session, prompt(session, 0), can).said
    assert UNSEEN in plan_branch(session, prompt(session, 1), can).said
    assert plan(told().session, None, can) == ("whole", "")
    assert UNSEEN not in plan_branch(session, None, can).said


def test_a_plan_says_which_way_it_is_and_what_the_agent_knows() -> None:
    session = conversation()
    plans = [plan_branch(session, prompt(session, 1), can) for can in (ALL, NONE)]
    assert [each.said for each in plans] == [
        ("Fork at this message", "The agent remembers everything before it", FILES_STAY),
        ("New session with the conversation before this message", FILES_STAY),
    ]
    assert isinstance(plans[0], BranchPlan)


def test_a_branch_names_the_message_that_it_replaces() -> None:
    session = conversation()
    assert branched_fact(session, prompt(session, 1)) == Branched("s", "unnamed-2", 1, "question 2")
    assert branched_fact(session, None) == Branched("s", "", 3, "")
    long = told()
    turn(long, 10**200, "a")
    assert len(branched_fact(long.session, prompt(long.session, 0)).words) == 120


@each_of(
    ("name", "version", "does"),
    [
        ("@agentclientprotocol/claude-agent-acp", "0.71.0", True),
        ("claude-agent-acp", "0.100.0", True),
        ("@zed-industries/claude-agent-acp", "v1.2.3", True),
        ("@agentclientprotocol/claude-agent-acp", "0.70.9", False),
        ("@agentclientprotocol/claude-agent-acp", "", False),
        ("@agentclientprotocol/claude-agent-acp", "9" * 5_000, True),
        ("@agentclientprotocol/codex-acp", "2.6.0", True),
        ("codex-acp", "2.6.0-beta.1", True),
        ("@zed-industries/codex-acp", "0.16.0", False),
        ("claude-agent-acp-fork", "9.9.9", False),
        ("opencode", "9.9.9", False),
        ("", "9.9.9", False),
    ],
)
def test_agents_that_fork_at_a_message_are_known_by_name_and_version(name: str, version: str, does: bool) -> None:
    assert forks_at_message(name, version) is does
