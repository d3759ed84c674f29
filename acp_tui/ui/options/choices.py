"""Config options as choices: which option a key changes, to which value, and the rows of a picker for its values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.frozen import Frozen
from acp_tui.session.text import words
from acp_tui.ui.render.text import sanitise_line

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.config_options import ConfigOption

CYCLE_AT_MOST = 3  # values; with more of them a list serves better than stepping
RECENT_FROM = 9  # values; among fewer of them the recently used ones need no place of their own
RECENT = "Recently used"
THINKING = "thought_level"  # the category of the spec
_THINKING = frozenset(("thinking", "reasoning", "effort", "thought", "think"))
_BESIDE = frozenset(("level", "mode", "model", "budget", "depth", "strength", "extended"))
_WORD, _CAMEL = re.compile(r"[^\W_]+"), re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Choice(Frozen):
    """One row of a picker: what would be chosen and how it is told. `heading` is the group it stands under."""

    option_id: str
    value: str | bool
    name: str
    description: str = ""
    heading: str = ""
    current: bool = False
    shortcut: bool = False


def first_of(options: Iterable[ConfigOption], category: str) -> ConfigOption | None:
    """The first option of a category in the agent's order: the one that its key changes.

    Where none has the category of the thinking level, it is one whose words say that.
    """
    options = list(options)
    first = next((option for option in options if option.category == category), None)
    if first is None and category == THINKING:
        first = next((option for option in options if means_thinking(option)), None)
    return first


def means_thinking(option: ConfigOption) -> bool:
    """Whether the category, the id or the name plainly says the thinking level: `_thinking`, `Reasoning effort`.

    Each of its words has to fit: `Reasoning summary` is something else. What the agent calls a mode or a model is one.
    """
    if option.category in ("mode", "model"):
        return False
    texts = (option.category, option.id, option.name)
    told = [set(_WORD.findall(_CAMEL.sub(" ", text or "").lower())) for text in texts]
    return any(words & _THINKING and words <= _THINKING | _BESIDE for words in told)


def value_name(option: ConfigOption, value: str | bool | None = None) -> str:
    """How a value of the option (its current one by default) is called."""
    return sanitise_line(words.value_name(option, value), 40)


def next_value(option: ConfigOption, wanted: str | bool | None = None) -> str | bool | None:
    """The value after the one that was asked for, else the current one; the first if that is unknown, None if no other.

    Who presses a key twice wants to go two steps, however long the agent takes for the first.
    """
    current = option.current_value if wanted is None else wanted
    if option.type == "boolean":
        return not current
    values = [candidate.value for candidate in option.values]
    if current not in values:
        return values[0] if values else None
    following = values[(values.index(str(current)) + 1) % len(values)]
    return None if following == current else following


def steps(option: ConfigOption) -> bool:
    """Whether the option is changed by stepping and not from a list."""
    return option.type == "boolean" or len(option.values) <= CYCLE_AT_MOST


def value_choices(
    options: Sequence[ConfigOption], recent: Callable[[str], Sequence[str]] = lambda _option_id: ()
) -> list[Choice]:
    """All values of these options; of several options each one's name is part of the heading.

    First those that were used last (`recent` tells them for an option's id), the current one before all others.
    """
    several = len(options) > 1
    shortcuts = [choice for option in options for choice in _shortcuts(option, recent(option.id))]
    return [*shortcuts, *(choice for option in options for choice in _choices_of(option, several))]


def _shortcuts(option: ConfigOption, recent: Sequence[str]) -> Iterator[Choice]:
    others = set(recent) - {option.current_value}
    if not others or option.type == "boolean" or len(option.values) < RECENT_FROM:
        return
    offered = {choice.value: choice for choice in _choices_of(option, named=False)}
    if others & offered.keys():
        for value in dict.fromkeys([option.current_value, *recent]):
            if value in offered:
                yield replace(offered[value], heading=RECENT, shortcut=True)


def _choices_of(option: ConfigOption, named: bool) -> list[Choice]:
    name = sanitise_line(words.option_name(option), 60)
    if option.type == "boolean":
        return [
            Choice(option.id, value, value_name(option, value), "", name, value == option.current_value)
            for value in (True, False)
        ]
    name = name if named else ""
    choices = [
        Choice(
            option.id,
            value.value,
            sanitise_line(words.visible(value.name, value.value), 60),
            sanitise_line(value.description or ""),
            " · ".join(filter(None, (name, sanitise_line(value.group or "", 60)))),
            value.value == option.current_value,
        )
        for value in option.values
    ]
    if not any(choice.current for choice in choices):  # it can be left, and not be chosen again
        told = "current, not in the list" if choices else "the only value"
        choices.insert(0, Choice(option.id, option.current_value, value_name(option), told, name, True))
    return choices
