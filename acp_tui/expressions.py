"""Regular expressions that are compiled with their first use: 64 of them cost a start 10 ms, and most wait long."""

import re
from typing import Any, cast


class _Expression:
    """In place of a pattern until something of it is used, and then with its methods."""

    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        compiled = re.compile(self._text, self._flags)
        vars(self).update((each, getattr(compiled, each)) for each in dir(compiled) if not each.startswith("_"))
        return getattr(compiled, name)


def expression(text: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern for `search`, `sub` and the like; one that is wrong raises `re.error` there."""
    return cast("re.Pattern[str]", _Expression(text, flags))
