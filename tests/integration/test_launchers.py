"""Agents that are fetched by npx and uvx take nothing of the project that they are to work in.

A checkout with everything that these programs look for in a folder: the real ones are started in it, with registries
on this machine; where they are missing, stand-ins do what they do.
"""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from acp_tui.host.catalog.agent_list import list_agents
from acp_tui.host.catalog.launch_plan import start_of
from acp_tui.host.catalog.launch_settings import plan_of
from acp_tui.host.config.config import load_config
from tests.agents.scripted import write_script
from tests.integration.checkouts import BOUND, Checkout, program
from tests.integration.packages import NAME, VERSION
from tests.integration.runs import HEAD, run
from tests.own_config import write_own_config


def start(checkout: Checkout, *argv: str) -> dict[str, Any]:
    """Start an agent of the user's own config as it is started on the screen; what its program says."""
    write_own_config(f"[agents.{NAME}]\ncommand = '{argv[0]}'\nargs = {json.dumps(argv[1:])}\nenv = {{ A = '1' }}\n")
    config = load_config(checkout.folder)
    launch = plan_of(list_agents(config, checkout.folder).find(NAME), checkout.folder, config.own)
    begun = start_of(launch.command, str(launch.cwd))
    ended = subprocess.run(
        begun.argv,
        cwd=begun.cwd,
        env={**os.environ, **begun.env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=BOUND,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr.decode()
    told: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return told


def check(checkout: Checkout, told: dict[str, Any]) -> None:
    """Nothing of the project was run or asked, and the agent works in it as any other does."""
    assert checkout.marks == []
    assert checkout.evil.asked == []
    assert (told["word"], told["cwd"], told["args"]) == ("registry", str(checkout.folder), ["--acp", "a b; $HOME"])
    assert told["env"]["A"] == "1"
    assert not any(name.startswith("ACP_TUI") for name in told["env"])
    entries = told["env"]["PATH"].split(os.pathsep)
    assert "node_modules/.bin" not in entries
    assert f"{checkout.folder}/.venv/bin" in entries  # which the user has activated: for the agent's commands


@pytest.mark.skipif(which("npx") is None, reason="npx is not installed")
@pytest.mark.parametrize("spec", [(f"{NAME}@{VERSION}",), (NAME,), ("--package", NAME, NAME)])
def test_npx_takes_nothing_of_the_project(checkout: Checkout, spec: tuple[str, ...]) -> None:
    told = start(checkout, "npx", "-y", *spec, "--acp", "a b; $HOME")
    check(checkout, told)
    assert f"/{NAME}.tgz" in checkout.good.asked
    assert "npm_config_script_shell" not in told["env"]
    assert told["env"]["INIT_CWD"] == str(checkout.folder)


@pytest.mark.skipif(which("uvx") is None, reason="uvx is not installed")
@pytest.mark.parametrize("spec", [(f"{NAME}@{VERSION}",), (f"{NAME}=={VERSION}",), ("--from", NAME, NAME)])
def test_uvx_takes_nothing_of_the_project(checkout: Checkout, spec: tuple[str, ...]) -> None:
    check(checkout, start(checkout, "uvx", *spec, "--acp", "a b; $HOME"))
    assert f"/simple/{NAME}/" in checkout.good.asked


@pytest.mark.skipif(which("npx") is None, reason="npx is not installed")
def test_the_checkout_would_be_run_otherwise(checkout: Checkout) -> None:
    """Or the tests above would prove nothing."""
    ended = subprocess.run(["npx", "-y", NAME], cwd=checkout.folder, capture_output=True, timeout=BOUND, check=False)
    assert checkout.marks or checkout.evil.asked or b'"project"' in ended.stdout


# A stand-in runs what it was given as npm and uv do: by a shell with `-c`, or with its package's folder first in PATH.
_FAKE_NPX = """\
#!/bin/sh
[ -e .npmrc ] && exit 3
[ -e package.json ] || exit 4
export npm_lifecycle_event=npx PATH="{bin}:$PATH"
exec "$npm_config_script_shell" -c "'fake-agent' --acp 'a b; \\$HOME'"
"""
_FAKE_UVX = """\
#!/bin/sh
[ -e pyproject.toml ] && exit 3
[ -e uv.toml ] || exit 4
shift 2
export PATH="{bin}:$PATH"
exec "$@"
"""
_FAKE_AGENT = """\
#!{python}
import json, os, sys
print(json.dumps(dict(word="registry", cwd=os.getcwd(), args=sys.argv[1:], env=dict(os.environ))))
"""


@pytest.mark.parametrize(
    ("launcher", "text", "spec"), [("npx", _FAKE_NPX, ("-y", NAME)), ("uvx", _FAKE_UVX, ("--from", NAME, NAME))]
)
def test_a_stand_in_takes_nothing_either(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launcher: str, text: str, spec: tuple[str, ...]
) -> None:
    cached = tmp_path / "cached"
    program(cached / NAME, _FAKE_AGENT.format(python=sys.executable))
    program(tmp_path / "tools" / launcher, text.format(bin=cached))
    monkeypatch.setenv("PATH", f"node_modules/.bin:{checkout.folder}/.venv/bin:{tmp_path / 'tools'}:/usr/bin:/bin")
    check(checkout, start(checkout, launcher, *spec, "--acp", "a b; $HOME"))


def test_an_own_agent_by_npx_runs_in_the_project_all_the_way(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    life = f"{HEAD}    agent.say(os.getcwd())\n    agent.end_turn(prompt)\n    agent.serve()\n"
    cached = tmp_path / "cached"
    program(cached / NAME, f"#!/bin/sh\nexec {shlex.join(write_script(tmp_path, life).argv)}\n")
    program(tmp_path / "tools" / "npx", _FAKE_NPX.format(bin=cached))
    monkeypatch.setenv("PATH", f"node_modules/.bin:{tmp_path / 'tools'}:/usr/bin:/bin")
    write_own_config(f"[agents.mine]\ncommand = 'npx'\nargs = ['-y', '{NAME}']\n")
    ended = run("run", "--agent", "mine", "hi", cwd=checkout.folder)
    assert (ended.code, ended.out.strip()) == (0, str(checkout.folder)), ended.err
    assert checkout.marks == []
