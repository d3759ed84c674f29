"""What finding and copying cost in a long transcript; run it by hand.

    python -m tests.benchmarks.find [--smoke] [ENTRIES]

Times are CPU milliseconds of the process at 120x40 with the real drawings, each the first time after a start, as a
user has it: the first letter reads every entry, the next ones count again, a step draws what it steps into.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import asyncio
from collections.abc import Callable
from functools import partial
from time import process_time

from textual.app import App, ComposeResult

from acp_tui.session.entries import Entry, MessageEntry, ToolCallEntry
from acp_tui.session.state import Session
from acp_tui.ui.entries.drawings import draw, written
from acp_tui.ui.find_bar import Finder
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.transcript.transcript_view import TranscriptView
from tests.benchmarks.transcript import mixed
from tests.transcript_fakes import extend, text_in

SIZE = (120, 40)
EVERY = 250  # entries from one with the words to the next


class BenchApp(App[None]):
    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.transcript = TranscriptView(lambda entry: draw(entry, session), written)

    def compose(self) -> ComposeResult:
        yield self.transcript

    def on_mount(self) -> None:
        self.transcript.set_palette(palette_for(DARK))
        self.transcript.show(self.session)


def timed(act: Callable[[], object]) -> float:
    start = process_time()
    act()
    return (process_time() - start) * 1000


def with_needles(count: int) -> list[Entry]:
    entries = mixed(count)
    for entry in entries[::EVERY]:
        if isinstance(entry, MessageEntry):
            extend(entry, " with a **Needle** in it")
        elif isinstance(entry, ToolCallEntry):
            entry.title += " needle"
    return entries


async def measure(count: int) -> None:
    session = Session("s", "/")
    session.entries.extend(with_needles(count))
    app = BenchApp(session)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause()
        view = app.transcript
        size = sum(len(text_in(entry)) for entry in session.entries if isinstance(entry, MessageEntry))
        print(f"{size:,} characters in {count:,} entries")
        finder = Finder(view, session)
        letters = [timed(partial(finder.look_for, "needle"[:end])) for end in range(1, 7)]
        print(f"  find: first letter {letters[0]:.1f} ms, then {', '.join(f'{each:.1f}' for each in letters[1:])}")
        capital = timed(lambda: finder.look_for("Needle"))
        common = timed(lambda: finder.look_for("alpha"))
        print(f"  with a capital {capital:.1f} ms; a common word {common:.1f} ms ({finder.total:,} matches)")
        finder.look_for("needle")
        total = finder.total
        steps = [timed(lambda: finder.step(1)) for _ in range(max(1, min(total, 40)))]
        print(f"  of {total} matches a step takes {sum(steps) / len(steps):.2f} ms, at most {max(steps):.2f}")
        assert total == len(session.entries[::EVERY]), total
        finder.close(stay=False)
        view.text_select_all()
        copied: list[str] = []
        copy = timed(lambda: copied.append(view.selected_text()))
        print(f"  select all and copy {copy:.1f} ms ({len(copied[0]):,} characters)")


def main() -> None:
    counts = [int(argument) for argument in sys.argv[1:] if argument != "--smoke"]
    asyncio.run(measure(counts[0] if counts else 500 if "--smoke" in sys.argv else 10_000))


if __name__ == "__main__":
    main()
