"""Runs the tests against each mutant: `python -m tests.mutants [WORD ...]`, only rows that contain a word if given.

Each mutant is made in a copy of the project, so the checkout stays as it is. The files that its row names run first, up
to the first failure; a mutant that survives them meets `tests/unit` and `tests/integration` once. Prints a table, and
fails if a mutant survived.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.mutant import ROOT, Mutant
from tests.mutants.rows import ROWS

AT_ONCE = 2  # copies of the project, each with its own run
REST = ("tests/unit", "tests/integration")
FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)


def main(words: Sequence[str]) -> int:
    """Run the rows that contain one of the words, or all."""
    rows = [row for row in ROWS if not words or any(word in f"{row.where} {row.hurts}" for word in words)]
    for row in rows:
        row.check()
    with copies() as free, ThreadPoolExecutor(AT_ONCE) as pool:

        def judged(row: Mutant) -> str:
            copy = free.get()
            try:
                return judge(copy, row)
            finally:
                free.put(copy)

        killers = list(pool.map(judged, rows))
    survived = [row for row, killer in zip(rows, killers, strict=True) if not killer]
    print(f"\n{len(rows)} mutants, {len(survived)} survived")
    return 1 if survived or not rows else 0


@contextmanager
def copies() -> Iterator["SimpleQueue[Path]"]:
    """Copies of what git knows or would take of the checkout."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    with tempfile.TemporaryDirectory() as folder:
        free: SimpleQueue[Path] = SimpleQueue()
        for number in range(AT_ONCE):
            copy = Path(folder, str(number))
            for name in filter(None, names):
                if (ROOT / name).is_file():
                    (copy / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / name, copy / name)
            free.put(copy)
        yield free


def judge(copy: Path, row: Mutant) -> str:
    """The test that failed first; empty if all passed."""
    file, began = copy / row.path, time.monotonic()
    file.write_text(row.applied(file.read_text(encoding="utf-8")), encoding="utf-8")
    try:
        killer = first_failure(copy, [f"tests/{test}" for test in row.tests])
        if not killer and (killer := first_failure(copy, [*REST, "-n", "2"])):
            killer += " (not named by the row)"
    finally:
        shutil.copy2(ROOT / row.path, file)
    print(f"| {row.where} | {row.hurts} | {killer or 'SURVIVED'} | {time.monotonic() - began:.0f} s |", flush=True)
    return killer


def first_failure(copy: Path, tests: Sequence[str]) -> str:
    """Run these tests of the copy up to the first one that fails, and name it; empty if all pass."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": str(copy)},  # before the checkout itself, which is installed
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return ""
    found = FAILED.search(done.stdout)
    return found[1] if found else f"pytest ended with {done.returncode}: {done.stdout[-300:]!r}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
