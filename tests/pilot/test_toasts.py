"""Toasts on the screen: they hide nothing, and what nobody asked for waits while the user chooses or answers."""

import pytest
from textual.notifications import Notification

from acp_tui.protocol.vocabulary.session_updates import Notice
from acp_tui.ui.kit.base_screens import SHORT
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.status.toasts import ToastLines
from acp_tui.views.row_search import PickerRow
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission
from tests.pilot.fake_client import say as answer
from tests.pilot.questions import answerable

pytestmark = pytest.mark.anyio


def notice(one: User, title: str) -> None:
    one.session.apply(Notice(severity="warning", title=title, description="of the agent"))


async def open_list(one: User, rows: int = 100) -> None:
    await one.app.push_screen(Picker("A list", [PickerRow(n, f"row {n}") for n in range(rows)]))
    await one.wait_for("row 3")


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])  # several rows, or one
async def test_a_toast_hides_no_row_of_the_screen(size: tuple[int, int]) -> None:
    async with user(size) as one:
        answer(one.session, "\n\n".join(f"line {n}" for n in range(200)))
        await one.wait_for("line 199")
        before = [row for row in one.rows()[-4:] if row.strip()]
        say(one.app, "Copied the selection")
        await one.wait_for("• Copied the selection")
        assert one.sees("line 199")
        rows = one.rows()
        at = next(index for index, row in enumerate(rows) if "Copied" in row)
        assert "line" not in rows[at]
        assert [row for row in rows[-4:] if row.strip()][-len(before) + 1 :] == before[1:]
        one.app.clear_notifications()
        await one.wait_until(lambda: not one.sees("Copied"), "its end")


async def test_on_a_tall_screen_a_toast_of_one_line_moves_nothing() -> None:
    async with user() as one:
        answer(one.session, "\n\n".join(f"line {n}" for n in range(200)))
        await one.wait_for("line 199")
        before = one.rows()
        say(one.app, "Copied the selection")
        await one.wait_for("• Copied the selection")
        changed = [row for row, was in zip(one.rows(), before, strict=True) if row != was]
        assert len(changed) == 1


async def test_on_a_small_screen_a_toast_is_one_line() -> None:
    async with user((60, 20)) as one:
        for number in range(3):
            notice(one, f"Notice {number}")
        await one.wait_for("Notice 2 · of the agent  +2")
        assert not one.sees("Notice 1")


async def moves_nothing_until_escape(one: User) -> None:
    rows = one.rows()
    notice(one, "Meanwhile")
    await one.wait_until(lambda: bool(one.app.toasts._waiting), "the notice")
    assert one.rows() == rows
    await one.press("escape")
    await one.wait_for("Meanwhile")


async def test_what_an_agent_tells_waits_while_something_is_chosen() -> None:
    async with user((80, 24)) as one:
        notice(one, "Before")
        await one.wait_for("Before")
        await open_list(one)
        below = one.conversation.query_one(ToastLines)
        await one.wait_until(lambda: not below._told, "no ghost of the screen below")
        assert not one.sees("Before")
        await moves_nothing_until_escape(one)


async def test_what_an_agent_tells_waits_while_it_is_answered() -> None:
    async with user((80, 24)) as one:
        ask_permission(one.session)
        await answerable(one)
        await moves_nothing_until_escape(one)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_what_the_user_does_in_a_list_is_answered_beside_it(size: tuple[int, int]) -> None:
    async with user(size) as one:
        await open_list(one, rows=5)
        say(one.app, "It cannot be deleted")
        await one.wait_for("• It cannot be deleted")
        assert one.sees("row 3")
        assert one.sees("esc close")
        await one.press("escape")
        await one.wait_for("• It cannot be deleted")


async def test_what_went_wrong_can_be_read_again() -> None:
    async with user() as one:
        say(one.app, "Not saved: the disk is full", 3, "error")
        say(one.app, "Copied", 3)
        notice(one, "Slow")
        await one.wait_for("Slow")
        await one.command("notices")
        await one.wait_for("✗ Error  Not saved: the disk is full")
        assert sum("Slow" in row for row in one.rows()) == 1
        assert not one.sees("Copied")


async def test_a_click_puts_toasts_away() -> None:
    async with user() as one:
        say(one.app, "Copied", 60)
        await one.wait_for("• Copied")
        await one.pilot.click("ToastLines")
        await one.wait_until(lambda: not one.sees("Copied"), "its end")


async def test_a_toast_goes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    over = False
    monkeypatch.setattr(Notification, "time_left", 0.05)
    monkeypatch.setattr(Notification, "has_expired", property(lambda _note: over))
    async with user() as one:
        say(one.app, "Copied")
        await one.wait_for("• Copied")
        over = True
        await one.wait_until(lambda: not one.toasts() and not one.sees("Copied"), "its end")


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])  # it keeps rows, it has some, it has none
async def test_a_panel_keeps_its_hints_when_a_toast_has_gone(size: tuple[int, int]) -> None:
    async with user(size) as one:
        await open_list(one)
        at = one.rows().index(next(row for row in one.rows() if "esc close" in row))
        say(one.app, "Saved")
        await one.wait_for("• Saved")
        assert "esc close" in one.rows()[at] or one.app.size.height < SHORT
        one.app.clear_notifications()
        await one.wait_until(lambda: not one.sees("• Saved"), "its end")
        await one.wait_until(lambda: "esc close" in one.rows()[at], "the hints again")


async def test_what_was_told_before_the_screen_had_rows_for_it_is_there_once() -> None:
    async with user() as one:
        early = ToastLines(classes="-docked")
        await one.conversation.mount(early, before=0)
        early.show([Notification("Early")])
        say(one.app, "Copied")
        await one.wait_for("• Copied")
        assert sum("• Copied" in row for row in one.rows()) == 1
        await one.wait_until(lambda: not one.sees("Early"), "its end")
        assert one.rows()[-1].strip() == ""
