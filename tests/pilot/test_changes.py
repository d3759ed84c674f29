"""The changes screen by keys: which changes, which file, which hunk, and what it says where there is none."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.changes.snapshot_history import Changes, Point, Progress
from acp_tui.host.snapshots.path_state import PathChange
from acp_tui.protocol.vocabulary.session_updates import StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import FilesChanged
from acp_tui.ui.changes import changes_view
from acp_tui.ui.changes.changes_screen import ChangesScreen
from acp_tui.ui.changes.extensions import FIRST, ChangesExtension, Here
from acp_tui.ui.changes.review_pane import CommentArea
from acp_tui.ui.kit.list_panel import PanelKey
from acp_tui.ui.text_panels import TextPanel
from acp_tui.views.changed_files import NO_UNDO
from tests.pilot.driver import User, user
from tests.pilot.fake_changes import FakeChanges
from tests.pilot.fake_client import ask_permission
from tests.unit.host.changes.checkouts import FILES, make

pytestmark = pytest.mark.anyio

LINES = [f"line {number}" for number in range(1, 61)]


def text(changed: Mapping[int, str]) -> bytes:
    """Sixty lines, some of which are others, by their numbers."""
    return "\n".join(changed.get(number, line) for number, line in enumerate(LINES, 1)).encode() + b"\n"


TWICE = text({5: "the fifth", 50: "the fiftieth"})


def two_turns(changes: FakeChanges) -> None:
    """The first turn changes one file in two places and adds one; the second adds another."""
    changes.files = {"src/login.py": text({}), "README.md": b"read me\n"}
    changes.mark("opened", 0)
    changes.turn("fix the login", {"src/login.py": TWICE, "tests/test_login.py": b"assert True\n"})
    changes.files["README.md"] = b"read me first\n"
    changes.turn("write it down", {"docs/login.md": b"# Login\n"}, "unknown")


class Screen:
    """Someone before the changes screen."""

    def __init__(self, someone: User, changes: FakeChanges, screen: ChangesScreen) -> None:
        self.someone, self.changes, self.screen = someone, changes, screen

    @property
    def selected(self) -> str:
        file = self.screen.files.current
        return file.path if file is not None else ""

    @property
    def cursor(self) -> list[str]:
        """The lines of the diff that are selected, with their signs."""
        return [line.sign + line.text for line in self.screen.diff.view.lines]

    async def press(self, *keys: str) -> None:
        await self.someone.press(*keys)
        await self.settled()

    async def settled(self) -> None:
        """Everything that was asked for is read."""
        screen = self.screen
        await self.someone.wait_until(lambda: not screen.changes_read.busy and not screen.file_read.busy, "the reads")


@asynccontextmanager
async def changes_screen(size: tuple[int, int] = (120, 40), *, empty: bool = False) -> AsyncIterator[Screen]:
    async with user(size) as someone:
        changes = someone.client.changes(someone.session)
        if not empty:
            two_turns(changes)
        await someone.press("ctrl+x", "d")
        screen = Screen(someone, changes, await someone.opened(ChangesScreen))
        await screen.settled()
        yield screen


async def test_all_changes_of_the_session_and_the_diff_of_the_first_file() -> None:
    async with changes_screen() as it:
        someone = it.someone
        await someone.wait_for("Since the session began · 4 files  +5 −3")
        rows = [row[:40].strip() for row in someone.rows()]
        headings = [rows.index(words) for words in ("Agent", "Unattributed, probably yours")]
        assert headings == sorted(headings)
        assert rows.index("Outside this session") > headings[1]
        assert it.selected == "src/login.py"
        await someone.wait_for("hunk 1 of 2")
        assert someone.sees("− line 5")
        assert someone.sees("+ the fifth")


async def test_slash_commands_open_it_and_keys_close_it() -> None:
    async with user() as someone:
        two_turns(someone.client.changes(someone.session))
        for command, keys in (
            ("/changes", ("escape",)),
            ("/diff", ("q",)),
            ("/diff", ("ctrl+c",)),
            ("/diff", ("ctrl+x", "d")),
        ):
            await someone.send(command)
            await someone.opened(ChangesScreen)
            await someone.press(*keys)
            assert someone.app.screen is someone.conversation, keys


async def test_the_row_of_a_turn_opens_its_changes_by_enter_and_by_a_click() -> None:
    async with user() as someone:
        two_turns(someone.client.changes(someone.session))
        someone.session.apply(FilesChanged(1, 2, 3, 2, ("src/login.py",)))
        await someone.wait_for("± 2 files changed")
        await someone.press("ctrl+x", "up", "enter")
        await someone.opened(ChangesScreen)
        await someone.wait_for("Turn 1 · 2 files")
        await someone.press("q")
        row = next(n for n, words in enumerate(someone.rows()) if "2 files changed" in words)
        await someone.pilot.click(offset=(6, row))
        await someone.opened(ChangesScreen)
        await someone.wait_for("Turn 1 · 2 files")


async def test_turns_are_stepped_through() -> None:
    async with changes_screen() as it:
        await it.press("2")
        assert it.someone.sees("Turn 2 · 1 file  +1")
        assert it.someone.sees('"write it down" · ')
        await it.press("left")
        assert it.someone.sees("Turn 1 · 2 files  +3 −2")
        assert not it.someone.sees("docs/login.md")
        await it.press("left")
        assert "No earlier turn" in it.someone.toasts()
        await it.press("right")
        assert it.someone.sees("Turn 2 · 1 file")
        await it.press("1")
        assert it.someone.sees("Since the session began · 4 files")


@asynccontextmanager
async def in_checkout(root: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Screen]:
    """The screen of a session in this folder, with what is not committed there."""
    async with user(size, cwd=str(root)) as someone:
        changes = someone.client.changes(someone.session)
        two_turns(changes)
        await someone.press("ctrl+x", "d")
        screen = Screen(someone, changes, await someone.opened(ChangesScreen))
        await screen.settled()
        await screen.press("3")
        yield screen


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Two changed lines and a new file."""
    root = make(tmp_path / "checkout")
    (root / "big").write_bytes(FILES["big"].replace(b"5\n6\n", b"five\n6\n", 1).replace(b"57\n", b"last\n"))
    (root / "new").write_bytes(b"new\n")
    return root


async def test_what_is_not_committed_is_shown_commented_and_copied(checkout: Path) -> None:
    async with in_checkout(checkout) as it:
        someone = it.someone
        assert someone.sees("Uncommitted · 2 files  +3 −2")
        assert someone.sees("HEAD → now, with untracked files")
        assert someone.sees("Uncommitted")
        assert it.selected == "big"
        assert someone.sees("+ five")
        await it.press("Y")
        assert someone.app.clipboard.startswith("--- a/big\n+++ b/big\n@@ ")
        await it.press("tab", "c")
        await someone.type("why?")
        await it.press("enter")
        assert [(each.path, each.text) for each in someone.conversation.parts.review.comments.all] == [
            (str(checkout / "big"), "why?")
        ]
        await it.press("n", "n")
        assert it.selected == "new"
        await it.press("escape", "left")
        assert someone.sees("Turn 2 · 1 file")
        await it.press("1")
        assert someone.sees("Since the session began · 4 files")


async def test_nothing_is_undone_from_there(checkout: Path) -> None:
    async with in_checkout(checkout) as it:
        assert not it.someone.sees("u undo")
        for key in ("u", "h", "U"):
            await it.press(key)
            assert NO_UNDO in it.someone.toasts()
            assert it.someone.app.screen is it.screen
            it.someone.app.clear_notifications()
        assert (checkout / "new").exists()
        await it.press("1")
        assert it.someone.sees("u undo")


async def test_what_is_not_committed_follows_the_agent(checkout: Path) -> None:
    async with in_checkout(checkout) as it:
        it.someone.session.apply(StateUpdate(state="running"))
        (checkout / "early").write_bytes(b"early\n")
        it.someone.session.apply(ToolCallUpdate(tool_call_id="t1", title="Edit", status="completed"))
        await it.someone.wait_for("Uncommitted · 3 files")
        assert it.selected == "big"


async def test_where_nothing_can_be_uncommitted_that_is_said(tmp_path: Path) -> None:
    async with in_checkout(tmp_path) as it:
        await it.someone.wait_for("No Git repository here · Uncommitted changes are compared with Git's HEAD.")
        assert not it.someone.sees("…")
        it.changes.off, it.changes.points = "Snapshots are switched off", []
        make(tmp_path / "checkout").rename(tmp_path / "sub")
        (tmp_path / "sub/.git").rename(tmp_path / ".git")
        await it.press("1")
        assert it.someone.sees("Snapshots are switched off")
        assert it.someone.sees("1 2 3 range")
        await it.press("3")
        assert it.someone.sees("Uncommitted · ")
        await it.press("u")
        assert it.someone.toasts() == ["Snapshots are switched off"]  # and not that the other views have it
        for path in ("a", "big", "link", "tool"):
            (tmp_path / "sub" / path).rename(tmp_path / path)
        (tmp_path / "sub/sub/b").rename(tmp_path / "sub/b")
        await it.press("3")
        assert it.someone.sees("No uncommitted changes")


async def test_that_other_changes_are_compared_is_said_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    async with changes_screen() as it:
        read, arrived = asyncio.Event(), it.changes.between

        async def between(since: Point, until: Point) -> Changes:
            await read.wait()
            return await arrived(since, until)

        monkeypatch.setattr(it.changes, "between", between)
        await it.someone.press("2")
        assert it.someone.sees("comparing files…")
        read.set()
        await it.settled()
        assert it.someone.sees("Turn 2 · 1 file")
        assert not it.someone.sees("comparing files…")


async def test_a_key_counts_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With 20,000 files that took 50 milliseconds."""
    async with changes_screen() as it:
        monkeypatch.setattr(changes_view, "total_words", lambda _files: pytest.fail("counted again"))
        await it.press("down", "tab", "down")
        assert it.someone.sees("Since the session began · 4 files")


async def test_hunks_are_stepped_through_and_on_into_the_next_file() -> None:
    async with changes_screen() as it:
        await it.press("n")
        assert it.someone.sees("hunk 2 of 2")
        assert it.screen.here.hunk is not None
        assert (it.screen.here.hunk.old, it.screen.here.hunk.new) == ((49, 50), (49, 50))
        await it.press("n")
        assert it.selected == "tests/test_login.py"
        await it.press("N")
        assert it.selected == "src/login.py"
        assert it.someone.sees("hunk 2 of 2")
        await it.press("left_square_bracket", "left_square_bracket")
        assert "First hunk" in it.someone.toasts()
        await it.press("right_square_bracket")
        assert it.someone.sees("hunk 2 of 2")


async def test_keys_for_a_diff_that_is_still_read_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    async with changes_screen() as it:
        read, arrived = asyncio.Event(), it.changes.texts

        async def texts(change: PathChange) -> tuple[bytes | None, bytes | None]:
            await read.wait()
            return await arrived(change)

        monkeypatch.setattr(it.changes, "texts", texts)
        await it.someone.press("tab", "n")
        await it.someone.hurry("n", "c", *"me")  # the next file is read
        assert it.screen.focused is None
        assert "Loading the diff. Your keys will take effect once it appears." in it.someone.toasts()
        read.set()
        await it.someone.wait_until(lambda: isinstance(it.screen.focused, CommentArea), "the box")
        await it.settled()
        box = it.screen.focused
        assert isinstance(box, CommentArea)
        await it.someone.wait_until(lambda: box.text == "me", "what was typed")
        assert it.selected == "tests/test_login.py"


async def test_esc_drops_the_keys_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    async with changes_screen() as it:
        read = asyncio.Event()

        async def texts(_change: PathChange) -> tuple[bytes | None, bytes | None]:
            await read.wait()
            return b"", b""

        monkeypatch.setattr(it.changes, "texts", texts)
        await it.someone.press("tab", "n", "n")
        await it.someone.hurry("y", "escape")
        assert "Discarded the keys typed while the diff was loading" in it.someone.toasts()
        read.set()
        await it.settled()
        assert not any("Copied" in toast for toast in it.someone.toasts())


async def test_a_character_without_a_command_and_what_follows_it_is_refused_with_a_word() -> None:
    async with changes_screen() as it:
        await it.someone.hurry(*"Xnsy")
        assert it.someone.toasts() == ["X does nothing here. Press ? for the keys."]
        await it.press("C")
        assert it.someone.toasts()[1:] == ["No comments to review. Press ? for the keys."]
        assert [key.keys for key in it.screen.extras.keys if not key.missing] == []


async def test_what_is_typed_behind_the_slash_is_the_filter() -> None:
    async with changes_screen() as it:
        await it.someone.hurry("slash", *"test")
        await it.someone.wait_until(lambda: it.screen.files.filter.value == "test", "the filter")


async def test_the_diff_beside_has_the_keys_after_tab_and_lines_are_selected() -> None:
    async with changes_screen() as it:
        assert list(it.screen.here.lines) == []
        await it.press("tab")
        assert it.cursor == ["-line 5"]
        await it.press("shift+down", "shift+down")
        assert it.cursor == ["-line 5", "+the fifth", " line 6"]
        assert [line.text for line in it.screen.here.lines] == ["line 5", "the fifth", "line 6"]
        await it.press("ctrl+c")
        assert it.someone.app.clipboard == "line 5\nthe fifth\nline 6"
        await it.press("escape")
        assert it.cursor == [" line 6"]
        await it.press("end")
        assert it.cursor == [" line 53"]
        await it.press("home")
        assert it.cursor == [" line 2"]
        await it.press("escape", "down")
        assert it.selected == "tests/test_login.py"


async def test_side_by_side_is_remembered() -> None:
    async with changes_screen((150, 40)) as it:
        assert not it.someone.sees("│")
        await it.press("s", "tab")
        assert any("line 5" in row and "the fifth" in row for row in it.someone.rows())
        assert it.cursor == ["-line 5", "+the fifth"]
        await it.press("q", "ctrl+x", "d")
        again = await it.someone.opened(ChangesScreen)
        assert again.diff.layout_shown == "split"


async def test_on_a_small_screen_they_come_one_after_the_other() -> None:
    async with changes_screen((80, 24)) as it:
        assert not it.someone.sees("the fifth")
        await it.press("enter")
        assert it.someone.sees("+ the fifth")
        assert not it.someone.sees("tests/test_login.py")
        await it.press("n", "n")
        assert it.someone.sees("tests/test_login.py")
        await it.press("escape")
        assert it.someone.sees("src/login.py")
        await it.press("escape")
        assert it.someone.app.screen is it.someone.conversation


async def test_files_are_filtered() -> None:
    async with changes_screen() as it:
        await it.press("ctrl+f")
        await it.someone.type("test_")
        await it.settled()
        assert it.selected == "tests/test_login.py"
        assert it.someone.sees("1 of 4 files")
        await it.press("enter", "n")
        assert it.selected == "tests/test_login.py"
        await it.press("escape")
        assert it.someone.sees("README.md")
        assert it.someone.app.screen is it.screen


async def test_it_follows_and_keeps_file_and_place() -> None:
    async with changes_screen() as it:
        await it.press("n")
        it.someone.session.apply(StateUpdate(state="running"))
        it.changes.files["src/early.py"] = b"new\n"
        it.changes.files["src/login.py"] = text({5: "the fifth", 20: "the twentieth", 50: "the fiftieth"})
        it.someone.session.apply(ToolCallUpdate(tool_call_id="t1", title="Edit", status="completed"))
        await it.someone.wait_for("src/early.py")
        await it.settled()
        assert it.selected == "src/login.py"
        await it.someone.wait_for("hunk 3 of 3")
        assert it.someone.sees("following the agent")


async def test_it_says_that_the_agent_waits_for_an_answer() -> None:
    async with changes_screen() as it:
        ask_permission(it.someone.session)
        await it.someone.wait_for("△ the agent is waiting for you")


async def test_new_points_are_looked_at() -> None:
    async with changes_screen() as it:
        await it.press("2")
        it.changes.turn("and more", {"src/more.py": b"more\n"})
        await it.someone.wait_for("Turn 3 · 1 file  +1")


async def test_a_large_list_is_quick_and_reads_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[PathChange] = []
    async with user() as someone:
        changes = someone.client.changes(someone.session)
        changes.mark("opened", 0)
        changes.turn("write", {f"src/{number:04}.py": b"x\n" for number in range(5_000)})
        texts = changes.texts

        async def noted(change: PathChange) -> tuple[bytes | None, bytes | None]:
            read.append(change)
            return await texts(change)

        monkeypatch.setattr(changes, "texts", noted)
        await someone.press("ctrl+x", "d")
        it = Screen(someone, changes, await someone.opened(ChangesScreen))
        await someone.wait_for("5,000 files")
        await it.press("end")
        assert it.selected == "src/4999.py"
        assert {each.path for each in read} == {"src/0000.py", "src/4999.py"}


WHY: list[tuple[str, Progress | None, str]] = [
    ("Snapshots are switched off: snapshots = false", None, "Snapshots are switched off: snapshots = false"),
    ("", Progress(1_200, 50_000), "Reading the folder: 1,200 of 50,000 files"),
    ("", None, "No snapshot yet"),
]


async def test_it_says_why_there_is_nothing() -> None:
    async with changes_screen(empty=True) as it:
        for off, progress, words in WHY:
            it.changes.off, it.changes.progress = off, progress
            it.changes.changed()
            await it.someone.wait_for(words)
            await it.press("n", "enter", "left", "y", "Y", "t", "e", "s")
            assert it.someone.app.screen is it.screen, words


async def test_what_is_not_kept_is_said() -> None:
    gaps = [f"{number} files are not kept" for number in range(2, 22)]
    async with changes_screen() as it:
        it.changes.points[0] = replace(it.changes.points[0], gaps=gaps)
        it.changes.changed()
        await it.someone.wait_for("2 files are not kept")
        await it.someone.wait_for("more notes")
        await it.someone.press("i")
        panel = await it.someone.opened(TextPanel)
        assert "21 files are not kept" in str(panel.words.content)


async def test_its_keys_are_a_key_away() -> None:
    async with changes_screen() as it:
        await it.someone.press("question_mark")
        await it.someone.wait_for("Next or previous hunk")
        assert not it.someone.sees("Send the prompt")
        await it.someone.press("escape")
        assert it.someone.app.screen is it.screen


async def test_a_look_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with changes_screen() as it:

        async def fails(_since: object, _until: object) -> object:
            raise UserFault("Cannot read the folder", "Permission denied.")

        monkeypatch.setattr(it.changes, "between", fails)
        it.changes.changed()
        await it.someone.wait_for("Cannot read the folder · Permission denied.")


class Blessing(ChangesExtension):
    """A room with a key and a mark."""

    def __init__(self, bless: Callable[[Here], None]) -> None:
        self.keys = [PanelKey("b", "bless", bless, lambda here: here.file is not None, rank=FIRST)]

    def mark(self, file: PathChange) -> str:
        return "✓" if "login.py" in file.path else ""


async def test_other_rooms_have_keys_and_marks() -> None:
    async with changes_screen() as it:
        seen: list[Here] = []
        extras = it.someone.conversation.parts.changes.extras
        extras.extensions.append(Blessing(seen.append))
        extras.changed.publish()
        await it.someone.wait_for("✓ ~ src/login.py")
        await it.press("2", "b")
        assert it.someone.sees("b bless")
        assert seen[0].words == "Turn 2"
        assert seen[0].file is not None
        assert seen[0].file.path == "docs/login.md"
        assert seen[0].changes is not None
        assert len(seen[0].changes.files) == 1
        await it.someone.press("q")
        extras.changed.publish()  # does nothing once it is closed


async def test_paths_and_diffs_are_copied() -> None:
    async with changes_screen() as it:
        await it.press("y")
        assert it.someone.app.clipboard.endswith("src/login.py")
        await it.press("Y")
        assert it.someone.app.clipboard.splitlines()[:2] == ["--- a/src/login.py", "+++ b/src/login.py"]


async def test_the_tool_call_of_a_file_is_shown_in_the_transcript(monkeypatch: pytest.MonkeyPatch) -> None:
    async with user() as someone:
        someone.session.apply(ToolCallUpdate(tool_call_id="t1", title="Edit it", kind="edit", status="completed"))
        changes = someone.client.changes(someone.session)
        two_turns(changes)
        between = changes.between

        async def named(since: Point, until: Point) -> Changes:
            found = await between(since, until)
            return replace(found, files=[replace(each, tool_call="t1") for each in found.files])

        monkeypatch.setattr(changes, "between", named)
        await someone.press("ctrl+x", "d")
        it = Screen(someone, changes, await someone.opened(ChangesScreen))
        await it.settled()
        await someone.wait_for("Edit")
        await someone.press("t")
        entry = someone.conversation.transcript.current_entry
        assert someone.app.screen is someone.conversation
        assert isinstance(entry, ToolCallEntry)
        assert entry.id == "t1"


async def test_the_mouse_selects_a_file_and_lines() -> None:
    async with changes_screen() as it:
        row = next(n for n, words in enumerate(it.someone.rows()) if "tests/test_login.py" in words)
        await it.someone.pilot.click(offset=(12, row))
        await it.settled()
        assert it.selected == "tests/test_login.py"
        row = next(n for n, words in enumerate(it.someone.rows()) if "+ assert True" in words)
        await it.someone.pilot.click(offset=(70, row))
        await it.settled()
        assert it.screen.pane == "diff"
        assert it.cursor == ["+assert True"]


async def test_foreign_text_is_neither_markup_nor_an_escape() -> None:
    async with user() as someone:
        changes = someone.client.changes(someone.session)
        changes.mark("opened", 0)
        words = "[@click=app.quit]x[/] \x1b]52;c;aGk=\x07"
        changes.turn(words, {f"{words}\n.py": words.encode() + b"\n", "[/]": b"[/]\n"})
        changes.points[0] = replace(changes.points[0], gaps=(words,))
        await someone.press("ctrl+x", "d")
        it = Screen(someone, changes, await someone.opened(ChangesScreen))
        await it.settled()
        await it.press("2", "down", "down", "i")
        assert "\x1b" not in "".join(someone.rows())
        assert someone.sees("[@click=app.quit]x[/]")
