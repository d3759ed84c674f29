"""The branches of one conversation as a tree."""

import pytest

from acp_tui.session.facts import Branched
from acp_tui.ui.branches.tree_screen import MOST, Node, above, below, beside, origin_of, tree_of

TALK = [
    Node("root", began=1),
    Node("late", "root", 2, 2),
    Node("early", "root", 0, 9),
    Node("again", "root", 2, 5),
    Node("leaf", "late", 4, 7),
    Node("stranger", began=3),
    Node("strange", "stranger", 1, 4),
]


def drawn(nodes: list[Node], current: str, *, lasting: bool = True) -> list[str]:
    return [place.guide + place.node.id for place in tree_of(nodes, current, lasting=lasting)]


@pytest.mark.parametrize("current", ["root", "early", "leaf"])
def test_the_whole_tree_is_listed_wherever_one_is_in_it(current: str) -> None:
    assert drawn(TALK, current) == ["root", "├ early", "├ late", "│ └ leaf", "└ again"]


def test_another_conversation_is_another_tree() -> None:
    assert drawn(TALK, "strange") == ["stranger", "└ strange"]


def test_a_parent_of_which_nothing_is_known_is_the_root_all_the_same() -> None:
    assert drawn([Node("a", "gone"), Node("b", "gone", 1)], "b") == ["gone", "├ a", "└ b"]


def test_a_circle_is_listed_once() -> None:
    circle = [Node("a", "c"), Node("b", "a"), Node("c", "b"), Node("self", "self")]
    assert sorted(place.node.id for place in tree_of(circle, "b")) == ["a", "b", "c"]
    assert drawn(circle, "self") == ["self"]


def test_what_is_older_than_its_parent_is_of_another_run_where_ids_do_not_last() -> None:
    nodes = [Node("demo-1", began=100), Node("demo-2", "demo-1", 0, 50), Node("demo-3", "demo-1", 0, 150)]
    assert drawn(nodes, "demo-1", lasting=False) == ["demo-1", "└ demo-3"]
    assert drawn(nodes, "demo-1") == ["demo-1", "├ demo-2", "└ demo-3"]


def test_ten_thousand_branches_and_levels_are_bounded() -> None:
    wide = [Node("root"), *(Node(f"{number:05}", "root", 0, number) for number in range(10_000))]
    assert drawn(wide, "root")[:2] == ["root", "├ 00000"]
    assert len(tree_of(wide, "root")) == MOST
    deep = [Node("0"), *(Node(str(number), str(number - 1)) for number in range(1, 10_000))]
    places = tree_of(deep, "9999")
    assert len(places) == MOST
    assert max(len(place.guide) for place in places) < 30


def test_steps_lead_to_parent_branch_and_siblings() -> None:
    places = tree_of(TALK, "root")
    names = [place.node.id for place in places]
    root, early, late, leaf, again = range(5)
    assert names == ["root", "early", "late", "leaf", "again"]
    assert [above(places, at) for at in range(5)] == [root, root, root, late, root]
    assert [below(places, at) for at in range(5)] == [early, early, leaf, leaf, again]
    assert [beside(places, at, 1) for at in range(5)] == [root, late, again, leaf, again]
    assert [beside(places, at, -1) for at in range(5)] == [root, early, early, leaf, late]


@pytest.mark.parametrize(
    ("words", "name", "origin"),
    [
        ("fix it", "fix it", ""),
        ("find out why the login test fails", "find out why the login test fails, now", ""),
        ("fix it", "explain it", 'instead of "fix it"'),
        ("fix it", "fix it all", 'instead of "fix it"'),
    ],
)
def test_a_branch_that_is_called_like_the_message_it_replaces_does_not_repeat_it(
    words: str, name: str, origin: str
) -> None:
    assert origin_of(Branched("root", "u1", 0, words), name) == origin
    assert origin_of(Branched("root", "u1", 1, words), name, "hello") == (origin or 'after "hello"')
