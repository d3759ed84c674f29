"""What lies over the conversation for a while: how it leaves, how much of it small screens show, and the help."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import Input

from acp_tui.host.records.records import Records
from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import KeyRow, rebind
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.text_panels import HelpScreen
from tests.pilot.driver import User, user
from tests.pilot.fake_client import select, tell_options
from tests.pilot.test_browser import recorded

pytestmark = pytest.mark.anyio

WAYS = [
    ("ctrl+p",),
    ("alt+p",),
    ("f2",),
    ("ctrl+x", "m"),
    ("ctrl+x", "c"),
    ("ctrl+s",),
    ("ctrl+x", "s"),
    ("ctrl+x", "l"),
    ("ctrl+r",),
    ("ctrl+x", "slash"),
    ("ctrl+x", "D"),
    ("ctrl+x", "tab"),
    ("f12",),
    ("ctrl+x", "i"),
    ("f1",),
    ("question_mark",),
    ("ctrl+x", "question_mark"),
]


@pytest.fixture(autouse=True)
def own_keys() -> Iterator[None]:
    """Other tests want the commands' own keys."""
    yield
    rebind({})


async def opened(someone: User, *keys: str) -> None:
    await someone.press(*keys)
    await someone.wait_until(lambda: someone.app.screen is not someone.conversation, f"what {keys} opens")


async def test_the_keys_that_opened_it_close_it(tmp_path: Path) -> None:
    async with user(prepare=tell_options, records=Records(tmp_path)) as someone:
        for keys in WAYS:
            await opened(someone, *keys)
            await someone.press(*keys)
            assert someone.app.screen is someone.conversation, keys
            assert someone.draft == "", keys


async def test_the_keys_of_the_config_file_do_and_the_old_ones_do_not() -> None:
    rebind({"pick_model": ["f17", "ctrl+x M"]})
    async with user(prepare=tell_options) as someone:
        await opened(someone, "f17")
        picker = someone.app.screen
        await someone.press("alt+p")
        assert someone.app.screen is picker
        await someone.press("ctrl+x", "M")
        assert someone.app.screen is someone.conversation


async def test_after_the_leader_another_key_does_what_it_does() -> None:
    async with user(prepare=tell_options) as someone:
        await opened(someone, "ctrl+x", "m")
        await someone.press("ctrl+x", "o")
        assert someone.app.screen.query_one(Input).value == "o"
        await someone.press("m")
        assert someone.app.screen.query_one(Input).value == "om"


async def test_in_a_line_the_leader_cuts_what_is_selected() -> None:
    async with user(prepare=tell_options) as someone:
        await opened(someone, "ctrl+x", "m")
        await someone.type("opus")
        line = someone.app.screen.query_one(Input)
        line.select_all()
        await someone.press("ctrl+x", "m")
        assert (line.value, someone.app.clipboard) == ("m", "opus")


async def test_a_click_beside_it_closes_it() -> None:
    async with user() as someone:
        for keys in (("ctrl+p",), ("f1",), ("ctrl+x", "D"), ("ctrl+s",)):
            await opened(someone, *keys)
            await someone.pilot.click(".picker-title")
            assert someone.app.screen is not someone.conversation, keys
            await someone.pilot.click(offset=(1, 1))
            assert someone.app.screen is someone.conversation, keys


async def test_a_click_on_what_fills_the_screen_does_not() -> None:
    async with user() as someone:
        await opened(someone, "f12")
        await someone.pilot.click(offset=(0, 0))
        assert someone.app.screen is not someone.conversation


def models(session: Session) -> None:
    tell_options(session, [select("m", "Model", "model", [f"model-{number}" for number in range(40)])])


@pytest.mark.parametrize(("size", "least"), [((40, 12), 8), ((60, 20), 14), ((80, 24), 11)])
async def test_on_few_rows_the_list_gets_them(size: tuple[int, int], least: int) -> None:
    async with user(size, prepare=models) as someone:
        for key in ("alt+p", "ctrl+p"):
            await opened(someone, key)
            picker = someone.app.screen
            assert isinstance(picker, Picker)
            assert picker.rows.list.size.height >= least, key
            assert someone.sees("esc close")
            assert someone.sees(picker.FILTER)
            await someone.press("escape")


@pytest.mark.parametrize(("size", "least"), [((40, 12), 4), ((60, 20), 12), ((80, 24), 8)])
async def test_so_does_the_list_of_sessions(size: tuple[int, int], least: int, tmp_path: Path) -> None:
    for number in range(30):
        recorded(tmp_path, f"Session {number}")
    async with user(size, records=Records(tmp_path)) as someone:
        await opened(someone, "ctrl+s")
        await someone.press("tab")
        await someone.wait_for("30 sessions")
        assert sum("Session " in row for row in someone.rows()) >= least
        assert someone.sees("enter open")
        assert someone.sees("esc close")
        assert someone.sees("Type to filter")


async def test_the_inspector_says_how_to_leave_on_any_screen() -> None:
    async with user((40, 12)) as someone:
        await opened(someone, "f12")
        await someone.wait_for("esc close")


async def help_rows(someone: User) -> list[str]:
    await someone.wait_until(lambda: someone.sees("esc close"), "the help")
    return [row.strip(" ▌│┃") for row in someone.rows()]


async def test_the_help_begins_with_what_a_beginner_needs() -> None:
    async with user((80, 24)) as someone:
        await opened(someone, "f1")
        await someone.wait_for("First steps")
        rows = await help_rows(someone)
        first = rows[rows.index("First steps") + 1 :]
        assert first[0].split("  ")[0] == "Enter"
        for words in ("Cancel the agent's turn", "Change the model", "Scroll", "This help", "Quit"):
            assert any(row.endswith(words) for row in first), words


async def test_the_help_is_filtered_as_one_types() -> None:
    async with user() as someone:
        await opened(someone, "question_mark")
        await someone.type("export")
        await someone.wait_until(lambda: not someone.sees("First steps"), "the rows that match")
        assert someone.sees("Ctrl+S, Ctrl+X s")
        await someone.type(" alt+?")
        assert someone.app.screen.query_one(Input).value == "export alt+?"
        await someone.wait_for("No matches")
        await someone.press("f1")
        assert someone.app.screen is someone.conversation


async def test_the_bar_of_the_help_is_a_line_in_its_last_column() -> None:
    async with user((60, 20)) as someone:
        await someone.press("f1")
        await someone.wait_for("First steps")
        rows = [row.rstrip() for row in someone.rows() if row.rstrip().endswith("┃")]
        assert rows
        assert {len(row) for row in rows} == {58}


async def test_the_help_shows_other_rows_where_they_are_given() -> None:
    async with user() as someone:
        someone.app.push_screen(HelpScreen([KeyRow("Agents", "Ctrl+R", "Rescan")], "Agents"))
        await someone.wait_for("Rescan")
        assert not someone.sees("First steps")
        await someone.press("question_mark")
        assert someone.app.screen is someone.conversation
