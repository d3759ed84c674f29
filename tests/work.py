"""How much work something is, in calls: it grows as the time does, and no other program has a part in it."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls_of(do: Callable[[], Any]) -> int:
    """How many calls of functions it takes, those of C among them."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        do()
    finally:
        sys.setprofile(before)
    return count
