"""The screen as a whole: header, status, focus, panels, help, leaving."""

import asyncio
import re
import signal
from typing import Literal

import pytest
from textual import events

from acp_tui.errors import AgentFault
from acp_tui.host.client import Phase
from acp_tui.host.config.choices import PromptHistory
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import (
    AvailableCommand,
    AvailableCommandsUpdate,
    CompactionUpdate,
    Notice,
    Plan,
    PlanEntry,
    PlanRemoved,
    PlanUpdate,
    SessionInfoUpdate,
    StateUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import ToolCallUpdate
from acp_tui.session.state import Session
from acp_tui.startup import late
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.commands.registry import COMMANDS
from acp_tui.ui.render.wrap import ends_a_wash
from acp_tui.ui.sessions.tabs import Opened
from acp_tui.ui.status.toasts import MOST
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeClient, ask_permission, end_turn, say, tell_options, tell_usage
from tests.still import until_still

pytestmark = pytest.mark.anyio


def titled(session: Session) -> None:
    session.apply(SessionInfoUpdate(title="Fix the login test"))


async def test_the_header_says_who_where_and_what() -> None:
    async with user(prepare=titled) as someone:
        assert someone.sees("OpenCode 1.18 · /home/someone/project · Fix the login test")
        assert someone.sees("● ready")


@pytest.mark.parametrize("width", [60, 80])
async def test_on_a_narrow_screen_the_title_goes_before_the_folder(width: int) -> None:
    async with user((width, 24), prepare=titled) as someone:
        someone.session.cwd = "/somewhere/far/away/in/a/deep/tree/of/folders/project"
        someone.client._scope = SessionScope(someone.session.cwd)
        someone.conversation.header.look()
        await someone.wait_until(lambda: "Fix the login test" in someone.rows()[0], "the title")
        assert ("project" in someone.rows()[0]) is (width == 80)
        assert "OpenCode 1.18" in someone.rows()[0]
        assert "● ready" in someone.rows()[0]


async def test_starting_says_what_it_waits_for() -> None:
    async with user(phase="starting") as someone:
        someone.client._lifecycle.wait_for("opening the session")
        await someone.wait_for("Opening the session")


@pytest.mark.parametrize("phase", ["starting", "gone", "wanted"])
@pytest.mark.parametrize("bound", ["STARTED_WITHIN", "AGENT_FIRST"])
async def test_panels_wait_until_the_agent_was_introduced_or_is_gone_or_they_are_wanted(
    monkeypatch: pytest.MonkeyPatch, bound: str, phase: Phase | Literal["wanted"]
) -> None:
    late("acp_tui.ui.deferred_parts")  # so that nothing else keeps them
    monkeypatch.setattr(f"acp_tui.ui.conversation_screen.{bound}", 3600)
    client = FakeClient("starting")
    client.connection.starts = int(bound == "AGENT_FIRST")
    app = AcpTuiApp(Opened(client, client.open_session(), PromptHistory(None)))
    async with app.run_test() as pilot:
        for _ in range(200):
            await pilot.pause()
        someone = User(app, pilot, client, client.sessions[0])
        assert not someone.conversation.complete
        if phase == "wanted":
            await pilot.press("x", "enter")
        else:
            client.connection.spoken = "ACP 1" if phase == "starting" else ""
            client._lifecycle.enter(phase)
            client._lifecycle.publish()
        await someone.wait_until(lambda: someone.conversation.complete, "all parts of the screen")


async def test_panels_do_not_wait_long_for_the_agent() -> None:
    async with user(phase="starting") as someone:
        assert someone.conversation.complete
        assert not someone.client.connection.spoken


class Model:
    """Counts how often it is built."""

    built = 0

    def model_rebuild(self) -> None:
        self.built += 1


@pytest.mark.parametrize("begins", ["typing", "turn"])
async def test_what_draws_answers_is_loaded_once_the_user_begins(monkeypatch: pytest.MonkeyPatch, begins: str) -> None:
    loaded: list[bool] = []
    models = [Model(), Model()]
    settled: list[int] = []  # how many models were built by then
    monkeypatch.setattr(late("acp_tui.ui.deferred_parts"), "_warm", lambda: loaded.append(True))
    monkeypatch.setattr(
        late("acp_tui.ui.deferred_parts"), "_settle", lambda: settled.append(sum(model.built for model in models))
    )
    monkeypatch.setattr(late("acp_tui.ui.deferred_parts"), "TURN", models)
    async with user() as someone:
        await someone.press("backspace", "left")
        assert not loaded
        assert not any(model.built for model in models)
        if begins == "typing":
            await someone.type("why")
        else:
            someone.session.apply(StateUpdate(state="running"))
        await someone.wait_until(lambda: bool(settled), "what a turn is made of to be built")
        await someone.type("not")
        assert loaded == [True]
        assert [model.built for model in models] == [1, 1]
        assert settled == [2], "the memory, once all is built"


async def test_the_status_line_tells_what_runs_and_is_quiet_when_nothing_does() -> None:
    async with user() as someone:
        await someone.send("test it")
        working = re.compile(r"Working · \d s ")
        await someone.wait_until(lambda: any(map(working.search, someone.rows())), "working, for seconds")
        someone.session.apply(ToolCallUpdate(tool_call_id="t", title="pytest -q", kind="execute", status="in_progress"))
        await someone.wait_for("Running pytest -q")
        say(someone.session, "done")
        someone.session.apply(ToolCallUpdate(tool_call_id="t", status="completed"))
        await someone.wait_for("Answering")
        end_turn(someone.session)
        await someone.wait_until(lambda: not someone.sees("Answering"), "quiet")
        timer = someone.conversation.status._timer
        assert timer is not None
        assert not timer._active.is_set()


async def test_the_plan_is_shown_and_folds() -> None:
    async with user() as someone:
        steps = [PlanEntry(content="Look", status="completed"), PlanEntry(content="Change")]
        someone.session.apply(PlanUpdate(plan=Plan(entries=steps)))
        await someone.wait_for("Look")
        assert someone.sees("1 / 2")
        await someone.press("ctrl+t")
        await someone.wait_until(lambda: not someone.sees("✓ Look"), "one line")
        assert someone.sees("Change")


async def test_a_plan_that_was_abandoned_folds_and_leaves_with_the_next_prompt_until_it_changes() -> None:
    async with user() as someone:
        steps = [PlanEntry(content="Look", status="completed"), PlanEntry(content="Change")]
        someone.session.apply(StateUpdate(state="running"))
        someone.session.apply(PlanUpdate(plan=Plan(entries=steps)))
        await someone.wait_for("✓ Look")
        end_turn(someone.session, "cancelled")
        await someone.wait_for("Cancelled")
        await someone.wait_for("▸ Plan  ○ Change")
        someone.session.apply(StateUpdate(state="running"))
        await someone.wait_until(lambda: not someone.sees("✓ Look"), "one line")
        someone.session.apply(PlanUpdate(plan=Plan(entries=[*steps, PlanEntry(content="Again")])))
        await someone.wait_for("○ Again")


async def test_an_agent_that_exited_is_said() -> None:
    async with user() as someone:
        someone.client.connection.exit_code = 3
        someone.client._lifecycle.enter("closed")
        await someone.wait_for("Agent exited (code 3)")


async def test_a_connection_that_failed_is_said() -> None:
    async with user() as someone:
        someone.client.connection.fault = AgentFault("The agent closed its output")
        someone.client._lifecycle.enter("closed")
        await someone.wait_for("The agent closed its output")


async def test_a_live_notice_is_a_toast_without_markup() -> None:
    async with user() as someone:
        someone.session.apply(Notice(severity="warning", title="[@click=app.quit]x", description="[/]\x1b[2J"))
        await someone.wait_until(lambda: any("[@click=app.quit]x [/]" in toast for toast in someone.toasts()))


async def test_a_toast_tells_its_severity_in_words_and_is_no_longer_than_can_be_read() -> None:
    async with user() as someone:
        for severity, head in (("info", ""), ("error", "✗ Error  "), ("warning", "! Warning  "), ("dire", "· Dire  ")):
            long = Notice(severity=severity, title=f"Title: {severity}", description="word\n" * 30 + "more " * 9_000)
            someone.session.apply(long)
            await someone.wait_until(lambda: bool(someone.toasts()), severity)
            [toast] = someone.toasts()
            assert toast.startswith(f"{head}Title: {severity} word")
            assert toast.endswith("45,111 more characters")
            someone.app.clear_notifications()


async def test_an_equal_notice_is_one_toast_and_a_count_in_the_list() -> None:
    async with user() as someone:
        for title in ("No metadata", "No metadata", "No metadata", "Another"):
            someone.session.apply(Notice(severity="warning", title=title))
        await someone.wait_until(lambda: any("Another" in toast for toast in someone.toasts()))
        assert sum("No metadata" in toast for toast in someone.toasts()) == 1
        await someone.command("notices")
        await someone.wait_for("No metadata × 3")


async def test_an_error_that_is_reported_again_is_shown_again() -> None:
    async with user() as someone:
        for _ in range(2):
            someone.session.apply(Notice(severity="error", title="It broke"))
            await someone.wait_until(lambda: someone.toasts() == ["✗ Error  It broke"], "the error")
            someone.app.clear_notifications()
            await someone.wait_until(lambda: not someone.sees("It broke"), "the end of it")


async def test_two_equal_toasts_are_one() -> None:
    async with user() as someone:
        for _ in range(2):
            someone.session.apply(Notice(severity="error", title="It broke"))
        someone.session.apply(Notice(severity="error", title="It broke", description="again"))
        await someone.wait_until(lambda: any("again" in toast for toast in someone.toasts()), "the last")
        assert sum("It broke" in toast for toast in someone.toasts()) == 2


async def test_a_turn_without_an_answer_names_the_key_to_the_standard_error() -> None:
    async with user() as someone:
        await someone.send("test it")
        end_turn(someone.session)
        await someone.wait_for("The agent ended its turn without an answer")
        await someone.wait_for("→ Check its stderr  ^X D")


async def test_a_flood_of_notices_leaves_the_screen_to_the_user() -> None:
    async with user() as someone:
        for number in range(300):
            someone.session.apply(Notice(severity="warning", title=f"Notice {number}", description="of many"))
        await someone.wait_until(lambda: any("Notice 299" in toast for toast in someone.toasts()))
        assert len(someone.toasts()) == MOST


async def test_live_notices_stay_in_a_list() -> None:
    async with user() as someone:
        for severity, title in (("info", "All is well"), ("error", "[b]A server[/b] is down\x1b[2J"), ("dire", "New")):
            someone.session.apply(Notice(severity=severity, title=title, description="First line\nsecond"))
        await someone.command("notices")
        await someone.wait_for(" s ago")
        rows = [row.strip() for row in someone.rows()]
        heads = [row for row in rows if " s ago" in row]
        assert ["Dire  New" in heads[0], "Error  [b]A server[/b] is down" in heads[1], "All is well" in heads[2]] == [
            True
        ] * 3
        assert sum("second" in row for row in rows) >= 3
        await someone.press("escape")
        assert someone.app.screen is someone.conversation


async def test_toasts_on_a_small_screen_are_whole() -> None:
    async with user((80, 24)) as someone:
        for number in range(3):
            said = f"Said by the agent, number {number}, in words"
            someone.session.apply(Notice(severity="warning", title=f"Notice {number}", description=said))
        await someone.wait_for("number 2, in words")


async def test_the_title_of_the_session_stands_in_header_and_terminal_until_it_is_cleared() -> None:
    async with user() as someone:
        someone.session.apply(SessionInfoUpdate(title="Fix the login"))
        await someone.wait_for("Fix the login")
        assert someone.app.title == "Fix the login · acp-tui"
        someone.session.apply(SessionInfoUpdate(title=None))
        await someone.wait_until(lambda: not someone.sees("Fix the login"), "no title")
        await someone.wait_until(lambda: someone.app.title == "acp-tui", "no title of the window")


async def test_several_plans_stand_beside_each_other() -> None:
    async with user() as someone:
        items = Plan(
            plan_id="work", entries=[PlanEntry(content="Read", status="completed"), PlanEntry(content="Write")]
        )
        for plan in (items, Plan(type="markdown", plan_id="notes", content="# Notes\n\nbe *quick*")):
            someone.session.apply(PlanUpdate(plan=plan))
        someone.session.apply(PlanUpdate(plan=Plan(type="file", plan_id="later", uri="file:///plan.md")))
        await someone.wait_for("Plans")
        for words in ("work", "✓ Read", "○ Write", "notes", "be quick", "later", "file:///plan.md", "1 / 2"):
            assert someone.sees(words), words
        someone.session.apply(PlanRemoved(plan_id="notes"))
        await someone.wait_until(lambda: not someone.sees("quick"), "the plan gone")


async def test_a_compaction_stands_where_it_happened() -> None:
    async with user() as someone:
        say(someone.session, "before", "a1")
        someone.session.apply(
            CompactionUpdate(compaction_id="c", status="completed", summary=[TextContent(text="short")])
        )
        say(someone.session, "after", "a2")
        await someone.wait_for("after")
        order = [word for row in someone.rows() for word in ("before", "Context compacted", "after") if word in row]
        assert order == ["before", "Context compacted", "after"]
        await someone.press("ctrl+o")
        await someone.wait_for("short")


async def test_a_question_that_comes_while_one_quits_is_not_shown() -> None:
    async with user() as someone:
        someone.app.exit()
        ask_permission(someone.session)
        await until_still(someone.app)


async def test_what_is_typed_beside_the_prompt_goes_into_it() -> None:
    async with user() as someone:
        someone.conversation.set_focus(None)
        await someone.type("ab")
        assert someone.draft == "ab"
        someone.conversation.set_focus(None)
        someone.app.post_message(events.Paste("c"))
        await someone.wait_until(lambda: someone.draft == "abc")


@pytest.mark.parametrize("keys", [["c"], ["c", "backspace", "d"], ["left", "c"]], ids=" ".join)
async def test_keys_keep_their_order_when_the_prompt_gets_the_focus_between_them(keys: list[str]) -> None:
    """As at a start, where the screen is busy while its first keys come."""
    async with user() as someone:
        await someone.type("ab")
        await someone.press(*keys)
        expected = someone.draft
        await someone.press("end", "ctrl+u")
        busy = asyncio.Event()
        someone.conversation.set_focus(None)
        someone.conversation.call_next(busy.wait)
        for key in "ab":
            await someone.app.on_event(events.Key(key, key))
        someone.conversation.set_focus(someone.conversation.editor)
        for key in keys:
            await someone.app.on_event(events.Key(key, key if len(key) == 1 else None))
        busy.set()
        await someone.wait_until(lambda: someone.draft == expected, "the keys in their order")
        await someone.type("z")
        assert someone.draft.count("z") == 1


async def test_the_transcript_takes_the_focus_and_gives_it_back() -> None:
    async with user() as someone:
        await someone.send("first")
        say(someone.session, "answer")
        end_turn(someone.session)
        await someone.wait_for("answer")
        await someone.press("ctrl+x", "up")
        assert someone.focused == "transcript"
        await someone.press("y")
        assert someone.app.clipboard == "answer"
        await someone.press("left_curly_bracket", "y")
        assert someone.app.clipboard == "first"
        await someone.press("escape")
        assert someone.focused == "editor"
        await someone.press("ctrl+x", "up")
        await someone.type("x")
        assert someone.draft == "x"


async def test_page_up_scrolls_from_the_prompt_and_end_follows_again() -> None:
    async with user() as someone:
        await someone.send("go")
        say(someone.session, "\n\n".join(f"line {n}" for n in range(200)))
        await someone.wait_for("line 199")
        await someone.press("pageup")
        assert not someone.sees("line 199")
        await someone.wait_for("more below (end)")
        await someone.type("text")
        await someone.wait_for("more below (pgdn)")
        await someone.press("ctrl+u")
        await someone.wait_for("more below (end)")
        await someone.press("end")
        await someone.wait_for("line 199")
        await someone.press("pageup")
        await someone.wait_for("more below (end)")
        row = next(row for row in someone.rows() if "more below" in row)
        await someone.pilot.click("#status", offset=(row.index("more below") + 2, 0))
        await someone.wait_for("line 199")
        await someone.press("home")
        await someone.wait_for("line 1 ")


async def test_help_lists_the_keys() -> None:
    async with user() as someone:
        for keys in (("f1",), ("question_mark",), ("ctrl+x", "question_mark")):
            await someone.press(*keys)
            await someone.wait_for("Send the prompt")
            await someone.press("escape")
            assert someone.app.screen is someone.conversation, keys


async def test_a_question_mark_in_a_text_is_a_question_mark() -> None:
    async with user() as someone:
        await someone.type("why?")
        assert someone.draft == "why?"


async def test_the_palette_finds_and_runs_a_command() -> None:
    async with user() as someone:
        await someone.command("toggle dark")
        assert someone.app.theme == "acp-light"


async def test_every_theme_can_be_picked() -> None:
    async with user(prepare=tell_options) as someone:
        for name in someone.app.available_themes:
            someone.app.theme = name
            await someone.pilot.pause()
        assert someone.sees("Mode Ask")


@pytest.mark.parametrize("size", [(80, 24), (60, 12), (20, 8), (200, 60)])
async def test_any_size_shows_the_prompt(size: tuple[int, int]) -> None:
    def prepare(session: Session) -> None:
        titled(session)
        tell_options(session)
        tell_usage(session)

    async with user(size, prepare=prepare) as someone:
        await someone.type("hello")
        assert someone.sees("hello")
        assert all(len(row) <= size[0] for row in someone.rows())


async def test_leaving_waits_for_the_agent_to_end() -> None:
    async with user() as someone:
        await someone.press("ctrl+q")
        await someone.wait_until(lambda: not someone.app.is_running, "the end")
        assert someone.acts("close") == [()]
        assert someone.app.return_code == 0


async def test_while_it_leaves_the_screen_says_what_it_waits_for() -> None:
    async with user() as someone:
        someone.client.stuck = True
        await someone.press("ctrl+q")
        await someone.wait_for("Stopping the agent")
        someone.app.leave()
        await someone.wait_until(lambda: not someone.app.is_running, "the end at the second request")


async def test_the_end_of_input_leaves() -> None:
    async with user() as someone:
        someone.app.input_ended()
        await someone.wait_until(lambda: not someone.app.is_running, "the end")


def test_ids_keys_and_leaders_are_unique() -> None:
    ids = [command.id for command in COMMANDS]
    assert len(ids) == len(set(ids))
    leaders = [second for command in COMMANDS for second in command.leaders]
    assert len(leaders) == len(set(leaders))
    for scope in ("everywhere", "prompt", "transcript"):
        keys = [key for command in COMMANDS if command.scope == scope for key in command.keys]
        assert len(keys) == len(set(keys))


async def test_an_empty_transcript_says_what_one_can_do_until_something_is_said() -> None:
    async with user() as someone:
        await someone.wait_for("is ready")
        someone.session.apply(AvailableCommandsUpdate(available_commands=[AvailableCommand(name="deploy")]))
        await someone.wait_for("/deploy")
        say(someone.session, "Hello")
        await someone.wait_for("Hello")
        assert not someone.sees("is ready")


async def test_what_is_typed_before_the_first_frame_is_not_lost() -> None:
    async with user() as someone:
        someone.conversation.post_message(events.Key("w", "w"))  # the app sent it there while nothing had the focus
        await someone.wait_until(lambda: someone.draft == "w")
        assert someone.focused == "editor"


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="there is no such signal")
async def test_a_signal_that_comes_before_the_first_frame_is_obeyed_after_it() -> None:
    app = AcpTuiApp()
    app._obey(signal.SIGUSR1)
    assert await app.run_async(headless=True) == 128 + signal.SIGUSR1


async def test_the_key_of_the_plan_says_where_there_is_none() -> None:
    async with user() as someone:
        await someone.press("ctrl+t")
        assert "No plan yet" in someone.toasts()


async def test_the_edge_of_a_prompt_that_is_out_of_sight_is_not_drawn() -> None:
    async with user((80, 24)) as someone:
        await someone.send("one")
        say(someone.session, "word\n\n" * 40)
        await someone.wait_for("word")
        view = someone.conversation.transcript
        for top in range(6):
            view.scroll_y = top
            await someone.pilot.pause()
            if ends_a_wash(view.viewport.shown[0][2]):
                break
        assert ends_a_wash(view.viewport.shown[0][2])
        assert view._strip(0).text.strip() == ""
        assert not someone.sees("▘")
