"""What a user types into forms, input options and log-ins is nowhere written down: the agent gets it, no file does."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_tui.host.config.log import open_log
from acp_tui.host.config.state_files import state_folder
from acp_tui.host.records.inspection import Inspection
from acp_tui.host.records.records import Records
from acp_tui.host.records.wire_record import WireRecord
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.state import Session
from tests.agents.scripted import write_script
from tests.pilot.driver import Viewer
from tests.pilot.questions import ready
from tests.pilot.test_real_agent import before

pytestmark = pytest.mark.anyio

TYPED = {name: f"typed-{name}-{number}31" for number, name in enumerate(("name", "authtoken", "PIN_HINT"), 4)}
NUMBERS = {"otp": 883_771, "pins": 994_882}
FIELDS = {
    **{name: {"type": "string"} for name in TYPED},
    "mail": {"type": "string", "format": "email"},
    **{name: {"type": "integer"} for name in NUMBERS},
    "model": {"type": "string", "enum": ["small", "chosen-large"]},
}
MAIL, VARIABLE = "typed-mail-731@example.com", "typed-variable-831"
MARKS = [*TYPED.values(), MAIL, VARIABLE, *map(str, NUMBERS.values())]
SENT = {**TYPED, "mail": MAIL, **NUMBERS, "model": "chosen-large"}

AGENT = f"""
import os
schema = {{"properties": {FIELDS!r}}}
ways = [{{"type": "env_var", "id": "key", "name": "API key", "vars": [{{"name": "MY_TOKEN", "secret": False}}]}}]
if agent.life == 1:
    agent.initialize({{"protocolVersion": 1, "authMethods": ways}})
    agent.fail(agent.expect("session/new"), -32000, "Who are you?")
    agent.serve()
agent.initialize({{"protocolVersion": 1, "configSchema": {{"session/new": schema}}}})
known = os.environ.get("MY_TOKEN") == {VARIABLE!r}
agent.fail(agent.expect("session/new"), -32602, "not yet")
agent.new_session()
prompt = agent.expect("session/prompt")
form = {{"mode": "form", "message": "Who?", "sessionId": agent.session_id, "requestedSchema": schema}}
agent.answer_to(agent.ask("elicitation/create", form))
agent.say("thank you" if known else "who?")
agent.end_turn(prompt)
agent.serve()
"""


async def fill_in(someone: Viewer) -> None:
    await ready(someone)
    for text in (*TYPED.values(), MAIL, *map(str, NUMBERS.values())):
        await someone.type(text)
        await someone.press("tab")
    await someone.press("down", "enter")


def screens(someone: Viewer) -> str:
    return "\n".join(someone.rows())


def kept(session: Session) -> Iterator[str]:
    """All that can be exported."""
    yield json.dumps(to_json(session))
    yield to_markdown(session)


async def test_what_is_typed_is_in_no_record_no_export_and_no_log(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    script = write_script(tmp_path / "agent", AGENT)
    log, records, project = open_log(), Records(tmp_path / "records"), tmp_path / "project"
    project.mkdir()
    async with before(script.as_process, project, records) as someone:
        records.record(someone.session)
        wire = WireRecord(tmp_path / "wire.jsonl", someone.client.traffic, someone.session.apply)
        await someone.wait_for("Who are you?")
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the panel")
        await someone.press("enter")
        await someone.wait_for("MY_TOKEN")
        await someone.pilot.pause()
        await someone.type(VARIABLE)
        assert not someone.sees(VARIABLE)  # the agent says that it is no secret, its name says that it is one
        await someone.press("enter")
        await someone.wait_for("Options for this session")
        await fill_in(someone)
        await someone.wait_for("not yet")
        exports = list(kept(someone.session))  # while the form waits, with what was entered
        await ready(someone)
        await someone.press("ctrl+r")
        await someone.wait_until(lambda: bool(someone.session.id), "the session")
        await someone.send("go on")
        await someone.wait_for("Who?")
        await fill_in(someone)
        await someone.wait_for("Review before")
        for secret in (TYPED["authtoken"], *map(str, NUMBERS.values())):
            assert secret not in screens(someone)
        await ready(someone)
        await someone.press("s")
        await someone.wait_for("thank you")
        await someone.wait_for("chosen-large")  # a choice is told in the transcript, what was typed is not
        exports += kept(someone.session)
        inspection = Inspection(someone.client.traffic)
        while inspection.work(lambda: False):
            exports += [message.line.decode() for message in inspection.messages]
        inspection.close()
        drawn = screens(someone)
    wire.close()
    records.close()
    assert script.received("session/new")[1]["params"]["configOptions"] == SENT
    assert [one["result"]["content"] for one in script.received() if "content" in one.get("result", {})] == [SENT]
    state = [path for path in state_folder().rglob("*") if path.is_file()]
    files = {str(path): path.read_text() for path in (*state, *records.folder.rglob("*.jsonl"), wire.path)}
    assert len(files) >= 2
    assert (any("input-options" in path for path in files), log is None or not log.exists()) == (True, True)
    texts = {**files, **{f"export {number}": text for number, text in enumerate(exports)}, "screen": drawn}
    found = [(mark, where) for where, text in texts.items() for mark in MARKS if mark in text]
    assert found == []
    assert all("chosen-large" in text for text in files.values())
