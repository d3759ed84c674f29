"""What the whole program costs beside the least client there can be, row by row.

    python -m tests.benchmarks.table ROW [--runs N] [--client COMMAND [--client COMMAND]]
    python -m tests.benchmarks.table --all [--write]

Client and floor run in turns under a terminal of 120x40 with the same agent; medians and their ratio are printed. Two
clients (commands to which `-- AGENT` is added) are compared with each other too. `--write` keeps the run of the whole
table in a file, from which docs/speed.md is made. `--smoke` takes everything small: with no ROW, two rows once.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import argparse

from tests.benchmarks.outside.page import table, write
from tests.benchmarks.outside.rows import TABLE, measure

SMOKE = ("stream-keys", "sessions")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure acp-tui beside the least client.")
    parser.add_argument("row", nargs="*", choices=[*TABLE, []], metavar="ROW", help=", ".join(TABLE))
    parser.add_argument("--all", action="store_true", help="every row")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each client (default: 5)")
    parser.add_argument("--client", action="append", metavar="COMMAND", help="another client; two are compared")
    parser.add_argument("--write", action="store_true", help="keep the figures and make docs/speed.md (with --all)")
    parser.add_argument("--smoke", action="store_true", help="small and once, to see that it works")
    arguments = parser.parse_args()
    if not (arguments.row or arguments.all or arguments.smoke):
        parser.error("name a row, or --all")
    if arguments.write and (not arguments.all or arguments.smoke or len(arguments.client or ()) > 1):
        parser.error("--write keeps the whole table of one client: --all, and no --smoke")
    return arguments


def main() -> None:
    """Print the table."""
    arguments = parsed()
    names = [*TABLE] if arguments.all else arguments.row or SMOKE
    runs = 1 if arguments.smoke else arguments.runs
    measured = []
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        row = TABLE[name].smaller() if arguments.smoke else TABLE[name]
        measured.append(measure(name, row, arguments.client or [None], runs))
    print(table(measured), end="")
    if arguments.write:
        write(measured, runs)
        print("kept; now run python -m tests.house.pages", file=sys.stderr)


if __name__ == "__main__":
    main()
