"""The items of a status line of one's own, and how they share a row."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.content import Content

from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate
from acp_tui.protocol.vocabulary.updates import AccountLimit, UsageUpdate
from acp_tui.session.state import Session
from acp_tui.ui.status.items import ITEMS, items_of, joined
from tests.pilot.fake_client import options, tell_usage
from tests.strategies import UNSAFE, texts

ALL = ("folder", "branch", "context", "cost", "limit", "model")


def session() -> Session:
    known = Session("s", str(Path.home() / "project"))
    known.apply(ConfigOptionUpdate(config_options=options()))
    tell_usage(known)
    known.apply(UsageUpdate(used=68_000, size=200_000, limits=[AccountLimit(kind="five_hour", used=0.4)]))
    return known


def shown(names: tuple[str, ...], width: int = 120, branch: str = "main", of: Session | None = None) -> str:
    return joined(items_of(names, of or session(), branch), width).plain


def test_these_are_the_items_that_there_are() -> None:
    assert tuple(ITEMS) == ALL


def test_they_stand_in_the_order_in_which_they_are_named() -> None:
    assert shown(ALL) == "~/project · main · 34% of 200k · $0.05 · 5 h limit 40% · Sonnet 5"
    assert shown(("model", "folder")) == "Sonnet 5 · ~/project"


def test_what_is_empty_or_unknown_is_left_out() -> None:
    bare = Session("s", "/p")
    assert shown(ALL, branch="", of=bare) == "/p"
    assert shown(("nonsense", "model", "branch"), of=bare) == "main"
    assert shown((), of=bare) == ""


@pytest.mark.parametrize(
    ("width", "row"),
    [
        (60, "~/project · main · 34% of 200k · $0.05 · 5 h limit 40%"),
        (40, "~/project · main · 34% of 200k · $0.05"),
        (30, "~/project · main · 34% of 200k"),
        (27, "~/project · main · 34% of …"),
        (16, "~/project · main"),
        (6, ""),
    ],
)
def test_the_first_ones_win(width: int, row: str) -> None:
    assert shown(ALL, width) == row


@given(st.lists(st.text(st.characters(codec="ascii", categories=["L"]), max_size=60), max_size=6), st.integers(0, 80))
def test_a_row_is_never_too_long(words: list[str], width: int) -> None:
    assert joined([Content(each) for each in words if each], width).cell_length <= width


@given(texts(), st.integers(1, 120))
def test_a_hostile_branch_or_folder_is_cleaned(text: str, width: int) -> None:
    row = joined(items_of(ALL, Session("s", f"/{text}"), text), width)
    assert not UNSAFE.search(row.plain)
    assert row.cell_length <= width
