"""Rebinding: the keys of the user's config file, put in the place of the commands' own.

What a command is given takes the place of its keys. Its key after the leader stays, unless one is given
(`ctrl+x m`); with nothing at all, both go. A key of another command goes from that one.
"""

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from acp_tui.ui.commands.command import Command
from acp_tui.ui.commands.keys import is_typed, key_name, spell_out
from acp_tui.ui.commands.registry import BY_ID, COMMANDS, LEADER, Leader

LEADER_ID = "leader"
_LISTS = ("transcript", "queue")  # where nothing can be written, so that letters are keys
_OWN = {command.id: (command.keys, command.leader) for command in COMMANDS}  # before any config file
_TYPES_ANYWAY = frozenset(("question_mark",))  # runs where nothing is written, and else writes itself


@dataclass(frozen=True, slots=True)
class KeyProblem:
    """Something wrong with a line of the config file: the id that it is about, and what is said about it."""

    id: str
    message: str


@dataclass(slots=True)
class _Wish:
    """What one line asks for, so far as it can be had."""

    command: Command
    keys: list[str] = field(default_factory=list)
    leader: str | None = None


def rebind(given: Mapping[str, Sequence[str]]) -> list[KeyProblem]:
    """Give commands (by id) the keys of a config file, all others their own; report what cannot be."""
    problems: list[KeyProblem] = []
    for command in COMMANDS:
        command.keys, command.leader = _OWN[command.id]
    LEADER.key = _leader(given, problems)
    wishes = [_wish(BY_ID[id_], words, problems) for id_, words in given.items() if id_ in BY_ID]
    problems += [_unknown(id_) for id_ in given if id_ not in BY_ID and id_ != LEADER_ID]
    granted: list[_Wish] = []
    for wish in wishes:
        if given[wish.command.id] and not wish.keys and wish.leader is None:
            continue  # nothing of it can be used: better the keys that are known than none
        problems += _without_conflicts(wish, granted)
        granted.append(wish)
    for wish in granted:
        wish.command.keys = tuple(wish.keys)
        if wish.leader is not None or not given[wish.command.id]:
            wish.command.leader = wish.leader or ""
    problems += _displace(granted)
    return problems


def _leader(given: Mapping[str, Sequence[str]], problems: list[KeyProblem]) -> str:
    words = given.get(LEADER_ID, [Leader.key])
    if not words:
        return ""
    try:
        if len(words) > 1:
            raise ValueError("there is one leader")
        name = key_name(words[0])
        if is_typed(name):
            raise ValueError(_untypable(words[0]))
    except ValueError as error:
        problems.append(KeyProblem(LEADER_ID, str(error)))
        return Leader.key
    return name


def _wish(command: Command, words: Sequence[str], problems: list[KeyProblem]) -> _Wish:
    wish = _Wish(command)
    for word in words:
        try:
            _read(wish, word)
        except ValueError as error:
            problems.append(KeyProblem(command.id, str(error)))
    return wish


def _read(wish: _Wish, word: str) -> None:
    first, blank, second = word.strip().partition(" ")
    name = key_name(first)
    if blank:
        if name != LEADER.key:
            raise ValueError(f"{word!r}: only after the leader ({spell_out(LEADER.key)}) a second key can follow")
        wish.leader = key_name(second)
    elif name == LEADER.key:
        raise ValueError(f"{word} is the leader, which a second key follows")
    elif wish.command.scope not in _LISTS and is_typed(name) and wish.command.id not in _TYPES_ANYWAY:
        raise ValueError(_untypable(word))
    elif name not in wish.keys:
        wish.keys.append(name)


def _untypable(word: str) -> str:
    return f"{word!r} could not be written in the prompt any more: add ctrl or alt, or use an F-key"


def _unknown(id_: str) -> KeyProblem:
    near = difflib.get_close_matches(id_, [*BY_ID, LEADER_ID], 1)
    return KeyProblem(id_, "there is no such command." + (f" Do you mean {near[0]}?" if near else ""))


def _without_conflicts(wish: _Wish, granted: Sequence[_Wish]) -> Iterator[KeyProblem]:
    """Take from `wish` what an earlier line has, and say so."""
    for other in granted:
        for key in [key for key in wish.keys if key in other.keys and _meet(wish.command, other.command)]:
            wish.keys.remove(key)
            yield KeyProblem(wish.command.id, f"{spell_out(key)} is given to {other.command.id} already")
        if wish.leader and wish.leader == other.leader:
            yield KeyProblem(wish.command.id, f"{_after(wish.leader)} is given to {other.command.id} already")
            wish.leader = None


def _displace(granted: Sequence[_Wish]) -> Iterator[KeyProblem]:
    """Take keys that were given away from the commands that have them by themselves, and say so."""
    chosen = {wish.command.id for wish in granted}
    for other in [command for command in COMMANDS if command.id not in chosen]:
        takers = {LEADER.key: LEADER_ID}
        for wish in granted:
            if _meet(wish.command, other):
                takers |= dict.fromkeys(wish.keys, wish.command.id)
        for key in [key for key in other.keys if key in takers]:
            other.keys = tuple(kept for kept in other.keys if kept != key)
            yield KeyProblem(takers[key], f"{spell_out(key)} was the key of {other.id}, which loses it")
    for wish in granted:
        for other in [command for command in COMMANDS if command.id != wish.command.id]:
            if wish.leader and other.leader == wish.leader:
                other.leader = ""
                yield KeyProblem(wish.command.id, f"{_after(wish.leader)} was the key of {other.id}, which loses it")


def _after(leader: str) -> str:
    return f"{spell_out(LEADER.key)} {leader}"


def _meet(one: Command, other: Command) -> bool:
    """Whether both can be asked for by keys at the same time."""
    return one.scope == other.scope or "everywhere" in (one.scope, other.scope)
