"""What a picker of many values, a long list of slash commands and the palette over all of it cost; run it by hand.

    python -m tests.benchmarks.picker [--smoke] [VALUES]

In the whole app at 120x40: from the key until the picker is painted, then for each key typed into its filter; the same
for the palette over as many values, 5,000 slash commands and 500 sessions; and how long an update with 200 commands in
one line of 560 KB holds up the screen, what the pop-up over them takes after a slash, and what each key in it.
Milliseconds of CPU until the last paint, and of wall clock, which has the wait for the next frame in it; the median and
the worst of several runs.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import asyncio
import json
import os
from dataclasses import replace
from statistics import median
from time import perf_counter, process_time
from typing import Any

os.environ.setdefault("TEXTUAL_FPS", "120")  # as the app has it; counts when Textual is imported

from rich.console import RenderableType
from textual import events
from textual._compositor import CompositorUpdate
from textual.screen import Screen

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.config_options import ConfigOption, ConfigValue, SelectOption
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from acp_tui.protocol.vocabulary.session_updates import AvailableCommand, AvailableCommandsUpdate
from acp_tui.session.state import Session
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.command_palette import PalettePicker
from acp_tui.ui.kit.picker import Picker
from tests.pilot.driver import CHARACTERS, User, user
from tests.pilot.fake_client import tell_options

PER_GROUP = 20
RUNS = 9
COMMANDS, LINE = 200, 560_000
MANY = 5_000  # commands in the palette


def grouped(count: int) -> list[ConfigOption]:
    values = [
        ConfigValue(
            value=f"vendor-{number // PER_GROUP}/model-{number}",
            name=f"Model {number} {'Turbo' if number % 3 else 'Long'}",
            description=f"Takes {number % 9 + 1}00k tokens, answers {'fast' if number % 2 else 'well'}",
            group=f"Vendor {number // PER_GROUP}",
        )
        for number in range(count)
    ]
    return [
        SelectOption(id="model", name="Model", category="model", current_value=values[count // 2].value, values=values)
    ]


def commands() -> dict[str, Any]:
    filling = "x" * (LINE // COMMANDS - 300)
    told = [
        {
            "name": f"skill-{number}",
            "description": f"Does number {number} of many things. " * 5,
            "input": {"hint": "what to do"},
            "_meta": {"skill": filling},
        }
        for number in range(COMMANDS)
    ]
    return {"sessionUpdate": "available_commands_update", "availableCommands": told}


Times = list[tuple[float, float]]


def now() -> tuple[float, float]:
    return process_time(), perf_counter()


class Paints:
    """When the app painted last; bytes are made as for a terminal, and dropped."""

    def __init__(self, app: AcpTuiApp) -> None:
        self.last = now()
        self._app = app
        setattr(app, "_display", self._display)  # noqa: B010 - what a driver would be given

    def _display(self, _screen: Screen[object], renderable: RenderableType | None) -> None:
        if isinstance(renderable, CompositorUpdate):
            renderable.render_segments(self._app.console)
            self.last = now()

    async def after(self, someone: User, key: str) -> tuple[float, float]:
        """What passed from a key to the last paint that came of it."""
        start = now()
        someone.app.post_message(events.Key(key, key if len(key) == 1 else CHARACTERS.get(key)))
        await someone.pilot.pause()
        return self.last[0] - start[0], self.last[1] - start[1]


def tell(what: str, times: Times) -> None:
    (cpu, most_cpu), (wall, most_wall) = ((1000 * median(each), 1000 * max(each)) for each in zip(*times, strict=True))
    print(f"{what:<42} CPU {cpu:6.1f} ms (most {most_cpu:6.1f}), wall {wall:6.1f} ms (most {most_wall:6.1f})")


async def pickers(count: int, runs: int) -> None:
    async with user(prepare=lambda session: tell_options(session, grouped(count))) as someone:
        paints = Paints(someone.app)
        opened: Times = []
        typed: Times = []
        for _ in range(runs):
            opened.append(await paints.after(someone, "alt+p"))
            assert isinstance(someone.app.screen, Picker)
            typed += [await paints.after(someone, letter) for letter in "model17"]
            await someone.press("escape")
        tell(f"open a picker of {count} grouped values", opened)
        tell("a key in its filter", typed)


async def palette(count: int, runs: int) -> None:
    def prepare(session: Session) -> None:
        many = [AvailableCommand(name=f"skill-{n}", description="Does one of many things. " * 5) for n in range(MANY)]
        tell_options(session, grouped(count))
        session.apply(AvailableCommandsUpdate(available_commands=many))

    async with user(prepare=prepare) as someone:
        paints = Paints(someone.app)
        client = someone.client
        client.connection.capabilities = replace(client.connection.capabilities, list_sessions=True)
        titles = (f"Mend model {number}" for number in range(MANY // 10))
        client.known_sessions.list.entries = [
            SessionInfo(session_id=title, cwd=client.cwd, title=title) for title in titles
        ]
        opened: Times = []
        typed: Times = []
        for _ in range(runs):
            opened.append(await paints.after(someone, "ctrl+p"))
            assert isinstance(someone.app.screen, PalettePicker)
            typed += [await paints.after(someone, letter) for letter in "model17"]
            await someone.press("escape")
        tell(f"the palette over {MANY} commands", opened)
        tell("a key in it", typed)


async def slash_commands(runs: int) -> None:
    async with user() as someone:
        paints = Paints(someone.app)
        line = json.dumps(commands())
        arrived: Times = []
        opened: Times = []
        typed: Times = []
        for _ in range(runs):
            start = now()
            someone.session.apply(read(AvailableCommandsUpdate, json.loads(line)))
            await someone.pilot.pause()
            arrived.append((now()[0] - start[0], now()[1] - start[1]))
            opened.append(await paints.after(someone, "slash"))
            typed += [await paints.after(someone, letter) for letter in "skill17"]
            someone.conversation.editor.set_draft("")
            await someone.pilot.pause()
        tell(f"{COMMANDS} commands in {len(line) // 1000} KB, read and taken", arrived)
        tell("the pop-up over them", opened)
        tell("a key in it", typed)


async def main() -> None:
    smoke = "--smoke" in sys.argv
    counts = [int(argument) for argument in sys.argv[1:] if argument.isdecimal()]
    runs = 2 if smoke else RUNS
    count = counts[0] if counts else 40 if smoke else 400
    await pickers(count, runs)
    await palette(count, runs)
    await slash_commands(runs)


if __name__ == "__main__":
    asyncio.run(main())
