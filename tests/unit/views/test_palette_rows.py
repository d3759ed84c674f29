"""What the palette lists, as rows: what each says, and below which heading."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand
from acp_tui.views.command_index import Command, SlashCommands
from acp_tui.views.past_sessions import PastSession
from acp_tui.views.row_search import (
    PickerRow,
    command_rows,
    list_opening,
    offer_rows,
    past_session_rows,
    runs_row,
    tab_row,
    texts_of,
    theme_row,
)
from tests.rows import each_of

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
THEME = Command("theme", "Choose theme", "/theme /themes", "Another look", group="Program", also="colours")
HIDDEN = Command("hidden", "Hidden", in_palette=False)


@each_of(
    ("keys", "typed", "hint"),
    [("Alt+T, Ctrl+X t", {"theme": "theme"}, "Alt+T"), ("", {"theme": "client:theme"}, "/client:theme"), ("", {}, "")],
)
def test_a_command_shows_its_first_key_else_how_it_is_typed(keys: str, typed: dict[str, str], hint: str) -> None:
    [row] = command_rows([THEME, HIDDEN], typed, lambda _: keys)
    assert (row.value, row.name, row.heading, row.hint) == (THEME, "Choose theme", "Program", hint)
    assert texts_of(row) == (("Choose theme", "theme", "themes"), "colours", ("Another look", keys, "Program"))


def test_offers_stand_below_whom_they_are_of_and_what_is_missing_is_only_said() -> None:
    prompts = [OwnPrompt("mine", Path(), "Do it", "Mine"), OwnPrompt("ours", Path(), "Do it", project=Path("/p"))]
    offers = SlashCommands([THEME], [AvailableCommand(name="init", description="Begin\nhere")], prompts).rows
    said = {row.name: (row.heading, row.description) for row in offer_rows(offers, "Kimi")}
    assert said == {
        "/init": ("Kimi", "Begin ⏎ here"),
        "/mine": ("Your prompts", "Mine"),
        "/ours": ("Project prompts", ""),
        "/compact": ("Not offered by Kimi", ""),
        "/review": ("Not offered by Kimi", ""),
    }


def test_past_sessions_say_whose_they_are_and_how_old() -> None:
    then = NOW - timedelta(hours=3)
    known = PastSession(record=RecordInfo("/r", "a", "Kimi", "/p", "Fix it", then, then, 1))
    [row] = past_session_rows([known], NOW)
    assert (row.value, row.name, row.description, row.heading) == (known, "Fix it", "Kimi · 3 h", "Session")


@each_of(
    ("row", "said"),
    [
        (runs_row(1), ("Show runs", "1 run hidden", "Session", "")),
        (runs_row(1_200), ("Show runs", "1,200 runs hidden", "Session", "")),
        (tab_row("tab", "Fix it", "", "Alt+1"), ("Fix it", "open", "Session", "Alt+1")),
        (tab_row("tab", "Fix it", "working", ""), ("Fix it", "working", "Session", "")),
        (theme_row("nord", "dark", current=True), ("nord", "dark", "Theme", "")),
    ],
)
def test_what_else_there_is_says_what_it_is(row: PickerRow[object], said: tuple[str, str, str, str]) -> None:
    assert (row.name, row.description, row.heading, row.hint) == said


@each_of(
    ("words", "title", "query"),
    [
        ("", "Presets", ""),
        ("fas", "Presets", "fas"),
        (" nosuch ", 'Presets · no match for "nosuch"', ""),
        ("x" * 99, f'Presets · no match for "{"x" * 23}…"', ""),
    ],
)
def test_words_that_nothing_answers_are_named_above_all_rows(words: str, title: str, query: str) -> None:
    assert list_opening("Presets", [PickerRow(1, "fast"), PickerRow(2, "careful")], words) == (title, query)
