"""The subject of a tool call: all its commands, files, patterns and addresses, and what its title adds to them.

Nothing here is safe to be shown before it was made so.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.session_updates import Plan
from acp_tui.protocol.vocabulary.tool_calls import Diff, PermissionSubject, TerminalReference, ToolCallUpdate
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session, Terminal
from acp_tui.session.text.phrases import done_words
from acp_tui.session.tools.input import (
    NamedInput,
    SubagentCall,
    TodoList,
    decoded,
    inner_command,
    read_input,
    streamed_input,
    subagent_call,
    todo_list,
)
from acp_tui.session.tools.patches import InputPatch, applied_patch, change_verb, diffs_of, patches_in
from acp_tui.session.tools.title import (
    DOING,
    SUBAGENT,
    TODO,
    beyond,
    is_identifier,
    kind_of,
    named_by,
    quoted_command,
    unmarked,
    verb_kind,
    verb_of,
    without_input,
)

What = Literal["command", "place", "pattern", "address", "text"]

_FIRST: dict[str, What] = dict.fromkeys(("read", "edit", "delete", "move"), "place")
_FIRST |= {"search": "pattern", "fetch": "address"}
_ORDER: tuple[What, ...] = ("command", "address", "pattern", "place")
_CHANGED = ("delete", "move")  # kinds for which the session's folder itself is a subject
_COMPARED = 40  # files that titles are compared with
_PATCHED = re.compile(r"^(?:\+\+\+|---) (?:[ab]/)?([^\t\n]+)", re.MULTILINE)
_CHANGES_FOLDER = re.compile(r"cd (\S+|'[^']*') && ")
_BRIEF = 6  # members of an input that are told in a line


class SubjectLocation(Frozen):
    """A file or folder, absolute where the session's folder is known; `line` counts from 1."""

    path: str
    line: int | None = None


class ToolSubject(Frozen):
    """The things that a call is about, each once, in the order in which the call names them.

    `commands` are whole, as they were given; `inner_command` has what a shell is asked to run. `folder` is where they
    run, if the call says so. `lead` is the sort that stands for the call: the first of it is its subject. It is
    `text` where nothing is named: then `text` is the title or what the input says in words. `description` is what
    the title says beyond the rest. `kind` is the call's, or the one that its title or subject shows it to be.
    """

    kind: str
    lead: What
    text: str = ""
    description: str = ""
    commands: tuple[str, ...] = ()
    places: tuple[SubjectLocation, ...] = ()
    patterns: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    folder: str | None = None
    inputs: tuple[NamedInput, ...] = field(default=(), compare=False, repr=False)
    patches: tuple[InputPatch, ...] = field(default=(), compare=False, repr=False)
    todos: TodoList | None = field(default=None, compare=False, repr=False)


def subject_of(
    entry: ToolCallEntry, session: Session, title: str | None = None, asked: PermissionSubject | None = None
) -> ToolSubject:
    """What the call is about; with `asked` also what a permission request says of it. `title` replaces the call's."""
    calls: list[ToolCallEntry | ToolCallUpdate] = [entry]
    if asked is not None and asked.tool_call is not None:
        calls.insert(0, asked.tool_call)
    said = entry.title if title is None else title
    raws = [call.raw_input for call in calls if call.raw_input not in (None, {}, "")] or [streamed_input(entry.content)]
    inputs = [read_input(raw, entry.kind) for raw in (raws[:1] if raws[0] == raws[-1] else raws)]
    if not isinstance(decoded(said), str):  # a title that is the input
        inputs, said = [*inputs, read_input(said, entry.kind)], ""
    said = without_input(said, [found.value for found in inputs])
    commands = [asked.command or ""] if asked is not None else []
    commands += map(_command_of, terminals_of(entry, session.terminals))
    commands += (command for found in inputs for command in found.named["command"])
    asking = entry.patches or calls[0] is not entry
    patches = tuple(each for found in inputs for each in patches_in(found.value, session.cwd)) if asking else ()
    if patches:  # a command that only applies one is no more than that
        texts = {each.text for each in patches}
        commands = [command for command in commands if (applied_patch(command) or command) not in texts]
    reading = _Reading(entry, session.cwd, said, inputs, patches)
    places = _places(calls, inputs, patches, session.cwd)
    return reading.read(_once(commands), places, asked.cwd if asked else None)


def asked_subject(pending: PendingPermission, session: Session) -> ToolSubject:
    """What a permission request is about, together with what the session knows of its tool call."""
    request = pending.request
    asking = session.whose(request.session_id)
    entry = asked_entry(pending, session)
    return subject_of(entry, asking, request.title.strip() or entry.title, request.subject)


def asked_entry(pending: PendingPermission, session: Session) -> ToolCallEntry:
    """The tool call that a request is about; an empty one where it names none that is known."""
    known = session.whose(pending.request.session_id).index.tool_calls.get(pending.tool_call_id or "")
    call = pending.request.subject.tool_call if pending.request.subject is not None else None
    return known or ToolCallEntry(pending.tool_call_id or "", kind=(call and call.kind) or "other")


def told_parts(subject: ToolSubject, cwd: str) -> list[tuple[What, list[str]]]:
    """What is worth telling, the lead first: commands without the shell around them, paths relative to `cwd`."""
    told: dict[What, list[str]] = {
        "text": [subject.text] if subject.text else [],
        "command": [inner_command(command) for command in subject.commands],
        "address": list(subject.addresses),
        "pattern": list(subject.patterns),
        "place": _told_places(subject, cwd),
    }
    return [(what, told[what]) for what in dict.fromkeys((subject.lead, *_ORDER)) if told[what]]


def verb_before(subject: ToolSubject, diffs: Sequence[Diff] = (), title: str = "") -> str:
    """The verb, with a blank, where a line needs one: a command and a title say themselves what is done."""
    silent = subject.lead == "command" or (subject.lead == "text" and subject.kind not in (SUBAGENT, TODO))
    verb = change_verb(subject.kind, diffs, title) if subject.kind == "edit" else verb_of(subject.kind)
    return "" if silent else f"{verb} "


def same_subject(one: ToolSubject, other: ToolSubject, cwd: str) -> bool:
    """Whether two calls are of one kind and about the same thing."""
    alike = one.kind == other.kind or one.lead == other.lead == "command"
    return alike and told_parts(one, cwd)[:1] == told_parts(other, cwd)[:1]


def called(entry: ToolCallEntry, session: Session) -> str:
    """What a call is about, as other lines tell of it: `make all`, `Read a.py`, else its title."""
    subject, folder = subject_of(entry, session), session.cwd.rstrip("/") + "/"
    (what, texts), *_ = told_parts(subject, session.cwd) or [("text", [""])]
    lead = texts[0].replace(folder, "") if what == "text" and len(session.cwd) > 1 else texts[0]
    return f"{verb_before(subject, diffs_of(entry), entry.title)}{lead}"


def doing(entry: ToolCallEntry, session: Session) -> str:
    """What a call does: `Reading a.py`, `Running make all`."""
    words = called(entry, session)
    verb, _, rest = words.partition(" ")
    return f"{DOING[verb]} {rest}" if rest and verb in DOING else f"Running {words}"


def told_line(subject: ToolSubject, cwd: str, *, described: bool = True) -> str:
    """The whole subject on one line: `$ make all · $ make test (Build it)`, `a.py:3 · b.py`, or its text."""
    named = [f"$ {text}" if what == "command" else text for what, texts in told_parts(subject, cwd) for text in texts]
    told = " · ".join(named) + (f" ({subject.description})" if described and subject.description else "")
    return re.sub(r"\s*\n\s*", " ⏎ ", told.strip())


def terminal_line(terminal: Terminal, session: Session) -> str:
    """What runs in a terminal: its command, else what the call is about that shows it, else its id."""
    calls = session.index.terminal_references.get(terminal.id, {}).values()
    told = (told_line(subject_of(call, session), session.cwd, described=False).removeprefix("$ ") for call in calls)
    return terminal.command or next(told, "") or terminal.id


def short_path(path: str, line: int | None, cwd: str) -> str:
    """A path and the line: within `cwd` relative to it, within the user's home from `~` on."""
    short = path
    for folder, stands_for in ((cwd, ""), (os.path.expanduser("~"), "~/")):  # noqa: PTH111 (text, not a file)
        inside = folder.rstrip("/") + "/"
        if len(inside) > 1 and path.startswith(inside):
            short = stands_for + path[len(inside) :]
            break
    return f"{short}:{line}" if line else short


class _Reading(Frozen):
    entry: ToolCallEntry
    cwd: str
    title: str
    inputs: list[NamedInput]
    patches: tuple[InputPatch, ...]

    def read(self, commands: list[str], places: list[SubjectLocation], folder: str | None) -> ToolSubject:
        kind = self.entry.kind
        named: dict[What, list[Any]] = {
            "command": commands,
            "address": _once(text for found in self.inputs for text in found.named["address"]),
            "pattern": _once(text for found in self.inputs for text in found.named["pattern"]),
            "place": places,
        }
        if not any(self._telling(named).values()):
            self._name_by_title(named)
        telling = self._telling(named)
        if not any(telling.values()) and kind in _FIRST and self._says_nothing():
            telling = named
        names = list(_names(named, self.cwd))
        order = dict.fromkeys((_FIRST.get(kind, "command"), *_ORDER))
        lead: What = next((what for what in order if telling[what]), "text")
        shown = self._kind(lead, names)
        text = self._text() if lead == "text" else ""
        description = self._description(lead, text, names, shown)
        todos = next(filter(None, (todo_list(found.value) for found in self.inputs)), None)
        started = subagent_call(self.entry.name or self.title, [found.value for found in self.inputs])
        if lead == "text" and todos is not None:
            shown, text, description = TODO, _progress(todos), ""
        elif started is not None and kind in ("think", "other") and lead != "command":
            lead, shown, text, description = "text", SUBAGENT, self._task(started), ""
        return ToolSubject(
            kind=shown,
            lead=lead,
            text=text,
            description=description,
            commands=tuple(named["command"]),
            places=tuple(named["place"]),
            patterns=tuple(named["pattern"]),
            addresses=tuple(named["address"]),
            folder=folder or next((found.folder for found in self.inputs if found.folder), None),
            inputs=tuple(self.inputs),
            patches=self.patches,
            todos=todos,
        )

    def _telling(self, named: dict[What, list[Any]]) -> dict[What, list[Any]]:
        """What is named, without the session's own folder, which says nothing of a call that does not change it."""
        if self.entry.kind in _CHANGED:
            return named
        return named | {"place": [place for place in named["place"] if place.path != self.cwd]}

    def _name_by_title(self, named: dict[What, list[Any]]) -> None:
        kind = self.entry.kind
        if kind == "execute":
            named["command"] = [command for command in [quoted_command(self.title)] if command]
        elif kind in _FIRST and (texts := named_by(self.title, kind)):
            first = _FIRST.get(verb_kind(self.title) or "", "place") if kind == "read" else _FIRST[kind]
            named[first] += (
                [SubjectLocation(_absolute(text, self.cwd)) for text in texts] if first == "place" else texts
            )

    def _task(self, started: SubagentCall) -> str:
        described = next((found.description for found in self.inputs if found.description), "")
        titled = "" if self._says_nothing() else unmarked(self.title)
        words = (described or titled or started.prompt).partition("\n")[0]
        said = started.sort.lower() in words.lower()
        return words if said else ": ".join(filter(None, (started.sort, words)))

    def _says_nothing(self) -> bool:
        idle = self.title.strip().lower() in ("", self.entry.kind, self.entry.id.lower())
        return idle or is_identifier(self.title, self.entry.kind) or not beyond(self.title, (), self.entry.kind)

    def _text(self) -> str:
        """What stands for a call that names nothing: its title, else its input in words, else its name."""
        if not self._says_nothing():
            return next(iter(named_by(self.title, self.entry.kind)), unmarked(self.title))
        words = next((found.words for found in self.inputs if found.words), "")
        return words or self.title.strip() or self.entry.name or self.entry.id

    def _description(self, lead: What, text: str, names: list[str], shown: str) -> str:
        """What the title says beyond the names; the name of a tool only where the kind does not tell what it does."""
        title, kind = self.title.strip(), self.entry.kind
        words = next((found.description for found in self.inputs if found.description), "")
        named = is_identifier(title, kind)
        if lead == "text":
            return title if named and text != title else _brief(self.inputs) if named else ""
        if not named:
            return beyond(title, names, shown) or words
        silent = lead == "command" or kind in _FIRST or self.patches or title in names or not beyond(title, (), kind)
        return words if silent else title

    def _kind(self, lead: What, names: list[str]) -> str:
        kind = self.entry.kind
        if self.patches and lead == "place" and kind in ("execute", "other"):
            return "edit"
        if kind == "read" and lead in ("pattern", "address"):
            return "search" if lead == "pattern" else "fetch"
        if kind not in ("execute", "think", "switch_mode", *_FIRST) and lead != "command":
            return kind_of(self.title, names) or kind
        return kind


def terminals_of(entry: ToolCallEntry, terminals: Mapping[str, Terminal]) -> list[Terminal]:
    references = (item.terminal_id for item in entry.content if isinstance(item, TerminalReference))
    return [terminals[name] for name in references if name in terminals]


def _command_of(terminal: Terminal) -> str:
    """The command that runs in a terminal; going to the folder where it runs already is left out."""
    command = terminal.command or ""
    inner = inner_command(command)
    change = _CHANGES_FOLDER.match(inner)
    return inner[change.end() :] if change and change[1].strip("'") == terminal.cwd else command


def _places(
    calls: Sequence[ToolCallEntry | ToolCallUpdate],
    inputs: Iterable[NamedInput],
    patches: Iterable[InputPatch],
    cwd: str,
) -> list[SubjectLocation]:
    named = [(location.path, location.line) for call in calls for location in call.locations or ()]
    diffs = [diff for call in calls for diff in _diffs_of(call)]
    diffs += [each.diff for each in patches]
    named += [(path, None) for diff in diffs for path in _paths_of(diff)]
    named += [(path, None) for found in inputs for path in found.named["place"]]
    found: dict[str, SubjectLocation] = {}
    for path, line in named:
        whole = _absolute(path, cwd)
        key = os.path.normpath(whole)
        if key not in found or (found[key].line is None and line):
            found[key] = SubjectLocation(whole if key not in found else found[key].path, line)
    return list(found.values())


def _diffs_of(call: ToolCallEntry | ToolCallUpdate) -> Sequence[Diff]:
    if isinstance(call, ToolCallEntry):
        return diffs_of(call)
    return [item for item in call.content or () if isinstance(item, Diff)]


def _paths_of(diff: Diff) -> Iterator[str]:
    if diff.path:
        yield diff.path
    for change in diff.changes or ():
        yield from (path for path in (change.old_path, change.path) if path)
    if diff.patch is not None and not diff.changes:
        yield from (path for path in _PATCHED.findall(diff.patch.text) if path != "/dev/null")


def _absolute(path: str, cwd: str) -> str:
    """A path from the root on; `.` is the folder itself, and what goes up is left as it was written."""
    if path.startswith(("/", "~")) or "://" in path:
        return path.rstrip("/") or "/"
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return cwd if path in (".", "") else f"{cwd.rstrip('/')}/{path.rstrip('/')}"


def _once(texts: Iterable[str]) -> list[str]:
    """Each text once, with what a shell runs as the text; the one with the shell is the whole one, and stays."""
    found: dict[str, str] = {}
    for text in texts:
        key = inner_command(text).strip()
        found[key] = max(found.get(key, ""), text.strip(), key=len)
    return [text for text in found.values() if text]


def _told_places(subject: ToolSubject, cwd: str) -> list[str]:
    """The files; the session's own folder only where it is all that there is to tell or is what changes."""
    silent = subject.kind not in _CHANGED and (subject.lead != "place" or any(at.path != cwd for at in subject.places))
    places = [at for at in subject.places if at.path != cwd or not silent]
    told = [short_path(at.path, at.line, cwd) for at in places]
    return [" → ".join(told)] if subject.kind == "move" and len(told) == 2 else told


def _names(named: dict[What, list[Any]], cwd: str) -> Iterator[str]:
    yield from (*named["pattern"], *named["address"], *named["command"], *map(inner_command, named["command"]))
    if named["pattern"]:
        yield from (".", cwd)  # where a search looks that names no place
    for place in named["place"][:_COMPARED]:
        short = "." if place.path == cwd else short_path(place.path, None, cwd)
        for name in dict.fromkeys((place.path, short, place.path.strip("/"), place.path.rsplit("/", 1)[-1])):
            yield from (name, f"{name}:{place.line}") if place.line else (name,)


def _brief(inputs: Sequence[NamedInput]) -> str:
    members = next((found.value for found in inputs if isinstance(found.value, dict)), {})
    told = {name: value for name, value in members.items() if isinstance(value, str | int | float)}
    used = {name for found in inputs for _, name in found.used}
    short = [f"{name}: {value}" for name, value in told.items() if name not in used]
    return " · ".join(short[:_BRIEF])


def _progress(todos: TodoList) -> str:
    """`1 / 3 · Change the code`: the step at hand, else the next one; none where all are done."""
    left = [step for step in todos.steps if step.status not in ("completed", "cancelled")]
    at_hand = [step.content for step in left if step.status == "in_progress"] or [step.content for step in left]
    return " · ".join((done_words([Plan(entries=list(todos.steps))]), *at_hand[:1]))
