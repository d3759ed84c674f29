"""Registries of agents: the public format, whatever is wrong with it, the cache, the network (on this machine only)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.catalog import registry as room
from acp_tui.host.catalog.agent_entries import Package
from acp_tui.host.catalog.registry import FRESH, Registry, fetch_registry, known_registry, shown
from acp_tui.host.config.state_files import cache_folder
from tests.examples import THOROUGH
from tests.https_server import data, trusted, web


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


def from_file(tmp_path: Path, text: bytes) -> Registry:
    path = tmp_path / "registry.json"
    path.write_bytes(text)
    return known_registry(str(path))


def test_packages_can_be_installed_and_are_never_fetched_by_a_start(tmp_path: Path) -> None:
    registry = from_file(
        tmp_path,
        listing(
            entry("a", npx={"package": "@x/a@1.0.0", "args": ["--acp"], "env": {"A_DISABLE_AUTO_UPDATE": "1"}}),
            entry("b", npx={"package": "@x/b@1.0.0-rc.1", "cmd": "b-acp", "args": ["x"]}),
            entry("c", uvx={"package": "c[acp]==1.2", "args": ["acp"]}),
            entry("d", uvx={"package": "d@1.2.3", "cmd": "d-acp"}),
            entry("e", uvx={"package": "e==1.2.3", "python": ">=3.12,<3.14"}),
            entry("vibe2", uvx={"package": "mistral-vibe==9.9.9"}),
        ),
    )
    assert [(agent.argv, agent.install) for agent in registry.listed] == [
        (("a", "--acp"), "npm install -g @x/a@1.0.0"),
        (("b-acp", "x"), "npm install -g @x/b@1.0.0-rc.1"),
        (("c", "acp"), "uv tool install 'c[acp]==1.2'"),
        (("d-acp",), "uv tool install d==1.2.3"),
        (("e",), "uv tool install --python '>=3.12,<3.14' e==1.2.3"),
        (("mistral-vibe",), "uv tool install --python 3.12 mistral-vibe==9.9.9"),
    ]
    first = registry.listed[0]
    assert (first.env, first.homepage) == ({"A_DISABLE_AUTO_UPDATE": "1"}, "https://example.com/repository")
    assert (first.licence, first.publisher, first.package) == ("MIT", "Somebody", Package("npm", "@x/a", "1.0.0"))
    assert registry.problems == ()


def test_of_a_binary_there_is_its_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_platform", lambda: "linux-x86_64")
    here = {"linux-x86_64": {"archive": "https://x/a.tgz", "cmd": "./dist/a", "args": ["acp"], "sha256": "0"}}
    elsewhere = {"darwin-aarch64": {"archive": "https://x/b.tgz", "cmd": "./b"}}
    registry = from_file(tmp_path, listing(entry("a", binary=here), entry("b", binary=elsewhere)))
    (agent,) = registry.listed
    assert (agent.argv, agent.package, agent.install) == (("a", "acp"), None, "")
    assert agent.homepage == "https://example.com/repository"
    assert registry.problems[0].endswith(": 1 of 2 agents has no build for this machine")


def test_a_package_is_preferred_to_a_binary(tmp_path: Path) -> None:
    both = entry("a", npx={"package": "a@1.0.0"}, binary={"linux-x86_64": {"archive": "x", "cmd": "b"}})
    assert from_file(tmp_path, listing(both)).listed[0].argv == ("a",)


def test_a_page_is_an_https_address(tmp_path: Path) -> None:
    odd = {**entry("a", npx={"package": "a@1.0.0"}), "website": "javascript:x", "repository": "http://x"}
    assert from_file(tmp_path, listing(odd)).listed[0].homepage == ""
    for more in ("\nrm -rf ~\n", " --x", "\u202e", "\x1b[2J", "\u200b"):
        odd["website"] = f"https://example.com/{more}"
        assert from_file(tmp_path, listing(odd)).listed[0].homepage == "", more


ODD_PYTHON = entry("x", uvx={"package": "x==1", "python": "/tmp/python3"})


@pytest.mark.parametrize(
    "bad", [None, 1, [], {}, {"id": "x"}, entry("x"), entry("x", npx={}), entry("x", npx=1), ODD_PYTHON]
)
def test_one_bad_entry_costs_no_other(tmp_path: Path, bad: Any) -> None:
    registry = from_file(tmp_path, listing(bad, entry("a", npx={"package": "a@1.0.0"})))
    assert [agent.name for agent in registry.listed] == ["a"]
    assert len(registry.problems) == 1


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b"nonsense", b"\xff", b'{"agents": {}}', b"[" * 100_000])
def test_what_is_no_registry_is_told(tmp_path: Path, text: bytes) -> None:
    registry = from_file(tmp_path, text)
    assert registry.listed == ()
    assert "cannot be read" in registry.problems[0]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "name", "npx"]), inner),
    max_leaves=8,
)


@THOROUGH
@given(st.lists(json_values | st.builds(lambda inner: entry("x", npx=inner), json_values), max_size=4))
def test_nothing_in_a_registry_raises(tmp_path_factory: pytest.TempPathFactory, entries: list[Any]) -> None:
    registry = from_file(tmp_path_factory.mktemp("registry"), listing(*entries))
    assert len(registry.listed) <= len(entries)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert known_registry(str(tmp_path / "none")).problems[0].endswith("No such file or directory")
    assert known_registry("") == Registry()


ONE = listing(entry("a", npx={"package": "a@1.0.0"}))


def fetch(address: str) -> Registry:
    return fetch_registry(f"{address}/registry.json", trusted())


def test_what_was_fetched_is_kept() -> None:
    with web(data(ONE)) as served:
        address = f"{served.address}/registry.json"
        assert known_registry(address) == Registry(fresh=False)
        fetched = fetch(served.address)
    assert served.asked == ["/registry.json"]
    assert fetched.listed[0].name == "a"
    kept = known_registry(address)
    assert kept.listed == fetched.listed
    assert kept.fresh


def test_what_is_kept_becomes_old() -> None:
    with web(data(ONE)) as served:
        fetch(served.address)
    (kept,) = cache_folder().iterdir()
    past = kept.stat().st_mtime - FRESH - 1
    os.utime(kept, (past, past))
    known = known_registry(f"{served.address}/registry.json")
    assert known.listed
    assert not known.fresh


@pytest.mark.parametrize(
    ("answer", "status", "reason"), [(b"", 500, "the server returned HTTP 500"), (b"<html>", 200, "not JSON")]
)
def test_trouble_is_told_and_what_was_kept_stays(answer: bytes, status: int, reason: str) -> None:
    with web(data(answer, status)) as served:
        assert reason in fetch(served.address).problems[0]
    with web(data(ONE)) as served:
        fetch(served.address)
    again = fetch(served.address)  # nobody answers any more
    assert [agent.name for agent in again.listed] == ["a"]
    assert "could not be fetched" in again.problems[0]
    assert "fetched earlier" in again.problems[0]


def test_too_much_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MAX_BYTES", 10)
    with web(data(ONE)) as served:
        assert "larger than 10 bytes" in fetch(served.address).problems[0]


def test_a_server_that_the_system_does_not_trust_is_not_asked() -> None:
    with web(data(ONE)) as served:
        fetched = fetch_registry(f"{served.address}/registry.json")
    assert (fetched.listed, served.asked) == ((), [])
    assert "certificate" in fetched.problems[0].lower()


@pytest.mark.parametrize("source", ["http://127.0.0.1/x", "file:///etc/passwd", "ftp://x/y", "://", "data://x,y"])
def test_only_https_addresses_are_fetched(source: str) -> None:
    assert "only https is allowed" in fetch_registry(source).problems[0]
    assert "must start with https://" in known_registry(source).problems[0]
    assert known_registry(source).fresh  # there is nothing to ask for


def test_secrets_in_an_address_are_not_shown() -> None:
    assert shown("https://me:pass@example.com:1/a/b.json?key=1#x") == "https://example.com:1/a/b.json"
    assert shown("/a/b.json") == "/a/b.json"


def test_an_address_that_is_none_is_complained_of_and_not_shown() -> None:
    [problem] = fetch_registry("https://me:pass@[/a").problems
    assert problem.startswith("The registry of the config file could not be fetched: ")
    assert "pass" not in problem
