"""The keys of the permission panel as data, and which option each answers with; must not know widgets.

A letter stands for kinds of options; lower case is never "always". It answers with the first option of its
kind in the agent's order and does nothing where there is none.
"""

from collections.abc import Sequence

from acp_tui.protocol.permissions import PermissionOption

LETTERS = {
    "y": "allow_once",
    "a": "allow_once",
    "Y": "allow_always",
    "A": "allow_always",
    "n": "reject_once",
    "r": "reject_once",
    "N": "reject_always",
    "R": "reject_always",
}
SHOWN_LETTERS = {"allow_once": "y", "allow_always": "Y", "reject_once": "n", "reject_always": "N"}


def first_of_kind(options: Sequence[PermissionOption], kind: str) -> int | None:
    """The index of the first option of that kind."""
    return next((index for index, option in enumerate(options) if option.kind == kind), None)


def option_for(key: str, options: Sequence[PermissionOption]) -> int | None:
    """The index of the option that a digit or a letter answers with."""
    if key in LETTERS:
        return first_of_kind(options, LETTERS[key])
    if len(key) == 1 and key in "123456789" and int(key) <= len(options):
        return int(key) - 1
    return None


def letter_for(index: int, options: Sequence[PermissionOption]) -> str:
    """The letter that answers with this option, if one does."""
    kind = options[index].kind
    return SHOWN_LETTERS.get(kind, "") if first_of_kind(options, kind) == index else ""


def highlighted_first(options: Sequence[PermissionOption]) -> int | None:
    """Where the highlight begins: what allows once, else what rejects once; nowhere where there is neither."""
    once = first_of_kind(options, "allow_once")
    return rejecting(options) if once is None else once


def rejecting(options: Sequence[PermissionOption]) -> int | None:
    """The option that a refusal with a reason answers with."""
    return first_of_kind(options, "reject_once")
