"""What a config file may say, with types, and the text of one read as that, or what is wrong with it."""

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from acp_tui.host.config.field_lines import TooManyParts, field_lines
from acp_tui.host.config.places import NAME_AT_MOST, Place, UnusableConfig
from acp_tui.host.config.places import Field as FieldPath
from acp_tui.host.config.words import AGENT, FOLDER, MCP_SERVER, SETTINGS

TEMPLATE = Path(__file__).with_name("template.toml")  # what a new config file holds: everything there is, as comments

Protocol = Literal["1", "2", "auto"]
Notifications = Literal["desktop", "bell", "off"]
Editing = Literal["default", "vim"]
StatusItem = Literal["folder", "branch", "context", "cost", "limit", "model"]

_SECRET = frozenset(("env", "headers"))  # tables whose values are never shown
SHOWN = 60  # characters of a wrong value
_WORDS = {
    "bool_type": "must be true or false",
    "string_type": "must be a string in quotes",
    "tuple_type": "must be a list, in [ ]",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "string_too_short": "must not be empty",
}
_LINE = re.compile(r"line (\d+)")


def _file_access(value: Any) -> Any:
    if isinstance(value, bool) or value == "write":
        return value
    raise ValueError('must be true, false or "write"')


def _places(value: Any) -> Any:
    if isinstance(value, bool) or value == "everywhere":
        return value
    raise ValueError('must be true, false or "everywhere"')


def _folder(value: str) -> str:
    if not os.path.isabs(os.path.expanduser(value)):  # noqa: PTH111, PTH117 - `Path` raises for a user that is not
        raise ValueError("must be an absolute path, or begin with ~/")
    return value


def _no_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("must not contain a NUL character")
    return value


def _variable(name: str) -> str:
    if not name or "=" in name:
        raise ValueError("a variable name must not be empty or contain =")
    return name


Text = Annotated[StrictStr, AfterValidator(_no_nul)]
"""No path, argument or variable of a process can hold NUL: `exec` and `open` refuse it."""
Name = Annotated[Text, Field(min_length=1)]
Number = Annotated[int, Field(strict=True, ge=1, le=1_000_000)]
Words = tuple[Text, ...]
WordOrWords = Annotated[
    Words,
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value, json_schema_input_type=str | Words),
]
NumberOrWord = BeforeValidator(
    lambda value: str(value) if type(value) is int else value, json_schema_input_type=Protocol | Literal[1, 2]
)
Variables = dict[Annotated[Text, AfterValidator(_variable)], Text]


def _describe(schema: dict[str, Any], model: "type[Settings]") -> None:
    """Put the words for its fields into the schema of a table; a name that it does not know is a mistake there."""
    del schema["description"]  # it is written for who works on this program
    schema["additionalProperties"] = False
    for name, field in schema["properties"].items():
        del field["title"]
        field["description"] = model.words[name]
        if field["default"] is None:  # which TOML cannot say
            del field["default"]
            field.update(field.pop("anyOf")[0])


class Settings(BaseModel):
    """A table of a config file; what it does not know is kept aside, to be told about. `words` are by field."""

    words: ClassVar[Mapping[str, str]] = {}
    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True, json_schema_extra=_describe)


class McpServerSettings(Settings):
    """A tool server that the agent is to use: a command (`stdio`) or an address (`http`, `sse`)."""

    words = MCP_SERVER

    type: Literal["stdio", "http", "sse"] = "stdio"
    command: Text = ""
    args: Words = ()
    env: Variables = {}
    url: Text = ""
    headers: dict[str, Text] = {}

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        needed = "command" if self.type == "stdio" else "url"
        if not getattr(self, needed):
            raise ValueError(f"needs a {needed}")
        return self


class AgentSettings(Settings):
    """An agent; without `command` it must be one that is known by its name.

    Paths are as they were written: relative ones are relative to the folder of the file.
    """

    words = AGENT

    command: Text = ""
    args: Words | None = None
    env: Variables = {}
    env_file: Text = ""
    cwd: Text = ""
    roots: Words = ()
    mcp_servers: dict[str, McpServerSettings] = {}
    protocol: Annotated[Protocol, NumberOrWord] = "1"
    fs: Annotated[bool | Literal["write"], BeforeValidator(_file_access)] = True
    terminal: StrictBool = True
    system_prompt: Text = ""
    append_system_prompt: Text = ""
    title: Text = ""
    description: Text = ""
    package: Text = ""


class FolderSettings(Settings):
    """What is the user's for one folder and all below it, whichever agent works there."""

    words = FOLDER

    default_agent: Text = ""
    mcp_servers: dict[str, McpServerSettings] = {}
    env_file: Text = ""
    append_system_prompt: Text = ""


class ProjectSettings(Settings):
    """What counts of a project's file; all else of it is kept aside unread."""

    words = {name: SETTINGS[name].about for name in ("default_agent", "theme")}

    default_agent: Text = ""
    theme: Text = ""


class FileSettings(Settings):
    """A whole config file of the user's."""

    words = {name: setting.about for name, setting in SETTINGS.items()}

    agents: dict[Name, AgentSettings] = {}
    folders: dict[Annotated[Text, AfterValidator(_folder)], FolderSettings] = {}
    default_agent: Text = ""
    append_system_prompt: Text = ""
    system_prompt: Text = ""
    theme: Text = ""
    keys: dict[str, WordOrWords] = {}
    registry: Text = ""
    notifications: Notifications = "desktop"
    sidebar: StrictBool = False
    details: StrictBool = False
    scroll_by_terminal: StrictBool = True
    mouse: StrictBool = True
    copy_on_select: StrictBool = True
    editing: Editing = "default"
    suggestions: StrictBool = True
    status_line: tuple[StatusItem, ...] = ()
    status_command: WordOrWords = ()
    snapshots: Annotated[bool | Literal["everywhere"], BeforeValidator(_places)] = True
    snapshot_store_mb: Number = 4096
    snapshot_days: Number = 30


Read = TypeVar("Read", FileSettings, ProjectSettings)


def config_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a config file, with the words of each setting."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, **FileSettings.model_json_schema(), "title": "Config file of acp-tui"}


def read_settings(path: Path, text: str, place: Callable[..., Place], model: type[Read]) -> Read:
    """What the text says; `place` says where a field of it is. Raises `UserFault` with file, line and field."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = str(error).partition(" (at ")[0]
        raise UnusableConfig(Place(path, line_of_fault(text, error)), reason) from error
    except RecursionError as error:
        raise UnusableConfig(Place(path), "nested too deeply") from error
    except ValueError as error:  # more digits than Python reads in linear time
        raise UnusableConfig(Place(path), "a number has too many digits") from error
    try:
        return model.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = [part for part in first["loc"] if part != "[key]"]  # which says that a name is wrong, not a value
        raise UnusableConfig(place(*field), _reason(first)) from error


def read_lines(path: Path, text: str) -> dict[FieldPath, int]:
    """On which line each field of the text begins. Raises `UserFault` for a name of too many parts."""
    try:
        return field_lines(text)
    except TooManyParts as error:
        raise UnusableConfig(Place(path, error.line), str(error)) from error


def nearest(field: Sequence[str], known: Sequence[str]) -> str:
    """Which of the known names is most likely meant by a field that nobody knows; empty if none is near."""
    return next(iter(difflib.get_close_matches(field[-1][:NAME_AT_MOST], known, 1)), "")


def strangers(settings: Settings, field: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The fields that no model knows, and the names that it does know."""
    for name in settings.model_extra or {}:
        yield (*field, name), list(type(settings).model_fields)
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        for key, inner in value.items() if isinstance(value, dict) else ():
            if isinstance(inner, Settings):
                yield from strangers(inner, (*field, name, key))


def _reason(error: ErrorDetails) -> str:
    words = _WORDS.get(error["type"])
    if words is None:
        words = error["msg"].removeprefix("Input ").removeprefix("Value error, ").replace("should be", "must be")
    if error["type"] == "value_error":
        return words  # ours: it says what is missing
    given = error["input"]
    if not isinstance(given, str | int | float) or not _SECRET.isdisjoint(error["loc"]):
        return words
    shown = given[:SHOWN] if isinstance(given, str) else given
    if isinstance(given, int) and given.bit_length() > 4 * SHOWN:  # Python writes no number of many digits
        return f"{words}, not a number of {given.bit_length():,} bits"
    return f"{words}, not {shown!r:.{SHOWN}}"


def line_of_fault(text: str, error: tomllib.TOMLDecodeError) -> int:
    """The line (from 1) that `tomllib` complains of."""
    told = _LINE.search(str(error))
    return int(told[1]) if told else max(1, len(text.splitlines()))
