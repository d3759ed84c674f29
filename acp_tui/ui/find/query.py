"""What is looked for: plain words, in smart case; must not know where."""

import re
from functools import cached_property


class Query:
    """Words as they were typed. Capitals in them count; all in lower case they stand for both."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.exact = words != words.lower()

    def __bool__(self) -> bool:
        return bool(self.words)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.words), re.NOFLAG if self.exact else re.IGNORECASE)

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in self.pattern.finditer(text)] if self else []
