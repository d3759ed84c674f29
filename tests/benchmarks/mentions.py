"""What mentioning a file costs in a large project; run it by hand.

    python -m tests.benchmarks.mentions [--smoke] [--walk | --ignores] [FILES]

Milliseconds at 120x40, wall clock and CPU, from a key to the first paint with paths: `@` for the first time (the files
are not listed yet), until all are listed, `@` again; and to the last paint that came of every further letter; to
compare, a letter without a list. `--walk`: without Git; `--ignores`: with a `.gitignore`, but no checkout.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import asyncio
import subprocess
from collections.abc import Callable
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

from rich.console import RenderableType
from textual import events
from textual.screen import Screen

from acp_tui.session.state import Session
from acp_tui.ui.app import AcpTuiApp
from tests.benchmarks.picker import Paints
from tests.pilot.driver import CHARACTERS, User, user

WORDS = ("source", "app", "core", "test", "model", "view", "control", "login", "session", "render", "index", "file")
QUERIES = ("session", "login_v4", "core/log", "sesslog", "zzqx", "e")


def make_tree(root: Path, count: int) -> None:
    for number in range(count):
        one, two, three = (WORDS[number // step % len(WORDS)] for step in (1, 12, 144))
        folder = root / one / two / three
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{two}_{three}{number}.py").touch()


def make_checkout(root: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)


PATIENCE = 20.0  # seconds


class FirstPaint(Paints):
    """The first paint after a key with which something is true."""

    def __init__(self, app: AcpTuiApp) -> None:
        self._wanted: Callable[[], bool] = lambda: False
        self._there = asyncio.Event()
        super().__init__(app)

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if self._wanted():
            self._there.set()

    async def timed(self, someone: User, key: str, wanted: Callable[[], bool]) -> str:
        """Wall clock and CPU of this thread from the key to it, milliseconds."""
        await someone.pilot.pause()
        self._wanted = wanted
        self._there.clear()
        start, worked = perf_counter(), thread_time()
        someone.app.post_message(events.Key(key, key if len(key) == 1 else CHARACTERS.get(key)))
        async with asyncio.timeout(PATIENCE):
            await self._there.wait()
        return f"{(perf_counter() - start) * 1000:.0f}/{(thread_time() - worked) * 1000:.0f}"


async def measure(root: Path) -> None:
    def prepare(session: Session) -> None:
        session.cwd = str(root)

    async with user(prepare=prepare) as someone:
        acts = someone.conversation.parts.completions.mentions
        paint = FirstPaint(someone.app)
        await paint.timed(someone, "w", lambda: someone.draft == "w")
        blank = await paint.timed(someone, "x", lambda: someone.draft == "wx")
        await someone.press("space")
        start = perf_counter()
        first = await paint.timed(someone, "@", lambda: acts.list.value is not None)
        index = acts._listed()
        await index.read()
        whole = (perf_counter() - start) * 1000
        print(f"a letter without a list {blank}; @ for the first time {first}, all listed {whole:.0f}")
        await someone.press("backspace")
        print(f"@ again {await paint.timed(someone, '@', lambda: acts.list.is_open)}")
        for query in QUERIES:
            times = []
            for letter in query:
                cpu, wall = await paint.after(someone, letter)
                times.append(f"{wall * 1000:.0f}/{cpu * 1000:.0f}")
            print(f"  {query:10} {' '.join(times)}  ({len(acts.list.rows)} offered)")
            await someone.press(*["backspace"] * len(query))


def main() -> None:
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    count = numbers[0] if numbers else 500 if "--smoke" in sys.argv else 50_000
    with TemporaryDirectory() as folder:
        root = Path(folder)
        make_tree(root, count)
        if "--ignores" in sys.argv:
            (root / ".gitignore").write_text("*.log\n")
        elif "--walk" not in sys.argv:
            make_checkout(root)
        print(f"{count:,} files, {'walked' if '--walk' in sys.argv else 'listed by Git'}; milliseconds")
        asyncio.run(measure(root))


if __name__ == "__main__":
    main()
