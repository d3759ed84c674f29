"""Readers of values on the command line, for argparse: each raises what that tells the user."""

import argparse
from collections.abc import Iterable

AMOUNT_AT_MOST = 1_000_000  # of money or minutes
_DIGITS = 6  # of a number of turns or days


def amount(written: str) -> float:
    try:
        value = float(written.removeprefix("$"))
    except ValueError:
        value = 0.0
    if not 0 < value <= AMOUNT_AT_MOST:  # NaN is not, either
        raise argparse.ArgumentTypeError(
            f"{written!r:.60} is not a number greater than 0 and at most {AMOUNT_AT_MOST:,}"
        )
    return value


class WordReader:
    """A reader of one of these words; the `others` stand for some of them."""

    def __init__(self, *words: str, **others: str) -> None:
        self.words, self._others = words, others

    def __call__(self, text: str) -> str:
        """The word that is meant. Raises what argparse tells the user."""
        if text not in self.words and text not in self._others:
            raise argparse.ArgumentTypeError(f"{text!r} is not {_listed(self.words)}")
        return self._others.get(text, text)


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"one of {', '.join(first)} or {last}" if first else repr(last)


def session_id(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError("needs the ID of a session, the start of one, or latest")
    return text


def turn_number(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:_DIGITS]) > 0 and len(text) <= _DIGITS):
        raise argparse.ArgumentTypeError(f"must be 1 or greater, not {text!r}")
    return int(text)


def day_count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _DIGITS):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days")
    return int(text)


def option_setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value
