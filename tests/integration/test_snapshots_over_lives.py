"""Snapshots where sessions begin, end and meet: two clients in one folder, forks, leaving; and what is kept early."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui.errors import UserFault
from acp_tui.host.agent import agent_services as parts
from acp_tui.host.changes.history_tables import RunWriter, earlier_runs
from acp_tui.host.changes.retention import kept_folders, past_changes
from acp_tui.host.snapshots import folder_store
from acp_tui.host.snapshots.database import StoreFault
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.snapshot_client import Snapshot, SnapshotClient
from acp_tui.host.system.threads import in_thread
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.agents.scripted import Gate, write_script
from tests.integration.driver import Driver, driven
from tests.integration.runs import run_script
from tests.integration.test_turn_snapshots import (
    BEGIN,
    INTRODUCES,
    changes,
    checkout_in,
    opened,
    points,
    project,
    started,
    told,
    turn,
)
from tests.turns import SERVE

pytestmark = pytest.mark.anyio
__all__ = ["project"]

ASKS = """
prompt = agent.expect("session/prompt")
call = {"toolCallId": "env", "title": "Edit", "kind": "edit", "status": "pending",
        "locations": [{"path": here + "/.env"}]}
"""
THEN_WRITES = """
write(".env", "gone")
agent.update({"sessionUpdate": "tool_call_update", "toolCallId": "env", "status": "completed"})
agent.end_turn(prompt)
"""
EDITS = """
prompt = agent.expect("session/prompt")
write("a.txt", "changed\\n"); edit("a.txt")
"""


@pytest.fixture
def secret(project: Path) -> Path:
    """An ignored file, which no snapshot has."""
    (project / ".gitignore").write_text(".env\n")
    (project / ".env").write_text("SECRET=1\n")
    checkout_in(project)
    return project / ".env"


def text(path: Path) -> str:
    return path.read_text()


async def comes_back(driver: Driver, secret: Path) -> None:
    found = await turn(driver)
    assert told(found) == {".env": ("changed", "agent", "env")}
    assert text(secret) == "gone"
    preview = await changes(driver).preview("Turn 1", found, found.files)
    await changes(driver).take_back(preview, preview.steps)
    assert text(secret) == "SECRET=1\n"


def kept_early(driver: Driver) -> bool:
    return any(path == ".env" for rows in changes(driver).turns.history.early.values() for _, path in rows)


async def test_an_ignored_file_that_an_agent_asks_to_edit_and_writes_by_itself_comes_back(
    tmp_path: Path, project: Path, secret: Path
) -> None:
    body = ASKS + "agent.answer_to(agent.permission(call))\n" + THEN_WRITES
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        await driver.asked()
        await driver.until(lambda: kept_early(driver))
        driver.client.of(driver.session).questions.answer_permission(driver.session.permissions[0].key, "yes")
        await comes_back(driver, secret)


async def test_an_ignored_file_that_a_pending_edit_names_comes_back(
    tmp_path: Path, project: Path, secret: Path
) -> None:
    gate = Gate(tmp_path / "gate")
    announced = f'agent.update({{"sessionUpdate": "tool_call", **call}})\nagent.wait_for({str(gate.path)!r})\n'
    async with opened(tmp_path, project, ASKS + announced + THEN_WRITES) as driver:
        driver.submit("go")
        await driver.until(lambda: kept_early(driver))
        gate.open()
        await comes_back(driver, secret)
    gate.close()


async def test_a_file_of_an_ignored_folder_that_a_pending_call_deletes_comes_back(
    tmp_path: Path, project: Path, secret: Path
) -> None:
    (project / ".gitignore").write_text(".env\nsecret/\n")
    (project / "secret").mkdir()
    (project / "secret/.env").write_text(text(secret))
    gate = Gate(tmp_path / "gate")
    begin = ASKS.replace("/.env", "/secret/.env").replace('"kind": "edit"', '"kind": "delete"')
    announced = f'agent.update({{"sessionUpdate": "tool_call", **call}})\nagent.wait_for({str(gate.path)!r})\n'
    deletes = THEN_WRITES.replace('write(".env", "gone")', 'import os; os.remove(here + "/secret/.env")')
    async with opened(tmp_path, project, begin + announced + deletes) as driver:
        driver.submit("go")
        early = changes(driver).turns.history.early
        await driver.until(lambda: any(path == "secret/.env" for rows in early.values() for _, path in rows))
        gate.open()
        found = await turn(driver)
        assert told(found) == {"secret/.env": ("deleted", "agent", "env")}
        preview = await changes(driver).preview("go", found, found.files)
        await changes(driver).take_back(preview, preview.steps)
        assert (project / "secret/.env").read_text() == "SECRET=1\n"
    gate.close()


async def test_what_is_written_right_behind_its_announcement_is_never_given_as_the_state_before(
    tmp_path: Path, project: Path, secret: Path
) -> None:
    """Whoever is first: the bytes come back, or it is said that they are not known (law 5)."""
    announced = 'agent.update({"sessionUpdate": "tool_call", **call})\n'
    async with opened(tmp_path, project, ASKS + announced + THEN_WRITES) as driver:
        driver.submit("go")
        found = await turn(driver)
        preview = await changes(driver).preview("Turn 1", found, found.files)
        await changes(driver).take_back(preview, [step for step in preview.steps if not step.refusal])
        known = any(file.before.kind == "file" for file in found.files)
        assert text(secret) == ("SECRET=1\n" if known else "gone")


@asynccontextmanager
async def beside(tmp_path: Path, project: Path, body: str) -> AsyncIterator[Driver]:
    """Another client in the same folder, which knows nothing of the first but what is on the disk."""
    script = write_script(tmp_path, BEGIN.replace("new_session()", 'new_session("beside")') + body, "beside")
    async with driven(started(script, project)) as driver:
        await driver.ready()
        await points(driver, "opened")
        yield driver


async def test_two_clients_in_one_folder_are_told_apart_by_what_they_write_down(tmp_path: Path, project: Path) -> None:
    gate = Gate(tmp_path / "gate")
    waits = f"""
prompt = agent.expect("session/prompt")
agent.wait_for({str(gate.path)!r})
write("b.txt", "mine\\n"); edit("b.txt")
agent.end_turn(prompt)
"""
    async with (
        opened(tmp_path, project, waits) as mine,
        beside(tmp_path, project, EDITS + "agent.end_turn(prompt)\nagent.serve()\n") as other,
    ):
        mine.submit("one")
        await points(mine, "opened", "prompt")
        other.submit("two")
        assert told(await turn(other))["a.txt"] == ("changed", "agent", "edit-a.txt")
        await changes(other).turns.written()  # by which the first client tells whose it was
        gate.open()
        found = await turn(mine)
        assert told(found) == {"a.txt": ("changed", "session", ""), "b.txt": ("changed", "agent", "edit-b.txt")}
        assert any("nother session" in note for note in found.notes)
    gate.close()


async def test_a_session_that_is_closed_in_its_turn_still_has_its_end_written_down(
    tmp_path: Path, project: Path
) -> None:
    async with opened(tmp_path, project, EDITS + 'agent.say("edited")\n') as driver:
        driver.submit("go")
        await driver.until(lambda: "edited" in driver.said())
        of = changes(driver)
        driver.client.close_session(driver.session)
        await driver.until(lambda: 1 in of.turns.history.files)
        assert [point.kind for point in of.points] == ["opened", "prompt", "ended"]
        assert [path for _, path in of.turns.history.files[1].calls] == ["a.txt"]


async def test_a_session_that_is_not_recorded_leaves_nothing_though_it_is_closed_in_its_turn(
    tmp_path: Path, project: Path
) -> None:
    script = write_script(tmp_path, BEGIN + EDITS + 'agent.say("edited")\nagent.serve()\n')
    async with driven(started(script, project, passing=True)) as driver:
        await points(driver, "opened")
        driver.submit("go")
        await driver.until(lambda: "edited" in driver.said())
        of = changes(driver)
        driver.client.close_session(driver.session)
        await driver.until(lambda: [point.kind for point in of.points][-1:] == ["ended"])
    assert not [path for path in folder_store.snapshots_folder().rglob("*") if path.is_file()]


async def test_a_run_without_a_user_keeps_nothing(tmp_path: Path) -> None:
    script = write_script(tmp_path, BEGIN + EDITS + "agent.end_turn(prompt)\nagent.serve()\n")
    ended = await in_thread(run_script, script)
    assert ended.code == 0, ended
    assert not folder_store.snapshots_folder().exists()


async def test_leaving_waits_for_no_first_snapshot(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "PARTING", 1e6)
    monkeypatch.setattr(parts.ClientChanges, "serve", SERVE)
    begun = anyio.Event()

    async def never(*_: object) -> Snapshot:
        begun.set()
        await anyio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(SnapshotClient, "snapshot", never)
    async with driven(started(write_script(tmp_path, BEGIN + "agent.serve()\n"), project)) as driver:
        await driver.ready()
        await begun.wait()


FORKS = f"""{INTRODUCES}
introduce(fork={{}})
agent.new_session("another")
agent.answer(agent.expect("session/fork"), {{"sessionId": "branch"}})
agent.serve()
"""


async def test_a_fork_of_a_session_that_is_not_open_begins_with_its_points_and_keeps_them(
    tmp_path: Path, project: Path
) -> None:
    async with opened(tmp_path, project, EDITS + "agent.end_turn(prompt)\n") as driver:
        driver.submit("go")
        await turn(driver)
        old, agent = driver.session.id, driver.session.agent_name
    async with driven(started(write_script(tmp_path, FORKS, "again"), project)) as driver:
        await driver.ready()
        fork = driver.client.fork_known(SessionInfo(session_id=old, cwd=str(project)))
        of = driver.client.changes(fork)
        kinds = ["opened", "prompt", "ended", "opened"]
        await driver.until(lambda: [point.kind for point in of.points] == kinds)
        assert told(await of.between(of.points[1], of.points[2])) == {"a.txt": ("changed", "agent", "edit-a.txt")}
        ((root, folder),) = folder_store.stores()
        store = FolderStore(root, folder)
        await driver.until(lambda: len(earlier_runs(store, agent, "branch").points) == len(kinds))
    past = await past_changes(agent, "branch")
    assert [(point.kind, point.turn) for point in past.points] == [(point.kind, point.turn) for point in of.points]


async def test_a_store_that_somebody_removes_is_made_again_and_listed(tmp_path: Path, project: Path) -> None:
    body = 'agent.turn("one")\n' + EDITS + "agent.end_turn(prompt)\n"
    async with opened(tmp_path, project, body) as driver:
        folder_store.snapshots_folder().rename(tmp_path / "removed")  # at once: a journal line may be on its way there
        driver.submit("one")
        await points(driver, "prompt", "ended")
        driver.submit("two")
        assert list(told(await turn(driver, 2))) == ["a.txt"]
        assert [folder.root for folder in kept_folders()] == [str(project)]


async def test_snapshots_are_taken_again_once_they_can_be(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr(folder_store, "place_of", lambda _root: blocked / "store")
    body = 'agent.turn("one")\n' + EDITS + "agent.end_turn(prompt)\nagent.serve()\n"
    async with driven(started(write_script(tmp_path, BEGIN + body), project)) as driver:
        await driver.ready()
        driver.submit("one")
        await points(driver, "opened", "prompt", "ended")
        blocked.unlink()
        driver.submit("two")
        assert list(told(await turn(driver, 2))) == ["a.txt"]
        assert [notice.title for notice in driver.notices()] == ["No snapshot of the files"]


async def test_what_a_full_disk_takes_no_more_is_said_and_the_prompt_goes_out(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = True
    snapshot = SnapshotClient.snapshot

    async def taken(self: SnapshotClient, *given: Any) -> Snapshot:
        if full:
            raise UserFault("Snapshots cannot be saved", "No space left on device")
        return await snapshot(self, *given)

    monkeypatch.setattr(SnapshotClient, "snapshot", taken)
    async with driven(
        started(write_script(tmp_path, BEGIN + 'agent.turn("one")\nagent.turn("two")\n'), project)
    ) as driver:
        await driver.ready()
        driver.submit("one")
        await points(driver, "opened", "prompt", "ended")
        full = False
        driver.submit("two")
        assert (await turn(driver, 2)).files == []
        assert "No space left" in driver.noticed()


async def test_a_subagents_edits_are_the_agents_with_their_call(tmp_path: Path, project: Path) -> None:
    """Its parent may call one of its own the same."""
    body = """
prompt = agent.expect("session/prompt")
running = {"state": "running"}
agent.update({"sessionUpdate": "subagent_update", "sessionId": "kid", "title": "Explore", "state": running})
write("a.txt", "by the kid\\n")
agent.update({"sessionUpdate": "tool_call", "toolCallId": "kids", "title": "Edit", "kind": "edit",
              "status": "completed", "locations": [{"path": here + "/a.txt"}]}, "kid")
write("kids", "")
agent.update({"sessionUpdate": "tool_call", "toolCallId": "kids", "title": "Edit", "kind": "edit",
              "status": "completed", "locations": [{"path": here + "/kids"}]})
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        assert told(await turn(driver)) == {"a.txt": ("changed", "agent", "kids"), "kids": ("new", "agent", "kids")}


async def test_that_snapshots_cannot_be_written_down_is_said_once(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise StoreFault("Snapshots cannot be saved", "No space left on device")

    async with opened(tmp_path, project, 'agent.turn("one")\nagent.turn("two")\n') as driver:
        monkeypatch.setattr(RunWriter, "add", full)
        for number, words in enumerate(("one", "two"), 1):
            driver.submit(words)
            await turn(driver, number)
            await changes(driver).turns.disk.settled()
        told = [(notice.title, notice.message) for notice in driver.notices()]
        assert told == [("Snapshots are not being saved to disk", "No space left on device")]
