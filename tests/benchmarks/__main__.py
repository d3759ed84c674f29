"""Runs each benchmark once and small: `python -m tests.benchmarks`. One process, so that imports count once."""

import runpy
import sys
import time
from pathlib import Path


def main() -> None:
    """Run all files of this folder as they are run by hand with `--smoke`; the first that fails ends the run."""
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        name, began = f"tests.benchmarks.{path.stem}", time.monotonic()
        print(f"\n== {name} --smoke", flush=True)
        sys.argv = [str(path), "--smoke"]
        try:
            runpy.run_module(name, run_name="__main__")
        except SystemExit as ended:
            if ended.code:
                raise
        print(f"{time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
