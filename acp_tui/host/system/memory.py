"""How memory goes back to the system."""

import ctypes
import sys
from contextlib import suppress

_M_MMAP_THRESHOLD = -3  # of mallopt(3)
_LARGE = 128 * 1024  # bytes; where the C library begins


def return_large_blocks() -> None:
    """Have the GNU C library give large blocks back when they are freed. Elsewhere nothing happens.

    By itself it raises the size from which it does so to that of the largest block that was freed, up to 32 MiB. After
    a message of megabytes others lie within the heap, which stays as large as it ever was: 20 MB of 127 after 5 MB.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library, which may have no such call
            ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, _LARGE)
