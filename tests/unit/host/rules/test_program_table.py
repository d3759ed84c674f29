"""Programs: what may be offered with other arguments, and what only exactly."""

import shlex

from acp_tui.host.rules.command_chain import CommandPart, ShellWord
from acp_tui.host.rules.program_table import argument_problem, base_name, prefix_of, runs_others, runs_project
from tests.rows import each_of

PROJECT = (
    "pytest -q · cargo test x · cargo build · go test ./... · mix test · gradle test · tox · npm test · yarn test --x"
)
PREFIXES = "git add . · git commit -m x · pip3 list"
EXACT_HERE = """
sh x · bash -c x · BASH -c x · zsh.exe x · python3 x · python3.11 x · Python -m pytest · node20 x · perl -e x
ruby x · env x · sudo x · doas x · xargs x · find . · ssh h x · make test · just test · npm run x · npm exec x
npm install · pnpm run x · yarn build · bun run x · npx x · uvx x · uv run pytest · pipx run x · docker run x
kubectl get x · time x · timeout 5 x · nice x · nohup x · watch x · tee x · awk x · sed -i x · ./x · bin/x y
/usr/bin/git status · rm x · mv a b · cp a b · dd x · chmod +x a · kill 1 · git push · git reset · git checkout x
git clean · git rebase · git -C x status · git -c a=b log · cargo run · cargo install x · go run x · go generate
deno run x · pip install x · gh pr merge 1 · gh api x · foo run x · foo exec x · foo delete x · python3.11-dbg x
vim x · curl x · gradlew run · vitest init · golangci-lint custom · mvn deploy · terraform apply · ln -s a b
"""
EXACT = "foo bar baz · kind get x · foo -x bar · foo ./bar · grep x a · sort a · cat a · git blame a · git fsck"


def part_of(call: str) -> CommandPart:
    program, *words = shlex.split(call)
    return CommandPart(program, tuple(map(ShellWord, words)))


def calls(rows: str) -> list[CommandPart]:
    return [part_of(call) for row in rows.strip().split("\n") for call in row.split(" · ")]


@each_of("part", calls(PROJECT))
def test_a_tool_of_a_project(part: CommandPart) -> None:
    assert (bool(prefix_of(part)), runs_project(part), runs_others(part)) == (True, True, False)


@each_of("part", calls(PREFIXES))
def test_a_program_with_a_command_of_its_own(part: CommandPart) -> None:
    assert (prefix_of(part), runs_project(part), runs_others(part)) == (part.argv[:2], False, False)


@each_of("part", calls(EXACT_HERE))
def test_what_runs_others_or_destroys(part: CommandPart) -> None:
    assert (prefix_of(part), runs_project(part), runs_others(part)) == ((), False, True)


@each_of("part", calls(EXACT))
def test_what_has_no_command_of_its_own(part: CommandPart) -> None:
    assert (prefix_of(part), runs_project(part), runs_others(part)) == ((), False, False)


@each_of(
    ("call", "prefix"),
    [
        ("pytest -q x", ("pytest",)),
        ("pytest-3 x", ("pytest-3",)),
        ("cargo test x", ("cargo", "test")),
        ("mkdir -p a", ("mkdir",)),
        ("gh pr view 1", ("gh", "pr", "view")),
        ("gh run list", ("gh", "run", "list")),
    ],
)
def test_prefixes(call: str, prefix: tuple[str, ...]) -> None:
    assert prefix_of(part_of(call)) == prefix


@each_of(
    ("call", "covered"),
    [
        ("cargo test -p core --release some_test", True),
        ("cargo test -- --nocapture", True),
        ("pytest -k 'a or b' tests/test_a.py::test_b[1]", True),
        ("git commit -m 'fix $x' --message=$y", True),
        ("pytest -k x -k=y", True),
        ("git commit -m --amend", False),  # for some programs -m has no value then
        ("jest test -t --config=./x.js", False),
        ("pytest -k --basetemp=x", False),
        ("pytest -xp evil", False),
        ("ktlint installGitPreCommitHook", False),
        ("mocha init", False),
        ("cargo test --config x", False),
        ("cargo test --features='$(x)'", False),
        ("cargo test --package=git+https://example.org/x", False),
        ("go test -run=^TestA$ ./...", True),
        ("pytest @x", False),
        ("pytest '{a}'", False),
        ("npm test https://example.org", False),
        ("npm test data:x", False),
        ("gradle test publish", False),
    ],
)
def test_arguments_that_a_rule_covers(call: str, covered: bool) -> None:
    assert (argument_problem(part_of(call), 1 if call[:6] in ("pytest", "ktlint", "mocha ") else 2) == "") is covered


@each_of(
    ("program", "name"),
    [
        ("python3.11", "python"),
        ("/usr/bin/Node20.EXE", "node"),
        ("g++-12", "g++"),
        ("redis-cli", "redis-cli"),
        ("7", "7"),
    ],
)
def test_a_base_name(program: str, name: str) -> None:
    assert base_name(program) == name
