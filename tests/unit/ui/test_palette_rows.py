"""What the palette finds first: what a user means by a word, whatever it is called here."""

from collections.abc import Callable
from datetime import UTC, datetime

from textual.theme import BUILTIN_THEMES

from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand
from acp_tui.ui.command_palette import (
    PalettePicker,
    PaletteRows,
    Row,
    answer_words,
    client_rows,
    option_rows,
    row_that,
    slash_rows,
    theme_rows,
)
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.kit.theme import DARK, LIGHT
from acp_tui.views.command_index import SlashCommands
from acp_tui.views.past_sessions import PastSession
from acp_tui.views.row_search import SearchIndex, past_session_rows, texts_of
from tests.pilot.fake_client import options
from tests.rows import each_of

COMPACT = AvailableCommand(name="compact", description="Summarise the conversation")
OFFERS = SlashCommands(COMMANDS, [COMPACT, AvailableCommand(name="quit")]).rows
THEMES = {DARK.name: DARK, LIGHT.name: LIGHT, **BUILTIN_THEMES}


def nothing(*_what: object) -> None: ...


def rows() -> list[Row]:
    slash = {command.id: command.slash[0] for command in COMMANDS if command.slash}
    return [
        *client_rows(nothing, slash),
        *slash_rows(OFFERS, "OpenCode", nothing),
        *option_rows(options(), nothing, nothing),
        *theme_rows(THEMES, DARK.name, nothing),
    ]


def found(query: str, present: list[Row]) -> list[str]:
    return [row.name for row in SearchIndex(present, texts_of).find(query)]


@each_of(
    ("query", "meant"),
    [
        ("settings", ("Settings", "All options")),
        ("exit", ("Quit",)),
        ("quit", ("Quit",)),
        ("resume", ("Sessions",)),
        ("effort", ("Change thinking level", "Cycle thinking level")),
        ("fast", ("Fast",)),
        ("compact", ("/compact",)),
        ("dark", ("Toggle dark/light theme",)),
        ("light", ("Toggle dark/light theme",)),
        ("stop", ("Cancel turn",)),
        ("keys", ("Help",)),
        ("theme", ("Choose theme",)),
        ("model", ("Change model",)),
        ("login", ("Log in",)),
        ("search", ("Search prompt history",)),
        ("shift+tab", ("Cycle mode",)),
        ("opus", ("Opus 5",)),
        ("model opus", ("Opus 5",)),
        ("k3", ("Kimi K3",)),
        ("nord", ("nord",)),
        ("change model conf", ("Change model options",)),
        ("chmoop", ("Change model options",)),
        ("the", ("Toggle dark/light theme", "Choose theme")),
        ("a", ("Attach command output", "Add folder", "Accept suggestion", "Ask a side question", "All options")),
        ("undo the files", ("Undo the turn's files",)),
        ("review the comments", ("Review comments",)),
    ],
)
def test_by_the_word_that_hands_know(query: str, meant: tuple[str, ...]) -> None:
    assert found(query, rows())[0] in meant


def test_nothing_is_found_by_scattered_letters_where_a_word_is() -> None:
    for query in ("theme", "clear", "stop", "exit"):
        for row in SearchIndex(rows(), texts_of).find(query):
            texts = texts_of(row)
            assert query in "\n".join((*texts.names, texts.also, *texts.beside)).lower(), row.name


def test_what_has_no_key_shows_its_slash_name_and_all_keys_are_found() -> None:
    by_name = {row.name: row for row in rows()}
    assert (by_name["Choose theme"].hint, by_name["Change model"].hint) == ("/theme", "Alt+P")
    assert found("f2", rows()) == ["Change model"]


def test_titles_are_prose_and_yield_to_what_is_called_so() -> None:
    titles = [
        PastSession(SessionInfo(session_id=title, cwd="/p", title=title)) for title in ("Stop the leak", "Unstoppable")
    ]
    past = [row_that(nothing, row) for row in past_session_rows(titles, datetime.now(UTC))]
    every = [*past, *rows()]
    assert found("stop the", every)[0] == "Stop the leak"
    assert found("stop", rows() + past)[0] == "Cancel turn"
    assert found("session leak", every) == ["Stop the leak"]


def test_a_value_says_of_which_option_it_is_and_sets_it() -> None:
    chosen: list[tuple[str, object]] = []
    values = list(option_rows(options(), nothing, lambda choice: chosen.append((choice.option_id, choice.value))))
    opus = next(row for row in values if row.name == "Opus 5")
    assert (opus.heading, opus.current) == ("Model", False)
    act: Callable[[], object] | None = opus.value.act
    assert act is not None
    act()
    assert chosen == [("model", "opus")]
    assert [row.name for row in values if row.current] == ["Ask", "Sonnet 5", "High"]


def test_a_switch_is_one_row() -> None:
    fast = [row for row in option_rows(options(), nothing, nothing) if "Fast" in (row.name, row.heading)]
    assert [(row.name, row.description, row.heading) for row in fast] == [("Fast", "Off", "Option")]


def answered(query: str, width: int) -> str:
    row = next(iter(SearchIndex(rows(), texts_of).find(query)))
    return answer_words(row, 34, width).plain


def test_an_answer_says_its_kind_beside_its_name_and_its_key_at_the_edge() -> None:
    assert answered("theme", 60) == "  Choose theme                        Program         /theme"
    assert answered("compact", 60) == "  /compact                            OpenCode · Summarise …"


def test_below_its_heading_a_row_has_its_key_at_the_edge_and_its_description_in_a_column_of_its_own() -> None:
    shown = PaletteRows(client_rows(nothing, {}), slash_rows(OFFERS, "OpenCode", nothing), [])
    at_rest = {row.value.name: row.draw(70).plain for row in PalettePicker(shown).listed() if row.value is not None}
    assert at_rest["Change model"].endswith("   Alt+P")
    assert at_rest["Copy last answer"].endswith("   Ctrl+X y")
    column = at_rest["/compact"].index("Summarise")
    assert at_rest["/compact"][:column].rstrip() == "  /compact"
    assert {len(words) for words in at_rest.values() if words.rstrip().endswith(("Alt+P", "Ctrl+X y"))} == {70}


def test_on_a_narrow_screen_the_key_goes_before_the_kind() -> None:
    assert answered("theme", 36) == "  Choose theme  Program       /theme"
    assert answered("theme", 28) == "  Choose theme  Program"


@each_of("width", [40, 60, 100])
@each_of("query", ["theme", "compact", "search", "dracula"])
def test_an_answer_is_no_wider_than_its_list(query: str, width: int) -> None:
    assert len(answered(query, width)) <= width


@each_of(
    ("query", "there", "gone"),
    [
        ("the", ["Choose theme"], ["Branches", "Redo files", "Log in"]),  # tooltips, "authenticate"
        ("exit", ["Quit"], []),  # no name has it: what is found by other words stays
        ("sett", ["Settings"], ["Change model"]),
    ],
)
def test_where_a_name_has_what_is_typed_no_row_is_found_for_a_hidden_reason(
    query: str, there: list[str], gone: list[str]
) -> None:
    picker = PalettePicker(PaletteRows(client_rows(nothing, {}), [], []))
    shown = [row.value.name for row in picker._answers(query) if row.value is not None]
    assert set(there) <= set(shown)
    assert not set(gone) & set(shown)
