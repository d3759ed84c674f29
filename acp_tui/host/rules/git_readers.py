"""Git's commands that only read: their options, and their other words.

The repository around a folder is checked for all that would have a reading Git start a program or read elsewhere. Git
is not believed with it: what it would find is found here by names, and of its settings each key must be listed. Any
trouble is a reason to ask.
"""

import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from acp_tui.host.rules.command_chain import CommandPlace
from acp_tui.host.rules.path_words import file_problem, lies_in
from acp_tui.host.rules.reader_options import read_words
from acp_tui.host.system.git import Git, content_of
from acp_tui.safe_text import named

_SETTINGS_AT_MOST = 1 << 20  # bytes of a config file
_INDEX_AT_MOST = 64 << 20  # bytes; about 600,000 files, searched in 20 ms
_WITHIN = 3.0  # seconds for the list of a config file's keys, which takes 3 ms
_SUBMODULE = b"\0\0\xe0\0"  # the mode of an entry of the index that is a repository; other fields may look like it
_HEAD = re.compile(rb"ref: refs/[^\n\0]+\n?|(?:[0-9a-f]{40}|[0-9a-f]{64})\n?")
_KEYS = re.compile(
    r"""core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf
        |eol|safecrlf|abbrev|quotepath|untrackedcache|preloadindex|checkstat|trustctime|hidedotfiles|longpaths
        |protecthfs|protectntfs|compression|bigfilethreshold|commentchar|sparsecheckout|sparsecheckoutcone|whitespace)
    |extensions\.(?:objectformat|worktreeconfig|refstorage|relativeworktrees|preciousobjects|noop)
    |user\.(?:name|email|signingkey)|author\.(?:name|email)|committer\.(?:name|email)
    |branch\.(?:.+\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gk-.*|github-pr.*)|autosetup\w+)
    |remote\.(?:.+\.(?:url|fetch|pushurl|push|prune|prunetags|tagopt|mirror|gh-resolved)|pushdefault)
    |submodule\.(?:.+\.(?:url|active|branch)|active)
    |lfs\.repositoryformatversion|init\.defaultbranch|push\.(?:default|autosetupremote|followtags)
    |pull\.(?:rebase|ff|twohead)|fetch\.(?:prune|prunetags|parallel)
    |rebase\.(?:autosquash|autostash|updaterefs|stat|backend|missingcommitscheck|abbreviatecommands|rebasemerges)|merge\.(?:ff|conflictstyle)
    |commit\.(?:gpgsign|verbose)|tag\.gpgsign|gc\.auto\w*|maintenance\.(?:auto|strategy)|pack\.\w+|index\.(?:version|threads)
    |color\.(?:.+\.)?\w+|advice\.\w+|rerere\.(?:enabled|autoupdate)|receive\.deny\w+|transfer\.fsckobjects
    |diff\.(?:algorithm|renames|renamelimit|mnemonicprefix|noprefix|colormoved|context|interhunkcontext|wserrorhighlight)
    |log\.(?:date|decorate|abbrevcommit|follow)|status\.(?:short|branch|showuntrackedfiles|relativepaths|showstash)
    |grep\.(?:linenumber|column|patterntype|extendedregexp|fullname)|feature\.manyfiles|help\.autocorrect""",
    re.VERBOSE | re.DOTALL,
)


NO_REPOSITORY = "no repository in the folders"


def repository_problem(place: CommandPlace, *, compares_files: bool) -> str:
    """Why Git may do more than read in a folder, for the screen; empty if it only reads. It blocks.

    `compares_files`: it looks at the files of the work tree, and so into the repositories in there.
    """
    if not place.settled:
        return "the part before may have changed the repository"
    if place.environment.git:
        return f"{named(place.environment.git[0][:40])} is set"
    try:
        here = Path(place.folder)
        for top in (here, *here.parents):
            if not any(lies_in(str(top), root) for root in place.roots):
                break
            parts = [name for name in ("HEAD", "objects", "refs", "commondir") if os.path.lexists(top / name)]
            if "HEAD" in parts and len(parts) > 1:  # a HEAD that is a link to nothing yet will do for Git
                return "a folder on the way is a repository itself"
            if os.path.lexists(top / ".git"):
                return _problem_at(top, place, compares_files)
    except (OSError, ValueError):
        return "its repository cannot be read"
    return NO_REPOSITORY


def _problem_at(top: Path, place: CommandPlace, compares_files: bool) -> str:
    mode = (top / ".git").lstat().st_mode
    if stat.S_ISDIR(mode):
        own = common = top / ".git"
    elif stat.S_ISREG(mode) and (folder := _worktree(top)) is not None:
        own, common = folder, folder.parent.parent
    else:
        return "its .git is a link, or leads elsewhere"
    if problem := _form_problem(own, common):
        return problem
    for settings in {common / "config", common / "config.worktree", own / "config.worktree"}:
        if problem := _settings_problem(settings, place):
            return problem
    if os.access(common / "hooks" / "post-index-change", os.X_OK):
        return "its hook post-index-change runs a program"
    return _submodule_problem(top, own) if compares_files else ""


def _worktree(top: Path) -> Path | None:
    """The folder of a further work tree in the repository that knows of it; None for what only names one."""
    words = os.fsdecode(content_of(top / ".git", 4096) or b"").removesuffix("\n")
    own = Path(os.path.realpath(top / words.removeprefix("gitdir: ")))
    known = os.fsdecode(content_of(own / "gitdir", 4096) or b"").removesuffix("\n")
    shared = os.fsdecode(content_of(own / "commondir", 4096) or b"").removesuffix("\n")
    common = own.parent.parent
    known_there = os.path.realpath(own / known) == os.path.realpath(top / ".git")
    known_there = known_there and os.path.realpath(own / shared) == str(common)
    return own if words.startswith("gitdir: ") and own.parent.name == "worktrees" and known_there else None


def _form_problem(own: Path, common: Path) -> str:
    """A folder that Git does not take for a repository is passed by, and one further up counts."""
    plain = all(stat.S_ISDIR((common / name).lstat().st_mode) for name in ("objects", "refs"))
    plain = plain and all(os.access(common / name, os.X_OK) for name in ("objects", "refs"))
    links = any((own / name).is_symlink() for name in ("HEAD", "index")) or (common / "packed-refs").is_symlink()
    head = content_of(own / "HEAD", 255)
    if not plain or links or head is None or _HEAD.fullmatch(head) is None:
        return "its .git is not whole, or has links"
    if os.path.lexists(common / "commondir"):
        return "its .git leads to another repository"
    if os.path.lexists(common / "objects" / "info" / "alternates"):
        return "its repository borrows objects of another one"
    return ""


def _settings_problem(settings: Path, place: CommandPlace) -> str:
    if not os.path.lexists(settings):
        return ""
    content = None if settings.is_symlink() else content_of(settings, _SETTINGS_AT_MOST)
    try:
        keys = _keys_in(content, place.roots)
    except ValueError:
        return "its settings cannot be read"
    unlisted = next((key for key in keys if _KEYS.fullmatch(key) is None), "")
    return f"its setting {named(unlisted[:40])} may run a program" if unlisted else ""


@lru_cache(maxsize=64)
def _keys_in(settings: bytes | None, roots: tuple[str, ...]) -> tuple[str, ...]:
    """Cached by the content itself, which no clock of a file system has to vouch for; raises ValueError, uncached."""
    keys = None if settings is None else Git(roots).keys_in(settings, _WITHIN)
    if keys is None:
        raise ValueError("not read")
    return tuple(keys)


def _submodule_problem(top: Path, own: Path) -> str:
    """Git runs another Git in each submodule to see what changed there, by the settings that stand in there."""
    if os.path.lexists(top / ".gitmodules"):
        return "its submodules have settings of their own"
    for index in (own / "index", *own.glob("sharedindex.*")):
        if os.path.lexists(index):
            content = content_of(index, _INDEX_AT_MOST)
            if content is None:
                return "its index cannot be read"
            if _SUBMODULE in content:
                return "a repository in it may have settings of its own"
    return ""


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
    --no-merged[=] --sort=~ --format=~ --color[=] --no-color --abbrev[=] --points-at[=] --ignore-case"""
_GREP = """-nilLcwvhHEFPGoaIqWpzr -# -e=~ -A=# -B=# -C=# -m=# --cached --untracked --name-only --count --ignore-case
    --line-number --heading --break --color[=] --no-color --all-match --and --or --not --max-depth=# --full-name
    --files-with-matches --files-without-match --extended-regexp --fixed-strings --perl-regexp --basic-regexp
    --word-regexp --invert-match --show-function --function-context --column --only-matching --text --quiet --null
    --after-context=# --before-context=# --context=# --max-count=#"""

# A command with its second word, what its other words are, and its options. `named`: words only behind -l or --list;
# `commits`: without any it reads its standard input.
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
                       --tags[=] --remotes[=] --show-object-format[=] --revs-only
ls-files       words   -cdmosuztvi -x=~ --cached --deleted --modified --others --ignored --stage --unmerged --full-name
                       --exclude-standard --directory --no-empty-directory --error-unmatch --exclude=~ --eol --killed
ls-tree        words   -rdtlz --name-only --name-status --full-name --full-tree --long --abbrev[=] --object-only
cat-file       words   -tsep
blame          words   {_BLAME}
merge-base     words   -a --all --is-ancestor --fork-point --octopus --independent
describe       words   --tags --all --always --long --abbrev=# --match=~ --exclude=~ --contains --exact-match
                       --first-parent --candidates=#
remote         none
tag            named   -ln -n[=] --list --contains[=] --no-contains[=] --merged[=] --no-merged[=] --sort=~ --format=~
                       --points-at[=] --ignore-case --color[=]
stash list     words   {_LOG}
reflog         none    {_LOG}
reflog show    words   {_LOG}
rev-list       words   {_COMMITS}
shortlog       commits {_COMMITS} -sne --summary --numbered --email --group=~
name-rev       words   --name-only --tags --refs=~ --exclude=~ --always --no-undefined
show-ref       words   -dsq -s[=] --heads --branches --tags --hash[=] --dereference --abbrev[=] --head --verify --quiet
check-ignore   words   -vqn --verbose --quiet --non-matching --no-index
worktree list  none    -vz --porcelain --verbose
config --get   key
grep           pattern {_GREP}
"""
_COMPARING = {"status", "diff"}
_KEY = re.compile(r"(?:user|core|init|pull|push|fetch|commit|merge|diff|log|color)\.[\w./-]+|branch\.[\w./-]+\.merge")
_REVISION = re.compile(r"\w[\w./~^@-]*")
_FORMATS = re.compile(r"--(?:format|pretty|sort|group)\b")
_RUNNING_FORMAT = re.compile(r"%[-+ ]?G|signature|%\(describe")


@lru_cache(maxsize=1)
def _commands() -> dict[str, tuple[str, str]]:
    rows = {}
    for row in re.split(r"\n(?=\S)", _TABLE.strip()):
        found = re.match(r"(\S+(?: \S+)?)\s+(words|none|named|commits|key|pattern)\s*(.*)", row, re.DOTALL)
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


def _begins_with_commit(operands: tuple[str, ...], words: tuple[str, ...], place: CommandPlace) -> bool:
    """Whether the first of them can be no file, and stands before `--`."""
    first = next((word for word in words if word == "--" or word in operands), "--")
    return _REVISION.fullmatch(first) is not None and not Path(place.folder, first).exists()


def _words_problem(name: str, words: tuple[str, ...], place: CommandPlace) -> str:
    kind, options = _commands()[name]
    read = read_words(options, words, style="git")
    if read.problem:
        return read.problem
    operands = read.operands
    if any(map(_FORMATS.match, read.given)) and any(map(_RUNNING_FORMAT.search, words)):
        return "a format that runs a program"
    if kind == "commits" and "--all" not in read.options and not _begins_with_commit(operands, words, place):
        return f"git {name} waits for input"
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
