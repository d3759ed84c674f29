"""Records as plain data for a table, and read from there, where anything may have been written since.

What is read is not trusted: paths are checked at the door, bytes by their digest. What is so by default is left out.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import UnionType
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.states import PathState
from acp_tui.host.take_back.disk import DIGEST_SIZE
from acp_tui.host.take_back.steps import Outcome, Step

_AS_IN_CHANGE = {"now": "after", "target": "before"}
_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


def to_data(value: Any) -> Any:
    """A record, or a mapping of such, as JSON data; names that are not UTF-8 become ASCII escapes there."""
    match value:
        case Outcome():
            return [value.path, value.done, value.said]
        case Frozen():
            return {name: to_data(each) for name, each in vars(value).items() if not _is_left_out(value, name, each)}
        case range():
            return [value.start, value.stop]
        case bytes():
            return base64.b64encode(value).decode()
        case str() | int() | float() | None:
            return value
        case Mapping():
            return [[to_data(key), to_data(each)] for key, each in value.items()]
    return [to_data(each) for each in value]


def _is_left_out(of: Frozen, name: str, value: Any) -> bool:
    """What is by default so; and of a step, what is now as after the change, or comes back as it was before it."""
    if isinstance(of, Step) and name in _AS_IN_CHANGE:
        return bool(value == getattr(of.change, _AS_IN_CHANGE[name]))
    return hasattr(type(of), name) and bool(value == getattr(type(of), name))


def from_data(kind: Any, data: Any) -> Any:
    """Data as what a type hint says. Raises `ValueError` for what is no such data."""
    origin, words = get_origin(kind), get_args(kind)
    if origin is Literal:
        return data if data in words else _no(data)
    if origin is UnionType:
        return None if data is None else from_data(words[0], data)
    if origin is Sequence:
        return [from_data(words[0], each) for each in _checked(data, list)]
    if origin is Mapping:
        pairs = [_checked(pair, list) for pair in _checked(data, list)]
        return {from_data(words[0], key): from_data(words[1], each) for key, each in pairs}
    if origin is tuple and words[-1] is not Ellipsis:
        values = _checked(data, list)
        return tuple(map(from_data, words, values)) if len(values) == len(words) else _no(data)
    if origin in (tuple, frozenset):
        return origin(from_data(words[0], each) for each in _checked(data, list))
    if kind is range:
        start, stop = from_data(Sequence[int], data)
        return range(start, stop)
    if kind is bytes:
        return base64.b64decode(_checked(data, str), validate=True)
    if issubclass(kind, Frozen):
        return _record(kind, data)
    return _checked(data, (int, float) if kind is float else kind)


def _record(kind: type[Frozen], data: Any) -> Any:
    hints = _hints(kind)
    row = dict(zip(hints, data, strict=False)) if kind is Outcome and isinstance(data, list) else _checked(data, dict)
    if kind is Step:
        change = _checked(row.get("change"), dict)
        row = {name: change.get(as_in) for name, as_in in _AS_IN_CHANGE.items()} | row
    try:
        made = kind(**{name: from_data(hint, row[name]) for name, hint in hints.items() if name in row})
    except TypeError:  # there is something missing
        _no(data)
    return _sound(made) if isinstance(made, PathState) else made


def _sound(state: PathState) -> PathState:
    if state.digest and (len(bytes.fromhex(state.digest)) != DIGEST_SIZE or state.kind not in ("file", "link")):
        _no(state.digest)
    return replace(state, mode=state.mode & 0o7777)


def _checked(value: Any, kind: Any) -> Any:
    return value if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)) else _no(value)


def _no(value: Any) -> NoReturn:
    raise ValueError(f"{str(value)[:40]!r} in a table")
