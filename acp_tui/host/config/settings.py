"""What a config file may say, with types; must not know files, lines or who wrote it."""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictStr,
    model_validator,
)

Protocol = Literal["1", "2", "auto"]
Notifications = Literal["desktop", "bell", "off"]


def _one_is_some(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _number_is_word(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _file_access(value: Any) -> Any:
    if isinstance(value, bool) or value == "write":
        return value
    raise ValueError('must be true, false or "write"')


def _no_nul(value: str) -> str:
    if "\0" in value:
        raise ValueError("must not contain NUL")
    return value


def _variable(name: str) -> str:
    if not name or "=" in name:
        raise ValueError("the name of a variable must not be empty or contain =")
    return name


Text = Annotated[StrictStr, AfterValidator(_no_nul)]
"""No path, argument or variable of a process can hold NUL: `exec` and `open` refuse it."""
Name = Annotated[Text, Field(min_length=1)]
Words = tuple[Text, ...]
Variables = dict[Annotated[Text, AfterValidator(_variable)], Text]


class Settings(BaseModel):
    """A table of a config file; what it does not know is kept aside, to be told about."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)


class McpServerSettings(Settings):
    """A tool server that the agent is to use: a command (`stdio`) or an address (`http`, `sse`)."""

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
            raise ValueError(f"it needs a {needed}")
        return self


class AgentSettings(Settings):
    """An agent; without `command` it must be one that is known by its name.

    Paths are as they were written: relative ones are relative to the folder of the file. `roots` are further
    folders that a session may use. `fs` and `terminal` say whether files and commands are offered to the agent; with
    `fs = "write"` it reads files itself, and its writes go through us.
    """

    command: Text = ""
    args: Words | None = None
    env: Variables = {}
    env_file: Text = ""
    cwd: Text = ""
    roots: Words = ()
    mcp_servers: dict[str, McpServerSettings] = {}
    protocol: Annotated[Protocol, BeforeValidator(_number_is_word)] = "1"
    fs: Annotated[bool | Literal["write"], BeforeValidator(_file_access)] = True
    terminal: StrictBool = True
    title: Text = ""
    description: Text = ""


class FileSettings(Settings):
    """A whole config file. `keys` are by the id of a command; `registry` is a path or an address.

    `notifications` says how the terminal calls a person who looks elsewhere.
    """

    agents: dict[Name, AgentSettings] = {}
    default_agent: Text = ""
    theme: Text = ""
    keys: dict[str, Annotated[Words, BeforeValidator(_one_is_some)]] = {}
    registry: Text = ""
    notifications: Notifications = "desktop"
