"""What was taken back as plain data for a journal, and read from there, where anything may have been written since.

What is read is not trusted: paths are checked at the door, bytes by their digest.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from acp_tui.host.snapshots.states import Kind, PathChange, PathState, Status, Who
from acp_tui.host.take_back.disk import DIGEST_SIZE
from acp_tui.host.take_back.preview import Act, Outcome, Step, TakenBack

Data = dict[str, Any]


def steps_to_data(steps: Sequence[Step]) -> list[Data]:
    """Steps as JSON data; names that are not UTF-8 become ASCII escapes there.

    What is now as it was after the change, or comes back as it was before, is told once.
    """
    return [
        {
            "change": _change_to_data(step.change),
            "act": step.act,
            **({} if step.now == step.change.after else {"now": _state_to_data(step.now)}),
            **({} if step.target == step.change.before else {"target": _state_to_data(step.target)}),
            **({} if step.content is None else {"content": base64.b64encode(step.content).decode()}),
        }
        for step in steps
    ]


def steps_from_data(data: Any) -> list[Step]:
    """The steps. Raises `ValueError` for what is no such data."""
    return [_step(each) for each in _checked(data, list)]


def taken_to_data(taken: TakenBack) -> Data:
    """What was taken back as JSON data."""
    return {
        "number": taken.number,
        "time": taken.time,
        "words": taken.words,
        "outcomes": [[each.path, each.done, each.said] for each in taken.outcomes],
        "steps": steps_to_data(taken.steps),
        "undone": taken.undone,
        "undoes": taken.undoes,
        "turns": [taken.turns.start, taken.turns.stop],
        "whole": taken.whole,
        "at": taken.at,
    }


def taken_from_data(data: Any) -> TakenBack:
    """What was taken back. Raises `ValueError` for what is no such data."""
    row = _Row(data)
    undoes = row.named("undoes")
    return TakenBack(
        row.number("number"),
        row.time("time"),
        row.text("words"),
        [_outcome(each) for each in _checked(row.named("outcomes"), list)],
        steps_from_data(row.named("steps")),
        _checked(row.named("undone"), bool),
        undoes if undoes is None else row.number("undoes"),
        _turns(row.named("turns")),
        _checked(row.named("whole"), bool),
        row.number("at"),
    )


class _Row:
    """An object of JSON; everything else in its place raises `ValueError`."""

    def __init__(self, data: Any) -> None:
        self._data: Mapping[str, Any] = _checked(data, dict)

    def named(self, name: str) -> Any:
        return self._data.get(name)

    def text(self, name: str) -> str:
        return str(_checked(self._data.get(name, ""), str))

    def number(self, name: str) -> int:
        return int(_checked(self._data.get(name, 0), int))

    def time(self, name: str) -> float:
        return float(_checked(self._data.get(name), (int, float)))

    def one_of(self, name: str, words: Any) -> Any:
        word = self._data.get(name)
        if word not in get_args(words):
            raise ValueError(f"{name} is {word!r}")
        return word

    def count(self, name: str) -> int | None:
        return None if self._data.get(name) is None else self.number(name)


def _checked(value: Any, kind: type[Any] | tuple[type[Any], ...]) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ValueError(f"{str(value)[:40]!r} in a journal")
    return value


def _turns(data: Any) -> range:
    match data:
        case [int(start), int(stop)] if not isinstance(start, bool) and not isinstance(stop, bool):
            return range(start, stop)
    raise ValueError("no turns")


def _outcome(data: Any) -> Outcome:
    match data:
        case [str(path), bool(done), str(said)]:
            return Outcome(path, done, said)
    raise ValueError("no outcome")


def _step(data: Any) -> Step:
    row = _Row(data)
    content = base64.b64decode(row.text("content"), validate=True) if row.named("content") is not None else None
    act, change = row.one_of("act", Act), _change(row.named("change"))
    now, target = row.named("now"), row.named("target")
    return Step(
        change,
        act,
        change.after if now is None else state_from_data(now),
        change.before if target is None else state_from_data(target),
        content=content,
    )


def _state_to_data(state: PathState) -> Data:
    return {name: value for name, value in vars(state).items() if value or name == "kind"}


def state_from_data(data: Any) -> PathState:
    """How a path was; raises ValueError for what is no such data."""
    row = _Row(data)
    kind, digest = row.one_of("kind", Kind), row.text("digest")
    if digest and (len(bytes.fromhex(digest)) != DIGEST_SIZE or kind not in ("file", "link")):
        raise ValueError(f"{digest[:40]!r} is no digest")
    return PathState(kind, row.number("mode") & 0o7777, row.number("size"), digest, row.text("reason"))


def _change_to_data(change: PathChange) -> Data:
    data = {**vars(change), "before": _state_to_data(change.before), "after": _state_to_data(change.after)}
    return {name: value for name, value in data.items() if value not in ("", None)}


def _change(data: Any) -> PathChange:
    row = _Row(data)
    return PathChange(
        row.text("root"),
        row.text("path"),
        row.one_of("status", Status),
        state_from_data(row.named("before")),
        state_from_data(row.named("after")),
        row.text("old_path"),
        row.count("added"),
        row.count("removed"),
        row.one_of("who", Who),
        row.text("tool_call"),
    )
