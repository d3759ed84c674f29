"""A command of the client: its id, words, keys and slash names. Footer, help, palette and README come from these."""

from dataclasses import dataclass
from typing import Literal

Scope = Literal["everywhere", "prompt", "transcript", "queue"]


class Leader:
    """The key that makes the next one a command's `leader`; empty where there is none."""

    key: str = "ctrl+x"


LEADER = Leader()


@dataclass(slots=True, eq=False)
class Command:
    """One thing that the user can do; `ui.command_actions` says what it does.

    `keys` are names as the config file has them, the first is the one that is shown; `leader` is the key after the
    leader (Ctrl+X), or several with blanks between them. Both are what the row says until the user's config file says
    something else. `label` is a title, as the palette shows it, `short` a shorter one for the leader's menu; `tooltip`
    is a line for help and README. `scope` says where the keys count. `footer` is the word in the footer line, empty
    where it is not shown: it stands there by `footer_rank`, and where there is little room the lower ranks stay. The
    first of a `category` of config options is what the command changes. One that is not `in_table` is left out of the
    table of keys.

    `slash` are its names as a slash command, the one that is shown first; `argument` says what may follow the name:
    `<title>` must, `[name]` may. A command with an `argument` is called with what was written, which may be empty.
    Where an agent has a command of such a name, ours is the one that `wins`, else the agent's; names in `yields` are
    the agent's all the same. `also` are other words that it is found by in the palette.
    """

    id: str
    label: str
    tooltip: str
    keys: tuple[str, ...] = ()
    leader: str = ""
    short: str = ""
    group: str = ""
    scope: Scope = "everywhere"
    footer: str = ""
    footer_rank: int = 5
    category: str = ""
    in_palette: bool = True
    in_table: bool = True
    slash: tuple[str, ...] = ()
    argument: str = ""
    wins: bool = False
    yields: tuple[str, ...] = ()
    also: str = ""

    def claims(self, name: str) -> bool:
        """Whether this name is the client's though an agent has a command of that name, too."""
        return self.wins and name not in self.yields

    @property
    def ways(self) -> list[str]:
        """All ways to it by keys, as the config file has them: `alt+p`, `ctrl+x m`."""
        return [*self.keys, *(f"{LEADER.key} {second}" for second in self.leaders if LEADER.key)]

    @property
    def leaders(self) -> list[str]:
        """The keys that mean it after the leader."""
        return self.leader.split()
