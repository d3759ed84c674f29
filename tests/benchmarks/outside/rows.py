"""The rows of the table: which work each is, how small in a smoke run, and which figures it tells."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.benchmarks.outside.running import Work, client_command, floor_command, run

Figures = dict[str, float]

UNITS = {
    "wall": ("First write to last frame", "ms"),
    "bytes": ("Bytes to the terminal", "KB/s"),
    "cpu": ("CPU", "ms"),
    "cpu share": ("CPU, share of one core", "%"),
    "frames": ("Frames", "/s"),
    "peak": ("Peak memory", "MB"),
    "final": ("Final memory", "MB"),
    "key": ("Key press to letter, p95", "ms"),
}
"""Words and unit of each figure of `run`."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its words, the work, the numbers of a smoke run, the figures that it tells."""

    words: str
    work: Work
    small: tuple[int, ...]
    tells: tuple[str, ...] = ("wall", "cpu")

    def smaller(self) -> "Row":
        """The same in a second or two."""
        return replace(self, work=replace(self.work, numbers=self.small, sessions=min(self.work.sessions, 2)))


TABLE = {
    "stream-rate": Row(
        "An answer at 40 chunks a second, 400 chunks of 24 characters",
        Work("stream", (400, 24), rate=40),
        (20, 24),
        ("bytes", "cpu share", "frames"),
    ),
    "stream-keys": Row(
        "The same, while 50 keys are typed",
        Work("stream", (400, 24), rate=40, keys_during=True),
        (40, 24),
        ("key",),
    ),
    "stream-2000": Row("2,000 chunks at once", Work("stream", (2_000, 24)), (50, 24)),
    "stream-20000": Row("20,000 chunks at once", Work("stream", (20_000, 24)), (60, 24)),
    "tools": Row("300 tool calls", Work("tools", (300,)), (5,)),
    "diffs": Row("50 diffs of 80 lines", Work("diffs", (50, 80)), (2, 20)),
    "turns": Row("A session of 200 turns", Work("turns", (200,), keys_after=True), (2,), ("wall", "cpu", "key")),
    "line": Row("One line of 5 MB", Work("line", (5_000_000,)), (50_000,), ("wall", "cpu", "peak")),
    "million": Row(
        "A million chunks at once, while keys are typed",
        Work("stream", (1_000_000, 24), keys_during=True, limit=600),
        (100, 24),
        ("wall", "peak", "final", "key"),
    ),
    "calls": Row(
        "100,000 tool calls at once, while keys are typed",
        Work("tools", (100_000,), keys_during=True, limit=600),
        (10,),
        ("wall", "peak", "final", "key"),
    ),
    "sessions": Row(
        "20 sessions streaming at once, 40 chunks a second each",
        Work("stream", (400, 24), rate=40, sessions=20, keys_during=True),
        (40, 24),
        ("cpu share", "key"),
    ),
    "subagents": Row(
        "100 subagents streaming at once, 40 chunks a second each",
        Work("subagents", (100, 400, 24), rate=4_000, keys_during=True),
        (5, 10, 24),
        ("cpu share", "final", "key"),
    ),
    "subagents-one": Row(
        "One session streaming the same amount",
        Work("stream", (40_000, 24), rate=4_000, keys_during=True),
        (60, 24),
        ("cpu share", "final", "key"),
    ),
    "announced": Row("10,000 subagents announced", Work("subagents", (10_000, 0)), (10, 1), ("wall", "cpu")),
}


@dataclass(frozen=True, slots=True)
class Measured:
    """A row's medians, of each client in the order of the command line and of the floor."""

    name: str
    clients: tuple[Figures, ...]
    floor: Figures


def medians(runs: Sequence[Figures]) -> Figures:
    """Figure by figure; one that no run has is not there."""
    names = dict.fromkeys(name for figures in runs for name in figures)
    return {name: statistics.median(figures[name] for figures in runs if name in figures) for name in names}


def measure(name: str, row: Row, clients: Sequence[str | None], runs: int) -> Measured:
    """Run the clients and the floor in turns, A B floor A B floor, so that what else the machine does meets all."""
    commands = [*map(client_command, clients), floor_command(row.work.sessions)]
    figures: list[list[Figures]] = [[] for _ in commands]
    for _ in range(runs):
        for taken, command in zip(figures, commands, strict=True):
            taken.append(run(command, row.work))
    *of_clients, floor = map(medians, figures)
    return Measured(name, tuple(of_clients), floor)


def ratio(figure: float | None, other: float | None) -> float | None:
    """How many times the other; None where there is nothing to compare."""
    return figure / other if figure is not None and other else None
