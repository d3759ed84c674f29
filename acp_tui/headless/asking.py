"""Asking the user before something is done."""

import sys

from acp_tui.console import write_output

if sys.platform != "win32":
    import termios


def agreed(question: str) -> bool:
    """No, unless the user types yes; what was typed before the question stood there does not answer it."""
    if sys.platform != "win32":
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    write_output(question)
    return sys.stdin.buffer.readline().strip().lower() in (b"y", b"yes")
