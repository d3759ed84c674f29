"""The raw input of a tool, read by the names that agents use: it has no schema. Readings are cached."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import PlanEntry
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, ToolCallContent
from acp_tui.wire.jsonrpc import parse

LONGEST_JSON = 4_000_000  # characters of a text that is tried as JSON
DEEPEST = 3  # levels of a list of commands or files

# Names are compared in lower case and without `_` and `-`: file_path, filePath and file-path are one.
_NAMES = {
    "command": "command commands cmd cmds argv script",
    "address": "url urls uri uris href",
    "pattern": "pattern patterns query queries regex",
    "place": "path paths file files filename filenames filepath filepaths abspath absolutepath relativepath targetfile"
    " notebookpath oldpath newpath sourcepath destinationpath directory dirpath folder",
}
NAMES = {sort: frozenset(names.split()) for sort, names in _NAMES.items()}
COMMANDS, PATHS = NAMES["command"], NAMES["place"]
MOVED = frozenset(("source", "destination", "from", "to"))  # of a move, and of nothing else
FOLDERS = ("cwd", "workdir", "workingdirectory")
OWN_FOLDERS = ("directory", "dirpath", "folder")  # of an input that names a command
WRAPPERS = frozenset(("input", "arguments", "args", "params", "parameters", "toolinput", "rawinput"))
WORDS = ("description", "prompt", "question", "thought")
# Sub-commands of the text editor tool that some models have; they name what is done to `path`, not a program.
EDITOR_COMMANDS = frozenset(("view", "create", "str_replace", "insert", "undo_edit"))

_SHELL = re.compile(r"((?:/\S*/)?(?:ba|z|da)?sh) -l?c ")
_SCALAR = (str, int, float)
_QUOTE = "'\"'\"'"  # how `shlex.quote` writes a quote


@dataclass(slots=True)
class NamedInput:
    """Things that an input names, in order. `used` holds the members that were read: the object's id and the name."""

    value: Any
    named: dict[str, list[str]] = field(default_factory=lambda: {sort: [] for sort in NAMES})
    description: str = ""
    words: str = ""
    folder: str | None = None
    used: set[tuple[int, str]] = field(default_factory=set)


def read_input(raw: Any, kind: str) -> NamedInput:
    """Read the raw input of a tool of that kind; `value` is the input, decoded where it is JSON in a text."""
    value = decoded(raw)
    if isinstance(value, dict):  # what it wraps is often JSON in a text
        value = {name: decoded(member) if plain_name(name) in WRAPPERS else member for name, member in value.items()}
    found = NamedInput(value)
    objects = list(_objects(value))
    if kind == "execute" and not objects:
        found.named["command"] += _texts(found, value, COMMANDS)
    for members in objects:
        for name in members:
            _read_member(found, members, name, kind)
    return found


def inner_command(command: str) -> str:
    """The command that a shell is given by `-c` or `-lc`; any other command as it is.

    Only what `shlex.join` writes is read, by its inverse: the time of `shlex.split` grows with the square of a word.
    """
    shell = _SHELL.match(command)
    if shell is None:
        return command
    inner = unquoted(command[shell.end() :])
    return inner if inner and inner.strip() and shlex.quote(shell[1]) == shell[1] else command


def unquoted(word: str) -> str | None:
    """The text of one word that is quoted as `shlex.quote` does it; None for any other."""
    inner = word[1:-1].replace(_QUOTE, "'") if word.startswith("'") else word
    return inner if shlex.quote(inner) == word else None


def decoded(raw: Any) -> Any:
    """The value; of a text that is a JSON object or array what it holds."""
    if not isinstance(raw, str) or len(raw) > LONGEST_JSON or raw.strip()[:1] + raw.strip()[-1:] not in ("{}", "[]"):
        return raw
    try:
        return parse(raw)
    except ValueError:
        return raw


def only_member(value: Any) -> Any:
    """The value of an object's only member; any other value as it is."""
    return next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else value


def streamed_input(content: Sequence[ToolCallContent]) -> dict[str, Any] | None:
    """The input of a tool, if all of the content is its JSON object; that of an unfinished one is none."""
    match content:
        case [ContentItem(content=TextContent(text=text))] if isinstance(value := decoded(text), dict):
            return value
    return None


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    for own in _dicts(value):
        yield own
        wrapped = (_dicts(member) for name, member in own.items() if plain_name(name) in WRAPPERS)
        yield from chain.from_iterable(wrapped)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]


def _read_member(found: NamedInput, members: dict[str, Any], name: str, kind: str) -> None:
    plain, value = plain_name(name), members[name]
    if plain in FOLDERS or (plain in OWN_FOLDERS and any(plain_name(other) in COMMANDS for other in members)):
        if isinstance(value, str) and value.strip() and found.folder is None:
            found.folder = value
            found.used.add((id(members), name))
        return
    if plain in WORDS and isinstance(value, str) and value.strip():
        found.words = found.words or value.strip()
        if plain == "description":  # the best of them
            found.description = found.words = value.strip()
    sorts = NAMES | {"place": PATHS | MOVED} if kind == "move" else NAMES
    sort = next((sort for sort, names in sorts.items() if plain in names), None)
    if sort is None or (name == "command" and _is_editor(members, kind)):
        return
    read = _texts(found, value, sorts[sort], several=plain in ("commands", "cmds"))
    arguments = members.get("args")
    if sort == "command" and isinstance(value, str) and arguments and _is_whole(arguments):  # a program's own
        found.used.add((id(members), "args"))
        words = arguments if isinstance(arguments, str) else shlex.join(map(str, arguments))
        read = [f"{command} {words}" for command in read]
    found.named[sort] += read
    if read and _is_whole(value):
        found.used.add((id(members), name))


def _texts(found: NamedInput, value: Any, names: frozenset[str], depth: int = 0, *, several: bool = False) -> list[str]:
    """The texts in a value and in all that it holds by those names; a list is one command, if not `several`."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if depth > DEEPEST or not isinstance(value, dict | list):
        return []
    if isinstance(value, dict):
        named = [name for name in value if plain_name(name) in names]
        found.used |= {(id(value), name) for name in named if _is_whole(value[name])}
        inner = [value[name] for name in named]
    elif names is COMMANDS and not several:
        words = [str(item) for item in value if isinstance(item, _SCALAR)]
        inner = [shlex.join(words), *(item for item in value if not isinstance(item, _SCALAR))] if words else value
    else:
        inner = [str(item) if isinstance(item, _SCALAR) else item for item in value]
    return [text for item in inner for text in _texts(found, item, names, depth + 1)]


def _is_editor(members: dict[str, Any], kind: str) -> bool:
    command = members.get("command")
    given = isinstance(command, str) and command in EDITOR_COMMANDS
    return given and kind != "execute" and any(plain_name(name) in PATHS for name in members)


def _is_whole(value: Any) -> bool:
    """Whether a value is a text or a list of words; any other may say more than was read of it."""
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, _SCALAR) for item in value))


def plain_name(name: Any) -> str:
    return str(name).lower().replace("_", "").replace("-", "")


MOST = 1_000  # steps of a list
_LISTS = frozenset(("todos", "todolist", "todo", "plan", "steps", "tasks", "items", "entries"))
_PLAIN_LISTS = frozenset(("todos", "todolist"))  # that need no statuses to be known
_ANY_LISTS = frozenset(("steps", "tasks", "items", "entries"))  # which may be of issues, builds and so on
_TEXTS = ("content", "step", "text", "title", "task", "description", "name")
_DONE = frozenset(("done", "completed", "complete", "checked"))
_STATUSES = {
    "pending": "pending todo notstarted new planned queued waiting blocked",
    "completed": "completed complete done finished closed x",
    "in_progress": "inprogress active doing started running current ~ -",
    "cancelled": "cancelled canceled skipped dropped",
}
_BY_WORD = {word: status for status, words in _STATUSES.items() for word in words.split()}
_CHECKED = re.compile(r"\s*(?:[-*+]|\d+[.)])?\s*\[([ xX~-])\]\s+(\S.*)")


class TodoList(Frozen):
    """The steps, and the member that has them: the id of its object, and its name."""

    steps: tuple[PlanEntry, ...]
    member: tuple[int, str]

    def is_in(self, text: str) -> bool:
        """Whether a text is this list as JSON, alone or in an object."""
        value = decoded(text)
        again = None if isinstance(value, str) else todo_list(value if isinstance(value, dict) else {"todos": value})
        return again is not None and again.steps == self.steps


def todo_list(raw: Any) -> TodoList | None:
    """The todo list of an input, also in an object that it wraps; None where there is none."""
    if not isinstance(raw, dict):
        return None
    for name, member in raw.items():
        if plain_name(name) in _LISTS and (steps := _steps(decoded(member), plain_name(name))):
            return TodoList(steps, (id(raw), name))
    inner = (todo_list(member) for member in raw.values() if isinstance(member, dict))
    return next(filter(None, inner), None) if len(raw) == 1 else None


def _steps(value: Any, name: str) -> tuple[PlanEntry, ...]:
    if isinstance(value, str):
        found = [_CHECKED.fullmatch(line) for line in value.strip().split("\n")[:MOST]]
        steps = tuple(
            PlanEntry(content=each[2].strip(), status=_status(each[1].lower()) or "pending") for each in found if each
        )
        return steps if len(steps) == len(found) else ()
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return ()
    told = [_told(each) for each in value[:MOST]]
    stated = any(status is not None for _, status in told) or name in _PLAIN_LISTS
    strange = name in _ANY_LISTS and any(status == "" for _, status in told)
    if not stated or strange or not all(text for text, _ in told):
        return ()
    return _entries(told)


def _entries(told: Sequence[tuple[str, str | None]]) -> tuple[PlanEntry, ...]:
    return tuple(PlanEntry(content=text, status=status or "pending") for text, status in told)


def _told(item: Mapping[str, Any]) -> tuple[str, str | None]:
    members = {plain_name(name): each for name, each in item.items()}
    texts = (members.get(name) for name in _TEXTS)
    text = next((each for each in texts if isinstance(each, str) and each.strip()), "")
    for name, each in members.items():
        if name in ("status", "state") and isinstance(each, str):
            return text, _status(each)
        if name in _DONE and isinstance(each, bool):
            return text, "completed" if each else "pending"
    return text, None


def _status(word: str) -> str:
    return _BY_WORD.get(word) or _BY_WORD.get(plain_name(word).replace(" ", ""), "")


_SUBAGENT_TOOLS = frozenset(("task", "agent", "spawnagent", "subagent", "runsubagent", "runagent", "launchagent"))
_SUBAGENT_TOOLS |= {"dispatchagent", "newtask", "delegate", "delegatetask"}
_SORTS = frozenset(("subagenttype", "agenttype", "subagent", "subagentname", "agentname", "agent"))
_ADDRESSEES = ("agent", "agentname")  # who a message may be for, too
_BEGUN = _SORTS | {"description"}  # what may come before the prompt
_PROMPTS = frozenset(("prompt", "task", "message", "instructions", "goal", "objective"))


class SubagentCall(Frozen):
    """The sort of agent that a call starts, and the prompt that it gets; each is empty where that is not said."""

    sort: str = ""
    prompt: str = ""


def subagent_call(name: str, inputs: Iterable[Any]) -> SubagentCall | None:
    """What a call of that name starts; None where that is no subagent: a task of a tracker, a message to an agent."""
    named = plain_name(name.strip()) in _SUBAGENT_TOOLS
    prompt = ""
    for value in inputs:
        members = {plain_name(key): each for key, each in value.items()} if isinstance(value, dict) else {}
        texts = {key: each.strip() for key, each in members.items() if isinstance(each, str) and each.strip()}
        by = next((key for key in texts if key in _SORTS), "")
        asked = next((key for key in texts if key in _PROMPTS), "")
        prompt = texts.get(asked, prompt)
        if by and prompt and (named or asked != "message" or by not in _ADDRESSEES):
            return SubagentCall(texts[by], prompt)
        named = named and (bool(prompt) or members.keys() <= _BEGUN)
    return SubagentCall("", prompt) if named else None
