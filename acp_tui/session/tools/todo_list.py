"""Todo lists that a tool is given: a plan in all but its name."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.plans import PlanEntry
from acp_tui.session.tools.input import decoded, plain_name

MOST = 1_000  # steps of a list
_LISTS = frozenset(("todos", "todolist", "todo", "plan", "steps", "tasks", "items", "entries"))
_PLAIN_LISTS = frozenset(("todos", "todolist"))  # that need no statuses to be known
_ANY_LISTS = frozenset(("steps", "tasks", "items", "entries"))  # which may be of issues, builds and so on
_TEXTS = ("content", "step", "text", "title", "task", "description", "name")
_DONE = frozenset(("done", "completed", "complete", "checked"))
_STATUSES = {
    "pending": "pending todo notstarted new planned queued waiting blocked",
    "completed": "completed complete done finished closed x",
    "in_progress": "inprogress active doing started running current ~ -",
    "cancelled": "cancelled canceled skipped dropped",
}
_BY_WORD = {word: status for status, words in _STATUSES.items() for word in words.split()}
_CHECKED = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*\[([ xX~-])\]\s+(\S.*)")


class TodoList(Frozen):
    """The steps, and the member that has them: the id of its object, and its name."""

    steps: tuple[PlanEntry, ...]
    member: tuple[int, str]

    def is_in(self, text: str) -> bool:
        """Whether a text is this list as JSON, alone or in an object."""
        value = decoded(text)
        again = None if isinstance(value, str) else todo_list(value if isinstance(value, dict) else {"todos": value})
        return again is not None and again.steps == self.steps


def todo_list(raw: Any) -> TodoList | None:
    """The todo list of an input, also in an object that it wraps; None where there is none."""
    if not isinstance(raw, dict):
        return None
    for name, member in raw.items():
        if plain_name(name) in _LISTS and (steps := _steps(decoded(member), plain_name(name))):
            return TodoList(steps, (id(raw), name))
    inner = (todo_list(member) for member in raw.values() if isinstance(member, dict))
    return next(filter(None, inner), None) if len(raw) == 1 else None


def _steps(value: Any, name: str) -> tuple[PlanEntry, ...]:
    if isinstance(value, str):
        found = [_CHECKED.fullmatch(line) for line in value.strip().split("\n")[:MOST]]
        steps = tuple(
            PlanEntry(content=each[2].strip(), status=_status(each[1].lower()) or "pending") for each in found if each
        )
        return steps if len(steps) == len(found) else ()
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return ()
    told = [_told(each) for each in value[:MOST]]
    stated = any(status is not None for _, status in told) or name in _PLAIN_LISTS
    strange = name in _ANY_LISTS and any(status == "" for _, status in told)
    if not stated or strange or not all(text for text, _ in told):
        return ()
    return _entries(told)


def _entries(told: Sequence[tuple[str, str | None]]) -> tuple[PlanEntry, ...]:
    return tuple(PlanEntry(content=text, status=status or "pending") for text, status in told)


def _told(item: Mapping[str, Any]) -> tuple[str, str | None]:
    members = {plain_name(name): each for name, each in item.items()}
    texts = (members.get(name) for name in _TEXTS)
    text = next((each for each in texts if isinstance(each, str) and each.strip()), "")
    for name, each in members.items():
        if name in ("status", "state") and isinstance(each, str):
            return text, _status(each)
        if name in _DONE and isinstance(each, bool):
            return text, "completed" if each else "pending"
    return text, None


def _status(word: str) -> str:
    """The status that a word means; empty for a word that is not known."""
    return _BY_WORD.get(word) or _BY_WORD.get(plain_name(word).replace(" ", ""), "")
