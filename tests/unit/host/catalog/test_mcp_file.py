import json
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog.mcp_file import read_mcp_file
from acp_tui.protocol.capabilities import McpServer


def read(path: Path) -> tuple[McpServer, ...]:
    """The servers in the file; nothing is in the PATH that they are looked for in."""
    return read_mcp_file(path, path.parent, {"PATH": ""})


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
    assert read(written(tmp_path, {"mcpServers": servers})) == (
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
    assert read(written(tmp_path, [files, web])) == expected
    assert read(written(tmp_path, {"mcpServers": [files, web]})) == expected
    assert read(written(tmp_path, {"files": {"command": "x"}})) == (McpServer("files", command="x"),)
    assert read(written(tmp_path, "\ufeff[]")) == ()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        (5, "mcpServers: must be an object or a list"),
        ([{"command": "x"}], "[0].name: must be a name"),
        ({"mcpServers": {"a": 5}}, "mcpServers.a: must be an object"),
        ({"mcpServers": {"a": {}}}, "mcpServers.a.command: must be a string"),
        ({"mcpServers": {"a": {"command": ["x"]}}}, "mcpServers.a.command: must be a string"),
        ({"mcpServers": {"a": {"command": "x", "args": "y"}}}, "mcpServers.a.args: must be a list of strings"),
        (
            {"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}},
            "mcpServers.a.env: must be an object with string values",
        ),
        (
            {"mcpServers": {"a": {"command": "x", "env": [{"name": "A"}]}}},
            "mcpServers.a.env: must be an object with string values",
        ),
        ({"mcpServers": {"a": {"type": "http"}}}, "mcpServers.a.url: must be a string"),
        ({"mcpServers": {"a": {"type": "carrier"}}}, "mcpServers.a.type: must be stdio"),
        ({"mcpServers": {"a": {"type": []}}}, "mcpServers.a.type: must be stdio"),
    ],
)
def test_complaints_name_file_and_place(tmp_path: Path, data: object, told: str) -> None:
    path = written(tmp_path, data)
    with pytest.raises(UserFault) as raised:
        read(path)
    assert str(path) in raised.value.message
    assert told in raised.value.message


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserFault, match="No such file"):
        read(tmp_path / "none.json")


def program(folder: Path, name: str) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_a_command_is_told_by_its_absolute_path_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, agents, servers = (program(tmp_path / name, "npx") for name in ("ours", "agents", "servers"))
    here = program(tmp_path / "tools", "serve")
    monkeypatch.setenv("PATH", str(tmp_path / "ours"))
    monkeypatch.setenv("HOME", str(tmp_path))
    servers_env = {"PATH": str(tmp_path / "servers")}
    for command, env, agents_env, expected in (
        ("npx", {}, {}, ours),
        ("npx", {}, {"PATH": str(tmp_path / "agents")}, agents),
        ("npx", servers_env, {"PATH": str(tmp_path / "agents")}, servers),
        ("./serve", {}, {}, here),
        ("../tools/serve", {}, {}, f"{tmp_path}/tools/../tools/serve"),
        ("~/tools/serve", {}, {}, here),
        (here, {}, {}, here),
        ("absent", {}, {}, "absent"),
        ("./absent", {}, {}, "./absent"),
        ("/absent", {}, {}, "/absent"),
    ):
        file = written(tmp_path, {"a": {"command": command, "env": env}})
        (server,) = read_mcp_file(file, tmp_path / "tools", agents_env)
        assert server.command == expected


def test_a_command_is_not_looked_for_by_relative_entries_of_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path / "node_modules", "npx")
    installed = program(tmp_path / "installed", "npx")
    monkeypatch.chdir(tmp_path)
    path = f"node_modules::.:{tmp_path}/installed"
    file = written(tmp_path, {"a": {"command": "npx"}})
    assert read_mcp_file(file, tmp_path, {"PATH": path})[0].command == installed
    assert read_mcp_file(file, tmp_path, {"PATH": "node_modules"})[0].command == "npx"
