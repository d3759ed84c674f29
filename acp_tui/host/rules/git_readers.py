"""Git's commands that only read: their options, and their other words."""

import re
from functools import lru_cache

from acp_tui.host.rules.command_chain import CommandPlace
from acp_tui.host.rules.git_repository import repository_problem
from acp_tui.host.rules.path_words import file_problem
from acp_tui.host.rules.reader_options import read_words
from acp_tui.safe_text import named

_DIFF = """-puswbzMCDaRW -U[=] -S=~ -G=~ -M[=] -C[=] -B[=] -l=# -X[=] --patch --no-patch --unified=# --raw
    --patch-with-raw --patch-with-stat --stat[=] --numstat --shortstat --dirstat[=] --summary --name-only
    --name-status --color[=] --no-color --color-words[=] --word-diff[=] --word-diff-regex=~ --abbrev[=] --full-index
    --binary --find-renames[=] --find-copies[=] --find-copies-harder --no-renames --diff-filter=~ --pickaxe-regex
    --pickaxe-all --relative[=] --no-relative --text --ignore-all-space --ignore-space-change --ignore-space-at-eol
    --ignore-blank-lines --ignore-cr-at-eol --minimal --patience --histogram --diff-algorithm=~
    --inter-hunk-context=# --function-context --exit-code --quiet --check --no-ext-diff --no-textconv --no-prefix
    --src-prefix=~ --dst-prefix=~ --cached --staged --merge-base --compact-summary --ignore-submodules[=]
    --no-indent-heuristic --color-moved[=] --no-color-moved"""
_COMMITS = """-n=# -# --max-count=# --skip=# --since=~ --until=~ --after=~ --before=~ --author=~ --committer=~
    --grep=~ --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp -iEFPgmc
    --merges --no-merges --min-parents=# --max-parents=# --first-parent --all --branches[=] --tags[=] --remotes[=]
    --reverse --topo-order --date-order --author-date-order --graph --no-graph --oneline --pretty[=] --format[=]
    --abbrev-commit --no-abbrev-commit --no-abbrev --date=~ --relative-date --decorate[=] --no-decorate
    --decorate-refs=~ --source --follow --full-diff --full-history --simplify-merges --simplify-by-decoration
    --ancestry-path --sparse --dense --left-right --left-only --right-only --cherry-pick --cherry-mark --cherry
    --boundary --walk-reflogs --reflog --not --no-walk[=] --cc --combined-all-paths --no-diff-merges --no-mailmap
    --mailmap --use-mailmap --no-notes --parents --children --count --timestamp --no-commit-header -L= --exclude=~
    --glob=~ --objects --bisect-vars"""
_LOG = f"{_COMMITS} {_DIFF}"
_BLAME = "-wMCeslftnpb -L= -M[=] -C[=] --porcelain --line-porcelain --date=~ --since=~ --show-email --root --abbrev=#"
_LIST = """-arvq --all --remotes --list --verbose --show-current --contains[=] --no-contains[=] --merged[=]
    --no-merged[=] --sort=~ --format[=] --color[=] --no-color --abbrev[=] --points-at[=] --ignore-case"""
_GREP = """-nilLcwvhHEFPGoaIqWpzr -# -e=~ -A=# -B=# -C=# -m=# --cached --untracked --name-only --count --ignore-case
    --line-number --heading --break --color[=] --no-color --all-match --and --or --not --max-depth=# --full-name
    --files-with-matches --files-without-match --extended-regexp --fixed-strings --perl-regexp --basic-regexp
    --word-regexp --invert-match --show-function --function-context --column --only-matching --text --quiet --null
    --after-context=# --before-context=# --context=# --max-count=#"""

# A command with its second word, what its other words are, and its options. `named`: words only behind -l or --list.
_TABLE = f"""
status         words   -sbvuz -u[=] --short --branch --show-stash --porcelain[=] --long --verbose --untracked-files[=]
                       --ignored[=] --ignore-submodules[=] --renames --no-renames --find-renames[=] --ahead-behind
                       --no-ahead-behind
log            words   {_LOG}
show           words   {_LOG}
diff           words   {_DIFF}
branch         none    {_LIST}
rev-parse      words   -q --show-toplevel --abbrev-ref[=] --short[=] --verify --quiet --git-dir --absolute-git-dir
                       --git-common-dir --show-prefix --show-cdup --is-inside-work-tree --is-inside-git-dir --all
                       --is-bare-repository --is-shallow-repository --symbolic-full-name --symbolic --branches[=]
                       --tags[=] --remotes[=] --show-object-format[=] --show-superproject-working-tree --revs-only
ls-files       words   -cdmosuztvi -x=~ --cached --deleted --modified --others --ignored --stage --unmerged --full-name
                       --exclude-standard --directory --no-empty-directory --error-unmatch --exclude=~ --eol --killed
ls-tree        words   -rdtlz --name-only --name-status --full-name --full-tree --long --abbrev[=] --object-only
cat-file       words   -tsep
blame          words   {_BLAME}
merge-base     words   -a --all --is-ancestor --fork-point --octopus --independent
describe       words   --tags --all --always --long --abbrev=# --match=~ --exclude=~ --contains --exact-match
                       --first-parent --candidates=#
remote         none    -v --verbose
tag            named   -ln -n[=] --list --contains[=] --no-contains[=] --merged[=] --no-merged[=] --sort=~ --format[=]
                       --points-at[=] --ignore-case --color[=]
stash list     words   {_LOG}
reflog         none    {_LOG}
reflog show    words   {_LOG}
rev-list       words   {_COMMITS}
shortlog       words   {_COMMITS} -sne --summary --numbered --email --group=~
name-rev       words   --name-only --tags --refs=~ --exclude=~ --always --no-undefined
show-ref       words   -dsq -s[=] --heads --branches --tags --hash[=] --dereference --abbrev[=] --head --verify --quiet
check-ignore   words   -vqn --verbose --quiet --non-matching --no-index
worktree list  none    -vz --porcelain --verbose
config --get   key
grep           pattern {_GREP}
"""
_COMPARING = {"status", "diff"}
_KEY = re.compile(r"(?:user|core|init|branch|pull|push|fetch|commit|merge|diff|log|color|remote)\.[\w./-]+")
_FORMATS = re.compile(r"--(?:format|pretty|sort)\b.*(?:%[-+ ]?G|signature|%\(describe)", re.DOTALL)


@lru_cache(maxsize=1)
def _commands() -> dict[str, tuple[str, str]]:
    rows = {}
    for row in re.split(r"\n(?=\S)", _TABLE.strip()):
        found = re.match(r"(\S+(?: \S+)?)\s+(words|none|named|key|pattern)\s*(.*)", row, re.DOTALL)
        assert found is not None, row  # noqa: S101 (a table in this file)
        rows[found[1]] = (found[2], found[3])
    return rows


def git_problem(words: tuple[str, ...], place: CommandPlace) -> str:
    """Why a call of Git with these words does more than read, for the screen; empty if it only reads. It blocks."""
    name = next((name for name in (" ".join(words[:2]), *words[:1]) if name in _commands()), "")
    if not name:
        return f"git {named(' '.join(words[:1])[:40])} is not in the list of commands that only read"
    if problem := _words_problem(name, words[len(name.split()) :], place):
        return problem
    return repository_problem(place, compares_files=name in _COMPARING)


def _words_problem(name: str, words: tuple[str, ...], place: CommandPlace) -> str:
    kind, options = _commands()[name]
    read = read_words(options, words, style="git")
    if read.problem:
        return read.problem
    operands = read.operands
    if any(map(_FORMATS.match, (*read.given, *(f"{option}={text}" for option, text in read.texts)))):
        return "a format that runs a program"
    if kind == "key":
        return "" if len(operands) == 1 and _KEY.fullmatch(operands[0]) else "a setting that may hold credentials"
    if operands and (kind == "none" or (kind == "named" and not {"-l", "--list"} & {*read.options})):
        return f"git {name} with a name may change it"
    if kind == "pattern" and "-e" not in read.options:
        operands = operands[1:]
    for word in (*operands, *read.paths):
        for path in (word, *word.split(":"), *word.split(",")):
            if problem := file_problem(path, place):
                return problem
    return ""
