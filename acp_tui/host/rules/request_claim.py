"""A permission request's claim: the whole call, as it is merged and shown, read for rules.

What a request names stands in its subject, in the session's entry for its tool call and in the open call that it joins.
Whatever we do not know there, values of another type, and fields that disagree leave the request to the user.
"""

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from shutil import which
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.host.rules.path_words import lies_in
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import (
    TOOL_KINDS,
    ContentItem,
    Diff,
    FileChange,
    PermissionSubject,
    TerminalReference,
    ToolCallContent,
    ToolCallUpdate,
)
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import PendingPermission
from acp_tui.session.folds.questions import joined_call
from acp_tui.session.state import Session
from acp_tui.session.tools.input import (
    EDITOR_COMMANDS,
    FOLDERS,
    NAMES,
    OWN_FOLDERS,
    WRAPPERS,
    decoded,
    inner_command,
    only_member,
    plain_name,
    streamed_input,
)
from acp_tui.session.tools.patches import PatchedFile, patches_in, read_patch
from acp_tui.session.tools.title import quoted_command, unmarked

Command = str | tuple[str, ...]

# Members of inputs by their plain names (`session/tools/input.py`): what names something is there, the rest is here.
_COMMANDS = NAMES["command"] - {"script"}  # which may be a program's text, in any language
_PATTERNS = NAMES["pattern"] | {"glob", "globs", "include", "exclude"}
_HARMLESS = {  # by the type of the value
    str: "description content contents newcontent oldstring newstring oldstr newstr oldtext newtext oldcontent filetext"
    " text justification reason explanation prompt thought codeedit instructions outputmode type callid turnid"
    " approvalid toolcallid format",
    float: "timeout timeoutms timeoutseconds offset limit line startline endline headlimit maxresults maxlines maxcount"
    " numlines context a b c insertline yieldtimems maxoutputtokens expectedreplacements",
    bool: "replaceall runinbackground isbackground background login tty multiline casesensitive i n",
    list: "parsedcmd proposedexecpolicyamendment availabledecisions viewrange",
}
_KNOWN = {kind: frozenset(names.split()) for kind, names in _HARMLESS.items()}
# What asks for more than the call, unless it says that it does not.
_MODEST = {"dangerouslydisablesandbox": False, "withescalatedpermissions": False, "sandboxpermissions": "use_default"}
_EDITS = frozenset(("edits", "multiedits"))
_PATCHES = frozenset(("diff", "patch", "unifieddiff"))
_DECISIONS = frozenset(
    ("plan", "question", "questions", "options", "modeslug")
)  # members of calls that are questions to the user
_ASKING = (
    "exitplanmode enterplanmode planexit planenter switchmode askuserquestion askuser askfollowupquestion question"
    " userinput requestuserinput planapproval readytocode readytocode?"
)
_WRITING = "content contents newcontent oldstring newstring oldstr newstr filetext codeedit newtext oldtext edits"
_WRITTEN = frozenset(_WRITING.split())  # members of a call that writes
_MODE_TITLE = re.compile(r"(?:exit|enter|leave|switch|change)\b.*\bmode\b|plan approv|ready to code", re.IGNORECASE)
_QUESTIONS = frozenset(_ASKING.split())
CHARACTERS_AT_MOST = 16_000  # of all that a call names; a command that the grammar reads has 4,000
_SHELL = re.compile(r"(?:/bin/|/usr/bin/|/usr/local/bin/|/opt/homebrew/bin/)?(?:bash|zsh|sh|dash)")
_BEHIND_TITLE = re.compile(r"(?: (?:\[[^\]]*\]|\([^)]*\)))*")  # `ls [current working directory /a] (List files)`
_LEADS_TITLE = re.compile(r"(?:[A-Z]\w*: ?|(?:Run|Running|Execute|Executing) )")
_OPERATORS = re.compile(r"&&|\|\||[|;<>`]|\$\(")
_SHOWN_NAME = re.compile(r"[\w-]{1,40}")


class RequestClaim(Frozen):
    """What a request says it will do: `kind` of the tool call, and a `command` (a text, or the words of one) in a
    `folder`, or the `places`, `addresses` and `patterns` that it names.

    All paths are absolute, those of `folder` and `roots` (the session's folders, its own first) real. `removes`: it
    deletes or moves files. A `problem` leaves it to the user, in words; if it is `never` answered by a rule, to allow
    everything does not answer it either.
    """

    agent: str
    kind: str
    folder: str
    roots: tuple[str, ...]
    command: Command = ""
    places: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    removes: bool = False
    problem: str = ""
    never: bool = False

    @property
    def name(self) -> str:
        """Its subject in words, as the agent wrote it."""
        if self.command:
            return self.command if isinstance(self.command, str) else shlex.join(self.command)
        return " ".join((self.kind, *(self.places or self.addresses or self.patterns)))


def claim_of(pending: PendingPermission, session: Session, scope: SessionScope, agent: str, path: str) -> RequestClaim:
    """Read a request, before or after it is folded into its session; `path` is the agent's search path."""
    request, asking = pending.request, session.whose(pending.request.session_id)
    roots = tuple(dict.fromkeys(os.path.realpath(each) for each in (scope.cwd, *scope.additional_directories) if each))
    reading = _Reading(asking, asking.cwd)
    calls = _calls_of(pending, session, asking)
    if session.id and asking is session and request.session_id != session.id:
        reading.problems.append("it is from another session")
    reading.read_subject(request.subject)
    for call in calls:
        reading.read_call(call)
    titles = dict.fromkeys((request.title, *(call.title or "" for call in calls)))
    said = [request.title, *(text or "" for call in calls for text in (call.title, call.name))]
    names = {name for text in said for name in _tool_names(text)}
    reading.never |= any(map(_MODE_TITLE.match, said))
    if reading.places and not reading.commands:  # it may show another file than it names
        words = [word.strip("`'\"(),") for title in titles for word in title.split()]
        reading.places += [word for word in words if word.startswith(("/", "~", "../"))]
    if any(name.startswith("mcp") or name.endswith("mcpserver)") for name in names):  # which runs `command` anywhere
        reading.problems.append("it is an MCP server's tool")
    return reading.claim(agent, roots, [title.strip() for title in titles], never=bool(names & _QUESTIONS), path=path)


def _calls_of(pending: PendingPermission, session: Session, asking: Session) -> list[ToolCallEntry | ToolCallUpdate]:
    subject = pending.request.subject
    entry = asking.index.tool_calls.get(pending.tool_call_id or "")
    joined = joined_call(session, asking, pending) if pending.call_id is None else None
    update = subject.tool_call if subject is not None else None
    return [call for call in (entry, joined, update) if call is not None]


@dataclass(slots=True)
class _Reading:
    """What has been read of the calls of one request."""

    session: Session
    cwd: str
    kinds: set[str] = field(default_factory=set)
    commands: list[Command] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    changes: bool = False
    writes: bool = False
    removes: bool = False
    never: bool = False

    def read_subject(self, subject: PermissionSubject | None) -> None:
        self.never |= subject is None or subject.type not in ("tool_call", "command")
        if subject is not None and subject.type == "command":
            self.commands += [subject.command] if subject.command and subject.command.strip() else []
            self.folders += [subject.cwd] if subject.cwd else []
            self._read_terminal(subject.terminal_id)

    def read_call(self, call: ToolCallEntry | ToolCallUpdate) -> None:
        self.kinds |= {call.kind} if call.kind else set()
        if isinstance(call, ToolCallUpdate) and any(value is not None for value in (call.model_extra or {}).values()):
            self.problems.append("it has details that acp-tui doesn't know")
        self.places += [location.path for location in call.locations or ()]
        content = list(call.content or ())
        self._read_content([*content, *(call.earlier_diffs if isinstance(call, ToolCallEntry) else ())])
        if call.raw_input in (None, "", {}, []):
            if streamed_input(content) is not None or _begins_json(content):
                self.problems.append("its details may be incomplete")
            return
        self._read_input(call.raw_input)

    def _read_content(self, content: Iterable[ToolCallContent]) -> None:
        for item in content:
            if isinstance(item, Diff):
                self._read_diff(item)
            elif isinstance(item, TerminalReference):
                self._read_terminal(item.terminal_id)
            elif not isinstance(item, ContentItem) or not isinstance(item.content, TextContent):
                self.problems.append("it shows something other than text and diffs")

    def _read_diff(self, diff: Diff, *, ours: bool = False) -> None:
        """Take what a diff changes, also what its patch does, unless we wrote that ourselves."""
        self.changes = True
        changes: list[FileChange | PatchedFile] = [*(diff.changes or ())]
        if diff.patch is not None and not ours:
            patched = read_patch(diff.patch.text)
            self.problems += ["its patch cannot be read"] if patched is None else []
            changes += patched or ()
        self.places += [path for path in (diff.path, *(each.path for each in changes)) if path]
        self.places += [each.old_path for each in changes if each.old_path]
        self.removes |= any(each.operation not in ("", "add", "modify") for each in changes)

    def _read_terminal(self, terminal_id: str | None) -> None:
        terminal = self.session.terminals.get(terminal_id or "")
        if terminal is not None:
            self.commands += [terminal.command] if terminal.command else []
            self.folders += [terminal.cwd] if terminal.cwd else []

    def _read_input(self, raw: Any) -> None:
        value = decoded(raw)
        if isinstance(value, dict) and len(value) == 1 and plain_name(next(iter(value))) in WRAPPERS:
            value = decoded(only_member(value))
        patches = patches_in(value, self.cwd)
        for patch in patches:
            self._read_diff(patch.diff, ours=True)
        if isinstance(value, dict):
            self._read_members(value, {patch.text for patch in patches})
        elif not patches or value != patches[0].text:
            self.problems.append("acp-tui can't read its details")

    def _read_members(self, members: dict[Any, Any], patches: set[str]) -> None:
        plain = {plain_name(name) for name in members}
        edits = bool(plain & NAMES["place"]) and any(each == members.get("command") for each in EDITOR_COMMANDS)
        self.changes |= edits and members["command"] != "view"
        for name, value in members.items():
            short = plain_name(name)
            wrapped = {plain_name(each) for each in value} if short in WRAPPERS and isinstance(value, dict) else set()
            self.never |= short in _DECISIONS or not wrapped.isdisjoint(_DECISIONS)
            self.writes |= short in _WRITTEN
            if value is None or value in ("", [], {}) or (edits and name == "command"):
                continue
            wrong = self._read_member(short, value, patches, in_folder=bool(plain & _COMMANDS) and not edits)
            if wrong:
                shown = f": {name}" if isinstance(name, str) and _SHOWN_NAME.fullmatch(name) else ""
                self.problems.append(f"it has a detail acp-tui doesn't know{shown}")

    def _read_member(self, name: str, value: Any, patches: set[str], *, in_folder: bool) -> bool:
        """Take what a member names; whether it is one that we do not know, or of another type than it should be."""
        if name in _COMMANDS:
            return self._read_command(name, value)
        if name in FOLDERS or (in_folder and name in OWN_FOLDERS):
            self.folders += [value] if isinstance(value, str) else []
            return not isinstance(value, str)
        named = {"place": self.places, "address": self.addresses, "pattern": self.patterns}
        for sort, texts in named.items():
            if name in (_PATTERNS if sort == "pattern" else NAMES[sort]):
                several = value if isinstance(value, list) else [value]
                texts += [each for each in several if isinstance(each, str)]
                return not all(isinstance(each, str) for each in several)
        if name in _EDITS and isinstance(value, list) and all(isinstance(each, dict) for each in value):
            for each in value:
                self._read_members(each, patches)
            return False
        if name == "changes" and isinstance(value, dict):
            return self._read_changes(value)
        if name in _PATCHES:
            return not isinstance(value, str) or value not in patches
        return not _is_harmless(name, value)

    def _read_command(self, name: str, value: Any) -> bool:
        if isinstance(value, str):
            self.commands += [value] if value.strip() else []
            return not value.strip()
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            return True
        self.commands += value if name in ("commands", "cmds") else [tuple(value)]
        return False

    def _read_changes(self, changes: dict[Any, Any]) -> bool:
        """Codex's: what is done to each path."""
        self.changes = True
        self.places += [path for path in changes if isinstance(path, str)]
        for change in changes.values():
            plain = isinstance(change, dict) and change.get("type") in ("add", "update") and not change.get("move_path")
            self.removes |= not plain
        return not all(isinstance(path, str) for path in changes)

    def claim(
        self, agent: str, roots: tuple[str, ...], titles: Sequence[str], *, never: bool, path: str
    ) -> RequestClaim:
        kinds = self.kinds - {"other"} or {"other"}
        kind = min(kinds)
        texts = [*self.folders, *self.places, *self.addresses, *self.patterns]
        texts += [word for each in self.commands for word in ([each] if isinstance(each, str) else each)]
        never = never or self.never or "switch_mode" in kinds
        if any(map(_is_odd, [self.cwd, *texts])) or not os.path.isabs(self.cwd):  # noqa: PTH117 (a text)
            return RequestClaim(agent, kind, "", roots, problem="it contains an invalid path", never=never)
        if sum(map(len, texts)) > CHARACTERS_AT_MOST:
            return RequestClaim(agent, kind, "", roots, problem="it names too much to be checked", never=never)
        commands = _once(self.commands)
        folders = {os.path.realpath(os.path.join(self.cwd, each)) for each in self.folders or ["."]}  # noqa: PTH118
        folder = min(folders)
        places = dict.fromkeys(os.path.join(self.cwd, each) for each in self.places)  # noqa: PTH118 (a text)
        return RequestClaim(
            agent,
            kind,
            folder,
            roots,
            commands[0] if commands else "",
            tuple(places),
            tuple(dict.fromkeys(self.addresses)),
            tuple(dict.fromkeys(self.patterns)),
            self.removes,
            self._problem(kinds, commands, folders, roots) or _title_problem(titles, commands, [*places, *texts], path),
            never,
        )

    def _problem(self, kinds: set[str], commands: list[Command], folders: set[str], roots: tuple[str, ...]) -> str:
        inside = [any(lies_in(each, root) for root in roots) for each in folders]
        if self.problems:  # of several that is named which users know
            places = (os.path.realpath(os.path.join(self.cwd, each)) for each in self.places)  # noqa: PTH118 (a text)
            outside = any(not any(lies_in(each, root) for root in roots) for each in places)
            return "it reaches outside the project" if outside else self.problems[0]
        more = self.changes or self.removes or self.addresses or self.patterns
        return next(
            (
                words
                for words, holds in {
                    "acp-tui doesn't know this kind of request": len(kinds) > 1 or not kinds <= set(TOOL_KINDS),
                    "it names more than one command": len(commands) > 1,
                    "it names more than one folder": len(folders) > 1,
                    "it works outside the project": not all(inside),
                    "it asks for more than its command": bool(commands and more),
                    "its folder does not exist": bool(commands) and not all(map(os.path.isdir, folders)),
                    "its command appears only in its title": not commands and "execute" in kinds,
                    "it changes files, but claims to only read": bool(kinds & {"read", "search", "fetch"})
                    and (self.changes or self.writes),
                    "it runs a command, but claims to change files": bool(
                        commands and kinds & {"edit", "delete", "move"}
                    ),
                    "it works in another folder": not commands and folders != {os.path.realpath(self.cwd)},
                }.items()
                if holds
            ),
            "",
        )


def _tool_names(text: str) -> set[str]:
    """The plain names that a title or name of a tool may stand for: `mcp__x__ask_user`, "Ask user: which?"."""
    return {plain_name("".join(each.split())) for each in (text, text.partition(":")[0], text.rpartition("__")[2])}


def _is_harmless(name: str, value: Any) -> bool:
    """Whether a member is one that names nothing, of the type that it should have."""
    if name in _MODEST:
        return bool(value == _MODEST[name] and isinstance(value, type(_MODEST[name])))
    kind = type(value) if not isinstance(value, int) or isinstance(value, bool) else float
    return name in _KNOWN.get(kind, ())


def _begins_json(content: Iterable[ToolCallContent]) -> bool:
    blocks = [item.content for item in content if isinstance(item, ContentItem)]
    return any(block.text.lstrip().startswith(("{", "[")) for block in blocks if isinstance(block, TextContent))


def _is_odd(text: str) -> bool:
    """Whether no file can have the name: it has a NUL, or is no text."""
    return "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text)


def _plain(command: Command) -> str:
    """A command without the shell around it, by which two are compared."""
    if isinstance(command, str):
        return inner_command(command).strip()
    if len(command) == 3 and command[1] in ("-c", "-lc") and _SHELL.fullmatch(command[0]):
        return command[2].strip()
    return shlex.join(command)


def _once(commands: Iterable[Command]) -> list[Command]:
    """Each command once: as a list of words if there is one, else with the shell around it."""
    found: dict[str, Command] = {}
    for command in commands:
        before = found.get(key := _plain(command), "")
        longest = max(before, command, key=len) if isinstance(before, str) and isinstance(command, str) else command
        found[key] = before if isinstance(before, tuple) else longest
    return [command for command in found.values() if command]


def _title_problem(titles: Iterable[str], commands: Sequence[Command], names: Sequence[str], path: str) -> str:
    """Why a title may name another command than the call: one in backquotes, or what begins with a program's name."""
    whole = [*map(_plain, commands), *(each for each in commands if isinstance(each, str))]
    known = {" ".join(text.split()) for text in whole}
    for title in titles:
        quoted = quoted_command(title)
        text = " ".join(unmarked(quoted or title).split())
        cut = text.removesuffix("…").removesuffix("...")
        same = any(text.startswith(each) and _BEHIND_TITLE.fullmatch(text[len(each) :]) for each in known if each)
        if same or inner_command(text) in known or (cut != text and any(each.startswith(cut) for each in known)):
            continue
        rest = _LEADS_TITLE.sub("", text, count=1)
        if rest in known or _SHELL.fullmatch(rest) or (not commands and (quoted is None or quoted in names)):
            continue
        first = rest.partition(" ")[0]
        if quoted is not None or _OPERATORS.search(rest) or (first and not _is_odd(first) and which(first, path=path)):
            return "its title shows a different command"
    return ""
