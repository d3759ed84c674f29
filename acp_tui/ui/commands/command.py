"""What a command is: an id, its words and its keys. Footer, help, palette and README come from these."""

from dataclasses import dataclass
from typing import Literal

Scope = Literal["everywhere", "prompt", "transcript", "queue"]


@dataclass(slots=True, eq=False)
class Command:
    """One thing that the user can do; `ui.command_actions` says what it does.

    `keys` are Textual's key names, the first is the one that is shown; `leader` is the key after the leader
    (Ctrl+X). Both are what the row says until the user's config file says something else.
    `scope` says where the keys count. `footer` is the word in the footer line, empty where it is not shown;
    where there is little room the lower `footer_rank` stays. The first of a `category` of config options is
    what the command changes. One that is not `in_table` is left out of the table of keys.
    """

    id: str
    label: str
    tooltip: str
    keys: tuple[str, ...] = ()
    leader: str = ""
    group: str = ""
    scope: Scope = "everywhere"
    footer: str = ""
    footer_rank: int = 5
    category: str = ""
    in_palette: bool = True
    in_table: bool = True
