"""The palette by keys: what it shows before one types, what it finds, and what choosing that does."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_tui.host.config.state_files import state_folder
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, AvailableCommandsUpdate
from acp_tui.session.state import Session
from acp_tui.ui.command_palette import LINES_AT_REST, OF_A_KIND, PaletteItem, PalettePicker
from acp_tui.views.row_search import PickerRow
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission, tell_commands, tell_options
from tests.pilot.test_browser import PROJECT, able, info, recorded, tell
from tests.pilot.test_own_prompts import own

pytestmark = pytest.mark.anyio


def told(session: Session) -> None:
    tell_options(session)
    tell_commands(session)


def offer(session: Session, names: Sequence[str]) -> None:
    commands = [AvailableCommand(name=name) for name in names]
    session.apply(AvailableCommandsUpdate(available_commands=commands))


def nothing() -> None: ...


async def opened(someone: User, query: str = "") -> PalettePicker:
    """The palette, with what it finds by this; all of it has come by then."""
    await someone.press("ctrl+p")
    palette = await someone.opened(PalettePicker)
    await someone.wait_until(lambda: palette.complete, "the sessions")
    await someone.type(query)
    await someone.wait_until(lambda: palette.query_typed == query.strip(), query)
    return palette


def names(palette: PalettePicker) -> list[str]:
    """What can be chosen."""
    return [row.value.name for row in palette.rows.list.rows if row.value is not None]


async def choose(someone: User, query: str) -> None:
    palette = await opened(someone, query)
    await someone.press("enter")
    await someone.wait_until(lambda: palette not in someone.app.screen_stack, "the end of the palette")


async def test_before_one_types_there_are_commands_in_a_short_order() -> None:
    async with user(prepare=told) as someone:
        palette = await opened(someone)
        assert names(palette)[:3] == ["New session", "Sessions", "Change model"]
        headings = [str(row.draw(80)) for row in palette.rows.list.rows if row.value is None]
        assert headings[:5] == ["Suggested", "", "OpenCode", "", "Prompt"]
        assert "/compact" in names(palette)
        assert not {"Opus 5", "nord", "Fast"} & {*names(palette)}


async def test_a_turn_is_cancelled_from_it_only_while_one_runs() -> None:
    async with user() as someone:
        assert "Cancel turn" not in names(await opened(someone, "cancel"))
        await someone.press("escape")
        await someone.send("hello")
        assert "Cancel turn" in names(await opened(someone, "cancel"))


async def test_what_waits_or_works_is_suggested_first() -> None:
    async with user() as someone:
        await someone.send("hello")
        ask_permission(someone.session)
        await someone.wait_until(lambda: someone.focused == "permission", "the question")
        await someone.press("escape")  # in a question Ctrl+P moves
        assert names(await opened(someone))[:2] == ["Go to question", "Cancel turn"]


async def test_thousands_of_commands_are_capped_and_counted() -> None:
    async with user((40, 12), prepare=lambda session: offer(session, [f"skill-{n}" for n in range(5000)])) as someone:
        palette = await opened(someone)
        assert sum(name.startswith("/") for name in names(palette)) == LINES_AT_REST
        assert any("4,995 more, type to find them" in row for row in someone.picker_rows())
        await someone.type("skill")
        await someone.wait_until(lambda: len(names(palette)) == OF_A_KIND, "the first of them")
        assert "4,970 more, keep typing" in someone.picker_rows()[-1]
        await someone.type("-4999")
        await someone.wait_until(lambda: names(palette) == ["/skill-4999"], "the one that is meant")


async def test_a_command_of_the_agent_is_sent_and_what_is_being_written_stays() -> None:
    async with user(prepare=told) as someone:
        await someone.type("half a thought")
        await choose(someone, "compact")
        assert someone.acts("submit") == [("/compact",)]
        assert someone.draft == "half a thought"


async def test_one_that_takes_words_is_put_before_what_is_written() -> None:
    async with user(prepare=told) as someone:
        await someone.type("the last commit")
        await choose(someone, "review")
        assert someone.draft == "/review the last commit"
        await someone.type("!")
        assert someone.draft == "/review the last commit!"
        assert someone.acts("submit") == []


async def test_a_name_that_was_begun_gives_way_to_the_command() -> None:
    async with user(prepare=told) as someone:
        await someone.type("/re")
        await choose(someone, "/review")
        assert someone.draft == "/review "


async def test_what_agents_usually_have_and_this_one_has_not_is_said_and_cannot_be_chosen() -> None:
    async with user() as someone:
        palette = await opened(someone, "compact")
        assert names(palette) == []
        assert "Not offered by OpenCode" in someone.picker_rows()[0]
        await someone.press("enter")
        assert someone.app.screen is palette


async def test_a_value_of_an_option_is_set_and_a_switch_toggled() -> None:
    async with user(prepare=told) as someone:
        await choose(someone, "opus")
        await choose(someone, "fast")
        assert someone.acts("choose") == [("model", "opus"), ("fast", True)]


async def test_a_theme_is_set() -> None:
    async with user() as someone:
        await choose(someone, "nord")
        assert someone.app.theme == "nord"


async def test_an_open_session_is_shown() -> None:
    async with user() as someone:
        first = someone.session
        await someone.press("ctrl+n")
        await someone.wait_until(lambda: len(someone.app.tabs.entries) == 2, "another session")
        first.title = "The squeaking door"
        palette = await opened(someone, "squeak")
        assert names(palette) == ["The squeaking door"]
        await someone.press("enter")
        await someone.wait_until(
            lambda: someone.app.tabs.current is not None and someone.app.tabs.current.session is first, "the first one"
        )


async def test_a_recorded_session_is_found_and_read_again(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        someone.session.cwd = PROJECT
        await choose(someone, "cellar")
        await someone.wait_for("The hinge was loose.")


async def test_runs_are_counted_and_lead_to_the_list_that_shows_them(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path, run=True)) as someone:
        someone.session.cwd = PROJECT
        assert names(await opened(someone, "cellar")) == []
        await someone.press("escape")
        await choose(someone, "show runs")
        await someone.wait_for("with runs")
        await someone.wait_for("Fix the cellar door")


async def test_where_the_agent_can_say_how_it_is_asked_before_a_recorded_session_opens(tmp_path: Path) -> None:
    async with user(records=recorded(tmp_path)) as someone:
        someone.session.cwd = PROJECT
        able(someone.client, list_sessions=True, load_session=True)
        await choose(someone, "cellar")
        await someone.wait_for("Opening…")
        tell(someone.client, info("old", "Fix the cellar door"))
        await someone.wait_until(lambda: bool(someone.acts("load")), "the session")
        assert someone.acts("load") == [("old",)]


async def test_what_the_agent_has_listed_is_at_hand_without_asking_it_again() -> None:
    async with user() as someone:
        able(someone.client, list_sessions=True, load_session=True)
        tell(someone.client, info("a", "Mend the gate"), info("b", "Elsewhere", "/tmp"))
        palette = await opened(someone, "session")
        assert "Mend the gate" in names(palette)
        assert "Elsewhere" not in names(palette)
        await someone.press("escape")
        await choose(someone, "gate")
        await someone.wait_until(lambda: bool(someone.acts("load")), "the session")
        assert someone.acts("list") == []


async def test_what_comes_later_leaves_the_highlight_where_it_was_moved() -> None:
    async with user(prepare=told) as someone:
        palette = await opened(someone, "model")
        await someone.press("down")
        row = palette.rows.list.value
        palette.add([PickerRow(PaletteItem(nothing), "Model trains")])
        assert palette.rows.list.value is row
        assert "Model trains" in names(palette)


async def test_what_was_used_is_there_first_the_next_time() -> None:
    async with user(prepare=told) as someone:
        await choose(someone, "notifications")
        await someone.press("escape")
        await choose(someone, "compact")
        palette = await opened(someone)
        assert names(palette)[:3] == ["/compact", "Notifications", "Cancel turn"]
        assert "Recently used" in someone.picker_rows()[0]
        await someone.type("compact")
        await someone.wait_until(lambda: names(palette) == ["/compact"], "it, once")


@pytest.mark.parametrize("kept", ["{", '{"palette": 7}', '{"palette": [7, "no such command"]}'])
async def test_what_cannot_be_read_of_it_is_nothing(kept: str) -> None:
    state_folder().mkdir(parents=True)
    (state_folder() / "view.json").write_text(kept)
    async with user() as someone:
        assert names(await opened(someone))[0] == "New session"


async def test_foreign_names_are_text_and_one_of_ours_is_asked_for_by_its_side() -> None:
    names_told = ["quit", "[b]x[/b]", "[/]\x1b[2J", "a" * 100_000]
    async with user(prepare=lambda session: offer(session, names_told)) as someone:
        palette = await opened(someone)
        rows = someone.picker_rows()
        assert any("/[b]x[/b]" in row for row in rows)
        assert not any("\x1b" in row for row in rows)
        assert max(map(len, names(palette))) < 100
        await someone.press("escape")
        await choose(someone, "agent:quit")
        assert someone.acts("submit") == [("/quit",)]


async def test_the_client_s_command_that_an_agent_hides_shows_how_it_is_typed() -> None:
    async with user(prepare=lambda session: offer(session, ["fork"])) as someone:
        await opened(someone, "fork session")
        assert "/client:fork" in someone.picker_rows()[0]


async def test_an_own_prompt_is_used_as_if_it_had_been_typed() -> None:
    own("tidy", "Tidy up, please.")
    async with user(prepare=told) as someone:
        await someone.wait_until(lambda: bool(someone.conversation.parts.own_prompts.listed), "the prompt")
        palette = await opened(someone, "tidy")
        assert "Your prompts" in someone.picker_rows()[0]
        await someone.press("enter")
        await someone.wait_until(lambda: palette not in someone.app.screen_stack, "the end of the palette")
        await someone.wait_until(lambda: bool(someone.acts("submit")), "the prompt")
        assert someone.acts("submit") == [("Tidy up, please.",)]


async def test_descriptions_stand_beside_the_longest_name_of_their_group() -> None:
    async with user((60, 20)) as someone:
        described = [("fix", "Find the bug and fix it"), ("look", "See what there is")]
        commands = [AvailableCommand(name=name, description=words) for name, words in described]
        someone.session.apply(AvailableCommandsUpdate(available_commands=commands))
        await opened(someone)
        rows = [row.strip(" ▌┃│") for row in someone.rows()]
        assert "/fix   Find the bug and fix it" in rows
        assert "/look  See what there is" in rows


async def test_descriptions_of_what_is_found_stand_beside_its_longest_name() -> None:
    async with user() as someone:
        commands = [AvailableCommand(name="zebra", description="Count the stripes")]
        someone.session.apply(AvailableCommandsUpdate(available_commands=commands))
        await opened(someone, "zebra")
        assert any("/zebra  OpenCode · Count the stripes" in row for row in someone.picker_rows())
