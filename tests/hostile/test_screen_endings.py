"""Agents that go away, and people who leave, as it is seen at a terminal: words on the screen, nothing left behind."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.scripted import Script, write_script
from tests.driven_screen import PATIENCE, DrivenScreen

TURN = """
agent.initialize()
agent.new_session()
prompt = agent.expect("session/prompt")
agent.say("half a sen")
agent.stderr("last words\\n")
agent.update({{"sessionUpdate": "tool_call", "toolCallId": "t", "title": "A tool", "status": "in_progress"}})
{ending}
"""


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        ("agent.exit(3)", "Exit code 3"),
        ("agent.kill_self(9)", "SIGKILL"),
        ("agent.close_stdout(); agent.serve()", "closed its stdout"),
    ],
)
def test_an_agent_that_goes_away_in_a_turn_is_told_and_the_transcript_stays(
    tmp_path: Path, ending: str, told: str
) -> None:
    script = write_script(tmp_path, TURN.format(ending=ending))
    with DrivenScreen("--", *script.argv, cwd=tmp_path) as screen:
        screen.wait_for("Ask anything")
        screen.press("go\r")
        screen.wait_for(told)
        screen.wait_for("last words")
        screen.wait_until_gone("esc cancel")
        assert screen.shows("half a sen")
        assert screen.shows("A tool")
        assert not screen.shows("◐ running")
        assert screen.quit() == 1
    assert screen.recorded.is_as_before


@pytest.mark.parametrize(
    ("start", "told"),
    [
        ("agent.stderr('no key\\n'); agent.exit(7)", ("Exit code 7", "no key", "Try the command in your shell")),
        ("agent.initialize(); agent.exit(8)", ("Exit code 8", "during start-up")),
        ("agent.kill_self(6)", ("SIGABRT",)),
        ("agent.close_stdout(); agent.serve()", ("closed its stdout",)),
        ("agent.initialize({'protocolVersion': 99})", ("99",)),
        ("agent.fail(agent.expect('initialize'), -32603, 'no way', {'details': 'the key is missing'})", ("no way",)),
    ],
)
def test_an_agent_that_does_not_get_ready_says_why(tmp_path: Path, start: str, told: tuple[str, ...]) -> None:
    script = write_script(tmp_path, f"{start}; agent.serve()")
    with DrivenScreen("--", *script.argv, cwd=tmp_path, columns=160) as screen:
        for words in told:
            screen.wait_for(words)
        assert screen.quit() == 1
    assert "Traceback" not in str(screen.recorded)


FAMILY = """
import subprocess
agent.initialize()
session = agent.new_session()
prompt = agent.expect("session/prompt")
subprocess.Popen(["sh", "-c", "trap '' HUP; sleep 600 & wait"])
apart = subprocess.Popen(["setsid", "sh", "-c", "trap '' HUP; sleep 600 & wait"])
line = "setsid sleep 600 & echo $$ $!; trap '' HUP TERM; sleep 600; sleep 600"
terminal = agent.request("terminal/create", {"sessionId": session, "command": "sh", "args": ["-c", line]})
output = ""
while not output.endswith("\\n"):
    output = agent.request("terminal/output", {"sessionId": session, **terminal})["output"]
agent.say(f"groups {os.getpid()} {apart.pid} {output.strip()} end")
agent.serve()
"""
WAYS: dict[str, Callable[[DrivenScreen], None]] = {
    "Ctrl+C three times": lambda screen: screen.press("\x03\x03\x03"),
    "Ctrl+Q twice": lambda screen: screen.press_until("\x11\x11", screen._ended, again=5.0),
    "SIGTERM": lambda screen: screen.signal(signal.SIGTERM),
    "SIGHUP": lambda screen: screen.signal(signal.SIGHUP),
    "SIGQUIT": lambda screen: screen.signal(signal.SIGQUIT),
    "SIGUSR1": lambda screen: screen.signal(signal.SIGUSR1),
    "a closed terminal": lambda screen: screen.hang_up(),
    "SIGKILL": lambda screen: screen.signal(signal.SIGKILL),
}
ABRUPT = ("a closed terminal", "SIGKILL")  # after these, nothing can be given back to the terminal


@pytest.mark.parametrize("leave", WAYS.values(), ids=WAYS.keys())
def test_whoever_leaves_in_a_turn_leaves_no_process(tmp_path: Path, leave: Callable[[DrivenScreen], None]) -> None:
    script: Script = write_script(tmp_path, FAMILY)
    with DrivenScreen("--", *script.argv, cwd=tmp_path) as screen:
        before = screen.settings
        screen.wait_for("Ask anything")
        screen.press("go\r")
        screen.wait_for(" end")
        row = next(row for row in screen.recorded.rows() if "groups" in row)
        # The agent's with a child, that of a child which called setsid, and the same of a command.
        groups = [int(word) for word in row.split() if word.isdigit()]
        assert len(groups) == 4
        screen.wait_until(lambda: all(members(group) for group in groups), "four groups")
        leave(screen)
        code = screen.wait_for_end()
        way = next(name for name, way in WAYS.items() if way is leave)
        if way not in ABRUPT:
            assert screen.recorded.is_as_before
            assert screen.settings == before
            assert code == {"SIGQUIT": 131, "SIGUSR1": 128 + signal.SIGUSR1}.get(way, 0)
    deadline = time.monotonic() + PATIENCE
    while any(members(group) for group in groups):
        assert time.monotonic() < deadline, [members(group) for group in groups]


def members(group: int) -> list[str]:
    """The command lines of all processes of a group that are not zombies."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            state, _, members_of = (entry / "stat").read_text().rpartition(")")[2].split()[:3]
            if int(members_of) == group and state != "Z":
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


ABLE = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}}
TALK = """
agent.initialize({able!r})
agent.new_session({session_id!r})
agent.turn("welcome")
agent.update({{"sessionUpdate": "session_info_update", "title": "All is said"}})
agent.serve()
"""


@pytest.mark.parametrize(("session_id", "told"), [("abc-1", True), ("$(reboot)", False)])
def test_how_to_go_on_is_told_once_the_terminal_is_the_users_again(
    tmp_path: Path, session_id: str, *, told: bool
) -> None:
    script = write_script(tmp_path, TALK.format(able=ABLE, session_id=session_id))
    with DrivenScreen("--", *script.argv, cwd=tmp_path, columns=300) as screen:
        screen.wait_for("Ask anything")
        screen.press("go\r")
        screen.wait_for("All is said")
        assert screen.quit() == 0
        assert screen.shows(f"Continue with: acp-tui --resume {session_id} -- {script.argv[0]}") == told
        assert screen.shows("Continue with") == told


def test_where_nothing_was_said_there_is_nothing_to_go_on_with(tmp_path: Path) -> None:
    script = write_script(tmp_path, f"agent.initialize({ABLE!r})\nagent.new_session()\nagent.serve()")
    with DrivenScreen("--", *script.argv, cwd=tmp_path) as screen:
        screen.wait_for("is ready")
        assert screen.quit() == 0
        assert not screen.shows("Continue with")
