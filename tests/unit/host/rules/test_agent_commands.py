"""200 commands that agents really run, and what could answer each: programs that only read, or a rule made from it.

`agent_commands.txt` has a row for each, in our own words, after what OpenCode and Kimi Code send here, our recordings,
and public logs of Codex, Claude Code and Gemini (shell wrappers, chains, filters, redirects, heredocs, variables).
`reads`: every part only reads. `prefix`: a rule for "program + subcommand", with further words, answers the rest.
`exact`: only a rule for these very words does. `asked`: no rule is possible. `{root}` is the project.
"""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from acp_tui.host.rules.command_chain import CommandChain, CommandEnvironment, CommandPart, CommandPlace, UnreadCommand
from acp_tui.host.rules.command_grammar import read_argument_list, read_command
from acp_tui.host.rules.path_words import word_problem
from acp_tui.host.rules.program_table import prefix_of
from acp_tui.host.rules.reading_programs import reader_problem

FILE = Path(__file__).with_name("agent_commands.txt")
CLASSES = ("reads", "prefix", "exact", "asked")  # from what answers the most to what answers nothing
ENVIRONMENT = CommandEnvironment(path=os.defpath)
SHARES = {"reads": 78, "prefix": 32, "exact": 50, "asked": 40}


def rows() -> list[tuple[str, str]]:
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that has what the commands name."""
    made = tmp_path_factory.mktemp("projects") / "shop"
    for folder in ("src/orders", "tests", "web/src", "docs", "scripts", "logs", "node_modules"):
        (made / folder).mkdir(parents=True)
    for file in ("README.md", "CHANGELOG.md", "package.json", "data.json", "data.txt", "src/orders/store.py"):
        (made / file).write_text("{}\n")
    subprocess.run(["git", "init", "-q", "-b", "main", str(made)], check=True, capture_output=True)
    return made


def read(row: str, root: Path) -> CommandChain | UnreadCommand:
    row = row.replace("{root}", str(root))
    if row.startswith("["):
        return read_argument_list(json.loads(row), ENVIRONMENT)
    return read_command(json.loads(row) if row.startswith('"') else row, ENVIRONMENT)


def class_of(part: CommandPart, place: CommandPlace) -> str:
    """The least that would answer this part."""
    if not reader_problem(part, place):
        return "reads"
    if any(word_problem(word.text, place) for word in part.words):
        return "asked"
    return "prefix" if prefix_of(part) else "exact"


def answer(row: str, root: Path) -> str:
    """What would answer the whole command."""
    chain = read(row, root)
    if isinstance(chain, UnreadCommand):
        return "asked"
    folder = os.path.realpath(root / chain.folder)
    if not Path(folder).is_relative_to(root):
        return "asked"
    found, settled = list[str](), True
    for part in chain.parts:
        found.append(class_of(part, CommandPlace(folder, (str(root),), ENVIRONMENT, settled)))
        settled = settled and found[-1] == "reads"
    return max(found, key=CLASSES.index)


def test_each_command_is_answered_by_what_its_row_says(root: Path) -> None:
    wrong = [f"{wanted} but is {found}: {row}" for wanted, row in rows() if (found := answer(row, root)) != wanted]
    assert wrong == []


def test_their_shares_are_those_of_the_page() -> None:
    assert Counter(wanted for wanted, _ in rows()) == SHARES
    assert sum(SHARES.values()) == 200
    page = (Path(__file__).parents[4] / "docs" / "permissions.md").read_text(encoding="utf-8")
    reads, prefix, exact, asked = (f"{SHARES[name] / 2:.0f} %" for name in CLASSES)
    assert f"{reads} only read" in page
    assert f"{prefix} more by a rule with other arguments, {exact} by a rule for the exact words, {asked} never" in page


def test_no_command_is_there_twice() -> None:
    commands = [row for _, row in rows()]
    assert len(set(commands)) == len(commands)
