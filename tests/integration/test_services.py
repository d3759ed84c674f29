from pathlib import Path

import pytest

from acp_tui.host.agent import connected_agent
from acp_tui.protocol.capabilities import ClientCapabilities
from acp_tui.session.entries import MessageEntry, ToolCallEntry
from acp_tui.session.facts import FileWritten
from acp_tui.session.folds.messages import text_of
from acp_tui.session.tools.patches import diffs_of
from tests.agents.scripted import write_script
from tests.integration.driver import connected

pytestmark = pytest.mark.anyio

PROLOGUE = """
def code_of(method, params):
    try:
        return json.dumps(agent.request(method, params))
    except Refused as refused:
        return str(refused.code)

agent.initialize()
session = agent.new_session()
prompt = agent.expect("session/prompt")
"""


async def told(tmp_path: Path, body: str, capabilities: ClientCapabilities | None = None) -> list[str]:
    """What a script says line by line after its prologue, as it ran."""
    script = write_script(tmp_path, PROLOGUE + body + "\nagent.end_turn(prompt)\nagent.serve()\n")
    async with connected(script, tmp_path, capabilities) as driver:
        driver.submit("go")
        await driver.idle()
        return "".join(driver.said()).splitlines()


def asking(method: str, members: str = "") -> str:
    return f'agent.say(code_of("{method}", {{"sessionId": session, {members}}}) + "\\n")'


async def test_files_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    write = asking("fs/write_text_file", f'"path": "{path}", "content": "one\\ntwo\\n"')
    read = asking("fs/read_text_file", f'"path": "{path}", "line": 2, "limit": None')
    assert await told(tmp_path, f"{write}\n{read}") == ["{}", '{"content": "two\\n"}']
    assert path.read_text() == "one\ntwo\n"


async def test_a_written_file_is_known_to_the_session(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    body = asking("fs/write_text_file", f'"path": "{path}", "content": "one\\ntwo\\n"')
    script = write_script(tmp_path, PROLOGUE + body + "\nagent.end_turn(prompt)\nagent.serve()\n")
    async with connected(script.as_process, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        assert driver.session.index.writes == {str(path): FileWritten(str(path), 2, 0, 1, created=True)}


@pytest.mark.parametrize("told_by_the_agent", [False, True])
async def test_a_tool_call_shows_what_was_written_for_it_unless_its_agent_does(
    tmp_path: Path, told_by_the_agent: bool
) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("one\n")
    own = [{"type": "diff", "path": str(path), "oldText": "o", "newText": "t"}] if told_by_the_agent else []
    body = f"""
call = {{"toolCallId": "1", "title": "Write", "kind": "edit", "rawInput": {{"path": "{path}"}}, "content": {own!r}}}
agent.update({{"sessionUpdate": "tool_call", **call}})
agent.request("fs/write_text_file", {{"sessionId": session, "path": "{path}", "content": "two\\n"}})
agent.update({{"sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"}})
"""
    script = write_script(tmp_path, PROLOGUE + body + "\nagent.end_turn(prompt)\nagent.serve()\n")
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        entry = driver.session.index.tool_calls["1"]
        shown = [(diff.old_text, diff.new_text) for diff in diffs_of(entry)]
        assert shown == ([("o", "t")] if told_by_the_agent else [("one\n", "two\n")])
        assert bool(entry.written) is not told_by_the_agent


async def test_a_file_that_is_written_without_a_tool_call_has_a_row_between_what_is_said(tmp_path: Path) -> None:
    body = """
agent.say("Before.")
agent.request("fs/write_text_file", {"sessionId": session, "path": FILE, "content": "x"})
agent.say("After.")
"""
    told = f"FILE = {str(tmp_path / 'new')!r}\n{PROLOGUE}{body}"
    script = write_script(tmp_path, told + "agent.end_turn(prompt)\nagent.serve()")
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        _, before, row, after, _ = driver.session.entries
        assert isinstance(row, ToolCallEntry)
        assert [(diff.old_text, diff.new_text) for diff in diffs_of(row)] == [(None, "x")]
        said = [text_of(each.parts) for each in (before, after) if isinstance(each, MessageEntry)]
        assert said == ["Before.", "After."]


@pytest.mark.parametrize(("holds", "found"), [("two", True), ("one", False), ("one and two", False)])
async def test_an_edit_that_the_agent_never_ends_is_looked_for_in_its_file(
    tmp_path: Path, holds: str, found: bool
) -> None:
    file = tmp_path / "a"
    file.write_text(f"before\n{holds}\nafter\n")
    body = f"""
diff = {{"type": "diff", "path": {str(file)!r}, "oldText": "one", "newText": "two"}}
agent.update({{"sessionUpdate": "tool_call", "toolCallId": "1", "title": "Edit", "kind": "edit", "content": [diff]}})
agent.end_turn(prompt)
agent.turn("next")
"""
    script = write_script(tmp_path, PROLOGUE + body + "agent.serve()")
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        entry = driver.session.index.tool_calls["1"]
        if found:
            await driver.until(lambda: entry.applied)
        driver.submit("on")  # what is looked for is found or not before the next turn has gone round
        await driver.idle()
        assert (entry.applied, entry.status) == (found, "pending")


async def test_a_command_runs_in_a_terminal(tmp_path: Path) -> None:
    body = """
terminal = agent.request("terminal/create", {"sessionId": session, "command": "echo", "args": ["hi there"]})
known = {"sessionId": session, **terminal}
agent.say(json.dumps(agent.request("terminal/wait_for_exit", known)) + "\\n")
agent.say(json.dumps(agent.request("terminal/output", known)) + "\\n")
agent.say(json.dumps([agent.request("terminal/kill", known), agent.request("terminal/release", known)]) + "\\n")
agent.say(code_of("terminal/output", known) + "\\n")
"""
    lines = await told(tmp_path, body)
    assert lines[0] == '{"exitCode": 0, "signal": null}'
    assert '"output": "hi there\\n"' in lines[1]
    assert lines[2:] == ["[{}, {}]", "-32002"]


@pytest.mark.parametrize(
    ("request_line", "code"),
    [
        (asking("fs/read_text_file", '"path": "/no/such/place"'), "-32602"),
        (asking("fs/read_text_file"), "-32602"),
        (asking("fs/read_text_file", '"path": 5'), "-32602"),
        (asking("terminal/output", '"terminalId": "none"'), "-32002"),
        (asking("terminal/create", '"command": 3'), "-32602"),
        (asking("session/request_permission", '"options": 3'), "-32602"),
        (asking("elicitation/create", '"mode": "form", "message": "?"'), "-32602"),
        (asking("_vendor/thing"), "-32601"),
        (asking("session/prompt"), "-32601"),
        ('agent.say(code_of("fs/read_text_file", [1]) + "\\n")', "-32602"),
        ('agent.say(code_of("fs/read_text_file", {"sessionId": "other", "path": "/x"}) + "\\n")', "-32002"),
    ],
)
async def test_what_cannot_be_served_is_refused_with_its_code(tmp_path: Path, request_line: str, code: str) -> None:
    assert await told(tmp_path, request_line) == [code]


async def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    assert await told(tmp_path, asking("fs/read_text_file", f'"path": "{tmp_path}/missing"')) == ["-32002"]


async def test_withdrawn_capabilities_are_unknown_methods(tmp_path: Path) -> None:
    nothing = ClientCapabilities(read_text_file=False, write_text_file=False, terminal=False)
    methods = ["fs/read_text_file", "fs/write_text_file", "terminal/create", "terminal/output"]
    assert await told(tmp_path, "\n".join(asking(method) for method in methods), nothing) == ["-32601"] * 4


async def test_a_request_that_is_worked_on_can_be_taken_back(tmp_path: Path) -> None:
    body = """
terminal = agent.request("terminal/create", {"sessionId": session, "command": "sleep", "args": ["60"]})
known = {"sessionId": session, **terminal}
waiting = agent.ask("terminal/wait_for_exit", known)
agent.request("terminal/output", known)
agent.notify("$/cancel_request", {"requestId": str(waiting)})
agent.notify("$/cancel_request", {"requestId": 999})
agent.notify("$/cancel_request", 5)
agent.notify("$/cancel_request", {"requestId": waiting})
agent.say(str(agent.answer_to(waiting)["error"]["code"]) + "\\n")
agent.say(json.dumps(agent.request("terminal/release", known)) + "\\n")
"""
    assert await told(tmp_path, body) == ["-32800", "{}"]


async def test_requests_do_not_wait_for_each_other(tmp_path: Path) -> None:
    body = """
terminal = agent.request("terminal/create", {"sessionId": session, "command": "sleep", "args": ["60"]})
known = {"sessionId": session, **terminal}
waiting = [agent.ask("terminal/wait_for_exit", known) for _ in range(3)]
agent.request("terminal/kill", known)
agent.say(json.dumps([agent.answer_to(one)["result"]["signal"] for one in waiting]) + "\\n")
agent.request("terminal/release", known)
"""
    assert await told(tmp_path, body) == ['["SIGTERM", "SIGTERM", "SIGTERM"]']


async def test_more_requests_than_are_worked_on_at_once_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connected_agent, "RUNNING_CAP", 2)
    body = """
terminal = agent.request("terminal/create", {"sessionId": session, "command": "sleep", "args": ["60"]})
known = {"sessionId": session, **terminal}
waiting = [agent.ask("terminal/wait_for_exit", known) for _ in range(3)]
agent.say(agent.answer_to(waiting[2])["error"]["message"] + "\\n")
agent.notify("$/cancel_request", {"requestId": waiting[0]})
agent.answer_to(waiting[0])
agent.request("terminal/kill", known)
agent.say(agent.answer_to(waiting[1])["result"]["signal"] + "\\n")
"""
    assert await told(tmp_path, body) == ["2 requests are already in progress", "SIGTERM"]


async def test_string_and_null_ids_are_echoed(tmp_path: Path) -> None:
    body = """
agent.ask("_nothing", {}, "abc")
agent.say(str(agent.answer_to("abc")["id"]) + "\\n")
agent.send({"jsonrpc": "2.0", "id": None, "method": "_nothing"})
agent.say(str(agent.answer_to(None)["error"]["code"]) + "\\n")
"""
    assert await told(tmp_path, body) == ["abc", "-32601"]


async def test_commands_that_still_run_end_with_the_connection(tmp_path: Path) -> None:
    script = write_script(
        tmp_path,
        PROLOGUE
        + """
agent.request("terminal/create", {"sessionId": session, "command": "sleep", "args": ["61"]})
agent.say("started")
agent.serve()
""",
    )
    async with connected(script.as_process, tmp_path) as driver:
        driver.submit("go")
        await driver.until(driver.said)
        [terminal] = driver.session.terminals.values()
        driver.client.close()
        await driver.closed()
        assert terminal.exit_status is not None or terminal.released
