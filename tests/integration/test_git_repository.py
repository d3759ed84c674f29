"""Repositories that have a reading Git start a program: with the real Git each does, and each is asked about."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_tui.host.rules.command_chain import CommandEnvironment, CommandPlace
from acp_tui.host.rules.git_readers import git_problem, repository_problem
from tests.integration.test_reading_programs import BOUND, git, needs_git, record, repository

pytestmark = [pytest.mark.skipif(sys.platform == "win32", reason="programs of POSIX"), needs_git]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "others").mkdir()
    root = repository(tmp_path / "root")
    record(root / "evil", tmp_path / "mark")
    record(tmp_path / "others" / "gpg", tmp_path / "mark")
    return root


def place_of(folder: Path, *roots: Path, **environment: tuple[str, ...]) -> CommandPlace:
    real = tuple(map(os.path.realpath, roots or (folder,)))
    return CommandPlace(os.path.realpath(folder), real, CommandEnvironment(path=os.environ["PATH"], **environment))  # type: ignore[arg-type]


def problem(folder: Path, *roots: Path) -> str:
    return repository_problem(place_of(folder, *roots), compares_files=True)


def runs(folder: Path, mark: Path, *words: str, **variables: str) -> bool:
    """Whether Git with these words has the canary run."""
    home = mark.parent / "home"
    environment = {"PATH": f"{mark.parent}/others:{os.environ['PATH']}", "HOME": str(home), **variables}
    subprocess.run(["git", *words], cwd=folder, env=environment, capture_output=True, check=False, timeout=BOUND)
    return mark.exists()


def settings(root: Path, text: str, name: str = ".git/config") -> None:
    with (root / name).open("a") as file:
        file.write(text.replace("EVIL", str(root / "evil")))


def touched(root: Path) -> None:
    """A file that Git has to compare: its index is older than it says."""
    os.utime(root / "a.txt", (1_000_000_000, 1_000_000_000))


def monitor(root: Path) -> None:
    settings(root, "[core]\n\tfsmonitor = EVIL\n")


def monitor_in_capitals(root: Path) -> None:
    settings(root, "[CORE]\n\tFSMonitor = EVIL\n")


def included(root: Path) -> None:
    settings(root, "[core]\n\tfsmonitor = EVIL\n", "more")
    settings(root, "[include]\n\tpath = ../more\n")


def included_on_a_condition(root: Path) -> None:
    settings(root, "[core]\n\tfsmonitor = EVIL\n", "more")
    settings(root, f'[includeIf "gitdir:{os.path.realpath(root)}/"]\n\tpath = ../more\n')


def settings_of_the_work_tree(root: Path) -> None:
    settings(root, "[extensions]\n\tworktreeConfig = true\n[core]\n\trepositoryformatversion = 1\n")
    settings(root, "[core]\n\tfsmonitor = EVIL\n", ".git/config.worktree")


def filtered(root: Path) -> None:
    (root / ".gitattributes").write_text("*.txt filter=evil\n")
    settings(root, '[filter "evil"]\n\tclean = EVIL\n')
    touched(root)


def converted(root: Path) -> None:
    (root / ".gitattributes").write_text("*.txt diff=evil\n")
    settings(root, '[diff "evil"]\n\ttextconv = EVIL\n')


def external(root: Path) -> None:
    settings(root, "[diff]\n\texternal = EVIL\n")
    (root / "a.txt").write_text("three\n")


def hooked(root: Path) -> None:
    (root / ".git" / "hooks").mkdir()
    shutil.copy(root / "evil", root / ".git" / "hooks" / "post-index-change")
    touched(root)


def hooked_elsewhere(root: Path) -> None:
    (root / "hooks").mkdir()
    shutil.copy(root / "evil", root / "hooks" / "post-index-change")
    settings(root, "[core]\n\thooksPath = hooks\n")
    touched(root)


def linked(root: Path) -> None:
    monitor(root)
    (root / ".git").rename(root / "other")
    (root / ".git").symlink_to("other")


def named_in_a_file(root: Path) -> None:
    monitor(root)
    (root / ".git").rename(root / "other")
    (root / ".git").write_text("gitdir: other\n")


def common_elsewhere(root: Path) -> None:
    shutil.copytree(root / ".git", root / "other")
    settings(root, "[core]\n\tfsmonitor = EVIL\n", "other/config")
    (root / ".git" / "commondir").write_text("../other\n")


def nested(root: Path) -> None:
    repository(root / "nested")
    git(root, "-c", "advice.addEmbeddedRepo=false", "add", "nested")
    (root / "nested" / ".git" / "config").open("a").write(f"[core]\n\tfsmonitor = {root}/evil\n")


def promised(root: Path) -> None:
    settings(
        root, '[remote "origin"]\n\tpromisor = true\n\turl = .\n\tuploadpack = EVIL\n\tpartialclonefilter = blob:none\n'
    )
    settings(root, "[extensions]\n\tpartialClone = origin\n[core]\n\trepositoryformatversion = 1\n")


MISSING = "1234567890123456789012345678901234567890"
TRAPS: dict[Callable[[Path], None], tuple[str, ...]] = {
    monitor: ("status",),
    monitor_in_capitals: ("ls-files", "-m"),
    included: ("status",),
    included_on_a_condition: ("status",),
    settings_of_the_work_tree: ("status",),
    filtered: ("diff", "--no-ext-diff", "--no-textconv"),
    converted: ("log", "-p"),
    external: ("diff",),
    hooked: ("status",),
    hooked_elsewhere: ("status",),
    linked: ("status",),
    named_in_a_file: ("status",),
    common_elsewhere: ("status",),
    nested: ("status",),
    promised: ("show", MISSING),
}


@pytest.mark.parametrize(("trap", "words"), TRAPS.items(), ids=[trap.__name__ for trap in TRAPS])
def test_a_repository_that_starts_a_program_is_asked_about(
    root: Path, tmp_path: Path, trap: Callable[[Path], None], words: tuple[str, ...]
) -> None:
    assert git_problem(words, place_of(root)) == ""
    assert not runs(root, tmp_path / "mark", *words)
    trap(root)
    assert git_problem(words, place_of(root)) != ""
    assert runs(root, tmp_path / "mark", *words)


def test_a_folder_that_is_a_repository_itself_is_asked_about(root: Path, tmp_path: Path) -> None:
    (root / "sub").mkdir()
    assert problem(root / "sub", root) == ""
    shutil.copytree(root / ".git", root / "sub", dirs_exist_ok=True)
    settings(root, f"[core]\n\tbare = false\n\tworktree = {root}\n\tfsmonitor = EVIL\n", "sub/config")
    assert "repository itself" in problem(root / "sub", root)
    assert problem(root) == ""
    assert runs(root / "sub", tmp_path / "mark", "status")


def test_what_looks_into_a_repository_around_is_asked_about(root: Path, tmp_path: Path) -> None:
    inner = repository(root / "inner")
    monitor(root)
    words = ("rev-parse", "--show-superproject-working-tree")
    assert git_problem(words[:1], place_of(inner)) == ""
    assert git_problem(words, place_of(inner)) != ""
    assert runs(inner, tmp_path / "mark", *words)


def test_sorting_and_formats_that_check_signatures_are_asked_about(root: Path, tmp_path: Path) -> None:
    for words in (
        ("tag", "-l", "--format", "%(signature)"),
        ("shortlog", "--group=%G?", "HEAD"),
        ("tag", "-l", "--sort", "signature"),
        ("log", "--pretty", "%G?"),
    ):
        assert git_problem(words, place_of(root)) == "a format that runs a program"
    settings(root, "[tag]\n\tsort = signature\n")
    assert "tag.sort" in problem(root)


def test_a_head_that_is_a_link_to_nothing_is_one_of_a_repository(root: Path, tmp_path: Path) -> None:
    for folder in ("objects", "refs"):
        (root / "sub" / folder).mkdir(parents=True)
    (root / "sub" / "HEAD").symlink_to("refs/heads/main")
    form = "\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n"
    settings(root, f"[core]\n{form}\tfsmonitor = EVIL\n", "sub/config")
    assert "repository itself" in problem(root / "sub", root)
    assert runs(root / "sub", tmp_path / "mark", "status")


def test_a_broken_repository_that_git_passes_by_is_asked_about(root: Path, tmp_path: Path) -> None:
    inner = repository(root / "inner")
    monitor(root)
    assert problem(inner, root) == ""
    assert not runs(inner, tmp_path / "mark", "status")
    (inner / ".git" / "HEAD").write_text("nothing\n")
    assert "not whole" in problem(inner, root)
    assert runs(inner, tmp_path / "mark", "status")


def test_variables_of_git_are_asked_about(root: Path, tmp_path: Path) -> None:
    (root / "a.txt").write_text("three\n")
    assert git_problem(("diff",), place_of(root, git=("GIT_EXTERNAL_DIFF",))) == "GIT_EXTERNAL_DIFF is set"
    assert runs(root, tmp_path / "mark", "diff", GIT_EXTERNAL_DIFF=str(root / "evil"))


def test_a_format_that_checks_signatures_is_asked_about(root: Path, tmp_path: Path) -> None:
    commit = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n"
    commit += "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nsigned\n"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin"], cwd=root, input=commit, text=True,
        capture_output=True, check=True,
    ).stdout.strip()  # fmt: skip
    for words in ("--format=%G?", "--pretty=%+G?", "--format=%-GK", "--format=% GS", "--format=%<(9)%G?"):
        (tmp_path / "mark").unlink(missing_ok=True)
        assert git_problem(("log", words, made), place_of(root)) == "a format that runs a program"
        assert runs(root, tmp_path / "mark", "log", words, made), words


def test_a_further_work_tree_counts_with_its_repository(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "../tree")
    tree = tmp_path / "tree"
    assert problem(tree) == ""
    assert git_problem(("log",), place_of(tree)) == ""
    (tmp_path / "fake").mkdir()
    shutil.copy(tree / ".git", tmp_path / "fake")
    assert "leads elsewhere" in problem(tmp_path / "fake")
    monitor(root)
    assert "core.fsmonitor" in problem(tree)
    assert runs(tree, tmp_path / "mark", "status")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda root: (root / ".gitmodules").write_text(""), "submodules"),
        (lambda root: (root / ".git" / "config").write_text("[core\n"), "cannot be read"),
        (lambda root: (root / ".git" / "config").write_bytes(b"\n" * (1 << 20) + b"\n"), "cannot be read"),
        (lambda root: settings(root, "[core]\n\tworktree = ..\n"), "core.worktree"),
        (lambda root: (root / ".git" / "objects" / "info" / "alternates").write_text("/x\n"), "borrows"),
        (lambda root: (root / ".git" / "refs").rename(root / ".git" / "was"), "cannot be read"),
        (lambda root: shutil.rmtree(root / ".git"), "no repository"),
        (lambda root: os.mkfifo(root / ".git" / "config.worktree"), "cannot be read"),
    ],
)
def test_other_trouble_is_asked_about(root: Path, change: Callable[[Path], object], reason: str) -> None:
    (root / ".git" / "objects" / "info").mkdir(exist_ok=True)
    change(root)
    assert reason in problem(root)


def test_a_repository_outside_the_folders_is_asked_about(root: Path) -> None:
    (root / "sub").mkdir()
    assert "no repository" in problem(root / "sub")


def test_nothing_of_git_counts_behind_what_may_write(root: Path) -> None:
    place = CommandPlace(str(root), (str(root),), CommandEnvironment(), settled=False)
    assert git_problem(("log",), place) != ""


def test_a_clone_passes(root: Path, tmp_path: Path) -> None:
    git(root, "clone", "-q", "--no-hardlinks", ".", "../clone")
    git(tmp_path / "clone", "switch", "-q", "-c", "topic/a.b", "--track", "origin/main")
    assert problem(tmp_path / "clone") == ""
