"""The line that goes on with a session in its agent's own CLI: exact, quoted, or refused."""

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS
from acp_tui.host.catalog.resume_commands import SESSION, own_cli_line
from tests.rows import each_of
from tests.strategies import nasty_texts


@pytest.mark.parametrize(
    ("argv", "command"),
    [
        (("claude-agent-acp",), "claude --resume s-1"),
        (("/home/me/.local/bin/claude-agent-acp", "--flag"), "claude --resume s-1"),
        (("npx", "@agentclientprotocol/claude-agent-acp@0.101.0"), "claude --resume s-1"),
        (("codex-acp",), "codex resume s-1"),
        (("env", "A=b", "opencode", "acp"), "opencode --session s-1"),
        (("kimi", "acp"), "kimi --session s-1"),
    ],
)
def test_the_command_is_that_of_the_table(argv: tuple[str, ...], command: str) -> None:
    assert own_cli_line(argv, "Agent", "s-1", "/home/me/my project") == f"cd '/home/me/my project' && {command}"


@pytest.mark.parametrize("argv", [(), ("some-agent",), ("gemini", "--acp"), ("claude",)])
def test_an_agent_for_which_it_was_not_tried_has_none(argv: tuple[str, ...]) -> None:
    with pytest.raises(UserFault, match="how to continue Some agent sessions in its own CLI") as caught:
        own_cli_line(argv, "Some agent", "s-1", "/p")
    assert "OpenCode, Claude Agent, Codex" in str(caught.value)


@each_of(
    "odd",
    [
        "",
        "-x",
        "--help",
        "a b",
        "a;b",
        "$(reboot)",
        "a\nb",
        "a'b",
        "*",
        "~",
        "a/../b",
        "é",
        "x" * 201,
        "a\x1b[2J",
        "`x`",
    ],
)
def test_an_id_that_is_no_plain_word_is_refused(odd: str) -> None:
    with pytest.raises(UserFault):
        own_cli_line(("codex-acp",), "Codex", odd, "/p")


@given(nasty_texts)
def test_whatever_a_folder_is_called_it_is_one_word_or_refused(folder: str) -> None:
    try:
        line = own_cli_line(("codex-acp",), "Codex", "s", f"/{folder}")
    except UserFault:
        return
    assert shlex.split(line) == ["cd", f"/{folder}", "&&", "codex", "resume", "s"]
    assert line.isprintable()


def test_a_shell_reads_it_as_it_is_meant(tmp_path: Path) -> None:
    folder = tmp_path / "a 'b' $(c) \"d\" ;&"
    folder.mkdir()
    line = own_cli_line(("codex-acp",), "Codex", "id_1.2:3", str(folder))
    shown = subprocess.run(
        ["/bin/sh", "-c", f'codex() {{ printf "%s|" "$PWD" "$@"; }}; {line}'],
        capture_output=True,
        check=True,
        text=True,
    )
    assert shown.stdout == f"{folder}|resume|id_1.2:3|"


def test_the_table_names_the_session_in_each() -> None:
    assert [agent.name for agent in KNOWN_AGENTS if agent.own_cli] == ["opencode", "claude", "codex", "kimi"]
    assert all(agent.own_cli.count(SESSION) == 1 for agent in KNOWN_AGENTS if agent.own_cli)
