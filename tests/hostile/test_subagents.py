"""Agents whose subagents do harm: nothing is lost, nothing is served outside, all of it is bounded and said."""

import json
from pathlib import Path

import pytest

from acp_tui.host.agent.connected_agent import WAITING_CAP
from acp_tui.host.sessions.children import ASKED
from acp_tui.host.sessions.session_routing import CHILDREN
from tests.integration.test_subagents import VERSIONS, kids, texts

pytestmark = pytest.mark.anyio


@VERSIONS
async def test_announcements_that_are_wrong_in_every_member_hurt_nobody(tmp_path: Path, version: int) -> None:
    body = """
        begin()
        prompt = take()
        odd = [None, True, 0, -1, 1e300, "", "x", [], {}, [[]], {"cancel": 1}, {"state": 5}]
        odd += ["\\ud800", "a\\0b", "\\x1b[2J"]
        members = ["title", "description", "capabilities", "state", "cwd", "additionalDirectories", "_meta"]
        number = 0
        for member in members:
            for value in odd:
                number += 1
                child(f"kid-{number}", **{member: value})
                child(value)
                said("x", f"kid-{number}")
        for kind in ("session_message", "session_message_chunk", "subagent_update"):
            for value in odd:
                told = {"messageId": value, "content": value, "senderSessionId": value}
                agent.update({"sessionUpdate": kind, **told}, "kid-1")
        child("good", title="Good", state=RUNNING)
        said("heard", "good")
        answers(question("good"))
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.asked()
        driver.client.of(driver.session).questions.answer_permission(driver.session.permissions[0].key, "yes")
        await driver.idle()
        assert driver.row("good").state == "running"
        assert driver.said() == ['["selected"]']
        assert len(driver.session.family) > 60, "what can be read of an announcement counts"
        assert "Invalid update from the agent" in driver.noticed()


async def test_more_children_than_anybody_needs_are_refused_and_the_rest_works(tmp_path: Path) -> None:
    body = f"""
        begin()
        prompt = take()
        for number in range({CHILDREN + 500}):
            child(f"kid-{{number}}", title="Explore", state=RUNNING)
        said("heard", "kid-{CHILDREN - 1}")
        said("not heard", "kid-{CHILDREN + 1}")
        end(prompt)
        agent.turn("STILL THERE")
        agent.serve()
    """
    async with kids(tmp_path, body) as driver:
        driver.submit("go")
        await driver.idle()
        assert len(driver.session.family) == CHILDREN
        assert len(driver.child(f"kid-{CHILDREN - 1}").entries) == 1
        assert f"More than {CHILDREN:,} of one session." in driver.noticed()
        assert "497 more" in driver.noticed()
        driver.submit("on")
        await driver.idle(2)
        assert driver.said() == ["STILL THERE"]


async def test_a_child_that_floods_delays_nobody_and_loses_nothing(tmp_path: Path) -> None:
    body = """
        begin()
        prompt = take()
        child("kid", state=RUNNING)
        child("other", state=RUNNING)
        update = {"sessionUpdate": "agent_message_chunk", "messageId": "m", "content": {"type": "text", "text": "x"}}
        params = {"sessionId": "kid", "update": update}
        line = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})
        for _ in range(20):
            agent.raw((line + "\\n").encode() * 1_000)
            said("y", "other")
        end(prompt)
        agent.serve()
    """
    async with kids(tmp_path, body) as driver:
        driver.submit("go")
        await driver.idle()
        assert (texts(driver.child()), texts(driver.child("other"))) == (["x" * 20_000], ["y" * 20])
        assert driver.notices() == []


@VERSIONS
async def test_no_child_asks_more_than_its_session_may(tmp_path: Path, version: int) -> None:
    body = f"""
        begin()
        prompt = take()
        for number in range({WAITING_CAP + 5}):
            child(f"kid-{{number}}", state=RUNNING)
            last = question(f"kid-{{number}}")
        refused = agent.answer_to(last)["error"]["code"]
        stray = question("never announced")
        said(f"{{refused}} {{agent.answer_to(stray)['error']['code']}}", None)
        agent.expect("session/cancel")
        end(prompt, "cancelled")
        agent.serve()
    """
    async with kids(tmp_path, body, version) as driver:
        driver.submit("go")
        await driver.until(driver.said)
        assert driver.said() == ["-32603 -32002"]
        assert len(driver.session.permissions) == WAITING_CAP
        assert "Too many questions" in driver.noticed()
        driver.client.of(driver.session).cancel()
        await driver.idle()
        assert driver.session.permissions == []


async def test_a_child_gets_no_file_by_any_name_of_a_folder(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("the secret")
    (project / "link").symlink_to(outside)
    named = ["/", "//", "/..", str(outside), str(tmp_path), f"{project}/..", f"{project}/link", f"{project}/../outside"]
    named += ["..", "~", "", f"{project}/link/../outside", "/" + "../" * 50, "/" * 9_000]
    body = f"""
        begin()
        prompt = take()
        told = []
        for number, folder in enumerate({named!r}):
            kid = f"kid-{{number}}"
            child(kid, cwd=folder, additionalDirectories=[folder, "/"], state=RUNNING)
            for path in ({str(outside / "secret")!r}, {str(project / "link/secret")!r}, folder + "/secret"):
                told.append(code_of("fs/read_text_file", sessionId=kid, path=path))
            for path in ({str(outside / "made")!r}, {str(project / "link/made")!r}):
                told.append(code_of("fs/write_text_file", sessionId=kid, path=path, content="x"))
            told.append(code_of("terminal/create", sessionId=kid, command="true", cwd={str(outside)!r}))
        said(json.dumps(told), None)
        end(prompt)
        agent.serve()
    """
    async with kids(project, body) as driver:
        driver.submit("go")
        await driver.idle()
        told = json.loads(driver.said()[0])
        assert all(line.startswith("-32") for line in told), [line for line in told if not line.startswith("-32")]
        assert list(outside.iterdir()) == [outside / "secret"]
        await driver.asked(2)
        subjects = (pending.request.subject for pending in driver.session.permissions)
        calls = [subject.tool_call for subject in subjects if subject is not None and subject.tool_call is not None]
        folders = [each.path for call in calls for each in call.locations or []]
        assert sorted(folders) == sorted([str(outside), str(tmp_path)]), "each once, and never all there is"


async def test_folders_are_asked_for_so_often_and_no_more(tmp_path: Path) -> None:
    folders = [tmp_path / f"out-{number}" for number in range(ASKED + 20)]
    project = tmp_path / "project"
    for folder in (project, *folders):
        folder.mkdir()
    body = f"""
        begin()
        prompt = take()
        for number, folder in enumerate({[str(folder) for folder in folders]!r}):
            child(f"kid-{{number}}", cwd=folder, state=RUNNING)
            code_of("fs/read_text_file", sessionId=f"kid-{{number}}", path=folder + "/x")
        end(prompt)
        agent.serve()
    """
    async with kids(project, body) as driver:
        driver.submit("go")
        await driver.idle()
        await driver.until(lambda: "Subagents asked for too many folders" in driver.noticed())
        assert len(driver.session.permissions) == ASKED
        assert driver.noticed().count("Subagents asked for too many folders") == 1
