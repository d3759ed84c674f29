"""The help: what it shows, and in which shape."""

import re
import shlex

import pytest

from acp_tui.arguments.command_line import read_arguments
from acp_tui.arguments.help_texts import COMMANDS, WORDS
from acp_tui.arguments.parsers import parser
from acp_tui.errors import UserFault
from acp_tui.host.config.settings_table import SETTINGS
from tests.rows import each_of


@pytest.mark.parametrize("columns", ["40", "80", "200"])
@pytest.mark.parametrize("command", WORDS)
def test_no_line_is_wider_than_a_terminal(command: str, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = parser(command).format_help().splitlines()
    filled = [line for line in lines if not line.startswith("  ")]
    assert max(map(len, lines if columns != "40" else filled)) <= 79


@each_of("command", WORDS)
def test_examples_come_before_the_options(command: str) -> None:
    text = parser(command).format_help()
    assert text.startswith("usage: acp-tui")
    assert 0 < text.index("\nexamples:\n  acp-tui") < text.index("\noptions:\n  -h")
    assert not re.search(r":\n\n", text)  # no heading stands above an empty line
    assert "\n\n\n" not in text


def test_every_command_is_listed_and_is_one() -> None:
    listed = parser("").format_help().partition("\ncommands")[2].partition("\n\n")[0].splitlines()[1:]
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    for command in COMMANDS:
        with pytest.raises(SystemExit) as ended:
            read_arguments([command, "--help"])
        assert ended.value.code == 0


@each_of("command", WORDS)
def test_every_example_can_be_read(command: str) -> None:
    for line in WORDS[command].examples.splitlines():
        words = line.strip().split("  ")[0].partition("acp-tui ")[2].partition(" | ")[0]
        try:
            read_arguments(shlex.split(words))
        except UserFault as fault:
            pytest.fail(f"{line}: {fault}")


def test_each_setting_stands_apart_from_what_it_does() -> None:
    rows = parser("config").format_help().partition("\nsettings:\n")[2]
    assert all(f"\n  {name}  " in f"\n{rows}" for name in SETTINGS)


def test_short_forms_are_shown() -> None:
    text = parser("").format_help()
    for form in ("-p, --print", "-c, --continue", "-r, --resume [ID]", "-C, --cwd FOLDER", "-m, --model MODEL"):
        assert form in text
