"""Banners: which form of their words is shown, what stands below, and what features add and take."""

from acp_tui.ui.kit.theme import key_hints
from acp_tui.ui.prompt.banners import NO_KEYS, Banner, banner_of, packed
from acp_tui.ui.status.option_actions import offer_banner
from tests.rows import each_of

SAID = ("Fork at this message", "The agent remembers everything before it", "Files stay as they are")
KEY = ("^X U", "leave out")
NEWS = banner_of("The next prompt will mention the undone files: a.py", lambda: None, KEY)
LONG_FIRST = Banner([("many words are here", key_hints([KEY])), ("few words", key_hints([KEY]))])


@each_of(
    ("width", "rows"),
    [
        (100, [" · ".join(SAID)]),
        (70, [" · ".join(SAID[:2]), SAID[2]]),
        (45, list(SAID)),
    ],
)
def test_what_must_be_known_takes_as_few_rows_as_it_needs(width: int, rows: list[str]) -> None:
    assert packed(SAID, width) == rows


@each_of(
    ("banner", "width", "row"),
    [
        (NEWS, 12, "The next pr…"),
        (NEWS, 30, "The next prompt will mention…"),
        (NEWS, 40, "The next prompt will me…  ^X U leave out"),
        (NEWS, 70, "The next prompt will mention the undone files: a.py     ^X U leave out"),
        (LONG_FIRST, 40, "many words are here       ^X U leave out"),
        (LONG_FIRST, 30, "few words       ^X U leave out"),
        (LONG_FIRST, 23, "few wor… ^X U leave out"),
        (Banner([("none\x1b[31m of \nthese", NO_KEYS)]), 40, "none of ⏎ these"),
    ],
)
def test_the_first_form_that_has_room_is_shown(banner: Banner, width: int, row: str) -> None:
    assert [each.plain for each in banner.rows(width)] == [row]


EDITED = Banner([('Edit "fix it"', NO_KEYS)], about=("New session", "Files stay"), hints=[("esc", "cancel")])


@each_of(
    ("width", "rows"),
    [
        (60, ['Edit "fix it"  New session · Files stay', "esc cancel"]),
        (30, ['Edit "fix it"', "New session · Files stay", "esc cancel"]),
    ],
)
def test_ideas_stand_beside_the_words_where_they_have_room(width: int, rows: list[str]) -> None:
    assert [each.plain for each in EDITED.rows(width)] == rows


@each_of(("width", "begins"), [(60, "Use Opus in new Agent sessions?"), (42, "Save default?"), (30, "Save def")])
def test_the_offer_asks_in_few_words_where_there_is_little_room(width: int, begins: str) -> None:
    [row] = offer_banner("Use Opus in new Agent sessions?").rows(width)
    assert row.plain.startswith(begins)
    assert row.plain.endswith(" no")


def test_each_row_fits_and_no_escape_gets_there() -> None:
    about = ("Fork\x1b[31m at this message of the agent",)
    banner = Banner([("Edit message 1 of 2", NO_KEYS)], about=about, hints=(("enter", "send"),))
    assert [row.plain for row in banner.rows(20)] == ["Edit message 1 of 2", "Fork at this messag…", "enter send"]
