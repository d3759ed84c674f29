"""Words as paths: in the folders, out of them, and files that only an exact rule covers."""

from pathlib import Path

import pytest

from acp_tui.host.config.state_files import config_folder
from acp_tui.host.rules.command_chain import CommandEnvironment, CommandPlace
from acp_tui.host.rules.path_words import file_problem, outside_problem, path_problem, protected, word_problem
from tests.rows import each_of


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> CommandPlace:
    base = tmp_path_factory.mktemp("words").resolve()
    root, second = base / "root", base / "second"
    (root / "sub").mkdir(parents=True)
    (root / ".venv" / "bin").mkdir(parents=True)
    second.mkdir()
    (root / "out").symlink_to(base)
    (root / "in").symlink_to("sub")
    (root / "attributes").symlink_to(".gitattributes")
    (root / "round").symlink_to("round")
    environment = CommandEnvironment(path=f"/usr/bin:{root}/.venv/bin:tools")
    return CommandPlace(str(root), (str(root), str(second)), environment)


@each_of(
    "word", ["a", ".", "./a/b", "new/file", "in/x", "a..b", "main...x", "-x", "--a=b", "a:b,c=d", "", "-", "a b/c", "%"]
)
def test_a_word_stays_in_the_folders(word: str, place: CommandPlace) -> None:
    assert word_problem(word, place) == ""


OUT = """/etc/passwd / .. ../x a/../b a/.. out out/x --file=/etc/x -f/etc/x -C../x -Cout -abCout HEAD:../x a,/etc
    --a=b=/etc -I=out/x x=out ~/x ~ --x=~/y /proc/self/cwd/a
    -xf/etc/passwd file:///etc/passwd @:/etc -o.. k=v:out,x"""
RUN_BY_OTHERS = """.git .git/config sub/.GIT/hooks/x .envrc .vscode/tasks.json .npmrc .gitattributes a/.gitmodules
    .pre-commit-config.yaml .github/workflows/ci.yml .gitlab-ci.yml .acp-tui.toml Jenkinsfile attributes .venv/bin
    .venv/bin/x tools/x --out=.git/x -o.envrc .claude/settings.json .husky/pre-commit
    .cursorrules src/.clinerules a/CLAUDE.local.md .lldbinit a/.irbrc mise.local.toml node_modules/x .prettierrc.js"""


@each_of("word", [*OUT.split(), "x" * 5000, "a\0b"])
def test_a_word_that_leads_out(word: str, place: CommandPlace) -> None:
    assert word_problem(word, place)
    assert outside_problem(word, place)  # for an exact rule, too


def test_addresses_are_no_paths(place: CommandPlace) -> None:
    assert word_problem("https://example.org:8080/a/b?c=d", place) == ""
    assert word_problem("https://example.org/../x", place)


def test_the_system_is_no_file_where_all_folders_are_open() -> None:
    whole = CommandPlace("/", ("/",), CommandEnvironment())
    for path in ("/proc/self/environ", "proc/self/environ", "//proc/1/environ", "./dev/zero", "sub/../proc/x"):
        assert path_problem(path, whole)
    assert path_problem("tmp", whole) == ""


def test_paths_of_all_folders_and_real_ones_count(place: CommandPlace) -> None:
    assert path_problem(f"{place.roots[1]}/new", place) == ""
    assert path_problem(f"{place.roots[0]}/out/second/x", place) == ""  # a link that leads into another folder
    assert path_problem(f"{place.roots[1]}-else/x", place) == "a path outside the session's folders"
    assert path_problem("out/x", place) == "a link that leads outside the session's folders"


@each_of("word", RUN_BY_OTHERS.split())
def test_a_file_that_others_run_is_left_to_an_exact_rule(word: str, place: CommandPlace) -> None:
    assert word_problem(word, place)
    assert not outside_problem(word, place)


@each_of("path", ["a", "git", "sub/x.toml", ".venv/lib/x", "src/.gitignore", "env", "github/x", "a.environment"])
def test_other_files_are_not(path: str, place: CommandPlace) -> None:
    assert protected(path, place) == ""


def test_our_own_settings_are_left_to_an_exact_rule(private_folders: Path) -> None:
    place = CommandPlace(str(private_folders), (str(private_folders.resolve()),), CommandEnvironment())
    assert protected(str(config_folder() / "rules.toml"), place)


@each_of(
    "path",
    [".env", ".env.test", "a/server.PEM", "x.key", "id_ed25519", ".netrc", ".npmrc", "credentials.json", ".ssh/x"],
)
def test_credentials_are_read_and_written_only_when_asked(path: str, place: CommandPlace) -> None:
    assert file_problem(path, place) == "a file with credentials"
    assert protected(path, place)  # `git add .env` is not covered by `git add …`


def test_behind_what_may_write_links_are_not_trusted(place: CommandPlace) -> None:
    behind = CommandPlace(place.folder, place.roots, place.environment, settled=False)
    assert [path_problem(path, behind) == "" for path in (".", "", "a", "sub", "in")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [word_problem(word, behind) == "" for word in ("a", "sub", "-m", "in", "in/x", "--x=in")] == [True] * 3 + [
        False
    ] * 3
