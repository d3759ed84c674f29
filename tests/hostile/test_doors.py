"""What an agent asks of files and terminals, many at once: refused, or done as it is written."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.scripted import write_script
from tests.integration.driver import connected
from tests.integration.runs import BOUND, HEAD

pytestmark = pytest.mark.anyio

Case = tuple[str, Any]

ALL = """
    def told(answer):
        error = answer.get("error")
        return f"{error['code']} {error['message']}" if error else json.dumps(answer["result"])
    asked = [agent.ask(method, params) for method, params in json.loads(CASES)]
    agent.say(json.dumps([told(agent.answer_to(one)) for one in asked]))
    agent.end_turn(prompt)
    agent.serve()
"""


async def answers(folder: Path, cases: list[Case]) -> list[str]:
    """What each request got: its error's code and message, or its result."""
    script = write_script(folder.parent, HEAD + f"    CASES = {json.dumps(cases)!r}\n" + ALL)
    async with connected(script, folder) as driver:
        driver.submit("go")
        await driver.idle()
        told: list[str] = json.loads("".join(driver.said()))
        assert driver.client.connection.fault is None
    return told


def of(path: object, **members: Any) -> dict[str, Any]:
    return {"sessionId": "session-1", "path": str(path), **members}


def refused_cases(root: Path, outside: Path) -> list[Case]:
    """Reads and writes of what is not there, not a file, not in the root, not a path or not a number."""
    bad = [
        *("dangling", "up/outside/secret", "../outside/secret", "loop", "loop/x", "process/etc/hostname"),
        *(f"folder/{outside}/new", "zero", "fifo", "socket", "x" * 300, "a\0b", "d/" * 3_000 + "x"),
    ]
    cases: list[Case] = [("fs/read_text_file", of(f"{root}/{path}")) for path in bad]
    cases += [("fs/write_text_file", of(f"{root}/{path}", content="OWNED")) for path in bad]
    away = ["/dev/zero", str(Path("/proc/self/root", "etc/hostname")), str(outside / "secret"), "lines", "", "~/lines"]
    cases += [("fs/read_text_file", of(path)) for path in away]
    numbers: dict[str, tuple[Any, ...]] = {"line": ("x", -1, 1.5, [], "1"), "limit": ("x", -1, {}, "1")}
    for name, values in numbers.items():
        cases += [("fs/read_text_file", of(root / "lines", **{name: value})) for value in values]
    shapeless: tuple[Any, ...] = (None, [], 5, {}, "x")
    for method in ("fs/read_text_file", "fs/write_text_file"):
        cases += [(method, params) for params in shapeless]
        cases += [(method, of(root / "lines", sessionId="other", content="OWNED"))]
    return cases


async def test_no_path_and_no_number_leads_anywhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("top secret")
    (root / "lines").write_text("1\n2\n3\n")
    links = {"dangling": f"{outside}/new", "up": "..", "loop": "pool", "pool": "loop", "zero": "/dev/zero"}
    links |= {"process": "/proc/self/root", "folder": f"/proc/{os.getpid()}/root"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    os.mkfifo(root / "fifo")
    monkeypatch.chdir(root)  # a socket's address is short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        before = sorted(root.iterdir())
        cases = refused_cases(root, outside)
        told = await answers(root, [*cases, ("fs/read_text_file", of(root / "lines", line=2**63, limit=2**63))])
    assert [(case, one) for case, one in zip(cases, told, strict=False) if not one.startswith("-32")] == []
    assert told[-1] == '{"content": ""}'
    assert "top secret" not in "".join(told)
    assert sorted(root.iterdir()) == before
    assert (root / "lines").read_text() == "1\n2\n3\n"
    assert {path.name: path.read_text() for path in outside.iterdir()} == {"secret": "top secret"}


TERMINALS = r"""
    def outcome(method, **params):
        try:
            return agent.request("terminal/" + method, {"sessionId": session, **params})
        except Refused as refused:
            return refused.code
    kept = []
    for limit in (0, 1, 5, 10**12):
        known = outcome("create", command="printf", args=[r"\303\244\303\266\377\303\274x"], outputByteLimit=limit)
        outcome("wait_for_exit", **known)
        last = outcome("output", **known)
        kept.append([last["output"], last["truncated"]])
    unknown = [outcome(method, terminalId="no") for method in ("output", "kill", "release", "wait_for_exit")]
    known = outcome("create", command="true")
    twice = [outcome(method, **known) for method in ("release", "release", "output")]
    env = [{"name": "A=B", "value": "x"}]
    wrong = [{"outputByteLimit": -1}, {"cwd": "/"}, {"cwd": "a\0b"}, {"env": env}, {"env": {}}, {"args": ["a\0b"]}]
    created = [outcome("create", command="true", **one) for one in wrong]
    agent.say(json.dumps([kept, unknown, twice, created]))
    agent.end_turn(prompt)
    agent.serve()
"""


async def test_terminals_give_what_there_is_and_refuse_the_rest(tmp_path: Path) -> None:
    script = write_script(tmp_path, HEAD + TERMINALS)
    async with connected(script, tmp_path) as driver:
        driver.submit("go")
        await driver.idle()
        kept, unknown, twice, created = json.loads("".join(driver.said()))
    assert kept == [["", True], ["x", True], ["üx", True], ["äö\ufffdüx", False]]
    assert (unknown, twice, created) == ([-32002] * 4, [{}, -32002, -32002], [-32602] * 6)


FULL = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
from acp_tui.cli import main
sys.exit(main())
"""
WRITES = """
    for path in ("old", "new", "folder/new"):
        path = os.path.join(os.getcwd(), path)
        try:
            agent.request("fs/write_text_file", {"sessionId": session, "path": path, "content": "x" * 1_000_000})
        except Refused as refused:
            agent.say(refused.message + "\\n")
    for number in range(10):
        agent.think("y" * 100_000)
    agent.say("the end")
    agent.end_turn(prompt)
    agent.serve()
"""


def test_a_disk_that_is_full_ends_nothing_and_spoils_nothing(tmp_path: Path) -> None:
    """No file may be longer than so many bytes: writes fail in their middle, as on a disk that is full."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "old").write_text("old text")
    script = write_script(tmp_path, HEAD + WRITES)
    argv = [sys.executable, "-c", FULL, "run", "go", "--", *script.argv]
    ended = subprocess.run(argv, cwd=root, capture_output=True, text=True, timeout=BOUND, check=False)
    assert ended.returncode == 0
    assert ended.stderr.count("Recording of this session has stopped") == 1
    assert ended.stdout.count("File too large") == 3
    assert ended.stdout.endswith("the end\n")
    assert {path.name: path.read_text() for path in root.rglob("*") if path.is_file()} == {"old": "old text"}
