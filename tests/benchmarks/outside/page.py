"""The table of a run: as Markdown, as a file of figures, and as the part of docs/speed.md made from that file."""

import datetime
import json
import os
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from acp_tui import __version__
from tests.benchmarks.outside.rows import TABLE, UNITS, Measured, ratio

FIGURES = Path(__file__).with_name("figures.json")
NONE = "–"


def shown(figure: float | None, unit: str = "") -> str:
    """A figure in three digits."""
    if figure is None:
        return NONE
    number = f"{figure:,.0f}" if abs(figure) >= 99.95 else f"{figure:.1f}" if abs(figure) >= 9.995 else f"{figure:.2f}"
    return f"{number}{'' if unit[:1] in '%/' else ' '}{unit}"


def table(measured: Sequence[Measured]) -> str:
    """Markdown: a line for each figure of each row, a column for each client; of two, how the second compares."""
    clients = len(measured[0].clients)
    names = ["acp-tui"] if clients == 1 else [chr(ord("A") + number) for number in range(clients)]
    heads = ["What", "Figure", *names, "Floor", *(f"{name} / floor" for name in names), *(["B / A"] * (clients == 2))]
    lines = [heads, ["---", "---", *["---:"] * (len(heads) - 2)]]
    lines += [line for one in measured for line in _lines(one)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _lines(one: Measured) -> Iterator[list[str]]:
    row = TABLE[one.name]
    for number, name in enumerate(row.tells):
        words, unit = UNITS[name]
        figures, floor = [client.get(name) for client in one.clients], one.floor.get(name)
        compared = [ratio(figures[1], figures[0])] if len(figures) == 2 else []
        ratios = [ratio(figure, floor) for figure in figures] + compared
        told = [shown(figure, unit) for figure in [*figures, floor]]
        yield ["" if number else row.words, words, *told, *(shown(one) for one in ratios)]


def machine() -> dict[str, object]:
    """What the figures depend on; no name of a host or a place."""
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "version": __version__,
        "cpus": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def saved(measured: Sequence[Measured], runs: int) -> dict[str, Any]:
    """The whole run as plain data."""
    rows = {one.name: {"client": one.clients[0], "floor": one.floor} for one in measured}
    return {**machine(), "runs": runs, "rows": rows}


def write(measured: Sequence[Measured], runs: int, path: Path = FIGURES) -> None:
    path.write_text(json.dumps(saved(measured, runs), indent=2) + "\n", encoding="utf-8")


def made(path: Path = FIGURES) -> str:
    """The part of the page: machine, date and table, or that no run has been written yet."""
    if not path.exists():
        return "No run has been written yet.\n"
    run = json.loads(path.read_text(encoding="utf-8"))
    rows = [Measured(name, (row["client"],), row["floor"]) for name, row in run["rows"].items()]
    where = f"{run['system']}, {run['cpus']} CPUs, Python {run['python']}"
    return f"{run['date']}, acp-tui {run['version']}; {where}; medians of {run['runs']} runs.\n\n{table(rows)}"
