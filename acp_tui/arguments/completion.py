"""`acp-tui completion`: the script for a shell, and the answers to what it asks while a line is written."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from acp_tui.arguments.candidates import Wanted, answer, wanted, words_of
from acp_tui.console import write_output
from acp_tui.errors import UserFault
from acp_tui.host.system.current_folder import real_path, written_path
from acp_tui.startup import late

SCRIPTS = Path(__file__).parent / "shells"


def complete(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Print the script, or what can follow the words; the exit code."""
    shell = options.shell
    if not options.complete:
        write_output((SCRIPTS / f"completion.{shell}").read_text(encoding="utf-8").rstrip())
        return 0
    found = wanted(words_of(words[0]) if shell == "bash" and words else words)
    write_output("\n".join(answer(shell, found, _rows(found))))
    return 0


def _rows(found: Wanted) -> Sequence[tuple[str, str]]:
    if found.kind not in ("agents", "sessions"):
        return found.rows
    try:
        folder = real_path(written_path(found.folder or "."))
    except UserFault:  # a line that is still written is no place to say so
        return ()
    return list(late("acp_tui.headless.candidates").rows(found.kind, folder))
