"""Panels with a list: their keys as bindings and hints, and what every one of them does by keys, resize and clicks."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import pytest
from textual.app import App
from textual.content import Content
from textual.pilot import Pilot

from acp_tui.ui.kit.base_screens import MOST_ROWS
from acp_tui.ui.kit.list_panel import ListPanel, PanelKey, PanelKeys, bindings_of, hints_of, key_of
from acp_tui.ui.kit.row_list import ListRow
from acp_tui.ui.kit.theme import CLOSE, DARK, MOVE, Hint, HintLine, tones
from tests.rows import each_of

FRUIT = ("apple", "banana", "cherry", "date")


def row_of(fruit: str) -> ListRow[str]:
    return ListRow(lambda _width: Content(fruit), fruit)


class Bowl(ListPanel[str, str]):
    """Fruit, of which one is taken, eaten or put back."""

    TITLE, nothing = "Bowl", "All eaten"
    KEYS: ClassVar[PanelKeys] = (
        PanelKey("enter,space", "take", "choose"),
        PanelKey("d,delete", lambda panel: f"eat {panel.list.value}", lambda panel: panel.eat(), lambda p: p.fruit),
        PanelKey("z", "", "put_back"),
        MOVE,
        CLOSE,
    )

    def __init__(self, fruit: Sequence[str] = FRUIT) -> None:
        super().__init__()
        self.fruit, self.eaten = list(fruit), list[str]()

    def listed(self) -> list[ListRow[str]]:
        return [row_of(each) for each in self.fruit]

    def eat(self) -> None:
        assert self.list.value is not None, "the key counts only while there is something"
        self.fruit.remove(self.list.value)
        self.eaten.append(self.list.value)
        self.fill()

    def action_put_back(self) -> None:
        back = self.eaten.pop()
        self.fruit.append(back)
        self.fill(lambda fruit: fruit == back)


class Shelf(ListPanel[str, str]):
    """Fruit to be filtered; its row of hints says so."""

    FILTER = "Type a fruit"
    KEYS: ClassVar[PanelKeys] = (("enter", "take"), PanelKey("ctrl+e,f2", "note", "note"), CLOSE)

    def __init__(self, query: str = "", steady: int = 0) -> None:
        super().__init__("Shelf", query)
        self.steady, self.noted = steady, list[str | None]()

    def listed(self) -> list[ListRow[str]]:
        return [row_of(each) for each in FRUIT if self.query_typed in each]

    def action_note(self) -> None:
        self.noted.append(self.list.value)


class Larder(Shelf):
    """A shelf without keys of its own."""

    KEYS: ClassVar[PanelKeys] = (
        PanelKey("ctrl+t", "twice", lambda panel: panel.noted.extend([panel.list.value] * 2)),
        CLOSE,
    )


class Last(Bowl):
    """A bowl that is left with a last word."""

    KEYS: ClassVar[PanelKeys] = (PanelKey("escape", "leave", lambda panel: panel.dismiss("bye")),)


class PanelApp(App[None], inherit_bindings=False):
    """An app with one panel, as far as styles and tones are not asked for."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    .picker-panel { width: 60; height: auto; }
    .picker-title, .picker-hints { height: 1; }
    """

    def __init__(self, panel: ListPanel[str, str] | Callable[[], ListPanel[str, str]]) -> None:
        super().__init__()
        self.panel = panel
        self.left: list[str | None] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(tones(DARK))

    def on_mount(self) -> None:
        panel = self.panel if isinstance(self.panel, ListPanel) else self.panel()
        self.push_screen(panel, self.left.append)


@asynccontextmanager
async def shown(panel: ListPanel[str, str] | Callable[[], ListPanel[str, str]]) -> AsyncIterator[Pilot[None]]:
    async with PanelApp(panel).run_test(size=(80, 40)) as pilot:
        await pilot.pause()
        yield pilot


def left(pilot: Pilot[None]) -> list[str | None]:
    assert isinstance(pilot.app, PanelApp)
    return pilot.app.left


def hints(panel: ListPanel[str, str]) -> str:
    return str(panel.query_one(HintLine).render())


def drawn(panel: ListPanel[str, str]) -> list[str]:
    return [str(row.draw(20)) for row in panel.list.rows]


@each_of(
    "key, label",
    [
        ("d", "d"),
        ("K", "K"),
        ("f2", "f2"),
        ("tab", "tab"),
        ("enter", "enter"),
        ("space", "space"),
        ("delete", "del"),
        ("escape", "esc"),
        ("question_mark", "?"),
        ("slash", "/"),
        ("ctrl+g", "^G"),
        ("ctrl+underscore", "^_"),
    ],
)
def test_a_key_in_the_hints(key: str, label: str) -> None:
    assert hints_of(None, [PanelKey(key, "do")]) == [(label, "do")]


@each_of(
    "key, told",
    [
        (("up", "move"), [("up", "move")]),
        (PanelKey("d,delete", "delete", "delete"), [("d", "delete")]),
        (PanelKey("z", "", "undo"), []),
        (PanelKey("z", str, "undo"), [("z", "7")]),
        (PanelKey("z", lambda _panel: "", "undo"), []),
        (PanelKey("z", "undo", "undo", lambda panel: panel > 7), []),
        (PanelKey("z", "undo", "undo", lambda panel: panel == 7), [("z", "undo")]),
    ],
)
def test_what_the_hints_tell_of_a_key(key: PanelKey | Hint, told: list[Hint]) -> None:
    assert hints_of(7, [key]) == told


@each_of(
    "keys, told",
    [
        ([PanelKey("f1", "help", label="?")], [("?", "help")]),
        ([PanelKey("q", "quit", rank=1), MOVE, PanelKey("y", "copy")], [MOVE, ("y", "copy"), ("q", "quit")]),
        ([PanelKey("q", "quit", rank=2), PanelKey("c", "close", rank=1)], [("c", "close"), ("q", "quit")]),
        ([MOVE, PanelKey("enter", "open", rank=-1), CLOSE], [("enter", "open"), MOVE, CLOSE]),
    ],
)
def test_labels_and_the_order_of_hints(keys: PanelKeys, told: list[Hint]) -> None:
    assert hints_of(7, keys) == told


@each_of(
    "name, panel, found",
    [("a", 7, "a,b"), ("b", 7, "a,b"), ("b", 8, "b"), ("enter", 7, None), ("c", 7, None), ("up", 7, None)],
)
def test_the_row_of_a_key(name: str, panel: int, found: str | None) -> None:
    keys: PanelKeys = [
        MOVE,
        PanelKey("enter"),
        PanelKey("a,b", act="one", when=lambda panel: panel == 7),
        PanelKey("b", act="two"),
    ]
    row = key_of(name, panel, keys)
    assert (row.keys if row is not None else None) == found


def test_a_word_is_asked_for_only_while_its_key_counts() -> None:
    def word(_panel: object) -> str:
        raise AssertionError

    assert hints_of(7, [PanelKey("z", word, "undo", lambda _panel: False), CLOSE]) == [CLOSE]


def test_only_what_a_panel_does_itself_is_bound() -> None:
    bound = bindings_of([MOVE, PanelKey("enter", "open"), PanelKey("d,delete", "delete", "delete"), CLOSE])
    assert [(binding.key, binding.show) for binding in bound] == [("d,delete", False)]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ("", "apple"),
        ("down", "banana"),
        ("j j", "cherry"),
        ("ctrl+n", "banana"),
        ("up", "date"),
        ("down k", "apple"),
        ("down ctrl+p", "apple"),
        ("pagedown", "date"),
        ("pagedown pageup", "apple"),
    ],
)
async def test_keys_move_the_highlight(keys: str, value: str) -> None:
    async with shown(Bowl()) as pilot:
        await pilot.press(*keys.split())
        assert pilot.app.screen is not None
        panel = pilot.app.screen
        assert isinstance(panel, Bowl)
        assert panel.list.value == value


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("keys", "result"),
    [("enter", ["apple"]), ("down space", ["banana"]), ("escape", [None]), ("ctrl+q", [None]), ("down", [])],
)
async def test_enter_chooses_and_escape_leaves(keys: str, result: list[str | None]) -> None:
    async with shown(Bowl()) as pilot:
        await pilot.press(*keys.split())
        assert left(pilot) == result


@pytest.mark.anyio
async def test_a_key_that_leaves_elsewhere_may_be_the_panel_s_own() -> None:
    async with shown(Last()) as pilot:
        await pilot.press("escape")
        assert left(pilot) == ["bye"]


@pytest.mark.anyio
async def test_a_click_chooses() -> None:
    panel = Bowl()
    async with shown(panel) as pilot:
        await pilot.click(panel.list, offset=(2, 2))
        assert left(pilot) == ["cherry"]


@pytest.mark.anyio
async def test_the_highlight_stays_in_its_row_or_goes_to_what_is_to_be_kept() -> None:
    panel = Bowl()
    async with shown(panel) as pilot:
        await pilot.press("down", "d")
        assert (panel.eaten, panel.list.value) == (["banana"], "cherry")
        await pilot.press("down", "delete")
        assert panel.list.value == "cherry"  # the last row went
        await pilot.press("up", "z")
        assert panel.list.value == "date"


@pytest.mark.anyio
async def test_hints_and_keys_are_those_that_count_now() -> None:
    panel = Bowl(["fig"])
    async with shown(panel) as pilot:
        assert hints(panel) == "enter take  d eat fig  ↑↓ move  esc close"
        await pilot.press("d")
        assert hints(panel) == "enter take  esc close"  # there is nothing to move over either
        assert drawn(panel) == ["All eaten"]
        await pilot.press("d", "enter")  # nothing is there to be eaten, or to be taken
        assert (panel.eaten, left(pilot)) == (["fig"], [])


@pytest.mark.anyio
async def test_what_is_typed_filters_and_the_best_row_is_highlighted_again() -> None:
    panel = Shelf()
    async with shown(panel) as pilot:
        assert panel.rows.line.placeholder == "Type a fruit"
        await pilot.press("down", "a", "n")
        assert (drawn(panel), panel.list.value) == (["banana"], "banana")
        await pilot.press("x")
        assert drawn(panel) == ["No matches"]
        await pilot.press("backspace", "enter")
        assert left(pilot) == ["banana"]


@pytest.mark.anyio
async def test_a_filter_is_there_from_the_beginning() -> None:
    async with shown(lambda: Shelf("ch")) as pilot:
        await pilot.press("enter")
        assert left(pilot) == ["cherry"]


@pytest.mark.anyio
@pytest.mark.parametrize(("keys", "value"), [("down", "banana"), ("tab ctrl+n", "cherry"), ("pagedown up", "cherry")])
async def test_keys_move_below_a_filter_whose_letters_are_text(keys: str, value: str) -> None:
    panel = Shelf()
    async with shown(panel) as pilot:
        await pilot.press(*keys.split())
        assert panel.list.value == value
        assert panel.rows.moved
        await pilot.press("k")
        assert panel.rows.line.value == "k"
        assert not panel.rows.moved


@pytest.mark.anyio
async def test_the_filter_leaves_the_panel_its_keys() -> None:
    """Ctrl+E goes to the end of a line elsewhere."""
    panel = Shelf()
    async with shown(panel) as pilot:
        await pilot.press("ctrl+e", "down", "f2")
        assert panel.noted == ["apple", "banana"]


@pytest.mark.anyio
async def test_other_keys_of_a_subclass_take_the_place_of_those_before() -> None:
    panel = Larder()
    async with shown(panel) as pilot:
        await pilot.press("ctrl+t", "ctrl+e")
        assert panel.noted == ["apple", "apple"]
        assert hints(panel) == "^T twice  esc close"


@pytest.mark.anyio
async def test_letters_from_before_the_filter_had_the_focus_belong_into_it() -> None:
    panel = Shelf()
    async with shown(panel) as pilot:
        panel.set_focus(None)
        await pilot.press("d", "a")
        assert panel.rows.line.value == "da"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("panel", "query", "rows"),
    [
        (Shelf, "an", 1),
        (lambda: Shelf(steady=4), "an", 4),
        (lambda: Shelf(steady=90), "", MOST_ROWS),
        (Bowl, "", 4),
        (lambda: Bowl(["fig"] * 90), "", MOST_ROWS),
    ],
)
async def test_rows_of_the_list(panel: Callable[[], ListPanel[str, str]], query: str, rows: int) -> None:
    async with shown(one := panel()) as pilot:
        await pilot.press(*query)
        await pilot.pause()
        assert one.list.size.height == rows


@pytest.mark.anyio
async def test_a_smaller_screen_has_fewer_rows_of_the_list() -> None:
    panel = Bowl(["fig"] * 90)
    async with shown(panel) as pilot:
        await pilot.resize_terminal(80, 12)
        await pilot.pause()
        assert panel.list.size.height == 9
        panel.beside = 2
        await pilot.resize_terminal(80, 11)
        await pilot.pause()
        assert panel.list.size.height == 6


def test_a_panel_says_which_rows_it_has() -> None:
    class Bare(ListPanel[Any, None]):
        """Nothing is said."""

    with pytest.raises(NotImplementedError):
        Bare().listed()


class Crate(Shelf):
    """A shelf from which fruit is deleted."""

    KEYS: ClassVar[PanelKeys] = (
        PanelKey("delete", "delete", lambda panel: panel.noted.append(panel.list.value)),
        CLOSE,
    )


@pytest.mark.anyio
async def test_ctrl_d_only_names_the_key_that_deletes() -> None:
    """In the line of a filter it would delete a character elsewhere."""
    async with shown(lambda: Crate("an")) as pilot:
        panel = pilot.app.screen
        assert isinstance(panel, Crate)
        await pilot.press("home", "ctrl+d")
        await pilot.pause()
        assert (panel.noted, panel.query_typed) == ([], "an")
        assert [note.message for note in pilot.app._notifications] == ["Press Delete to delete"]
        await pilot.press("delete")
        assert panel.noted == ["banana"]


@pytest.mark.anyio
async def test_ctrl_f_filters_anew() -> None:
    async with shown(lambda: Shelf("an")) as pilot:
        panel = pilot.app.screen
        assert isinstance(panel, Shelf)
        await pilot.press("home", "ctrl+f", "c", "h")
        assert (panel.query_typed, panel.list.value) == ("ch", "cherry")


@pytest.mark.anyio
async def test_ctrl_f_is_refused_with_a_word_in_a_list_without_a_filter() -> None:
    async with shown(Bowl()) as pilot:
        await pilot.press("ctrl+f")
        await pilot.pause()
        assert [note.message for note in pilot.app._notifications] == ["No filter here"]
