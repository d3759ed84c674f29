"""The shapes of a path that is taken back: how it is on the disk, the step, what came of that, and all of a taking; and
each as plain data for a table, and read from there, where anything may have been written since.

What is read is not trusted: paths are checked at the door, bytes by their digest. What is so by default is left out.
"""

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from types import UnionType
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from acp_tui.frozen import Frozen
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, status_of

DIGEST_SIZE = 20  # bytes of blake2b, as in the store
Key = tuple[str, str]  # a root, and a path relative to it
Act = Literal["write", "delete", "move", "mode", "link", "folder", "nothing"]


class DiskState(Frozen):
    """How a path is on the disk now.

    `way`: the folder of the path, relative to the root, that is none any more, or is a link; empty if the way is free.
    `trouble`: why the path cannot be gone to at all, in words. `holds`: the names in a folder. `node`: device and
    number of a file, by which names of one file are known. `lost`: what would not come along if it was replaced.
    """

    state: PathState
    way: str = ""
    trouble: str = ""
    holds: Sequence[str] = ()
    node: tuple[int, int] | None = None
    lost: Sequence[str] = ()


class LineSpan(Frozen):
    """A hunk: the lines `old` of the text before and `new` of the text after, from 0; the second bound is not in it."""

    old: tuple[int, int]
    new: tuple[int, int]


class Step(Frozen):
    """What happens to one path: it is `now` so and comes to be as `target`.

    `act` in one word: `write` a file (new or over another), `delete`, `move` back from `change.path` to
    `change.old_path`, only the `mode`, make a `link`, make a `folder`; `nothing` where it is as it was already.
    `refusal` says in words for the user why it is left alone; `forcible`: it is done all the same for a user who says
    so for this path. `chosen` beforehand: not what is refused, and not what nobody knows who did.
    `content`: the bytes, where they are in no snapshot (a hunk was taken out of a file). `plain`: the file that is
    deleted has an owner and attributes as a new one has, so that it comes back whole.
    """

    change: PathChange
    act: Act
    now: PathState
    target: PathState
    refusal: str = ""
    forcible: bool = False
    chosen: bool = True
    content: bytes | None = None
    plain: bool = False

    @property
    def place(self) -> str:
        """The path at which its target comes to be."""
        return self.change.old_path if self.act == "move" else self.change.path

    @property
    def may_be_done(self) -> bool:
        return not self.refusal or self.forcible


class Outcome(Frozen):
    """What came of one step; `said` in words where it was not `done`, or only a part of it."""

    path: str
    done: bool
    said: str = ""


class Preview(Frozen):
    """What would happen, `words` for what it is all about (`Turn 3`), and what has to be said before: one idea each.

    `undoes` is the number of what was taken back before, where this undoes that. `turns` are those whose changes it is
    about; `whole`: about all of their changes. `back_to` is the number of the point at which files were so.
    """

    words: str
    steps: Sequence[Step] = ()
    notes: Sequence[str] = ()
    undoes: int | None = None
    turns: range = range(0)
    whole: bool = False
    back_to: int | None = None

    @property
    def is_as_it_was(self) -> bool:
        """Whether there are paths, and each is as it was already; one that cannot come back is not."""
        return bool(self.steps) and all(step.act == "nothing" and not step.refusal for step in self.steps)

    def pointed(self) -> "Preview":
        """The same where the user pointed at all of it: chosen whoever made it, unless something speaks against it."""
        steps = [replace(step, chosen=step.act != "nothing" and not step.refusal) for step in self.steps]
        return replace(self, steps=steps)


class TakenBack(Preview):
    """A preview that was agreed to; `number` counts from 1 in the session. `undone`: it was undone since.

    `steps` are those that were done, with what was there before as `now`: enough to undo them. `time`: Unix seconds.
    `at` is the turn after which it was done. One that is not `finished` was only meant: nobody knows yet which of its
    steps were done.
    """

    number: int = 0
    time: float = 0.0
    outcomes: Sequence[Outcome] = ()
    undone: bool = False
    at: int = 0
    finished: bool = True


def operations(step: Step) -> list[Step]:
    """What is done for a step, in order. A move is two: its old name is written, and only then the new one deleted."""
    if step.act != "move":
        return [step]
    change = replace(step.change, old_path="")
    back = replace(change, path=step.change.old_path, status="deleted", after=ABSENT)
    away = replace(step, change=replace(change, status="new", before=ABSENT), act="delete", target=ABSENT)
    written = replace(step, change=back, act="link" if step.target.kind == "link" else "write", now=ABSENT)
    return [written] if step.now.kind == "absent" else [written, away]


def undoing(step: Step) -> PathChange:
    """The change that a step made, to be taken back in its turn."""
    made = replace(step.change, before=step.now, after=step.target, who="agent")
    if step.act == "move":
        return replace(made, path=made.old_path, old_path=made.path)
    return replace(made, status=status_of(step.now, step.target), old_path="", added=None, removed=None)


def as_done(step: Step, mode: int | None = None) -> Step:
    """A step as it is noted for who undoes it, with the mode that came of it."""
    target = step.target if mode is None else replace(step.target, mode=mode)
    return replace(step, target=target, content=None, refusal="", forcible=False, chosen=True)


def depth(path: str) -> int:
    return path.count("/")


def parents(path: str) -> Iterator[str]:
    """The folders of a path below its root, the outermost first."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[: count + 1]) for count in range(len(parts)))


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
