"""The size of the terminal as the environment tells it: what shells and recorders set outweighs the terminal itself."""

from collections.abc import MutableMapping

MOST = 2_000  # columns or rows: a screen of 10 million by 10 million is no terminal, and hangs the start
_NAMES = ("COLUMNS", "LINES")


def bound_size(environment: MutableMapping[str, str]) -> None:
    """Take out what is no size, so that the terminal itself is asked."""
    for name in _NAMES:
        told = environment.get(name, "")
        if told and not (told.isascii() and told.isdecimal() and len(told) < 5 and 0 < int(told) <= MOST):
            del environment[name]
