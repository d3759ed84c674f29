"""What the raw input of a tool names: commands, files, patterns and addresses, by the names that agents give them.

Raw input has no schema. What is read here is every member that has one of the usual names, at the top or one level
down where the input is wrapped; which members these were is kept, so that whoever shows them can leave them out of
the rest.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.tool_calls import ContentItem, ToolCallContent
from acp_tui.wire.jsonrpc import parse

LONGEST_JSON = 4_000_000  # characters of a text that is tried as JSON
DEEPEST = 3  # levels of a list of commands or files

# Names are compared in lower case and without `_` and `-`: file_path, filePath and file-path are one.
COMMANDS = frozenset(("command", "commands", "cmd", "cmds", "argv", "script"))
PATHS = frozenset(
    (
        *("path", "paths", "file", "files", "filename", "filenames", "filepath", "filepaths", "abspath"),
        *("absolutepath", "relativepath", "targetfile", "notebookpath", "oldpath", "newpath"),
        *("sourcepath", "destinationpath", "directory", "dirpath", "folder"),
    )
)
MOVED = frozenset(("source", "destination", "from", "to"))  # of a move, and of nothing else
PATTERNS = frozenset(("pattern", "patterns", "query", "queries", "regex"))
ADDRESSES = frozenset(("url", "urls", "uri", "uris", "href"))
FOLDERS = ("cwd", "workdir", "workingdirectory")
OWN_FOLDERS = (*FOLDERS, "directory", "dirpath", "folder")  # of an input that names a command
WRAPPERS = frozenset(("input", "arguments", "args", "params", "parameters", "toolinput", "rawinput"))
WORDS = ("description", "prompt", "question", "thought")
# Sub-commands of the text editor tool that some models have; they name what is done to `path`, not a program.
EDITOR_COMMANDS = frozenset(("view", "create", "str_replace", "insert", "undo_edit"))

_SHELL = re.compile(r"((?:/\S*/)?(?:ba|z|da)?sh) -l?c ")
_QUOTE = "'\"'\"'"  # how `shlex.quote` writes a quote


@dataclass(slots=True)
class NamedInput:
    """What an input names, in its order. `used` holds the members that were read: the object's id and the name."""

    value: Any
    commands: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    description: str = ""
    words: str = ""
    folder: str | None = None
    used: set[tuple[int, str]] = field(default_factory=set)


def read_input(raw: Any, kind: str) -> NamedInput:
    """Read the raw input of a tool of that kind; `value` is the input, decoded where it is JSON in a text."""
    found = NamedInput(_unwrapped(decoded(raw)))
    objects = list(_objects(found.value))
    if kind == "execute" and not objects:
        found.commands += _commands(found, found.value)
    for members in objects:
        commanded = any(_plain(name) in COMMANDS for name in members)
        for name, value in members.items():
            _read_member(found, members, name, value, kind=kind, commanded=commanded)
    return found


def inner_command(command: str) -> str:
    """The command that a shell is given by `-c` or `-lc`; any other command as it is.

    Only what `shlex.join` writes is read, by its inverse: the time of `shlex.split` grows with the square of a word.
    """
    shell = _SHELL.match(command)
    if shell is None:
        return command
    word = command[shell.end() :]
    inner = word[1:-1].replace(_QUOTE, "'") if word.startswith("'") else word
    return inner if inner.strip() and shlex.join((shell[1], inner)) == f"{shell[1]} {word}" else command


def decoded(raw: Any) -> Any:
    """The value; of a text that is a JSON object or array what it holds."""
    if not isinstance(raw, str) or len(raw) > LONGEST_JSON or raw.strip()[:1] + raw.strip()[-1:] not in ("{}", "[]"):
        return raw
    try:
        value = parse(raw)
    except ValueError:
        return raw
    return value if isinstance(value, dict | list) else raw


def streamed_input(content: Sequence[ToolCallContent]) -> dict[str, Any] | None:
    """The input of a tool, if all of the content is its JSON object; that of an unfinished one is none."""
    if len(content) != 1 or not isinstance(content[0], ContentItem) or not isinstance(content[0].content, TextContent):
        return None
    value = decoded(content[0].content.text)
    return value if isinstance(value, dict) else None


def _unwrapped(value: Any) -> Any:
    """The value with what it wraps decoded: `arguments` is often JSON in a text."""
    if not isinstance(value, dict):
        return value
    return {name: decoded(member) if _plain(name) in WRAPPERS else member for name, member in value.items()}


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """The objects that may name something: the input's own, and those that it wraps."""
    for own in _dicts(value):
        yield own
        for name, member in own.items():
            if _plain(name) in WRAPPERS:
                yield from _dicts(member)


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict))


def _read_member(
    found: NamedInput, members: dict[str, Any], name: str, value: Any, *, kind: str, commanded: bool
) -> None:
    plain = _plain(name)
    if plain in FOLDERS or (commanded and plain in OWN_FOLDERS):
        if isinstance(value, str) and value.strip() and found.folder is None:
            found.folder = value
            found.used.add((id(members), name))
        return
    if plain in COMMANDS:
        read = [] if name == "command" and _is_editor(members, kind) else _with_arguments(found, members, name)
        found.commands += read
        whole = not _holds_objects(value)
    else:
        names, into = _named(found, plain, kind)
        read = _texts(found, value, names)
        into += read
        whole = isinstance(value, str) or (isinstance(value, list) and all(isinstance(item, str) for item in value))
        _read_words(found, plain, value)
    if read and whole:
        found.used.add((id(members), name))


def _named(found: NamedInput, name: str, kind: str) -> tuple[frozenset[str], list[str]]:
    """Which names a member's own is one of, and where what it names goes; none and nowhere for any other name."""
    moved = PATHS | MOVED if kind == "move" else PATHS
    kinds = ((moved, found.paths), (PATTERNS, found.patterns), (ADDRESSES, found.addresses))
    return next(((names, into) for names, into in kinds if name in names), (frozenset(), []))


def _read_words(found: NamedInput, name: str, value: Any) -> None:
    """What the input says in words; a description is the best of them."""
    if isinstance(value, str) and value.strip() and name in WORDS:
        found.words = found.words or value.strip()
        if name == "description":
            found.description = found.words = value.strip()


def _with_arguments(found: NamedInput, members: dict[str, Any], name: str) -> list[str]:
    """The commands of a member; a program is told with the arguments that stand beside it."""
    value, arguments = members[name], members.get("args")
    commands = _commands(found, value, several=_plain(name) in ("commands", "cmds"))
    if (
        not isinstance(value, str)
        or not isinstance(arguments, str | list)
        or not arguments
        or _holds_objects(arguments)
    ):
        return commands
    found.used.add((id(members), "args"))
    words = arguments if isinstance(arguments, str) else shlex.join(map(str, arguments))
    return [f"{command} {words}" for command in commands]


def _commands(found: NamedInput, value: Any, *, several: bool = False, depth: int = 0) -> list[str]:
    """The commands in a value: a text, an argument vector, or several of either."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if depth > DEEPEST:
        return []
    if isinstance(value, dict):
        named = [name for name in value if _plain(name) in COMMANDS]
        found.used |= {(id(value), name) for name in named if not _holds_objects(value[name])}
        return [command for name in named for command in _commands(found, value[name], depth=depth + 1)]
    if not isinstance(value, list):
        return []
    words = [str(item) for item in value if not isinstance(item, dict | list)]
    own = [word for word in words if word.strip()] if several else [shlex.join(words)] if words else []
    nested = (item for item in value if isinstance(item, dict | list))
    return own + [command for item in nested for command in _commands(found, item, depth=depth + 1)]


def _texts(found: NamedInput, value: Any, names: frozenset[str], depth: int = 0) -> list[str]:
    """The texts in a value: itself, each of a list, and of an object the members of those names."""
    if not names or depth > DEEPEST or not isinstance(value, str | dict | list):
        return []
    if isinstance(value, str):
        return [value] if value.strip() else []
    inner = value
    if isinstance(value, dict):
        named = [name for name in value if _plain(name) in names]
        found.used |= {(id(value), name) for name in named if not _holds_objects(value[name])}
        inner = [value[name] for name in named]
    return [text for item in inner for text in _texts(found, item, names, depth + 1)]


def _is_editor(members: dict[str, Any], kind: str) -> bool:
    """Whether `command` says what is done to a file."""
    command = members.get("command")
    given = isinstance(command, str) and command in EDITOR_COMMANDS
    return given and kind != "execute" and any(_plain(name) in PATHS for name in members)


def _holds_objects(value: Any) -> bool:
    """Whether a value holds objects, which may say more than was read of them."""
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))


def _plain(name: Any) -> str:
    return str(name).lower().replace("_", "").replace("-", "")
