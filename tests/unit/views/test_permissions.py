"""What a permission request names, and which option a key answers with."""

import pytest

from acp_tui.protocol.vocabulary.tool_calls import Diff, PermissionOption
from acp_tui.session.tools.subject import SubjectLocation, ToolSubject
from acp_tui.views.permissions import (
    BLANK,
    LETTERS,
    RequestSubject,
    facts_of,
    highlighted_first,
    letter_for,
    name_of,
    option_for,
    rejecting,
    title_of,
    unsaid_kind,
)
from tests.rows import each_of

KINDS = ["allow_always", "allow_once", "allow_once", "reject_once", "newer"]


def options(kinds: list[str]) -> list[PermissionOption]:
    return [PermissionOption(option_id=str(index), name=kind, kind=kind) for index, kind in enumerate(kinds)]


@each_of(
    ("key", "index"),
    [("1", 0), ("5", 4), ("y", 1), ("Y", 0), ("n", 3)],
)
def test_a_key_answers_with_the_first_of_its_kind(key: str, index: int) -> None:
    assert option_for(key, options(KINDS)) == index


@pytest.mark.parametrize("key", ["6", "0", "N", "R", "a", "A", "r", "x", "", "12"])
def test_a_key_without_an_option_answers_nothing(key: str) -> None:
    assert option_for(key, options(KINDS)) is None


def test_lower_case_is_never_always() -> None:
    assert not any(kind.endswith("always") for kind, letters in LETTERS.items() if letters.islower())


def test_a_letter_stands_beside_the_option_that_it_answers_with() -> None:
    assert [letter_for(index, options(KINDS)) for index in range(len(KINDS))] == ["Y", "y", "", "n", ""]


@each_of(
    ("kinds", "index"),
    [
        (KINDS, 1),
        (["allow_always", "reject_once"], 1),
        (["sudo_forever", "allow_once", "allow_once"], 1),
        (["sudo_forever", "allow_always", "reject_once"], 2),
        (["allow_always", "reject_always"], None),
        (["reject_always"], None),
        (["newer"], None),
        (["ALLOW_ONCE"], None),
        ([], None),
    ],
)
def test_the_highlight_begins_on_allow_once_else_on_reject_once_else_nowhere(
    kinds: list[str], index: int | None
) -> None:
    assert highlighted_first(options(kinds)) == index


@pytest.mark.parametrize(("kinds", "index"), [(KINDS, 3), (["reject_always"], None), (["allow_once"], None)])
def test_a_reason_goes_with_a_rejection(kinds: list[str], index: int | None) -> None:
    assert rejecting(options(kinds)) == index


@each_of(
    ("name", "kind", "shown"),
    [
        ("Allow once", "allow_once", "Allow once"),
        ("Reject", "reject_once", "Reject"),
        ("Always allow", "allow_always", "Always allow"),
        ("Yes, and don't ask again", "allow_always", "Yes, and don't ask again"),
        ("Yes, and don't ask again", "reject_always", "Yes, and don't ask again  reject always"),
        ("Yes, and don't ask again", "allow_once", "Yes, and don't ask again  allow once"),
        ("Yes", "allow_once", "Yes  allow once"),
        ("Always allow", "reject_always", "Always allow  reject always"),
        ("Do not allow always", "allow_always", "Do not allow always  allow always"),
        ("Reject", "reject_always", "Reject  reject always"),
        ("", "allow_once", "the-id  allow once"),
        ("Go", "sudo_forever", "Go  sudo forever"),
        ("Go", "", "Go  unknown kind"),
    ],
)
def test_the_kind_stands_beside_every_name_that_does_not_begin_with_it(name: str, kind: str, shown: str) -> None:
    option = PermissionOption(option_id="the-id", name=name, kind=kind)
    assert name_of(option) + unsaid_kind(option) == shown


@each_of(
    "about, title, facts",
    [
        (
            ToolSubject("execute", "command", commands=("make", "make test"), folder="/p/sub"),
            "Bash",
            [("make", "command"), ("make test", "command"), ("in /p/sub", "muted")],
        ),
        (
            ToolSubject("execute", "command", description="Build it", commands=("make",)),
            "Bash",
            [("Build it", "title"), BLANK, ("make", "command"), ("in /p", "muted")],
        ),
        (
            ToolSubject("delete", "place", places=(SubjectLocation("/p/a"), SubjectLocation("/q/b", 3))),
            "rm",
            [("Delete a", "title"), ("Outside the project: /q/b:3", "named")],
        ),
        (
            ToolSubject("fetch", "address", addresses=("https://x.org",), patterns=("words",)),
            "Look it up",
            [("Look it up", "title"), ("https://x.org", "named"), ("for words", "named")],
        ),
        (ToolSubject("other", "text"), "", [("The agent needs permission", "title")]),
    ],
)
def test_all_that_is_named_is_told_once(about: ToolSubject, title: str, facts: list[tuple[str, str]]) -> None:
    assert list(facts_of(RequestSubject(title, about, cwd="/p"), "/p", ())) == facts


def test_what_a_diff_names_stands_above_it_alone() -> None:
    about = ToolSubject("edit", "place", places=(SubjectLocation("/p/a"),))
    found = RequestSubject("/p/a", about, content=[Diff(path="/p/a", new_text="")])
    assert list(facts_of(found, "/p", {"/p/a"})) == []
    assert title_of(found, about.places, "/p") == ""


@each_of(
    "name, kind, said",
    [
        ("Yes", "allow_once", ""),
        ("No", "reject_once", ""),
        ("Yes, and don't ask again this session", "allow_always", ""),
        ("No, never", "reject_always", ""),
        ("Yes", "allow_always", "  allow always"),
        ("No", "allow_once", "  allow once"),
        ("Nothing", "reject_once", "  reject once"),
        ("Yes, and accept all edits", "allow_always", "  allow always"),
        ("Yes, for this session", "allow_once", "  allow once"),
        ("Yes", "newer", "  newer"),
    ],
)
def test_where_cells_are_few_a_kind_goes_that_the_name_leaves_no_doubt_of(name: str, kind: str, said: str) -> None:
    assert unsaid_kind(PermissionOption(option_id="x", name=name, kind=kind), terse=True) == said
