"""Child sessions, told by agents of both protocol versions."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.session.entries import ElicitationEntry, MessageEntry, SubagentEntry
from acp_tui.session.folds.messages import text_of
from acp_tui.session.folds.subagents import SessionMessageEntry
from acp_tui.session.state import Session
from acp_tui.session.tools.running_work import background_work, separate_work
from tests.agents.scripted import Gate, Script, write_script
from tests.integration.driver import Driver, driven, start_of
from tests.processes import alive

pytestmark = pytest.mark.anyio

PROLOGUE = {
    1: """
ABLE = {"loadSession": True, "sessionCapabilities": {"close": {}, "list": {}, "fork": {}, "delete": {}}}

def begin():
    agent.initialize({"protocolVersion": 1, "agentCapabilities": ABLE, "authMethods": []})
    return agent.new_session()

def take():
    return agent.expect("session/prompt")

def end(prompt, reason="end_turn", **_):
    agent.end_turn(prompt, reason)
""",
    2: """
ABLE = {"prompt": {}, "mcp": {}, "close": {}, "list": {}, "resume": {}, "fork": {}, "delete": {}}

def begin():
    info = {"name": "scripted", "version": "2"}
    agent.initialize({"protocolVersion": 2, "info": info, "capabilities": {"session": ABLE}, "authMethods": []})
    return agent.new_session()

def take():
    prompt = agent.expect("session/prompt")
    agent.answer(prompt, {"messageId": f"u{prompt['id']}"})
    content = prompt["params"]["prompt"]
    agent.update({"sessionUpdate": "user_message", "messageId": f"u{prompt['id']}", "content": content})
    agent.update({"sessionUpdate": "state_update", "state": "running"})
    return prompt

def end(prompt, reason="end_turn", **members):
    agent.update({"sessionUpdate": "state_update", "state": "idle", "stopReason": reason, **members})
""",
}
COMMON = """
RUNNING, IDLE = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}
CANCEL = {"cancel": {}}

def child(session_id, on=None, **members):
    agent.update({"sessionUpdate": "subagent_update", "sessionId": session_id, **members}, on)

def said(text, on, kind="agent_message_chunk", message_id="m"):
    agent.update({"sessionUpdate": kind, "messageId": message_id, "content": {"type": "text", "text": text}}, on)

def question(session_id, call="call"):
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    call = {"toolCallId": call, "title": "Look", "kind": "execute", "status": "pending"}
    if VERSION == 1:
        asked = {"toolCall": call}
    else:
        asked = {"title": "Look?", "subject": {"type": "tool_call", "toolCall": call}}
    return agent.ask("session/request_permission", {"sessionId": session_id, "options": options, **asked})

def answers(*ids):
    said(json.dumps([agent.answer_to(each)["result"]["outcome"]["outcome"] for each in ids]), None, message_id="a")

def code_of(method, **params):
    try:
        return json.dumps(agent.request(method, params))
    except Refused as refused:
        return f"{refused.code} {refused.message}"
"""
VERSIONS = pytest.mark.parametrize("version", [1, 2])


class Kids(Driver):
    """A client of a scripted agent that has children."""

    script: Script

    @classmethod
    def of(
        cls, folder: Path, body: str, version: int = 1, *, attended: bool = True, own_process: bool = False
    ) -> "Kids":
        lines = "\n".join(line.removeprefix(" " * 8) for line in body.splitlines())
        script = write_script(folder, f"VERSION = {version}\n{PROLOGUE[version]}{COMMON}{lines}")
        command = AgentCommand(tuple(script.argv), protocol="1" if version == 1 else "2")
        start = start_of(script.as_process if own_process else script)
        driver = cls(Client(LaunchPlan(command, folder), attended=attended, start=start))
        driver.script = script
        return driver

    def child(self, name: str = "kid") -> Session:
        return self.session.family[name].session

    def row(self, name: str = "kid") -> SubagentEntry:
        return self.session.family[name].entry

    def sent_for(self, name: str) -> list[str]:
        """The methods of all messages that name a session, wherever they do."""
        return [
            message["method"]
            for message in self.script.received()
            if "method" in message and f'"{name}"' in json.dumps(message)
        ]


@asynccontextmanager
async def kids(
    folder: Path, body: str, version: int = 1, *, attended: bool = True, own_process: bool = False
) -> AsyncIterator[Kids]:
    driver = Kids.of(folder, body, version, attended=attended, own_process=own_process)
    async with driven(driver):
        yield driver


def texts(session: Session) -> list[str]:
    return [text_of(entry.parts) for entry in session.entries if isinstance(entry, MessageEntry)]


@VERSIONS
async def test_a_child_has_its_own_transcript_and_asks_in_its_parents_queue(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", title="Explore", state=RUNNING)
        said("found", "kid")
        answers(question("kid"))
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.asked()
        (pending,) = driver.session.permissions
        child = driver.session.subagents["kid"]
        assert pending.request.session_id == "kid"
        assert child.index.tool_calls["call"].title == "Look"
        assert driver.said() == []
        driver.client.of(driver.session).questions.answer_permission(pending.key, "yes")
        await driver.idle()
        assert driver.said() == ['["selected"]']
        assert (texts(child), child.index.tool_calls["call"].status) == (["found"], "in_progress")
    (initialize,) = driver.script.received("initialize")
    if version == 1:
        assert initialize["params"]["clientCapabilities"]["subagents"] == {}


@VERSIONS
async def test_all_that_bears_a_childs_id_is_the_childs_and_children_have_children(
    tmp_path: Path, version: int
) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", title="Explore", description="Find it", capabilities=CANCEL, state=RUNNING)
        child("below", "kid", title="Deeper", state={"state": "_custom"})
        said("a", "kid")
        said("b", "below")
        said("c", "kid")
        said("thinking", "below", "agent_thought_chunk", "t")
        call = {"sessionUpdate": "tool_call_update" if VERSION == 2 else "tool_call", "toolCallId": "1", "title": "T"}
        agent.update({**call, "content": [{"type": "session", "sessionId": "below"}]}, "kid")
        agent.update({"sessionUpdate": "usage_update", "used": 9, "size": 10}, "kid")
        ids = {"senderSessionId": "session-1", "recipientSessionId": "kid"}
        text = {"type": "text", "text": "look"}
        agent.update({"sessionUpdate": "session_message", "messageId": "x", **ids, "content": [text]}, "kid")
        agent.update({"sessionUpdate": "session_message_chunk", "messageId": "x", "content": text}, "kid")
        agent.update({"sessionUpdate": "session_message", "messageId": "x", **ids, "content": [text]})
        child("kid", title=None, capabilities={"cancel": None}, state=None)
        child("below", "kid", state={"state": "idle", "stopReason": "end_turn"})
        said("done", None, message_id="p")
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.idle()
        kid, below = driver.child(), driver.child("below")
        assert (texts(kid), texts(below), driver.said()) == (["ac"], ["b", "thinking"], ["done"])
        assert list(kid.subagents) == ["below"]
        assert kid.usage is not None
        assert driver.session.usage is None
        (mine,) = [entry for entry in kid.entries if isinstance(entry, SessionMessageEntry)]
        assert (mine.sender, mine.recipient, text_of(mine.parts)) == ("session-1", "kid", "looklook")
        (other,) = [entry for entry in driver.session.entries if isinstance(entry, SessionMessageEntry)]
        assert text_of(other.parts) == "look"
        row = driver.row()
        assert (row.title, row.description, row.cancellable, row.state) == (None, "Find it", False, None)
        assert (driver.row("below").state, driver.row("below").stop_reason) == ("idle", "end_turn")
        assert driver.notices() == []


@VERSIONS
async def test_a_child_works_on_after_its_parents_turn_and_what_it_asks_waits(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", title="Explore", state=RUNNING)
        asked = question("kid")
        end(prompt, background=[{"type": "subagent", "sessionId": "kid"}])
        answers(asked)
        child("kid", state=IDLE)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.asked()
        await driver.idle()
        assert len(driver.session.permissions) == 1
        assert driver.row().state == "running"
        assert driver.child().turn.active
        assert [work.title for work in background_work(driver.session)] == (["Explore"] if version == 2 else [])
        questions = driver.client.of(driver.session).questions
        questions.answer_permission(driver.session.permissions[0].key, "yes")
        await driver.until(lambda: driver.row().state == "idle")
        assert driver.said() == ['["selected"]']


@VERSIONS
async def test_cancelling_the_turn_cancels_all_children_but_those_in_the_background(
    tmp_path: Path, version: int
) -> None:
    body = """
        begin()
        prompt = take()
        for name in ("kid", "back"):
            child(name, state=RUNNING)
        child("below", "kid", state=RUNNING)
        if VERSION == 2:
            listed = [{"type": "subagent", "sessionId": "back"}]
            agent.update({"sessionUpdate": "state_update", "state": "running", "background": listed})
        asked = [question(name) for name in ("kid", "below", "back")]
        agent.expect("session/cancel")
        answers(*asked[:2], question("kid", "later"))
        end(prompt, "cancelled")
        answers(asked[2])
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.asked(3)
        driver.client.of(driver.session).cancel()
        await driver.idle()
        assert driver.said()[0].startswith('["cancelled", "cancelled", "cancelled"]')
        assert driver.child().index.tool_calls["call"].status == "cancelled"
        left = [pending.request.session_id for pending in driver.session.permissions]
        assert left == (["back"] if version == 2 else [])
        assert driver.child("back").index.tool_calls["call"].status == ("pending" if version == 2 else "cancelled")
    assert [message["params"]["sessionId"] for message in driver.script.received("session/cancel")] == ["session-1"]


@VERSIONS
async def test_one_child_is_cancelled_from_the_list_of_work_and_nothing_else(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", title="Explore", state=RUNNING, capabilities=CANCEL)
        child("below", "kid", state=RUNNING)
        child("other", state=RUNNING)
        asked = [question(name) for name in ("below", "session-1", "other")]
        heard = agent.expect("session/cancel")["params"]["sessionId"]
        late = question("kid", "late")
        agent.answer_to(asked[0]), agent.answer_to(late)
        child("kid", state={"state": "idle", "stopReason": "cancelled"}, capabilities={"cancel": None})
        answers(asked[1], asked[2])
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.asked(3)
        conversation = driver.client.of(driver.session)
        (work,) = separate_work(driver.session)
        assert (work.type, work.title) == ("subagent", "Explore")
        conversation.cancel_work(work)
        conversation.cancel_work(work)
        await driver.until(lambda: driver.row().stop_reason == "cancelled")
        assert driver.session.turn.active
        assert driver.session.turn.cancel_requested_at is None
        assert driver.child("below").index.tool_calls["call"].status == "cancelled"
        assert [pending.request.session_id for pending in driver.session.permissions] == ["session-1", "other"]
        for pending in list(driver.session.permissions):
            conversation.questions.answer_permission(pending.key, "yes")
        await driver.idle()
        assert driver.said() == ['["selected", "selected"]']
        assert separate_work(driver.session) == []
        answered = [message["result"] for message in driver.script.received() if "method" not in message]
        assert answered[0] == answered[1] == {"outcome": {"outcome": "cancelled"}}
    assert [message["params"]["sessionId"] for message in driver.script.received("session/cancel")] == ["kid"]


async def test_an_agent_takes_back_what_a_child_asked(tmp_path: Path) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", state=RUNNING)
        asked = question("kid")
        agent.wait_for(GATE)
        agent.notify("$/cancel_request", {"requestId": asked})
        answers(asked)
        end(prompt)
        agent.serve()
    """
    gate = tmp_path / "gate"
    door = Gate(gate)
    async with kids(tmp_path, body.replace("GATE", repr(str(gate)))) as driver:
        driver.submit("go")
        await driver.asked()
        door.open()
        await driver.idle()
        assert driver.said() == ['["cancelled"]']
    door.close()


@VERSIONS
async def test_a_form_of_a_child_waits_in_its_parent(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", state=RUNNING)
        schema = {"type": "object", "properties": {"name": {"type": "string"}}}
        form = {"mode": "form", "message": "Which?", "requestedSchema": schema, "sessionId": "kid", "toolCallId": "t"}
        result = agent.request("elicitation/create", form)
        said(json.dumps(result), None)
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.until(lambda: driver.session.elicitations)
        (pending,) = driver.session.elicitations
        driver.client.of(driver.session).questions.answer_elicitation(pending.key, "accept", {"name": "x"})
        await driver.idle()
        assert json.loads(driver.said()[0]) == {"action": "accept", "content": {"name": "x"}}
        assert any(isinstance(entry, ElicitationEntry) for entry in driver.session.entries)


@VERSIONS
async def test_nothing_but_a_cancellation_and_answers_is_ever_sent_for_a_child(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        prompt = take()
        child("kid-1", state=RUNNING, capabilities=CANCEL)
        child("kid-2", state=RUNNING)
        child("kid-3", "kid-1", state=RUNNING)
        end(prompt)
        while True:
            message = agent.receive()
            if message.get("method") == "session/list":
                listed = [{"sessionId": name, "cwd": CWD, "title": name} for name in ("kid-1", "kid-2", "old")]
                agent.answer(message, {"sessions": listed})
            elif message.get("id") is not None and "method" in message:
                agent.answer(message, {})
    """
    body = body.replace("CWD", repr(str(tmp_path)))
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.idle()
        client, conversation = driver.client, driver.client.of(driver.session)
        known = client.known_sessions
        known.ask(str(tmp_path))
        await driver.until(lambda: known.list.entries and not known.list.loading)
        assert [info.session_id for info in known.list.entries] == ["old"]
        for name in ("kid-1", "kid-2", "kid-3"):
            info = SessionInfo(session_id=name, cwd=str(tmp_path))
            assert client.load_session(info) is driver.session
            assert client.fork_known(info) is driver.session
            known.delete(name)
            known.archive(name, archived=True)
            known.title(name, "x")
            known.look(name)
            conversation.cancel_child(name)
        client.close_session(driver.session)
        await driver.until(lambda: driver.script.received("session/close"))
        assert driver.sent_for("kid-1") == ["session/cancel"]
        assert driver.sent_for("kid-2") == driver.sent_for("kid-3") == []
    assert {name for number in "123" for name in driver.sent_for(f"kid-{number}")} == {"session/cancel"}


FILES = """
        session = begin()
        prompt = take()
        child("kid", title="Explore", state=RUNNING, **FOLDERS)
        for path in PATHS:
            agent.say(code_of("fs/read_text_file", sessionId="kid", path=path) + "\\n")
        REST
        end(prompt)
        agent.serve()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("project/sub", "project/other", "outside"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "file").write_text(f"in {name}")
    return tmp_path / "project"


def files_of(folders: dict[str, Any], paths: list[Path | str], rest: str = "pass") -> str:
    told = FILES.replace("FOLDERS", repr(folders)).replace("PATHS", repr([str(path) for path in paths]))
    return told.replace("REST", rest)


async def test_files_of_a_child_are_served_in_its_folders_inside_its_sessions(project: Path) -> None:
    sub, other = str(project / "sub"), str(project / "other")
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["sub", "other"]),
        ({"cwd": "/"}, ["sub", "other"]),
        ({"cwd": sub}, ["sub"]),
        ({"cwd": "sub"}, []),
        ({"cwd": sub, "additionalDirectories": [other]}, ["sub", "other"]),
        ({"cwd": sub, "additionalDirectories": ["/", "/etc"]}, ["sub", "other"]),
    ]
    rest = f"""served = []
        for number, folders in enumerate({[folders for folders, _ in cases]!r}):
            child(f"kid-{{number}}", **folders)
            paths = ["sub/file", "other/file", "../outside/file"]
            told = [code_of("fs/read_text_file", sessionId=f"kid-{{number}}", path=CWD + "/" + path) for path in paths]
            served.append(["in " in each for each in told])
        agent.say(json.dumps(served))"""
    async with kids(project, files_of({}, [], rest.replace("CWD", repr(str(project))))) as driver:
        driver.submit("go")
        await driver.idle()
        served = [[name in served for name in ("sub", "other", "outside")] for _, served in cases]
        assert json.loads(driver.said()[0]) == served
        assert driver.session.permissions == []


@pytest.mark.parametrize("answer", ["allow", "reject"])
async def test_a_folder_outside_is_asked_for_once_and_served_once_it_is_allowed(project: Path, answer: str) -> None:
    outside = project.parent / "outside"
    rest = f"""agent.wait_for({str(project / "gate")!r})
        for number in range(2):
            agent.say(code_of("fs/read_text_file", sessionId="kid", path={str(outside / "file")!r}) + "\\n")
        agent.say(code_of("fs/read_text_file", sessionId=session, path={str(outside / "file")!r}) + "\\n")
        agent.say(code_of("fs/read_text_file", sessionId="kid", path={str(project / "file")!r}) + "\\n")"""
    gate = Gate(project / "gate")
    body = files_of({"cwd": str(project / "sub"), "additionalDirectories": [str(outside)]}, [outside / "file"], rest)
    async with kids(project, body) as driver:
        driver.submit("go")
        await driver.asked()
        (pending,) = driver.session.permissions
        subject = pending.request.subject
        assert pending.request.session_id == "kid"
        assert "Explore" in pending.request.title
        assert subject is not None
        assert subject.tool_call is not None
        assert [place.path for place in subject.tool_call.locations or []] == [str(outside)]
        driver.client.of(driver.session).questions.answer_permission(pending.key, answer)
        gate.open()
        await driver.idle()
        lines = "".join(driver.said()).splitlines()
        served = ["in outside" in line for line in lines]
        assert served == [False, answer == "allow", answer == "allow", False, False]
        assert driver.session.permissions == []
    gate.close()


async def test_without_a_user_a_folder_outside_stays_outside_which_is_said(project: Path) -> None:
    outside = project.parent / "outside"
    body = files_of({"cwd": str(outside)}, [outside / "file"] * 2)
    async with kids(project, body, attended=False) as driver:
        driver.submit("go")
        await driver.idle()
        assert "in outside" not in "".join(driver.said())
        assert driver.session.permissions == []
        assert [(each.message, each.count) for each in driver.notices()] == [(str(outside), 1)]


async def test_files_that_a_child_writes_are_in_its_transcript_and_known_to_its_session(project: Path) -> None:
    path = str(project / "new")
    rest = f'agent.request("fs/write_text_file", {{"sessionId": "kid", "path": {path!r}, "content": "x"}})'
    async with kids(project, files_of({}, [], rest)) as driver:
        driver.submit("go")
        await driver.idle()
        assert list(driver.session.index.writes) == [path]
        assert len(driver.child().entries) == 1
        assert driver.tool_calls() == []


async def test_a_terminal_of_a_child_runs_in_its_folder_and_ends_with_its_session(project: Path) -> None:
    rest = f"""made = agent.request("terminal/create", {{"sessionId": "kid", "command": "echo $$ $PWD; sleep 600"}})
        agent.say(code_of("terminal/output", sessionId=session, **made)[:6] + "\\n")
        other = {str(project / "other")!r}
        agent.say(code_of("terminal/create", sessionId="kid", command="pwd", cwd=other)[:6] + "\\n")
        text = ""
        while not text:
            text = agent.request("terminal/output", {{"sessionId": "kid", **made}})["output"]
        agent.say(text.strip())"""
    async with kids(project, files_of({"cwd": str(project / "sub")}, [], rest), own_process=True) as driver:
        driver.submit("go")
        await driver.idle()
        *refused, told = "".join(driver.said()).splitlines()
        pid, folder = told.split()
        assert (refused, folder) == (["-32002", "-32602"], str(project / "sub"))
        assert (len(driver.child().terminals), driver.session.terminals) == (1, {})
        assert alive(int(pid))
        driver.client.close_session(driver.session)
        await driver.until(lambda: not alive(int(pid)))


async def test_a_childs_folders_move_with_a_patch(project: Path) -> None:
    read = f'agent.say(code_of("fs/read_text_file", sessionId="kid", path={str(project / "other/file")!r}) + "\\n")'
    rest = f"""{read}
        child("kid", cwd={str(project / "other")!r})
        {read}
        child("kid", cwd={str(project / "sub")!r})
        {read}
        child("kid", cwd=None)
        {read}"""
    async with kids(project, files_of({"cwd": str(project / "sub")}, [], rest)) as driver:
        driver.submit("go")
        await driver.idle()
        served = ["in project/other" in line for line in "".join(driver.said()).splitlines()]
        assert served == [False, True, False, True]


@VERSIONS
async def test_a_lost_connection_leaves_a_child_disconnected_and_it_goes_on_in_its_row(
    tmp_path: Path, version: int
) -> None:
    body = """
        if agent.life == 1:
            begin()
            prompt = take()
            child("kid", title="Explore", state=RUNNING, capabilities=CANCEL)
            said("half", "kid", message_id="1")
            question("kid")
            agent.receive()
            agent.kill_self()
        if VERSION == 1:
            agent.initialize({"protocolVersion": 1, "agentCapabilities": ABLE, "authMethods": []})
        else:
            info = {"name": "scripted", "version": "2"}
            agent.initialize({"protocolVersion": 2, "info": info, "capabilities": {"session": ABLE}, "authMethods": []})
        request = agent.receive()
        child("kid", title="Told again", state=RUNNING, capabilities=CANCEL)
        child("other", title="Never seen", state=RUNNING)
        said("half a sentence", "kid", message_id="1")
        said("x", "other", message_id="1")
        agent.answer(request, {"configOptions": []})
        prompt = take()
        child("kid", state=RUNNING)
        said("whole", "kid", message_id="1")
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.asked()
        driver.client.of(driver.session).questions.answer_permission(driver.session.permissions[0].key, "yes")
        await driver.gone()
        row = driver.row()
        assert (row.disconnected, row.stop_reason, row.sealed, row.cancellable) == (True, None, True, False)
        driver.client.restart()
        await driver.until(lambda: driver.client.connection.phase == "ready" and not driver.session.closed)
        assert (row.title, row.state, row.cancellable) == ("Explore", None, False)
        assert list(driver.session.family) == ["kid"]
        driver.submit("on")
        await driver.idle(2)
        assert (row.state, row.disconnected, row.cancellable) == ("running", False, False)
        assert texts(driver.child()) == ["half", "whole"]
        assert "unknown session" not in driver.noticed()


@VERSIONS
async def test_what_a_loaded_session_tells_of_children_is_history(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        request = agent.expect("session/load" if VERSION == 1 else "session/resume")
        child("kid", "old", title="Explore", state=RUNNING, capabilities=CANCEL)
        said("what it said", "kid")
        agent.answer(request, {"configOptions": []})
        agent.session_id = "old"
        prompt = take()
        child("kid", state=RUNNING, capabilities=CANCEL)
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as first:
        await first.ready()
        info = SessionInfo(session_id="old", cwd=str(tmp_path))
        driver = Kids(first.client, first.client.load_session(info))
        driver.script = first.script
        await driver.until(lambda: driver.client.of(driver.session).is_open)
        row = driver.row()
        assert (row.state, row.cancellable, row.sealed) == (None, False, True)
        assert texts(driver.child()) == ["what it said"]
        driver.client.of(driver.session).cancel_child("kid")
        driver.submit("go")
        await driver.idle()
        assert (row.state, row.cancellable, len(driver.session.family)) == ("running", True, 1)
    assert driver.script.received("session/cancel") == []


async def test_who_closes_a_session_ends_what_its_children_do_as_far_as_that_is_allowed(tmp_path: Path) -> None:
    body = """
        ABLE["sessionCapabilities"].pop("close")
        begin()
        prompt = take()
        child("kid", state=RUNNING, capabilities=CANCEL)
        child("done", state=IDLE, capabilities=CANCEL)
        child("other", state=RUNNING)
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body) as driver:
        driver.submit("go")
        await driver.idle()
        driver.client.close_session(driver.session)
        await driver.until(lambda: driver.script.received("session/cancel"))
    assert [message["params"]["sessionId"] for message in driver.script.received("session/cancel")] == ["kid"]


@VERSIONS
async def test_a_child_is_used_again_and_every_member_is_patched_by_itself(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        prompt = take()
        folders = {"cwd": CWD, "additionalDirectories": [CWD + "/a"]}
        child("kid", title="Explore", description="Find it", capabilities=CANCEL, state=RUNNING, **folders, _meta=META)
        said("first", "kid", message_id="1")
        agent.update({"sessionUpdate": "plan", "entries": [STEP]} if VERSION == 1 else
            {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "p", "entries": [STEP]}}, "kid")
        child("kid", state=IDLE)
        child("kid", additionalDirectories=None, _meta={"b": 2})
        said("before", None, message_id="b")
        agent.wait_for(GATE)
        child("kid", description=None, cwd=None, state={"state": "requires_action"})
        said("second", "kid", message_id="2")
        child("kid", capabilities={}, _meta=None, state={"state": "unknown"})
        child("kid", title="Explore more")
        end(prompt)
        agent.serve()
    """
    step = {"content": "Look", "status": "in_progress", "priority": "high"}
    for name, value in {"CWD": str(tmp_path), "META": {"a": 1}, "STEP": step, "GATE": str(tmp_path / "gate")}.items():
        body = body.replace(name, repr(value))
    gate = Gate(tmp_path / "gate")
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.until(driver.said)
        row, child = driver.row(), driver.child()
        assert (row.state, row.stop_reason, row.sealed, child.turn.active) == ("idle", "end_turn", True, False)
        assert (row.cwd, row.additional_directories, row.cancellable) == (str(tmp_path), None, True)
        assert row.meta["b"] == 2
        assert len(child.plans) == 1
        assert driver.session.plans == {}
        gate.open()
        await driver.idle()
        assert (row.state, row.stop_reason, row.cancellable, row.disconnected) == ("unknown", None, False, False)
        assert (row.title, row.description, row.cwd, row.meta) == ("Explore more", None, None, {})
        assert texts(child) == ["first", "second"]
        assert [entry for entry in driver.session.entries if isinstance(entry, SubagentEntry)] == [row]
        assert driver.notices() == []
    gate.close()


async def test_in_version_2_a_child_says_itself_what_it_is_at_and_what_it_runs(tmp_path: Path) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", title="Explore", capabilities=CANCEL)
        agent.update({"sessionUpdate": "state_update", "state": "running"}, "kid")
        told = {"type": "text", "text": "look"}
        agent.update({"sessionUpdate": "user_message", "messageId": "u", "content": [told]}, "kid")
        command = {"terminalId": "t", "command": "make", "cwd": CWD}
        agent.update({"sessionUpdate": "terminal_update", **command}, "kid")
        listed = [{"type": "terminal", "terminalId": "t"}]
        agent.update({"sessionUpdate": "state_update", "state": "idle", "stopReason": "end_turn",
            "background": listed}, "kid")
        said("before", None, message_id="b")
        agent.wait_for(GATE)
        agent.update({"sessionUpdate": "state_update", "state": "requires_action"}, "kid")
        agent.update({"sessionUpdate": "state_update", "state": "idle", "stopReason": "_own"}, "kid")
        child("kid", state={"state": "idle", "stopReason": "_own"})
        end(prompt)
        agent.serve()
    """
    body = body.replace("CWD", repr(str(tmp_path))).replace("GATE", repr(str(tmp_path / "gate")))
    gate = Gate(tmp_path / "gate")
    async with kids(tmp_path, body, 2) as driver:
        driver.submit("go")
        await driver.until(driver.said)
        row, child = driver.row(), driver.child()
        assert (row.state, row.stop_reason, row.sealed, row.cancellable) == ("idle", "end_turn", True, True)
        assert (texts(child), list(child.terminals)) == (["look"], ["t"])
        assert [work.title for work in background_work(child)] == ["make"]
        assert background_work(driver.session) == []
        assert driver.session.turn.active
        gate.open()
        await driver.idle()
        assert (row.state, row.stop_reason) == ("idle", "_own")
        assert driver.notices() == []
    gate.close()


@VERSIONS
async def test_who_cancels_a_child_cancels_the_form_that_it_asked(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", state=RUNNING, capabilities=CANCEL)
        form = {"mode": "form", "message": "Which?", "requestedSchema": {"type": "object", "properties": {}}}
        asked = agent.ask("elicitation/create", {**form, "sessionId": "kid"})
        agent.expect("session/cancel")
        result = agent.answer_to(asked)["result"]
        child("kid", state={"state": "idle", "stopReason": "cancelled"})
        said(json.dumps(result), None)
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.until(lambda: driver.session.elicitations)
        driver.client.of(driver.session).cancel_child("kid")
        await driver.idle()
        assert json.loads(driver.said()[0]) == {"action": "cancel"}
        assert driver.row().stop_reason == "cancelled"
