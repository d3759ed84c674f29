"""What agents ask of this machine (protocol 1), files and commands, and what is shown of any terminal."""

from typing import Annotated, Literal

from pydantic import Field

from acp_tui.protocol.base import Count, Integer, Lenient, Model, NullAsEmpty
from acp_tui.protocol.vocabulary.tool_calls import WorkCapabilities


class ReadTextFileRequest(Model):
    """`fs/read_text_file`; `line` counts from 1 (0 is read as 1), `limit` is a number of lines."""

    session_id: str
    path: str
    line: Count | None = None
    limit: Count | None = None


class WriteTextFileRequest(Model):
    """`fs/write_text_file`."""

    session_id: str
    path: str
    content: str


class EnvVariable(Model):
    """One variable of an environment."""

    name: str
    value: str


class CreateTerminalRequest(Model):
    """`terminal/create`; `output_byte_limit` is in bytes of UTF-8."""

    session_id: str
    command: str
    args: NullAsEmpty[list[str]] = []
    env: NullAsEmpty[list[EnvVariable]] = []
    cwd: str | None = None
    output_byte_limit: Count | None = None


class TerminalRequest(Model):
    """`terminal/output`, `terminal/wait_for_exit`, `terminal/kill` and `terminal/release`."""

    session_id: str
    terminal_id: str


class TerminalExitStatus(Model):
    """How a command ended: an exit code, or the name of the signal that ended it."""

    exit_code: Lenient[Integer | None] = None
    signal: Lenient[str | None] = None


class TerminalSize(Model):
    """Columns and rows that the agent's terminal has."""

    cols: Annotated[Integer, Field(ge=1, le=65535)]
    rows: Annotated[Integer, Field(ge=1, le=65535)]


class TerminalUpdate(Model):
    """Creates or patches a terminal on display.

    `output` (decoded bytes) replaces everything shown so far. This is protocol 2's update; terminals that
    run on this machine are reported by it too.
    """

    session_update: Literal["terminal_update"] = "terminal_update"
    terminal_id: str
    command: Lenient[str | None] = None
    cwd: Lenient[str | None] = None
    output: Lenient[bytes | None] = None
    exit_status: Lenient[TerminalExitStatus | None] = None
    size: Lenient[TerminalSize | None] = None
    capabilities: Lenient[WorkCapabilities | None] = None
    released: bool = False


class TerminalOutputChunk(Model):
    """Appends bytes (decoded from base64 where they came from the wire) to a terminal's output."""

    session_update: Literal["terminal_output_chunk"] = "terminal_output_chunk"
    terminal_id: str
    data: bytes
