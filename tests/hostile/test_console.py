"""Nasty text in every place that a complaint or a list may name, and every command that is run without a screen.

Two-sided: nothing of it reaches standard output or standard error as it came, no line of its own making looks like
one of ours, and the place that it is about is still named.
"""

import contextlib
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui import cli
from acp_tui.host.config.config import PROJECT_FILE, own_file
from acp_tui.host.config.state_files import state_folder
from acp_tui.ui.commands.key_table import rebind
from tests.agents.scripted import write_script
from tests.driven_screen import DrivenScreen
from tests.examples import SHARING
from tests.integration.runs import HEAD, run
from tests.own_config import write_own_config
from tests.strategies import ONE_OF_EACH, UNSAFE, nasty_texts

ESCAPE = "\x1b]0;EVIL\x07\x1b[2J\x9d0;EVIL\x9c\u202e\u2066\u3164"
FORGED = "FORGED: all is well"
NASTY = f"{ESCAPE}\n{FORGED}\r{FORGED}\u2028{FORGED}"
BRIEF = "\x1b]0;E\x07\u202e\u3164\n!"
# Every command, with the places of its arguments that foreign words get into.
COMMANDS = {
    "agents": ["agents"],
    "config": ["config", "--print"],
    "search": ["search", "EVIL"],
    "search for it": ["search", "{nasty}"],
    "a named agent": ["--agent", "{nasty}"],
    "the default agent": ["run", "hi"],
    "run by name": ["run", "hi", "--agent", "{nasty}"],
    "a command": ["--", "{nasty}"],
    "run a command": ["run", "hi", "--no-record", "--", "./{nasty}"],
    "a prompt": ["run", "{nasty}", "--no-record", "--", "/no/such/agent"],
    "an option": ["--{nasty}"],
    "an abbreviation": ["run", "--per={nasty}"],
    "an action": ["{nasty}"],
    "a choice": ["run", "hi", "--format", "{nasty}"],
    "a number": ["changes", "--turn", "{nasty}"],
    "an option that is gone": ["replay", "x", "--speed={nasty}"],
    "a setting": ["run", "hi", "--set", "{nasty}"],
    "a folder": ["agents", "--cwd", "{nasty}"],
    "a root": ["run", "hi", "--add-dir", "{nasty}", "--", "cat"],
    "a record": ["replay", "{nasty}"],
    "a new record": ["run", "hi", "--record", "{nasty}/x", "--", "cat"],
    "tool servers": ["run", "hi", "--mcp", "{nasty}", "--", "cat"],
    "help": ["--help"],
    "help with a run": ["run", "--help", "{nasty}"],
}


def quoted(text: str) -> str:
    """A TOML string of any text, by numbers: what is beyond them is replaced."""
    codes = (ord(sign) for sign in text)
    return '"' + "".join("?" if 0xD800 <= code < 0xE000 else f"\\U{code:08x}" for code in codes) + '"'


# What a project's file may hold, each broken, odd or complete in its own way.
PROJECTS = {
    "wrong value": "[agents.{nasty}]\nargs = 5\n",
    "wrong words": "default_agent = 5\ntheme = {nasty}\n",
    "word that is no choice": "[agents.x]\ncommand = 'cat'\nprotocol = {nasty}\n",
    "unknown names": "{nasty} = 1\n[agents.x]\ncommand = 'cat'\n{nasty} = 2\n",
    "default agent": "default_agent = {nasty}\n",
    "theme": "theme = {nasty}\n",
    "keys": "[keys]\n{nasty} = 'f1'\nsubmit = {nasty}\n",
    "agent": "default_agent = {nasty}\n[agents.{nasty}]\ncommand = 'cat'\nargs = [{nasty}]\ntitle = {nasty}\n"
    "description = {nasty}\nenv = {{ {nasty} = {nasty} }}\n[agents.{nasty}.mcp_servers.{nasty}]\ncommand = {nasty}\n",
    "agent without command": "[agents.{nasty}]\ntitle = {nasty}\n",
    "agent that is not there": "default_agent = {nasty}\n[agents.{nasty}]\ncommand = {nasty}\n",
    "agent in a folder": "default_agent = 'x'\n[agents.x]\ncommand = 'cat'\ncwd = {nasty}\n",
    "agent with a file": "default_agent = 'x'\n[agents.x]\ncommand = 'cat'\nenv_file = {nasty}\n",
    "folder": "[folders.{nasty}]\ndefault_agent = {nasty}\n",
    "folder with a file": "[folders.'/']\nenv_file = {nasty}\ndefault_agent = {nasty}\n"
    "mcp_servers = {{ {nasty} = {{ command = {nasty} }} }}\nappend_system_prompt = {nasty}\n{nasty} = 1\n",
    "no TOML": "[[[{nasty}",
}


def name_of(nasty: str) -> str:
    """As the name of a folder or file: what cannot stand there is left out, and it is short."""
    name = nasty.replace("/", "").replace("\0", "").encode("utf-8", "replace")[:200].decode(errors="ignore")
    return name.strip(".") or "x"


def said(arguments: list[str]) -> tuple[str, str]:
    """What main() writes to both streams."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), contextlib.suppress(SystemExit):
        cli.main(arguments)
    return out.getvalue(), err.getvalue()


def check(*texts: str) -> None:
    for text in texts:
        assert UNSAFE.findall(text) == []
        assert [line for line in text.split("\n") if line.startswith(FORGED)] == []


@pytest.fixture(autouse=True)
def own_keys() -> Iterator[None]:
    """Other tests want the commands' own keys."""
    yield
    rebind({})


@pytest.fixture
def nasty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / name_of(NASTY)
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", [NASTY])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    return folder


@pytest.mark.usefixtures("nasty_folder")
@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS.keys())
def test_arguments_and_the_folder_reach_no_stream_as_they_are(arguments: list[str]) -> None:
    out, err = said([argument.replace("{nasty}", NASTY.replace("\0", "")) for argument in arguments])
    assert out or err
    check(out, err)


@pytest.mark.parametrize("whose", ["project", "own"])
@pytest.mark.parametrize("text", PROJECTS.values(), ids=PROJECTS.keys())
def test_config_files_reach_no_stream_as_they_are(nasty_folder: Path, text: str, whose: str) -> None:
    path = nasty_folder / PROJECT_FILE if whose == "project" else own_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(nasty=quoted(NASTY)))
    for arguments in (["agents"], ["config", "--print"], ["run", "hi"], ["run", "hi", "--agent", NASTY]):
        check(*said(arguments))


@SHARING
@given(nasty=nasty_texts, text=st.sampled_from([*PROJECTS.values()]), arguments=st.sampled_from([*COMMANDS.values()]))
@pytest.mark.usefixtures("nasty_folder")
def test_any_nasty_text_anywhere(nasty: str, text: str, arguments: list[str]) -> None:
    Path(PROJECT_FILE).write_text(text.format(nasty=quoted(nasty)), encoding="utf-8")
    check(*said([argument.replace("{nasty}", nasty.replace("\0", "")) for argument in arguments]))


def test_the_place_is_named_as_it_is_written(nasty_folder: Path) -> None:
    write_own_config('[agents."\\u001b]0;EVIL\\u0007"]\nargs = 5\n')
    _, err = said(["config", "--print"])
    assert 'line 2, agents."\\u001b]0;EVIL\\u0007".args: must be a list' in err
    write_own_config("")
    (nasty_folder / PROJECT_FILE).write_text('theme = "nord"\n"\\u001b]0;EVIL\\u0007" = 5\n')
    out, _ = said(["config", "--print"])
    assert 'line 2, "\\u001b]0;EVIL\\u0007": unknown setting' in out


def test_nothing_of_a_nasty_project_reaches_the_streams_of_the_program(tmp_path: Path) -> None:
    """As a process, as a shell starts it; with the name of the folder in each complaint."""
    folder = tmp_path / name_of(NASTY)
    folder.mkdir()
    (folder / PROJECT_FILE).write_text(f"{quoted(ONE_OF_EACH)} = 5\n[agents.{quoted(ONE_OF_EACH)}]\nargs = 5\n")
    ended = run("agents", cwd=folder)
    assert "unknown setting" in ended.out
    assert "no longer used in a project's file: agents" in ended.out
    check(ended.out, ended.err)


def test_records_are_searched_without_their_escapes(nasty_folder: Path, tmp_path: Path) -> None:
    script = write_script(
        tmp_path, HEAD + f"    agent.say({'EVIL ' + NASTY!r})\n    agent.end_turn(prompt)\n    agent.exit(0)\n"
    )
    run("run", "EVIL" + ESCAPE.replace("\0", ""), "--", *script.argv, cwd=nasty_folder)
    assert any(state_folder().rglob("*.jsonl"))
    out, err = said(["search", "--runs", "EVIL"])
    assert "EVIL" in out
    check(out, err)


def test_a_run_says_all_in_safe_lines(nasty_folder: Path, tmp_path: Path) -> None:
    """Standard error is safe wherever it goes; standard output gives a pipe each character."""
    script = write_script(
        tmp_path,
        f"""
    evil = {NASTY!r}
    agent.stderr(evil + "\\n")
    agent.initialize({{"protocolVersion": 1, "agentInfo": {{"name": evil, "title": evil, "version": evil}}}})
    agent.new_session()
    prompt = agent.expect("session/prompt")
    agent.say("EVIL" + evil)
    agent.update({{"sessionUpdate": "tool_call", "toolCallId": "1", "title": evil, "kind": evil}})
    agent.fail(prompt, -32603, evil, evil)
    agent.exit(3)
""",
    )
    ended = run("run", "hi", "--", *script.argv, cwd=nasty_folder)
    assert ESCAPE in ended.out
    assert "EVIL" in ended.err
    check(ended.err)


def test_json_has_no_character_but_ascii(nasty_folder: Path, tmp_path: Path) -> None:
    script = write_script(
        tmp_path, HEAD + f"    agent.say({ONE_OF_EACH!r})\n    agent.end_turn(prompt)\n    agent.exit(0)\n"
    )
    ended = run("run", "hi", "--format", "json", "--", *script.argv, cwd=nasty_folder)
    assert "message_chunk" in ended.out
    assert re.fullmatch(r"[\x20-\x7e\n]*", ended.out)
    check(ended.err)


OTHERS = """
import logging, sys, threading, warnings
from acp_tui.console import take_streams
take_streams()
evil = sys.argv[1]
print(evil)
sys.stderr.writelines(["1", evil])
warnings.showwarning("2" + evil, UserWarning, evil, 1)
logging.getLogger("library").error("3" + evil)
def fail(*_):
    raise ValueError("4" + evil)
thread = threading.Thread(target=fail)
thread.start()
thread.join()
class Unraisable:
    __del__ = fail
Unraisable()
print(sys.stdout.isatty(), sys.stdout.encoding, file=sys.stderr)
fail()
"""


def test_what_others_write_passes_the_door_too(tmp_path: Path) -> None:
    """Python's own last words: warnings, logs of libraries, tracebacks of threads, what cannot be raised."""
    ended = subprocess.run(
        [sys.executable, "-c", OTHERS, NASTY], cwd=tmp_path, check=False, capture_output=True, encoding="utf-8"
    )
    assert ended.returncode == 1
    assert "EVIL" in ended.stdout
    assert ended.stderr.count("ValueError: 4") == 3
    assert all(f"{number}\u241b" in ended.stderr for number in range(1, 5))
    assert UNSAFE.findall(ended.stdout + ended.stderr) == []


def test_streams_that_are_closed_are_replaced() -> None:
    code = (
        "import sys; from acp_tui.console import take_streams; take_streams(); print(1, file=sys.stderr); sys.exit(7)"
    )
    assert (
        subprocess.run(["/bin/sh", "-c", f'"{sys.executable}" -c "{code}" <&- >&- 2>&-'], check=False).returncode == 7
    )


def test_a_mistake_of_ours_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_given: list[str]) -> int:
        raise ValueError(NASTY)

    monkeypatch.setattr(cli, "_main", fail)
    _, err = said([])
    assert "acp-tui crashed" in err
    check(err)


def test_names_of_folders_files_and_agents_are_safe_on_the_screen(tmp_path: Path) -> None:
    """What a checkout brings along: its name, its files, its settings; complaints about them are toasts."""
    folder = tmp_path / name_of(BRIEF)
    folder.mkdir()
    (folder / "file\u3164\uffa0\u2800👍🏽").write_text("")
    (folder / PROJECT_FILE).write_text(
        "{0} = 1\ntheme = {0}\ndefault_agent = {1}\n[keys]\n{0} = 'f1'\n[agents.{0}]\n".format(
            quoted(BRIEF), quoted(f"{BRIEF}!")
        )
    )
    agent = "[agents.{0}]\ncommand = 'cat'\ntitle = {0}\ndescription = {0}\nargs = [{0}]\n".format(quoted(BRIEF))
    write_own_config(f"{agent}[keys]\n{quoted('SHOWN' + NASTY)} = 'f1'\nsubmit = {quoted('SHOWN' + NASTY)}\n")
    script = write_script(tmp_path, "agent.initialize()\nagent.new_session()\nagent.serve()\n")
    with DrivenScreen("--", *script.argv, cwd=folder, rows=40, columns=120) as screen:
        screen.wait_for("setting.")  # the end of a toast, whose lines break elsewhere each time
        screen.wait_for("● ready")  # in the header, where no toast lies over it until its time is over
        screen.press("@")
        screen.wait_for("file\ufffd\ufffd 👍")
        screen.press("\x7f")
        screen.quit()
    with DrivenScreen(cwd=folder, rows=40, columns=120) as agents:
        agents.wait_for("␛]0;E␇")
        agents.quit()
    assert screen.recorded.foreign + agents.recorded.foreign == []
    assert [title for title in screen.recorded.titles if UNSAFE.search(title)] == []
