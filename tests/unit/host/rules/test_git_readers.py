"""Words of Git: which commands only read. What the repository adds is in tests/integration/test_git_repository.py."""

import shlex

from acp_tui.host.rules.command_chain import CommandEnvironment, CommandPlace
from acp_tui.host.rules.git_readers import _commands, _words_problem, git_problem
from tests.rows import each_of

PLACE = CommandPlace("/none/root", ("/none/root",), CommandEnvironment())
ACCEPTED = """
status · status -sb · status --porcelain=v2 --branch · status -uno sub · diff · diff HEAD~1 -- a.txt · diff --stat a...b
diff --cached -U3 · diff --name-only -M90% · log · log --oneline -5 · log -n 3 --format=%H · log -p -S 'x/y' -- a.txt
log --since=2.weeks --author=me main..HEAD · log --graph --all --decorate · log -L1,5:a.txt · show · show HEAD:a.txt
show --stat abc123 · branch · branch -a -vv · branch --show-current · rev-parse HEAD · rev-parse --abbrev-ref HEAD
rev-parse --show-toplevel · ls-files · ls-files -o --exclude-standard · ls-tree -r HEAD --name-only · cat-file -p HEAD
blame -L 1,5 a.txt · merge-base main HEAD · describe --tags --always · remote · tag · tag -l 'v*' · tag -n3
stash list · reflog · reflog -5 · reflog show main · rev-list --count HEAD · shortlog -sn HEAD · name-rev HEAD
show-ref --heads · check-ignore -v a.txt · worktree list · config --get user.name · grep -n x · grep -e /x -- sub
grep -nI /etc/passwd sub · diff -- ':!sub' · shortlog -sn --all · tag -l --format '%(refname)' · log -S signature
log --oneline -- src/signature.py · branch --format '%(refname:short)' · config --get branch.main.merge
"""
REFUSED = """
push · commit · checkout x · reset · clean -fd · rebase main · fetch · pull · add . · stash · stash pop · stash drop
log --output=x · log --output x · diff --output=x · show --output=x · blame --output=x a.txt · shortlog --output=x
reflog --output=x · rev-list --output=x HEAD · stash list --output=x · log --outp=x · diff --ext-diff · diff --textconv
diff --no-index a.txt b.txt · diff -Oa.txt · diff /etc/passwd a.txt · diff -wS /etc/passwd a.txt · diff ../a ../b
grep -O./x y · grep -nO y · grep --open-files-in-pager=./x y · grep --no-index x · grep -f a.txt · grep --textconv x
grep --recurse-submodules x · show --textconv x · show --show-signature · log --show-signature · log --format=%G?
tag -l --format '%(signature)' · tag -l --format %(contents:signature) v1 · branch --format '%(signature:key)'
tag -l --sort signature · shortlog --group=%G? HEAD · shortlog --group format:%GK HEAD · log --pretty %G?
shortlog -sn · shortlog -sn -- a.txt · shortlog ':!sub' · rev-parse --show-superproject-working-tree ·
 remote -v · remote --verbose · config --get remote.origin.url · config -l
config --get branch.main.remote · config --list · show HEAD:prod.env · show HEAD -- .npmrc · grep x -- terraform.tfstate
log --pretty=%+GK · tag --format=%(signature) -l · branch --sort=signature · log --pretty=format:%(describe)
-ccore.fsmonitor=./x status · -c a=b status · -C sub status · --git-dir=x status · --no-pager log · -p log
branch x · branch -d x · branch -D x · branch --edit-description · branch -u x · tag v1 · tag -d v1 · tag -a v1
remote add x y · remote show origin · remote update · remote -v update · reflog expire --all · reflog delete x
worktree add x · worktree prune · config user.name x · config --global --get x · config --get-regexp .
config --get http.extraheader · config --get user.name x · cat-file --textconv x · cat-file --filters x · show HEAD:.env
cat-file --batch · ls-files --recurse-submodules · describe --dirty · rev-parse --parseopt · blame --contents x a.txt
show HEAD:../x · show :/etc · status -v --column · branch --column · diff --submodule=diff · notes · bisect · gc · help
status /etc · log -- /etc/passwd · blame /etc/passwd · check-ignore --stdin · rev-list --stdin · var GIT_EDITOR · x
"""


def calls(rows: str) -> list[tuple[str, ...]]:
    return [tuple(shlex.split(call)) for row in rows.strip().split("\n") for call in row.split(" · ")]


@each_of("words", calls(ACCEPTED))
def test_a_command_that_only_reads(words: tuple[str, ...]) -> None:
    """As far as its words tell: there is no repository."""
    assert git_problem(words, PLACE) == "no repository in the folders"


@each_of("words", calls(REFUSED))
def test_a_command_that_may_do_more(words: tuple[str, ...]) -> None:
    problem = git_problem(words, PLACE)
    assert problem
    assert problem != "no repository in the folders"


def test_each_command_has_a_row() -> None:
    words = {" ".join(call[:count]) for call in calls(ACCEPTED) for count in (1, 2)}
    assert words >= set(_commands())


@each_of("name", _commands())
def test_no_command_has_an_option_that_writes_or_runs(name: str) -> None:
    for option in ("--output=x", "-O", "--ext-diff", "--textconv", "--open-files-in-pager", "--show-signature"):
        assert _words_problem(name, (option,), PLACE)
