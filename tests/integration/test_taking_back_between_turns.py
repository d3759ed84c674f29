"""Turns whose files were taken back in between: what the user did not edit is not the user's."""

from pathlib import Path

import pytest

from acp_tui.host.snapshots.states import Who
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.text.told import note_of
from tests.integration.test_turn_snapshots import changes, opened, points, project, turn

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
