"""Toasts as rows: within the width and the rows that they may have, the latest always there."""

from hypothesis import given
from hypothesis import strategies as st
from textual.notifications import Notification, SeverityLevel

from acp_tui.ui.status.toasts import toast_rows


def shown(*told: Notification, width: int = 80, most: int = 10) -> list[str]:
    return [row.plain.strip() for row in toast_rows(told, width, most)]


def test_what_fits_stands_in_one_row_with_a_sign() -> None:
    assert shown(Notification("Copied")) == ["• Copied"]
    assert shown(Notification("Slow today", "Server", "warning")) == ["! Server · Slow today"]
    assert shown(Notification("It broke", severity="error")) == ["✗ It broke"]


def test_a_sign_that_is_there_is_not_repeated() -> None:
    assert shown(Notification("why", "! Warning  A title", "warning")) == ["! Warning  A title · why"]
    assert shown(Notification("✗ Error  A title", severity="error")) == ["✗ Error  A title"]


def test_more_than_that_stands_below_its_title() -> None:
    assert shown(Notification("one\ntwo", "Title")) == ["• Title", "one", "two"]
    assert shown(Notification("word " * 12, "Title"), width=40) == [
        "• Title",
        "word " * 6 + "word",
        "word " * 4 + "word",
    ]


def test_where_there_is_one_row_the_latest_has_it_and_the_others_are_counted() -> None:
    told = [Notification("first"), Notification("second\nline", "Title")]
    assert shown(*told, most=1) == ["• Title · second · line  +1"]


def test_where_a_row_is_short_paths_lose_their_folders() -> None:
    told = Notification("~/.config/acp-tui/config.toml, line 2, foo: no such setting", "Config file", "warning")
    assert shown(told, width=60, most=1) == ["! Config file · …/config.toml, line 2, foo: no such sett…"]
    assert "~/.config/acp-tui/config.toml" in shown(told, width=90, most=1)[0]
    assert "https://example.com/a/b" in shown(Notification("see https://example.com/a/b " * 9), width=60, most=1)[0]


def test_in_few_rows_a_toast_has_all_the_width_and_wraps() -> None:
    told = Notification(" ".join(f"word{n}" for n in range(20)), "Title")
    assert shown(told, width=160, most=1) == ["• Title · " + " ".join(f"word{n}" for n in range(20))]
    assert shown(Notification("first"), told, width=60, most=3) == [
        "• Title · word0 word1 word2 word3 word4 word5 word6",
        "word7 word8 word9 word10 word11 word12 word13 word14",
        "word15 word16 word17 word18 word19  +1",
    ]
    cut = ["• Title · word0 word1 word2 word3", "word4 word5 word6 word7 word8 word…"]
    assert shown(told, width=40, most=2) == cut
    assert shown(Notification("one\ntwo", "Title"), most=3) == ["• Title · one · two"]


def test_the_latest_is_next_to_the_prompt() -> None:
    assert shown(Notification("first"), Notification("second")) == ["• first", "• second"]


def test_markup_and_escapes_are_text() -> None:
    (row,) = toast_rows([Notification("[@click=app.quit]x[/]\x1b[2J")], 80, 1)
    assert "[@click=app.quit]x[/]" in row.plain
    assert "\x1b" not in row.plain
    assert not [span for span in row.spans if "click" in str(span.style)]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
NOTES = st.builds(Notification, TEXTS, TEXTS, st.sampled_from(["information", "warning", "error"]))


@given(st.lists(NOTES, max_size=8), st.integers(20, 200), st.integers(1, 12))
def test_they_keep_within_their_rows_and_the_width(told: list[Notification], width: int, most: int) -> None:
    rows = toast_rows(told, width, most)
    assert len(rows) <= most
    assert bool(rows) is bool(told)
    assert all(row.cell_length <= width for row in rows)


def test_what_is_loud_has_its_colour_and_what_is_quiet_no_weight() -> None:
    def inks(severity: SeverityLevel, title: str) -> set[tuple[str, str]]:
        (row,) = toast_rows([Notification("why", title, severity)], 80, 1)
        return {(row.plain[span.start : span.end].strip(), str(span.style)) for span in row.spans[1:]}

    assert inks("warning", "Slow") == {("! Slow", "bold $warning")}
    assert inks("error", "") == {("✗", "bold $error")}
    assert inks("information", "Done") == {("•", "$muted")}
