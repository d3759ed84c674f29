"""The repository around a folder, checked for all that would have a reading Git start a program or read elsewhere.

Git is not believed with it: what it would find is found here by names, and of its settings each key must be listed.
Any trouble is a reason to ask.
"""

import os
import re
import stat
from functools import lru_cache
from pathlib import Path

from acp_tui.host.rules.command_chain import CommandPlace
from acp_tui.host.rules.path_words import lies_in
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
    |branch\.(?:.+\.(?:remote|merge|rebase|pushremote|description|vscode-merge-base|gk-.*|github-pr.*)|autosetup\w+|sort)
    |remote\.(?:.+\.(?:url|fetch|pushurl|push|prune|prunetags|tagopt|mirror|gh-resolved)|pushdefault)
    |submodule\.(?:.+\.(?:url|active|branch)|active)
    |lfs\.repositoryformatversion|init\.defaultbranch|push\.(?:default|autosetupremote|followtags)
    |pull\.(?:rebase|ff|twohead)|fetch\.(?:prune|prunetags|parallel)|rebase\.\w+|merge\.(?:ff|conflictstyle)
    |commit\.(?:gpgsign|verbose)|tag\.(?:gpgsign|sort)|gc\.auto\w*|maintenance\.(?:auto|strategy)|pack\.\w+|index\.(?:version|threads)
    |color\.(?:.+\.)?\w+|advice\.\w+|rerere\.(?:enabled|autoupdate)|receive\.deny\w+|transfer\.fsckobjects
    |diff\.(?:algorithm|renames|renamelimit|mnemonicprefix|noprefix|colormoved|context|interhunkcontext|wserrorhighlight)
    |log\.(?:date|decorate|abbrevcommit|follow)|status\.(?:short|branch|showuntrackedfiles|relativepaths|showstash)
    |grep\.(?:linenumber|column|patterntype|extendedregexp|fullname)|feature\.manyfiles|help\.autocorrect""",
    re.VERBOSE | re.DOTALL,
)


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
            if (top / "HEAD").exists() and any(
                os.path.lexists(top / name) for name in ("objects", "refs", "commondir")
            ):
                return "a folder on the way is a repository itself"
            if os.path.lexists(top / ".git"):
                return _problem_at(top, place, compares_files)
    except (OSError, ValueError):
        return "its repository cannot be read"
    return "no repository in the folders"


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
