"""Finding in the transcript, by keys: what is marked, where one gets, what the count says."""

import pytest
from rich.style import Style

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk
from acp_tui.protocol.vocabulary.tool_calls import Diff, ToolCallUpdate
from acp_tui.session.state import Session
from acp_tui.ui.kit.theme import palette_for
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, say

pytestmark = pytest.mark.anyio


def long_talk(session: Session) -> None:
    for number in range(60):
        say(session, f"answer {number}\n\nmore words\n\n{'the **need**le' if number % 20 == 5 else ''}", f"a{number}")
    end_turn(session)


def thought(session: Session) -> None:
    content = TextContent(text="where is the needle, and\n\nanother needle")
    session.apply(MessageChunk(session_update="agent_thought_chunk", message_id="t1", content=content))
    say(session, "done")
    end_turn(session)


def marked(one: User) -> str:
    """What on the screen is painted as the current match."""
    style: Style = palette_for(one.app.current_theme).current_match
    strips = one.app.screen._compositor.render_strips()
    return "".join(
        segment.text
        for strip in strips
        for segment in strip
        if segment.style is not None and segment.style.bgcolor == style.bgcolor and segment.text.strip()
    )


def text_rows(one: User) -> list[str]:
    return [row[:-1].rstrip() for row in one.rows()]


async def test_words_are_found_above_counted_and_marked() -> None:
    async with user(prepare=long_talk) as one:
        assert not one.sees("needle")
        await one.press("ctrl+f")
        assert one.focused == "find-words"
        await one.type("needle")
        assert one.sees("3 / 3")
        assert one.sees("the needle")
        assert marked(one) == "needle"


async def test_enter_and_then_n_step_around_both_ends() -> None:
    async with user(prepare=long_talk) as one:
        await one.press("ctrl+f")
        await one.type("needle")
        await one.press("enter", "n")
        assert one.sees("1 / 3")
        await one.press("enter")
        assert one.sees("2 / 3")
        assert one.sees("answer 25")
        await one.press("N", "N")
        assert one.sees("3 / 3")
        await one.press("up", "slash")
        assert one.sees("2 / 3")
        assert one.focused == "find-words"


async def test_escape_while_typing_goes_back_to_where_one_was() -> None:
    async with user(prepare=long_talk) as one:
        before = text_rows(one)
        await one.press("ctrl+f")
        await one.type("needle")
        assert text_rows(one) != before
        await one.press("escape")
        assert text_rows(one) == before
        assert one.focused == "editor"
        assert one.conversation.transcript.follow


async def test_escape_after_stepping_stays_at_the_match() -> None:
    async with user(prepare=long_talk) as one:
        await one.press("ctrl+f")
        await one.type("needle")
        await one.press("enter", "n", "escape")
        assert one.sees("answer 5")
        assert one.focused == "editor"
        assert not one.sees("1 / 3")
        assert marked(one) == ""


async def test_what_is_folded_unfolds_and_folds_again() -> None:
    async with user(prepare=thought) as one:
        assert not one.sees("needle")
        await one.press("ctrl+f")
        await one.type("needle")
        await one.press("enter")
        assert one.sees("where is the needle")
        assert one.sees("1 / 2") or one.sees("2 / 2")
        await one.press("slash")
        for _ in "needle":
            await one.press("backspace")
        await one.type("done")
        assert not one.sees("where is the needle")


async def test_the_count_follows_while_the_agent_writes() -> None:
    async with user(prepare=long_talk) as one:
        await one.press("ctrl+f")
        await one.type("needle")
        say(one.session, "one more needle", "late")
        await one.wait_for("/ 4")
        say(one.session, " and a needle", "late")
        await one.wait_for("/ 5")


async def test_the_match_stays_in_sight_while_the_agent_writes() -> None:
    async with user(prepare=long_talk) as one:
        say(one.session, "the last needle", "b1")
        await one.wait_for("the last needle")
        await one.press("ctrl+f")
        await one.type("needle")
        assert one.sees("4 / 4")
        for number in range(40):
            say(one.session, f"later {number}\n\nmore", f"c{number}")
        await one.wait_until(lambda: one.conversation.transcript.viewport.new_entries > 30, "the later ones")
        assert one.sees("the last needle")
        assert marked(one) == "needle"
        await one.press("escape")
        assert one.conversation.transcript.follow
        assert one.sees("later 39")


async def test_in_few_columns_the_arrows_stay_among_the_hints() -> None:
    async with user((60, 20), prepare=long_talk) as one:
        await one.press("ctrl+f")
        await one.type("needle")
        assert one.sees("↑↓ move")
        assert one.sees("esc close")


async def test_nothing_found_is_said_and_the_view_stays() -> None:
    async with user(prepare=long_talk) as one:
        before = [row for row in one.rows() if "answer" in row]
        await one.press("ctrl+f")
        await one.type("hay")
        assert one.sees("No matches")
        assert one.conversation.transcript.follow
        await one.press("enter", "escape")
        assert [row for row in one.rows() if "answer" in row] == before


async def test_the_block_of_the_match_is_copied() -> None:
    async with user(prepare=long_talk) as one:
        await one.press("ctrl+f")
        await one.type("needle")
        await one.press("enter", "y")
        assert one.app.clipboard == "answer 45\n\nmore words\n\nthe **need**le"


async def test_at_80_columns_the_bar_is_whole() -> None:
    async with user((80, 24), prepare=long_talk) as one:
        await one.press("ctrl+f")
        await one.type("needle")
        assert one.sees("3 / 3")
        assert one.sees("Find needle")


def calls(session: Session) -> None:
    for number in range(40):
        status = "failed" if number in (0, 38, 39) else "completed"
        session.apply(ToolCallUpdate(tool_call_id=f"t{number}", title="Look", kind="read", status=status))
    end_turn(session)


async def test_all_that_is_marked_is_counted() -> None:
    async with user(prepare=calls) as one:
        await one.press("ctrl+f")
        await one.type("Read")
        assert one.sees("/ 40")
        for _ in "Read":
            await one.press("backspace")
        await one.type("failed")  # a state's word, which only rows have
        await one.wait_for("/ 2")
        one.conversation.transcript.scroll_home(animate=False)
        await one.wait_for("/ 3")


async def test_while_one_finds_only_the_way_out_of_it_is_named() -> None:
    async with user() as one:
        await one.send("go")
        await one.wait_for("esc cancel")
        await one.press("ctrl+f")
        await one.wait_for("esc close")
        assert not one.sees("esc cancel")


def edited(session: Session) -> None:
    around = "".join(f"needle {number}\n" for number in range(3))
    diff = Diff(path="/a.py", old_text=f"{around}old needle\n", new_text=f"{around}new needle\n")
    session.apply(ToolCallUpdate(tool_call_id="t", title="Edit", kind="edit", status="completed", content=[diff]))
    say(session, "more words\n\n" * 40 + "the last needle")
    end_turn(session)


async def test_every_match_of_a_diff_is_stepped_to_though_its_text_has_fewer() -> None:
    async with user(prepare=edited) as one:
        await one.press("ctrl+f")
        await one.type("needle")
        assert one.sees("3 / 3")
        for number in (5, 4, 3, 2, 1):
            await one.press("up")
            assert one.sees(f"{number} / 6")
