"""Rebinding: the keys of the user's config file, put in the place of the commands' own.

What a command is given takes the place of its keys. Its keys after the leader stay, unless one is given
(`ctrl+x m`); with nothing at all, all go. A key of another command goes from that one.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence

from acp_tui.frozen import Frozen
from acp_tui.host.config.config import Config
from acp_tui.ui.commands.key_table import key_lines
from acp_tui.ui.commands.keys import is_typed, key_name, spell_out
from acp_tui.ui.commands.registry import BY_ID, COMMANDS
from acp_tui.ui.kit.theme import theme_names
from acp_tui.views.command_index import LEADER, Command, LeaderKey, Scope

LEADER_ID = "leader"
_LISTS = ("transcript", "queue")  # where nothing can be written, so that letters are keys
_OWN = {command.id: (command.keys, command.leader) for command in COMMANDS}  # before any config file
_TYPES_ANYWAY = frozenset(("question_mark",))  # runs where nothing is written, and else writes itself


class KeyProblem(Frozen):
    """Something wrong with a line of the config file: the id that it is about, and what is said about it."""

    id: str
    message: str


def rebind(given: Mapping[str, Sequence[str]]) -> list[KeyProblem]:
    """Give commands (by id) the keys of a config file, all others their own; report what cannot be."""
    problems: list[KeyProblem] = []
    for command in COMMANDS:
        command.keys, command.leader = _OWN[command.id]
    LEADER.key = _leader(given, problems)
    wishes = {BY_ID[id_]: _ways(BY_ID[id_], words, problems) for id_, words in given.items() if id_ in BY_ID}
    problems += [_unknown(id_) for id_ in given if id_ not in BY_ID and id_ != LEADER_ID]
    granted: dict[Command, list[str]] = {}
    for command, ways in wishes.items():
        if ways or not given[command.id]:  # if nothing of it can be used: better the keys that are known than none
            problems += _without_conflicts(command, ways, granted)
            granted[command] = ways
    for command, ways in granted.items():
        command.keys = tuple(way for way in ways if " " not in way)
        seconds = [way.partition(" ")[2] for way in ways if " " in way]
        if seconds or not given[command.id]:
            command.leader = " ".join(seconds)
    problems += _displace(granted)
    return problems


def config_problems(config: Config) -> list[str]:
    """Give the commands the keys of the config file; what is wrong with it, none of which keeps the screen away."""
    problems = [f"{config.place('keys', problem.id)}: {problem.message}" for problem in rebind(config.keys)]
    if config.theme and config.theme not in theme_names():
        near = difflib.get_close_matches(config.theme, theme_names(), 1)
        meant = f" Did you mean {near[0]}?" if near else ""
        problems.append(f"{config.place('theme')}: unknown theme {config.theme!r}.{meant}")
    return [*config.warnings, *problems]


def key_settings(config: Config) -> list[str]:
    """Lines for `acp-tui config --print`: what is wrong with keys and theme, and the keys of all commands."""
    problems = config_problems(config)[len(config.warnings) :]
    return [*(f"# {problem}" for problem in problems), "[keys]", *key_lines()]


def _leader(given: Mapping[str, Sequence[str]], problems: list[KeyProblem]) -> str:
    words = given.get(LEADER_ID, [LeaderKey.key])
    if not words:
        return ""
    try:
        if len(words) > 1:
            raise ValueError("only one leader key is possible")
        name = key_name(words[0])
        if is_typed(name):
            raise ValueError(_untypable(words[0]))
    except ValueError as error:
        problems.append(KeyProblem(LEADER_ID, str(error)))
        return LeaderKey.key
    return name


def _ways(command: Command, words: Sequence[str], problems: list[KeyProblem]) -> list[str]:
    """What one line asks for, so far as it can be had."""
    ways: list[str] = []
    for word in words:
        try:
            way = _way(command, word)
        except ValueError as error:
            problems.append(KeyProblem(command.id, str(error)))
            continue
        if way not in ways:
            ways.append(way)
    return ways


def _way(command: Command, word: str) -> str:
    first, blank, second = word.strip().partition(" ")
    name = key_name(first)
    if blank:
        if name != LEADER.key:
            raise ValueError(f"{word!r}: only the leader ({spell_out(LEADER.key)}) can be followed by a second key")
        return f"{name} {key_name(second)}"
    if name == LEADER.key:
        raise ValueError(f"{word} is the leader key: add a second key")
    if command.scope not in _LISTS and is_typed(name) and command.id not in _TYPES_ANYWAY:
        raise ValueError(_untypable(word))
    return name


def _untypable(word: str) -> str:
    return f"{word!r} would no longer type a character: add ctrl or alt, or use an F-key"


def _unknown(id_: str) -> KeyProblem:
    near = difflib.get_close_matches(id_, [*BY_ID, LEADER_ID], 1)
    return KeyProblem(id_, "unknown command." + (f" Did you mean {near[0]}?" if near else ""))


def _without_conflicts(
    command: Command, ways: list[str], granted: Mapping[Command, Sequence[str]]
) -> Iterator[KeyProblem]:
    for other, theirs in granted.items():
        for way in [way for way in ways if way in theirs and _meet(way, command.scope, other.scope)]:
            ways.remove(way)
            yield KeyProblem(command.id, f"{spell_out(way)} is already assigned to {other.id}")


def _displace(granted: Mapping[Command, Sequence[str]]) -> Iterator[KeyProblem]:
    takers: list[tuple[str, Scope, str]] = [(LEADER_ID, "everywhere", LEADER.key)]
    takers += [(command.id, command.scope, way) for command, ways in granted.items() for way in ways]
    for id_, scope, way in takers:
        for other in COMMANDS:
            if way in other.ways and way not in granted.get(other, ()) and _meet(way, scope, other.scope):
                other.keys = tuple(key for key in other.keys if key != way)
                other.leader = " ".join(second for second in other.leaders if f"{LEADER.key} {second}" != way)
                yield KeyProblem(id_, f"{spell_out(way)} taken from {other.id}")


def _meet(way: str, one: Scope, other: Scope) -> bool:
    """Whether two commands of these scopes can be asked for at the same time."""
    return " " in way or one == other or "everywhere" in (one, other)
