"""Turns whose files were taken back in between: what the user did not edit is not the user's."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes.session_folders import SessionFolders
from acp_tui.host.changes.snapshot_history import Point
from acp_tui.host.revert import apply
from acp_tui.host.revert.steps import Preview, Step
from acp_tui.host.snapshots.path_state import Who
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.text.phrases import note_of
from tests.agents.scripted import write_script
from tests.integration.driver import Driver, driven
from tests.integration.test_turn_snapshots import (
    BEGIN,
    changes,
    checkout_in,
    opened,
    points,
    project,
    started,
    told,
    turn,
    typed,
)

pytestmark = pytest.mark.anyio
__all__ = ["project"]

TWO_TURNS = """
for text in ("first\\n", "second\\n"):
    prompt = agent.expect("session/prompt")
    write("a.txt", text); edit("a.txt")
    agent.end_turn(prompt)
"""


@pytest.mark.parametrize(("edited", "who"), [(False, "agent"), (True, "unknown")])
async def test_what_was_taken_back_between_two_turns_is_no_edit_of_the_users(
    tmp_path: Path, project: Path, *, edited: bool, who: Who
) -> None:
    async with opened(tmp_path, project, TWO_TURNS) as driver:
        of = changes(driver)
        driver.submit("one")
        first = await turn(driver)
        preview = await of.preview("Turn 1", first, first.files)
        await of.take_back(preview, preview.steps)
        await points(driver, "taken_back")
        assert (project / "a.txt").read_text() == "one\n"
        if edited:
            (project / "a.txt").write_text("mine\n")
            await typed(driver)
        driver.submit("two")
        await turn(driver, 2)
        whole = await of.between(of.points[1], of.points[-1])
        assert [file.who for file in whole.files] == [who]
        (step,) = (await of.preview("Since message 1", whole, whole.files)).steps
        assert bool(step.refusal) is edited
        assert step.chosen is not edited


async def test_a_prompt_with_a_note_is_known_again_by_its_own_words(tmp_path: Path, project: Path) -> None:
    async with opened(tmp_path, project, 'agent.turn("one")\n') as driver:
        note = note_of(["a.txt"], before="turn 3")
        driver.client.of(driver.session).submit([TextContent(text=note), TextContent(text="go on")])
        await turn(driver)
        of = changes(driver)
        assert of.points[1].words == "go on"
        assert of.before(0, f"{note}go on") is of.before(0, "go on") is of.points[1]


THREE_TURNS = """
for changed in ({"a.txt": "2\\n"}, {"a.txt": "3\\n", "b.txt": "3\\n"}, {"b.txt": "4\\n"}):
    prompt = agent.expect("session/prompt")
    for name, text in changed.items():
        write(name, text); edit(name)
    agent.end_turn(prompt)
"""


async def kept(driver: Driver) -> None:
    """Wait until each taking of this run is followed by a snapshot."""
    of = changes(driver)
    await driver.until(lambda: of.points[-1].kind == "taken_back")


async def undo(driver: Driver) -> int:
    """Undo the newest turn that is not, all of it; which one that was, 0 where there is none."""
    of = changes(driver)
    found = of.last_turn()
    if found is None:
        return 0
    between = await of.between(*found)
    preview = await of.preview(f"Turn {found[0].turn}", between, between.files)
    taken = await of.take_back(preview, [step for step in preview.steps if step.chosen])
    await kept(driver)
    assert taken.turns == range(found[0].turn, found[0].turn + 1)
    assert taken.back_to == preview.back_to == found[0].number
    return found[0].turn


async def test_turns_that_changed_the_same_files_are_undone_one_after_the_other_and_redone(
    tmp_path: Path, project: Path
) -> None:
    a, b = project / "a.txt", project / "b.txt"
    held = [(a.read_text(), b.read_text())]
    async with opened(tmp_path, project, THREE_TURNS) as driver:
        for number in (1, 2, 3):
            driver.submit(str(number))
            await turn(driver, number)
            held.append((a.read_text(), b.read_text()))
        for number in (3, 2, 1):
            assert await undo(driver) == number
            assert (a.read_text(), b.read_text()) == held[number - 1]
        assert await undo(driver) == 0
        of = changes(driver)
        last = await of.preview_undo(of.taken_back[-1])
        await of.take_back(last, last.steps)
        assert (a.read_text(), b.read_text()) == held[1]
        await kept(driver)
        assert await undo(driver) == 1


async def test_what_the_user_edited_stays_and_the_turn_before_is_next(tmp_path: Path, project: Path) -> None:
    async with opened(tmp_path, project, THREE_TURNS) as driver:
        for number in (1, 2, 3):
            driver.submit(str(number))
            await turn(driver, number)
        (project / "b.txt").write_text("mine\n")
        assert await undo(driver) == 3
        assert (project / "b.txt").read_text() == "mine\n"
        assert await undo(driver) == 2
        assert ((project / "a.txt").read_text(), (project / "b.txt").read_text()) == ("2\n", "mine\n")


async def test_the_order_is_kept_from_run_to_run(tmp_path: Path, project: Path) -> None:
    loads = 'request = agent.expect("session/load"); agent.session_id = request["params"]["sessionId"]'
    again = (
        BEGIN.replace("session = agent.new_session()", f"{loads}; agent.answer(request, {{}})")
        + """
prompt = agent.expect("session/prompt")
write("a.txt", "5\\n"); edit("a.txt")
agent.end_turn(prompt)
agent.serve()
"""
    )
    async with opened(tmp_path, project, THREE_TURNS) as driver:
        for number in (1, 2, 3):
            driver.submit(str(number))
            await turn(driver, number)
        assert await undo(driver) == 3
        session_id = driver.session.id
    async with driven(started(write_script(tmp_path, again, "again"), project, session_id)) as driver:
        await driver.until(lambda: len(changes(driver).taken_back) == 1)
        driver.submit("4")
        await turn(driver, 4)
        assert [await undo(driver) for _ in range(4)] == [4, 2, 1, 0]
        by_number = {point.number: (point.kind, point.turn) for point in changes(driver).points}
        went_back = [by_number[taken.back_to] for taken in changes(driver).taken_back if taken.back_to is not None]
        assert went_back == [("prompt", turn) for turn in (3, 4, 2, 1)]
        session_id = driver.session.id
    async with driven(started(write_script(tmp_path, again, "again"), project, session_id)) as driver:
        await driver.until(lambda: len(changes(driver).taken_back) == 4)
        by_number = {point.number: (point.kind, point.turn) for point in changes(driver).points}
        assert [by_number[taken.back_to or 0] for taken in changes(driver).taken_back] == went_back


async def test_after_a_kill_in_the_midst_what_is_said_is_what_the_disk_shows_and_undo_goes_on(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = """
prompt = agent.expect("session/prompt")
for name in ("a.txt", "b.txt"):
    write(name, "changed\\n"); edit(name)
agent.end_turn(prompt)
"""
    loads = 'request = agent.expect("session/load"); agent.answer(request, {})'
    again = BEGIN.replace("session = agent.new_session()", loads) + "\nagent.serve()\n"
    writes = apply.take_back

    class Killed(Exception):
        pass

    def half(preview: Preview, steps: Collection[Step], *how: Any) -> Any:
        writes(preview, [step for step in steps if step.change.path == "a.txt"], *how)
        raise Killed

    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        found = await turn(driver)
        of = changes(driver)
        preview = await of.preview("Turn 1", found, found.files)
        with monkeypatch.context() as patch:
            patch.setattr(apply, "take_back", half)
            with pytest.raises(Killed):
                await of.take_back(preview, preview.steps)
        session_id = driver.session.id
    async with driven(started(write_script(tmp_path, again, "again"), project, session_id)) as driver:
        of = changes(driver)
        await driver.until(lambda: len(of.taken_back) == 1)
        (taken,) = of.taken_back
        assert [(each.path, each.done) for each in taken.outcomes] == [("a.txt", True), ("b.txt", False)]
        assert [step.change.path for step in taken.steps] == ["a.txt"]  # which the agent is told
        await driver.until(lambda: of.points[-1].kind == "opened")
        assert ((project / "a.txt").read_text(), (project / "b.txt").read_text()) == ("one\n", "changed\n")
        assert await undo(driver) == 1
        assert ((project / "a.txt").read_text(), (project / "b.txt").read_text()) == ("one\n", "two\n")
        assert await undo(driver) == 0


async def test_what_the_user_points_at_is_chosen_whoever_changed_it(tmp_path: Path, project: Path) -> None:
    body = """
prompt = agent.expect("session/prompt")
write("a.txt", "by a command\\n"); write("b.txt", "too\\n")
agent.end_turn(prompt)
"""
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        found = await turn(driver)
        of = changes(driver)
        assert [step.chosen for step in (await of.preview("Turn 1", found, found.files)).steps] == [False, False]
        preview = await of.preview("a.txt", found, found.files[:1], pointed=True)
        assert ([step.chosen for step in preview.steps], preview.notes, preview.whole) == ([True], (), False)
        await of.take_back(preview, preview.steps)
        assert of.last_turn() is not None  # b.txt is as the turn left it
        other = await of.preview("b.txt", found, found.files[1:], pointed=True)
        await of.take_back(other, other.steps)
        assert of.last_turn() is None


HIDES = """
prompt = agent.expect("session/prompt")
import os, shutil
"""


@pytest.mark.parametrize(
    ("does", "back"),
    [
        ('write(".gitignore", "notes/\\n"); write("notes/todo.md", "gone\\n")', {"notes/todo.md", ".gitignore"}),
        ('write(".gitignore", "*.md\\n"); write("notes/todo.md", "gone\\n")', {"notes/todo.md", ".gitignore"}),
        ('write(".gitignore", "notes/\\n"); os.rename(f"{here}/notes/todo.md", f"{here}/TODO.md")', {"TODO.md"}),
        ('write(".gitignore", "notes/\\n"); os.remove(f"{here}/notes/todo.md")', {"notes/todo.md", ".gitignore"}),
        ('write(".gitignore", "*\\n"); shutil.rmtree(f"{here}/notes")', {"notes", "notes/todo.md"}),
        ('write("notes/.gitignore", "*\\n"); write("notes/todo.md", "gone\\n")', {"notes/todo.md"}),
        ('os.mkdir(f"{here}/notes/.git"); write("notes/todo.md", "gone\\n")', {"notes/todo.md"}),
    ],
)
async def test_what_was_kept_at_the_beginning_comes_back_though_it_is_ignored_by_the_end(
    tmp_path: Path, project: Path, does: str, back: set[str]
) -> None:
    """Law 12: an agent that hides what it overwrites must not hide the loss."""
    checkout_in(project)
    (project / "notes").mkdir()
    (project / "notes/todo.md").write_text("mine\n")
    async with opened(tmp_path, project, f"{HIDES}{does}\nagent.end_turn(prompt)\n") as driver:
        driver.submit("go")
        found = await turn(driver)
        assert {file.path for file in found.files} >= back
        of = changes(driver)
        whole = await of.between(of.points[0], Point(99, "now", 1, 0.0))
        assert {file.path for file in whole.files} >= back
        preview = await of.preview('"go"', found, found.files)
        await of.take_back(preview, [step for step in preview.steps if step.act != "nothing" and not step.refusal])
        assert (project / "notes/todo.md").read_text() == "mine\n"
        assert not (project / "TODO.md").exists()


async def test_what_the_user_ignores_between_turns_is_not_kept_any_more(tmp_path: Path, project: Path) -> None:
    checkout_in(project)
    (project / "secret.txt").write_text("one\n")
    body = 'agent.turn("one")\nprompt = agent.expect("session/prompt")\nwrite("secret.txt", "x")\n'
    async with opened(tmp_path, project, body + "agent.end_turn(prompt)\n") as driver:
        driver.submit("one")
        await points(driver, "prompt", "ended")
        (project / ".gitignore").write_text("secret.txt\n")
        await typed(driver)
        driver.submit("two")
        assert told(await turn(driver, 2)) == {}


async def test_a_checkout_that_begins_in_a_turn_changes_no_file(tmp_path: Path, project: Path) -> None:
    """T F12: all files of a folder were told as changed once it had a `.git` of its own."""
    (project / "notes").mkdir()
    (project / "notes/todo.md").write_text("mine\n")
    body = HIDES + 'os.mkdir(f"{here}/notes/.git"); write("a.txt", "x\\n")\nagent.end_turn(prompt)\n'
    async with opened(tmp_path, project, body) as driver:
        driver.submit("go")
        assert set(told(await turn(driver))) == {"a.txt"}


async def test_a_prompt_that_is_sent_during_an_undo_waits_for_its_end(tmp_path: Path, project: Path) -> None:
    async with opened(tmp_path, project, TWO_TURNS) as driver:
        conversation = driver.client.of(driver.session)
        conversation.holds_queue = True
        driver.submit("one")
        assert [len(driver.session.queue), driver.session.turn.active] == [1, False]
        conversation.holds_queue = False
        conversation.send_queued()
        await turn(driver)


async def test_a_turn_that_cannot_be_compared_leaves_no_calls_behind(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would count as those of another session for ever."""

    async def fail(*_: object) -> None:
        raise UserFault("damaged")

    async with opened(tmp_path, project, TWO_TURNS) as driver:
        with monkeypatch.context() as patch:
            patch.setattr(SessionFolders, "compare", fail)
            driver.submit("one")
            await driver.until(lambda: 1 in changes(driver).turns.not_compared)
        assert changes(driver).turns.calls == {}
        assert changes(driver).turns.history.named[1] == {(str(project), "a.txt"): "edit-a.txt"}
