"""The file of rules: read, edited by hand and by us, and left out whole if anything in it is not known."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.host.rules import rule_book
from acp_tui.host.rules.rule import Rule
from acp_tui.host.rules.rule_book import BookContents, RuleBook, main_checkout, with_id
from tests.examples import SHARING
from tests.rows import each_of
from tests.rule_requests import exact, prefix

BY_HAND = """\
# mine
readers = true   # yes

[[rules]]  # tests
allow = "cargo test"
more = true
project = "/p"

[[rules]]
# never
reject = ["git", "push", "a b"]

[[rules]]
allow = "edit"
files = "/p/src"
agent = "Claude"
project = "/p"
off = true
"""


def book(path: Path, text: str | None = None, *, ours: bool = True) -> RuleBook:
    if text is not None:
        path.write_text(text)
    return RuleBook(path, ours=ours)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rules.toml"


def test_what_is_written_by_hand_is_read(path: Path) -> None:
    contents = book(path, BY_HAND).contents()
    assert contents.readers
    assert [(rule.verdict, rule.kind, rule.words, rule.scope, rule.off) for rule in contents.rules] == [
        ("allow", "prefix", ("cargo", "test"), "project", False),
        ("reject", "exact", ("git", "push", "a b"), "everywhere", False),
        ("allow", "folder", ("/p/src",), "project", True),
    ]


def test_without_a_file_there_are_no_rules(path: Path) -> None:
    assert book(path).contents() == BookContents()


WRONG = [
    ("rules = 3", 1), ("[[rules]]\nallow = 'x'\nthen = 'y'", 3), ("[[rules]]\nallow = 'x'\nreject = 'y'", 1),
    ("[[rules]]\nmore = true", 1), ("[[rules]]\nallow = 'npm *'", 2), ("[[rules]]\nallow = 'a && b'", 2),
    ("[[rules]]\nallow = ''", 2), ("[[rules]]\nallow = []", 2), ("[[rules]]\nallow = ['a', 1]", 2),
    ("[[rules]]\nallow = 'x'\nmore = 'yes'", 3), ("[[rules]]\nallow = 'x'\nproject = '.'", 3),
    ("[[rules]]\nallow = 'write'\nfiles = '/p'\nagent = 'a'", 2), ("[[rules]]\nallow = 'edit'\nfiles = '/p'", 2),
    ("readers = 1", 1), ("everything = true", 1), ("a.b.c.d.e.f.g.h.i.j = 1", 1), ("[[rules]\nallow = 'x'", 1),
    ("[[rules]]\nallow = 'x'\nmade = 'now'", 3), ("\nreaders = ", 2),
]  # fmt: skip


@each_of(("text", "line"), WRONG)
def test_a_file_with_anything_else_is_left_out_whole_with_its_line(path: Path, text: str, line: int) -> None:
    own = book(path, f"{text}\n")
    for _ in range(2):
        with pytest.raises(UserFault, match="The rules cannot be used") as caught:
            own.contents()
        assert f"line {line}" in caught.value.message
    with pytest.raises(UserFault, match="The rules were not changed"):
        own.add([with_id(exact("ls"))], readers=False)
    assert path.read_text() == f"{text}\n"


@each_of("sign", ["[", "{a="])
def test_a_file_that_is_nested_too_deeply_is_left_out(path: Path, sign: str) -> None:
    with pytest.raises(UserFault, match="nested too deeply"):
        book(path, f"readers = {sign * 3000}").contents()


def test_it_is_read_again_when_it_changes_and_when_it_is_correct_again(path: Path) -> None:
    own = book(path, "[[rules]]\nallow = 'ls'\n")
    assert len(own.contents().rules) == 1
    path.write_text("[[rules]]\nallow = 3\n")
    with pytest.raises(UserFault):
        own.contents()
    path.write_text("")
    assert own.contents() == BookContents()


def test_the_file_of_a_run_is_read_once(path: Path) -> None:
    """Its agent may be allowed to edit it."""
    other = book(path, "[[rules]]\nallow = 'ls'\n", ours=False)
    assert len(other.contents().rules) == 1
    for text in ("readers = true\n", "readers = \n"):
        path.unlink()
        path.write_text(text)
        assert not other.contents().readers
        assert len(other.contents().rules) == 1


def test_an_edit_leaves_all_else_as_it_was_written(path: Path) -> None:
    own = book(path, BY_HAND)
    first, second, _ = (rule.id for rule in own.contents().rules)
    own.turn([first], off=True, readers=False)
    assert path.read_text() == BY_HAND.replace('project = "/p"\n', 'project = "/p"\noff = true\n', 1)
    own.turn([first], off=False, readers=True)
    assert path.read_text() == BY_HAND
    own.turn([], off=True, readers=True)
    assert "readers = false   # yes\n" in path.read_text()
    own.remove(second)
    text = path.read_text()
    assert "push" not in text
    assert "# mine" in text
    assert len(own.contents().rules) == 2


def test_what_is_added_again_is_turned_on(path: Path) -> None:
    own = book(path)
    rule = with_id(prefix("cargo test", project="/p", made_at=1000.0))
    own.add([rule], readers=True)
    own.turn([rule.id], off=True, readers=False)
    own.add([rule, with_id(exact("ls", scope="everywhere"))], readers=False)
    assert [(each.name, each.off) for each in own.contents().rules] == [("cargo test …", False), ("ls", False)]
    assert own.contents().rules[0] == rule
    assert path.stat().st_mode & 0o777 == 0o600


def test_rules_that_several_add_at_once_are_all_there(path: Path) -> None:
    rules = [with_id(exact(f"make {at}", scope="everywhere")) for at in range(8)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda rule: RuleBook(path, ours=True).add([rule], readers=False), rules))
    assert {rule.words for rule in book(path).contents().rules} == {rule.words for rule in rules}


def test_a_file_that_another_run_writes_for_long_is_not_changed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(rule_book, "TRIES", 1)
    monkeypatch.setattr(rule_book, "WAIT", 0)
    folder = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        with pytest.raises(UserFault, match="another acp-tui is writing it"):
            book(path).add([with_id(exact("ls"))], readers=False)
    finally:
        os.close(folder)


def test_another_file_is_never_written_and_must_be_there(path: Path) -> None:
    other = book(path, BY_HAND, ours=False)
    assert [rule.scope for rule in other.contents().rules] == ["project"] * 3
    with pytest.raises(UserFault, match="read-only"):
        other.add([with_id(exact("ls"))], readers=False)
    path.unlink()
    with pytest.raises(UserFault, match="The rules cannot be used"):
        book(path, ours=False).contents()


WORDS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=9), min_size=1, max_size=4)


@SHARING
@given(st.lists(st.tuples(WORDS, st.booleans(), st.sampled_from(["", "/p", "/a b/ü"])), max_size=2), st.booleans())
def test_what_is_written_is_read_again(path: Path, made: list[tuple[list[str], bool, str]], readers: bool) -> None:
    path.unlink(missing_ok=True)
    rules = {
        rule.id: rule
        for words, more, project in made
        for rule in [
            with_id(
                Rule(
                    "",
                    "reject" if more else "allow",
                    "prefix" if more else "exact",
                    tuple(words),
                    scope="project" if project else "everywhere",
                    project=project,
                    piped=more,
                )
            )
        ]
    }
    own = book(path)
    own.add(list(rules.values()), readers=readers)
    assert own.contents() == BookContents(tuple(rules.values()), readers)
    for rule in rules:
        own.turn([rule], off=True, readers=False)
        own.remove(rule)
    assert own.contents() == BookContents((), readers)


def test_worktrees_belong_to_their_main_checkout(tmp_path: Path) -> None:
    main, tree = tmp_path / "main", tmp_path / "tree"
    own = main / ".git/worktrees/tree"
    own.mkdir(parents=True)
    (main / ".git/HEAD").write_text("ref: refs/heads/main\n")
    (own / "HEAD").write_text("ref: refs/heads/x\n")
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{tree}/.git\n")
    (tree / "sub").mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {own}\n")
    assert main_checkout(str(tree / "sub")) == main_checkout(str(main)) == str(main)
    (own / "gitdir").write_text(f"{tmp_path}/elsewhere/.git\n")
    assert main_checkout(str(tree)) == str(tree)
    assert main_checkout(str(tmp_path)) == str(tmp_path)
    assert re.fullmatch("[0-9a-f]{12}", with_id(exact("ls")).id)
