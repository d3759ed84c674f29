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

from acp_tui.host.rules.command_chain import CommandEnvironment
from acp_tui.host.rules.request_claim import RequestClaim
from acp_tui.host.rules.rule_book import with_id
from acp_tui.host.rules.rule_offers import decide, offer_of

FILE = Path(__file__).with_name("agent_commands.txt")
CLASSES = ("reads", "prefix", "exact", "asked")  # from what answers the most to what answers nothing
ENVIRONMENT = CommandEnvironment(path=os.defpath)
SHARES = {"reads": 76, "prefix": 24, "exact": 55, "asked": 45}


def rows() -> list[tuple[str, str]]:
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that has what the commands name."""
    made = Path(os.path.realpath(tmp_path_factory.mktemp("projects"))) / "shop"
    for folder in ("src/orders", "tests", "web/src", "docs", "scripts", "logs", "node_modules"):
        (made / folder).mkdir(parents=True)
    for file in ("README.md", "CHANGELOG.md", "package.json", "data.json", "data.txt", "src/orders/store.py"):
        (made / file).write_text("{}\n")
    subprocess.run(["git", "init", "-q", "-b", "main", str(made)], check=True, capture_output=True)
    return made


def claim_of(row: str, root: Path) -> RequestClaim:
    row = row.replace("{root}", str(root))
    command = tuple(json.loads(row)) if row.startswith("[") else json.loads(row) if row.startswith('"') else row
    return RequestClaim("Agent", "execute", str(root), (str(root),), command)


def answer(row: str, root: Path) -> str:
    """What would answer it. Rules that are offered for it answer it once they are made."""
    claim, project = claim_of(row, root), str(root)
    if decide(claim, (), ENVIRONMENT, readers=True) is not None:
        return "reads"
    offer = offer_of(claim, (), ENVIRONMENT, project, readers=True)
    made = [with_id(offered.choices[0]) for offered in offer.rows]
    decision = decide(claim, made, ENVIRONMENT, readers=True)
    if not made:
        assert decision is None
        return "asked"
    assert decision is not None
    assert set(decision.rules) == set(made)
    return max((rule.kind for rule in made), key=CLASSES.index)


def test_each_command_is_answered_by_what_its_row_says(root: Path) -> None:
    wrong = [f"{wanted} but is {found}: {row}" for wanted, row in rows() if (found := answer(row, root)) != wanted]
    assert wrong == []


def test_their_shares_are_those_of_the_page() -> None:
    assert Counter(wanted for wanted, _ in rows()) == SHARES
    assert sum(SHARES.values()) == 200
    page = (Path(__file__).parents[4] / "docs" / "permissions.md").read_text(encoding="utf-8")
    words = (
        "{reads} are read-only, {prefix} more can be covered by a rule with other arguments, "
        "{exact} only by a rule for the exact command, and {asked} not at all"
    )
    assert words.format(**SHARES) in " ".join(page.split())


def test_no_command_is_there_twice() -> None:
    commands = [row for _, row in rows()]
    assert len(set(commands)) == len(commands)
