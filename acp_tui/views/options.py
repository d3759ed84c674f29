"""Config options in words: the values to choose from, what the selector bar says, what changed and what may be kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from acp_tui.frozen import Frozen
from acp_tui.safe_text import visible
from acp_tui.session.text.phrases import means_thinking
from acp_tui.views.formatting import SEPARATOR, StyledText, brief, capitalised

if TYPE_CHECKING:
    from acp_tui.host.client import Connection
    from acp_tui.host.config.choices import Choice as KeptChoice
    from acp_tui.protocol.vocabulary.config_options import ConfigOption, OptionValue
    from acp_tui.session.changes import ConfigOptionsChanged
    from acp_tui.session.state import Session

CYCLE_AT_MOST = 3  # values; with more of them a list serves better than stepping
RECENT_FROM = 9  # values; among fewer of them the recently used ones need no place of their own
RECENT = "Recently used"
THINKING = "thought_level"  # the category of the spec
_CATEGORIES = {THINKING: "thinking level", "model_config": "model configuration"}
_PLAIN = ("mode", "model")  # categories whose values say by their names what they are
NAME, VALUE, TITLE, LABEL, DESCRIPTION = 60, 40, 40, 24, 200  # characters
NAMED, ALTERED_NAMED = 3, 4  # options in one line
FIXED = " (fixed)"  # after the value of an option that the agent cannot change


class OptionChoice(Frozen):
    """One value to choose from: what would be chosen and how it is told. `heading` is the group it stands under."""

    option_id: str
    value: OptionValue
    name: str
    description: str = ""
    heading: str = ""
    current: bool = False
    shortcut: bool = False


class OptionLabel(Frozen):
    """One option on the selector bar: its name and its value."""

    option_id: str
    name: str
    value: str
    in_flight: bool = False
    fixed: bool = False

    def words(self) -> StyledText:
        tone = "muted italic" if self.in_flight else "muted" if self.fixed else "foreground"
        return [(self.name, "muted"), (f" {self.value}{'…' if self.in_flight else FIXED if self.fixed else ''}", tone)]


def option_name(option: ConfigOption, limit: int = NAME) -> str:
    return brief(option.shown_name, limit)


def value_name(option: ConfigOption, value: OptionValue | None = None) -> str:
    """How a value of the option (its current one by default) is called."""
    return brief(option.value_name(value), VALUE)


def first_of(options: Iterable[ConfigOption], category: str) -> ConfigOption | None:
    """The first option of a category in the agent's order: the one that its key changes.

    Where none has the category of the thinking level, it is one whose words say that.
    """
    options = list(options)
    first = next((option for option in options if option.category == category), None)
    if first is None and category == THINKING:
        first = next((option for option in options if means_thinking(option.category, option.id, option.name)), None)
    return first


def changeable(session: Session, categories: Iterable[str]) -> dict[str, str]:
    """Those categories of which a key changes an option, each with the name of that option."""
    found = {category: first_of(session.config_options, category) for category in categories}
    return {
        category: option.name for category, option in found.items() if option and option.id not in session.config_fixed
    }


def can_change(session: Session, connection: Connection) -> bool:
    """Whether there is an agent that could change options of this session."""
    return connection.phase == "ready" and not session.closed


def steps(option: ConfigOption) -> bool:
    """Whether the key of its category changes the option by stepping, and not from a list."""
    return len(option.choices) <= CYCLE_AT_MOST


def option_labels(session: Session) -> list[OptionLabel]:
    return [
        OptionLabel(
            option.id,
            option_name(option, LABEL),
            value_name(option, wanted),
            in_flight=wanted is not None,
            fixed=option.id in session.config_fixed,
        )
        for option in session.config_options
        for wanted in (session.config_in_flight.get(option.id),)
    ]


def value_choices(
    options: Sequence[ConfigOption], recent: Callable[[str], Sequence[str]] = lambda _option_id: ()
) -> list[OptionChoice]:
    """All values of these options; of several options one's name is the heading of those without a group, and
    before a group that another has, too.

    First those that were used last (`recent` tells them for an option's id), the current one before all others.
    """
    several = len(options) > 1
    groups = Counter(group for option in options for group in {each.group for each in option.choices})
    shared = {group for group, count in groups.items() if count > 1}
    shortcuts = [choice for option in options for choice in _shortcuts(option, recent(option.id))]
    return [*shortcuts, *(choice for option in options for choice in _choices_of(option, several, shared))]


def _shortcuts(option: ConfigOption, recent: Sequence[str]) -> Iterator[OptionChoice]:
    others = set(recent) - {option.current_value}
    if not others or len(option.choices) < RECENT_FROM:
        return
    offered = {choice.value: choice for choice in _choices_of(option, named=False)}
    if others & offered.keys():
        for value in dict.fromkeys([option.current_value, *recent]):
            if value in offered:
                yield replace(offered[value], heading=RECENT, shortcut=True)


def _choices_of(option: ConfigOption, named: bool, shared: Container[str | None] = ()) -> list[OptionChoice]:
    name = option_name(option) if named or option.is_switch else ""
    choices = [
        OptionChoice(
            option.id,
            each.value,
            brief(visible(each.name, str(each.value)), NAME),
            brief(each.description or "", DESCRIPTION),
            _heading(name, brief(each.group or "", NAME), each.group in shared),
            each.value == option.current_value,
        )
        for each in option.choices
    ]
    if not any(choice.current for choice in choices):  # it can be left, and not be chosen again
        told = "current, not in the list" if choices else "the only value"
        choices.insert(0, OptionChoice(option.id, option.current_value, value_name(option), told, name, True))
    return choices


def _heading(name: str, group: str, shared: bool) -> str:
    return SEPARATOR.join(filter(None, (name, group))) if shared or not group else group


def no_option(*categories: str) -> str:
    named = (_CATEGORIES.get(category, category.replace("_", " ")) for category in categories)
    return f"This agent has no {' or '.join(named)} option"


def keep_question(choices: Sequence[KeptChoice], session: Session) -> str:
    """Whether these are kept: a mode or a model by its name alone, another value only with its option's name."""
    plain = {option.id for option in session.config_options if option.category in _PLAIN}
    told = [each.value_name if each.option_id in plain else each.words for each in choices]
    agent = brief(session.agent_name, TITLE) or "this agent"
    return f"Use {_listed(told)} in new {agent} sessions?"


def names_line(named: Sequence[object], most: int = NAMED) -> str:
    """The first few names, and how many more there are: `A, B and 2 more`."""
    names = ", ".join(brief(str(each), NAME) for each in named[:most])
    return f"{names} and {len(named) - most} more" if len(named) > most else names


def _listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`, `A, B, C and 2 more`."""
    shown = [brief(name, NAME) for name in names[:NAMED]]
    if len(names) > NAMED:
        shown.append(f"{len(names) - NAMED} more")
    return " and ".join([*([", ".join(shown[:-1])] if shown[1:] else []), shown[-1]])


def altered_line(change: ConfigOptionsChanged) -> str:
    """One line that tells what changed beside what was asked for: `Also changed: Effort → Low · new option: Fast`."""
    first = "Changed by the agent" if change.by_agent else "Also changed"
    told = (
        (first, change.altered),
        ("new options" if change.appeared[1:] else "new option", change.appeared),
        ("removed", change.vanished),
    )
    line = SEPARATOR.join(f"{word}: {names_line(names, ALTERED_NAMED)}" for word, names in told if names)
    return capitalised(line)
