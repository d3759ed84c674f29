import json
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.mcp_file import read_mcp_file
from acp_tui.protocol.scope import McpServer


def written(folder: Path, data: object) -> Path:
    path = folder / "mcp.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_the_usual_shape(tmp_path: Path) -> None:
    servers = {
        "files": {"command": "npx", "args": ["-y", "files"], "env": {"A": "1"}},
        "web": {"url": "https://example.org", "headers": {"X": "y"}},
        "stream": {"type": "streamable-http", "url": "https://example.org"},
        "old": {"type": "sse", "url": "https://example.org/sse"},
        "off": {"command": "nothing", "disabled": True},
    }
    assert read_mcp_file(written(tmp_path, {"mcpServers": servers})) == (
        McpServer("files", "stdio", "npx", ("-y", "files"), {"A": "1"}),
        McpServer("web", "http", url="https://example.org", headers={"X": "y"}),
        McpServer("stream", "http", url="https://example.org"),
        McpServer("old", "sse", url="https://example.org/sse"),
    )


def test_the_protocols_shape_and_no_wrapping(tmp_path: Path) -> None:
    files = {"name": "files", "command": "/bin/files", "args": [], "env": [{"name": "A", "value": "1"}]}
    web = {"type": "http", "name": "web", "url": "https://example.org", "headers": []}
    expected = (
        McpServer("files", command="/bin/files", env={"A": "1"}),
        McpServer("web", "http", url="https://example.org"),
    )
    assert read_mcp_file(written(tmp_path, [files, web])) == expected
    assert read_mcp_file(written(tmp_path, {"mcpServers": [files, web]})) == expected
    assert read_mcp_file(written(tmp_path, {"files": {"command": "x"}})) == (McpServer("files", command="x"),)
    assert read_mcp_file(written(tmp_path, "\ufeff[]")) == ()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("{", "it is not JSON"),
        ("[" * 100_000, "it is not JSON"),
        (5, "mcpServers: an object or an array"),
        ([{"command": "x"}], "[0].name: a name is required"),
        ({"mcpServers": {"a": 5}}, "mcpServers.a: an object is required"),
        ({"mcpServers": {"a": {}}}, "mcpServers.a.command: text is required"),
        ({"mcpServers": {"a": {"command": ["x"]}}}, "mcpServers.a.command: text is required"),
        ({"mcpServers": {"a": {"command": "x", "args": "y"}}}, "mcpServers.a.args: an array of texts"),
        ({"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}, "mcpServers.a.env: an object of texts"),
        ({"mcpServers": {"a": {"command": "x", "env": [{"name": "A"}]}}}, "mcpServers.a.env: an object of texts"),
        ({"mcpServers": {"a": {"type": "http"}}}, "mcpServers.a.url: text is required"),
        ({"mcpServers": {"a": {"type": "carrier"}}}, "mcpServers.a.type: stdio, http or sse"),
        ({"mcpServers": {"a": {"type": []}}}, "mcpServers.a.type: stdio, http or sse"),
    ],
)
def test_complaints_name_file_and_place(tmp_path: Path, data: object, told: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(UserFault) as raised:
        read_mcp_file(path)
    assert str(path) in raised.value.message
    assert told in raised.value.message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserFault, match="No such file"):
        read_mcp_file(tmp_path / "none.json")
