"""What a command is: an id, keys, words, and what it does. Footer, help, palette and README come from these."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen

Scope = Literal["everywhere", "prompt", "transcript", "queue"]


class Command:
    """One thing that a person can do.

    `keys` are Textual's key names, the first is the one that is shown; `leader` is the key after the leader
    (Ctrl+X). Both are what the class says until the person's config file says something else.
    `scope` says where the keys count. `footer` is the word in the footer line, empty where it is not shown;
    where there is little room the lower `footer_rank` stays. The first of a `category` of config options is
    what the command changes. One that is not `in_table` is left out where keys are told.
    """

    id: ClassVar[str]
    keys: tuple[str, ...] = ()
    leader: str = ""
    label: ClassVar[str]
    tooltip: ClassVar[str]
    group: ClassVar[str]
    scope: ClassVar[Scope] = "everywhere"
    footer: ClassVar[str] = ""
    footer_rank: ClassVar[int] = 5
    category: ClassVar[str] = ""
    in_palette: ClassVar[bool] = True
    in_table: ClassVar[bool] = True

    def run(self, screen: ConversationScreen) -> None:
        """Do it."""
        raise NotImplementedError
