"""The shape of a config file, with types, and the text of one read as that, or what is wrong with it."""

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    ValidationError,
    create_model,
    model_validator,
)
from pydantic_core import ErrorDetails

from acp_tui.host.config.settings_table import PROTOCOL_ABOUT, SETTINGS, Setting, example_line
from acp_tui.host.config.source_files import ConfigLocation, UnusableConfig
from acp_tui.host.config.toml_edit import TomlLines, TooManyParts
from acp_tui.session.text.near_names import nearest_name

Protocol = Literal["1", "2", "auto"]

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


def _switch_or(word: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        if isinstance(value, bool) or value == word:
            return value
        raise ValueError(f'must be true, false or "{word}"')

    return BeforeValidator(check)


def _word_or_switch(value: Any) -> Any:
    if isinstance(value, str | bool):
        return value
    raise ValueError("must be a string in quotes, true or false")


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
Amount = Annotated[float, Field(strict=True, ge=0, le=1_000_000, allow_inf_nan=False)]
Words = tuple[Text, ...]
WordOrWords = Annotated[
    Words,
    BeforeValidator(lambda value: [value] if isinstance(value, str) else value, json_schema_input_type=str | Words),
]
NumberOrWord = BeforeValidator(
    lambda value: str(value) if type(value) is int else value, json_schema_input_type=Protocol | Literal[1, 2]
)
Variables = dict[Annotated[Text, AfterValidator(_variable)], Text]


def _row(default: Any, about: str, example: str = "") -> Any:
    """A setting of an inner table: its default, what it is about, and how the template shows it, with a note."""
    return Field(default, description=about, examples=[example])


def _describe(schema: dict[str, Any]) -> None:
    """Leave out of the schema what is for who works on this program; a name that is not in it is a mistake."""
    del schema["description"]
    schema["additionalProperties"] = False
    for field in schema["properties"].values():
        field.pop("title", None)  # a table that is a model has none
        del field["examples"]
        if field["default"] is None:  # which TOML cannot say
            del field["default"]
            field.update(field.pop("anyOf")[0])


class Settings(BaseModel):
    """A table of a config file; what it does not know is kept aside, to be told about."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True, json_schema_extra=_describe)


class McpServerSettings(Settings):
    """A tool server that the agent is to use: a command (`stdio`) or an address (`http`, `sse`)."""

    type: Literal["stdio", "http", "sse"] = _row("stdio", "Transport: stdio runs a command; http and sse use a URL")
    command: Text = _row("", "Program to start (stdio)")
    args: Words = _row((), "Arguments for the program (stdio)")
    env: Variables = _row({}, "Environment variables (stdio)")
    url: Text = _row("", "URL (http, sse)")
    headers: dict[str, Text] = _row({}, "HTTP headers (http, sse)")

    @model_validator(mode="after")
    def _can_be_reached(self) -> Self:
        needed = "command" if self.type == "stdio" else "url"
        if not getattr(self, needed):
            raise ValueError(f"needs a {needed}")
        return self


McpServers = dict[str, McpServerSettings]
_SERVERS_OF_AGENT = """
[agents.mine.mcp_servers.files]
command = "mcp-server-files"
args = ["."]

[agents.mine.mcp_servers.docs]
type = "http"                    # or "sse"
url = "https://example.com/mcp"
headers = { Authorization = "Bearer ..." }"""
_SERVER_OF_FOLDER = '\n[folders."~/code/app".mcp_servers.database]\ncommand = "mcp-server-database"'


class AgentSettings(Settings):
    """An agent; without `command` it must be one that is known by its name.

    Paths are as they were written: relative ones are relative to the folder of the file.
    """

    command: Text = _row(
        "",
        "Program to start; optional for known agents",
        '"my-agent"  # optional for known agents (see acp-tui agents)',
    )
    args: Words | None = _row(None, "Arguments for the program", '["--acp"]')
    env: Variables = _row({}, "Environment variables", '{ MY_VARIABLE = "value" }')
    env_file: Text = _row(
        "",
        "File with more environment variables, one NAME=value per line",
        '"~/.secrets/my-agent.env"   # lines of NAME=value',
    )
    cwd: Text = _row(
        "",
        "Folder to work in, unless you pass --cwd",
        '"~/project"  # the folder to work in, unless you pass --cwd',
    )
    roots: Words = _row((), "Additional folders for this agent's sessions", '["../shared"]  # additional folders')
    mcp_servers: McpServers = _row({}, "MCP servers by name", _SERVERS_OF_AGENT)
    protocol: Annotated[Protocol, NumberOrWord] = _row("1", PROTOCOL_ABOUT, '"1"  # "1", "2" or "auto"')
    fs: Annotated[bool | Literal["write"], _switch_or("write")] = _row(
        True,
        'Let the agent read and write files through acp-tui; "write" for writes only',
        'true  # false: no files through acp-tui; "write": writes only',
    )
    terminal: StrictBool = _row(
        True, "Let the agent run commands through acp-tui", "true  # false: no commands through acp-tui"
    )
    system_prompt: Text = _row("", "Text that replaces the agent's system prompt, if supported", '"You write tests."')
    append_system_prompt: Text = _row(
        "",
        "Text added to the agent's system prompt, if supported",
        '"Use British spelling."     # for this agent only',
    )
    title: Text = _row("", "Display name", '"My agent"')
    description: Text = _row("", "Description in the list of agents")
    package: Text = _row("", "Package and version installed by acp-tui; used by acp-tui agents update")


class LimitTable(Settings):
    """Limits of a session, 0 for none; its length is how many of them are written down."""

    session_cost: Amount = _row(
        0, "Maximum cost of a session, in the agent's currency", "5.0  # cost of a session, in the agent's currency"
    )
    turn_minutes: Amount = _row(0, "Maximum minutes for a turn", "20  # maximum minutes for a turn")
    context_percent: Annotated[Amount, Field(le=100)] = _row(
        0, "Maximum percentage of the context window in use", "85  # how full the context may get, in percent"
    )

    def __len__(self) -> int:
        return len(self.model_fields_set & {*type(self).model_fields})


class FolderSettings(Settings):
    """What is the user's for one folder and all below it, whichever agent works there."""

    default_agent: Text = _row("", "Agent to start by default in this folder", '"mine"')
    mcp_servers: McpServers = _row({}, "MCP servers by name, in addition to the agent's", _SERVER_OF_FOLDER)
    env_file: Text = _row(
        "", "File with environment variables for the agent, one NAME=value per line", '"~/.secrets/app.env"'
    )
    append_system_prompt: Text = _row(
        "", "Text added to the agent's system prompt in this folder, if supported", '"Run the tests with make check."'
    )
    limits: LimitTable = _row({}, "Limits in this folder, instead of your general limits")


def _written(table: LimitTable) -> LimitTable | dict[str, Any]:
    """An empty table is the default."""
    return table if table.model_fields_set else {}


_INNER: Mapping[str, type[Settings]] = {"agents": AgentSettings, "folders": FolderSettings, "limits": LimitTable}
_TABLES = {
    "agents": dict[Name, AgentSettings],
    "folders": dict[Annotated[Text, AfterValidator(_folder)], FolderSettings],
    "keys": dict[str, WordOrWords],
    "presets": dict[Name, dict[Name, Annotated[str | bool, BeforeValidator(_word_or_switch)]]],
    "limits": Annotated[LimitTable, AfterValidator(_written)],
}


def _checked(setting: Setting) -> Any:
    one_of, several = cast("Any", Literal), cast("Any", tuple)
    word = one_of[setting.choices] if setting.choices else Text
    match setting.default:
        case dict():
            return _TABLES[setting.name]
        case bool() if setting.word:
            return Annotated[bool | one_of[setting.word], _switch_or(setting.word)]
        case bool():
            return StrictBool
        case int():
            return Number
        case tuple():
            return several[word, ...] if setting.choices else WordOrWords
    return word


def _model(name: str, about: str, settings: Iterable[Setting]) -> type[Settings]:
    fields: dict[str, Any] = {one.name: (_checked(one), _row(one.default, one.about)) for one in settings}
    return create_model(name, __base__=Settings, __doc__=about, **fields)


FileSettings = _model("FileSettings", "A whole config file of the user's.", SETTINGS.values())
ProjectSettings = _model(
    "ProjectSettings",
    "The settings that a project's file may have; the rest of it is not read.",
    (one for one in SETTINGS.values() if one.from_project),
)


def template() -> str:
    """What a new config file holds: every setting as a comment, tables at the end, as TOML has it."""
    text = "# acp-tui settings\n# Uncomment a line to use it.\n"
    for setting in sorted(SETTINGS.values(), key=lambda one: one.is_table):
        lines = [setting.example] if setting.is_table else [example_line(setting.name, setting.example)]
        lines += _examples(_INNER[setting.name]) if setting.name in _INNER else []
        text += setting.above + "".join(f"# {line}".rstrip() + "\n" for line in "\n".join(lines).split("\n"))
    return text


def _examples(model: type[Settings]) -> list[str]:
    shown = {name: example for name, field in model.model_fields.items() for example in field.examples or () if example}
    tables = [example for example in shown.values() if example.startswith("\n")]
    return [*(example_line(*row) for row in shown.items() if row[1] not in tables), *tables]


def config_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a config file, with the words of each setting."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": draft, **FileSettings.model_json_schema(), "title": "Config file of acp-tui"}


def read_settings(path: Path, text: str, place: Callable[..., ConfigLocation], model: type[Settings]) -> Settings:
    """What the text says; `place` says where a field of it is. Raises `UserFault` with file, line and field."""
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason = str(error).partition(" (at ")[0]
        raise UnusableConfig(ConfigLocation(path, line_of_fault(text, error)), reason) from error
    except RecursionError as error:
        raise UnusableConfig(ConfigLocation(path), "nested too deeply") from error
    except ValueError as error:  # more digits than Python reads in linear time
        raise UnusableConfig(ConfigLocation(path), "a number has too many digits") from error
    try:
        return model.model_validate(told)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = [part for part in first["loc"] if part != "[key]"]  # which says that a name is wrong, not a value
        raise UnusableConfig(place(*field), _reason(first)) from error


def read_lines(path: Path, text: str) -> TomlLines:
    """On which line each field of the text begins. Raises `UserFault` for a name of too many parts."""
    try:
        return TomlLines(text)
    except TooManyParts as error:
        raise UnusableConfig(ConfigLocation(path, error.line), str(error)) from error


def nearest(field: Sequence[str], known: Sequence[str]) -> str:
    """Which of the known names is most likely meant by a field that nobody knows; empty if none is near."""
    return nearest_name(field[-1], known)


def strangers(settings: Settings, field: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """The fields that no model knows, and the names that it does know."""
    for name in settings.model_extra or {}:
        yield (*field, name), list(type(settings).model_fields)
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, Settings):
            yield from strangers(value, (*field, name))
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
