"""The agent's process that is started before what serves it is loaded: told once, served once, never left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest

from acp_tui.host.catalog.launch_plan import LaunchPlan
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.connection.agent_process import AgentProcess, end_early
from acp_tui.host.connection.process_start import EarlyProcess, started_early
from acp_tui.host.records.wire_record import read_wire_record
from acp_tui.protocol.capabilities import ClientCapabilities, Offer, introduction_line
from tests.agents.scripted import Gate, Script, write_script
from tests.driven_screen import DrivenScreen
from tests.integration.driver import BOUND, Driver, driven
from tests.own_config import write_own_config
from tests.processes import processes_of, processes_of_group

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="asyncio must have made the pipes itself there")

ABLE = """
import sys
os.makedirs("lives", exist_ok=True)
open(f"lives/{os.getpid()}", "w").close()
agent.initialize()
agent.new_session()
agent.serve()
"""
STUBBORN = """
open("lives", "a").write(f"{os.getpid()}\\n")
agent.ignore_signals()
agent.expect("initialize")
open("told", "w").close()
agent.hang()
"""
WINDOW = """
import os, sys, time
from acp_tui import cli
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.process_start import Spawn
AgentProcess.grace = 0.2
cli._is_terminal = lambda *streams: True

def load(*_):
    print("loading", flush=True)
    {then}
    return 0

cli._on_screen = load
{before}
sys.exit(cli.main({arguments!r}))
"""


def launch(script: Script, cwd: Path, protocol: Offer = "1") -> LaunchPlan:
    return LaunchPlan(AgentCommand(tuple(script.argv), protocol=protocol), cwd)


def window(cwd: Path, *arguments: str, then: str = "time.sleep(600)", before: str = "") -> subprocess.Popen[bytes]:
    """The command line up to the screen, which is replaced by `then`."""
    program = WINDOW.format(arguments=arguments, then=then, before=before)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def wait_until(happened: Callable[[], bool]) -> None:
    until = time.monotonic() + BOUND
    while not happened():
        assert time.monotonic() < until
        time.sleep(0.02)


def pid_of(folder: Path) -> int:
    lives = folder / "lives"
    wait_until(lambda: lives.exists() and lives.read_text().endswith("\n"))
    [pid] = lives.read_text().split()
    return int(pid)


@pytest.mark.anyio
@pytest.mark.parametrize("protocol", ["1", "2", "auto"])
@pytest.mark.parametrize("capabilities", [ClientCapabilities(), ClientCapabilities(False, False, False)])
async def test_what_it_was_told_is_what_a_client_says(
    tmp_path: Path, protocol: Offer, capabilities: ClientCapabilities
) -> None:
    script = write_script(tmp_path, "agent.initialize(); agent.new_session(); agent.serve()")
    command = AgentCommand(tuple(script.argv), protocol=protocol)
    early = EarlyProcess()
    early.start(LaunchPlan(command, tmp_path, capabilities=capabilities))
    assert early.line == introduction_line(protocol, capabilities.with_user())
    wait_until(lambda: len(script.received()) == 1)  # before anybody serves it
    start = partial(AgentProcess.start, early=early)
    async with driven(
        Driver(Client(LaunchPlan(command, tmp_path, capabilities=capabilities), attended=True, start=start))
    ) as driver:
        await driver.ready()
        assert early.take() is None
        opening = [(piece.direction, piece.data) for piece in driver.client.traffic.opening]
        assert opening[:2] == [("start", b""), ("->", early.line)]
        assert [message["id"] for message in script.received("initialize")] == [0]
        driver.client.restart()
        await driver.until(lambda: driver.client.connection.starts == 2)
        await driver.ready()
    assert [message["id"] for message in script.received("initialize")] == [0, 0]


@pytest.mark.anyio
@pytest.mark.parametrize("other", ["argv", "env", "cwd", "nothing such"])
async def test_one_that_is_not_what_is_to_be_started_is_ended(tmp_path: Path, other: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    script = write_script(tmp_path, "agent.initialize(); agent.serve()")
    early = EarlyProcess()
    early.start(launch(script, tmp_path))
    popen = early._popen
    assert popen is not None
    argv, env, cwd = tuple(script.argv), {}, str(tmp_path)
    if other == "argv":
        argv = (*argv, "more")
    elif other == "env":
        env = {"MORE": "1"}
    elif other == "cwd":
        cwd = str(tmp_path / "elsewhere")
    else:
        argv = ("no-such-agent-anywhere",)
    if other == "nothing such":
        with pytest.raises(Exception, match="no-such-agent-anywhere"):
            await AgentProcess.start(argv, env, cwd, early)
    else:
        process = await AgentProcess.start(argv, env, cwd, early)
        assert process.pid != popen.pid
        await process.stop()
    assert popen.returncode is not None
    assert processes_of_group(popen.pid) == []


@pytest.mark.anyio
async def test_another_first_line_is_a_mistake_of_ours(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.serve()")
    early = EarlyProcess()
    early.start(launch(script, tmp_path))
    process = await AgentProcess.adopt(early)
    assert process is not None
    with pytest.raises(RuntimeError, match="was told"):
        await process.send(introduction_line("2", ClientCapabilities()))
    await process.stop()


def test_nobody_who_goes_on_with_it_ends_it(tmp_path: Path) -> None:
    with started_early(launch(write_script(tmp_path, "agent.serve()"), tmp_path)) as early:
        popen = early._popen
        assert popen is not None
    assert popen.returncode == 0
    assert early.take() is None
    end_early(early)


def test_what_cannot_be_started_is_told_in_its_time(tmp_path: Path) -> None:
    (tmp_path / "agent").write_text("#!/no/such/interpreter\n")
    (tmp_path / "agent").chmod(0o755)
    for argv in (("no-such-agent-anywhere",), (str(tmp_path / "agent"),), (sys.executable, "\0")):
        with started_early(LaunchPlan(AgentCommand(argv), tmp_path)) as early:
            assert early.take() is None


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + 15), (signal.SIGHUP, 128 + 1)]
)
def test_a_signal_while_the_rest_is_loaded_leaves_no_process(tmp_path: Path, number: int, code: int) -> None:
    program = window(tmp_path, "--", *write_script(tmp_path, STUBBORN).argv)
    agent = pid_of(tmp_path)
    assert program.stdout is not None
    program.stdout.readline()
    wait_until((tmp_path / "told").exists)
    program.send_signal(number)
    _, err = program.communicate(timeout=BOUND)
    assert (program.returncode, err) == (code, b"")
    assert processes_of_group(agent) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_between_the_start_and_the_knowledge_of_it_leaves_no_process(tmp_path: Path, number: int) -> None:
    before = f"""
start = Spawn.start
def interrupted(self):
    popen = start(self)
    os.kill(os.getpid(), {int(number)})
    return popen
Spawn.start = interrupted
"""
    program = window(tmp_path, "--", *write_script(tmp_path, "agent.serve()").argv, before=before)
    out, err = program.communicate(timeout=BOUND)
    assert (program.returncode, out, err) == (130 if number == signal.SIGINT else 143, b"", b"")
    assert processes_of(tmp_path) == []


@pytest.mark.parametrize("then", ["raise RuntimeError('oh no')", "raise SystemExit(1)", "raise cli.Fault('oh no')"])
def test_what_fails_while_the_rest_is_loaded_leaves_no_process(tmp_path: Path, then: str) -> None:
    program = window(tmp_path, "--", *write_script(tmp_path, STUBBORN).argv, then=then)
    program.communicate(timeout=BOUND)
    assert program.returncode == 1
    assert processes_of(tmp_path) == []


def test_one_whose_program_is_killed_is_ended_by_the_watchdog(tmp_path: Path) -> None:
    program = window(tmp_path, "--", *write_script(tmp_path, STUBBORN).argv)
    agent = pid_of(tmp_path)
    assert program.stdout is not None
    program.stdout.readline()
    program.kill()
    program.communicate()
    wait_until(lambda: processes_of_group(agent) == [])


@pytest.mark.parametrize(
    ("files", "arguments"),
    [
        ({".config/acp-tui/config.toml": "theme = 1\n"}, ("--",)),
        ({"servers.json": "no json"}, ("--mcp", "servers.json", "--")),
        ({}, ("--add-dir", "nowhere", "--")),
        ({}, ("--record", "nowhere/wire.jsonl", "--")),
        ({}, ("--protocol", "3", "--")),
    ],
)
def test_a_start_that_cannot_go_on_starts_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str], arguments: tuple[str, ...]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    script = write_script(tmp_path, STUBBORN)
    program = window(tmp_path, *arguments, *script.argv)
    out, err = program.communicate(timeout=BOUND)
    assert (program.returncode, out) == (2, b"")
    assert err
    assert not (tmp_path / "lives").exists()


def test_without_a_terminal_no_process_is_started(tmp_path: Path) -> None:
    script = write_script(tmp_path, STUBBORN)
    command = [sys.executable, "-m", "acp_tui", "--", *script.argv]
    ended = subprocess.run(
        command, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, timeout=BOUND, check=False
    )
    assert ended.returncode == 2
    assert not (tmp_path / "lives").exists()


@pytest.mark.parametrize("trusted", [True, False])
def test_an_agent_that_the_project_names_is_started_after_consent_only(tmp_path: Path, trusted: bool) -> None:
    script = write_script(tmp_path, STUBBORN)
    write_own_config(f"[agents.mine]\ncommand = {script.argv[0]!r}\nargs = {script.argv[1:]!r}\n")
    (tmp_path / ".acp-tui.toml").write_text("default_agent = 'mine'\n")
    before = """
from acp_tui.host.catalog.agent_list import AgentList
agent_list = AgentList(cli.Path.cwd())
agent_list.trust(agent_list.plan_of_installed(None))
"""
    then = "while not os.path.exists('lives'): time.sleep(0.01)" if trusted else "time.sleep(1)"
    program = window(tmp_path, then=then, before=before if trusted else "")
    program.communicate(timeout=BOUND)
    assert program.returncode == 0
    assert (tmp_path / "lives").exists() is trusted
    assert processes_of(tmp_path) == []


def test_the_screen_goes_on_with_it_and_the_record_has_its_line(tmp_path: Path) -> None:
    gate = Gate(tmp_path / "gate")
    script = write_script(tmp_path, f"agent.stderr('booted\\n'); agent.wait_for({str(gate.path)!r}); {ABLE}")
    with DrivenScreen("--record", "wire.jsonl", "--", *script.argv, cwd=tmp_path) as screen:
        gate.open()
        screen.wait_for("Ask anything")
        wait_until(lambda: len(script.received("session/new")) == 1)
        assert screen.quit() == 0
    gate.close()
    assert len(list((tmp_path / "lives").iterdir())) == 1
    lines = [*filter(None, read_wire_record(tmp_path / "wire.jsonl"))]
    sent = [json.loads(line.line)["method"] for line in lines if line.direction == "->"]
    assert sent[:2] == ["initialize", "session/new"]
    assert sent.count("initialize") == 1
    assert "booted" in (tmp_path / "wire.jsonl").read_text()
