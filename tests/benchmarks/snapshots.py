"""What snapshots of a work tree cost; run by hand: `python -m tests.benchmarks.snapshots [--smoke] [FILES ...]`.

For each number of files (1,000, 50,000 and 200,000), of about 4.9 KB in a checkout with ignored files beside them: the
time of the first snapshot, of one of the unchanged tree and of one with ten changes (with its comparison), each from
the start of the process to its end, and the CPU of the first two; bytes on the disk beside those of the files, and when
the first of two such trees is let go; and the longest that another task of this process (a key press) waited. Files are
in the system's cache.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import asyncio
import resource
import subprocess
import tempfile
import time
from collections.abc import Awaitable
from typing import TypeVar

from acp_tui.host.snapshots.folder_store import FolderStore

NUMBERS = (1_000, 50_000, 200_000)
SMALL = (200,)
IGNORED = 20_000
A_FOLDER = 20  # files
RUNS = 5  # of an unchanged tree; the best counts
TICK = 0.005  # seconds

T = TypeVar("T")


def make(root: Path, number: int, ignored: int) -> int:
    """Files of real source, no two alike; their bytes."""
    source = b"".join(path.read_bytes() for path in sorted(Path(asyncio.__file__).parent.glob("*.py"))).splitlines(True)
    place = size = 0
    for file in range(number):
        folder = root / f"part{file // 1000}" / f"folder{file // A_FOLDER % (1000 // A_FOLDER)}"
        if file % A_FOLDER == 0:
            folder.mkdir(parents=True, exist_ok=True)
        lines = [b"# %d\n" % file]
        while sum(map(len, lines)) < 1000 + file * 7919 % 7800:
            lines += source[place : place + 10]
            place = (place + 11 + file % 7) % len(source)
        size += (folder / f"file{file}.py").write_bytes(b"".join(lines))
    for file in range(ignored):
        (root / "made" / str(file // 100)).mkdir(parents=True, exist_ok=True)
        (root / "made" / str(file // 100) / f"{file}").write_bytes(b"x")
    (root / ".gitignore").write_text("made/\n")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)
    return size


class Ticker:
    """Another task of the loop; `longest`: by how much it was late at most."""

    def __init__(self) -> None:
        self.longest = 0.0

    async def run(self) -> None:
        while True:
            began = time.monotonic()
            await asyncio.sleep(TICK)
            self.longest = max(self.longest, time.monotonic() - began - TICK)


async def timed(act: Awaitable[T]) -> tuple[float, float, T]:
    """Seconds, those of CPU that processes took which have ended, and what came of it."""
    began, cpu = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    result = await act
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - began, after.ru_utime + after.ru_stime - cpu.ru_utime - cpu.ru_stime, result


def bytes_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


async def measure(root: Path, store: Path, number: int, ignored: int) -> None:
    """Print the figures of one number of files."""
    size = make(root, number, ignored)
    kept, ticker = FolderStore(str(root), store), Ticker()
    await FolderStore(
        str(root / "made" / "0"), store / "warm"
    ).worker.snapshot()  # the program has loaded it long before
    ticking = asyncio.create_task(ticker.run())
    first, first_cpu, before = await timed(kept.worker.snapshot())
    disk = bytes_of(store)
    runs = [await timed(kept.worker.snapshot()) for _ in range(RUNS)]
    for file in range(0, number, max(number // 10, 1)):
        place = root / f"part{file // 1000}" / f"folder{file // A_FOLDER % (1000 // A_FOLDER)}" / f"file{file}.py"
        place.write_bytes(place.read_bytes() + b"one line more\n")
    changed, changed_cpu, after = await timed(kept.worker.snapshot())
    compared, _, found = await timed(asyncio.to_thread(kept.compare, [before.id, after.id]))
    again, again_cpu = min(run[0] for run in runs), min(run[1] for run in runs)
    print(
        f"{number:,} files, {size / 1e6:,.0f} MB: first {first:.2f} s ({first_cpu:.2f} s of CPU), "
        f"unchanged {again:.2f} s ({again_cpu:.2f}), {len(found.files)} changed {changed:.2f} s ({changed_cpu:.2f}) "
        f"and compared {compared:.2f} s; {disk / 1e6:,.1f} MB on disk ({disk / size:.2f}); "
        f"others waited {1000 * ticker.longest:.0f} ms at most",
        flush=True,
    )
    for file in range(0, number, 2):
        (root / f"part{file // 1000}" / f"folder{file // A_FOLDER % (1000 // A_FOLDER)}" / f"file{file}.py").unlink()
    half = await kept.worker.snapshot()
    pruned, _, _ = await timed(asyncio.to_thread(kept.drop, [name for name in kept.names() if name != half.id]))
    print(f"  half of it let go in {pruned:.2f} s: {bytes_of(store) / 1e6:,.1f} MB on disk", flush=True)
    ticking.cancel()


def main() -> None:
    """Print what they cost."""
    smoke = "--smoke" in sys.argv
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()] or (SMALL if smoke else NUMBERS)
    for number in numbers:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder, "work")
            root.mkdir()
            asyncio.run(measure(root, Path(folder, "store"), number, 100 if smoke else IGNORED))


if __name__ == "__main__":
    main()
