"""The agent's requests for files of this machine (protocol 1)."""

from acp_tui.protocol.base import Count, Model


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
