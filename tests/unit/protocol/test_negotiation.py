"""Which answers to `initialize` are protocol 1, and what is read from them."""

from typing import Any

import pytest

from acp_tui.protocol.base_dialect import Dialect
from acp_tui.protocol.capabilities import AgentCapabilities, Offer, PromptCapabilities, SessionScope
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.negotiation import choose, is_refused_offer
from acp_tui.protocol.v1.dialect import Version1Dialect
from acp_tui.protocol.vocabulary.initialization import Initialized, read_auth_methods
from tests.rows import each_of

INFO = {"name": "agent", "version": "1"}


@pytest.mark.parametrize(
    "answer",
    [
        {"protocolVersion": 1},
        {"protocolVersion": "1", "agentCapabilities": {}},
        {"protocolVersion": 2, "agentCapabilities": {"loadSession": True}, "agentInfo": INFO},  # an echo
        {"protocolVersion": 2},
        {"agentCapabilities": {}},
        {"authMethods": []},
        {"agentInfo": INFO, "protocolVersion": None},
    ],
)
def test_version_1_and_what_looks_like_it(answer: dict[str, Any]) -> None:
    dialect, initialized = choose(answer)
    assert isinstance(dialect, Version1Dialect)
    assert initialized.raw == answer


@each_of(
    ("answer", "said"),
    [
        ({"protocolVersion": 2, "info": INFO, "capabilities": {}}, "version 2"),
        ({"protocolVersion": 2, "info": INFO}, "version 2"),
        ({"protocolVersion": 0, "agentCapabilities": {}}, "version 0"),
        ({"protocolVersion": 99}, "version 99"),
        ({"protocolVersion": True}, "True"),
        ({"protocolVersion": "2025-06-18"}, "2025-06-18"),
        ({"protocolVersion": [1]}, "[1]"),
        ({}, "no protocol version"),
    ],
)
def test_other_versions_are_refused_and_both_sides_named(answer: dict[str, Any], said: str) -> None:
    with pytest.raises(ProtocolFault) as caught:
        choose(answer)
    assert said in caught.value.message
    assert "offered 1" in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("answer", [None, [], "ok", 1])
def test_what_is_no_object_is_refused(answer: Any) -> None:
    with pytest.raises(ProtocolFault):
        choose(answer)


def test_what_the_agent_says_about_itself() -> None:
    _, initialized = choose(
        {
            "protocolVersion": 1,
            "agentInfo": {"name": "a", "version": "1", "title": 5},
            "agentCapabilities": {
                "loadSession": True,
                "promptCapabilities": {"image": True, "audio": "yes"},
                "mcpCapabilities": "bad",
                "sessionCapabilities": {
                    "list": {},
                    "resume": None,
                    "close": 5,
                    "delete": {"x": 1},
                    "fork": {},
                    "title": {},
                },
                "auth": {"logout": {}},
            },
        }
    )
    assert initialized.agent is not None
    assert (initialized.agent.name, initialized.agent.title) == ("a", None)
    assert initialized.capabilities == AgentCapabilities(
        load_session=True,
        list_sessions=True,
        delete_session=True,
        fork_session=True,
        title_session=True,
        logout=True,
        prompt=PromptCapabilities(image=True),
    )


@pytest.mark.parametrize("bad", [None, 5, [], "x", {"name": 5}])
def test_bad_parts_are_as_if_they_were_not_there(bad: Any) -> None:
    _, initialized = choose({"protocolVersion": 1, "agentInfo": bad, "agentCapabilities": bad, "authMethods": bad})
    assert initialized.agent is None
    assert initialized.capabilities == AgentCapabilities()
    assert initialized.auth_methods == ()


def test_ways_to_log_in() -> None:
    methods = [
        {"id": "web", "name": "Web"},
        {"type": "terminal", "id": "tty", "name": "Terminal", "args": ["login"], "env": {"A": "1"}},
        {"type": "terminal", "id": "plain", "name": "Plain", "args": None, "env": None},
        {"type": "env_var", "id": "key", "name": "Key", "vars": [{"name": "KEY"}, {}], "link": "https://x"},
        {"type": "quantum", "id": "q", "name": "Q"},
        {"id": "bad"},
        {"type": "terminal", "id": "bad", "name": "Bad", "args": [5]},
        None,
    ]
    _, initialized = choose({"protocolVersion": 1, "authMethods": methods})
    web, tty, plain, key, newer = initialized.auth_methods
    assert (web.type, web.method_id, web.name) == ("agent", "web", "Web")
    assert (tty.type, tty.args, tty.env) == ("terminal", ["login"], {"A": "1"})
    assert (plain.args, plain.env) == ([], {})
    assert ([each.name for each in key.vars], key.vars[0].secret, key.link) == (["KEY"], True, "https://x")
    assert newer.type == "quantum"


@pytest.mark.parametrize("junk", [None, {}, "x", 5])
def test_an_error_s_data_may_hold_anything(junk: Any) -> None:
    assert read_auth_methods(junk) == ()


# What is offered beside version 1


@pytest.mark.parametrize("offer", ["2", "auto"])
def test_the_answer_decides(offer: Offer) -> None:
    for answer in ({"protocolVersion": 2, "info": INFO}, {"protocolVersion": "2", "capabilities": {}}):
        assert choose(answer, offer)[0].name == "ACP 2"
    for older in ({"protocolVersion": 1}, {"protocolVersion": 2, "agentCapabilities": {}}):
        assert choose(older, offer)[0].name == "ACP 1"
    with pytest.raises(ProtocolFault) as caught:
        choose({"protocolVersion": 3, "info": INFO}, offer)
    assert "offered 1 and 2" in caught.value.message


def test_a_version_that_was_not_offered_says_how_to_offer_it() -> None:
    with pytest.raises(ProtocolFault) as caught:
        choose({"protocolVersion": 2, "info": INFO})
    assert "--protocol auto" in caught.value.hint


@pytest.mark.parametrize(
    ("offer", "code", "refused"),
    [
        ("auto", -32022, True),
        ("2", -32602, True),
        ("auto", -32600, True),
        ("1", -32022, False),
        ("auto", -32603, False),
    ],
)
def test_which_errors_refuse_the_offer(offer: Offer, code: int, *, refused: bool) -> None:
    assert is_refused_offer(offer, code) is refused


def told_in_2(**members: Any) -> tuple[Dialect, Initialized]:
    return choose({"protocolVersion": 2, "info": INFO, **members}, "2")


def test_what_comes_with_sessions_in_version_2() -> None:
    session = {"prompt": {"image": {}, "audio": None}, "mcp": {"stdio": {}}, "delete": {}, "fork": {}, "title": {}}
    _, initialized = told_in_2(
        capabilities={"session": session}, authMethods=[{"type": "agent", "methodId": "m", "name": "M"}]
    )
    assert initialized.capabilities == AgentCapabilities(
        load_session=True,
        list_sessions=True,
        resume_session=True,
        close_session=True,
        delete_session=True,
        fork_session=True,
        title_session=True,
        mcp_stdio=True,
        logout=True,
        prompt=PromptCapabilities(image=True),
    )
    assert told_in_2(capabilities={"session": {}})[1].capabilities.mcp_stdio is False
    assert told_in_2(capabilities={})[1].capabilities == AgentCapabilities()
    alone = told_in_2(capabilities={}, authMethods=[{"type": "agent", "methodId": "m", "name": "M"}])[1]
    assert alone.capabilities == AgentCapabilities(logout=True)


@pytest.mark.parametrize(
    ("session", "method", "offers"),
    [
        ({"load": {}, "list": {}}, "session/load", (True, True, False, False)),
        ({"load": True, "resume": {}, "close": {}}, "session/load", (True, False, True, True)),
        ({"resume": {}, "load": None}, "session/resume", (False, False, True, False)),
        ({"close": {}}, "session/resume", (False, False, False, True)),
        ({}, "session/resume", (True, True, True, True)),
    ],
)
def test_drafts_tell_what_is_the_baseline_today(
    session: dict[str, Any], method: str, offers: tuple[bool, bool, bool, bool]
) -> None:
    dialect, initialized = told_in_2(capabilities={"session": session})
    can = initialized.capabilities
    assert (can.load_session, can.list_sessions, can.resume_session, can.close_session) == offers
    assert dialect.open_session("load", SessionScope("/"), "s").method == method


def test_older_names_of_the_same_time() -> None:
    answer = {"protocolVersion": 2, "agentInfo": INFO, "capabilities": {}, "authMethods": [{"id": "m", "name": "M"}]}
    _, initialized = choose(answer, "2")
    assert initialized.agent is not None
    assert [method.method_id for method in initialized.auth_methods] == ["m"]


def test_environments_of_terminal_methods_are_lists_in_version_2() -> None:
    methods = read_auth_methods(
        [
            {"type": "terminal", "methodId": "t", "name": "T", "env": [{"name": "A", "value": "1"}]},
            {"type": "terminal", "methodId": "bad", "name": "B", "env": [{"name": "A"}]},
            {"type": "terminal", "methodId": "both", "id": "older", "name": "C"},
        ]
    )
    assert [(method.method_id, method.env) for method in methods] == [("t", {"A": "1"}), ("both", {})]
