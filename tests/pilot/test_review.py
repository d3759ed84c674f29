"""Comments on lines: written in the full-screen diff and on what a permission asks about, and sent as one prompt."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events

from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.protocol.vocabulary.tool_calls import (
    Diff,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session import facts
from acp_tui.session.state import Session
from acp_tui.ui.changes.changes_screen import ChangesScreen
from acp_tui.ui.changes.comments import Comment
from acp_tui.ui.changes.review_session import CommentList
from acp_tui.ui.questions.subject_screen import SubjectScreen
from tests.pilot.driver import User, user
from tests.pilot.fake_changes import FakeChanges
from tests.pilot.questions import answerable

pytestmark = pytest.mark.anyio

OLD = "".join(f"line {number}\n" for number in range(1, 60))
NEW = OLD.replace("line 5\n", "line five @notes.txt\n").replace("line 40\n", "line forty\n")
PLAN = "# Do it\n\n- one thing\n- two things\n"
OPTIONS = [
    PermissionOption(option_id="once", name="Allow once", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


def edited(session: Session, path: str, old: str = OLD, new: str = NEW) -> None:
    call = {"tool_call_id": "call1", "title": "Edit", "kind": "edit", "status": "completed"}
    content = [Diff(path=path, old_text=old, new_text=new)]
    session.apply(ToolCallUpdate.model_validate({**call, "content": content}))


def ask(session: Session, call: dict[str, object], key: int = 1) -> None:
    update = ToolCallUpdate.model_validate({"tool_call_id": f"call{key}", "title": "Do it", **call})
    session.apply(update)
    subject = PermissionSubject(type="tool_call", tool_call=update)
    request = PermissionRequest(session_id="s1", title="Do it", subject=subject, options=OPTIONS)
    session.apply(facts.PermissionReceived(key, request))


async def diff_shown(someone: User, path: str) -> None:
    edited(someone.session, path)
    await someone.wait_for("line five")
    await someone.press("ctrl+x", "up", "v")
    await someone.opened(SubjectScreen)


async def write(someone: User, text: str) -> None:
    """Comment the current line."""
    await someone.press("c")
    await someone.wait_for("enter save")
    await someone.type(text)
    await someone.press("enter")
    await someone.wait_until(lambda: not someone.sees("enter save"), "the end of the editor")


async def asked(someone: User, **call: object) -> None:
    ask(someone.session, call)
    await someone.wait_for("Permission required")
    await answerable(someone)
    await someone.press("v")
    await someone.opened(SubjectScreen)


def comments(someone: User) -> list[Comment]:
    return someone.conversation.parts.review.comments.all


def row_of(someone: User, text: str) -> int:
    return next(at for at, row in enumerate(someone.rows()) if text in row)


def sent(blocks: list[ContentBlock]) -> str:
    [block] = blocks
    assert isinstance(block, TextContent)
    return block.text


@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
async def test_a_comment_stands_below_its_line_and_goes_as_a_prompt(size: tuple[int, int], tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(NEW)
    async with user(size, cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("down")  # from what was removed to what was added
        await write(someone, "why this?")
        assert row_of(someone, "why this?") == row_of(someone, "line five") + 1
        await someone.press("C")
        await someone.opened(CommentList)
        assert someone.sees("a.py:5")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the prompt")
        assert someone.draft == "`a.py:5`\n```diff\n+line five @notes.txt\n```\nwhy this?\n"
        assert len(comments(someone)) == 1
        await someone.type("!")
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.client.submitted), "the prompt to be sent")
        assert sent(someone.client.submitted[0]).endswith("why this?\n!")
        assert comments(someone) == []


async def test_a_draft_that_is_thrown_away_keeps_the_comments(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await write(someone, "why?")
        await someone.press("escape")
        await someone.command("review comments")
        await someone.opened(CommentList)
        await someone.press("enter")
        await someone.wait_until(lambda: "why?" in someone.draft, "the draft")
        await someone.press("ctrl+c")
        await someone.send("something else")
        await someone.wait_until(lambda: bool(someone.client.submitted), "the prompt to be sent")
        assert [each.text for each in comments(someone)] == ["why?"]


async def test_only_what_is_still_in_the_prompt_is_done_with(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await write(someone, "first")
        await someone.press("down", "down")
        await write(someone, "second")
        await someone.press("C")
        await someone.opened(CommentList)
        await someone.press("enter")
        await someone.wait_until(lambda: "second" in someone.draft, "the draft")
        someone.conversation.editor.rewrite(someone.draft.partition("\n\n")[0])
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.client.submitted), "the prompt to be sent")
        assert [each.text for each in comments(someone)] == ["second"]


async def test_comments_move_with_their_lines_in_the_file_and_say_that_they_are_gone(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(path))
        await someone.press("down")
        await write(someone, "changed")
        await someone.press("down")
        await write(someone, "stays")
        path.write_text("new\n\n" + NEW.replace("line five @notes.txt\n", "line V\n"))
        await someone.press("C")
        await someone.opened(CommentList)
        assert someone.sees("a.py:5  line no longer exists")
        assert someone.sees("a.py:8")
        await someone.press("enter")
        await someone.wait_until(lambda: "stays" in someone.draft, "the draft")
        assert "`a.py:5` (line no longer exists)\n```diff\n+line five" in someone.draft
        assert "`a.py:8`\n```py\nline 6\n```\nstays" in someone.draft


async def test_a_selection_is_quoted_whole_and_ends_with_its_hunk(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("V", "down", "down")
        await write(someone, "these")
        [comment] = comments(someone)
        assert [(line.sign, line.text) for line in comment.quote] == [
            ("-", "line 5"),
            ("+", "line five @notes.txt"),
            (" ", "line 6"),
        ]
        assert (comment.side, comment.first, comment.last) == ("new", 5, 6)
        await someone.press(*["shift+down"] * 20)
        await write(someone, "more")
        assert comments(someone)[1].last == 8
        assert someone.sees("lines 6–8  more")


async def test_edit_delete_and_undo(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await write(someone, "why")
        assert someone.sees("c edit")
        await write(someone, " not")
        assert [each.text for each in comments(someone)] == ["why not"]
        await someone.press("d")
        assert comments(someone) == []
        assert not someone.sees("why not")
        await someone.press("z")
        assert [each.text for each in comments(someone)] == ["why not"]
        await someone.wait_for("why not")


async def test_escape_keeps_a_draft_which_is_not_sent_and_discards_what_is_empty(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("c")
        await someone.wait_for("esc cancel")
        await someone.press("escape")
        assert comments(someone) == []
        await someone.press("c")
        await someone.type("half")
        await someone.wait_for("esc save a draft")
        await someone.press("escape")
        await someone.wait_for("draft  half")
        await someone.press("C")
        await someone.opened(CommentList)
        assert someone.sees("draft, not sent")
        await someone.press("enter")
        assert isinstance(someone.app.screen, CommentList)
        await someone.press("escape")
        await write(someone, " done")
        assert [(each.text, each.draft) for each in comments(someone)] == [("half done", False)]


async def test_what_is_being_written_survives_leaving(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("c")
        await someone.wait_for("enter save")
        await someone.type("half")
        await someone.press("ctrl+q")
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the end of the diff")
        assert [(each.text, each.draft) for each in comments(someone)] == [("half", True)]


async def test_a_comment_of_several_lines(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("c")
        await someone.wait_for("enter save")
        await someone.type("one")
        await someone.press("ctrl+j")
        await someone.type("two")
        await someone.press("enter")
        assert [each.text for each in comments(someone)] == ["one\ntwo"]


async def test_side_by_side_the_side_is_chosen_and_the_line_kept(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("s", "left")
        await write(someone, "old")
        await someone.press("right", "s", "down")
        await write(someone, "new")
        assert [(each.side, each.last, each.text) for each in comments(someone)] == [
            ("old", 5, "old"),
            ("new", 5, "new"),
        ]


async def test_a_click_and_a_drag_choose_lines(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        row = row_of(someone, "line 7")
        await someone.pilot.mouse_down(offset=(20, row))
        await someone.pilot.hover(offset=(20, row + 1))
        await someone.pilot.mouse_up(offset=(20, row + 1))
        await write(someone, "both")
        assert [(each.first, each.last) for each in comments(someone)] == [(7, 8)]


async def test_hunks_and_files_are_marked_as_read(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("m")
        assert [row.split("✓")[1].split()[0] for row in someone.rows() if "✓" in row] == ["2"]
        await someone.press("M")
        assert sum("✓" in row for row in someone.rows()) == 3
        await someone.press("escape")
        await someone.press("v")
        await someone.opened(SubjectScreen)
        assert sum("✓" in row for row in someone.rows()) == 3
        await someone.press("M")
        assert not someone.sees("✓")


async def test_quoted_lines_attach_no_files(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("secret")
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("down")
        await write(someone, "why?")
        await someone.press("C")
        await someone.opened(CommentList)
        await someone.press("enter")
        await someone.wait_until(lambda: "@notes.txt" in someone.draft, "the draft")
        await someone.press("enter")
        await someone.wait_until(lambda: bool(someone.client.submitted), "the prompt to be sent")
        assert len(someone.client.submitted[0]) == 1


async def test_without_comments_the_list_says_how_to_write_one() -> None:
    async with user() as someone:
        await someone.command("review comments")
        await someone.wait_until(lambda: any("Press c on a line" in each for each in someone.toasts()), "the words")


async def test_comments_on_a_permission_go_with_the_rejection() -> None:
    async with user() as someone:
        await asked(someone, kind="edit", content=[Diff(path="/p/a.py", old_text=OLD, new_text=NEW)])
        await write(someone, "no, await it")
        await someone.press("escape")
        await someone.wait_for("1 comment · sent if rejected")
        await someone.press("tab")
        await someone.type("and test it")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "no")], "the answer")
        said = "`/p/a.py:5` (old version)\n```diff\n-line 5\n```\nno, await it\n\nand test it"
        assert [sent(blocks) for blocks in someone.client.submitted] == [said]
        assert comments(someone) == []


async def test_with_comments_enter_rejects() -> None:
    async with user() as someone:
        await asked(someone, kind="edit", content=[Diff(path="/p/a.py", old_text=OLD, new_text=NEW)])
        await write(someone, "no")
        await someone.press("escape", "enter")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "no")], "the answer")


async def test_allowed_all_the_same_they_are_kept_and_said() -> None:
    async with user() as someone:
        await asked(someone, kind="edit", content=[Diff(path="/p/a.py", old_text=OLD, new_text=NEW)])
        await write(someone, "later")
        await someone.press("escape", "y")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "once")], "the answer")
        assert [each.text for each in comments(someone)] == ["later"]
        assert someone.client.submitted == []
        await someone.wait_until(lambda: any("1 comment saved" in each for each in someone.toasts()), "the words")


async def test_withdrawn_while_one_writes_they_are_kept() -> None:
    async with user() as someone:
        await asked(someone, kind="edit", content=[Diff(path="/p/a.py", old_text=OLD, new_text=NEW)])
        await write(someone, "later")
        someone.session.apply(facts.PermissionAnswered(1, None))
        await someone.wait_until(lambda: [each.text for each in comments(someone)] == ["later"], "the comment")


async def test_a_plan_is_commented_line_by_line() -> None:
    async with user() as someone:
        await asked(someone, kind="switch_mode", raw_input={"plan": PLAN})
        await someone.press("down")
        await write(someone, "not this")
        assert row_of(someone, "not this") == row_of(someone, "one thing") + 1
        await someone.press("escape", "n")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "no")], "the answer")
        said = "`Plan:3`\n```markdown\n- one thing\n```\nnot this"
        assert [sent(blocks) for blocks in someone.client.submitted] == [said]


async def test_a_subject_without_lines_scrolls_as_before() -> None:
    async with user((80, 24)) as someone:
        await asked(someone, kind="execute", raw_input={"command": "\n".join(f"echo {n}" for n in range(60))})
        await someone.press(*["down"] * 6, "c")
        assert not someone.sees("enter save")
        assert not someone.sees("echo 0")
        await someone.press("end")
        await someone.wait_for("echo 59")


async def test_pasted_controls_are_left_out(tmp_path: Path) -> None:
    async with user(cwd=str(tmp_path)) as someone:
        await diff_shown(someone, str(tmp_path / "a.py"))
        await someone.press("c")
        await someone.wait_for("enter save")
        someone.app.post_message(events.Paste("a\x1b]52;c;eA==\x07b\r\nc"))
        await someone.pilot.pause()
        await someone.press("enter")
        assert [each.text for each in comments(someone)] == ["a]52;c;eA==b\nc"]


class InChanges:
    """Someone before the changes screen, in whose folder one file changed twice in a turn."""

    def __init__(self, someone: User, screen: ChangesScreen, changes: FakeChanges) -> None:
        self.someone, self.screen, self.changes = someone, screen, changes

    async def settled(self) -> None:
        screen = self.screen
        await self.someone.wait_until(lambda: not screen.changes_read.busy and not screen.file_read.busy, "the reads")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the changes that are told."""
    monkeypatch.setattr("tests.pilot.fake_changes.ROOT", str(tmp_path))
    (tmp_path / "a.py").write_text(NEW)
    return tmp_path


@asynccontextmanager
async def changes_screen(folder: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[InChanges]:
    async with user(size, cwd=str(folder)) as someone:
        changes = someone.client.changes(someone.session)
        changes.files = {"a.py": OLD.encode(), "b.py": b"b\n"}
        changes.mark("opened", 0)
        changes.turn("fix it", {"a.py": NEW.encode(), "b.py": b"bb\n"})
        await someone.press("ctrl+x", "d")
        screen = InChanges(someone, await someone.opened(ChangesScreen), changes)
        await screen.settled()
        yield screen


@pytest.mark.parametrize("size", [(120, 40), (60, 20)])  # with the list beside, and without
async def test_in_the_changes_screen_a_comment_stands_below_its_line_and_goes_as_a_prompt(
    folder: Path, size: tuple[int, int]
) -> None:
    async with changes_screen(folder, size) as here:
        someone = here.someone
        await someone.press("enter", "down")
        await write(someone, "why this?")
        assert row_of(someone, "why this?") == row_of(someone, "line five") + 1
        await someone.press("C")
        await someone.opened(CommentList)
        await someone.press("enter")
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the prompt")
        assert someone.draft == "`a.py:5`\n```diff\n+line five @notes.txt\n```\nwhy this?\n"


async def test_in_the_changes_screen_keys_are_the_editor_s_while_it_is_open(folder: Path) -> None:
    async with changes_screen(folder) as here:
        someone = here.someone
        await someone.press("enter", "c")
        await someone.wait_for("enter save")
        await someone.type("quit s")
        await someone.press("left", "left", "up", "home")
        await someone.type("1 ")
        await someone.press("escape")
        assert [(each.text, each.draft) for each in comments(someone)] == [("1 quit s", True)]
        assert someone.app.screen is here.screen
        assert here.screen.pane == "diff"
        await someone.press("escape")
        await someone.wait_until(lambda: here.screen.pane == "files", "the list")


async def test_in_the_changes_screen_comments_move_with_their_lines(folder: Path) -> None:
    async with changes_screen(folder) as here:
        someone = here.someone
        await someone.press("enter", "down", "down")
        await write(someone, "stays")
        assert [each.last for each in comments(someone)] == [6]
        (folder / "a.py").write_text(f"new\nmore\n{NEW}")
        here.changes.files["a.py"] = (folder / "a.py").read_bytes()
        here.changes.changed()
        await someone.wait_until(lambda: someone.sees("+more") or someone.sees("+ more"), "the new lines")
        await someone.wait_until(lambda: [each.last for each in comments(someone)] == [8], "the comment to move")
        assert row_of(someone, "stays") == row_of(someone, "line 6") + 1


async def test_in_the_changes_screen_hunks_and_files_are_marked_and_lose_that_with_their_bytes(folder: Path) -> None:
    async with changes_screen(folder) as here:
        someone = here.someone
        await someone.press("enter", "m")
        assert sum("✓" in row for row in someone.rows()) == 1
        await someone.press("n", "m")
        assert sum(row.count("✓") for row in someone.rows()) == 3  # two hunks and their file
        here.changes.files["a.py"] = NEW.replace("line forty", "line XL").encode()
        here.changes.changed()
        await someone.wait_for("line XL")
        await here.settled()
        assert sum(row.count("✓") for row in someone.rows()) == 1
        await someone.press("M")
        assert sum(row.count("✓") for row in someone.rows()) == 3
        await someone.press("escape", "m")
        assert not someone.sees("✓")


async def test_in_the_changes_screen_a_comment_is_deleted_and_comes_back(folder: Path) -> None:
    async with changes_screen(folder) as here:
        someone = here.someone
        await someone.press("enter")
        await write(someone, "why")
        await someone.press("d")
        assert not someone.sees("why")
        await someone.press("z")
        await someone.wait_for("why")


async def test_comments_that_are_not_sent_have_a_row_beside_the_prompt(folder: Path) -> None:
    async with changes_screen(folder) as here:
        someone = here.someone
        await someone.press("enter")
        await write(someone, "why")
        await someone.press("escape", "escape")
        await someone.wait_for("1 review comment not sent")
        row = next(row for row in someone.rows() if "not sent" in row)
        assert row.rstrip().endswith("^X d review")
        await someone.press("ctrl+x", "d")
        await someone.opened(ChangesScreen)
        await someone.press("C")
        await someone.opened(CommentList)
        await someone.press("enter")
        await someone.wait_until(lambda: someone.app.screen is someone.conversation, "the prompt")
        await someone.press("enter")
        await someone.wait_until(lambda: not someone.sees("not sent"), "its end")


async def test_from_the_list_of_files_the_first_changed_line_is_commented(folder: Path) -> None:
    async with changes_screen(folder) as here:
        someone = here.someone
        await write(someone, "why")
        assert [(each.path, each.first) for each in comments(someone)] == [(str(folder / "a.py"), 5)]
        await someone.press("C")
        await someone.opened(CommentList)
        assert row_of(someone, "a.py:5") + 2 == row_of(someone, "- line 5") + 1
