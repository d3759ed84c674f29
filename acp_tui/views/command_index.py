"""The index of slash commands: all that can be typed now in one session, and whose each name is.

A name is the client's where its row says that it `wins`, else an own prompt's, else the agent's, else the client's.
What that hides is typed with the word of its side before it: `/client:compact`, `/agent:quit`, `/prompt:review`. Which
commands the client has its front end says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field, replace
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Literal

from acp_tui.frozen import Frozen
from acp_tui.safe_text import one_line
from acp_tui.session.text.near_names import nearest_name

if TYPE_CHECKING:
    from acp_tui.host.prompts.own_prompt import OwnPrompt
    from acp_tui.protocol.vocabulary.session_updates import AvailableCommand
    from acp_tui.session.state import Session

Scope = Literal["everywhere", "prompt", "transcript", "queue"]


class LeaderKey:
    """The key that makes the next one a command's `leader`; empty where there is none."""

    key: str = "ctrl+x"


LEADER = LeaderKey()


_LEADER = "leader:"


@dataclass(slots=True, eq=False)
class Command:
    """One thing that the user can do: `id = do`, with `do` the path to the method that does it.

    The path begins at the parts of a conversation, at `screen` or at `app`; arguments may stand behind it, as in
    `queue.step(-1)`. After them the method gets the entry of the transcript that is selected, where it is `of_entry`,
    and what was written behind a slash command, which may be empty, where there is an `argument`. What begins at the
    screen waits for nothing: letters that are typed after it must not overtake.

    `by` are the ways to it, `alt+p leader:m /model /models [model]`: keys by their names in the config file, the
    first is the one that is shown; keys after the leader (Ctrl+X); names as a slash command, the one that is shown
    first; what may follow the name: `<title>` must, `[name]` may. Keys are so until the user's config file says
    something else. `label` is a title, as the palette shows it, `short` a shorter one for the leader's menu;
    `tooltip` is a line for help and README, the label if there is none. `scope` says where the keys count. The
    first of a `category` of config options is what the command changes. One that is not `in_table` is left out of
    the table of keys.

    Where an agent has a command of such a name, ours is the one that `wins`, else the agent's; names in `yields` are
    the agent's all the same. `also` are other words that it is found by in the palette. An entry without what `needs`
    names has nothing for it: a letter for it is text there.
    """

    id: str
    label: str
    by: InitVar[str] = ""
    tooltip: str = ""
    short: str = ""
    group: str = ""
    scope: Scope = "everywhere"
    category: str = ""
    in_palette: bool = True
    in_table: bool = True
    wins: bool = False
    yields: tuple[str, ...] = ()
    also: str = ""
    of_entry: bool = False
    needs: str = ""
    do: str = field(init=False)
    keys: tuple[str, ...] = field(init=False)
    leader: str = field(init=False)
    slash: tuple[str, ...] = field(init=False)
    argument: str = field(init=False)

    def __post_init__(self, by: str) -> None:
        ways = by.split()
        self.keys = tuple(way for way in ways if way[0] not in "/<[" and not way.startswith(_LEADER))
        self.leader = " ".join(way.removeprefix(_LEADER) for way in ways if way.startswith(_LEADER))
        self.slash = tuple(way[1:] for way in ways if way[0] == "/")
        self.argument = next((way for way in ways if way[0] in "<["), "")
        self.id, _, self.do = self.id.partition(" = ")
        self.tooltip = self.tooltip or self.label

    @property
    def waits(self) -> bool:
        """Whether it needs what comes after the first frame."""
        return not self.do.startswith("screen.")

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


Owner = Literal["client", "agent", "yours", "project"]
PREFIXES: dict[Owner, str] = {"client": "client:", "agent": "agent:", "yours": "prompt:", "project": "prompt:"}
LONGEST_NAME = 100  # characters; what is longer cannot be meant to be typed
LONGEST_HINT = 40  # characters
LONGEST_TEXT = 300  # characters of a description that are looked at
WITHIN = 1.0  # seconds after a session began, or a line was sent, that the agent's list is waited for
DESCRIBED = 3  # letters, from which descriptions are searched too: fewer are in most of them
EXPECTED = {
    "compact": "Summarise the conversation to free context",
    "init": "Write instructions for this project",
    "review": "Review changes",
}
"""What users of other clients look for, and only agents can do: where one has it not, the list says so."""

_WORD = re.compile(r"[A-Za-z0-9:_.-]+")
_LINE = re.compile(rf"/({_WORD.pattern})(?:\s+(.*))?\Z", re.DOTALL)
_REQUIRED = re.compile(r"<.*>\Z")


class SlashOffer(Frozen):
    """A row of the list: `name` is typed after the slash, `hint` says what may follow it.

    `description` and `hint` are as they came, since cleaning 5,000 of them takes 70 ms: `words` and `argument` are what
    is drawn.
    The one of `command`, `prompt` and `agent_name` that is there is what it runs; where all are missing, the agent
    does not offer it.
    """

    name: str
    owner: Owner
    description: str = ""
    hint: str = ""
    command: Command | None = None
    prompt: OwnPrompt | None = None
    agent_name: str = ""

    @property
    def words(self) -> str:
        return one_line(self.description, LONGEST_TEXT)

    @property
    def argument(self) -> str:
        """What may follow, in brackets; some write them themselves."""
        told = one_line(self.hint, LONGEST_HINT)
        return told if not told or told[0] in "<[" else f"<{told}>"

    @property
    def can_run(self) -> bool:
        return bool(self.command or self.prompt or self.agent_name)

    @property
    def asks(self) -> bool:
        """Whether its argument is asked for before it runs: ours says whether one must follow, an agent's only that
        something may.
        """
        return bool(self.hint) if self.command is None else bool(_REQUIRED.match(self.hint))


def read_line(text: str) -> tuple[str, str] | None:
    """The name that a prompt begins with, as a slash command does, and what follows it; None if it is just a prompt."""
    found = _LINE.match(text.rstrip())
    return (found[1], found[2] or "") if found else None


def slash_query(text: str) -> str | None:
    """What is written of a command's name, or None where no command is being written."""
    if not text.startswith("/") or any(character.isspace() for character in text):
        return None
    return text[1:]


class SlashCommands:
    """Those of the client, of the agent, and own prompts; `complete` once the agent has said which ones it has."""

    def __init__(
        self,
        client: Iterable[Command],
        agent: Iterable[AvailableCommand] = (),
        prompts: Iterable[OwnPrompt] = (),
        *,
        complete: bool = True,
    ) -> None:
        self.complete = complete
        theirs = [each for each in agent if each.type == "command"]
        self.agents = list(_agents(theirs))
        self.unusable = len(theirs) - len(self.agents)
        self.prompts = [_prompts(each) for each in prompts]
        typed = [each for each in client if each.slash]
        ours = [_ours(command, name) for command in typed for name in command.slash]
        self._by_name: dict[str, SlashOffer] = {}
        for offer in chain(ours, self.agents, self.prompts):
            self._by_name.setdefault(PREFIXES[offer.owner] + offer.name, offer)
        winning = (each for each in ours if each.command and each.command.claims(each.name))
        for offer in chain(winning, self.prompts, self.agents, ours):
            self._by_name.setdefault(offer.name, offer)
        self._odd = [each for each in (*self.agents, *self.prompts) if not _WORD.fullmatch(each.name)]
        listed = sorted(typed, key=lambda each: not each.wins)  # the usual first
        mains = [self._by_name[f"client:{each.slash[0]}"] for each in listed]
        self.rows = [self._row(each) for each in sorted(chain(self.prompts, self.agents, mains), key=self._is_hidden)]
        self._others = [self._row(each) for each in ours if each.command and each.name != each.command.slash[0]]
        if complete:
            missing = EXPECTED.keys() - self._by_name.keys()
            self.rows += [
                SlashOffer(name, "agent", "Not offered by this agent") for name in EXPECTED if name in missing
            ]
        self._keys = [(each.name.lower(), f" {each.description.lower()}") for each in self.rows]

    def nearest(self, text: str) -> str:
        """The nearest command to a line with a name that no agent has; empty if there is none."""
        line = read_line(text)
        if line is None or self.is_name(line[0]) or line[0].startswith(tuple(PREFIXES.values())):
            return ""
        return one_line(
            nearest_name(line[0], (each.name for each in chain(self.rows, self._others) if each.can_run)), 40
        )

    def is_name(self, typed: str) -> bool:
        """Whether this is a complete name: one that can be used here, or one that other agents have."""
        return typed in self._by_name or typed in EXPECTED

    def completes(self, typed: str, offer: SlashOffer) -> bool:
        """Whether Enter completes what is typed to this row: never a complete name, nor by the description alone."""
        return not self.is_name(typed) and (not typed or _rank(typed.lower(), offer.name.lower(), "") is not None)

    def named(self, name: str) -> SlashOffer | None:
        """What a name means; None where neither side has it."""
        return self._by_name.get(name)

    def of_line(self, text: str) -> tuple[SlashOffer, str] | None:
        """What a line asks for, and what follows the name; None where it is just a prompt or nobody has the name.

        Names that are no word are looked for as they stand, too: some agents have blanks in theirs.
        """
        line = read_line(text)
        if line is not None and (offer := self.named(line[0])) is not None:
            return offer, line[1]
        odd = (each for each in self._odd if text.startswith("/") and _starts(text[1:], each.name))
        longest = max(odd, key=lambda each: len(each.name), default=None)
        return None if longest is None else (longest, text[1 + len(longest.name) :].strip())

    def found(self, query: str) -> list[SlashOffer]:
        """The rows that answer what is written of a name, best first: its beginning, a word of it, a part of it,
        a word of the description, scattered letters. All of them for an empty query.
        """
        query = query.lower()
        if not query:
            return self.rows
        ranks: list[list[SlashOffer]] = [[], [], [], [], [], []]
        for offer, (name, description) in zip(self.rows, self._keys, strict=True):
            rank = _rank(query, name, description)
            if rank is not None:
                ranks[rank].append(offer)
        shown = {id(offer.command) for offer in (*ranks[0], *ranks[1]) if offer.command}
        for other in self._others:
            if other.name.startswith(query) and (other.name == query or id(other.command) not in shown):
                _put_in(ranks, other, query)
                shown.add(id(other.command))
        return [each for rank in ranks for each in sorted(rank, key=lambda offer: not offer.can_run)]

    def _is_hidden(self, offer: SlashOffer) -> bool:
        return self._by_name[offer.name] is not offer

    def _row(self, offer: SlashOffer) -> SlashOffer:
        return replace(offer, name=PREFIXES[offer.owner] + offer.name) if self._is_hidden(offer) else offer


def _put_in(ranks: list[list[SlashOffer]], other: SlashOffer, query: str) -> None:
    """Another name of one of ours stands instead of the row that was found by less."""
    for rank in ranks:
        rank[:] = [each for each in rank if each.command is not other.command]
    ranks[0 if other.name == query else 1].append(other)


def _rank(query: str, name: str, description: str) -> int | None:
    at = name.find(query)
    if at == 0:
        return 0 if name == query else 1
    if at > 0:
        return 3 if name[at - 1].isalnum() else 2
    if len(query) >= DESCRIBED and f" {query}" in description:
        return 4
    if name[:1] != query[0]:
        return None
    place = 0
    for letter in query[1:]:
        place = name.find(letter, place + 1)
        if place < 0:
            return None
    return 5


def _starts(text: str, name: str) -> bool:
    return text.startswith(name) and (len(text) == len(name) or text[len(name)].isspace())


def _ours(command: Command, name: str) -> SlashOffer:
    return SlashOffer(name, "client", command.tooltip, command.argument, command)


def _prompts(prompt: OwnPrompt) -> SlashOffer:
    owner: Owner = "project" if prompt.project else "yours"
    return SlashOffer(prompt.name, owner, prompt.description[:LONGEST_TEXT], prompt.argument_hint, prompt=prompt)


def _agents(commands: Sequence[AvailableCommand]) -> Iterator[SlashOffer]:
    """Those that can be typed, each name once. Some agents write the slash into the name."""
    seen: set[str] = set()
    for command in commands:
        name = command.name[: LONGEST_NAME + 2].removeprefix("/")
        if name in seen or not _can_be_typed(name):
            continue
        seen.add(name)
        hint = command.input.hint or "" if command.input else ""
        yield SlashOffer(name, "agent", command.description[:LONGEST_TEXT], hint, agent_name=name)


def _can_be_typed(name: str) -> bool:
    return 0 < len(name) <= LONGEST_NAME and name.strip() == name and one_line(name) == name


class SessionCommands:
    """The slash commands of one session as they are now. A new session waits a moment for its agent's.

    The index is made anew when the agent's or the own `prompts` have changed, of which `are_read` says whether they are
    known. `client` are the commands of the front end.
    """

    def __init__(
        self,
        session: Session,
        client: Sequence[Command],
        prompts: Callable[[], Sequence[OwnPrompt]] = tuple,
        are_read: Callable[[], bool] = lambda: True,
    ) -> None:
        self._session, self._client, self._prompts, self._are_read = session, client, prompts, are_read
        self._made: tuple[object, object, SlashCommands] | None = None

    @property
    def now(self) -> SlashCommands:
        agent, prompts, complete = self._session.commands, self._prompts(), self._are_complete
        made = self._made
        if made is None or made[0] is not agent or made[1] is not prompts or made[2].complete is not complete:
            made = self._made = agent, prompts, SlashCommands(self._client, agent, prompts, complete=complete)
        return made[2]

    def prepare(self) -> None:
        """Make the list while no key waits for it: of 5,000 commands it takes 43 ms."""
        _ = self.now

    def waiting(self, text: str, sent_at: float) -> float:
        """Seconds, of the session's clock, that a line sent at `sent_at` may still wait for the lists of others.

        Only a name waits that may be the agent's: one that is nobody's yet, or ours where the agent's would win; one
        that is nobody's also for own prompts.
        """
        line = read_line(text)
        if line is None:
            return 0.0
        name = line[0]
        offer = self.now.named(name)
        if offer is None and not self._are_read():
            return max(0.0, sent_at + WITHIN - self._session.clock())
        command = None if offer is None else offer.command
        settled = offer is not None and (command is None or name not in command.slash or command.claims(name))
        if settled or self._are_complete:  # an own prompt's, named with the word of its side, or ours at any rate
            return 0.0
        return max(0.0, min(sent_at, self._began) + WITHIN - self._session.clock())

    @property
    def _began(self) -> float:
        """When the session was there, in seconds of its clock; infinity before that."""
        return inf if self._session.index.identified_at == -inf else self._session.index.identified_at

    @property
    def _are_complete(self) -> bool:
        return self._session.index.commands_told or self._session.clock() >= self._began + WITHIN
