"""Calls of programs that only read, a row each: accepted, and refused with a reason."""

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from acp_tui.host.rules.command_chain import CommandEnvironment, CommandPart, CommandPlace, ShellWord
from acp_tui.host.rules.reading_programs import _readers, reader_names, reader_problem
from tests.rows import each_of

ACCEPTED = """
cat -n a.txt sub/c.py · cat -- a.txt
head -20 a.txt · head -n 5 -q a.txt · head --lines=-5 a.txt · tail -n +5 a.txt · wc -l a.txt · nl -ba a.txt · tac a.txt
rev a.txt · fold -w 80 -s a.txt · expand -t 4 a.txt · paste -sd, a.txt · comm -12 a.txt b.json · od -A x -t x1z -v a.txt
hexdump -C -n 16 a.txt · strings -n 8 a.txt · md5sum a.txt · sha256sum a.txt · cut -d: -f1,3 a.txt · head -5 a.txt -q
uniq -c a.txt
sort -k2,2nr -t , a.txt · sort -u a.txt · sort a.txt -u
grep -rn /etc/passwd plain · grep -rnE 'a|b' --include=*.py a.txt · grep -e ../x -A3 -5 a.txt · grep -c x a.txt
grep x a.txt -n · rg -n --hidden -g *.py 'x/../y' sub · rg --files sub · rg -e x -tpy
sed -n 1,5p a.txt · sed -n -e '/def x/,/^}/p' a.txt · sed -n '$p' a.txt
diff -u a.txt b.json
jq -r '.a | keys[]' b.json · jq . b.json -r · jq -n 1 · echo $HOME '*' /etc · true · false
ls -la · ls -1 sub · pwd · stat -c %s a.txt · file -b a.txt · du -sh sub · df -h · tree -aL 2 sub
find . -name *.py -not -path './x/*' -type f · find . ( -name a -o -name b ) -prune -o -print
find sub -newer a.txt -printf %p -mtime -1 · basename /etc/passwd .x · dirname ../x · realpath a.txt
readlink -f a.txt · cmp a.txt b.json
date +%s · date -u -Iseconds · which python3 git · type ls · command -v git · uname -a · whoami · id -un · nproc
seq 1 3 · sleep 0.5 · test -f a.txt · printf '%s\\n' a b
"""
PIPED = """
cat · cat - · wc -l · grep x · grep -c x - · sed -n 1,5p · jq .a · sort -u · uniq -c · tr a b · tr -d '/' · fold -s
echo x · true · diff a.txt - · strings · comm - a.txt · rg x
"""
REFUSED = """
cat · cat - · cat a.txt - · wc -l · grep x · grep -r x - · sed -n 1p · jq . · sort · uniq · tr a b · md5sum · strings
diff a.txt - · file - · rg x - · diff a.txt · cmp a.txt · nl · tail +5f a.txt · tail -5f a.txt · cat to_pipe
jq -n repeat(1) · jq -n range(9e9) · jq -n 'def f: f; f' · jq -n '[while(true; 1)]' · sleep 99999 · sleep 100 · sleep 5m
sleep 1 2 · sleep infinity · seq 1 9999999 · seq 1 0 5 · seq 1 -1 · seq 0.1 9 · seq -f %999999999g 3 · seq inf · yes
uniq a.txt -c · uniq a.txt -- · uniq a.txt -f 1 · diff a.txt b.json -u · comm a.txt b.json -12 · sed -n 1p -n
sed -n a.txt -e 1p · date +%s -u · cat a.txt -n /etc/passwd · sort a.txt -t / · cat a.txt -- /etc/passwd
cat prod.env · cat sub/prod.env.local · cat .npmrc · cat .netrc · cat .pypirc · cat kubeconfig · cat my-kubeconfig.yml
cat terraform.tfstate · cat a.tfstate.backup · cat .git/config · cat .GIT/config · head -1 sub/.git/FETCH_HEAD
cat credentials.json · cat .git-credentials · cat aws/credentials · cat .docker/config.json · cat .kube/config
cat id_rsa.pub · cat my.PEM · cat secrets.yaml · cat google-service-account.json · ls .git · grep -r url .git
tail -f a.txt · tail -F a.txt · tail --follow a.txt
cat /etc/passwd · cat ../x · cat sub/../../x · cat ~/x · cat .env · cat .env.local · cat sub/server.pem · cat id_rsa
cat to_file · cat sub/to_file · cat to_folder/secret · cat to_env · cat /proc/self/environ · wc --files0-from=list
du --files0-from=list
sort --files0-from=list · sort -o a.txt b.json · sort -ob a.txt · sort --ou=x a.txt · sort --output=x a.txt
sort --compress-program=./x a.txt · sort --comp=./x a.txt · sort -T sub a.txt
uniq a.txt made · uniq -- a.txt made · sha256sum -c list · strings @opts
grep -f a.txt b.json · grep -R x . · grep --regex=x a.txt · grep x /etc/passwd · grep x sub -e /etc/passwd
grep a.txt -e /etc/passwd
rg --pre ./x y · rg --pre=./x y · rg -z x · rg -L x · rg --hostname-bin ./x y · rg --follow x · rg x ..
sed 1p a.txt · sed -n '1w x' a.txt · sed -n 1w\\ x a.txt · sed -n '1e x' a.txt · sed -n '/x/w y' a.txt
sed -n '1p;w x' a.txt · sed -n -i 1p a.txt · sed -ni 1p a.txt · sed --in-pl -n 1p a.txt · sed -n 1p -e 'w made'
sed -n 'w made' -e 1p · sed -n -f a.txt · sed -n 1p /etc/passwd
diff -r sub sub · diff sub sub · diff -l a.txt b.json · diff --to-file=sub a.txt
jq -f a.txt · jq -L . . · jq 'import "x" as $x; .' · jq 'include "x"; .' · jq -n env · jq -n '$ENV.HOME'
jq --rawfile a /etc/passwd . · jq . -- -f
ls / · ls -L · ls to_folder
tree -o x · tree -Iox a made · tree -R · tree -l · tree -L2
find . -exec rm {} ; · find . -delete · find . -fprint x · find . -ok x ; · find . -fls x · find -L .
find . -follow · find / -name x · find . -name x /etc · find . -files0-from list · find to_folder
find . -newer /etc/passwd
file -f a.txt · file -C
date 010100002030 · date -s now · date -f a.txt · date -u 010100002030 · which ./x
type -f x · type 'a[$(x)]'
command git · command -v git ls · command -v ./x · seq x · sleep x
test -v 'a[$(x)]' · test -f a.txt -o -f b.json · test a.txt · test -f -e
printf -v x y · printf %d 'a[$(x)]' · printf %n x
printf %B HOME · printf %*d 1 2 · printf · awk 1 a.txt · xxd a.txt b · tee a.txt · less a.txt
python3 x · env · CAT a.txt · ./cat a.txt · /bin/cat a.txt · xargs cat
"""


def calls(rows: str) -> list[str]:
    return re.split(r"\n| · ", rows.strip())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> CommandPlace:
    base = tmp_path_factory.mktemp("reading").resolve()
    root = base / "root"
    (root / "sub").mkdir(parents=True)
    (base / "secret").write_text("")
    for name in ("a.txt", "b.json", "sub/c.py", "list", ".env"):
        (root / name).write_text("")
    (root / "plain" / "sub").mkdir(parents=True)
    (root / "plain" / "to_other").symlink_to("../a.txt")
    os.mkfifo(root / "to_pipe")
    (root / "to_file").symlink_to(base / "secret")
    (root / "to_folder").symlink_to(base)
    (root / "to_env").symlink_to(".env")
    (root / "sub" / "to_file").symlink_to("../../secret")
    return CommandPlace(str(root), (str(root),), CommandEnvironment())


def part_of(line: str, operator: str = "") -> CommandPart:
    program, *words = shlex.split(line)
    piped = CommandPart("x", operator="|" if operator else "").operator
    return CommandPart(program, tuple(map(ShellWord, words)), piped)


@each_of("line", calls(ACCEPTED))
def test_a_call_that_only_reads(line: str, place: CommandPlace) -> None:
    assert reader_problem(part_of(line), place) == ""


@each_of("line", calls(REFUSED))
def test_a_call_that_may_do_more(line: str, place: CommandPlace) -> None:
    problem = reader_problem(part_of(line), place)
    assert problem
    assert len(problem) < 80


def test_each_program_has_a_row() -> None:
    assert {line.split()[0] for line in [*calls(ACCEPTED), *calls(PIPED)]} >= set(_readers()) - {
        "cksum", "sum", "sha1sum", "sha224sum", "sha384sum", "sha512sum",
    }  # fmt: skip
    assert reader_names() == {*_readers(), "git"}


@each_of("line", calls(PIPED))
def test_filters_stand_behind_a_pipe(line: str, place: CommandPlace) -> None:
    assert reader_problem(part_of(line, "|"), place) == ""


@each_of("line", ["ls", "find .", "sleep 1", "date", "which x", "test -f a.txt", "printf x", "git log", "tree", "du"])
def test_other_readers_do_not(line: str, place: CommandPlace) -> None:
    assert "behind a pipe" in reader_problem(part_of(line, "|"), place)


def test_settings_of_ripgrep_are_asked_about(place: CommandPlace) -> None:
    changed = CommandPlace(place.folder, place.roots, CommandEnvironment(ripgrep_config=True))
    assert reader_problem(part_of("rg x"), changed) == "RIPGREP_CONFIG_PATH is set"
    assert reader_problem(part_of("grep x a.txt"), changed) == ""


def test_outside_of_the_folders_nothing_is_read(place: CommandPlace) -> None:
    assert "outside" in reader_problem(part_of("ls"), CommandPlace("/", place.roots, place.environment))


def test_nothing_is_read_on_windows(place: CommandPlace) -> None:
    assert reader_problem(part_of("ls"), CommandPlace(place.folder, place.roots, CommandEnvironment(windows=True)))


def test_a_quoted_word_of_test_is_asked_about(place: CommandPlace) -> None:
    assert reader_problem(CommandPart("test", (ShellWord("-f"), ShellWord("a.txt", quoted=True))), place)


@each_of(("line", "reads"), [("ls", True), ("date", True), ("rg x", True), ("cat a.txt", False), ("ls sub", False)])
def test_behind_what_may_write_no_file_counts(line: str, reads: bool, place: CommandPlace) -> None:
    """What was no link a moment ago may be one by now."""
    behind = CommandPlace(place.folder, place.roots, place.environment, settled=False)
    assert (reader_problem(part_of(line), behind) == "") is reads


@each_of(("name", "line", "reads"), [
    ("grep", "grep -r x sub", True), ("busybox", "grep -r x sub", False), ("busybox", "grep -r x", False),
    ("toybox", "grep -nr x .", False), ("busybox", "grep -r x plain", True), ("busybox", "grep x a.txt", True),
    ("busybox", "grep x a.txt -r", True),
])  # fmt: skip
def test_a_grep_that_reads_through_links_is_asked_about(
    name: str, line: str, reads: bool, place: CommandPlace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the links of `place` none of them searches; in a folder without such links each does."""
    program = tmp_path / name
    program.write_text("")
    program.chmod(0o755)
    if name != "grep":
        (tmp_path / "grep").unlink(missing_ok=True)
        (tmp_path / "grep").symlink_to(name)
    here = CommandPlace(place.folder, place.roots, CommandEnvironment(path=str(tmp_path)))
    monkeypatch.setattr(sys, "platform", "linux")
    assert (reader_problem(part_of(line), here) == "") is reads
    monkeypatch.setattr(sys, "platform", "darwin")
    assert (reader_problem(part_of(line), here) == "") is (reads and "sub" not in line)


def test_a_program_of_the_project_is_asked_about(tmp_path: Path) -> None:
    for folder in ("bin", "root/bin"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "ls").write_text("")
        (tmp_path / folder / "ls").chmod(0o755)
    root = str((tmp_path / "root").resolve())

    def problem(path: str) -> str:
        return reader_problem(part_of("ls"), CommandPlace(root, (root,), CommandEnvironment(path=path)))

    assert "of its own" in problem("bin")
    assert "of its own" in problem(f"{root}/bin:{tmp_path}/bin")
    assert problem(f"{tmp_path}/bin:{root}/bin") == ""
    (tmp_path / "bin" / "ls").chmod(0o644)  # which shells pass by
    assert "of its own" in problem(f"{tmp_path}/bin:{root}/bin")
