"""Taking a turn's files back by keys: the preview, what is chosen there, doing and undoing it, and who is told."""

import pytest

from acp_tui.ui.take_back.panel import TakeBackPanel
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, say

pytestmark = pytest.mark.anyio


@pytest.fixture(autouse=True)
def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys count as soon as a panel is there."""
    monkeypatch.setattr("acp_tui.ui.kit.key_guards.GUARD", 0.0)


async def turns(someone: User) -> None:
    """Two turns: the first makes two files, the second changes one and deletes one."""
    tree = someone.client.work_tree
    tree.files = {"kept.txt": b"kept\n"}
    for words, after in (
        ("make them", {"a.py": b"one\n", "b.py": b"two\n"}),
        ("change them", {"a.py": b"one\nmore\n", "b.py": None}),
    ):
        await someone.send(words)
        tree.turn(words, after)
        say(someone.session, f"done: {words}", words)
        end_turn(someone.session)
    await someone.press()


async def panel_of(someone: User) -> TakeBackPanel:
    panel = await someone.opened(TakeBackPanel)
    await someone.wait_until(lambda: not panel.guard.waits, "keys that count")
    return panel


async def test_the_last_turns_files_are_taken_back_after_the_preview_and_redone() -> None:
    async with user() as someone:
        await turns(someone)
        tree = someone.client.work_tree
        await someone.press("ctrl+x", "u")
        await panel_of(someone)
        assert someone.sees("Take back: Turn 2  2 of 2 files")
        assert any("☑ a.py" in row and "restore" in row for row in someone.rows())
        assert any("☑ b.py" in row and "restore (deleted)" in row for row in someone.rows())
        assert tree.files["a.py"] == b"one\nmore\n"
        await someone.press("enter")
        await someone.wait_until(lambda: tree.files.get("b.py") == b"two\n", "the deleted file")
        assert tree.files == {"kept.txt": b"kept\n", "a.py": b"one\n", "b.py": b"two\n"}
        assert someone.toasts() == ["2 files taken back (Ctrl+X r undoes it)"]
        await someone.press("ctrl+x", "r")
        await panel_of(someone)
        assert someone.sees("Redo: Turn 2")
        assert any("☑ b.py" in row and "delete again" in row for row in someone.rows())
        await someone.press("enter")
        await someone.wait_until(lambda: "b.py" not in tree.files, "the deletion again")
        assert tree.files["a.py"] == b"one\nmore\n"
