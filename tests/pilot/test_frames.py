"""Frames of the real app: at each one the terminal shows, cell by cell, what Textual's own painting gives."""

import os
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from random import Random

import pytest
from rich.color import ColorSystem
from textual import events
from textual.strip import Strip

from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, Diff, ToolCallUpdate
from acp_tui.session.state import Session
from acp_tui.ui import bridge
from acp_tui.ui.app import AppSettings
from acp_tui.ui.kit.session_view import say as toast
from acp_tui.ui.terminal import suspension
from acp_tui.ui.terminal.terminal_capabilities import ColourDepth, MillionsOfColours
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission, end_turn, say, tell_commands, tell_options
from tests.pilot.judge import Judge
from tests.pilot.test_mouse import drag

pytestmark = [pytest.mark.anyio, pytest.mark.painted]
SIZE = (80, 24)
TEXTS = [
    "Some words, and **bold** ones, `code` and a [link](https://example.org/a).\n",
    "宽字符 and 한글 and e\u0301 and 🎉 beside each other; ",
    "\n\n- one\n- two\n  - *three*\n\n",
    "\n\n```python\ndef f(x):\n    return x  # 注\n```\n\n",
    "\n\n| a | 表 |\n|---|---|\n| 1 | 2 |\n\n",
    "\n\n# A heading\n\n" + "words of a paragraph that is wrapped " * 6,
    "".join(f"\n\nline {n}" for n in range(30)),
]
THEMES = ["acp-light", "acp-dark", "ansi-dark", "ansi-light", "nord"]
SCREENS = [("ctrl+p",), ("f1",), ("f2",), ("f12",), ("ctrl+s",), ("ctrl+r",), ("ctrl+x", "slash"), ("ctrl+x", "D")]


class Walk:
    """Someone who does anything, anywhere; `random` says what."""

    def __init__(self, someone: User, judge: Judge, random: Random) -> None:
        self.user, self.judge, self.random = someone, judge, random
        self.app, self.session = someone.app, someone.session
        self.calls = 0
        self.size = SIZE

    async def step(self, act: Callable[[], Awaitable[None]]) -> None:
        """One act, and a look at the whole screen after it, unless others have written on it meanwhile."""
        self.judge.doing = act.__name__
        await act()
        await self.user.pilot.pause()
        if not self.judge.foreign:
            await self.judge.look(self.app)
        assert not self.judge.wrong, self.judge.wrong[0]

    def plan(self) -> Sequence[Callable[[], Awaitable[None]]]:
        """Each act once, and twice those that are daily ones, in any order."""
        often = [self.answer, self.wheel_up, self.wheel_down, self.page, self.work, self.fold, self.over, self.close]
        seldom = [self.ask, self.write, self.toast, self.sidebar, self.select, self.theme]
        plan = [*often, *often, *seldom, self.resize, self.same_size, self.suspend, self.focus, self.redraw]
        self.random.shuffle(plan)
        return plan

    async def answer(self) -> None:
        text = self.random.choice(TEXTS)
        size = self.random.choice([7, 20, 60])
        for at in range(0, min(len(text), 6 * size), size):
            say(self.session, text[at : at + size], f"a{self.calls}")
            await self.user.pilot.pause()
        if self.random.random() < 0.2:
            end_turn(self.session)

    async def work(self) -> None:
        self.calls += 1
        if self.random.random() < 0.3:
            thought = TextContent(text="Thinking 想 about it. " * 20)
            self.session.apply(
                MessageChunk(session_update="agent_thought_chunk", message_id=f"t{self.calls}", content=thought)
            )
            return
        old = "".join(f"line {n}\n" for n in range(20))
        content = self.random.choice(
            [
                ContentItem(content=TextContent(text=old)),
                Diff(path="src/宽.py", old_text=old, new_text=old.replace("line 1", "row 1")),
            ]
        )
        status = self.random.choice(["in_progress", "completed", "failed"])
        self.session.apply(
            ToolCallUpdate(
                tool_call_id=f"c{self.random.randint(1, self.calls)}",
                title=f"Edit {self.calls}",
                kind="edit",
                status=status,
                content=[content],
            )
        )

    async def wheel_up(self) -> None:
        await self.wheel(events.MouseScrollUp)

    async def wheel_down(self) -> None:
        await self.wheel(events.MouseScrollDown)

    async def wheel(self, kind: type[events.MouseEvent]) -> None:
        for _ in range(self.random.randint(1, 5)):
            self.app.post_message(kind(None, 10, 5, 0, 0, 0, False, False, False, 10, 5))
            await self.user.pilot.pause()

    async def page(self) -> None:
        await self.user.press(self.random.choice(["pageup", "pageup", "pagedown", "home", "end", "down", "up"]))

    async def fold(self) -> None:
        await self.user.press(*self.random.choice([("ctrl+o",), ("ctrl+x", "up", "enter", "up", "space", "escape")]))

    async def ask(self) -> None:
        self.calls += 1
        ask_permission(self.session, self.calls)
        await self.user.pilot.pause()
        await self.user.press(*self.random.choice([("1",), ("v",), ("escape",), ()]))

    async def write(self) -> None:
        await self.user.press(
            *self.random.choice([("ctrl+u", "slash", "r"), ("ctrl+u", "at"), ("ctrl+j", *"ab"), ("x",)])
        )

    async def over(self) -> None:
        if self.random.random() < 0.3:
            self.user.conversation.action_command("settings", "")
        else:
            await self.user.press(*self.random.choice(SCREENS))
        await self.user.pilot.pause()
        await self.user.press("down", "a")

    async def close(self) -> None:
        await self.user.press("escape", "escape", "1", "ctrl+u")

    async def toast(self) -> None:
        if self.random.random() < 0.3:
            self.app.clear_notifications()
        else:
            toast(self.app, self.random.choice(["Copied", "Something 宽 longer that happened " * 4]))

    async def sidebar(self) -> None:
        await self.user.press("ctrl+x", "b")

    async def select(self) -> None:
        ends = [(self.random.randrange(self.size[0]), self.random.randrange(1, self.size[1] - 1)) for _ in range(2)]
        await drag(self.user, *ends)

    async def theme(self) -> None:
        names = [name for name in THEMES if name in self.app.available_themes]
        await self.app.change_theme(self.random.choice(names))

    async def resize(self) -> None:
        self.size = (self.random.choice([48, 79, 80, 100, 124]), self.random.randint(12, 30))
        await self.resized()

    async def same_size(self) -> None:
        await self.resized()

    async def resized(self) -> None:
        self.judge.resize(*self.size)
        await self.user.pilot.resize_terminal(*self.size)
        self.judge.foreign = False

    async def suspend(self) -> None:
        suspension.suspend(self.app)
        self.judge.foreign = False

    async def focus(self) -> None:
        self.app.post_message(events.AppBlur())
        await self.user.pilot.pause()
        say(self.session, self.random.choice(TEXTS), f"a{self.calls}")
        self.judge.scramble()
        self.app.post_message(events.AppFocus())

    async def redraw(self) -> None:
        self.judge.scramble()
        await self.user.press("ctrl+l")
        self.judge.foreign = False


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    made = Judge(*SIZE)
    made.patch(monkeypatch)
    monkeypatch.setattr(bridge, "FRAME", 0.001)
    monkeypatch.setattr("acp_tui.ui.terminal.suspension.os.killpg", lambda *_: made.scramble())  # what a shell shows
    monkeypatch.setenv("VISUAL", "true")
    return made


def told(session: Session) -> None:
    tell_options(session)
    tell_commands(session)
    say(session, "".join(f"line {n}\n\n" for n in range(30)), "before")


SEEDS = range(*map(int, os.environ.get("FRAMES_SEEDS", "2").split("-")))  # "100-200": others, and more of them


@pytest.mark.parametrize("seed", SEEDS)
async def test_every_frame_is_cell_by_cell_what_textual_paints(
    judge: Judge, seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with user(SIZE, prepare=told, records=Records(tmp_path)) as someone:
        walk = Walk(someone, judge, Random(seed))
        for act in walk.plan():
            await walk.step(act)
    assert not [record for record in caplog.records if record.name.endswith("frames")]
    assert judge.bytes < judge.bytes_by_textual / 2


@pytest.mark.parametrize("act", [Walk.same_size, Walk.suspend, Walk.redraw], ids=lambda act: act.__name__)
async def test_where_others_may_have_written_all_is_written_again(
    judge: Judge, act: Callable[[Walk], Awaitable[None]]
) -> None:
    async with user(SIZE, prepare=told) as someone:
        walk = Walk(someone, judge, Random(0))
        await walk.step(act.__get__(walk))


async def test_where_the_focus_was_elsewhere_rows_are_not_moved_before_they_are_written(judge: Judge) -> None:
    async with user(SIZE, prepare=told) as someone:
        walk = Walk(someone, judge, Random(0))
        moves = judge.moves
        await walk.step(walk.focus)
        await someone.press("pageup")
        assert not judge.wrong, judge.wrong[0]
        assert judge.moves == moves
        await walk.step(walk.wheel_up)
        assert judge.moves > moves


async def test_more_colours_are_drawn_at_once(judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Strip, "render", Strip.render)
    few = AppSettings(colours=ColourDepth(ColorSystem.STANDARD, ask=True))
    async with user(SIZE, prepare=told, settings=few) as someone:
        someone.app.post_message(MillionsOfColours())
        await someone.wait_until(lambda: someone.app.theme == "acp-dark")
        await judge.look(someone.app)
        assert not judge.wrong, judge.wrong[0]
        grounds = {ground for row in judge.ours.rows for _, (_, ground, _, _) in row}
        assert {ground[:2] for ground in grounds if ground} == {(48, 2)}, "of three bytes"
