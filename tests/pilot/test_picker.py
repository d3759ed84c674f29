"""The list that one row is picked from, by keys."""

import pytest
from textual import events

from acp_tui.ui.kit.picker import Picker
from acp_tui.views.row_search import PickerRow
from tests.pilot.driver import User, user

pytestmark = pytest.mark.anyio

MODELS = ("Opus 5", "Sonnet 5", "Haiku 5")


async def models(someone: User, query: str = "") -> tuple[Picker[str], list[str | None]]:
    """A picker of models, and what was picked from it so far."""
    picker = Picker("Models", [PickerRow(name, name, current=name == "Haiku 5") for name in MODELS], query=query)
    picked: list[str | None] = []
    someone.app.push_screen(picker, picked.append)
    await someone.wait_for("Models")
    return picker, picked


def highlighted(picker: Picker[str]) -> str | None:
    return picker.rows.list.value.value if picker.rows.list.value else None


async def test_it_opens_with_a_filter_typed_already_which_is_gone_on_with() -> None:
    async with user() as someone:
        picker, picked = await models(someone, "s")
        assert highlighted(picker) == "Sonnet 5"
        await someone.press("o")
        assert picker.rows.line.value == "so"
        assert [row.strip() for row in someone.picker_rows()] == ["Sonnet 5"]
        await someone.press("backspace", "backspace")
        await someone.wait_until(lambda: len(someone.picker_rows()) == len(MODELS), "all rows")
        await someone.press("enter")
        await someone.wait_until(lambda: bool(picked), "the pick")
        assert picked == ["Opus 5"]


async def test_without_a_filter_the_current_row_is_highlighted_and_with_one_the_best() -> None:
    async with user() as someone:
        picker, _ = await models(someone)
        assert highlighted(picker) == "Haiku 5"
        await someone.press("5")
        await someone.wait_until(lambda: highlighted(picker) == "Opus 5", "the first row")


async def test_enter_right_behind_what_was_typed_picks_what_that_finds() -> None:
    """The keys are there all at once, as a paste or a busy machine has them: the screen has not heard of any yet."""
    async with user() as someone:
        _, picked = await models(someone)
        for key in ("s", "o", "enter"):
            someone.app.post_message(events.Key(key, key if len(key) == 1 else "\r"))
        await someone.wait_until(lambda: bool(picked), "the pick")
        assert picked == ["Sonnet 5"]


@pytest.mark.parametrize(("size", "blank"), [((120, 40), 1), ((60, 20), 0)])
async def test_it_opens_with_the_heading_of_the_current_row_and_groups_stand_apart(
    size: tuple[int, int], blank: int
) -> None:
    groups = ("First", *["Second"] * 15, "Third", *["Fourth"] * 9)
    rows = [PickerRow(at, f"Row {at}", heading=group, current=at == 15) for at, group in enumerate(groups)]
    async with user(size) as someone:
        picker = Picker("Rows", rows)
        someone.app.push_screen(picker)
        await someone.wait_for("● Row 15")
        assert someone.sees("Second")
        headings = [at for at, row in enumerate(picker.list.rows) if row.draw(40).plain in groups]
        before = [picker.list.rows[at - 1].draw(40).plain == "" for at in headings[1:]]
        assert before == [bool(blank)] * 3
