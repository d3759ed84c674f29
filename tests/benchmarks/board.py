"""What the board costs with many permission requests in many sessions; run it by hand.

    python -m tests.benchmarks.board [--smoke] [SESSIONS [REQUESTS]]

In the whole app at 120x40, where the oldest requests are those of one session after another: from the keys until the
board is painted; from an arrow until the other row and its request are; from an answer until the next request, to
which keys count from then on; and what comes of a request more. The median and the worst of several runs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter

os.environ.setdefault("TEXTUAL_FPS", "120")  # as the app has it; counts when Textual is imported

from textual import events

from acp_tui.ui.kit.answer_rule import NEVER
from acp_tui.ui.sessions.board_screen import BoardScreen
from acp_tui.ui.sessions.tabs import Tab
from tests.benchmarks.picker import Paints, Times, now, tell
from tests.pilot.driver import User, user
from tests.pilot.fake_client import ask_permission

RUNS = 30


async def painted_after(someone: User, paints: Paints, act: Callable[[], object]) -> tuple[float, float]:
    """What passes from an act until the next request is painted, and its keys count."""
    board = someone.app.screen
    assert isinstance(board, BoardScreen)
    before, start = board.panel.asked, now()
    act()
    deadline = perf_counter() + 30
    while board.panel.asked in (None, before) or board.panel.rule.painted == NEVER:
        assert perf_counter() < deadline, "\n".join(someone.rows())
        await asyncio.sleep(0)
    cpu, wall = paints.last
    await someone.pilot.pause()
    return cpu - start[0], wall - start[1]


def _are_so_many(tabs: Sequence[Tab], number: int) -> bool:
    return len(tabs) == number


async def main() -> None:
    smoke = "--smoke" in sys.argv
    counts = [int(argument) for argument in sys.argv[1:] if argument.isdecimal()]
    many, each = (*counts, *((3, 4) if smoke else (20, 50))[len(counts) :])
    async with user() as someone:
        tabs = someone.app.tabs.entries
        for number in range(2, many + 1):
            await someone.press("ctrl+n")
            await someone.wait_until(partial(_are_so_many, tabs, number), "another session")
            await someone.wait_until(lambda: someone.conversation.complete, "all parts")
        sessions = [tab.session for tab in tabs]
        for key in range(1, each + 1):
            for session in sessions:
                ask_permission(session, key, f"Write login{key}.py")
        await someone.pilot.pause()
        paints = Paints(someone.app)
        opened: Times = []
        for _ in range(2 if smoke else 7):
            someone.app.post_message(events.Key("ctrl+x", None))
            opened.append(await paints.after(someone, "w"))
            await someone.opened(BoardScreen)
            await someone.press("escape")
        await someone.press("ctrl+x", "w")
        board = await someone.opened(BoardScreen)
        moved: Times = []
        answered: Times = []
        came: Times = []
        for run in range(min(RUNS, len(sessions) * each // 3)):
            moved.append(
                await painted_after(someone, paints, partial(someone.app.post_message, events.Key("down", None)))
            )
            answered.append(await painted_after(someone, paints, partial(board.panel._answer, 0)))
            start = now()
            ask_permission(sessions[run % len(sessions)], each + run + 1)
            await someone.pilot.pause()
            came.append((paints.last[0] - start[0], paints.last[1] - start[1]))
        print(f"{many} sessions, {many * each} requests")
        tell("open the board", opened)
        tell("an arrow: the next row and its request", moved)
        tell("an answer: the next request", answered)
        tell("a request more", came)


if __name__ == "__main__":
    asyncio.run(main())
