"""Which packages can be installed: exact versions of plain names, and nothing that npm or uv would take otherwise; and
what is said of an agent that is not there.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_entries import (
    KNOWN_AGENTS,
    PYTHON_REQUEST,
    Agent,
    Kind,
    Package,
    on_its_python,
    read_package,
    read_pin,
)
from acp_tui.host.config.config import ConfigFile, ConfiguredAgent
from acp_tui.host.config.settings import AgentSettings
from tests.rows import each_of

GOOD: list[tuple[Kind, str, str, str]] = [
    ("npm", "opencode-ai@1.18.33", "opencode-ai", "1.18.33"),
    ("npm", "@google/gemini-cli@0.61.0", "@google/gemini-cli", "0.61.0"),
    ("npm", "a.b_c@1.0.0-rc.1+build.5", "a.b_c", "1.0.0-rc.1+build.5"),
    ("python", "mistral-vibe==3.0.3", "mistral-vibe", "3.0.3"),
    ("python", "hermes-agent[acp,mcp]==0.19.0", "hermes-agent[acp,mcp]", "0.19.0"),
    ("python", "minion-code@0.1.8", "minion-code", "0.1.8"),
    ("python", "A==1!2.0rc1.post2.dev3+local.1", "A", "1!2.0rc1.post2.dev3+local.1"),
]


@pytest.mark.parametrize(("kind", "spec", "name", "version"), GOOD)
def test_an_exact_version_is_read(kind: Kind, spec: str, name: str, version: str) -> None:
    package = read_package(kind, spec)
    assert package == Package(kind, name, version)
    assert read_pin(package.pin) == package


OPTIONS = ["-g", "--prefix=/", "-g@1.0.0", "--index-url==1.0", "-e", "-"]
NPM = [
    "",
    "a",
    "a@",
    "a@latest",
    "a@^1.0.0",
    "a@~1.0.0",
    "a@1",
    "a@1.0",
    "a@1.x",
    "a@*",
    "a@>=1.0.0",
    "a@1.0.0 || 2.0.0",
    "a@1.0.0 - 2.0.0",
    "a@v1.0.0",
    "a@=1.0.0",
    "a@ 1.0.0",
    "a@1.0.0\n",
    "a@1.0.0 b@1.0.0",
    "a@npm:b@1.0.0",
    "a@git+https://example.com/a.git#1.0.0",
    "a@github:x/a",
    "a@x/a",
    "a@https://example.com/a.tgz",
    "a@file:../x",
    "a@1.0.0-x.tgz",
    "a@1.0.0-x.TAR.GZ",
    "a@1.0.0-x..y",  # as the next: for npm a tag, which leads wherever its publisher moves it
    "a@1.0.0-.",
    "a@1.0.0+x..y",
    "a@9007199254740993.0.0",
    "a.tgz@1.0.0",
    "git+ssh://git@example.com/a.git",
    "https://example.com/a.tgz",
    "x/a@1.0.0",
    "../x",
    "../x@1.0.0",
    "./x@1.0.0",
    "/x@1.0.0",
    "~/x@1.0.0",
    ".@1.0.0",
    "..@1.0.0",
    "@/a@1.0.0",
    "@x/../a@1.0.0",
    "@-x/a@1.0.0",
    "@x/-a@1.0.0",
    "@x@1.0.0",
    "A@1.0.0",
    "a@\u0661.0.0",
    "a;b@1.0.0",
    "a\0@1.0.0",
    "a" * 300 + "@1.0.0",
]
PYTHON = [
    "",
    "a",
    "a==",
    "a==1.*",
    "a===1.0",
    "a>=1.0",
    "a~=1.0",
    "a==1.0,<2",
    "a==1.0; python_version > '3'",
    "a == 1.0",
    "a@latest",
    "a @ https://example.com/a.whl",
    "a@https://example.com/a.whl",
    "a@git+https://example.com/a.git",
    "git+https://example.com/a.git",
    "../x==1.0",
    "./x==1.0",
    "x/a==1.0",
    "a[]==1.0",
    "a[b==1.0",
    "a.whl==1.0",
    "a.tar.gz==1.0",
    "a==1.0 b==1.0",
    "a==1.0\n",
    "a==1.0/../../x",
    "a==..",
]


@each_of("kind", ["npm", "python"])
@each_of("spec", OPTIONS)
def test_what_looks_like_an_option_is_refused(kind: Kind, spec: str) -> None:
    with pytest.raises(ValueError, match="starts with"):
        read_package(kind, spec)


@each_of(("kind", "spec"), [("npm", spec) for spec in NPM] + [("python", spec) for spec in PYTHON])
def test_what_is_no_exact_version_of_a_plain_name_is_refused(kind: Kind, spec: str) -> None:
    with pytest.raises(ValueError, match=r"without an exact version|not a plain package name|starts with"):
        read_package(kind, spec)


@each_of("pin", ["", "npm", "npm:", "a@1.0.0", "pip:a==1.0", "npm:a==1.0", "python:a", "NPM:a@1.0.0"])
def test_a_pin_that_is_none_is_refused(pin: str) -> None:
    with pytest.raises(ValueError, match=r"start with|exact|plain"):
        read_pin(pin)


@given(st.sampled_from(["npm", "python"]), st.text(alphabet="a1.@=-/[]: ~^\\\n\0"))
def test_what_is_accepted_is_one_word_and_one_name_of_a_folder(kind: Kind, spec: str) -> None:
    try:
        package = read_package(kind, spec)
    except ValueError:
        return
    assert not set(package.spec) & set(" \\\n\0:~^")
    assert "/" not in package.version
    assert not package.version.startswith((".", "-"))
    assert "/" not in package.plain_name
    assert not package.plain_name.startswith((".", "-"))


def test_which_release_is_newer() -> None:
    releases = [Package("npm", "a", version).release for version in ("1.9.0", "1.10.0-rc.1", "1.10.1")]
    assert releases == sorted(releases) == [(1, 9, 0), (1, 10, 0), (1, 10, 1)]


def test_by_hand_it_is_one_word_for_a_shell() -> None:
    assert Package("python", "a[b]", "1").by_hand == "uv tool install 'a[b]==1'"
    assert Package("python", "a[b]", "1", python="3.12").by_hand == "uv tool install --python 3.12 'a[b]==1'"


@each_of("package", [agent.package for agent in KNOWN_AGENTS if agent.package is not None])
def test_a_known_package_is_one_that_a_config_file_may_have(package: Package) -> None:
    assert read_pin(package.pin) == package


@each_of("package", [one.package for one in KNOWN_AGENTS if one.package is not None and one.package.kind == "python"])
def test_a_known_package_of_python_says_which_python_it_wants(package: Package) -> None:
    assert package.python == "3.12"
    assert package.by_hand.startswith("uv tool install --python 3.12 ")
    assert on_its_python(read_pin(package.pin)).python == "3.12"  # as the config file has it, for an update


@each_of("text", ["3.12", "3", "3.12.3", ">=3.12", ">=3.12,<3.14", "~=3.12"])
def test_versions_of_python(text: str) -> None:
    assert re.fullmatch(PYTHON_REQUEST, text, re.ASCII)


@each_of("text", ["", "2.7", "/usr/bin/python3", "python3.12", "3.12 --index x", "-p", "--python=3", ">=", "3.12,3.13"])
def test_what_uv_would_take_for_a_program_is_no_version_of_python(text: str) -> None:
    assert not re.fullmatch(PYTHON_REQUEST, text, re.ASCII)


SOME = Agent("some", "Some", "", ("some", "acp"))
PACKAGE = Package("npm", "some-agent", "1.2.3")
BY_HAND = "Choose it in the list to install it: acp-tui\nOr install it yourself: npm install -g some-agent@1.2.3"
OWN = ConfiguredAgent("some", AgentSettings(command="/bin/some"), ConfigFile(Path("/config.toml"), ""))
MISSING = [
    (SOME, "some: command not found", "Install it, or fix its command: acp-tui config"),
    (replace(SOME, homepage="https://x"), "some: command not found", "How to install it: https://x"),
    (replace(SOME, package=PACKAGE), "some: command not found", BY_HAND),
    (
        replace(SOME, package=PACKAGE, configured=OWN),
        "some: command not found",
        "Choose it in the list to install it again: acp-tui",
    ),
    (replace(SOME, package=PACKAGE, origin="registry"), "", "Choose it in the list to install it: acp-tui"),
    (
        replace(SOME, homepage="https://x", origin="registry"),
        "",
        "Download it: https://x\nThen start it by its path: acp-tui -- /path/to/some acp",
    ),
]


@each_of(("agent", "looked_for", "how"), MISSING)
def test_how_an_agent_that_is_not_there_is_had(agent: Agent, looked_for: str, how: str) -> None:
    assert agent.missing == ("Some is not installed", looked_for, how)
    with pytest.raises(UserFault, match="Some is not installed"):
        agent.check_installed()
    replace(agent, program="/bin/some").check_installed()
