"""A choice that was given as `NAME=VALUE`, found among the options of an open session; must not know who gave it."""

from collections.abc import Iterable

from acp_tui.errors import UserFault
from acp_tui.host.choices import Choice, choice_of
from acp_tui.protocol.config_options import ConfigOption
from acp_tui.session.forms import yes_or_no


def choice_by_name(options: Iterable[ConfigOption], name: str, text: str) -> Choice:
    """The choice of the option that has `name` as its id, else as its name, and of its value in the same way.

    Raises UserFault that says what there is.
    """
    offered = {option.id: option for option in options}
    option = offered[_one("option", name, {each.id: each.name for each in offered.values()})]
    if option.type == "boolean":
        return choice_of(option, yes_or_no(option.id, text))
    return choice_of(
        option, _one("value", text, {each.value: each.name for each in option.values}, f" of {option.name}")
    )


def _one(what: str, wanted: str, names: dict[str, str], of: str = "") -> str:
    """The id that is wanted, or the only one whose name is."""
    if wanted in names:
        return wanted
    found = [key for key, name in names.items() if name.casefold() == wanted.casefold()]
    if len(found) == 1:
        return found[0]
    title = f"More than one {what}{of} is called {wanted!r}." if found else f"There is no {what} {wanted!r}{of}."
    listed = [key if key == names[key] else f"{key} ({names[key]})" for key in found or names]
    raise UserFault(title, "\n".join(["The agent offers:", *(listed or ["nothing"])]))
