"""The permission panel by itself: everything shown, every key, one answer per request, safe from type-ahead."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import pytest
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session.facts import PermissionAnswered, PermissionReceived
from acp_tui.session.state import Session
from acp_tui.ui.kit.answer_rule import NEVER
from acp_tui.ui.kit.key_routing import AnswersByRule
from acp_tui.ui.kit.list_panel import UnitsView
from acp_tui.ui.questions.permission_options import MOST_OPTIONS, AnswerList, OptionRow
from acp_tui.ui.questions.permission_panel import PermissionPanel
from acp_tui.ui.questions.request_screen import RequestReview, RequestScreen
from acp_tui.ui.questions.subject_screen import SubjectScreen
from tests.still import PATIENCE

pytestmark = pytest.mark.anyio

OPTIONS = [
    PermissionOption(option_id="always", name="Always allow", kind="allow_always"),
    PermissionOption(option_id="once", name="Allow once", kind="allow_once"),
    PermissionOption(option_id="no", name="Reject", kind="reject_once"),
    PermissionOption(option_id="odd", name="[b]Ask[/] \x1b[2Jlater", kind="newer"),
]


class HostScreen(Screen[None]):
    """The screen of a panel above a prompt."""

    panel: PermissionPanel

    @property
    def asker(self) -> PermissionPanel | None:
        return self.panel if self.panel.opened else None

    def take_text(self, reason: bool) -> str:
        if reason and self.panel.open_reason():
            return "reason"
        self.set_focus(self.query_one("#editor"))
        self.panel.fold()
        return "prompt"


class Host(AnswersByRule[None]):
    """A panel above a prompt. Its clock is patient: each key is a deliberate one."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session("s", "/home/me/project", agent_name="Agent")
        self.panel = PermissionPanel(self.session, RequestReview(lambda _comments: None))
        self.answers: list[tuple[int, str | None, str]] = []
        self.dismissed = 0

    def get_default_screen(self) -> HostScreen:
        screen = HostScreen()
        screen.panel = self.panel
        return screen

    def compose(self) -> ComposeResult:
        yield Static("transcript")
        with Vertical(id="dock"):
            yield self.panel
            yield Input(id="editor")

    def on_mount(self) -> None:
        self.query_one("#editor").focus()

    @on(PermissionPanel.Answered)
    def answered(self, message: PermissionPanel.Answered) -> None:
        self.answers.append((message.key, message.option_id, message.note))

    @on(PermissionPanel.Written)
    def written(self, message: PermissionPanel.Written) -> None:
        self.query_one("#editor", Input).value += message.text
        self.let_go()

    @on(PermissionPanel.Dismissed)
    def let_go(self) -> None:
        self.dismissed += 1
        self.query_one("#editor").focus()
        self.panel.fold()

    def ask(self, key: int = 1, options: list[PermissionOption] = OPTIONS, **call: Any) -> None:
        call = {"tool_call_id": f"call{key}", "title": "Do it", **call}
        update = ToolCallUpdate.model_validate(call)
        self.session.apply(update)
        subject = PermissionSubject(type="tool_call", tool_call=update)
        request = PermissionRequest(session_id="s", title=update.title or "", subject=subject, options=options)
        self.session.apply(PermissionReceived(key, request))

    def settle(self) -> None:
        """What a client does with the last answer."""
        key, option_id, _ = self.answers[-1]
        self.session.apply(PermissionAnswered(key, option_id))
        self.panel.show_next()

    def rows(self) -> str:
        width, height = self.size
        lines = self.screen._compositor.render_strips(self.size)
        return "\n".join(line.crop(0, width).text.rstrip() for line in lines[:height])


@asynccontextmanager
async def asked(size: tuple[int, int] = (80, 24), **call: Any) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    """A host whose panel shows one request and has the focus."""
    host = Host()
    async with host.run_test(size=size) as pilot:
        host.ask(**call)
        host.panel.show_next(take_focus=True)
        await pilot.pause()
        yield host, pilot


@pytest.mark.parametrize(("key", "option"), [("1", "always"), ("y", "once"), ("Y", "always"), ("enter", "once")])
async def test_a_key_answers(key: str, option: str) -> None:
    async with asked() as (host, pilot):
        await pilot.press(key)
        assert host.answers == [(1, option, "")]


@pytest.mark.parametrize("key", ["5", "0", "N", "a", "R", "x", "space"])
async def test_a_character_without_an_option_is_a_reason(key: str) -> None:
    async with asked() as (host, pilot):
        await pilot.press(key)
        assert "enter reject with message" in host.rows()
        assert "esc to prompt" in host.rows()
        await pilot.press("!", "enter")
        assert host.answers == [(1, "no", f"{' ' if key == 'space' else key}!".strip())]


async def test_enter_never_begins_on_always() -> None:
    options = [OPTIONS[0], OPTIONS[2]]
    async with asked(options=options) as (host, pilot):
        await pilot.press("enter")
        assert host.answers == [(1, "no", "")]


async def test_arrows_move_what_enter_answers_with() -> None:
    async with asked() as (host, pilot):
        await pilot.press("down", "down", "down", "down", "up", "enter")
        assert host.answers == [(1, "no", "")]


async def test_escape_brings_a_reason_into_the_prompt_and_answers_nothing() -> None:
    async with asked() as (host, pilot):
        await pilot.press(*"why?", "escape")
        await pilot.pause()
        assert (host.answers, host.query_one("#editor", Input).value) == ([], "why?")
        assert "needs an answer" in host.rows()


async def test_a_reason_is_the_prompts_where_nothing_rejects() -> None:
    async with asked(options=kinds("allow_once", "allow_always")) as (host, pilot):
        await pilot.press(*"why?")
        assert (host.answers, host.query_one("#editor", Input).value) == ([], "why?")


@pytest.mark.parametrize("text", ["/compact", "!ls", "@src", "?"])
async def test_what_begins_a_command_is_the_prompts(text: str) -> None:
    async with asked() as (host, pilot):
        await pilot.press(*text)
        await pilot.pause()
        assert (host.answers, host.query_one("#editor", Input).value) == ([], text)
        assert "needs an answer" in host.rows()


async def test_one_key_answers_one_request() -> None:
    async with asked() as (host, pilot):
        host.ask(2)
        host.panel.show_next()
        await pilot.pause()
        assert "1 of 2 waiting" in host.rows()
        await pilot.press("y")
        assert host.answers == [(1, "once", "")]
        host.settle()
        await pilot.pause()
        assert "waiting" not in host.rows()
        await pilot.press("n")
        assert host.answers[1:] == [(2, "no", "")]
        host.settle()
        assert not host.panel.display


async def test_the_highlight_of_the_next_request_with_the_same_answers_begins_where_that_of_the_first_did() -> None:
    async with asked() as (host, pilot):
        host.ask(2)
        await pilot.press("down", "enter")
        host.settle()
        await pilot.pause()
        await pilot.press("enter")
        assert host.answers == [(1, "no", ""), (2, "once", "")]


async def test_an_answer_that_is_on_its_way_is_not_asked_again() -> None:
    async with asked() as (host, pilot):
        await pilot.press("y")
        host.panel.show_next()
        assert not host.panel.display
        assert not host.panel.display


async def test_an_answer_that_has_arrived_is_not_remembered() -> None:
    async with asked() as (host, pilot):
        await pilot.press("y")
        assert host.panel._answered == {1}
        host.settle()
        assert host.panel._answered == set()


async def test_escape_gives_the_focus_back_and_leaves_a_line() -> None:
    async with asked() as (host, pilot):
        await pilot.press("escape")
        await pilot.pause()
        assert (host.answers, host.dismissed) == ([], 1)
        assert host.panel.display
        assert "△ Agent needs an answer (alt+a)" in host.rows()
        assert "Allow once" not in host.rows()
        host.panel.show_next(take_focus=True)
        await pilot.pause()
        assert "Allow once" in host.rows()


async def test_without_the_focus_it_is_one_line_and_typing_goes_on() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        host.ask()
        host.panel.show_next()
        assert host.panel.display
        await pilot.pause()
        await pilot.press("y", "1")
        assert host.answers == []
        assert host.query_one("#editor", Input).value == "y1"
        assert "Agent needs an answer" in host.rows()


async def test_tab_opens_a_line_for_the_reason() -> None:
    async with asked() as (host, pilot):
        await pilot.press("tab", *"not y", "enter")
        assert host.answers == [(1, "no", "not y")]


async def test_the_reason_goes_with_the_option_that_was_chosen() -> None:
    async with asked() as (host, pilot):
        await pilot.press("up", "tab", "x", "down", "enter")
        assert host.answers == [(1, "once", "x")]


async def test_escape_closes_the_line_first() -> None:
    async with asked() as (host, pilot):
        await pilot.press("tab", "x", "escape")
        await pilot.pause()
        assert host.dismissed == 0
        await pilot.press("y")
        assert host.answers == [(1, "once", "")]


async def test_an_abandoned_reason_stays_with_its_request_and_the_next_one_opens() -> None:
    async with asked() as (host, pilot):
        before = host.query_one(AnswerList).highlighted
        host.ask(2)
        await pilot.press("tab", "w", "h", "y", "escape")
        await pilot.pause()
        assert host.query_one(AnswerList).highlighted == before
        await pilot.press("tab")
        assert host.query_one("#permission-note", Input).value == "why"
        await pilot.press("escape", "y")
        await pilot.pause()
        assert host.answers == [(1, "once", "")]
        host.settle()
        await pilot.pause()
        assert host.query_one("#editor", Input).value == ""
        assert host.panel.has_focus
        await pilot.press("tab")
        assert host.query_one("#permission-note", Input).value == ""


async def test_the_next_request_closes_the_line() -> None:
    async with asked() as (host, pilot):
        host.ask(2)
        await pilot.press("tab", "x", "enter")
        host.settle()
        await pilot.pause()
        await pilot.press("y")
        assert host.answers == [(1, "no", "x"), (2, "once", "")]


async def test_a_click_answers() -> None:
    async with asked() as (host, pilot):
        await pilot.click(host.query(OptionRow)[2])
        assert host.answers == [(1, "no", "")]


async def test_a_click_on_the_line_opens_the_panel() -> None:
    async with asked() as (host, pilot):
        await pilot.press("escape")
        await pilot.pause()
        await pilot.click(host.panel)
        await pilot.pause()
        assert host.panel.has_focus
        assert "Allow once" in host.rows()


async def test_everything_that_the_agent_wrote_is_only_text() -> None:
    title = "[@click=app.quit]Run[/] \x1b]52;c;x\x07\u202e"
    async with asked(title=title) as (host, _):
        assert "[@click=app.quit]Run[/]" in host.rows()
        assert "[b]Ask[/]" in host.rows()
        assert not {"\x1b", "\x07", "\u202e"} & set(host.rows())


async def test_the_whole_command_and_its_folder_are_shown() -> None:
    raw = {"command": "ls\nrm -r build", "cwd": "/home/me/project/sub"}
    async with asked(kind="execute", title="Run it?", raw_input=raw) as (host, _):
        assert "$ ls" in host.rows()
        assert "rm -r build" in host.rows()
        assert "in /home/me/project/sub" in host.rows()


async def test_a_command_subject_is_shown() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        subject = PermissionSubject(type="command", command="make all", cwd="/tmp/x")
        request = PermissionRequest(session_id="s", title="May I?", subject=subject, options=OPTIONS)
        host.session.apply(PermissionReceived(1, request))
        host.panel.show_next(take_focus=True)
        await pilot.pause()
        assert "$ make all" in host.rows()
        assert "in /tmp/x" in host.rows()


async def test_a_subject_of_an_unknown_type_is_shown_as_it_came() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        subject = PermissionSubject(type="_moon", raw={"type": "_moon", "phase": "full"})
        request = PermissionRequest(session_id="s", title="May I?", subject=subject, options=OPTIONS)
        host.session.apply(PermissionReceived(1, request))
        host.panel.show_next(take_focus=True)
        await pilot.pause()
        assert "Unknown subject: _moon" in host.rows()
        assert "phase: full" in host.rows()


async def test_raw_input_is_shown_where_nothing_else_tells() -> None:
    async with asked(kind="other", raw_input={"target": "production"}) as (host, _):
        assert "target: production" in host.rows()


async def test_raw_input_that_says_more_than_its_command_is_shown() -> None:
    async with asked(kind="execute", raw_input={"command": "ls", "sandbox": "off"}) as (host, _):
        assert "sandbox: off" in host.rows()


async def test_text_content_is_shown() -> None:
    content = [ContentItem(content=TextContent(text="because of this"))]
    async with asked(content=content) as (host, _):
        assert "because of this" in host.rows()


async def test_all_diffs_are_shown_new_files_too() -> None:
    content = [
        Diff(path="/home/me/project/a.py", old_text="x = 1\n", new_text="x = 2\n"),
        Diff(path="/home/me/project/new.py", new_text="y = 3\n"),
    ]
    async with asked(size=(100, 40), kind="edit", title="Edit", content=content) as (host, _):
        rows = host.rows()
        assert " Edit 2 files  a.py, new.py  +2 −1" in rows
        assert " a.py  +1 −1" in rows
        assert "1 − x = 1" in rows
        assert "1 + x = 2" in rows
        assert " new.py  +1  new file" in rows
        assert "1 + y = 3" in rows


BIG = [Diff(path="/a.py", new_text="".join(f"line {number}\n" for number in range(500)))]


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (120, 40)])
async def test_the_options_are_always_visible_and_the_subject_scrolls(size: tuple[int, int]) -> None:
    async with asked(size=size, kind="edit", content=BIG) as (host, pilot):
        for name in ("Always allow", "Allow once", "Reject", "[b]Ask[/]"):
            assert name in host.rows()
        body = host.query_one(UnitsView)
        assert body.max_scroll_y > 400
        await pilot.press("pagedown")
        await pilot.pause()
        assert body.scroll_y > 0


async def test_a_long_plan_scrolls_above_the_options() -> None:
    plan = "# The plan\n\n" + "\n".join(f"- Change **file {number}**" for number in range(200))
    async with asked(kind="switch_mode", title="Ready to code?", raw_input={"plan": plan}) as (host, pilot):
        assert "│ The plan" in host.rows()
        assert "• Change file 0" in host.rows()
        assert "more rows  pgdn" in host.rows()
        for _ in range(30):
            assert "Allow once" in host.rows()
            await pilot.press("pagedown")
            await pilot.pause()
        assert "• Change file 199" in host.rows()
        assert "Allow once" in host.rows()
        await pilot.press("y")
        assert host.answers == [(1, "once", "")]


async def test_what_has_room_does_not_scroll() -> None:
    async with asked(kind="execute", raw_input={"command": "ls"}) as (host, _):
        assert "pgdn" not in host.rows()


async def test_the_line_without_the_focus_names_the_command() -> None:
    async with asked(kind="other", title="bash", raw_input={"command": "rm -r build"}) as (host, pilot):
        await pilot.press("escape")
        await pilot.pause()
        assert "(alt+a)  $ rm -r build" in host.rows()


async def test_the_last_line_of_the_subject_can_be_reached() -> None:
    async with asked(kind="edit", content=BIG) as (host, pilot):
        body = host.query_one(UnitsView)
        body.scroll_end(animate=False)
        await pilot.pause()
        body.scroll_end(animate=False)
        await pilot.pause()
        assert "line 499" in host.rows()


async def test_more_options_than_digits_scroll_into_view() -> None:
    options = [PermissionOption(option_id=str(n), name=f"Option {n}", kind="newer") for n in range(1, 13)]
    async with asked(size=(80, 16), options=options) as (host, pilot):
        assert "Option 12" not in host.rows()
        await pilot.press(*["down"] * 12)
        await pilot.pause()
        assert "Option 12" in host.rows()
        await pilot.press("enter")
        assert host.answers == [(1, "12", "")]


def kinds(*names: str) -> list[PermissionOption]:
    return [PermissionOption(option_id=str(n), name=f"Answer {n}", kind=kind) for n, kind in enumerate(names)]


@pytest.mark.parametrize("offered", [("sudo_forever", "allow_always"), ("allow_always", "reject_always"), ("newer",)])
async def test_where_nothing_is_highlighted_enter_does_nothing_until_something_is(offered: tuple[str, ...]) -> None:
    async with asked(options=kinds(*offered)) as (host, pilot):
        assert "❯" not in host.rows()
        assert "enter confirm" not in host.rows()
        assert "↑↓ select" in host.rows()
        await pilot.press("enter", "tab", "enter", "escape")
        await pilot.pause()
        await pilot.press("enter", "up")
        await pilot.pause()
        assert host.answers == []
        assert "enter confirm" in host.rows()
        await pilot.press("enter")
        assert host.answers == [(1, str(len(offered) - 1), "")]


@pytest.mark.parametrize("further", [(), ("down",)])
async def test_where_nothing_rejects_once_a_reason_goes_with_the_highlighted_answer(further: tuple[str, ...]) -> None:
    async with asked(options=kinds("allow_once", "reject_always")) as (host, pilot):
        await pilot.press("tab", "x")
        assert "❯ 1 y  Answer 0" in host.rows()
        assert "enter confirm with reason" in host.rows()
        await pilot.press(*further, "enter")
        assert host.answers == [(1, str(len(further)), "x")]


@pytest.mark.parametrize("keys", [("enter",), ("tab", "x", "enter")])
async def test_enter_without_a_highlighted_answer_says_what_is_missing(keys: tuple[str, ...]) -> None:
    async with asked(options=kinds("allow_always")) as (host, pilot):
        await pilot.press(*keys)
        await pilot.pause()
        assert [note.message for note in host._notifications] == ["Select an answer first: ↑↓"]
        await pilot.press("down", "enter")
        assert host.answers == [(1, "0", "x" if "x" in keys else "")]


@pytest.mark.parametrize("key", ["enter", "tab"])
async def test_without_options_the_one_key_that_does_something_is_named(key: str) -> None:
    async with asked(options=[]) as (host, pilot):
        await pilot.press(key)
        await pilot.pause()
        assert [note.message for note in host._notifications] == ["No answer to select: c cancels the turn"]


async def test_without_options_the_panel_says_so_and_offers_to_cancel() -> None:
    async with asked(options=[]) as (host, pilot):
        assert "The agent offers no options." in host.rows()
        assert "c cancel the turn" in host.rows()
        assert "confirm" not in host.rows()
        await pilot.press("enter", "y", "1", "down", "tab", "enter")
        assert host.answers == []
        await pilot.press("c", "c")
        assert host.answers == [(1, None, "")]


LONG = "Yes, and do not ask me again, I will allow once or reject once whatever it is " * 7


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_names_of_500_characters_leave_kinds_and_keys_in_sight(size: tuple[int, int]) -> None:
    options = [
        PermissionOption(option_id=k, name=f"{k[-1]} {LONG}END", kind=k) for k in ("allow_always", "reject_once")
    ]
    async with asked(size=size, options=options) as (host, pilot):
        assert "❯ 2 n  reject once  e Yes" in host.rows()
        always, once = host.query(OptionRow)
        await pilot.press("up")
        await pilot.pause()
        assert always.region.height > 4
        assert "END" in str(always.query_one(".option-name", Static).content)
        assert once.region.height <= 2
        assert "❯ 1 Y  allow always  s Yes" in host.rows()


ALWAYS = "Yes, and don't ask again for npm and make commands in this project or any folder below it"


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 16)])
async def test_what_is_allowed_for_good_is_never_cut(size: tuple[int, int]) -> None:
    options = [
        PermissionOption(option_id="yes", name="Yes", kind="allow_once"),
        PermissionOption(option_id="always", name=ALWAYS, kind="allow_always"),
    ]
    async with asked(size=size, options=options, raw_input={"command": COMMAND}) as (host, _):
        label = host.query(OptionRow)[1].query_one(".option-name", Static)
        assert label.region.height == len(str(label.content).split("\n"))
        assert " ".join(str(label.content).split()).replace("allow always", "").strip() == ALWAYS


YES_NO = [
    PermissionOption(option_id=kind, name=f"{word}, and don't ask again this session", kind=kind)
    for pair in (("allow_once", "reject_once"), ("allow_always", "reject_always"))
    for word, kind in zip(("Yes", "No"), pair, strict=True)
]


@pytest.mark.parametrize("size", [(40, 12), (36, 14), (60, 13), (40, 16)])
async def test_without_room_for_all_options_one_allows_and_one_rejects_wherever_the_highlight_is(
    size: tuple[int, int],
) -> None:
    options = [YES_NO[at] for at in (2, 0, 3, 1)]
    async with asked(size=size, options=options, raw_input={"command": COMMAND}) as (host, pilot):
        for _ in range(4):
            rows = host.rows()
            assert all(part in rows for part in (" 2 y ", " 4 n ", "❯")), rows
            shown = [row.query_one(".option-name", Static) for row in host.query(OptionRow) if row.display]
            assert all(label.region.height == len(str(label.content).split("\n")) for label in shown), rows
            await pilot.press("down")
            await pilot.pause()


async def test_an_option_without_room_has_no_key_until_it_is_shown() -> None:
    options = [YES_NO[at] for at in (0, 2, 1)]
    edit = Diff(path="/a.py", old_text="1\n" * 9, new_text="1\n" * 8 + "2\n")
    async with asked(size=(40, 12), options=options, content=[edit]) as (host, pilot):
        answers = host.query_one(AnswerList)
        assert answers.keys == "13yn"
        assert "↑↓ 3 options" in host.rows()
        await pilot.press("down")
        await pilot.pause()
        assert answers.keys == "123yYn"


COMMAND = " && ".join(f"make part-{number}-of-the-whole-thing" for number in range(41))


@pytest.mark.parametrize("size", [(200, 60), (120, 40), (80, 24), (60, 20), (40, 16)])
async def test_of_a_long_command_beginning_and_end_are_in_sight_and_the_rows_between_are_counted(
    size: tuple[int, int],
) -> None:
    async with asked(size=size, raw_input={"command": COMMAND}) as (host, pilot):
        place = host.query_one(AnswerList).region
        hidden = re.search(r"… (\d+) more rows?  pgdn", host.rows())
        parts = [number for number in range(41) if f"part-{number}-of" in host.rows()]
        assert (hidden is None) is (len(parts) == 41)
        assert {0, 40} <= {*parts}
        for _ in range(30):
            await pilot.press("pagedown")
            await pilot.pause()
        assert "more row" not in host.rows()
        assert len(parts) == 41 or "above  pgup" in host.rows()
        assert host.query_one(AnswerList).region == place
        for _ in range(30):
            await pilot.press("pageup")
            await pilot.pause()
        assert [number for number in range(41) if f"part-{number}-of" in host.rows()] == parts


async def test_where_few_rows_are_all_of_a_command_the_last_is_its_end() -> None:
    call = {"raw_input": {"command": f"{COMMAND} && rm -rf build"}, "title": "Rebuild", "options": LASTING}
    async with asked(size=(40, 12), **call) as (host, pilot):
        rows = host.rows().split("\n")
        at = next(number for number, row in enumerate(rows) if "▌ $ make part-0" in row)
        end = next(row for row in rows[at + 1 :] if "▌ … " in row)
        assert end.endswith("rm -rf build")
        await pilot.press("pagedown")
        await pilot.pause()
        assert "rm -rf" not in host.rows()


LASTING = [
    PermissionOption(option_id="once", name="Yes", kind="allow_once"),
    PermissionOption(option_id="always", name=f"Yes, always {'and for good ' * 8}", kind="allow_always"),
    PermissionOption(option_id="no", name="No", kind="reject_once"),
]


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_of_a_long_diff_the_lines_that_are_left_are_counted_whatever_they_take(size: tuple[int, int]) -> None:
    old, new = ("".join(f"{word} {number} {'of many words ' * 9}\n" for number in range(800)) for word in ("a", "b"))
    diff = Diff(path="/home/me/project/a.txt", old_text=old, new_text=new)
    async with asked(size=size, kind="edit", content=[diff]) as (host, _):
        first = re.search(r"(\d[\d,]+) more lines  pgdn", host.rows())
        assert first is not None
        shown = len(re.findall(r" − ", host.rows()))
        left = 1_600 - int(first[1].replace(",", ""))
        assert shown - 1 <= left <= shown  # the last one may go on


@pytest.mark.parametrize(
    ("size", "words"), [((80, 24), ", a line cut · v full screen"), ((40, 12), ", a line cut · v")]
)
async def test_a_line_that_is_cut_is_told_with_the_rows_out_of_sight(size: tuple[int, int], words: str) -> None:
    for length, told in ((3_000, True), (1_900, False)):
        new = f"{'word ' * (length // 5)}\n" + "more\n" * 20
        async with asked(size=size, kind="edit", content=[Diff(path="/home/me/a.txt", new_text=new)]) as (host, _):
            assert (words in host.rows()) is told
            assert "more line" in host.rows()


async def test_an_input_with_a_line_that_is_cut_is_told_too() -> None:
    async with asked(size=(80, 24), kind="other", raw_input={"text": "word " * 2_000}) as (host, _):
        assert ", a line cut · v full screen" in host.rows()


@pytest.mark.parametrize("size", [(80, 24), (40, 16)])
async def test_the_file_is_named_once_and_what_is_written_is_in_sight(size: tuple[int, int]) -> None:
    content = [Diff(path="/home/me/project/src/a.py", old_text="old = 1\n" * 9, new_text="old = 1\n" * 8 + "new = 2\n")]
    async with asked(size=size, kind="edit", title="Edit src/a.py", content=content) as (host, _):
        assert host.rows().count("a.py") == host.rows().count("Edit src/a.py  +1 −1") == 1
        assert "+ new = 2" in host.rows()
        assert "▌\n" not in host.rows().replace(" ", "")


async def test_of_thousands_of_options_some_are_shown_and_the_rest_counted() -> None:
    options = [PermissionOption(option_id=str(n), name=f"Option {n}", kind="allow_once") for n in range(20_000)]
    async with asked(options=options) as (host, pilot):
        assert len(host.query(OptionRow)) == MOST_OPTIONS
        host.query_one(AnswerList).scroll_end(animate=False)
        await pilot.pause()
        assert "19,950 more options not shown" in host.rows()


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_what_enter_answers_with_is_in_sight_at_first(size: tuple[int, int]) -> None:
    async with asked(size=size, options=kinds(*["allow_always"] * 20, "allow_once")) as (host, pilot):
        deadline = monotonic() + PATIENCE
        while not any("❯" in row and "Answer 20" in row for row in host.rows().splitlines()):  # after the next layout
            assert monotonic() < deadline, host.rows()
            await pilot.pause()
        await pilot.press("enter")
        assert host.answers == [(1, "20", "")]


async def test_an_option_that_is_not_shown_is_not_highlighted() -> None:
    async with asked(options=kinds(*["allow_always"] * MOST_OPTIONS, "allow_once")) as (host, pilot):
        await pilot.press("enter")
        assert host.answers == []
        await pilot.press("up", "enter")
        assert host.answers == [(1, str(MOST_OPTIONS - 1), "")]


async def test_before_the_options_are_on_the_screen_text_is_the_prompts() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        with host.batch_update():  # no frame comes
            host.ask()
            host.panel.show_next(take_focus=True)
            await pilot.pause()
            await pilot.press("y", "enter")
            assert host.panel.rule.painted == NEVER
            assert host.panel.opened
            await pilot.press("x", "y", "enter")
        await pilot.pause()
        assert (host.answers, host.query_one("#editor", Input).value) == ([], "xy")


async def test_a_changed_subject_is_another_question() -> None:
    async with asked() as (host, pilot):
        with host.batch_update():
            content = [ContentItem(content=TextContent(text="rm -rf"))]
            host.session.apply(ToolCallUpdate(tool_call_id="call1", content=content))
            host.panel.look()
            await pilot.press("y")
        await pilot.pause()
        assert host.answers == []


async def test_escape_leaves_a_panel_that_was_not_painted_yet() -> None:
    host = Host()
    async with host.run_test(size=(80, 24)) as pilot:
        with host.batch_update():
            host.ask()
            host.panel.show_next(take_focus=True)
            await pilot.press("escape")
        await pilot.pause()
        assert host.dismissed == 1


async def test_s_turns_the_diff() -> None:
    content = [Diff(path="/a.py", old_text="x = 1\n", new_text="x = 2\n")]
    async with asked(size=(100, 40), kind="edit", content=content) as (host, pilot):
        await pilot.press("s")
        await pilot.pause()
        assert any("x = 1" in row and "x = 2" in row for row in host.rows().split("\n"))
        await pilot.press("s")
        await pilot.pause()
        assert not any("x = 1" in row and "x = 2" in row for row in host.rows().split("\n"))


async def test_v_shows_the_subject_on_the_full_screen() -> None:
    async with asked(kind="edit", content=BIG) as (host, pilot):
        await pilot.press("v")
        await pilot.pause()
        assert isinstance(host.screen, SubjectScreen)
        assert "line 5" in host.rows()
        await pilot.press("s")
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(host.screen, SubjectScreen)
        assert host.answers == []
        assert host.panel.has_focus


@pytest.mark.parametrize(
    ("size", "keys"),
    [
        ((40, 12), "y yes  Y always  n no  esc back"),
        ((60, 18), "y yes  Y always  n no  tab reason  ↑↓ move  esc back"),
        ((60, 20), "tab add a reason  ↑↓ move  c comment  esc back"),
        ((120, 40), "tab add a reason  ↑↓ move  c comment  s side by side  m mark read  V select  esc back"),
    ],
)
async def test_the_full_screen_says_what_it_asks_and_begins_at_the_change(size: tuple[int, int], keys: str) -> None:
    before = [f"{number} of the lines that stand before the change that is asked about" for number in range(9)]
    old, new = ("\n".join([*before, line, ""]) for line in ("old line", "new line"))
    diff = Diff(path="/home/me/project/a.py", old_text=old, new_text=new)
    async with asked(size=size, kind="edit", content=[diff]) as (host, pilot):
        await in_full_screen(host, pilot)
        await pilot.pause()
        rows = [row.strip() for row in host.rows().split("\n")]
        title = next(row for row in rows if row.startswith("△ Edit"))
        assert "a.py  +1 −1 · " in title
        assert title.count("a.py") == 1
        assert ("4/5" if size == (40, 12) else "line 4 of 5") in title
        assert not any(row.endswith("asked about") and not row[0].isdigit() for row in rows[:2])  # no tail of a line
        assert [sign for sign in ("− old line", "+ new line") if sign in host.rows()] == ["− old line", "+ new line"]
        assert keys in host.rows()
        assert next(row for row in rows if "↑↓ move" in row).startswith("△" if size == (40, 12) else ("y ", "tab"))
        assert ("1 Y  Always allow" in host.rows()) is (size[1] >= 20)
        assert "" not in rows or size[1] > 14


async def test_the_full_screen_cuts_nothing_of_a_line_that_is_longer_than_a_page() -> None:
    line = " ".join(f"word{number}" for number in range(3_000))
    diff = Diff(path="/home/me/project/a.txt", old_text="first\nlast\n", new_text=f"first\n{line}\nlast\n")
    async with asked(size=(60, 20), kind="edit", content=[diff]) as (host, pilot):
        await in_full_screen(host, pilot)
        seen = set[str]()
        for _ in range(400):
            await pilot.pause()
            seen |= set(host.rows().split())
            if "last" in seen:
                break
            await pilot.press("pagedown")
        assert {f"word{number}" for number in range(3_000)} <= seen
        assert "more character" not in host.rows()
        await pilot.press("up")
        await pilot.pause()
        assert "word2999" in host.rows()


@pytest.mark.parametrize("size", [(40, 12), (60, 20)])
async def test_the_full_screen_of_a_long_command_names_the_keys_that_scroll_once(size: tuple[int, int]) -> None:
    async with asked(size=size, raw_input={"command": "make " * 200}) as (host, pilot):
        await in_full_screen(host, pilot)
        await pilot.pause()
        assert host.rows().count("↑↓") == 1
        assert "↑↓ scroll" in host.rows()
        await pilot.press("tab")
        await pilot.pause()
        assert "↑↓" not in host.rows()


async def in_full_screen(host: Host, pilot: Pilot[None]) -> RequestScreen:
    await pilot.press("v")
    await pilot.pause()
    assert isinstance(host.screen, RequestScreen)
    return host.screen


@pytest.mark.parametrize(
    ("keys", "answers"),
    [
        (("y",), [(1, "once", "")]),
        (("n",), [(1, "no", "")]),
        (("tab", "n", "o", "enter"), [(1, "no", "no")]),
        (("tab", "n", "escape"), []),
        (("Y",), [(1, "always", "")]),
        (("1",), [(1, "always", "")]),
        (("4",), [(1, "odd", "")]),
        (("5",), []),
        (("enter",), []),
        (("down", "enter"), []),
    ],
)
async def test_the_full_screen_answers(keys: tuple[str, ...], answers: list[object]) -> None:
    async with asked(kind="edit", content=BIG) as (host, pilot):
        await in_full_screen(host, pilot)
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        assert host.answers == answers
        assert isinstance(host.screen, RequestScreen) is not bool(answers)


EVERY = [
    PermissionOption(option_id=kind, name=kind, kind=kind)
    for kind in ("allow_once", "allow_always", "reject_once", "reject_always")
]


async def test_the_full_screen_has_every_answer_in_sixty_columns() -> None:
    async with asked(size=(60, 18), options=EVERY, kind="edit", content=BIG) as (host, pilot):
        await in_full_screen(host, pilot)
        await pilot.pause()
        assert "y yes  Y always  n no  N never  tab reason  esc back" in host.rows()
        await pilot.press("N")
        await pilot.pause()
        assert host.answers == [(1, "reject_always", "")]


async def test_a_new_file_has_no_second_layout() -> None:
    diff = Diff(path="/home/me/project/new.py", new_text="x = 1\n")
    async with asked(size=(120, 40), title="new.py", kind="edit", content=[diff]) as (host, pilot):
        assert "Create new.py  +1" in host.rows()
        assert "side by side" not in host.rows()
        await in_full_screen(host, pilot)
        await pilot.pause()
        assert "△ Create new.py  +1" in host.rows()
        assert "side by side" not in host.rows()


async def test_in_the_full_screen_only_what_is_offered_has_keys() -> None:
    async with asked(size=(120, 40), raw_input={"command": "make all"}) as (host, pilot):
        await in_full_screen(host, pilot)
        assert [key for key, _ in host.screen.hints()] == ["tab", "↑↓", "esc"]  # type: ignore[attr-defined]
    async with asked(size=(120, 40), options=OPTIONS[:1], kind="edit", content=BIG) as (host, pilot):
        screen = await in_full_screen(host, pilot)
        assert not {"y", "n", "tab"} & {key for key, _ in screen.hints()}
        await pilot.press("y", "n", "tab")
        await pilot.pause()
        assert (host.answers, host.screen) == ([], screen)


async def test_the_full_screen_has_the_options_as_the_panel_has_them_and_highlights_none() -> None:
    async with asked(size=(100, 40), options=LASTING, kind="edit", content=BIG) as (host, pilot):
        names = ["1 y  Yes  allow once", "2 Y  Yes, always and for", "3 n  No  reject once"]
        assert [name for name in names if name in host.rows()] == names
        screen = await in_full_screen(host, pilot)
        await pilot.pause()
        assert [name for name in names if name in host.rows()] == names
        assert " ".join(host.rows().split()).count("and for good") == 8
        assert "❯" not in host.rows()
        screen.mark(Key("Y", "Y"))
        await pilot.pause()
        assert "❯ 2 Y" in host.rows()
        screen.mark(None)
        await pilot.pause()
        assert "❯" not in host.rows()
        assert await pilot.click(screen.query_one(AnswerList).query(OptionRow)[2])
        await pilot.pause()
        assert host.answers == [(1, "no", "")]


@pytest.mark.parametrize(("size", "rows"), [((100, 40), True), ((100, 18), False), ((40, 24), False)])
async def test_the_full_screen_has_rows_of_options_where_they_are_at_most_a_third(
    size: tuple[int, int], rows: bool
) -> None:
    async with asked(size=size, options=LASTING * 3, kind="edit", content=BIG) as (host, pilot):
        screen = await in_full_screen(host, pilot)
        await pilot.pause()
        assert screen.query_one(AnswerList).display is rows
        assert ("3 n  No" in host.rows()) is rows
        await pilot.resize_terminal(100, 18 if rows else 60)
        await pilot.pause()
        assert screen.query_one(AnswerList).display is not rows
        await pilot.press("7")
        await pilot.pause()
        assert host.answers == [(1, "once", "")] * (not rows)


async def test_a_key_of_the_full_screen_answers_alone_and_only_after_it_was_painted() -> None:
    async with asked(kind="edit", content=BIG) as (host, pilot):
        screen = await in_full_screen(host, pilot)
        screen.rule.await_paint()
        await pilot.press("y")
        await pilot.pause()
        assert host.answers == []


async def test_an_answer_of_the_full_screen_is_for_no_other_request() -> None:
    async with asked(kind="edit", content=BIG) as (host, pilot):
        await in_full_screen(host, pilot)
        host.ask(2)
        host.session.apply(PermissionAnswered(1, None))
        host.panel.show_next()
        await pilot.press("tab", "n", "o", "enter")
        await pilot.pause()
        assert host.answers == []
        assert "no" in host.query_one("#editor", Input).value


async def test_brackets_lead_from_hunk_to_hunk() -> None:
    old = "".join(f"line {number}\n" for number in range(60))
    new = old.replace("line 5\n", "five\n").replace("line 50\n", "fifty\n")
    async with asked(kind="edit", content=[Diff(path="/a.py", old_text=old, new_text=new)]) as (host, pilot):
        lines = (await in_full_screen(host, pilot)).pane.lines
        places = [lines.hunk_number]
        for key in ("right_square_bracket", "right_square_bracket", "left_square_bracket"):
            await pilot.press(key)
            places.append(lines.hunk_number)
        assert places == [(1, 2), (2, 2), (2, 2), (1, 2)]


async def test_a_subject_that_grows_is_shown_anew() -> None:
    async with asked() as (host, pilot):
        content = [ContentItem(content=TextContent(text="news"))]
        host.session.apply(ToolCallUpdate(tool_call_id="call1", content=content))
        host.panel.show_next()
        await pilot.pause()
        assert "news" in host.rows()


async def test_a_smaller_screen_keeps_the_options() -> None:
    async with asked(size=(120, 40), kind="edit", content=BIG) as (host, pilot):
        await pilot.resize_terminal(70, 20)
        await pilot.pause()
        assert "Allow once" in host.rows()
        assert "[b]Ask[/]" in host.rows()
