"""A question takes the composer's place while it has the focus, and gives it back untouched."""

from collections.abc import Callable

import pytest
from textual import events
from textual.widgets.text_area import Selection

from acp_tui.host.client import Login
from acp_tui.protocol.vocabulary.initialization import AuthMethod
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, AvailableCommandsUpdate, StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    Diff,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session import facts
from acp_tui.session.state import Session
from tests.answering import ManualClock
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission, say, tell_options
from tests.pilot.questions import EVERYTHING, answerable, ask_address, ask_form, ready
from tests.still import until_still

pytestmark = pytest.mark.anyio

COMPOSER = ("editor", "footer")
WAYS = (AuthMethod(method_id="browser", name="Browser"),)


def ask_login(someone: User) -> None:
    someone.client._lifecycle.ask_login(Login(WAYS, "Who are you?"))


ASKS: dict[str, Callable[[User], None]] = {
    "permission": lambda someone: ask_permission(someone.session),
    "form": lambda someone: ask_form(someone.session, **EVERYTHING),
    "address": lambda someone: ask_address(someone.session),
    "log-in": ask_login,
}
PANELS = ("permission", "form", "log-in")  # an address stands in the panel of forms


def seen(someone: User) -> list[str]:
    """Which parts of the composer are on the screen."""
    parts = [someone.conversation.query_one(f"#{name}") for name in COMPOSER]
    return [part.id or "" for part in parts if all(node.display for node in part.ancestors_with_self)]


async def asked(someone: User, what: str = "permission") -> None:
    """Something is asked, and has the focus."""
    ASKS[what](someone)
    await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the question to have the focus")
    if what == "permission":
        await answerable(someone)


@pytest.mark.parametrize("what", ASKS)
async def test_it_stands_where_the_composer_was_with_its_own_keys_last(what: str) -> None:
    async with user((80, 24)) as someone:
        tell_options(someone.session)
        await asked(someone, what)
        assert seen(someone) == []
        assert any(f"esc {word}" in someone.rows()[-1] for word in ("later", "answer later"))
        assert not someone.sees("Waiting for you")
        await someone.press("escape")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
        assert seen(someone) == list(COMPOSER)
        [banner] = [row for row in someone.rows() if "(alt+a)" in row]
        assert "OpenCode needs" in banner
        assert not someone.sees("later")


@pytest.mark.parametrize("what", PANELS)
async def test_the_draft_comes_back_as_it_was(what: str) -> None:
    async with user((80, 24)) as someone:
        editor = someone.conversation.editor
        await someone.type("fix the")
        await someone.type(" test")
        editor.selection = Selection((0, 4), (0, 7))
        await someone.pilot.pause()
        before = editor.selection
        ASKS[what](someone)
        await someone.wait_for("(alt+a)")
        assert (someone.focused, seen(someone)) == ("editor", list(COMPOSER))
        await someone.press("alt+a")
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the question's turn")
        if what == "permission":
            await answerable(someone)
        assert seen(someone) == []
        await someone.press("escape")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
        assert (someone.draft, editor.selection) == ("fix the test", before)
        await someone.press("x")
        assert someone.draft == "fix x test"
        await someone.press("ctrl+underscore")
        assert someone.draft == "fix the test"


async def test_what_is_typed_after_escape_is_the_draft_and_no_answer() -> None:
    async with user() as someone:
        await asked(someone)
        for key in ("escape", "y", "1"):
            someone.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await someone.wait_until(lambda: someone.draft == "y1", "what was typed")
        assert someone.acts("answer") == []


async def test_ctrl_c_cancels_the_turn_and_leaves_the_draft_that_is_out_of_sight() -> None:
    async with user() as someone:
        someone.session.apply(StateUpdate(state="running"))
        await someone.type("a draft")
        someone.conversation.editor.selection = Selection((0, 0), (0, 1))
        ask_permission(someone.session)
        await someone.press("alt+a")
        await answerable(someone)
        await someone.press("ctrl+c")
        assert someone.draft == "a draft"
        assert someone.acts("cancel") == [()]


async def test_late_news_of_a_focus_that_escape_has_moved_do_not_open_it_again() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("escape")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
        someone.conversation.parts.questions.permission.post_message(events.Focus())
        await someone.pilot.pause()
        assert not someone.sees("Allow once")
        assert seen(someone) == list(COMPOSER)


@pytest.mark.parametrize("what", PANELS)
async def test_a_click_on_the_line_opens_the_question(what: str) -> None:
    async with user() as someone:
        await someone.type("a draft")
        ASKS[what](someone)
        await someone.wait_for("(alt+a)")
        row = next(number for number, row in enumerate(someone.rows()) if "(alt+a)" in row)
        await someone.pilot.click(offset=(10, row))
        await someone.wait_for("later")
        assert seen(someone) == []


async def test_a_list_that_completes_the_draft_is_out_of_sight_and_comes_back() -> None:
    async with user((80, 24)) as someone:
        commands = [AvailableCommand(name=name, description="later") for name in ("plan", "play")]
        someone.session.apply(AvailableCommandsUpdate(available_commands=commands))
        await someone.type("/pl")
        await someone.wait_for("/play  agent    later")
        ask_permission(someone.session)
        await someone.press("alt+a")
        await someone.wait_for("1 y  Allow once")
        assert not someone.sees("/play  agent    later")
        await answerable(someone)
        await someone.press("escape")
        await someone.wait_for("/play  agent    later")
        assert someone.draft == "/pl"


async def test_a_click_in_the_transcript_leaves_the_focus_with_the_question() -> None:
    async with user() as someone:
        say(someone.session, "words to click on")
        await asked(someone)
        await someone.pilot.click("#transcript", offset=(5, 3))
        await someone.pilot.pause()
        assert (someone.focused, seen(someone)) == ("permission", [])
        await answerable(someone)
        await someone.press("y")
        await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
        await someone.pilot.click("#transcript", offset=(5, 3))
        assert someone.focused == "transcript"


async def test_going_elsewhere_by_keys_brings_the_composer_back_and_leaves_a_line() -> None:
    async with user() as someone:
        say(someone.session, "words")
        await asked(someone)
        await someone.press("ctrl+x", "up")
        await someone.wait_until(lambda: someone.focused == "transcript", "the transcript to have the focus")
        assert seen(someone) == list(COMPOSER)
        assert someone.sees("needs an answer (alt+a)")
        assert not someone.sees("Allow once")


async def test_the_terminals_focus_changes_nothing() -> None:
    async with user() as someone:
        await someone.type("a draft")
        ask_permission(someone.session)
        await someone.press("alt+a")
        await answerable(someone)
        someone.app.post_message(events.AppBlur())
        await someone.wait_until(lambda: someone.conversation.focused is None, "nothing to have the focus")
        assert seen(someone) == []
        assert someone.sees("Allow once")
        ask_permission(someone.session, 2, "Write other.py")
        someone.session.apply(facts.PermissionAnswered(1, None))
        await someone.wait_for("Write other.py")
        assert seen(someone) == []
        assert someone.sees("Allow once")
        someone.app.post_message(events.AppFocus())
        await someone.wait_until(lambda: someone.focused == "permission", "the question to have the focus")


@pytest.mark.parametrize("focus", [True, False])
async def test_what_is_withdrawn_gives_the_place_back(focus: bool) -> None:
    async with user() as someone:
        await asked(someone)
        if not focus:
            someone.app.post_message(events.AppBlur())
            await someone.wait_until(lambda: someone.conversation.focused is None, "nothing to have the focus")
        someone.session.apply(facts.PermissionAnswered(1, None))
        await someone.wait_until(lambda: seen(someone) == list(COMPOSER), "the composer")
        assert someone.focused == "editor"


async def test_the_next_question_has_the_place_at_once() -> None:
    async with user() as someone:
        await asked(someone)
        ask_form(someone.session, name={"type": "string", "title": "Your name"})
        shown: list[bool] = []
        someone.conversation.watch(someone.conversation, "focused", lambda: shown.append(bool(seen(someone))))
        shown.clear()
        someone.session.apply(facts.PermissionAnswered(1, "no"))
        await someone.wait_for("Your name")
        await ready(someone)
        assert shown
        assert not any(shown)


async def test_keys_that_may_follow_the_leader_leave_the_question_its_rows() -> None:
    async with user((80, 24)) as someone:
        await asked(someone)
        panel = someone.conversation.parts.questions.permission
        await someone.wait_for("Reject")
        before = panel.region
        await someone.press("ctrl+x")
        await someone.wait_for("^X then a key")
        assert panel.region == before
        await someone.press("b")
        await someone.wait_until(lambda: someone.conversation.parts.sidebar.display, "the sidebar")
        assert panel.region == before
        assert not someone.sees("^X then a key")


async def test_another_session_leaves_the_place_as_it_is() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("ctrl+x", "n")
        await someone.wait_for("2 new session")
        await someone.wait_until(lambda: someone.conversation.complete, "all parts")
        assert seen(someone) == list(COMPOSER)
        await someone.press("alt+a")
        await someone.wait_until(lambda: someone.focused == "permission", "the question")
        assert seen(someone) == []


async def test_who_writes_elsewhere_is_not_interrupted() -> None:
    async with user() as someone:
        await someone.press("ctrl+f")
        await someone.wait_until(lambda: someone.conversation.parts.find.has_focus_within, "the bar")
        ask_permission(someone.session)
        await someone.wait_for("needs an answer (alt+a)")
        assert someone.conversation.parts.find.has_focus_within


# Few rows

LINES = [f"    line {number} = {number}\n" for number in range(40)]
CHANGED = Diff(
    path="/home/someone/project/a/rather/long/way/to/the/package/login.py",
    old_text="".join(LINES),
    new_text="".join([*LINES[:20], "    changed = True\n", *LINES[21:]]),
)
KINDS = {"allow_once": "Yes", "allow_always": "Yes, and do not ask again in this session", "reject_once": "No"}


def ask(session: Session, count: int = 4, **call: object) -> None:
    session.apply(StateUpdate(state="running"))
    update = ToolCallUpdate.model_validate({"tool_call_id": "t1", "title": "Change the login", **call})
    session.apply(update)
    options = [PermissionOption(option_id=kind, name=name, kind=kind) for kind, name in KINDS.items()]
    more = PermissionOption(option_id="never", name="No, never again in this session", kind="reject_always")
    subject = PermissionSubject(type="tool_call", tool_call=update, tool_call_id="t1")
    request = PermissionRequest(session_id="s1", title=update.title or "", subject=subject, options=[*options, more])
    request.options = (request.options * count)[:count]
    session.apply(facts.PermissionReceived(1, request))


async def test_on_the_smallest_screen_what_is_written_is_in_sight_and_the_rest_is_counted() -> None:
    async with user((40, 12)) as someone:
        tell_options(someone.session)
        ask(someone.session, kind="edit", content=[CHANGED.model_dump(by_alias=True)])
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the focus")
        for words in ("21 +     changed", "login.py", "1 y  Yes", "more line", "pgdn"):
            await someone.wait_for(words)


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_the_first_change_the_name_and_every_option_are_in_sight(size: tuple[int, int]) -> None:
    async with user(size) as someone:
        tell_options(someone.session)
        ask(someone.session, kind="edit", content=[CHANGED.model_dump(by_alias=True)])
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the focus")
        for words in (
            "−     line 20 = 20",
            "login.py",
            "1 y  Yes",
            "2 Y  Yes, and",
            "3 n  No",
            "4 N  No, n",
            "v full screen",
        ):
            assert someone.sees(words), words


async def test_what_is_put_instead_is_in_sight_too_where_there_is_room() -> None:
    around = [f"    line {n} = {n}  # {'long ' * 9}\n" for n in range(9)]
    change = {
        "type": "diff",
        "path": "a.py",
        "oldText": "".join(around),
        "newText": "".join([*around[:5], "new = 1\n"]),
    }
    async with user((60, 20)) as someone:
        ask(someone.session, kind="edit", content=[{**change, "oldText": "".join([*around[:5], "old = 1\n"])}])
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the focus")
        assert someone.sees("− old = 1")
        assert someone.sees("+ new = 1")


async def test_how_the_turn_is_cancelled_is_said_once_escape_does_that() -> None:
    async with user() as someone:
        ask(someone.session)
        await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the focus")
        assert not someone.sees("esc cancel")
        await answerable(someone)
        await someone.press("escape")
        await someone.wait_for("esc cancel")
        await someone.press("alt+a")
        await someone.wait_until(lambda: not someone.sees("esc cancel"), "the panel's own keys")


async def test_what_stands_above_the_change_is_scrolled_to() -> None:
    async with user((40, 12)) as someone:
        ask(someone.session, kind="edit", content=[CHANGED.model_dump(by_alias=True)])
        await someone.wait_for("−     line 20 = 20")
        await answerable(someone)
        assert not someone.sees("line 19 = 19")
        await someone.press("pageup")
        await someone.wait_for("line 19 = 19")


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 12)])
async def test_the_command_is_in_sight(size: tuple[int, int]) -> None:
    async with user(size) as someone:
        ask(someone.session, kind="execute", raw_input={"command": "rm -rf build"}, title="Take the build away. " * 40)
        panel = someone.conversation.parts.questions.permission

        def told() -> bool:
            return any("$ rm -rf build" in row for row in someone.rows()[panel.region.y :])

        await someone.wait_until(lambda: panel.has_focus and told(), "the command in the panel")
        for words in ("1 y  Yes", "2 Y  Yes, and", "3 n  No", "4 N  No, n")[: 4 if size[1] > 12 else 1]:
            assert someone.sees(words), words


async def test_options_that_are_out_of_sight_are_counted_beside_the_key_that_leads_there() -> None:
    async with user((40, 12)) as someone:
        ask(someone.session, 9, kind="execute", raw_input={"command": "make"})
        await someone.wait_for("↑↓ 9 options")
        assert someone.sees("$ make")


async def test_a_form_has_the_height_of_a_small_screen() -> None:
    async with user((80, 24)) as someone:
        ask_form(someone.session, **EVERYTHING)
        await ready(someone)
        panel = someone.conversation.parts.questions.elicitation
        assert panel.region.height >= 18
        assert panel.region.bottom == 24
        seen = ""
        for _ in range(4):
            seen += "\n".join(someone.rows())
            await someone.press("pagedown")
        assert "Large  the able one" in seen
        assert someone.sees("Cancel")


async def test_the_last_choice_of_a_form_comes_into_sight_by_moving_down() -> None:
    async with user((80, 24)) as someone:
        ask_form(someone.session, **EVERYTHING)
        await ready(someone)
        for _ in range(40):
            if someone.sees("Large  the able one"):
                break
            await someone.press("tab" if not someone.sees("Model") else "down")
        assert someone.sees("Large  the able one")


@pytest.mark.parametrize("size", [(60, 20), (40, 12)])
async def test_every_button_is_in_sight(size: tuple[int, int]) -> None:
    async with user(size) as someone:
        ask_form(someone.session, a={"type": "string"}, b={"type": "string"})
        await ready(someone)
        assert someone.sees("Review ^R")
        assert someone.sees("Cancel")
        await someone.press("ctrl+r")
        await someone.wait_for("Review before sending")
        assert someone.sees("Send s")
        assert someone.sees("Cancel c")


async def test_where_an_address_does_not_fit_the_key_that_scrolls_is_said() -> None:
    async with user((40, 12)) as someone:
        ask_address(someone.session, "https://example.com/" + "long/" * 30)
        await someone.wait_for("pgdn scroll  esc answer later")


async def test_the_terminals_cursor_goes_where_the_prompt_has_its_own() -> None:
    """A terminal shows there what is being composed. The prompt grows upward, after its text has."""
    async with user((80, 24)) as someone:
        await someone.press("a", "ctrl+j", "b", "ctrl+j", "c")
        editor = someone.conversation.editor
        await someone.wait_until(lambda: editor.size.height == 3, "the prompt to grow")
        assert someone.app.cursor_position == editor.cursor_screen_offset
        await someone.press("enter")
        await someone.wait_until(lambda: editor.size.height == 1, "the prompt to be sent")
        assert someone.app.cursor_position == editor.cursor_screen_offset


# Between the question and the prompt

FOLDED = "needs an answer (alt+a)"


async def test_a_question_that_a_draft_kept_folded_opens_when_the_draft_is_empty() -> None:
    async with user() as someone:
        await someone.type("and then")
        ask_permission(someone.session)
        await someone.wait_for(FOLDED)
        await someone.press("ctrl+u")
        await someone.wait_until(lambda: someone.focused == "permission", "the question")
        assert not someone.sees(FOLDED)


async def test_and_when_the_draft_goes_to_the_queue() -> None:
    async with user(prepare=lambda session: session.apply(StateUpdate(state="running"))) as someone:
        await someone.type("and then")
        ask_permission(someone.session)
        await someone.wait_for(FOLDED)
        await someone.press("enter")
        await someone.wait_until(lambda: someone.focused == "permission", "the question")
        assert [someone.acts(name) for name in ("submit", "cancel", "answer")] == [[("and then",)], [], []]
        assert not someone.sees("send now (interrupts)")


async def test_enter_on_an_empty_prompt_opens_a_question_and_interrupts_nothing() -> None:
    async with user(prepare=lambda session: session.apply(StateUpdate(state="running"))) as someone:
        await someone.send("next")  # which waits in the queue
        ask_permission(someone.session)
        await someone.wait_until(lambda: someone.focused == "permission", "the question")
        await someone.press("escape")
        await someone.wait_for(FOLDED)
        assert someone.sees("enter answer the question")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.focused == "permission", "the question")
        assert (someone.acts("cancel"), someone.acts("answer")) == ([], [])


async def test_the_place_of_a_question_stays_for_a_moment_and_the_next_one_stands_there() -> None:
    async with user() as someone:
        await asked(someone)
        await answerable(someone)
        clock = someone.app.answer_keys.clock = ManualClock()
        clock.advance(100.0)
        await someone.press("y")
        clock.advance(0.31)
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "once")], "the answer")
        panel = someone.conversation.parts.questions.permission
        place = panel.region
        someone.session.apply(facts.PermissionAnswered(1, "once"))
        await until_still(someone.app)
        assert (panel.region, seen(someone), someone.sees("Allow once")) == (place, [], False)
        clock.advance(0.39)
        ask_permission(someone.session, 2)
        await answerable(someone)
        assert (panel.region, seen(someone), someone.sees("Allow once")) == (place, [], True)
        clock.advance(1.0)
        someone.session.apply(facts.PermissionAnswered(2, None))
        await until_still(someone.app)
        clock.advance(0.41)
        await someone.wait_until(lambda: seen(someone) == list(COMPOSER), "the composer")


async def test_what_is_typed_into_the_place_that_stays_is_the_prompts() -> None:
    async with user() as someone:
        await asked(someone)
        await answerable(someone)
        clock = someone.app.answer_keys.clock = ManualClock()
        someone.session.apply(facts.PermissionAnswered(1, None))
        await until_still(someone.app)
        clock.advance(0.1)
        await someone.type("go on")
        assert (someone.draft, someone.focused) == ("go on", "editor")
        await someone.wait_until(lambda: seen(someone) == list(COMPOSER), "the composer")


async def test_a_reason_that_was_begun_for_a_question_that_is_gone_is_the_prompts() -> None:
    async with user() as someone:
        await asked(someone)
        await answerable(someone)
        await someone.type("better not")
        assert someone.draft == ""
        someone.session.apply(facts.PermissionAnswered(1, None))
        await someone.wait_until(lambda: someone.draft == "better not", "the text in the prompt")
