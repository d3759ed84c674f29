"""The subagents of one session, for the host: what ends with what, which folders are asked for, what is refused."""

import json
from functools import partial
from typing import Any

import pytest

from acp_tui.host.changes.turn_tracker import TurnWatch
from acp_tui.host.sessions import session_routing
from acp_tui.host.sessions.children import ASKED, FOLDERS, Children
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.questions import InputOptionsChoice, LastOptions, Questions
from acp_tui.host.sessions.replay_filter import ForkReplay, ReplayFilter
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.host.system.workspace import Workspace
from acp_tui.protocol.base import read
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, StateUpdate, SubagentUpdate
from acp_tui.protocol.vocabulary.tool_calls import BackgroundWork, PermissionRequest, ToolCallUpdate
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.facts import AgentGone, SubagentEvent
from acp_tui.session.state import CopiedHistory, Session
from tests.unit.host.sessions.test_sessions import Hearing, titled


def announced(session_id: str, **members: object) -> SubagentUpdate:
    return read(SubagentUpdate, {"sessionId": session_id, **members})


RUNNING = {"state": "running"}


def working(name: str, **members: object) -> SubagentUpdate:
    return announced(name, state=RUNNING, capabilities={"cancel": {}}, **members)


class Family:
    """A session in a turn with a child, its child, and another child; all work."""

    def __init__(self, *, attended: bool = True) -> None:
        self.session = Session("root", "/project")
        self.questions = Questions(self.session)
        self.children = Children(self.session, self.questions, lambda _parent, _update: "", attended=attended)
        self.answers: dict[str, Any] = {}
        self.session.apply(StateUpdate(state="running"))
        self.session.apply(working("a", title="Explore"))
        self.session.apply(SubagentEvent("a", working("a1")))
        self.session.apply(working("b"))

    def ask(self, session_id: str) -> None:
        request = PermissionRequest(session_id=session_id, title="May I?", options=[])
        self.questions.ask(session_id, request, lambda answer: self.answers.update({session_id: answer}))

    @property
    def asked(self) -> list[PermissionRequest]:
        return [pending.request for pending in self.session.permissions]

    def notices(self) -> list[tuple[str, str]]:
        return [(each.title, each.message) for each in self.session.entries if isinstance(each, NoticeEntry)]


def test_a_turn_is_cancelled_with_all_children_but_those_in_the_background() -> None:
    family = Family()
    listed = [BackgroundWork(type="subagent", session_id="a")]
    family.session.apply(StateUpdate(state="running", background=listed))
    for name in ("root", "a", "a1", "b"):
        family.ask(name)
    family.children.turn_cancelled()
    assert family.answers == {"root": None, "b": None}
    stopping = [name for name in ("root", "a", "a1", "b") if family.children.is_stopping(name, turn=True)]
    assert stopping == ["root", "b"]
    marked = [name for name, each in family.session.family.items() if each.session.turn.cancel_requested_at is not None]
    assert marked == ["b"]


def test_a_child_is_cancelled_with_its_own_children_and_nobody_else() -> None:
    family = Family()
    for name in ("root", "a", "a1", "b"):
        family.ask(name)
    assert family.children.can_cancel("a")
    family.children.cancelled("a")
    assert family.answers == {"a": None, "a1": None}
    assert [name for name in ("root", "a", "a1", "b") if family.children.is_stopping(name, turn=False)] == ["a", "a1"]
    assert not family.children.can_cancel("a"), "it is cancelled once"
    family.session.apply(announced("a", state={"state": "idle", "stopReason": "cancelled"}))
    family.session.apply(announced("a", state=RUNNING))
    assert not family.children.is_stopping("a", turn=False)
    assert family.children.can_cancel("a"), "what it began anew is another work"


def test_a_child_that_outlives_a_cancelled_turn_may_ask_and_be_cancelled_by_itself() -> None:
    family = Family()
    family.children.turn_cancelled()
    assert not family.children.is_stopping("b", turn=False)
    assert family.children.can_cancel("b")


@pytest.mark.parametrize("state", [None, {"state": "idle"}])
def test_what_does_not_work_is_not_cancelled(state: object) -> None:
    family = Family()
    family.session.apply(announced("a", state=state))
    assert not family.children.can_cancel("a")


@pytest.mark.parametrize("state", ["running", "requires_action", "unknown", "_custom", "newer"])
def test_what_may_work_is_cancelled_where_it_can_be(state: str) -> None:
    family = Family()
    family.session.apply(announced("a", state={"state": state}))
    assert family.children.can_cancel("a")
    for nothing in ({"cancel": None}, {}, None):
        family.session.apply(announced("a", capabilities={"cancel": {}}))
        family.session.apply(announced("a", capabilities=nothing))
        assert not family.children.can_cancel("a")
    assert not family.children.can_cancel("stranger")


def workspace() -> Workspace:
    return Workspace(SessionScope("/project", ("/more",)), lambda _session_id, _update: None)


def test_a_child_has_its_parents_folders_as_far_as_it_has_none_of_its_own() -> None:
    family = Family()
    outer = workspace()
    assert family.children._folders("a1", outer).all == ("/project", "/more")
    family.session.apply(announced("a", cwd="/project/a", additionalDirectories=["/project/b"]))
    assert family.children._folders("a1", outer).all == ("/project/a", "/project/b")
    family.session.apply(SubagentEvent("a", announced("a1", additionalDirectories=[])))
    assert family.children._folders("a1", outer).all == ("/project/a",)
    assert family.session.family["a1"].session.cwd == "/project/a"
    family.session.apply(announced("a", cwd=None))
    assert family.children._folders("a1", outer).all == ("/project",)
    assert family.session.family["a1"].session.cwd == "/project"


def test_the_session_itself_has_its_own_workspace() -> None:
    family, outer = Family(), workspace()
    assert family.children.workspace("root", outer) is outer
    assert family.children.workspace("a", outer).terminals is outer.terminals


@pytest.mark.parametrize("answer", ["allow", "reject"])
def test_a_folder_is_asked_for_once(answer: str) -> None:
    family = Family()
    family.children.ask_for_folder("a", "/out")
    family.children.ask_for_folder("a", "/out")
    family.children.ask_for_folder("b", "/out/inside")
    (request,) = family.asked
    assert (request.session_id, request.title) == ("a", 'Let the subagent "Explore" use this folder?')
    assert request.subject is not None
    assert request.subject.tool_call is not None
    assert [each.path for each in request.subject.tool_call.locations or []] == ["/out"]
    assert {option.kind for option in request.options} == {"allow_once", "reject_once"}
    family.questions.answer_permission(family.session.permissions[0].key, answer)
    family.children.ask_for_folder("b", "/out")
    assert family.asked == []
    assert family.children._allowed == (["/out"] if answer == "allow" else [])
    assert family.notices()[-1][1] == "/out"


def test_a_question_that_ended_with_the_work_is_asked_again() -> None:
    family = Family()
    family.children.ask_for_folder("a", "/out")
    family.children.cancelled("a")
    assert family.asked == []
    family.children.ask_for_folder("a", "/out")
    assert family.asked == [], "not by work that was cancelled"
    family.children.ask_for_folder("b", "/out")
    assert len(family.asked) == 1
    assert family.children._allowed == []


def test_no_agent_takes_back_a_question_of_ours() -> None:
    family = Family()
    family.children.ask_for_folder("a", "/out")
    for guess in (1, 0, "1", "", "folder", 1.5):
        family.questions.withdraw(guess)
    assert len(family.asked) == 1


def test_so_many_folders_are_asked_for_and_no_more_which_is_said_once() -> None:
    family = Family()
    for number in range(ASKED + 10):
        family.children.ask_for_folder("a", f"/out-{number}")
    assert len(family.asked) == ASKED
    assert [title for title, _ in family.notices()] == ["Subagents asked for too many folders"]


def test_without_a_user_nobody_is_asked_and_it_is_said() -> None:
    family = Family(attended=False)
    family.children.ask_for_folder("a", "/out")
    family.children.ask_for_folder("a", "/out")
    assert family.asked == []
    assert family.notices() == [("A subagent may not use this folder", "/out")]
    assert family.children._allowed == []


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def opened(heard: Hearing, name: str) -> Conversation:
    conversation = conversation_of(heard, name)
    heard.add(conversation, workspace())
    return conversation


def conversation_of(heard: Hearing, name: str) -> Conversation:
    session = Session(name, "/project")
    source = SessionSource(session, SessionScope("/project"))
    options = InputOptionsChoice(session, partial(LastOptions, ("agent",)), (), asks=True)
    return Conversation(source, options, partial(heard.announced, session), TurnWatch())


def refused(conversation: Conversation) -> list[str]:
    entries = conversation.session.entries
    return [each.message for each in entries if isinstance(each, NoticeEntry) and each.title == "Subagent refused"]


def test_only_what_is_nobody_elses_becomes_a_child() -> None:
    heard = Hearing()
    one, two = opened(heard, "one"), opened(heard, "two")
    heard.deliver("one", [announced("kid"), announced("two"), announced("one"), announced("")])
    heard.deliver("two", [announced("kid")])
    heard.deliver("kid", [announced("kid"), announced("grandkid")])
    heard.deliver("grandkid", [announced("kid")])
    heard.deliver("one", [announced("grandkid")])
    assert list(one.session.family) == ["kid", "grandkid"]
    assert two.session.family == {}
    assert refused(one)[:2] == ["'two' is a session of its own.", "'one' is a session of its own."]
    assert refused(two) == ["'kid' belongs to another session."]
    assert heard.heard == []


def test_a_child_of_a_session_that_nobody_knows_is_a_stray() -> None:
    heard = Hearing()
    one = opened(heard, "one")
    heard.deliver("stranger", [announced("kid")])
    heard.deliver("kid", titled("x"))
    assert one.session.family == {}
    assert [kind for kind, _ in heard.heard] == ["unknown session", "unknown session"]


def test_an_id_is_free_again_once_its_parent_is_left() -> None:
    heard = Hearing()
    one, two = opened(heard, "one"), opened(heard, "two")
    heard.deliver("one", [announced("kid")])
    heard.leave("one")
    heard.deliver("kid", titled("late"))
    assert heard.heard == [], "what was left is passed over"
    assert heard.find("kid") is None
    heard.deliver("two", [announced("kid")])
    heard.deliver("kid", titled("new"))
    assert two.session.family["kid"].session.title == "new"
    assert one.session.family["kid"].session.title is None
    found = heard.find("kid")
    assert found is not None
    assert found.conversation is two


def test_a_child_that_is_opened_as_a_session_is_one() -> None:
    heard = Hearing()
    one = opened(heard, "one")
    heard.deliver("one", [working("kid")])
    kid = opened(heard, "kid")
    heard.deliver("kid", titled("mine"))
    row = one.session.family["kid"].entry
    assert (row.state, row.cancellable, row.sealed) == (None, False, True)
    assert kid.session.title == "mine"
    assert one.session.family["kid"].session.title is None


def test_children_are_counted_and_more_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_routing, "CHILDREN", 3)
    heard = Hearing()
    one = opened(heard, "one")
    for number in range(5):
        heard.deliver("one", [announced(f"kid-{number}")])
    assert list(one.session.family) == ["kid-0", "kid-1", "kid-2"]
    assert set(refused(one)) == {"More than 3 of one session."}
    heard.deliver("one", [announced("kid-1", title="Known")])
    assert one.session.family["kid-1"].entry.title == "Known"


def test_children_are_only_so_deep() -> None:
    heard = Hearing()
    one = opened(heard, "0")
    for number in range(10_000):
        heard.deliver(str(number), [announced(str(number + 1), state=RUNNING)])
    assert len(one.session.family) == session_routing.DEPTH
    assert f"{session_routing.DEPTH} levels deep" in refused(one)[0]
    deepest = str(session_routing.DEPTH)
    assert deepest in json.dumps(to_json(one.session))
    assert to_markdown(one.session)
    one.session.apply(AgentGone("gone"))
    assert one.session.family[deepest].entry.disconnected


def test_folders_are_bounded_which_is_said() -> None:
    heard = Hearing()
    one = opened(heard, "one")
    heard.deliver("one", [announced("kid", additionalDirectories=[f"/{number}" for number in range(100_000)])])
    entry = one.session.family["kid"].entry
    assert entry.additional_directories is not None
    assert len(entry.additional_directories) == FOLDERS
    assert "100,000" in repr(one.session.entries)


def test_what_came_early_for_a_child_follows_its_announcement() -> None:
    heard = Hearing()
    heard.expect()
    heard.deliver("kid", titled("early"))
    heard.deliver("one", [announced("kid")])
    one = opened(heard, "one")
    assert one.session.family["kid"].session.title == "early"
    heard.settle()
    assert heard.heard == []


def test_a_filtered_replay_adds_no_children_and_tells_of_none_twice() -> None:
    heard = Hearing()
    one = opened(heard, "one")
    heard.deliver("one", [announced("kid", title="Known")])
    heard.connected()
    one.replay = ReplayFilter()
    heard.add(one, workspace())
    heard.deliver("one", [announced("kid", title="Told again"), announced("other")])
    heard.deliver("other", [announced("below"), *titled("x")])
    heard.deliver("below", titled("x"))
    one.replay = None
    assert list(one.session.family) == ["kid"]
    assert one.session.family["kid"].entry.title == "Known"
    assert heard.find("other") is None, "what it asks is the question of a stranger until it is announced"
    heard.deliver("one", [announced("other", title="Works")])
    assert one.session.family["other"].entry.title == "Works"
    assert (heard.heard, refused(one)) == ([], [])


@pytest.mark.parametrize(("state", "disconnected"), [("running", True), ("idle", False)])
def test_who_leaves_a_session_whose_turn_is_over_leaves_its_children_at_work(state: str, disconnected: bool) -> None:
    heard = Hearing()
    one = opened(heard, "one")
    heard.deliver("one", [announced("kid", state={"state": state})])
    one.close(None)
    assert one.session.family["kid"].entry.disconnected is disconnected


def test_what_a_child_asks_keeps_no_prompt_from_its_parent() -> None:
    family = Family()
    family.ask("a")
    assert not family.questions.wait_in("root")
    family.ask("root")
    assert family.questions.wait_in("root")


def test_a_fork_that_is_told_again_has_its_copied_children_once_and_new_ones_under_new_ids() -> None:
    heard = Hearing()
    one = opened(heard, "one")
    prompt = read(MessageUpdate, {"sessionUpdate": "user_message", "messageId": "1", "content": [text("go")]})
    one.session.apply(prompt)
    heard.deliver("one", [announced("kid", title="Explore")])
    fork = conversation_of(heard, "fork")
    fork.session.apply(CopiedHistory(one.session, "Forked."))
    fork.replay = ForkReplay(fork.session.entries)
    heard.add(fork, workspace())
    heard.deliver("fork", [prompt, announced("copy", title="Explore")])
    heard.deliver("copy", titled("told again"))
    fork.replay = fork.replay.opened()
    assert list(fork.session.family) == ["kid"]
    assert heard.find("copy") is None
    heard.deliver("fork", [announced("copy", state=RUNNING)])
    assert list(fork.session.family) == ["kid", "copy"]
    found = heard.find("kid")
    assert found is not None
    assert found.conversation is one
    assert heard.heard == []


def test_an_edit_of_a_child_that_failed_for_a_read_is_explained_and_a_call_of_the_same_id_is_not_meant() -> None:
    heard = Hearing()
    one = opened(heard, "one")
    heard.deliver("one", [announced("kid")])
    told = [{"type": "content", "content": text("x does not exist")}]
    failed = {"toolCallId": "1", "kind": "edit", "status": "failed", "content": told}
    heard.deliver("one", [read(ToolCallUpdate, failed)])
    one.failed_reads.add("x does not exist")
    heard.deliver("kid", [read(ToolCallUpdate, {"toolCallId": "1", "kind": "edit"})])
    titles = [each.title for each in one.session.entries if isinstance(each, NoticeEntry)]
    assert titles == []
    heard.deliver("kid", [read(ToolCallUpdate, failed)])
    titles = [each.title for each in one.session.entries if isinstance(each, NoticeEntry)]
    assert titles == ["Edit failed: the file could not be read first"]
