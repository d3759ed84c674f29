"""How memory goes back to the system."""

import sys
from contextlib import suppress

from acp_tui.startup import late

_M_MMAP_THRESHOLD = -3  # of mallopt(3)
_LARGE = 128 * 1024  # bytes; where the C library begins


def return_large_blocks() -> None:
    """Have the GNU C library give large blocks back when they are freed. Elsewhere nothing happens.

    By itself it raises the size from which it does so to that of the largest block that was freed, up to 32 MiB. From
    then on smaller ones lie within the heap, which does not shrink: after a message of 5 MB, 20 MB that nobody used.
    """
    if sys.platform == "linux":
        with suppress(ImportError, OSError, AttributeError):  # a Python without ctypes, a C library without the call
            late("ctypes").CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE)
