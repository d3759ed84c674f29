"""What turns change in a session's folders: agents that write by themselves and through us."""

import errno
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.host.agent.agent_services import ClientChanges
from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.snapshot_history import Changes, Point
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.connection.connection import AgentConnection
from acp_tui.host.snapshots import folder_store, snapshot_client
from acp_tui.host.snapshots.database import FILE_NAME
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.snapshot_client import Snapshot, SnapshotClient
from acp_tui.protocol.session_setup import Call
from acp_tui.session.entries import MessageEntry
from acp_tui.session.folds.file_changes import TurnEntry
from acp_tui.session.state import Session
from acp_tui.wire.peer import Waiter
from tests.agents.scripted import Gate, Script, write_script
from tests.integration.driver import Driver, attended, driven, start_of
from tests.turns import SERVE, tree_of

pytestmark = pytest.mark.anyio

INTRODUCES = """
def introduce(**able):
    name = {"name": "scripted", "title": "Scripted", "version": "1"}
    can = {"loadSession": True, "sessionCapabilities": able}
    agent.initialize({"protocolVersion": 1, "agentInfo": name, "agentCapabilities": can})
"""
BEGIN = (
    INTRODUCES
    + """
introduce()
session = agent.new_session()
here = agent.folder
def write(name, text):
    with open(f"{here}/{name}", "w") as file:
        file.write(text)
def edit(name):
    agent.update({"sessionUpdate": "tool_call", "toolCallId": "edit-" + name, "title": "Edit", "kind": "edit",
                  "status": "completed", "locations": [{"path": f"{here}/{name}"}]})
"""
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    (folder / "b.txt").write_text("two\n")
    return folder


def checkout_in(project: Path) -> None:
    subprocess.run(["git", "init", "-q", str(project)], check=True)


def started(script: Script, project: Path, session_id: str = "", *, passing: bool = False) -> Driver:
    command = AgentCommand(tuple(script.argv))
    kept = SnapshotSettings(passing=passing)
    client = Client(LaunchPlan(command, project, snapshots=kept), attended=True, start=start_of(script))
    return Driver(client, client.begin_session(session_id))


@asynccontextmanager
async def opened(tmp_path: Path, project: Path, body: str) -> AsyncIterator[Driver]:
    """A session whose agent goes on with `body`, once its folder is kept."""
    script = write_script(tmp_path, BEGIN + body + "\nagent.serve()\n")
    async with driven(started(script, project)) as driver:
        await driver.ready()
        await points(driver, "opened")
        yield driver


def changes(driver: Driver) -> SessionChanges:
    return driver.client.changes(driver.session)


async def points(driver: Driver, *kinds: str) -> list[Point]:
    await driver.until(lambda: [point.kind for point in changes(driver).points][-len(kinds) :] == list(kinds))
    return list(changes(driver).points)


async def typed(driver: Driver) -> None:
    """The user begins to write a prompt, a while after the last look, and all is looked at."""
    moments = changes(driver).turns.moments
    moments._began = -inf
    changes(driver).typed()
    assert list(moments.unfinished())
    await moments.settled()


async def turn(driver: Driver, number: int = 1) -> Changes:
    """What a turn changed, once its row is there or it is known that there is none."""
    of = changes(driver)
    await driver.until(lambda: number in of.turns.history.files)
    since, until = (
        next(each for each in reversed(of.points) if each.kind == kind and each.turn == number)
        for kind in ("prompt", "ended")
    )
    return await of.between(since, until)


def told(of: Changes) -> dict[str, tuple[str, str, str]]:
    return {file.path: (file.status, file.who, file.tool_call) for file in of.files}


async def test_what_an_agent_writes_by_itself_is_told_apart_and_has_a_row(tmp_path: Path, project: Path) -> None:
    body = """
prompt = agent.expect("session/prompt")
write("a.txt", "changed\\n"); write("new.txt", "n\\n")
import os
os.remove(f"{here}/b.txt")
edit("a.txt")
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go on  with\nit")
        found = await turn(driver)
        assert told(found) == {
            "a.txt": ("changed", "agent", "edit-a.txt"),
            "b.txt": ("deleted", "unknown", ""),
            "new.txt": ("new", "unknown", ""),
        }
        assert [point.kind for point in changes(driver).points] == ["opened", "prompt", "ended"]
        assert changes(driver).points[1].words == "go on with it"
        row = next(entry for entry in driver.session.entries if isinstance(entry, TurnEntry))
        assert (row.turn, row.files, row.added, row.removed, row.unknown) == (1, 3, 2, 2, 2)
        assert row.names[0] == "a.txt"


async def test_a_turn_without_changes_says_nothing_of_files(tmp_path: Path, project: Path) -> None:
    async with opened(tmp_path, project, 'agent.turn("nothing to do")\n') as driver:
        driver.submit("go")
        assert (await turn(driver)).files == []
        (row,) = (entry for entry in driver.session.entries if isinstance(entry, TurnEntry))
        assert (row.turn, row.changed) == (1, [])
        assert changes(driver).last_turn() is None


async def test_what_happens_between_turns_is_not_the_agents(tmp_path: Path, project: Path) -> None:
    body = """
agent.turn("one")
prompt = agent.expect("session/prompt")
write("b.txt", "agent\\n"); edit("b.txt")
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("one")
        await turn(driver)
        (project / "a.txt").write_text("mine\n")
        await typed(driver)
        driver.submit("two")
        assert told(await turn(driver, 2)) == {"b.txt": ("changed", "agent", "edit-b.txt")}
        of = changes(driver)
        whole = await of.between(of.points[0], of.points[-1])
        assert {path: who for path, (_, who, _) in told(whole).items()} == {"a.txt": "outside", "b.txt": "agent"}


async def test_an_ignored_file_that_is_written_through_us_comes_back(tmp_path: Path, project: Path) -> None:
    (project / ".gitignore").write_text(".env\n")
    (project / ".env").write_text("SECRET=1\n")
    checkout_in(project)
    body = """
prompt = agent.expect("session/prompt")
agent.request("fs/write_text_file", {"sessionId": session, "path": here + "/.env", "content": "gone"})
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        found = await turn(driver)
        assert [(file.path, file.status, file.who) for file in found.files] == [(".env", "changed", "agent")]
        preview = await changes(driver).preview("Turn 1", found, found.files)
        await changes(driver).take_back(preview, preview.steps)
        assert (project / ".env").read_text() == "SECRET=1\n"


async def test_what_the_agent_has_touched_before_is_no_state_before(tmp_path: Path, project: Path) -> None:
    """Law 5: a shell of the agent's writes an ignored file, and then it writes that through us."""
    (project / ".gitignore").write_text(".env\n")
    (project / ".env").write_text("SECRET=1\n")
    checkout_in(project)
    body = """
prompt = agent.expect("session/prompt")
write(".env", "by a command")
agent.request("fs/write_text_file", {"sessionId": session, "path": here + "/.env", "content": "gone"})
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        found = await turn(driver)
        assert all(file.before.kind == "unknown" for file in found.files if file.path == ".env")


async def test_taking_back_is_undone_in_a_later_run(tmp_path: Path, project: Path) -> None:
    body = """
if agent.life == 1:
    prompt = agent.expect("session/prompt")
    write("a.txt", "changed\\n")
    agent.end_turn(prompt)
"""
    again = f"""{INTRODUCES}
introduce()
agent.answer(agent.expect("session/load"), {{}})
agent.serve()
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        found = await turn(driver)
        preview = await changes(driver).preview("Turn 1", found, found.files)
        await changes(driver).take_back(preview, preview.steps)
        assert (project / "a.txt").read_text() == "one\n"
        assert changes(driver).last_turn() is None
        await points(driver, "taken_back")
        session_id = driver.session.id
    async with driven(started(write_script(tmp_path, again, "again"), project, session_id)) as driver:
        kinds = ["opened", "prompt", "ended", "taken_back", "opened"]
        await driver.until(lambda: [point.kind for point in changes(driver).points] == kinds)
        assert [point.number for point in changes(driver).points] == [0, 1, 2, 3, 4]
        preview = await changes(driver).preview_undo(changes(driver).taken_back[0])
        await changes(driver).take_back(preview, preview.steps)
        assert (project / "a.txt").read_text() == "changed\n"
        assert changes(driver).taken_back[0].undone
        assert changes(driver).last_turn() is not None
        await points(driver, "opened", "taken_back")
    third = write_script(tmp_path, again, "third")
    async with driven(started(third, project, session_id)) as driver:
        await driver.until(lambda: len(changes(driver).points) == 7)
        assert [(each.undoes, each.undone) for each in changes(driver).taken_back] == [(None, True), (1, False)]
        assert {point.turn for point in changes(driver).points} == {0, 1}


async def test_a_prompt_that_is_cancelled_at_once_goes_out_before_its_cancel(tmp_path: Path, project: Path) -> None:
    script = write_script(
        tmp_path, BEGIN + 'agent.answer(agent.expect("session/prompt"), {"stopReason": "cancelled"})\nagent.serve()\n'
    )
    async with driven(started(script.as_process, project)) as driver:
        await driver.ready()
        driver.submit("go")
        assert driver.session.turn.active
        driver.client.of(driver.session).cancel()
        await driver.until(lambda: not driver.session.turn.active)
        await points(driver, "opened", "prompt", "ended")
    methods = [message["method"] for message in script.received() if "session/" in message.get("method", "")]
    assert methods == ["session/new", "session/prompt", "session/cancel"]


async def test_a_prompt_that_comes_back_before_a_login_is_no_turn(tmp_path: Path, project: Path) -> None:
    methods = '"authMethods": [{"id": "here", "name": "Here"}]'
    introduces = BEGIN.replace('"agentInfo": name', f'"agentInfo": name, {methods}')
    body = """
agent.fail(agent.expect("session/prompt"), -32000, "Log in first")
agent.answer(agent.expect("authenticate"), {})
prompt = agent.expect("session/prompt")
write("a.txt", "changed\\n")
agent.end_turn(prompt)
agent.serve()
"""
    async with driven(started(write_script(tmp_path, introduces + body), project)) as driver:
        await driver.ready()
        await points(driver, "opened")
        driver.submit("go")
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in("here")
        assert list(told(await turn(driver))) == ["a.txt"]
        kinds = [(point.kind, point.turn) for point in changes(driver).points]
        assert kinds == [("opened", 0), ("prompt", 1), ("ended", 1)]


async def test_an_agent_that_exits_ends_its_turn(tmp_path: Path, project: Path) -> None:
    body = 'agent.expect("session/prompt")\nwrite("a.txt", "half")\nagent.exit(3)\n'
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        await driver.gone()
        assert told(await turn(driver)) == {"a.txt": ("changed", "unknown", "")}


async def test_queued_prompts_have_points_of_their_own(tmp_path: Path, project: Path) -> None:
    gate = Gate(tmp_path / "gate")
    body = f"""
import os, time
prompt = agent.expect("session/prompt")
agent.wait_for({str(gate.path)!r})
write("a.txt", "first\\n")
while time.time() < os.stat(f"{{here}}/a.txt").st_ctime + 0.06:  # as of an agent that says something at its end
    os.sched_yield()
agent.end_turn(prompt)
prompt = agent.expect("session/prompt")
write("b.txt", "second\\n")
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("one")
        driver.submit("two")
        gate.open()
        found = await turn(driver, 2)
        assert [(file.path, file.after.kind) for file in found.files] == [("b.txt", "file")]
        first = await turn(driver, 1)
        assert {file.path: file.before.kind for file in first.files} | {"b.txt": "file"} == dict.fromkeys(
            ("a.txt", "b.txt"), "file"
        )
        assert [file.after.kind for file in first.files if file.path == "a.txt"] == ["file"]
        kinds = [(point.kind, point.turn, point.message) for point in changes(driver).points]
        assert kinds[1:] == [("prompt", 1, 0), ("ended", 1, None), ("prompt", 2, 1), ("ended", 2, None)]
    gate.close()


def locked(root: Path) -> sqlite3.Connection:
    """Somebody holds the store of a folder, for ever."""
    store = FolderStore(str(root))
    store.keep(b"x")
    connection = sqlite3.connect(store.folder / FILE_NAME, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    return connection


HANGS = "import sys; sys.stdin.read()"  # in place of the process that takes snapshots


@pytest.mark.parametrize("trouble", ["hangs", "locked", "full"])
async def test_no_prompt_waits_for_a_snapshot_whatever_the_trouble(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    """Its bytes are on their way when `submit` returns, with a snapshot that never ends before it and its own."""
    monkeypatch.setattr(ClientChanges, "serve", SERVE)
    if trouble == "full":
        monkeypatch.setattr(FolderStore, "prepare", full)
    held = locked(project) if trouble == "locked" else None
    if trouble == "hangs":
        monkeypatch.setattr(snapshot_client, "_PROGRAM", HANGS)
    sent = list[str]()
    call = AgentConnection.call

    def noted(self: AgentConnection, called: Call, waiter: Waiter) -> int:
        sent.append(called.method)
        return call(self, called, waiter)

    monkeypatch.setattr(AgentConnection, "call", noted)
    script = write_script(tmp_path, BEGIN + 'agent.turn("one")\nagent.turn("two")\nagent.serve()\n')
    async with driven(started(script, project)) as driver:
        await driver.ready()
        for number, words in enumerate(("one", "two"), 1):
            driver.submit(words)
            assert sent[-1] == "session/prompt"
            await driver.idle(number)
        assert [point.kind for point in changes(driver).points if point.trees] == []
    if held is not None:
        held.close()


def full(_store: FolderStore) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


AT_ONCE = """
import os
prompt = agent.expect("session/prompt")
write("a.txt", "changed\\n"); write("new.txt", "new\\n"); os.remove(f"{here}/b.txt")
os.rename(f"{here}/sub", f"{here}/moved")
agent.end_turn(prompt)
"""


async def test_what_an_agent_does_at_once_is_seen_and_undone(tmp_path: Path, project: Path) -> None:
    """Before anybody has looked since the prompt went out: as it was when the session opened."""
    (project / "sub").mkdir()
    (project / "sub/c.txt").write_text("three\n")
    before = tree_of(project)
    async with opened(tmp_path, project, AT_ONCE) as driver:
        driver.submit("go")
        found = await turn(driver)
        assert {path: status for path, (status, _, _) in told(found).items()} == {
            "a.txt": "changed",
            "b.txt": "deleted",
            "new.txt": "new",
            "sub": "deleted",
            "moved": "new",
            "moved/c.txt": "renamed",
        }
        await taken_back(driver, found)
        assert tree_of(project) == before


async def test_what_the_user_does_before_the_first_key_is_not_the_agents(tmp_path: Path, project: Path) -> None:
    """The look that a key begins is nearer to the prompt than that of the last turn's end, and goes when it is not
    needed any more.
    """
    body = 'agent.turn("one")\n' + AT_ONCE.replace('os.rename(f"{here}/sub", f"{here}/moved")', "")
    async with opened(tmp_path, project, body) as driver:
        driver.submit("one")
        await turn(driver)
        (project / "a.txt").write_text("mine\n")
        (project / "b.txt").write_text("mine too\n")
        before = tree_of(project)
        await typed(driver)
        assert [point.kind for point in changes(driver).points] == ["opened", "prompt", "ended"]
        typed_look, folder = changes(driver).turns._typed, changes(driver).turns.folders.first
        assert typed_look is not None
        assert folder is not None
        (look,) = typed_look.taken.trees.values()
        driver.submit("two")
        await taken_back(driver, await turn(driver, 2))
        assert tree_of(project) == before
        await driver.until(lambda: look not in folder.names())


async def taken_back(driver: Driver, found: Changes) -> None:
    preview = await changes(driver).preview("Turn", found, found.files)
    assert [step.refusal for step in preview.steps if step.refusal] == []
    await changes(driver).take_back(preview, preview.steps)


async def test_a_key_looks_at_nothing_while_the_agent_works_or_right_behind_another_look(
    tmp_path: Path, project: Path
) -> None:
    body = 'prompt = agent.expect("session/prompt")\nagent.say("at work")\nagent.expect("session/cancel")\n'
    async with opened(tmp_path, project, body + 'agent.answer(prompt, {"stopReason": "cancelled"})\n') as driver:
        moments = changes(driver).turns.moments
        changes(driver).typed()
        assert list(moments.unfinished()) == []  # that of the session's opening has just begun
        driver.submit("go")
        await points(driver, "opened", "prompt")
        await driver.until(lambda: "at work" in driver.said())
        moments._began = -inf
        changes(driver).typed()
        assert list(moments.unfinished()) == []
        driver.client.of(driver.session).cancel()
        await points(driver, "opened", "prompt", "ended")


async def test_what_was_read_after_the_prompt_is_no_state_before(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Law 5, where nothing at all could be read before the prompt went out."""
    monkeypatch.setattr(ClientChanges, "serve", SERVE)
    waiting = anyio.Event()
    snapshot = SnapshotClient.snapshot

    async def later(*given: Any) -> Snapshot:
        await waiting.wait()
        return await snapshot(*given)

    monkeypatch.setattr(SnapshotClient, "snapshot", later)
    body = """
prompt = agent.expect("session/prompt")
write("a.txt", "changed\\n"); write("new.txt", "new\\n")
agent.say("done")
agent.expect("session/cancel")
agent.answer(prompt, {"stopReason": "cancelled"})
agent.serve()
"""
    async with driven(started(write_script(tmp_path, BEGIN + body), project)) as driver:
        await driver.ready()
        driver.submit("go")
        await driver.until(lambda: "done" in driver.said())
        waiting.set()
        await points(driver, "opened", "prompt")
        driver.client.of(driver.session).cancel()
        found = await turn(driver)
        assert {file.before.kind for file in found.files} == {"unknown"}
        assert {"a.txt", "new.txt"} <= {file.path for file in found.files}
        assert any("saved too late" in note for note in found.notes)
        for since in changes(driver).points[:2]:
            whole = await changes(driver).between(since, await changes(driver).look())
            assert {file.before.kind for file in whole.files} <= {"unknown"}
            preview = await changes(driver).preview("All", whole, whole.files)
            assert all(step.refusal and not step.forcible for step in preview.steps)


async def test_a_store_that_cannot_be_made_is_said_once(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(folder_store, "place_of", lambda _root: blocked / "store")
    script = write_script(tmp_path, BEGIN + 'agent.turn("one")\nagent.turn("two")\nagent.serve()\n')
    async with driven(started(script, project)) as driver:
        await driver.ready()
        for number, words in enumerate(("one", "two"), 1):
            driver.submit(words)
            await driver.idle(number)
        await driver.until(lambda: [point.kind for point in changes(driver).points][-1:] == ["ended"])
        assert [notice.title for notice in driver.notices()] == ["No snapshot of the files"]


async def test_without_snapshots_nothing_is_started_and_it_is_said_why(tmp_path: Path, project: Path) -> None:
    script = write_script(tmp_path, BEGIN + 'agent.turn("one")\nagent.serve()\n')
    async with attended(script, project) as driver:
        await driver.ready()
        driver.submit("go")
        await driver.idle()
        assert changes(driver).off == "Snapshots are switched off"
        assert changes(driver).points == ()
    assert not folder_store.snapshots_folder().exists()


async def test_a_session_that_is_not_recorded_leaves_nothing(tmp_path: Path, project: Path) -> None:
    script = write_script(tmp_path, BEGIN + 'agent.turn("one")\nagent.serve()\n')
    async with driven(started(script, project, passing=True)) as driver:
        await points(driver, "opened")
        assert any(folder_store.snapshots_folder().rglob("content.db"))
    assert not [path for path in folder_store.snapshots_folder().rglob("*") if path.is_file()]


async def test_a_branch_begins_with_the_points_before_its_message(tmp_path: Path, project: Path) -> None:
    body = """
agent.turn("one")
agent.turn("two")
agent.new_session("branch")
"""
    async with opened(tmp_path, project, body) as driver:
        for number, words in enumerate(("first", "second"), 1):
            driver.submit(words)
            await turn(driver, number)
        said = [entry for entry in driver.session.entries if isinstance(entry, MessageEntry)]
        message = [entry for entry in said if entry.role == "user"][1]
        branch: Session = driver.client.branches.begin(driver.session, message, [])
        of = driver.client.changes(branch)
        await driver.until(lambda: of.points and of.points[-1].kind == "opened" and len(of.points) > 1)
        assert [(point.kind, point.turn) for point in of.points] == [
            ("opened", 0),
            ("prompt", 1),
            ("ended", 1),
            ("opened", 1),
        ]
        assert of.before(0, "first") == of.points[1]


async def test_two_sessions_in_one_folder_are_told_apart(tmp_path: Path, project: Path) -> None:
    gate = Gate(tmp_path / "gate")
    body = f"""
first = agent.expect("session/prompt")
other = agent.expect("session/new")
agent.answer(other, {{"sessionId": "other"}})
second = agent.expect("session/prompt")
write("a.txt", "by the second\\n")
agent.notify("session/update", {{"sessionId": "other", "update": {{"sessionUpdate": "tool_call", "toolCallId": "x",
    "title": "Edit", "kind": "edit", "status": "completed", "locations": [{{"path": here + "/a.txt"}}]}}}})
agent.end_turn(second)
agent.wait_for({str(gate.path)!r})
write("b.txt", "by the first\\n")
edit("b.txt")
agent.end_turn(first)
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("one")
        await driver.until(lambda: driver.session.turn.active)
        second = Driver(driver.client, driver.client.open_session())
        await points(second, "opened")
        second.submit("two")
        assert told(await turn(second))["a.txt"] == ("changed", "agent", "x")
        gate.open()
        found = await turn(driver)
        assert told(found) == {"a.txt": ("changed", "session", ""), "b.txt": ("changed", "agent", "edit-b.txt")}
        assert any("nother session" in note for note in found.notes)
    gate.close()
