"""Where a terminal has few colours: which theme there is, how it tells loud from quiet, and what an answer changes."""

from collections.abc import Iterator
from typing import Any

import pytest
from rich.color import ColorSystem
from rich.style import Style
from textual.color import Color
from textual.filter import Monochrome, NoColor
from textual.screen import Screen
from textual.strip import Strip
from textual.theme import Theme

from acp_tui.host.config.choices import PromptHistory
from acp_tui.ui.app import AcpTuiApp, AppSettings
from acp_tui.ui.kit.theme import ANSI_DARK, ANSI_LIGHT
from acp_tui.ui.sessions.tabs import Opened
from acp_tui.ui.terminal.terminal_capabilities import ColourDepth, MillionsOfColours
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeClient, tell_options
from tests.pilot.test_permission_room import ask
from tests.still import until_still

pytestmark = [pytest.mark.anyio, pytest.mark.painted]

FEW, MANY, MILLIONS = ColorSystem.STANDARD, ColorSystem.EIGHT_BIT, ColorSystem.TRUECOLOR


@pytest.fixture(autouse=True)
def drawing_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Strip, "render", Strip.render)


def styles(someone: User, text: str) -> list[Style]:
    """The styles of the cells of this text, where it is first on the screen."""
    for strip in someone.app.screen._compositor.render_strips():
        if text in strip.text:
            before = strip.text.index(text)
            cells = [style or Style() for part, style, _ in strip for _ in part]
            return cells[before : before + len(text)]
    raise AssertionError(f"{text!r} is not on the screen")


def is_quiet(styles: list[Style]) -> bool:
    return all(bool(style.dim) for style in styles)


def is_plain(styles: list[Style]) -> bool:
    return not any(style.dim for style in styles)


@pytest.mark.parametrize("theme", [ANSI_DARK, ANSI_LIGHT], ids=lambda theme: theme.name)
async def test_the_terminals_own_colours_tell_loud_from_quiet(theme: Theme) -> None:
    async with user(prepare=tell_options) as someone:
        someone.app.theme = theme.name
        await someone.pilot.pause()
        someone.conversation.editor.placeholder = "Nothing written"
        await someone.pilot.pause()
        assert is_quiet(styles(someone, "othing written"))  # the cursor is on its first letter
        key, word = "^P", "commands"
        row = f"{key} {word}"
        told = styles(someone, row)
        assert is_plain(told[: len(key)])
        assert all(style.bold for style in told[: len(key)])
        assert is_quiet(told[len(key) :])
        assert is_quiet(styles(someone, "Model Sonnet")[:5])
        assert is_plain(styles(someone, "Sonnet"))
        await someone.type("written")
        assert is_plain(styles(someone, "written"))


async def test_a_question_is_not_in_the_colour_of_errors() -> None:
    async with user(prepare=ask) as someone:
        for theme in (ANSI_DARK, ANSI_LIGHT):
            someone.app.theme = theme.name
            await someone.wait_for("Permission required")
            loud = styles(someone, "Permission required")[0]
            assert loud.bold, theme.name
            assert loud.color is not None
            assert loud.color == Color.parse(someone.app.theme_variables["warning"]).rich_color, theme.name
            assert loud.color != Color.parse(someone.app.theme_variables["error"]).rich_color, theme.name


async def test_the_row_that_is_chosen_is_reversed_where_no_ground_can_be_blended() -> None:
    async with user(prepare=tell_options) as someone:
        someone.app.theme = ANSI_DARK.name
        await someone.press("alt+p")
        await someone.wait_for("enter")
        current = next(row for row in someone.picker_rows() if row.startswith("●"))
        drawn = styles(someone, current.strip())
        assert all(style.reverse for style in drawn)
        assert len({(style.color, style.bgcolor, style.bold, style.dim) for style in drawn}) == 1


async def test_what_is_selected_in_the_prompt_is_reversed() -> None:
    async with user() as someone:
        await someone.type("written")
        someone.conversation.editor.select_all()
        for theme in (ANSI_DARK, ANSI_LIGHT):
            someone.app.theme = theme.name
            await someone.pilot.pause()
            plain = (Style.parse("default").color, Style.parse("on default").bgcolor)
            for style in styles(someone, "written"):
                assert style.reverse, theme.name
                assert (style.color, style.bgcolor) == plain, theme.name


def app_with(colours: ColourDepth | None, theme: str = "") -> AcpTuiApp:
    client = FakeClient("ready")
    return AcpTuiApp(Opened(client, client.open_session(), PromptHistory(None)), AppSettings(theme, colours=colours))


@pytest.mark.parametrize(
    ("colours", "theme", "shown"),
    [
        (None, "", "acp-dark"),
        (ColourDepth(MILLIONS), "", "acp-dark"),
        (ColourDepth(MANY, ask=True), "", "acp-dark"),
        (ColourDepth(FEW, ask=True), "", "ansi-dark"),
        (ColourDepth(FEW), "", "ansi-dark"),
        (ColourDepth(None), "", "ansi-dark"),
        (ColourDepth(FEW), "acp-light", "acp-light"),
        (ColourDepth(FEW), "no such theme", "ansi-dark"),
    ],
)
def test_the_theme_that_nobody_chose_is_one_that_the_terminal_can_draw(
    colours: ColourDepth | None, theme: str, shown: str
) -> None:
    assert app_with(colours, theme).theme == shown


@pytest.mark.parametrize(
    ("theme", "picked", "after"),
    [("", "", "acp-dark"), ("acp-light", "", "acp-light"), ("", "nord", "nord"), ("ansi-dark", "", "ansi-dark")],
)
async def test_an_answer_gives_all_colours_and_the_theme_that_was_meant(theme: str, picked: str, after: str) -> None:
    app = app_with(ColourDepth(FEW, ask=True), theme)
    async with app.run_test():
        assert app.console.color_system == "standard"
        app.theme = picked or app.theme
        await until_still(app)
        for _ in range(2):
            app.post_message(MillionsOfColours())
            await until_still(app)
            await app.workers.wait_for_complete()
        assert app.theme == after
        assert app.console.color_system == "truecolor"
        assert not app.asks_for_colours


async def test_every_frame_after_the_answer_is_in_the_new_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_with(ColourDepth(FEW, ask=True))
    looks: list[set[object]] = []
    async with app.run_test():
        await until_still(app)
        display = app._display

        def seen(screen: Screen[object], frame: Any) -> None:
            if not app._batch_count and frame is not None:
                strips = screen._compositor.render_strips()
                styles = [segment.style for strip in strips for segment in strip if segment.style]
                looks.append({style.bgcolor is None or style.bgcolor.is_default for style in styles})
            display(screen, frame)

        monkeypatch.setattr(app, "_display", seen)
        app.post_message(MillionsOfColours())
        await until_still(app)
        await app.workers.wait_for_complete()
        await until_still(app)
    assert app.theme == "acp-dark"
    assert looks
    assert all(look == {False} for look in looks), looks


async def test_who_was_not_asked_changes_nothing() -> None:
    app = app_with(ColourDepth(FEW))
    async with app.run_test():
        app.post_message(MillionsOfColours())
        await until_still(app)
        assert app.console.color_system == "standard"
        assert app.theme == "ansi-dark"


def drawn_colours(app: AcpTuiApp) -> Iterator[object]:
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                if colour is not None and not colour.is_default:
                    yield colour


@pytest.mark.parametrize("no_color", [True, False], ids=["NO_COLOR", "a terminal without colours"])
async def test_without_colours_a_theme_of_few_has_none_at_all(no_color: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    app = app_with(ColourDepth(FEW if no_color else None, ask=no_color))
    assert not app.asks_for_colours
    async with app.run_test(size=(80, 24)):
        await until_still(app)
        assert list(drawn_colours(app)) == []
        assert [type(each) for each in app._filters[1:]] == [NoColor]
        app.theme = "acp-dark"
        await until_still(app)
        assert [type(each) for each in app._filters[1:]] == [Monochrome]
        for colour in drawn_colours(app):
            assert len(set(getattr(colour, "triplet", None) or (0,))) == 1, colour
