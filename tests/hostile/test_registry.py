"""A registry that wants its own programs to run, its own servers to be asked, or the client to wait for ever.

It is asked by https as the real one is, on this machine; only the tests trust its certificate.
"""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog import registry as room
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.installation import agents_folder, finish_installation, plan_installation
from acp_tui.host.catalog.registry import Registry, fetch_registry, known_registry
from acp_tui.host.config.state_files import cache_folder
from tests.https_server import Answer, data, redirect, trusted, web
from tests.integration.checkouts import program
from tests.integration.runs import run
from tests.own_config import write_own_config
from tests.rows import each_of
from tests.strategies import UNSAFE

PATH = "/registry.json"


def entry(name: Any = "bad", **distribution: Any) -> dict[str, Any]:
    return {"id": name, "name": "Name", "version": "1.0.0", "description": "words", "distribution": distribution}


def npm(name: Any = "bad", package: Any = "bad@1.0.0", **more: Any) -> dict[str, Any]:
    return entry(name, npx={"package": package, **more})


GOOD = npm("good", "good@1.0.0")


def listing(*entries: Any) -> bytes:
    return json.dumps({"agents": entries}).encode()


def fetched(answer: Answer, path: str = PATH) -> Registry:
    with web(answer) as served:
        return fetch_registry(served.address + path, trusted())


# What it leads to: none of it may be asked.


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_leads_away_from_https_nowhere(status: int) -> None:
    with web(data(listing(GOOD)), tls=False) as plain:
        registry = fetched(redirect(f"{plain.address}{PATH}", status))
    assert (registry.listed, plain.asked) == ((), [])
    assert "only https is allowed" in registry.problems[0]
    assert not cache_folder().exists()


@pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "HTTP://127.0.0.1/x"])
def test_a_redirect_leads_to_no_other_scheme(address: str) -> None:
    registry = fetched(redirect(address))
    assert registry.listed == ()
    assert "could not be fetched" in registry.problems[0]


def test_nor_does_the_last_of_several() -> None:
    with (
        web(data(listing(GOOD)), tls=False) as plain,
        web(redirect(f"{plain.address}{PATH}")) as second,
    ):
        assert fetched(redirect(f"{second.address}{PATH}")).listed == ()
    assert (len(second.asked), plain.asked) == (1, [])


def test_a_redirect_to_https_is_followed() -> None:
    with web(data(listing(GOOD))) as other:
        assert [agent.name for agent in fetched(redirect(f"{other.address}{PATH}")).listed] == ["good"]


def test_a_redirect_in_a_circle_ends() -> None:
    def circle(handler: BaseHTTPRequestHandler) -> None:
        redirect(handler.path)(handler)

    registry = fetched(circle)
    assert registry.listed == ()
    assert "could not be fetched" in registry.problems[0]


# How it answers: the client is not kept.


@pytest.fixture
def release() -> Iterator[threading.Event]:
    """Lets a server go on that would be silent for ever."""
    event = threading.Event()
    yield event
    event.set()


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * 65536)


def test_what_never_ends_is_given_up() -> None:
    assert "larger than 8,388,608 bytes" in fetched(endless).problems[0]


def test_a_bomb_of_brackets_is_no_registry() -> None:
    assert "not JSON" in fetched(data(b"[" * 1_000_000)).problems[0]


@pytest.mark.parametrize("before", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n{"])
def test_a_drop_now_and_then_is_not_waited_for(
    release: threading.Event, monkeypatch: pytest.MonkeyPatch, before: bytes
) -> None:
    """Each drop comes in time for a timeout of the socket, and the answer never comes."""
    monkeypatch.setattr(room, "PATIENCE", 0.2)

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(before)
        while not release.wait(0.05):
            handler.wfile.write(b"x")

    with web(drip) as served:
        registry = fetch_registry(f"{served.address}{PATH}", trusted())
        release.set()
    assert registry.listed == ()
    assert "took longer than" in registry.problems[0]


@pytest.mark.parametrize("answer", [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1000 + b"\r\n"])
def test_what_is_no_answer_is_told(answer: bytes) -> None:
    def say(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(answer)

    registry = fetched(say)
    assert registry.listed == ()
    assert "could not be fetched" in registry.problems[0]


# What it lists: each is left out with a reason, and costs no other.

_VARIABLES = [
    "PATH",
    "Path",
    "HOME",
    "SHELL",
    "BASH_ENV",
    "SHELLOPTS",
    "PS4",
    "BASH_FUNC_x",
    "ENV",
    "IFS",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "NODE_OPTIONS",
    "node_options",
    "NODE_PATH",
    "npm_config_registry",
    "NPM_CONFIG_SCRIPT_SHELL",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "UV_INDEX_URL",
    "PIP_INDEX_URL",
    "VIRTUAL_ENV",
    "GIT_SSH_COMMAND",
    "HTTPS_PROXY",
    "SSL_CERT_FILE",
    "EDITOR",
    "PERL5OPT",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "XDG_CONFIG_HOME",
    "ACP_TUI_FOLDER",
    "LESSOPEN",
    "ZDOTDIR",
    "MAKEFLAGS",
    "CLAUDE_CODE_SHELL_PREFIX",
    "ANTHROPIC_BASE_URL",
    "A",
    "x_DISABLE_AUTO_UPDATE",
]
_MACHINES = ["linux-x86_64", "linux-aarch64", "darwin-aarch64", "darwin-x86_64"]
_SETS_PATH = {"archive": "x", "cmd": "x", "env": {"PATH": "1"}}
_LEFT_OUT = [
    *((npm(env={name: "1"}), "which no entry may set") for name in (*_VARIABLES, "", "A=B", "A B", "é", "A\n")),
    *((npm(env={"X_DISABLE_AUTO_UPDATE": odd}), "which no entry may set") for odd in ("a b", "x" * 9, "/bin/x")),
    (entry(binary=dict.fromkeys(_MACHINES, _SETS_PATH)), "which no entry may set"),
    (npm(package="-g"), "starts with"),
    (npm(package="--registry=https://example.com/"), "starts with"),
    (npm(package="../x"), "not a plain package name"),
    (npm(package="git+https://example.com/x.git"), "not a plain package name|without an exact version"),
    (npm(package="x@npm:y@1.0.0"), "without an exact version"),
    (npm(package="x"), "without an exact version"),
    (npm(package="x@latest"), "without an exact version"),
    (npm(package="x@^1.0.0"), "without an exact version"),
    (entry(uvx={"package": "x"}), "without an exact version"),
    (entry(uvx={"package": "x>=1"}), "not a plain package name"),
    (entry(uvx={"package": "--with=evil"}), "starts with"),
    (entry(uvx={"package": "x @ https://example.com/x.whl"}), "without an exact version|not a plain package name"),
    *((npm(cmd=cmd), "cmd is not a plain program name") for cmd in ("../../sh", "/bin/sh", "-c", "a b", ".", "..")),
    (npm(args=["a\0b"]), "invalid characters"),
    (npm(args=["\ud800"]), "invalid characters"),
    (npm(args=["x" * 3000]), "too long to review"),
    (npm(env={f"A{number}_DISABLE_AUTO_UPDATE": "1" for number in range(300)}), "too long to review"),
    (npm(args="acp"), "registry format"),
    (npm(env={"A": 1}), "registry format"),
    (npm(package=1), "registry format"),
    *((npm(name), "invalid id") for name in ("", "A", "../x", "a/b", ".", "-g", "a\x1b[2J", "a\n", "a" * 100)),
    (npm(5), "registry format"),
    (npm("good", "evil@1.0.0"), "duplicate id"),
]


@each_of(("bad", "reason"), _LEFT_OUT)
def test_an_entry_is_left_out_with_a_reason(bad: dict[str, Any], reason: str) -> None:
    registry = fetched(data(listing(GOOD, bad)))
    assert [(agent.name, agent.install) for agent in registry.listed] == [("good", "npm install -g good@1.0.0")]
    (problem,) = registry.problems
    assert any(words in problem for words in reason.split("|")), problem
    assert UNSAFE.search(problem) is None


def test_a_thousand_bad_entries_are_counted() -> None:
    registry = fetched(data(listing(GOOD, *[npm(f"bad{number}", "-g") for number in range(1000)])))
    assert len(registry.listed) == 1
    assert len(registry.problems) == 6
    assert registry.problems[-1].endswith("skipped 995 more entries")


# What it may never be: another agent of the list, or anything that starts.


def agent_list(folder: Path, *entries: Any, own: str = "") -> AgentList:
    path = folder / "registry.json"
    path.write_bytes(listing(*entries))
    write_own_config(f"registry = '{path}'\n{own}")
    return AgentList(folder)


def test_no_id_takes_the_place_of_a_known_agent(tmp_path: Path) -> None:
    names = {name for known in KNOWN_AGENTS for name in (known.name, known.registry) if name}
    listed = agent_list(tmp_path, *[npm(name, "evil@1.0.0", args=["evil"]) for name in sorted(names)]).agents.listed
    assert not [agent for agent in listed if agent.origin == "registry" or "evil" in str(agent)]
    assert len(listed) == len(KNOWN_AGENTS)


def test_no_id_takes_the_place_of_the_user_s(tmp_path: Path) -> None:
    evil = npm("mine", "evil@1.0.0", args=["evil"], env={"EVIL": "1"})
    own = "[agents.mine]\ncommand = 'mine'\n"
    mine = agent_list(tmp_path, evil, own=own).find("mine")
    assert "evil" not in str(mine).lower()
    with pytest.raises(UserFault, match="cannot be installed from here"):
        plan_installation(mine, agent_list(tmp_path, evil, own=own))


def test_nothing_that_it_lists_is_a_program_of_this_machine(tmp_path: Path) -> None:
    """Or Enter on its row would run `sh -c`, without a question."""
    binaries = {
        f"{system}-{machine}": {"archive": "https://x/y.tgz", "cmd": "./sh", "args": ["-c", "evil"]}
        for system in ("linux", "darwin", "windows")
        for machine in ("x86_64", "aarch64")
    }
    found = agent_list(tmp_path, npm("one", "sh@1.0.0", cmd="sh", args=["-c", "evil"]), entry("two", binary=binaries))
    assert [found.find(name).program for name in ("one", "two")] == ["", ""]
    for name in ("one", "two"):
        with pytest.raises(UserFault, match="is not installed") as raised:
            found.find(name).check_installed()
        assert ("/path/to/sh -c evil" in raised.value.hint) == (name == "two")
        assert found.plan_of_installed(name) is None
    assert found.find("two").package is None


_NASTY = "\x1b]0;EVIL\x07\x1b[2J\u202e[red]\n$(evil)\"'\\"


def test_what_it_says_is_shown_and_nothing_more(tmp_path: Path) -> None:
    odd = npm("odd", "odd@1.0.0", args=[_NASTY])
    odd |= {
        "name": _NASTY,
        "description": _NASTY,
        "license": _NASTY,
        "authors": [_NASTY],
        "website": f"https://{_NASTY}",
    }
    agent_list(tmp_path, odd)
    ended = run("agents", cwd=tmp_path)
    assert ended.code == 0
    assert UNSAFE.search(ended.out + ended.err) is None
    assert "odd@1.0.0 (npm): install it from the list in acp-tui" in ended.out


def test_what_it_says_is_one_word_in_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "tools" / "npm", "#!/bin/sh\n")
    monkeypatch.setenv("PATH", str(tmp_path / "tools"))
    project = tmp_path / "project"
    project.mkdir()
    found = agent_list(
        project, {**npm("odd", "odd@1.0.0", args=[_NASTY], env={"ODD_DISABLE_AUTO_UPDATE": "1"}), "name": _NASTY}
    )
    installation = plan_installation(found.find("odd"), found)
    assert installation.shown_env == ("ODD_DISABLE_AUTO_UPDATE=1",)
    program(Path(installation.program), "#!/bin/sh\n")
    finish_installation(installation, 0)
    found.read_again()
    agent = found.find("odd")
    assert (agent.argv, agent.env) == ((installation.program, _NASTY), {"ODD_DISABLE_AUTO_UPDATE": "1"})
    assert set(found.config.agents) == {"odd"}
    assert set(found.config.own.settings.model_fields_set) == {"agents", "registry"}
    assert Path(agent.program).is_relative_to(agents_folder() / "odd" / "1.0.0")


def test_a_start_asks_nobody(tmp_path: Path) -> None:
    with web(data(listing(GOOD))) as served:
        write_own_config(f"registry = '{served.address}{PATH}'\n")
        assert known_registry(f"{served.address}{PATH}").listed == ()
        started = AgentList(tmp_path)
        assert started.plan_of_installed("opencode") is None
        assert started.find("opencode").origin == "known"
    assert served.asked == []
