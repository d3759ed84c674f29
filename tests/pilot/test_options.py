"""The selector bar, the keys that change options, and the pickers."""

import asyncio

import pytest
from textual import events
from textual.widgets import Input

from acp_tui.protocol.vocabulary.config_options import BooleanOption, ConfigValue, SelectOption
from acp_tui.protocol.vocabulary.session_updates import Cost, UsageUpdate
from acp_tui.session import facts
from acp_tui.session.state import Session
from acp_tui.ui.kit.picker import Picker
from tests.pilot.driver import user
from tests.pilot.fake_client import options, say, select, tell_options, tell_usage

pytestmark = pytest.mark.anyio


def everything(session: Session) -> None:
    tell_options(session)
    tell_usage(session)


async def test_the_bar_shows_every_option_in_the_agents_order() -> None:
    async with user(prepare=everything) as someone:
        row = next(row for row in someone.rows() if "Thinking" in row)
        assert "Mode Ask   Model Sonnet 5   Thinking High   Fast Off" in row
        assert row.rstrip().endswith("34% of 200k · $0.05")


async def test_the_key_is_for_the_first_option_of_a_category() -> None:
    told = [select("a", "First", "mode", ["x", "y"]), select("b", "Second", "mode", ["x", "y"])]
    async with user(prepare=lambda session: tell_options(session, list(told))) as someone:
        assert someone.sees("First x   Second x")
        assert someone.sees("shift+tab first")
        await someone.press("shift+tab")
        assert someone.acts("choose") == [("a", "y")]


async def test_an_option_that_plainly_means_the_thinking_level_has_its_key() -> None:
    told = [select("x", "N" * 9, None, ["on", "off"]), select("y", "Thinking", "thinking", ["high", "low"])]
    async with user(prepare=lambda session: tell_options(session, list(told))) as someone:
        await someone.wait_for("alt+t thinking")
        await someone.press("alt+t")
        assert someone.acts("choose") == [("y", "low")]


async def test_the_bar_at_eighty_columns_keeps_the_first_and_counts_the_rest() -> None:
    many = [select(f"o{n}", f"Option {n}", None, ["value"]) for n in range(9)]
    async with user((80, 24), prepare=lambda session: tell_options(session, list(many))) as someone:
        row = next(row for row in someone.rows() if "Option 0" in row)
        assert "Option 1 value" in row
        assert "+5" in row
        assert len(row.rstrip()) <= 80


async def test_however_long_an_option_is_the_count_and_the_whole_cost_are_seen() -> None:
    def prepare(session: Session) -> None:
        tell_options(session, [select("a", "A long name of an option", "model", ["v" * 60]), *options()])
        session.apply(UsageUpdate(used=99, size=100, cost=Cost(amount=1234.5, currency="XYZ")))

    async with user((80, 24), prepare=prepare) as someone:
        row = next(row for row in someone.rows() if "A long name" in row)
        assert "+4" in row
        assert row.rstrip().endswith("99% nearly full · 1,234.50 XYZ")


FOOTER = "^P commands  ^X menu  ? help"
FOOTERS = {40: FOOTER, 60: f"{FOOTER}   shift+tab mode", 80: f"{FOOTER}   shift+tab mode  alt+p model"}


@pytest.mark.parametrize("width", FOOTERS)
async def test_keys_stay_where_they_are(width: int) -> None:
    def footer() -> str:
        return someone.rows()[-1].strip() or someone.rows()[-2].strip()

    async with user((width, 24), prepare=tell_options) as someone:
        assert footer() == FOOTERS[width]
        tell_usage(someone.session)
        long = [select("mode", "Mode", "mode", ["A mode with a name that is very long indeed", "y"])]
        tell_options(someone.session, [*long, *options()[1:]])
        await someone.wait_for("A mode")
        assert footer() == FOOTERS[width]


async def test_an_option_that_the_agent_does_not_have_needs_no_key() -> None:
    async with user((80, 24), prepare=lambda session: tell_options(session, [])) as someone:
        await someone.wait_for(FOOTER)
        assert not someone.sees("alt+p")


NEXT: list[tuple[tuple[str, ...], tuple[str, object]]] = [
    (("shift+tab",), ("mode", "Code")),
    (("ctrl+x", "a"), ("mode", "Code")),
    (("alt+t",), ("thought", "Low")),
    (("f3",), ("thought", "Low")),
    (("ctrl+x", "t"), ("thought", "Low")),
    (("alt+o",), ("fast", True)),
    (("f4",), ("fast", True)),
    (("ctrl+x", "o"), ("fast", True)),
]


async def test_keys_choose_the_next_value() -> None:
    async with user(prepare=everything) as someone:
        for number, (keys, chosen) in enumerate(NEXT):
            await someone.press(*keys)
            assert someone.acts("choose")[number:] == [chosen], keys
            someone.session.apply(facts.ConfigOptionSettled(chosen[0], "not now"))


async def test_the_model_panel_lists_model_and_model_config() -> None:
    async with user(prepare=everything) as someone:
        for keys in (("alt+p",), ("f2",), ("ctrl+x", "m")):
            await someone.press(*keys)
            rows = [row.strip() for row in someone.picker_rows()]
            assert rows[0] == "Anthropic", keys
            assert someone.sees("Model and fast")
            assert rows[1].startswith("● Sonnet 5")
            assert rows[-3:] == ["Fast", "On", "● Off"]
            await someone.press("escape")


async def test_picking_by_filter() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("alt+p")
        await someone.type("moon")
        await someone.press("enter")
        assert someone.acts("choose") == [("model", "k3")]
        assert someone.app.screen is someone.conversation


async def test_enter_that_comes_twice_picks_once_and_leaves_the_picker_only() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("alt+p", "down")
        picker = someone.app.screen
        for _ in range(2):  # before the first has been answered
            someone.app.post_message(events.Key("enter", None))
        await someone.wait_until(lambda: picker not in someone.app.screen_stack, "the end of the picker")
        await someone.pilot.pause()
        assert someone.app.screen is someone.conversation
        assert len(someone.acts("choose")) == 1


async def test_the_filter_looks_into_descriptions_and_says_when_nothing_matches() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("alt+p")
        await someone.type("most able")
        assert sum("Opus" in row for row in someone.picker_rows()) == 1
        await someone.type("zzz")
        assert someone.picker_rows() == ["No matches"]
        await someone.press("enter", "escape")
        assert someone.acts("choose") == []


async def test_the_filter_looks_into_values_that_are_not_shown() -> None:
    values = [ConfigValue(value=value, name=name) for value, name in (("eu-1", "Europe"), ("us-1", "America"))]
    told = [SelectOption(id="region", name="Region", category="model", current_value="eu-1", values=values)]
    async with user(prepare=lambda session: tell_options(session, list(told))) as someone:
        await someone.press("alt+p")
        await someone.type("us-")
        assert [row.strip() for row in someone.picker_rows()] == ["America"]


async def test_what_is_typed_while_the_picker_opens_is_in_its_filter() -> None:
    async with user(prepare=everything) as someone:
        someone.app.post_message(events.Key("alt+p", None))
        for _ in range(1000):
            if isinstance(someone.app.screen, Picker):
                break
            await asyncio.sleep(0)
        await someone.type("moon")
        await someone.wait_until(lambda: someone.app.screen.query_one(Input).value == "moon", "the filter to have it")
        assert someone.draft == ""


async def test_what_the_agent_says_meanwhile_is_seen_behind_the_picker() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("alt+p")
        say(someone.session, "Hello there")
        await someone.wait_for("Hello there")
        tell_options(someone.session, [select("mode", "Manner", "mode", ["Ask"])])
        await someone.wait_for("Manner Ask")
        await someone.pilot.resize_terminal(100, 30)
        await someone.wait_for("Hello there")
        assert isinstance(someone.app.screen, Picker)


async def test_the_panel_of_all_options_has_its_columns() -> None:
    told = [select(name, name.title(), None, [value]) for name, value in (("a", "short"), ("b", "much longer"))]
    told = [option.model_copy(update={"description": "It says why"}) for option in told]
    async with user(prepare=lambda session: tell_options(session, list(told))) as someone:
        await someone.press("ctrl+x", "c")
        assert len({row.index("It says why") for row in someone.picker_rows()}) == 1


async def test_a_long_picker_opens_with_rows_on_both_sides_of_the_current_one() -> None:
    values = [f"value {number}" for number in range(100)]
    told = [select("a", "A", "model", values).model_copy(update={"current_value": "value 50"})]
    async with user(prepare=lambda session: tell_options(session, list(told))) as someone:
        await someone.press("alt+p")
        assert someone.sees("value 45 ")
        assert someone.sees("value 55 ")


async def test_picking_by_mouse() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("alt+p")
        await someone.pilot.click("RowList", offset=(8, 2))
        assert someone.acts("choose") == [("model", "opus")]


async def test_all_options_opens_each() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("ctrl+x", "c")
        assert [row.split()[0] for row in someone.picker_rows()] == ["Mode", "Model", "Thinking", "Fast"]
        await someone.press("down", "enter")
        assert any("Opus" in row for row in someone.picker_rows())


async def test_a_boolean_toggles_from_the_panel_of_all() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("ctrl+x", "c", "up", "enter")
        assert someone.acts("choose") == [("fast", True)]


async def test_model_config_with_many_values_opens_a_list() -> None:
    told = [select("context", "Context", "model_config", ["200k", "500k", "1M", "2M"])]
    async with user(prepare=lambda session: tell_options(session, list(told))) as someone:
        await someone.press("alt+o")
        assert len(someone.picker_rows()) == 4


async def test_a_change_in_flight_is_shown_as_such_and_goes_back_when_refused() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("shift+tab")
        await someone.wait_for("Mode Code…")
        someone.session.apply(facts.ConfigOptionSettled("mode", "not in this folder"))
        await someone.wait_for("Mode Ask ")
        assert any("not in this folder" in toast for toast in someone.toasts())


async def test_two_presses_are_two_steps_though_the_agent_has_not_answered_the_first() -> None:
    async with user(prepare=everything) as someone:
        for wanted in ("Code", "Plan"):
            await someone.press("shift+tab")
            someone.session.apply(facts.ConfigOptionRequested("mode", wanted))
        await someone.press("shift+tab")
        assert someone.acts("choose") == [("mode", "Code"), ("mode", "Plan"), ("mode", "Ask")]


async def test_what_the_agent_took_away_while_one_looked_at_it_is_not_chosen_and_that_is_said() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("alt+p")
        tell_options(someone.session, [option for option in options() if option.id != "model"])
        await someone.press("down", "enter")
        assert someone.acts("choose") == []
        assert any("removed this option; Opus 5 was not set" in toast for toast in someone.toasts())


async def test_other_options_that_changed_are_named() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("shift+tab")
        changed = options()
        changed[0].current_value = "Code"
        changed[2].current_value = "Low"
        tell_options(someone.session, changed)
        someone.session.apply(facts.ConfigOptionSettled("mode"))
        await someone.wait_for("Mode Code   Model")
        await someone.wait_until(lambda: any("Also changed: Thinking" in toast for toast in someone.toasts()))


async def test_a_category_that_the_agent_lacks_is_said() -> None:
    async with user() as someone:
        await someone.press("shift+tab")
        assert someone.acts("choose") == []
        assert any("mode" in toast for toast in someone.toasts())


async def test_clicking_an_option_changes_it() -> None:
    async with user(prepare=everything) as someone:
        row = next(row for row in someone.rows() if "Fast Off" in row)
        y = someone.rows().index(row)
        await someone.pilot.click(offset=(row.index("Fast Off") + 1, y))
        assert someone.acts("choose") == [("fast", True)]


async def test_options_that_appear_and_vanish_are_named_in_one_line() -> None:
    async with user(prepare=everything) as someone:
        changed = options()
        changed[2] = select("wide", "1M context", "model_config", ["Off", "On"])
        changed[0].current_value = "Plan"
        tell_options(someone.session, changed)
        said = "Changed by the agent: Mode → Plan · new option: 1M context · removed: Thinking"
        await someone.wait_until(lambda: said in someone.toasts(), said)


async def test_an_option_that_the_agent_cannot_change_says_so_and_keeps_still() -> None:
    async with user(prepare=everything) as someone:
        await someone.press("shift+tab")
        gone = "the agent does not support session/set_mode"
        someone.session.apply(facts.ConfigOptionSettled("mode", gone, unsupported=True))
        await someone.wait_for("Mode Ask (fixed)   Model")
        assert any(gone in toast for toast in someone.toasts())
        someone.app.clear_notifications()
        await someone.press("shift+tab")
        assert len(someone.acts("choose")) == 1
        assert any("Cannot change this option" in toast for toast in someone.toasts())
        await someone.press("ctrl+x", "c")
        assert "Ask (fixed)" in someone.picker_rows()[0]
        await someone.press("enter", "down", "enter")
        assert len(someone.acts("choose")) == 1


async def test_a_current_value_beside_the_list_is_shown_as_it_is() -> None:
    url = "https://agents.example.com/modes#ask"
    told = [
        select("mode", "Mode", "mode", ["Ask", "Code", "Plan", "Yolo"], url),
        select("p", "Provider", None, [], "x"),
    ]
    async with user(prepare=lambda session: tell_options(session, list(told))) as someone:
        assert someone.sees(f"Mode {url}")
        await someone.press("ctrl+x", "c", "enter")
        rows = someone.picker_rows()
        assert rows[0].startswith(f"● {url}")
        assert "current, not in the list" in rows[0]
        await someone.press("enter")
        assert someone.acts("choose") == []
        await someone.press("shift+tab")
        assert someone.acts("choose") == [("mode", "Ask")]


def many_models(session: Session) -> None:
    values = [ConfigValue(value=f"m{number}", name=f"Model {number}", group="All") for number in range(40)]
    tell_options(session, [SelectOption(id="m", name="M", category="model", current_value="m30", values=values)])


async def test_what_was_used_last_stands_on_top_until_one_filters() -> None:
    async with user(prepare=many_models) as someone:
        someone.client.recent["m"] = ("m7", "m30", "gone", "m5")
        await someone.press("alt+p")
        rows = [row.strip() for row in someone.picker_rows()]
        assert rows[:6] == ["Recently used", "● Model 30", "Model 7", "Model 5", "", "All"]
        await someone.type("model 7")
        assert [row.strip() for row in someone.picker_rows()] == ["All", *(f"Model {n}" for n in (7, 17, 27, 37))]
        await someone.press("escape", "alt+p", "down", "enter")
        assert someone.acts("choose") == [("m", "m7")]


async def test_without_recent_values_the_picker_opens_on_the_current_one() -> None:
    async with user(prepare=many_models) as someone:
        await someone.press("alt+p")
        assert someone.sees("● Model 30")
        await someone.press("pageup", "pagedown", "up", "enter")
        assert someone.acts("choose") == [("m", "m29")]


async def test_the_wheel_scrolls_a_picker_and_a_click_picks() -> None:
    async with user(prepare=many_models) as someone:
        await someone.press("alt+p", "down")
        assert someone.sees("● Model 30")
        await someone.pilot._post_mouse_events([events.MouseScrollUp], "RowList", button=0)
        row = next(row for row in someone.rows() if "Model 20" in row)
        await someone.pilot.click(offset=(row.index("Model 20"), someone.rows().index(row)))
        assert someone.acts("choose") == [("m", "m20")]


async def test_values_change_while_the_agent_works() -> None:
    async with user(prepare=everything) as someone:
        await someone.send("go")
        assert someone.session.turn.active
        await someone.press("alt+t")
        assert someone.acts("choose") == [("thought", "Low")]


async def test_markup_and_escapes_in_names_are_shown_and_nothing_more() -> None:
    hostile = SelectOption(
        id="x",
        name="[@click=app.quit]Evil[/]",
        category="model",
        description="\x1b[2J",
        current_value="v",
        values=[
            ConfigValue(value="v", name="[/]\x1b]52;c;eA==\x07", description="[red]", group="[bold]"),
            ConfigValue(value="w", name="\u202eevil", description="\x9b2J"),
        ],
    )
    switch = BooleanOption(id="y", name="\x00[b]", category="model_config", current_value=True)
    async with user(prepare=lambda session: tell_options(session, [hostile, switch])) as someone:
        await someone.wait_for("[@click=app.quit]Evil")
        await someone.press("alt+p")
        await someone.pilot.pause()
        screen = "\n".join(someone.rows())
        assert "[red]" in screen
        assert not any(sign in screen for sign in "\x1b\x07\x9b\u202e\x00")
        await someone.press("escape", "ctrl+x", "c")
        assert not any(sign in "\n".join(someone.rows()) for sign in "\x1b\x07\x9b\u202e\x00")
