"""A known failure of agents is recognised: an edit that fails because a read through us did."""

from pathlib import Path

import pytest

from tests.agents.scripted import write_script
from tests.integration.driver import connected

pytestmark = pytest.mark.anyio

READS = """
agent.initialize()
agent.new_session()
def read(path):
    try:
        agent.request("fs/read_text_file", {"sessionId": agent.session_id, "path": path})
    except Refused as error:
        return str(error)
def call(status, text="", kind="edit", **more):
    content = [{"type": "content", "content": {"type": "text", "text": text}}] if text else []
    agent.update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "kind": kind, "status": status,
        "content": content, **more})
"""
GIVES_UP = "Edit failed: the file could not be read first|Some agents cannot create files while"
FAILURES = [
    ("call('failed', 'Error checking existing file: ' + read(HERE + '/new'))", 1),
    ("read(HERE + '/new'); call('failed', 'Error: [object Object]')", 1),
    ("call('failed', rawOutput={'error': read(HERE + '/new')})", 1),
    ("call('in_progress'); why = read(HERE + '/new'); call('failed', why); call('failed', why)", 1),
    ("call('failed', read(HERE + '/new'), kind='read')", 0),
    ("call('completed', read(HERE + '/new'))", 0),
    ("read(HERE + '/new'); call('failed', 'the disk is full')", 0),
    ("call('failed', 'Error: [object Object]')", 0),
]


@pytest.mark.parametrize(("does", "count"), FAILURES)
async def test_an_edit_that_fails_for_a_read_names_the_setting_that_helps(
    tmp_path: Path, does: str, count: int
) -> None:
    body = f"{READS}\nHERE = {str(tmp_path)!r}\nprompt = agent.expect('session/prompt')\n{does}\nagent.end_turn(prompt)"
    script = write_script(tmp_path, body + "\nagent.serve()")
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        driver.submit("go")
        await driver.idle()
        assert driver.noticed().count(GIVES_UP) == count
        assert driver.noticed().count('set fs = "write" for this agent') == count


async def test_a_failed_read_of_an_earlier_turn_explains_nothing(tmp_path: Path) -> None:
    body = f"""{READS}
prompt = agent.expect("session/prompt")
why = read({str(tmp_path / "new")!r})
agent.end_turn(prompt)
prompt = agent.expect("session/prompt")
call("failed", why)
agent.end_turn(prompt)
"""
    script = write_script(tmp_path, body + "\nagent.serve()")
    async with connected(script, tmp_path) as driver:
        await driver.ready()
        for turn in (1, 2):
            driver.submit("go")
            await driver.idle(turn)
        assert GIVES_UP not in driver.noticed()
