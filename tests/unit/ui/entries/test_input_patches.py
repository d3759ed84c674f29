"""Patches that a tool is given: its row and what is below it show them as diffs."""

import pytest

from acp_tui.protocol.vocabulary.tool_calls import Diff
from tests.rows import each_of
from tests.unit.ui.entries.test_tool_call import Scene, heading, rows

PATCH = "*** Begin Patch\n*** Update File: old.txt\n@@\n-hello\n+goodbye\n*** Add File: new.txt\n+1\n*** End Patch"


@pytest.fixture
def scene() -> Scene:
    return Scene()


@each_of("raw", [PATCH, {"input": PATCH}, {"command": ["apply_patch", PATCH]}])
@each_of("kind", ["other", "edit", "execute"])
def test_a_patch_as_input_is_a_diff_and_no_raw_text(raw: object, kind: str) -> None:
    scene = Scene()
    call = scene.call(title='apply_patch: {"input":"*** Begin Pat', kind=kind, raw_input=raw, status="in_progress")
    told = "\n".join(rows(call))
    assert all(part in told for part in ("Edit     old.txt", "+2 −1 · 2 files", "− hello", "+ goodbye"))
    assert "***" not in told.removeprefix(heading(call))
    scene.change(call, status="completed", title="apply_patch")
    assert heading(call).startswith(" ✎ Edit     old.txt +1 more")
    call.toggle()
    assert "+ goodbye" in "\n".join(rows(call))
    assert "***" not in "\n".join(rows(call))


def test_the_name_of_a_tool_and_its_input_are_no_words_for_a_patch(scene: Scene) -> None:
    patch = "*** Begin Patch\n*** Add File: new.txt\n+1\n+2\n*** End Patch"
    title = 'apply_patch: {"input":"*** Begin Patch\\n*** Add F...'
    call = scene.call(title=title, raw_input={"input": patch}, status="completed")
    assert heading(call).split() == ["✎", "Edit", "new.txt", "+2", "·", "new", "file"]


def test_diffs_of_the_agent_stand_for_the_patch_of_its_input(scene: Scene) -> None:
    diff = Diff(path="/home/me/project/old.txt", old_text="hello\n", new_text="goodbye\n")
    call = scene.call(kind="edit", raw_input={"input": PATCH}, content=[diff], status="completed")
    assert heading(call).endswith("+1 −1")


def test_a_broken_patch_stays_the_text_that_it_is(scene: Scene) -> None:
    call = scene.call(raw_input={"input": PATCH.removesuffix("*** End Patch")}, status="in_progress")
    assert "*** Begin Patch" in "\n".join(rows(call))
