"""Forms and addresses by keys: filled in, checked, reviewed, turned down; one question at a time."""

from typing import Any

import pytest
from textual import events

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, ToolCallUpdate
from acp_tui.session import facts
from acp_tui.ui.questions import form_view
from acp_tui.ui.questions.elicitation_controls import ChoiceControl, TextControl
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission
from tests.pilot.questions import EVERYTHING, answerable, ask_address, ask_form, ready, schema_of

pytestmark = pytest.mark.anyio

NAME = {"type": "string", "title": "Your name"}
LETTERS = (("d", "decline"), ("c", "cancel"))


async def open_form(someone: User, *required: str, **properties: Any) -> None:
    ask_form(someone.session, *required, **(properties or EVERYTHING))
    await ready(someone)


async def test_every_kind_of_field_is_filled_in_by_keys_and_reviewed_before_it_is_sent() -> None:
    async with user((120, 60)) as someone:
        await open_form(someone, "name", **EVERYTHING)
        await someone.wait_for("△ OpenCode needs your input")
        for shown in ("Who are you?", "Your name *", "As it stands in the letter", "not supported here"):
            assert someone.sees(shown), shown
        await someone.type("Ada")
        await someone.press("enter", "backspace")
        await someone.type("7")
        await someone.press("enter", "0", ".", "5", "enter", "y", "enter", "down", "enter")
        await someone.press("space", "down", "down", "space", "enter")
        await someone.wait_for("Review before sending")
        for row in ("Your name  Ada", "Turns      7", "Share      0.5", "Be fast    Yes", "Model      Large"):
            assert someone.sees(row), row
        assert someone.sees("Tools      read, run")
        assert someone.sees("Not answered: Colour")
        assert someone.acts("elicited") == []
        await ready(someone)
        await someone.press("enter")
        sent = {"name": "Ada", "turns": 7, "share": 0.5, "fast": True, "model": "l", "tools": ["read", "run"]}
        assert someone.acts("elicited") == [(1, "accept", sent)]
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
        await someone.wait_for("answered")


async def test_what_is_typed_right_after_the_key_that_leads_on_belongs_to_the_next_field() -> None:
    async with user() as someone:
        await open_form(someone, a={"type": "string"}, b={"type": "string"}, c={"type": "string"})
        for key in ("1", "tab", "2", "enter", "3", "shift+tab", "4"):
            someone.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await someone.pilot.pause()
        await someone.press("ctrl+r")
        await ready(someone)
        await someone.press("s")
        assert someone.acts("elicited") == [(1, "accept", {"a": "1", "b": "24", "c": "3"})]


async def test_what_is_wrong_is_said_beside_its_field_and_nothing_is_sent() -> None:
    async with user((120, 60)) as someone:
        await open_form(someone, "name", **EVERYTHING)
        await someone.press("ctrl+r")
        await someone.wait_for("! Required")
        await someone.type("A")
        await someone.wait_for("! At least 2 characters (1 now)")
        await someone.type("da")
        await someone.wait_until(lambda: not someone.sees("! At least"), "the problem to go")
        await someone.press("tab", "9")
        await someone.press("tab")
        await someone.wait_for("! At most 9")
        await someone.press("ctrl+r")
        await someone.wait_until(lambda: not someone.sees("Review before"), "no review")
        assert someone.acts("elicited") == []


async def test_the_summary_leads_back_to_the_form_with_all_that_was_entered() -> None:
    async with user() as someone:
        await open_form(someone, name=NAME, turns={"type": "integer"})
        await someone.type("Ada")
        await someone.press("ctrl+r")
        await someone.wait_for("Your name  Ada")
        await ready(someone)
        await someone.press("e")
        await someone.wait_for("OpenCode needs your input")
        await ready(someone)
        await someone.type("!")
        await someone.press("ctrl+r")
        await someone.wait_for("Your name  Ada!")
        await ready(someone)
        await someone.press("s")
        assert someone.acts("elicited") == [(1, "accept", {"name": "Ada!"})]


async def test_a_form_is_turned_down_by_keys() -> None:
    async with user() as someone:
        for key, (stops, action) in enumerate(((1, "cancel"), (2, "decline"))):
            ask_form(someone.session, key=key, name=NAME)
            await ready(someone)
            await someone.press(*["shift+tab"] * stops, "enter")
            assert someone.acts("elicited")[key:] == [(key, action, None)]


async def test_letters_turn_down_where_nothing_is_written() -> None:
    async with user() as someone:
        for key, (letter, action) in enumerate(LETTERS):
            ask_form(someone.session, "x", key=key, x={"type": "colour"})
            await ready(someone)
            await someone.wait_for("You can only decline or cancel.")
            assert not someone.sees("Review ")
            assert not someone.sees("^R review")
            await someone.press("ctrl+r", letter)
            assert not someone.sees("Prompt history")
            assert someone.acts("elicited")[key:] == [(key, action, None)]


async def test_letters_turn_down_a_question_of_one_choice_whatever_its_titles_begin_with() -> None:
    async with user() as someone:
        for key, (letter, action) in enumerate(LETTERS):
            ask_form(someone.session, "x", key=key, x={"type": "string", "enum": ["Debian", "CentOS"]})
            await ready(someone)
            await someone.press(letter)
            assert someone.acts("elicited")[key:] == [(key, action, None)]


async def test_the_mouse_turns_down_too() -> None:
    async with user() as someone:
        await open_form(someone, name=NAME)
        row = next(number for number, row in enumerate(someone.rows()) if "Decline" in row)
        await someone.pilot.click(offset=(someone.rows()[row].index("Decline"), row))
        await someone.wait_until(lambda: someone.acts("elicited") == [(1, "decline", None)], "the answer")


async def test_type_ahead_sends_nothing() -> None:
    async with user() as someone:
        ask_address(someone.session)
        await ready(someone)
        await someone.hurry("o", "enter")
        assert someone.acts("elicited") == []


async def test_escape_gives_the_focus_back_and_alt_a_returns_to_what_was_entered() -> None:
    async with user() as someone:
        await open_form(someone, name=NAME)
        await someone.type("Ada")
        await someone.press("escape")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
        await someone.wait_for("OpenCode needs an answer (alt+a)")
        await someone.wait_for("Waiting for you")
        await someone.press("alt+a")
        await ready(someone)
        assert someone.sees("Ada")
        assert someone.acts("elicited") == []


SEVERAL: dict[str, Any] = {
    "name": NAME,
    "fast": {"type": "boolean"},
    "model": {"type": "string", "enum": ["small", "large"]},
    "turns": {"type": "integer"},
}
STOPS = len(SEVERAL) + 3  # and the buttons
COLOUR: dict[str, Any] = {"type": "string", "title": "Colour", "enum": ["red", "green", "blue"]}
OTHER: dict[str, Any] = {"type": "string", "title": "Other"}


async def leaves(someone: User, stops: int) -> None:
    """Escape gives the focus to the prompt from each stop, at once: no key after it is lost. The question waits."""
    for tabs in range(stops):
        await ready(someone)
        await someone.press(*["tab"] * tabs)
        for key in ("escape", "x", "y"):
            someone.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await someone.wait_until(lambda: someone.draft == "xy", f"what was typed after {tabs} tabs")
        assert someone.focused == "editor"
        await someone.wait_for("OpenCode needs an answer (alt+a)")
        someone.conversation.editor.text = ""
        await someone.press("alt+a")
    assert someone.acts("elicited") == []


async def test_escape_leaves_a_form_and_its_review_wherever_the_focus_is() -> None:
    async with user() as someone:
        ask_form(someone.session, **SEVERAL)
        await leaves(someone, STOPS)
        await someone.press("ctrl+r")
        await someone.wait_for("Review before")
        await leaves(someone, 4)


async def test_escape_leaves_an_address_and_a_choice_wherever_the_focus_is() -> None:
    async with user() as someone:
        ask_address(someone.session)
        await leaves(someone, 3)
        someone.session.apply(facts.ElicitationAnswered(1, "cancel"))
        ask_form(someone.session, key=2, c=COLOUR, o=OTHER)
        await leaves(someone, 5)


async def test_escape_leaves_what_has_only_just_come_and_again_cancels_the_turn() -> None:
    async with user(prepare=lambda session: session.apply(StateUpdate(state="running"))) as someone:
        ask_address(someone.session)
        await someone.wait_until(
            lambda: someone.conversation.parts.questions.elicitation.asked is not None, "the question"
        )
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the focus")
        await someone.press("escape")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt")
        assert someone.acts("cancel") == []
        await someone.press("escape")
        assert len(someone.acts("cancel")) == 1


@pytest.mark.parametrize("late", ["panel", "button"])
async def test_late_news_of_a_focus_that_escape_has_moved_do_not_open_the_question_again(late: str) -> None:
    async with user() as someone:
        ask_address(someone.session)
        await ready(someone)
        panel, button = someone.conversation.parts.questions.elicitation, someone.app.focused
        assert button is not None
        await someone.press("escape")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt")
        panel.post_message(events.Focus() if late == "panel" else events.DescendantFocus(button))
        await someone.pilot.pause()
        await someone.press("x")
        assert someone.focused == "editor"
        assert not someone.sees("esc answer later")


async def test_a_question_that_waits_is_cut_with_a_sign_on_a_narrow_screen() -> None:
    async with user(size=(50, 20)) as someone:
        ask_address(someone.session)
        await ready(someone)
        await someone.press("escape")
        await someone.wait_for("needs an answer (alt+a)")
        [banner] = [row.rstrip() for row in someone.rows() if "needs an answer (alt+a)" in row]
        assert banner.endswith("…")


# One choice

ANSWERED: list[tuple[dict[str, Any], tuple[str, ...], dict[str, Any]]] = [
    ({"c": COLOUR}, ("2",), {"c": "green"}),
    ({"c": COLOUR}, ("down", "enter"), {"c": "red"}),
    ({"c": COLOUR}, ("up", "enter"), {"c": "blue"}),
    ({"c": COLOUR}, ("down", "down", "down", "down", "up", "enter"), {"c": "green"}),
    ({"c": {**COLOUR, "default": "blue"}}, ("enter",), {"c": "blue"}),
    ({"c": {**COLOUR, "default": "blue"}}, ("1",), {"c": "red"}),
    ({"c": COLOUR, "o": OTHER}, ("3",), {"c": "blue"}),
    ({"c": COLOUR, "o": OTHER}, ("down", "tab", "h", "i", "enter"), {"c": "red", "o": "hi"}),
    ({"c": COLOUR, "o": OTHER}, ("tab", "2", "enter"), {"o": "2"}),
    ({"o": OTHER, "c": COLOUR}, ("2",), {"c": "green"}),
    ({"yes": {"type": "boolean"}}, ("1",), {"yes": True}),
    ({"yes": {"type": "boolean"}}, ("2",), {"yes": False}),
    ({"yes": {"type": "boolean", "default": False}}, ("enter",), {"yes": False}),
    ({"yes": {"type": "boolean"}}, ("down", "enter"), {"yes": True}),
    ({"many": EVERYTHING["tools"]}, ("1", "3", "enter"), {"many": ["read", "run"]}),
    ({"many": EVERYTHING["tools"]}, ("2", "2", "space", "down", "space", "enter"), {"many": ["write", "run"]}),
    ({"many": EVERYTHING["tools"], "o": OTHER}, ("3", "tab", "x", "enter"), {"many": ["run"], "o": "x"}),
    ({"o": OTHER}, ("h", "i", "enter"), {"o": "hi"}),
    ({"n": {"type": "integer", "default": 3}}, ("enter",), {"n": 3}),
    ({"c": COLOUR}, ("down", "ctrl+r"), {"c": "red"}),
    ({}, ("enter",), {}),
]


async def test_one_choice_or_field_is_answered_where_it_stands() -> None:
    async with user() as someone:
        for key, (fields, keys, sent) in enumerate(ANSWERED):
            ask_form(someone.session, key=key, **fields)
            await ready(someone)
            await someone.press(*keys)
            assert someone.acts("elicited")[-1:] == [(key, "accept", sent)], (fields, keys)
            await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")


async def test_where_nothing_is_suggested_nothing_is_highlighted_and_enter_does_nothing() -> None:
    async with user() as someone:
        await open_form(someone, "c", c=COLOUR, o=OTHER)
        await someone.wait_for("1-3 answer  ↑↓ select  tab next  esc answer later")
        assert not someone.sees("❯ ")
        await someone.press("enter", "4", "space", "question_mark")
        assert someone.acts("elicited") == []
        await someone.press("tab", "enter")
        await someone.wait_for("! Choose one")
        assert someone.acts("elicited") == []
        await someone.press("down")
        await someone.wait_for("1-3 answer  ↑↓ select  enter send")
        assert someone.sees("❯ 1 red")


async def test_what_is_typed_as_the_question_comes_is_the_prompts() -> None:
    async with user() as someone:
        ask_form(someone.session, c=COLOUR)
        await ready(someone)
        await someone.hurry("2", "down", "enter")
        assert someone.acts("elicited") == []
        await someone.press("d")
        assert [act[1] for act in someone.acts("elicited")] == ["decline"]
        ask_form(someone.session, key=2, c=COLOUR)
        await ready(someone)
        await someone.hurry(*"hello")
        assert (someone.draft, someone.focused) == ("hello", "editor")
        assert len(someone.acts("elicited")) == 1


async def test_a_field_has_the_focus_after_a_second_without_a_key() -> None:
    async with user() as someone:
        ask_form(someone.session, o=OTHER)
        await ready(someone)
        await someone.wait_until(
            lambda: isinstance(someone.conversation.focused, TextControl), "the field to have the focus"
        )
        await someone.type("hello")
        await someone.press("enter")
        assert someone.acts("elicited") == [(1, "accept", {"o": "hello"})]


async def test_a_click_answers() -> None:
    async with user() as someone:
        await open_form(someone, c=COLOUR)
        row = next(number for number, row in enumerate(someone.rows()) if "2 green" in row)
        await someone.pilot.click(offset=(someone.rows()[row].index("green"), row))
        await someone.wait_until(lambda: someone.acts("elicited") == [(1, "accept", {"c": "green"})], "the answer")


async def test_a_choice_in_a_form_that_can_only_be_turned_down_sends_nothing() -> None:
    async with user() as someone:
        await open_form(someone, "x", c=COLOUR, x={"type": "colour"})
        await someone.press("2", "enter")
        assert someone.acts("elicited") == []


async def test_a_question_stands_on_the_screen_once() -> None:
    asked = "Which colour do you want?"

    def seen(someone: User) -> int:
        return sum(row.count(asked) for row in someone.rows())

    async with user() as someone:
        said = ContentItem(type="content", content=TextContent(text=f'{{"questions": ["{asked}"]}}'))
        raw = {"questions": [{"question": asked}]}
        call = {"tool_call_id": "t1", "kind": "other", "status": "in_progress", "content": [said], "raw_input": raw}
        someone.session.apply(StateUpdate(state="running"))
        someone.session.apply(ToolCallUpdate.model_validate({**call, "title": asked}))
        await someone.wait_for("questions")
        ask_form(someone.session, message=asked, tool_call_id="t1", c={**COLOUR, "title": asked})
        await ready(someone)
        await someone.wait_for("2 green")
        await someone.wait_until(lambda: seen(someone) == 1, "the question once")
        assert not someone.sees("questions")
        await someone.press("escape")
        await someone.wait_for("OpenCode needs an answer")
        assert seen(someone) == 1
        await someone.press("alt+a")
        await ready(someone)
        await someone.press("2")
        someone.session.apply(ToolCallUpdate(tool_call_id="t1", status="completed"))
        await someone.wait_for("answered")
        await someone.wait_until(lambda: seen(someone) == 1, "the question once")
        assert someone.sees("green")


async def test_a_draft_keeps_the_focus() -> None:
    async with user() as someone:
        await someone.type("draft")
        ask_form(someone.session, name=NAME)
        await someone.wait_for("OpenCode needs an answer (alt+a)")
        assert someone.focused == "editor"
        assert not someone.sees("Your name")


async def test_one_question_at_a_time_the_oldest_first() -> None:
    async with user() as someone:
        ask_form(someone.session, key=1, message="First?", name=NAME)
        ask_permission(someone.session, 2, "Second")
        ask_form(someone.session, key=3, message="Third?", name=NAME)
        await ready(someone)
        await someone.wait_for("1 of 3 waiting")
        assert not someone.sees("Permission required")
        await someone.press("shift+tab", "enter")
        await someone.wait_for("Permission required  1 of 2 waiting")
        await someone.wait_until(lambda: someone.focused == "permission", "the permission to have the focus")
        await answerable(someone)
        await someone.press("n")
        await someone.wait_until(lambda: someone.acts("answer") == [(2, "no")], "the answer")
        await someone.wait_for("OpenCode needs your input")
        await ready(someone)
        await someone.press("shift+tab", "enter")
        assert [act[0] for act in someone.acts("elicited")] == [1, 3]
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")


async def test_one_form_follows_another_in_the_same_place() -> None:
    async with user() as someone:
        for key in (1, 2, 3):
            ask_form(someone.session, key=key, message=f"Question {key}", name=NAME)
        for key in (1, 2, 3):
            await someone.wait_for(f"▌   Question {key}")
            await ready(someone)
            await someone.type("Ada")
            await someone.press("shift+tab", "enter")
        assert someone.acts("elicited") == [(key, "cancel", None) for key in (1, 2, 3)]


async def test_what_is_withdrawn_leaves_the_screen() -> None:
    async with user() as someone:
        await open_form(someone, name=NAME)
        someone.session.apply(facts.ElicitationAnswered(1, "cancel"))
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
        assert not someone.sees("OpenCode needs your input")
        await someone.wait_for("cancelled")


async def test_markup_and_escapes_of_an_agent_are_text() -> None:
    async with user() as someone:
        odd: dict[str, Any] = {"[/]": {"type": "string", "description": "\x1b]52;c;aGk=\x07[bold]"}}
        ask_form(someone.session, message="[@click=app.quit]hi[/] \x1b[31mred", **odd)
        await ready(someone)
        await someone.wait_for("[@click=app.quit]hi[/] red")
        assert someone.sees("[/]")
        assert someone.sees("[bold]")


async def test_a_hostile_pattern_does_not_hang() -> None:
    async with user() as someone:
        await open_form(
            someone,
            a={"type": "string", "pattern": "^a+$", "default": "a" * 60 + "!"},
            b={"type": "string", "pattern": "^(a+)+$", "default": "a" * 60 + "!", "title": "Odd"},
        )
        await someone.press("tab")
        await someone.wait_for("! Format: a (pattern ^a+$)")
        assert someone.sees("checked by the agent")


async def test_a_text_too_long_to_be_tried_is_left_to_the_agent_and_that_is_said() -> None:
    async with user() as someone:
        await open_form(someone, a={"type": "string", "pattern": "^a*b*c*$", "default": "a" * 50})
        assert not someone.sees("checked by the agent")
        someone.conversation.parts.questions.elicitation.query_one(TextControl).text = "a" * 500
        await someone.wait_for("checked by the agent")


async def test_very_many_fields_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(form_view, "SHOWN_AT_MOST", 20)
    async with user() as someone:
        many: dict[str, Any] = {f"f{number}": {"type": "integer"} for number in range(80)}
        await open_form(someone, **many)
        await someone.wait_for("60 more fields not shown")


async def test_a_long_list_of_choices_is_reached_by_letters() -> None:
    async with user() as someone:
        values = [f"value {number}" for number in range(400)] + ["zebra"]
        await open_form(someone, x={"type": "string", "enum": values})
        await someone.press("z", "enter")
        await someone.wait_for("x  zebra")


async def test_pages_lead_to_the_field_in_view_and_back() -> None:
    fields: dict[str, Any] = {f"f{number}": {"type": "string", "title": f"Field {number}"} for number in range(12)}
    async with user((80, 24)) as someone:
        ask_form(someone.session, **fields)
        await ready(someone)
        form = someone.conversation.parts.questions.elicitation._form
        assert form is not None
        form.controls[0].focus()
        places = []
        for key in ("pagedown",) * 4 + ("pageup",) * 4:
            await someone.press(key)
            place = -1 if form.place is None else form.place
            await someone.wait_for(f"field {place + 1} of 12")
            places.append(place)
            assert someone.sees(f"Field {place}")
        assert places[0] > 2
        assert places[3] == 11
        assert places[-1] == 0


async def test_a_long_list_in_a_form_counts_what_is_out_of_sight_beside_no_second_scrollbar() -> None:
    choice = {"type": "string", "title": "Country", "enum": [f"Country {number}" for number in range(12)]}
    name: dict[str, Any] = {"type": "string", "title": "Name"}
    async with user((80, 24)) as someone:
        ask_form(someone.session, country=choice, name=name, town=name)
        await ready(someone)
        await someone.wait_for("… 7 more")
        control = someone.conversation.parts.questions.elicitation.query_one(ChoiceControl)
        assert not control.scrollbar_size_vertical
        control.focus()
        await someone.press(*["down"] * 7)
        await someone.wait_for("… 4 more")
        assert someone.sees("Country 7")
        await someone.press("end")
        await someone.wait_for("… 7 above")


async def test_a_secret_is_warned_about_and_shown_nowhere() -> None:
    async with user() as someone:
        await open_form(someone, authtoken={"type": "string", "minLength": 5}, pin={"type": "integer", "maximum": 9})
        await someone.wait_for("Do not use forms for secrets")
        await someone.type("hun")
        await someone.press("ctrl+j")
        await someone.type("ter2")
        await someone.press("enter")
        await someone.type("4711")
        await someone.press("ctrl+r")
        await someone.wait_for("At most 9")
        assert not any(someone.sees(typed) for typed in ("hun", "ter2", "4711"))
        await someone.press("backspace", "backspace", "backspace", "enter")
        await someone.wait_for("authtoken  •••")
        assert someone.sees("pin        •••")
        await ready(someone)
        await someone.press("s")
        assert someone.acts("elicited") == [(1, "accept", {"authtoken": "hun\nter2", "pin": 4})]
        await someone.wait_for("authtoken  (not recorded)")


async def test_a_small_screen_shows_the_field_that_is_filled_in() -> None:
    async with user((80, 24)) as someone:
        await open_form(someone, "name", **EVERYTHING)
        for _ in range(5):
            await someone.press("tab")
        await someone.wait_for("☐ write")
        assert someone.sees("Decline")
        assert someone.sees("△ OpenCode needs your input")


# Addresses


async def visited(someone: User, works: bool = True) -> list[str]:
    opened: list[str] = []

    async def open_address(url: str) -> bool:
        opened.append(url)
        return works

    someone.conversation.parts.questions.open_address = open_address
    return opened


async def test_an_address_is_shown_whole_and_opened_only_on_consent() -> None:
    async with user() as someone:
        opened = await visited(someone)
        ask_address(someone.session)
        await ready(someone)
        await someone.wait_for("Site  example.com")
        assert someone.sees("URL   https://example.com/login?next=/")
        assert opened == []
        await someone.press("enter")
        await someone.wait_until(lambda: opened == ["https://example.com/login?next=/"], "the browser")
        assert someone.acts("elicited") == [(1, "accept", None)]
        await someone.wait_for("opened, waiting for confirmation")
        someone.session.apply(facts.ElicitationCompleted("e1"))
        await someone.wait_for("Link  completed")


async def test_without_a_browser_that_is_said() -> None:
    async with user() as someone:
        await visited(someone, works=False)
        ask_address(someone.session)
        await ready(someone)
        await someone.press("o")
        await someone.wait_until(lambda: any("No browser" in toast for toast in someone.toasts()), "the toast")


async def test_an_address_is_turned_down() -> None:
    async with user() as someone:
        opened = await visited(someone)
        for key, (letter, action) in enumerate(LETTERS):
            ask_address(someone.session, key=key)
            await ready(someone)
            await someone.press(letter)
            assert (someone.acts("elicited")[key:], opened) == ([(key, action, None)], [])


async def test_an_odd_address_is_flagged_and_a_dangerous_one_not_opened() -> None:
    async with user() as someone:
        ask_address(someone.session, "http://bank.example@xn--bcher-kva.example/")
        await ready(someone)
        for warning in ("user name", "is encoded; decoded, it reads bücher.example", "not encrypted"):
            assert someone.sees(warning), warning
        await someone.press("enter")
        assert someone.acts("elicited") == [(1, "decline", None)]
        ask_address(someone.session, "file:///etc/passwd", 2)
        await ready(someone)
        await someone.wait_for("Will not open: not a web link (file)")
        await someone.press("o")
        assert not someone.sees("Open o")
        assert [act[0] for act in someone.acts("elicited")] == [1]


# Options before a session

OPTIONS = schema_of(
    model={"type": "string", "title": "Model", "enum": ["small", "large"], "default": "small"},
    apiKey={"type": "string", "title": "API key"},
)


async def test_options_are_asked_before_the_session_and_only_changes_are_sent() -> None:
    async with user(prepare=lambda one: one.apply(facts.InputOptionsOffered(OPTIONS, {"model": "large"}))) as someone:
        await ready(someone)
        await someone.wait_for("Options for this session")
        await someone.wait_for("● large")
        await someone.press("tab", "s", "k", "7")
        assert not someone.sees("sk7")
        await someone.press("enter")
        assert someone.acts("options") == [({"model": "large", "apiKey": "sk7"},)]
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")


async def test_the_words_say_what_is_done_to_the_session() -> None:
    hinted = schema_of(model={"type": "string", "title": "Model", "hint": "the\x1b[2J large one"})
    offered = facts.InputOptionsOffered(hinted, way="fork")
    async with user(prepare=lambda one: one.apply(offered)) as someone:
        await ready(someone)
        await someone.wait_for("Fork session")
        assert someone.sees("Skip")
        assert someone.sees("enter next/fork  ^R fork  esc skip")
        assert someone.sees("the large one")


async def test_one_key_starts_without() -> None:
    async with user(prepare=lambda one: one.apply(facts.InputOptionsOffered(OPTIONS))) as someone:
        await ready(someone)
        await someone.press("escape")
        assert someone.acts("options") == [({},)]


async def test_what_the_agent_refused_is_asked_again_with_the_reason() -> None:
    offered = facts.InputOptionsOffered(OPTIONS, {"model": "large"}, "large is not for you")
    async with user(prepare=lambda one: one.apply(offered)) as someone:
        await ready(someone)
        await someone.wait_for("The agent refused these options: large is not for you")


async def test_options_that_cannot_be_filled_in_can_only_be_skipped() -> None:
    odd = schema_of("x", x={"type": "colour"})
    async with user(prepare=lambda one: one.apply(facts.InputOptionsOffered(odd))) as someone:
        await ready(someone)
        assert not someone.sees("Start session")
        assert not someone.sees("^R start")
        await someone.press("enter")
        assert someone.acts("options") == [({},)]


async def test_the_place_among_the_fields_is_shown_and_letters_only_while_they_act() -> None:
    async with user((120, 40)) as someone:
        ask_form(someone.session, a={"type": "string"}, b={"type": "string"}, c={"type": "string"})
        await ready(someone)
        await someone.wait_for("field 1 of 3")
        assert not someone.sees("Decline d")
        await someone.press("tab", "tab")
        await someone.wait_for("field 3 of 3")
        await someone.press("tab")
        await someone.wait_for("Decline d")
        assert someone.sees(" 3 fields")


@pytest.mark.parametrize(
    ("size", "fields", "blank"),
    [((120, 50), 2, 1), ((120, 40), 2, 1), ((120, 40), 8, 0), ((120, 40), 20, 1), ((80, 30), 20, 1), ((80, 24), 20, 0)],
)
async def test_fields_stand_apart_but_where_they_are_all_seen_without_that(
    size: tuple[int, int], fields: int, blank: int
) -> None:
    """A form that scrolls anyway has its blank rows, unless the screen is very low."""
    async with user(size) as someone:
        named: dict[str, Any] = {f"field{number}": {"type": "string"} for number in range(fields)}
        ask_form(someone.session, **named)
        await ready(someone)
        rows = [next(at for at, row in enumerate(someone.rows()) if word in row) for word in ("field0", "field1")]
        assert rows[1] - rows[0] == 2 + blank


async def test_a_review_has_blank_rows_around_it() -> None:
    async with user((120, 40)) as someone:
        await open_form(someone, name=NAME, town=NAME)
        await someone.type("Ada")
        await someone.press("ctrl+r")
        await someone.wait_for("Review before sending")
        rows = [row.strip(" ▌") for row in someone.rows()]
        first, last = (next(at for at, row in enumerate(rows) if word in row) for word in ("Review before", "Send s"))
        assert [rows[first - 1], rows[first + 1], rows[last - 1], rows[last + 1]] == [""] * 4
        assert "Your name  Ada" in rows[first + 2 : last - 1]
