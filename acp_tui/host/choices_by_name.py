"""A choice that was given as `NAME=VALUE`, found among the options of an open session; must not know who gave it."""

from collections.abc import Iterable, Mapping

from acp_tui.errors import UserFault
from acp_tui.host.choices import Choice, choice_of
from acp_tui.protocol.config_options import ConfigOption
from acp_tui.session.forms import keys_named, yes_or_no
from acp_tui.session.words import option_name, visible


def choice_by_name(
    options: Iterable[ConfigOption], name: str, text: str, taken_before: Mapping[str, str] | None = None
) -> Choice:
    """The choice of the option that has `name` as its id, else as its name, and of its value in the same way.

    Raises UserFault that says what there is, with what the agent took before the session, by id and name.
    """
    offered = {option.id: option for option in options}
    names = {each.id: option_name(each) for each in offered.values()}
    option = offered[_one("option", name, names, listed={**(taken_before or {}), **names})]
    if option.type == "boolean":
        return choice_of(option, yes_or_no(option.id, text))
    values = {each.value: visible(each.name, each.value) for each in option.values}
    return choice_of(option, _one("value", text, values, listed=values, of=f" of {option_name(option)}"))


def _one(what: str, wanted: str, names: Mapping[str, str], listed: Mapping[str, str], of: str = "") -> str:
    """The id that is wanted, or the only one whose name is."""
    found = keys_named(wanted, names)
    if len(found) == 1:
        return found[0]
    title = f"More than one {what}{of} is called {wanted!r}." if found else f"There is no {what} {wanted!r}{of}."
    shown = [key if key == listed[key] else f"{key} ({listed[key]})" for key in found or listed]
    raise UserFault(title, "\n".join(["The agent offers:", *(shown or ["nothing"])]))
