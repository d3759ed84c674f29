"""Registries of agents: the public format, whatever is wrong with it, the cache, the network (on this machine only)."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.catalog import download
from acp_tui.host.catalog import registry as room
from acp_tui.host.catalog.registry import FRESH, Registry, fetch_registry, known_registry, shown
from acp_tui.host.store.folders import cache_folder


def entry(name: str, **distribution: Any) -> dict[str, Any]:
    return {
        "id": name,
        "name": name.title(),
        "version": "1.0.0",
        "description": "words",
        "repository": "https://example.com/repository",
        "authors": ["Somebody"],
        "license": "MIT",
        "distribution": distribution,
    }


def listing(*entries: Any) -> bytes:
    return json.dumps({"version": "1.0.0", "agents": entries}).encode()


def from_file(tmp_path: Path, data: bytes) -> Registry:
    path = tmp_path / "registry.json"
    path.write_bytes(data)
    return known_registry(str(path))


@contextmanager
def server(data: bytes, status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """A web server on this machine; gives its address and what was asked for."""
    asked: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the name that is overridden)
            pass

    web = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{web.server_port}/registry.json", asked
    finally:
        web.shutdown()
        thread.join()
        web.server_close()


def test_packages_are_started_by_what_fetches_them(tmp_path: Path) -> None:
    registry = from_file(
        tmp_path,
        listing(
            entry("a", npx={"package": "@x/a@1", "args": ["--acp"], "env": {"A": "1"}}),
            entry("b", npx={"package": "@x/b@1", "cmd": "b-acp", "args": ["x"]}),
            entry("c", uvx={"package": "c==1", "args": ["acp"]}),
            entry("d", uvx={"package": "d==1", "cmd": "d-acp"}),
        ),
    )
    assert [agent.argv for agent in registry.listed] == [
        ("npx", "-y", "@x/a@1", "--acp"),
        ("npx", "-y", "--package", "@x/b@1", "b-acp", "x"),
        ("uvx", "c==1", "acp"),
        ("uvx", "--from", "d==1", "d-acp"),
    ]
    assert all(agent.fetched for agent in registry.listed)
    assert registry.listed[0].env == {"A": "1"}
    assert registry.listed[0].homepage == "https://example.com/repository"
    assert registry.problems == ()


def test_a_binary_of_this_platform_must_be_installed_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_platform", lambda: "linux-x86_64")
    here = {"linux-x86_64": {"archive": "https://x/a.tgz", "cmd": "./dist/a", "args": ["acp"], "sha256": "0"}}
    elsewhere = {"darwin-aarch64": {"archive": "https://x/b.tgz", "cmd": "./b"}}
    registry = from_file(tmp_path, listing(entry("a", binary=here), entry("b", binary=elsewhere)))
    assert [(agent.argv, agent.fetched) for agent in registry.listed] == [(("a", "acp"), False)]
    assert registry.listed[0].install == "download https://x/a.tgz"
    assert "1 of 2 agents cannot be started" in registry.problems[0]


def test_a_package_is_preferred_to_a_binary(tmp_path: Path) -> None:
    both = entry("a", npx={"package": "a"}, binary={"linux-x86_64": {"archive": "x", "cmd": "a"}})
    assert from_file(tmp_path, listing(both)).listed[0].argv == ("npx", "-y", "a")


@pytest.mark.parametrize("bad", [None, 1, [], {}, {"id": "x"}, entry("x"), entry("x", npx={}), entry("x", npx=1)])
def test_one_bad_entry_costs_no_other(tmp_path: Path, bad: Any) -> None:
    registry = from_file(tmp_path, listing(bad, entry("a", npx={"package": "a"})))
    assert [agent.name for agent in registry.listed] == ["a"]
    assert len(registry.problems) == 1


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"nonsense", b"\xff", b'{"agents": {}}', b"[" * 100_000])
def test_what_is_no_registry_is_told(tmp_path: Path, data: bytes) -> None:
    registry = from_file(tmp_path, data)
    assert registry.listed == ()
    assert "cannot be read" in registry.problems[0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "name", "npx"]), inner),
    max_leaves=8,
)


@given(st.lists(json_values | st.builds(lambda inner: entry("x", npx=inner), json_values), max_size=4))
def test_nothing_in_a_registry_raises(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    registry = from_file(tmp_path_factory.mktemp("registry"), listing(*entries))
    assert len(registry.listed) <= len(entries)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert known_registry(str(tmp_path / "none")).problems[0].endswith("No such file or directory")
    assert known_registry("") == Registry()


def test_what_was_fetched_is_kept() -> None:
    with server(listing(entry("a", npx={"package": "a"}))) as (address, asked):
        assert known_registry(address) == Registry(fresh=False)
        fetched = fetch_registry(address)
    assert asked == ["/registry.json"]
    assert fetched.listed[0].name == "a"
    kept = known_registry(address)
    assert kept.listed == fetched.listed
    assert kept.fresh


def test_what_is_kept_becomes_old() -> None:
    with server(listing(entry("a", npx={"package": "a"}))) as (address, _):
        fetch_registry(address)
    (kept,) = cache_folder().iterdir()
    past = kept.stat().st_mtime - FRESH - 1
    os.utime(kept, (past, past))
    known = known_registry(address)
    assert known.listed
    assert not known.fresh


@pytest.mark.parametrize(
    ("data", "status", "reason"), [(b"", 500, "the server answers 500"), (b"<html>", 200, "it is not JSON")]
)
def test_trouble_is_told_and_what_was_kept_stays(data: bytes, status: int, reason: str) -> None:
    with server(data, status) as (address, _):
        assert reason in fetch_registry(address).problems[0]
    with server(listing(entry("a", npx={"package": "a"}))) as (address, _):
        fetch_registry(address)
    again = fetch_registry(address)  # nobody answers any more
    assert [agent.name for agent in again.listed] == ["a"]
    assert "could not be fetched" in again.problems[0]
    assert "fetched before" in again.problems[0]


def test_too_much_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MAX_BYTES", 10)
    with server(listing()) as (address, _):
        assert "larger than 10 bytes" in fetch_registry(address).problems[0]


def test_an_answer_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "PATIENCE", 0)
    monkeypatch.setattr(download, "urlopen", lambda request, timeout: _Endless())
    assert "longer than 0 s" in fetch_registry("https://example.com").problems[0]


class _Endless:
    def __enter__(self) -> "_Endless":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def read1(self, size: int) -> bytes:
        return b"x"


@pytest.mark.parametrize("source", ["file:///etc/passwd", "ftp://x/y", "://"])
def test_only_web_addresses_are_fetched(source: str) -> None:
    assert "only https and http" in fetch_registry(source).problems[0]


def test_secrets_in_an_address_are_not_shown() -> None:
    assert shown("https://me:pass@example.com:1/a/b.json?key=1#x") == "https://example.com:1/a/b.json"
    assert shown("/a/b.json") == "/a/b.json"


def test_an_address_that_is_none_is_complained_of_and_not_shown() -> None:
    [problem] = fetch_registry("https://me:pass@[/a").problems
    assert problem.startswith("The registry of the config file could not be fetched: ")
    assert "pass" not in problem
