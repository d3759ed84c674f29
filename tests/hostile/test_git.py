"""Checkouts whose settings name programs: their files are listed, nothing runs, and nothing of theirs is changed."""

import atexit
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from acp_tui.host.prompts.file_index import listing
from acp_tui.host.system import git as git_module

FILES = {".gitattributes", ".gitignore", "a.py", "new.py", "sub/b.py"}
REMOTE = {"remote.origin.url": "ssh://nohost/x", "remote.origin.promisor": "true", "extensions.partialClone": "origin"}
Change = Callable[["Checkout"], None]


def git(folder: Path, *words: str, check: bool = True) -> str:
    names = "-c", "user.name=x", "-c", "user.email=x@y.z", "-c", "protocol.file.allow=always"
    done = subprocess.run(["git", *names, *words], cwd=folder, check=check, capture_output=True, text=True, timeout=60)
    return done.stdout.strip()


class Checkout:
    """A checkout, a program that leaves a mark, and what a program could change."""

    def __init__(self, folder: Path) -> None:
        self.root, self.mark, self.program = folder / "root", folder / "MARK", folder / "program"
        self.program.write_text(f"#!/bin/sh\necho ran >> {self.mark}\nexit 1\n")
        self.program.chmod(0o755)
        make(self.root)

    def configure(self, root: Path, **settings: str) -> None:
        for name, value in settings.items():
            git(root, "config", name.replace("__", "."), value)

    def filtered(self, root: Path, kind: str) -> None:
        """Have a program of this kind look at each file that may have changed."""
        self.configure(root, **{f"filter.evil.{kind}": str(self.program), "diff.evil.textconv": str(self.program)})
        Path(root, ".gitattributes").write_text("* filter=evil diff=evil\n")
        for path in (root / "a.py", root / "sub/b.py"):
            path.write_text("longer than it was")

    def state(self) -> dict[str, tuple[int, bytes]]:
        """Bytes and times of all files that Git keeps."""
        top = self.root.parent
        paths = [path for path in top.rglob("*") if ".git" in path.relative_to(top).parts and path.is_file()]
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}

    def listed(self) -> set[str]:
        """The files, asked for twice: some settings bite only at the second time."""
        first = set(listing(str(self.root), ""))
        assert set(listing(str(self.root), "")) == first
        return {path for path in first if not path.endswith("/")}


@cache
def template() -> Path:
    """One checkout, of which all others are copies: what makes it takes six processes."""
    root = Path(tempfile.mkdtemp(), "root")
    atexit.register(shutil.rmtree, root.parent)
    (root / "sub").mkdir(parents=True)
    for path in ("a.py", "sub/b.py", "ignored.log", ".gitattributes"):
        (root / path).touch()
    (root / ".gitignore").write_text("*.log\n")
    git(root, "init", "-q", "--template=")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")
    (root / "new.py").touch()
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").touch()
    return root


def make(root: Path) -> None:
    shutil.copytree(template(), root)


def settings(words: tuple[str, ...], **named: str) -> tuple[Change, tuple[str, ...]]:
    """Settings whose values name the program, and the words by which Git of the user would run it."""

    def change(checkout: Checkout) -> None:
        checkout.configure(checkout.root, **{name: value.format(checkout.program) for name, value in named.items()})

    return change, words


def lazy_fetch(checkout: Checkout) -> None:
    """Git expands a sparse index by a tree that is not there, and would fetch it."""
    root = checkout.root
    for path in ("away/deep/f", "c/g"):
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(path)
    git(root, "add", "-A")
    git(root, "commit", "-qm", "more")
    git(root, "sparse-checkout", "init", "--cone", "--sparse-index")
    git(root, "sparse-checkout", "set", "c", "sub")
    tree = git(root, "rev-parse", "HEAD:away")
    Path(root, ".git/objects", tree[:2], tree[2:]).unlink()
    checkout.configure(
        checkout.root, **REMOTE, core__repositoryformatversion="1", core__sshCommand=str(checkout.program)
    )


def filters(kind: str) -> Change:
    return lambda checkout: checkout.filtered(checkout.root, kind)


def hooks(checkout: Checkout) -> None:
    folder = checkout.root.parent / "hooks"
    folder.mkdir()
    for name in ("post-index-change", "pre-commit", "post-checkout", "reference-transaction"):
        shutil.copy(checkout.program, folder / name)
    shutil.copytree(folder, checkout.root / ".git/hooks", dirs_exist_ok=True)
    checkout.configure(checkout.root, core__hooksPath=str(folder))


def included(checkout: Checkout) -> None:
    more = checkout.root.parent / "more"
    more.write_text(f"[core]\nfsmonitor = {checkout.program}\n")
    checkout.configure(checkout.root, **{"include.path": str(more), "includeIf.gitdir:/**.path": str(more)})


def of_one_work_tree(checkout: Checkout) -> None:
    checkout.configure(checkout.root, extensions__worktreeConfig="true", core__repositoryformatversion="1")
    git(checkout.root, "config", "--worktree", "core.fsmonitor", str(checkout.program))


def other_diff(checkout: Checkout) -> None:
    checkout.configure(checkout.root, diff__external=str(checkout.program))
    (checkout.root / "a.py").write_text("changed")


def linked(checkout: Checkout) -> None:
    elsewhere = checkout.root.parent / "elsewhere.git"
    (checkout.root / ".git").rename(elsewhere)
    (checkout.root / ".git").symlink_to(elsewhere)
    git(checkout.root, "config", "core.fsmonitor", str(checkout.program))


def named_by_a_file(checkout: Checkout) -> None:
    elsewhere = checkout.root.parent / "elsewhere.git"
    (checkout.root / ".git").rename(elsewhere)
    (checkout.root / ".git").write_text("gitdir: ../elsewhere.git\n")
    git(checkout.root, "config", "core.fsmonitor", str(checkout.program))


def work_tree_elsewhere(checkout: Checkout) -> None:
    other = checkout.root.parent / "other"
    shutil.copytree(checkout.root, other, ignore=shutil.ignore_patterns(".git"))
    (other / "foreign.py").touch()
    checkout.configure(checkout.root, core__worktree=str(other), core__fsmonitor=str(checkout.program))


def nested(checkout: Checkout) -> None:
    make(checkout.root / "nested")
    checkout.filtered(checkout.root / "nested", "clean")
    checkout.configure(checkout.root / "nested", core__fsmonitor=str(checkout.program))


def submodule(checkout: Checkout) -> None:
    other = checkout.root.parent / "other"
    make(other)
    git(checkout.root, "submodule", "--quiet", "add", str(other), "module")
    git(checkout.root, "commit", "-qm", "a module")
    checkout.filtered(checkout.root / "module", "clean")
    checkout.configure(checkout.root / "module", core__fsmonitor=str(checkout.program))


STATUS, DIFF = ("status",), ("diff",)
ATTACKS: dict[str, tuple[Change, tuple[str, ...]]] = {
    "lazy fetch": (lazy_fetch, ("ls-files",)),
    "monitor": settings(STATUS, core__fsmonitor="{}"),
    "monitor and caches": settings(STATUS, core__fsmonitor="{}", core__untrackedCache="true", core__splitIndex="true"),
    "clean": (filters("clean"), STATUS),
    "process": (filters("process"), STATUS),
    "smudge": (filters("smudge"), ("checkout", "-f", "--", "a.py")),
    "textconv": (filters("textconv"), DIFF),
    "external diff": (other_diff, DIFF),
    "hooks": (hooks, ("update-index", "--refresh", "--force-write-index")),
    "pager": settings(("--paginate", "ls-files"), core__pager="{}", pager__lsFiles="{}"),
    "alias": settings(("other-files",), **{"alias.ls-files": "!{}", "alias.other-files": "!{}"}),
    "editor": settings(("commit", "--allow-empty"), core__editor="{}", sequence__editor="{}"),
    "transport": settings(("fetch", "origin"), **{"remote.origin.url": "ssh://nohost/x", "core.sshCommand": "{}"}),
    "include": (included, STATUS),
    "settings of one work tree": (of_one_work_tree, STATUS),
    "a link to the repository": (linked, STATUS),
    "a file that names the repository": (named_by_a_file, STATUS),
    "a work tree elsewhere": (work_tree_elsewhere, STATUS),
    "nested": (nested, ()),
    "submodule": (submodule, STATUS),
}
MORE = {
    "lazy fetch": {"c/g"},
    "nested": {f"nested/{path}" for path in FILES},
    "submodule": {".gitmodules", "module"},
}


@pytest.mark.parametrize("name", ATTACKS)
def test_a_listing_runs_and_changes_nothing(tmp_path: Path, name: str) -> None:
    change, provoked_by = ATTACKS[name]
    checkout = Checkout(tmp_path)
    change(checkout)
    checkout.mark.unlink(missing_ok=True)  # what prepares the attack is allowed to run it
    before = checkout.state()
    found = checkout.listed()
    assert not checkout.mark.exists()
    assert checkout.state() == before
    assert found == FILES | MORE.get(name, set())
    if provoked_by:  # or else the attack would be none
        provoke(checkout, *provoked_by)
        assert checkout.mark.exists()


def provoke(checkout: Checkout, *words: str) -> None:
    """Have Git run as the user might in their shell; with a terminal, without which it pages nothing."""
    if "--paginate" not in words:
        git(checkout.root, *words, check=False)
        return
    _, theirs = os.openpty()
    subprocess.run(["git", *words], cwd=checkout.root, check=False, stdout=theirs, stderr=theirs, timeout=60)


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_DIR": "{0}/none", "GIT_WORK_TREE": "{0}"},
        {"GIT_INDEX_FILE": "{0}/none"},
        {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": "{1}"},
        {"GIT_CONFIG_PARAMETERS": "'core.fsmonitor'='{1}'"},
        {"GIT_CONFIG_GLOBAL": "{0}/settings"},
        {"GIT_EXTERNAL_DIFF": "{1}", "GIT_SSH_COMMAND": "{1}", "GIT_ASKPASS": "{1}", "GIT_PAGER": "{1}"},
        {"GIT_TRACE": "{0}/MARK", "GIT_TRACE2_EVENT": "{0}/MARK", "GIT_TRACE_SETUP": "{0}/MARK"},
        {"GIT_EXEC_PATH": "{0}", "GIT_TEMPLATE_DIR": "{0}"},
        {"GIT_OBJECT_DIRECTORY": "{0}", "GIT_NAMESPACE": "x", "GIT_CEILING_DIRECTORIES": "{0}"},
        {"GIT_LITERAL_PATHSPECS": "0", "GIT_ICASE_PATHSPECS": "1"},
    ],
    ids=lambda variables: next(iter(variables)),
)
def test_no_variable_of_the_surroundings_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]
) -> None:
    checkout = Checkout(tmp_path)
    (tmp_path / "settings").write_text(f"[core]\nfsmonitor = {checkout.program}\n")
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(tmp_path, checkout.program))
    before = checkout.state()
    assert checkout.listed() == FILES
    assert not checkout.mark.exists()
    assert checkout.state() == before


def test_of_the_users_own_settings_only_the_ignore_rules_count(tmp_path: Path, private_folders: Path) -> None:
    checkout = Checkout(tmp_path)
    (private_folders / "rules").write_text("new.*\n")
    (private_folders / ".gitconfig").write_text(
        f"[core]\nfsmonitor = {checkout.program}\nexcludesFile = ~/rules\n"
        f'[filter "evil"]\nclean = {checkout.program}\n[trace2]\neventTarget = {checkout.mark}\n'
    )
    filters("clean")(checkout)
    checkout.mark.unlink(missing_ok=True)
    assert checkout.listed() == FILES - {"new.py"}
    (private_folders / ".gitconfig").unlink()
    (private_folders / ".config/git").mkdir(parents=True)
    (private_folders / ".config/git/ignore").write_text("*.py\n!new.py\n")
    assert checkout.listed() == FILES
    assert not checkout.mark.exists()


def test_rules_of_a_checkout_outweigh_those_of_the_user(tmp_path: Path, private_folders: Path) -> None:
    checkout = Checkout(tmp_path)
    (private_folders / ".config/git").mkdir(parents=True)
    (private_folders / ".config/git/ignore").write_text("new.py\nother.py")
    (checkout.root / "other.py").touch()
    (checkout.root / ".git/info/exclude").write_text("!new.py\nmore.py\n")
    (checkout.root / "more.py").touch()
    assert checkout.listed() == FILES


@pytest.mark.parametrize("entry", [".", "", "{1}", "{0}{1}", "{0}link", "{0}other"])
def test_a_git_that_lies_in_the_project_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str) -> None:
    checkout, other = Checkout(tmp_path), tmp_path / "other"
    for folder in (checkout.root / "bin", checkout.root):
        folder.mkdir(exist_ok=True)
        shutil.copy(checkout.program, folder / "git")
    (tmp_path / "link").symlink_to(checkout.root / "bin")
    other.mkdir()
    (other / "git").symlink_to(checkout.root / "git")
    monkeypatch.chdir(checkout.root if entry in (".", "") else tmp_path)
    first = entry.format(f"{tmp_path}{os.sep}", Path(checkout.root.name, "bin"))
    monkeypatch.setenv("PATH", os.pathsep.join([first, os.environ["PATH"]]))
    assert checkout.listed() == {*FILES, "git", "bin/git"}
    assert not checkout.mark.exists()


def break_index(checkout: Checkout) -> None:
    (checkout.root / ".git/index").write_bytes(b"DIRC\0\0\0\2\0\0\xff\xff" + b"x" * 5_000)


def endless_index(checkout: Checkout) -> None:
    os.truncate(checkout.root / ".git/index", 1 << 40)


def waiting_index(checkout: Checkout) -> None:
    (checkout.root / ".git/index").unlink()
    os.mkfifo(checkout.root / ".git/index")


def waiting_rules(checkout: Checkout) -> None:
    (checkout.root / ".git/info/exclude").unlink()
    os.mkfifo(checkout.root / ".git/info/exclude")


def waiting_objects(checkout: Checkout) -> None:
    os.mkfifo(checkout.root / ".git/objects/info/alternates")


def waiting_settings(checkout: Checkout) -> None:
    (checkout.root / ".git/config").unlink()
    os.mkfifo(checkout.root / ".git/config")


@pytest.mark.parametrize(
    "change", [break_index, endless_index, waiting_index, waiting_rules, waiting_objects, waiting_settings]
)
def test_what_cannot_be_read_is_walked_and_not_waited_for(tmp_path: Path, change: Change) -> None:
    checkout = Checkout(tmp_path)
    change(checkout)
    assert checkout.listed() == FILES


def test_a_git_that_hangs_or_floods_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout, tools = Checkout(tmp_path), tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text("#!/bin/sh\nexec cat /dev/zero\n")
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(git_module, "OUTPUT_AT_MOST", 1 << 20)
    assert checkout.listed() == {*FILES, "ignored.log"}
    (tools / "git").write_text("#!/bin/sh\nexec sleep 600\n")
    monkeypatch.setattr(git_module, "WITHIN", 0.1)
    assert checkout.listed() == {*FILES, "ignored.log"}
    assert not git_module._running


def test_without_room_for_the_copies_it_is_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    checkout = Checkout(tmp_path)
    monkeypatch.setattr(git_module, "TemporaryDirectory", full)
    assert checkout.listed() == {*FILES, "ignored.log"}


def test_a_split_index_and_one_of_sha256(tmp_path: Path) -> None:
    checkout = Checkout(tmp_path)
    git(checkout.root, "update-index", "--split-index")
    (checkout.root / "later.py").touch()
    git(checkout.root, "add", "later.py")
    assert checkout.listed() == {*FILES, "later.py"}
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "--object-format=sha256")
    for name in ("a.py", "b.log"):
        (other / name).touch()
    (other / ".gitignore").write_text("*.log\n")
    git(other, "add", "-f", "b.log")
    assert set(listing(str(other), "")) == {".gitignore", "a.py", "b.log"}


def test_a_further_work_tree_has_its_own_index_and_shared_rules(tmp_path: Path) -> None:
    checkout, other = Checkout(tmp_path), tmp_path / "other"
    (checkout.root / ".git/info/exclude").write_text("*.tmp\n")
    git(checkout.root, "worktree", "add", "-q", str(other), "-b", "other")
    for name in ("b.tmp", "c.log", "kept.log"):
        (other / name).touch()
    git(other, "add", "-f", "kept.log")
    found = {path for path in listing(str(other), "") if not path.endswith("/")}
    assert found == (FILES - {"new.py"}) | {"kept.log"}


def test_what_a_sparse_checkout_left_out_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("acp_tui.host.prompts.file_index.AT_ONCE", 0)
    checkout = Checkout(tmp_path)
    git(checkout.root, "update-index", "--refresh")
    git(checkout.root, "sparse-checkout", "set", "--no-cone", "/*", "!sub/")
    assert checkout.listed() == FILES - {"sub/b.py"}


def test_names_that_git_would_take_for_patterns(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*.log\n")
    for name in (":(top)x", ":!y", "*.py", "z.log"):
        (tmp_path / name).touch()
    assert set(listing(str(tmp_path), "")) == {".gitignore", ":(top)x", ":!y", "*.py"}


def test_checkouts_far_inside_each_other(tmp_path: Path) -> None:
    folder, before = tmp_path, sys.getrecursionlimit()
    for _ in range(60):
        folder = folder / "n"
        (folder / ".git/refs").mkdir(parents=True)
        (folder / ".git/objects").mkdir()
        (folder / ".git/HEAD").write_text("ref: refs/heads/x\n")
    (folder / "last").touch()
    sys.setrecursionlimit(len(inspect.stack()) + 120)  # or it would take 300 of them
    try:
        found = list(listing(str(tmp_path), ""))
    finally:
        sys.setrecursionlimit(before)
    assert found[-1] == f"{folder.relative_to(tmp_path)}/last"
