"""Whose the changes of a turn are, by real files and their times: a command's, the user's, the agent's own state."""

from functools import partial
from pathlib import Path

import pytest

from acp_tui.host.changes import attribution
from acp_tui.host.changes.history_tables import RunWriter, calls_rows, earlier_runs, early_rows, point_rows
from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_state import ABSENT
from acp_tui.session.folds.file_changes import TurnEntry
from tests.agents.scripted import Gate
from tests.integration.driver import Driver
from tests.integration.test_turn_snapshots import changes, opened, points, project, told, turn

pytestmark = pytest.mark.anyio
__all__ = ["project"]

LATER = """
import os
def later():
    agent.answer_to(agent.ask("x/y", {}))  # what was sent before is read
    first = os.stat(f"{here}").st_ctime
    while os.stat(f"{here}").st_ctime < first + 0.06:
        write(".tick", "x")
        os.unlink(f"{here}/.tick")
def command(status):
    agent.update({"sessionUpdate": "tool_call" if status == "in_progress" else "tool_call_update", "toolCallId": "run",
                  "title": "make", "kind": "execute", "status": status, "rawInput": {"command": "make"}})
prompt = agent.expect("session/prompt")
"""


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or each test would have to last longer than that."""
    monkeypatch.setattr(attribution, "LATER", 0.0)
    monkeypatch.setattr(attribution, "EARLIER", 0.02)


def row(driver: Driver) -> TurnEntry | None:
    rows = (entry for entry in driver.session.entries if isinstance(entry, TurnEntry))
    return next((entry for entry in rows if entry.changed), None)


async def test_what_changed_while_a_command_ran_is_chosen_and_what_did_not_is_the_users(
    tmp_path: Path, project: Path
) -> None:
    body = """
write("mine.txt", "m\\n"); later()
command("in_progress"); later()
write("made.txt", "m\\n"); os.remove(f"{here}/b.txt"); later()
command("completed"); later()
write("a.txt", "mine too\\n")
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, LATER + body) as driver:
        driver.submit("one")
        found = await turn(driver)
        whose = {path: each for path, (_, each, _) in told(found).items()}
        # Of what is gone only the time of its folder is known, which later changes moved on: it is not claimed.
        assert whose == {"mine.txt": "unknown", "made.txt": "command", "b.txt": "unknown", "a.txt": "unknown"}
        preview = await changes(driver).preview('"one"', found, found.files)
        assert {step.change.path for step in preview.steps if step.chosen} == {"made.txt"}
        await driver.until(lambda: row(driver) is not None)
        assert (entry := row(driver)) is not None
        assert (entry.files, entry.unknown) == (4, 3)


async def test_a_named_file_that_changed_after_the_last_call_is_not_chosen(tmp_path: Path, project: Path) -> None:
    body = 'write("a.txt", "x\\n"); edit("a.txt"); edit("b.txt"); write("b.txt", "y\\n"); later()\n'
    body += 'write("a.txt", "mine\\n"); later()\nagent.end_turn(prompt)\n'
    async with opened(tmp_path, project, LATER + body) as driver:
        driver.submit("one")
        found = await turn(driver)
        assert told(found)["a.txt"] == ("changed", "afterwards", "edit-a.txt")
        preview = await changes(driver).preview('"one"', found, found.files)
        assert {step.change.path for step in preview.steps if step.chosen} <= {"b.txt"}


async def test_where_times_prove_nothing_all_of_a_turn_with_a_command_is_chosen(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acp_tui.host.changes.comparison.tells_change_times", lambda _root: False)
    body = 'write("mine.txt", "m\\n"); later()\ncommand("in_progress"); command("completed")\nagent.end_turn(prompt)\n'
    async with opened(tmp_path, project, LATER + body) as driver:
        driver.submit("one")
        assert told(await turn(driver)) == {"mine.txt": ("new", "command", "")}


async def test_an_agents_own_state_is_no_work(tmp_path: Path, project: Path) -> None:
    """A dot-folder that changed while the agent only talked: neither counted nor chosen, then and later."""
    body = """
os.makedirs(f"{here}/.agent/sessions")
write(".agent/sessions/1.json", "{}")
agent.end_turn(prompt)
prompt = agent.expect("session/prompt")
write(".agent/sessions/1.json", "{2}")
agent.end_turn(prompt)
prompt = agent.expect("session/prompt")
write(".agent/sessions/1.json", "{1}"); write("a.txt", "x\\n"); edit("a.txt")
command("in_progress"); command("completed")
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, LATER + body) as driver:
        driver.submit("one")
        first = await turn(driver)
        assert {each for _, each, _ in told(first).values()} == {"own"}
        preview = await changes(driver).preview('"one"', first, first.files)
        assert (list(preview.steps), preview.notes[0]) == ([], "The agent's own files are left alone: 1 file in .agent")
        assert row(driver) is None
        assert changes(driver).last_turn() is None
        driver.submit("two")
        await turn(driver, 2)
        driver.submit("three")
        second = await turn(driver, 3)
        assert told(second)[".agent/sessions/1.json"][1] == "own"
        preview = await changes(driver).preview('"two"', second, second.files)
        assert [step.change.path for step in preview.steps] == ["a.txt"]
        assert preview.whole
        await driver.until(lambda: row(driver) is not None)
        assert (entry := row(driver)) is not None
        assert (entry.files, entry.unknown) == (1, 0)
        pointed = [file for file in second.files if file.who == "own"]
        preview = await changes(driver).preview("x", second, pointed, pointed=True)
        assert [step.chosen for step in preview.steps] == [True]


async def test_after_a_crash_in_a_turn_what_calls_named_is_the_agents(tmp_path: Path, project: Path) -> None:
    gate = Gate(tmp_path / "gate")
    body = f"agent.wait_for({str(gate.path)!r})\n"
    body += 'write("a.txt", "x\\n"); edit("a.txt"); write("b.txt", "y\\n"); later()\n'
    body += 'write("done", ""); agent.expect("x")\n'
    async with opened(tmp_path, project, LATER + body) as driver:
        driver.submit("one")
        of = changes(driver)
        await points(driver, "opened", "prompt")  # on a busy machine the agent is sooner than the snapshot
        gate.open()
        await driver.until((project / "done").exists)
        await of.turns.written()
        (store,) = of.turns.folders
        history = earlier_runs(store, driver.session.agent_name, driver.session.id)
        assert history.named == {1: {(str(project), "a.txt"): "edit-a.txt"}}
        # The next start of the session comes behind it: its first point is the end of that turn.
        calls = of.turns.calls.pop(1)
        of.turns.history.named = history.named
        since, until = of.points[-1], await of.look()
        found = await of.between(since, until)
        assert {path: each for path, (_, each, _) in told(found).items()} == {
            "a.txt": "agent",
            "b.txt": "unknown",
            "done": "unknown",
        }
        of.turns.calls[1] = calls
    gate.close()


def test_what_calls_named_is_read_again_as_it_was_written(tmp_path: Path) -> None:
    store, key = FolderStore("/root", tmp_path), ("/root", "a\udcff")
    run = RunWriter(store, "1")
    run.identify("A", "s")
    run.add(partial(point_rows, Point(0, "prompt", 1, 1.0)), partial(early_rows, 1, {("/root", "b"): ABSENT}))
    run.add(partial(calls_rows, 1, {key: "call"}))
    history = earlier_runs(store, "A", "s")
    assert history.named == {1: {key: "call"}}
    assert history.until(None).named == history.named
