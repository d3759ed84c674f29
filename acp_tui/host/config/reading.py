"""The text of a config file as settings, or what is wrong with it; must not know which file it is.

It is apart from the file itself because most people have none, and a start is felt.
"""

import difflib
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from acp_tui.host.config.places import NAME_AT_MOST, Place, line_of_fault, unusable
from acp_tui.host.config.settings import FileSettings, Settings

_SECRET = frozenset(("env", "headers"))  # tables whose values are never shown
SHOWN = 60  # characters of a wrong value
_WORDS = {
    "bool_type": "must be true or false",
    "string_type": "must be text in quotes",
    "tuple_type": "must be a list, in [ ]",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "string_too_short": "must not be empty",
}


def read_settings(path: Path, text: str, place: Callable[..., Place]) -> FileSettings:
    """What the text says; `place` says where a field of it is. Raises `UserFault` with file, line and field."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = str(error).partition(" (at ")[0]
        raise unusable(Place(path, line_of_fault(text, error)), reason) from error
    except RecursionError as error:
        raise unusable(Place(path), "it is nested too deeply") from error
    except ValueError as error:  # more digits than Python reads in linear time
        raise unusable(Place(path), "it has a number of too many digits") from error
    try:
        return FileSettings.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = [part for part in first["loc"] if part != "[key]"]  # which says that a name is wrong, not a value
        raise unusable(place(*field), _reason(first)) from error


def nearest(field: Sequence[str], known: Sequence[str]) -> str:
    """Which of the known names is most likely meant by a field that nobody knows; empty if none is near."""
    return next(iter(difflib.get_close_matches(field[-1][:NAME_AT_MOST], known, 1)), "")


def strangers(settings: Settings, field: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The fields that no model knows, and the names that it does know."""
    for name in settings.model_extra or {}:
        yield (*field, name), list(type(settings).model_fields)
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        for key, inner in value.items() if isinstance(value, dict) else ():
            if isinstance(inner, Settings):
                yield from strangers(inner, (*field, name, key))


def _reason(error: ErrorDetails) -> str:
    words = _WORDS.get(error["type"])
    if words is None:
        words = error["msg"].removeprefix("Input ").removeprefix("Value error, ").replace("should be", "must be")
    if error["type"] == "value_error":
        return words  # ours: it says what is missing
    given = error["input"]
    if not isinstance(given, str | int | float) or not _SECRET.isdisjoint(error["loc"]):
        return words
    shown = given[:SHOWN] if isinstance(given, str) else given
    if isinstance(given, int) and given.bit_length() > 4 * SHOWN:  # Python writes no number of many digits
        return f"{words}, not a number of {given.bit_length():,} bits"
    return f"{words}, not {shown!r:.{SHOWN}}"
