"""The file of the user's rules, `rules.toml` in the config folder: written to be read and edited by hand.

    readers = true                    # programs that only read are allowed

    [[rules]]
    allow = "cargo test"              # or reject; a list of words if one of them is not plain
    more = true                       # with further words; else exactly these
    project = "/home/me/project"      # without it the rule holds everywhere

    [[rules]]
    allow = "edit"                    # or "read": files under a folder, for one agent
    files = "/home/me/project/src"
    agent = "Claude"
    project = "/home/me/project"

Further members: `folder` (holds in this folder only, for programs that run others), `piped` (made for a program behind
a pipe), `off` (answers nothing), `made` (a time). A file that has anything else is left out as a whole.
"""

import hashlib
import json
import os
import re
import time
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from acp_tui.errors import UserFault, reason_of
from acp_tui.frozen import Frozen
from acp_tui.host.config.config_writer import BusyFile, rewrite
from acp_tui.host.config.source_files import ConfigLocation, read_bytes, spelled
from acp_tui.host.config.state_files import config_folder
from acp_tui.host.config.toml_edit import TomlLines, TooManyParts, statements_of, table_lines, with_values
from acp_tui.host.rules.rule import Rule, RulePolicy
from acp_tui.host.system.git import content_of, find_checkout
from acp_tui.safe_text import named

HEAD = """\
# Rules that answer permission requests for you. acp-tui adds the rules you make; you can edit them here.
# Each [[rules]] table has allow = "COMMAND" or reject = "COMMAND". Optional: more = true (with other arguments),
# project = "/FOLDER" (without it, the rule applies everywhere), off = true (turned off).
"""
PATH_AT_MOST = 4096  # bytes of the file by which a repository names a worktree
TRIES = 50  # at a file that another run writes
WAIT = 0.02  # seconds between two of them
_PLAIN = re.compile(r"[A-Za-z0-9_./:=@%+,-]+")
_TEXTS = ("project", "folder", "files", "agent")
_SWITCHES = ("more", "piped", "off")
_MEMBERS_KNOWN = frozenset(("allow", "reject", "made", *_TEXTS, *_SWITCHES))
_ACTIONS = ("read", "edit")
_FAULT = "The rules cannot be used"
_HINT = "Until it is corrected, you are asked about everything."


class BookContents(Frozen):
    """What a file of rules has: its rules in order, and the switch for programs that only read."""

    rules: tuple[Rule, ...] = ()
    readers: bool = False


Change = Callable[[str, BookContents], str]
"""Makes the new text of a file from its text and what that says."""


class _Unknown(ValueError):
    """A value that no rule has, at a `field` of the file."""

    def __init__(self, reason: str, *field: str | int) -> None:
        super().__init__(reason)
        self.field = field


class RuleBook:
    """The rules in one file, read again when it changes. One that is not `ours` is read once, and never written: it may
    lie where the agent can change it.
    """

    def __init__(self, path: Path, *, ours: bool) -> None:
        self.path, self.ours = path, ours
        self._seen: tuple[int, ...] | None = None
        self._contents: BookContents | UserFault = BookContents()

    def contents(self) -> BookContents:
        """What it has now; raises `UserFault` if it cannot be used."""
        if self.ours or self._seen is None:
            self._refresh()
        if isinstance(self._contents, UserFault):
            raise self._contents.with_traceback(None)
        return self._contents

    def _refresh(self) -> None:
        try:
            found = self.path.stat()
            seen = (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)
        except OSError as error:
            gone = isinstance(error, FileNotFoundError | NotADirectoryError) and self.ours
            seen, self._seen = None, None
            self._contents = BookContents() if gone else _fault(self.path, 0, "", reason_of(error))
        if seen is not None and seen != self._seen:
            self._seen, self._contents = seen, self._read()

    def add(self, rules: Sequence[Rule], *, readers: bool) -> None:
        """Add rules, or turn those on that are there, and the switch; raises `UserFault`."""
        ids = {rule.id: rule for rule in rules}

        def change(text: str, there: BookContents) -> str:
            text = _with_switch(text, readers=readers)
            for rule in ids.values():
                if rule.id not in {each.id for each in there.rules}:
                    text = "\n".join((f"{text.rstrip()}\n", "[[rules]]", *table_lines((), _members(rule)), ""))
            return _turned(text, ids, off=False)

        def wanted(there: BookContents) -> BookContents:
            both = (*there.rules, *(ids[new] for new in ids if new not in {each.id for each in there.rules}))
            turned = tuple(replace(rule, off=rule.off and rule.id not in ids) for rule in both)
            return BookContents(turned, there.readers or readers)

        self._write(change, wanted)

    def turn(self, rules: Collection[str], *, off: bool, readers: bool) -> None:
        """Have rules, by their ids, answer nothing or hold again, and the switch if `readers`; raises `UserFault`."""

        def change(text: str, there: BookContents) -> str:
            text = _with_switch(text, readers=readers and there.readers == off, on=not off)
            return _turned(text, rules, off=off)

        def wanted(there: BookContents) -> BookContents:
            turned = tuple(replace(rule, off=off if rule.id in rules else rule.off) for rule in there.rules)
            return BookContents(turned, not off if readers else there.readers)

        self._write(change, wanted)

    def remove(self, rule: str) -> None:
        """Delete a rule with all its lines; raises `UserFault`."""

        def change(text: str, there: BookContents) -> str:
            spans = [span for at, span in _spans(text).items() if there.rules[at].id == rule]
            for start, end in reversed(spans):
                text = text[:start] + text[end:]
            return text

        def wanted(there: BookContents) -> BookContents:
            return BookContents(tuple(each for each in there.rules if each.id != rule), there.readers)

        self._write(change, wanted)

    def _read(self) -> BookContents | UserFault:
        text = ""
        try:
            text = read_bytes(self.path, foreign=True).decode("utf-8-sig")
            return _parse(text, ours=self.ours)
        except (OSError, ValueError) as error:
            field = error.field if isinstance(error, _Unknown) else ()
            return _fault(self.path, _line(text, error), spelled(field), _reason(error))

    def _write(self, change: Change, wanted: Callable[[BookContents], BookContents]) -> None:
        """Read, change and write it, alone; what comes of it must say what is wanted."""
        if not self.ours:
            raise UserFault("The rules were not changed", f"{named(self.path)} is read-only in this run.")

        def changed(before: bytes) -> bytes:
            text = before.decode("utf-8-sig") or HEAD
            there = _parse(text, ours=True)
            made = change(text, there)
            if _parse(made, ours=True) != wanted(there):
                raise ValueError("it is written in a form that cannot be edited automatically")
            return made.encode()

        try:
            self._rewrite(changed)
        except (OSError, ValueError) as error:
            hint = "Correct it, or edit the file yourself."
            raise UserFault("The rules were not changed", f"{named(self.path)}: {_reason(error)}", hint) from error

    def _rewrite(self, changed: Callable[[bytes], bytes]) -> None:
        for _ in range(TRIES):
            with suppress(BusyFile):
                rewrite(self.path, changed)
                return
            time.sleep(WAIT)
        rewrite(self.path, changed)


@cache
def _book(path: Path, *, ours: bool) -> RuleBook:
    return RuleBook(path, ours=ours)


def book_of(policy: RulePolicy) -> RuleBook:
    """The book that counts in a run, one for all its sessions: the user's, or another file."""
    if policy.file:
        return _book(Path(policy.file), ours=False)
    return _book(config_folder() / "rules.toml", ours=True)


def main_checkout(folder: str) -> str:
    """The real path of the main checkout of the repository around a folder; without Git that of the folder itself.

    A worktree counts if its repository names it too: a `.git` file may name any repository. A bare one is itself.
    """
    checkout = find_checkout(folder)
    if checkout is None:
        return os.path.realpath(folder)
    top, own, common = (os.path.realpath(each) for each in checkout)
    back = os.fsdecode(content_of(f"{own}/gitdir", PATH_AT_MOST) or b"").rstrip("\r\n")
    known = os.path.realpath(Path(own, back)) == os.path.realpath(f"{top}/.git")
    if own == common or os.path.dirname(own) != f"{common}/worktrees" or not (back and known):  # noqa: PTH120 (a text)
        return top
    return common.removesuffix("/.git")


def with_id(rule: Rule) -> Rule:
    """The rule with the id that its meaning gives it; two that say the same are one."""
    meaning = (rule.verdict, rule.kind, rule.words, rule.scope, rule.project, rule.place, rule.agent, rule.piped)
    data = json.dumps((*meaning, rule.action)).encode()
    return replace(rule, id=hashlib.sha256(data).hexdigest()[:12])


def _fault(path: Path, line: int, field: str, reason: str) -> UserFault:
    return UserFault(_FAULT, f"{ConfigLocation(path, line, field)}: {reason}", _HINT)


def _reason(error: Exception) -> str:
    return "not UTF-8" if isinstance(error, UnicodeDecodeError) else reason_of(error)


def _line(text: str, error: Exception) -> int:
    """The line (from 1) that a fault is about, as far as it is known."""
    if isinstance(error, tomllib.TOMLDecodeError):
        found = re.search(r"\(at line (\d+)", str(error))
        return int(found[1]) if found else max(1, len(text.splitlines()))
    if isinstance(error, TooManyParts):
        return error.line
    return TomlLines(text).line(error.field) if isinstance(error, _Unknown) else 0


def _parse(text: str, *, ours: bool) -> BookContents:
    """The contents of a text; raises ValueError, and `_Unknown` at a field. In another file a rule without a project
    is for the one at hand.
    """
    try:
        TomlLines(text)  # a name of too many parts is refused before it is parsed
        said = tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    for name in said.keys() - {"readers", "rules"}:
        raise _Unknown("it is an unknown key", name)
    readers, tables = said.get("readers", False), said.get("rules", [])
    if not isinstance(readers, bool):
        raise _Unknown("it must be true or false", "readers")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise _Unknown("rules must be written as [[rules]]", "rules")
    return BookContents(tuple(_rule(table, at, ours=ours) for at, table in enumerate(tables)), readers)


def _rule(table: Mapping[str, Any], at: int, *, ours: bool) -> Rule:
    for name, value in table.items():
        if name not in _MEMBERS_KNOWN:
            raise _Unknown("it is an unknown key", "rules", at, name)
        if name in _SWITCHES and not isinstance(value, bool):
            raise _Unknown("it must be true or false", "rules", at, name)
        absolute = isinstance(value, str) and (name == "agent" or os.path.isabs(value))  # noqa: PTH117 (a text)
        if name in _TEXTS and not (absolute and value and "\0" not in str(value)):
            raise _Unknown("it must be an absolute path" if name != "agent" else "it must be a name", "rules", at, name)
        if name == "made" and not isinstance(value, datetime):
            raise _Unknown("it must be a time", "rules", at, name)
    verdicts = [name for name in ("allow", "reject") if name in table]
    if len(verdicts) != 1:
        raise _Unknown("a rule must have either allow or reject", "rules", at)
    words = _words(table[verdicts[0]], at, verdicts[0])
    files, project, made = table.get("files", ""), table.get("project", ""), table.get("made")
    if files and (len(words) != 1 or words[0] not in _ACTIONS or not table.get("agent")):
        raise _Unknown('with files, it must be "read" or "edit", with an agent', "rules", at, verdicts[0])
    return with_id(
        Rule(
            "",
            "allow" if verdicts[0] == "allow" else "reject",
            "folder" if files else "prefix" if table.get("more") else "exact",
            (files,) if files else words,
            "project" if project or not ours else "everywhere",
            project,
            table.get("folder", ""),
            table.get("agent", ""),
            table.get("piped", False),
            table.get("off", False),
            made.timestamp() if made is not None else 0.0,
            words[0] if files else "",
        )
    )


def _words(value: Any, at: int, name: str) -> tuple[str, ...]:
    if isinstance(value, str) and all(map(_PLAIN.fullmatch, value.split())):
        value = value.split()
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise _Unknown("words with special characters must be in a list; there are no patterns", "rules", at, name)
    if not value or not value[0]:
        raise _Unknown("it has no words", "rules", at, name)
    return tuple(value)


def _members(rule: Rule) -> dict[str, Any]:
    """A rule as the file has it."""
    plain = all(map(_PLAIN.fullmatch, rule.words))
    words = rule.action if rule.kind == "folder" else " ".join(rule.words) if plain else list(rule.words)
    members = {
        rule.verdict: words,
        "more": rule.kind == "prefix",
        "files": rule.words[0] if rule.kind == "folder" else "",
        "project": rule.project if rule.scope == "project" else "",
        "folder": rule.place,
        "agent": rule.agent,
        "piped": rule.piped,
        "made": datetime.fromtimestamp(int(rule.made_at), UTC) if rule.made_at else "",
    }
    return {name: value for name, value in members.items() if value}


def _spans(text: str) -> dict[int, tuple[int, int]]:
    """Where each [[rules]] begins and ends, by its number."""
    spans: dict[int, tuple[int, int]] = {}
    for one in statements_of(text):
        if one.table[:1] == ("rules",) and len(one.table) == 2 and isinstance(at := one.table[1], int):
            spans[at] = (spans.get(at, (one.start, 0))[0], one.end)
    return spans


def _with_switch(text: str, *, readers: bool, on: bool = True) -> str:
    return with_values(text, (), {"readers": on}) if readers else text


def _turned(text: str, ids: Collection[str], *, off: bool) -> str:
    """The text with rules turned off or on, by a line in each."""
    spans = _spans(text)
    rules = _parse(text, ours=True).rules
    for at in reversed([at for at, rule in enumerate(rules) if rule.id in ids and rule.off != off and at in spans]):
        start, end = spans[at]
        lines = re.sub(r"(?m)^[ \t]*off[ \t]*=[^\n]*\n?", "", text[start:end]).rstrip("\n") + "\n"
        text = text[:start] + lines + "off = true\n" * off + text[end:]
    return text
