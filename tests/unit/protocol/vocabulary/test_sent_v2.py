"""Every line that the dialect of version 2 can produce is valid by the official schema, and so is the double offer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.capabilities import METHOD, ClientCapabilities, McpServer, SessionScope, introduction
from acp_tui.protocol.session_setup import Call
from acp_tui.protocol.v2.dialect import Version2Dialect
from acp_tui.protocol.vocabulary.config_options import BooleanOption, SelectOption
from acp_tui.protocol.vocabulary.content import ContentBlock
from tests.unit.protocol.official import V1, V2, Official
from tests.unit.protocol.vocabulary.test_sent import blocks

UNSTABLE = Official(2, "schema.unstable.json")
SCOPE = SessionScope(
    "/project",
    ("/other",),
    (McpServer("files", command="/bin/files", args=("-v",), env={"A": "1"}), McpServer("web", "http", url="https://x")),
)


def check(call: Call, official: Official = V2) -> Call:
    definition = next(
        name for name, method in official.methods("agent") if method == call.method and not name.endswith("Response")
    )
    official.validator(definition).validate(call.params)
    return call


@pytest.mark.parametrize("offered", [ClientCapabilities(), ClientCapabilities(False, False, False, True)])
@pytest.mark.parametrize("offer", ["2", "auto"])
def test_one_initialize_carries_both_versions(offer: Any, offered: ClientCapabilities) -> None:
    call = Call(METHOD, introduction(offer, offered))
    check(call)
    check(call, V1)
    older = introduction("1", offered)
    assert call.params["protocolVersion"] == 2
    assert {name: call.params[name] for name in older if name != "protocolVersion"} == {
        name: value for name, value in older.items() if name != "protocolVersion"
    }
    assert call.params["info"] == older["clientInfo"]
    assert ("elicitation" in call.params["capabilities"]) is offered.elicitation
    assert "fs" not in call.params["capabilities"]


def test_sessions() -> None:
    dialect = Version2Dialect()
    check(dialect.open_session("new", SCOPE))
    resumed, loaded = check(dialect.open_session("resume", SCOPE, "s")), check(dialect.open_session("load", SCOPE, "s"))
    assert [call.method for call in (resumed, loaded)] == ["session/resume"] * 2
    assert (resumed.params.get("replayFrom"), loaded.params.get("replayFrom")) == (None, {"type": "start"})
    assert [server["type"] for server in loaded.params["mcpServers"]] == ["stdio", "http"]
    for call in (
        dialect.about_session("close", "s"),
        dialect.about_session("delete", "s"),
        dialect.list_sessions("/project", "c"),
    ):
        check(call)
    check(dialect.list_sessions(None, None))
    check(dialect.cancel("s"))
    check(dialect.cancel_work("s", "tool_call", "t"))
    check(dialect.cancel_work("s", "terminal", "t"))


def test_unstable_calls() -> None:
    dialect = Version2Dialect()
    for call in (
        dialect.open_session("fork", SCOPE, "s"),
        dialect.title_session("s", "T"),
        dialect.about_session("archive", "s"),
        dialect.about_session("unarchive", "s"),
        dialect.about_session("status", "s"),
        dialect.list_sessions("/project", None, archived=True),
    ):
        check(call, UNSTABLE)


def test_a_draft_s_history_comes_by_load_with_every_member_that_it_requires() -> None:
    call = Version2Dialect(by_load=True).open_session("load", SCOPE, "s")
    assert (call.method, call.params["sessionId"], call.params["cwd"]) == ("session/load", "s", "/project")
    assert call.params["mcpServers"] == [
        {
            "type": "stdio",
            "name": "files",
            "command": "/bin/files",
            "args": ["-v"],
            "env": [{"name": "A", "value": "1"}],
        },
        {"type": "http", "name": "web", "url": "https://x", "headers": []},
    ]


def test_logging_in_by_today_s_and_by_older_names() -> None:
    dialect = Version2Dialect()
    login, logout = check(dialect.authenticate("m")), check(dialect.logout())
    assert dialect.older_call(login) == Call("authenticate", {"methodId": "m"})
    assert dialect.older_call(logout) == Call("logout", {})
    assert dialect.older_call(dialect.cancel("s")) is None


@given(st.lists(blocks, min_size=1, max_size=3))
def test_prompt(prompt: list[ContentBlock]) -> None:
    check(Version2Dialect().prompt("s", prompt))


def test_config_options() -> None:
    dialect = Version2Dialect()
    select = check(dialect.set_config_option("s", SelectOption(id="m", name="M", current_value="a"), "b"))
    switch = check(dialect.set_config_option("s", BooleanOption(id="f", name="F", current_value=False), True))
    assert select.params == {"sessionId": "s", "configId": "m", "type": "id", "value": "b"}
    assert switch.params == {"sessionId": "s", "configId": "f", "type": "boolean", "value": True}


@pytest.mark.parametrize("option_id", [None, "", "allow"])
def test_permission_answers(option_id: str | None) -> None:
    V2.validator("RequestPermissionResponse").validate(Version2Dialect().permission_answer(option_id))
