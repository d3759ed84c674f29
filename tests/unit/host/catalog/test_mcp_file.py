import json
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog.mcp_file import read_mcp_file
from acp_tui.protocol.capabilities import McpServer
from tests.rows import each_of


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
        ({"mcpServers": {"a": {"command": [5]}}}, "mcpServers.a.command: must be a list of strings"),
        ({"servers": {"a": {"command": []}}}, "servers.a.command: must be a string"),
        ({"mcp": [{"command": "x"}]}, "[0].name: must be a name"),
        (
            {"mcp_servers": {"a": {"url": "x", "bearer_token_env_var": "a b"}}},
            "env_var: must be the name of a variable",
        ),
        ({"mcp": 5}, "mcp: must be an object or a list"),
        ({"theme": "dark", "keys": []}, "no MCP servers in it: none of mcpServers, mcp_servers, servers,"),
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
        (
            {"mcpServers": {"a": {"command": "x", "env": {"K": "${NOT_SET}"}}}},
            "mcpServers.a.env.K: the variable NOT_SET is",
        ),
        ({"mcpServers": {"a": {"command": "${NOT_SET}/x"}}}, "mcpServers.a.command: the variable NOT_SET is not set"),
        (
            {"mcpServers": {"a": {"url": "https://e.org/${NOT_SET}"}}},
            "mcpServers.a.url: the variable NOT_SET is not set",
        ),
        (
            {"mcpServers": {"a": {"url": "x", "headers": {"K": "{env:NOT_SET}"}}}},
            "a.headers.K: the variable NOT_SET is",
        ),
        (
            {"servers": {"a": {"command": "x", "args": ["${input:key}"]}}},
            "servers.a.args: ${input:key} cannot be filled in",
        ),
        (
            {"mcp": {"a": {"url": "x", "headers": {"K": "{file:~/k}"}}}},
            "mcp.a.headers.K: {file:~/k} cannot be filled in",
        ),
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


FILES = McpServer("files", command="serve", args=("-v",), env={"A": "1"})
WEB = McpServer("web", "http", url="https://example.org", headers={"X": "y"})
STDIO = {"command": "serve", "args": ["-v"], "env": {"A": "1"}}
HTTP = {"url": "https://example.org", "headers": {"X": "y"}}


@each_of(
    "data",
    [
        {"mcpServers": {"files": {"type": "stdio", **STDIO}, "web": {"type": "http", **HTTP}}},  # Claude, Cursor
        {"mcpServers": {"files": STDIO, "web": {"httpUrl": HTTP["url"], "headers": HTTP["headers"]}}},  # Gemini, Qwen
        {"mcpServers": {"files": STDIO, "web": {"serverUrl": HTTP["url"], "headers": HTTP["headers"]}}},  # Windsurf
        {"mcpServers": {"files": STDIO, "web": {"transport": "streamableHttp", **HTTP}}},
        {"inputs": [], "servers": {"files": {"type": "stdio", **STDIO}, "web": {"type": "http", **HTTP}}},  # VS Code
        {"mcp": {"servers": {"files": STDIO, "web": HTTP}}, "editor.tabSize": 4},  # its settings.json
        {"theme": "One", "context_servers": {"files": {"source": "custom", **STDIO}, "web": HTTP}},  # Zed
        {"context_servers": {"files": {"command": {"path": "serve", "args": ["-v"], "env": {"A": "1"}}}, "web": HTTP}},
        {
            "$schema": "https://opencode.ai/config.json",
            "mcp": {
                "files": {"type": "local", "command": ["serve", "-v"], "environment": {"A": "1"}, "enabled": True},
                "web": {"type": "remote", **HTTP},
                "off": {"type": "local", "command": ["none"], "enabled": False},
            },
        },
        {"mcp": {"allowed": ["files"]}, "mcpServers": {"files": STDIO, "web": HTTP}},  # settings.json of Gemini
    ],
)
def test_the_shapes_of_other_tools(data: object, tmp_path: Path) -> None:
    assert read(written(tmp_path, data)) == (FILES, WEB)


def test_the_file_of_codex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE", "1")
    path = tmp_path / "config.toml"
    path.write_text(
        """
        model = "gpt"
        [mcp_servers.files]
        command = "serve"
        args = ["-v"]
        env = { B = "2" }
        env_vars = ["ONE"]
        [mcp_servers.web]
        url = "https://example.org"
        bearer_token_env_var = "ONE"
        http_headers = { X = "y" }
        env_http_headers = { Z = "ONE" }
        [mcp_servers.off]
        command = "none"
        enabled = false
        """
    )
    assert read(path) == (
        McpServer("files", command="serve", args=("-v",), env={"B": "2", "ONE": "1"}),
        McpServer("web", "http", url="https://example.org", headers={"X": "y", "Z": "1", "Authorization": "Bearer 1"}),
    )
    path.write_text("[mcp_servers")
    with pytest.raises(UserFault, match="not TOML"):
        read(path)


def test_json_may_have_comments_and_last_commas(tmp_path: Path) -> None:
    text = """{ // the servers
        /* of
        all */ "mcpServers": {"a": {"url": "https://example.org/a//b,}", "headers": {"X": "/* no, ] */",},}, // "b"
        },
    }"""
    assert read(written(tmp_path, text)) == (
        McpServer("a", "http", url="https://example.org/a//b,}", headers={"X": "/* no, ] */"}),
    )
    with pytest.raises(UserFault, match=r"not JSON: .*line 2"):
        read(written(tmp_path, "{ // one\n nonsense }"))


def test_values_of_variables_are_put_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "t0ken-${HOME}")
    data = {
        "a": {"command": "${BIN:-serve}", "args": ["--key=${TOKEN}", "$5", "$HOME"], "env": {"K": "${TOKEN}"}},
        "b": {"url": "https://${HOST}/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"}},
    }
    first, second = read_mcp_file(
        written(tmp_path, {"mcpServers": data}), tmp_path, {"HOST": "example.org", "PATH": ""}
    )
    token = "t0ken-${HOME}"
    assert first == McpServer("a", command="serve", args=(f"--key={token}", "$5", "$HOME"), env={"K": token})
    assert second == McpServer("b", "http", url="https://example.org/mcp", headers={"Authorization": f"Bearer {token}"})
    assert (set(first.put_in), set(second.put_in)) == ({token}, {"example.org", token})


def test_what_the_protocol_has_no_place_for_is_known(tmp_path: Path) -> None:
    (server,) = read(written(tmp_path, {"a": {"command": "x", "cwd": "sub", "excludeTools": ["rm"], "timeout": 5}}))
    assert server.not_sent == ("cwd", "excludeTools")


def test_a_server_that_is_switched_off_needs_no_variable(tmp_path: Path) -> None:
    assert read(written(tmp_path, {"a": {"command": "${NOT_SET}", "disabled": True}})) == ()
