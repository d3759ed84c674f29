"""A list of comments: kept, edited, deleted, brought back, and moved with their lines."""

from dataclasses import replace

from acp_tui.ui.changes.comments import Comment, Comments, comment_on
from acp_tui.ui.render.diff import DiffLine, compare

PATH = "/home/me/a.py"
OLD = "one\ntwo\nthree\nfour\n"
NEW = "one\ntwo!\nthree\nfour\nfive\n"


def lines() -> tuple[DiffLine, ...]:
    return compare(PATH, OLD, NEW).hunks[0].lines


def on(*numbers: int, text: str = "why?") -> Comment:
    around = lines()
    return replace(comment_on(PATH, [around[number] for number in numbers], around), text=text)


def test_a_comment_on_lines_before_and_after_the_change_is_on_the_new_ones() -> None:
    assert [line.sign for line in lines()] == [" ", "-", "+", " ", " ", "+"]
    comment = on(1, 2, 3)
    assert (comment.side, comment.first, comment.last) == ("new", 2, 3)
    assert comment.lines == ["two!", "three"]
    assert [line.sign for line in comment.quote] == ["-", "+", " "]
    assert (comment.before, comment.after) == (("one",), ("four", "five"))


def test_a_comment_on_removed_lines_is_on_the_old_side() -> None:
    comment = on(1)
    assert (comment.side, comment.first, comment.last, comment.lines) == ("old", 2, 2, ["two"])
    assert (comment.before, comment.after) == (("one",), ("three", "four"))


def test_it_stands_below_its_last_line_only() -> None:
    around, comment = lines(), on(2, 3)
    assert [at for at, line in enumerate(around) if comment.stands_at(line)] == [3]
    assert not comment.stands_at(replace(around[3], text="other"))


def test_kept_edited_emptied() -> None:
    comments = Comments()
    kept = comments.keep(on(2))
    assert [each.number for each in comments.all] == [1]
    comments.keep(replace(kept, text="how?"))
    assert [each.text for each in comments.all] == ["how?"]
    comments.keep(replace(kept, text="  \n"))
    assert comments.all == []


def test_an_empty_one_is_not_kept() -> None:
    comments = Comments()
    comments.keep(on(2, text=" "))
    assert comments.all == []


def test_deleted_ones_come_back_in_their_places_the_last_one_first() -> None:
    comments = Comments()
    first, second = comments.keep(on(0)), comments.keep(on(2))
    comments.delete(first.number)
    comments.delete(second.number)
    assert comments.undo() == second
    assert comments.undo() == first
    assert comments.undo() is None
    assert comments.all == [first, second]


def test_they_are_listed_as_they_stand_in_their_files() -> None:
    comments = Comments()
    comments.keep(on(3))
    comments.keep(replace(on(0), path="/b"))
    comments.keep(on(0))
    assert [(each.path, each.last) for each in comments.ordered] == [(PATH, 1), (PATH, 3), ("/b", 1)]


def test_drafts_are_not_finished() -> None:
    comments = Comments()
    comments.keep(replace(on(0), draft=True))
    assert comments.finished == []
    assert len(comments.all) == 1


def test_they_follow_their_lines_and_come_back_with_them() -> None:
    comments = Comments()
    comments.keep(on(2, 3))
    new = NEW.splitlines()
    comments.follow(PATH, ["zero", *new])
    assert [(each.first, each.last, each.gone) for each in comments.all] == [(3, 4, False)]
    comments.follow(PATH, ["zero", *new[:1], *new[2:]])
    assert [each.gone for each in comments.all] == [True]
    comments.follow(PATH, new)
    assert [(each.first, each.last, each.gone) for each in comments.all] == [(2, 3, False)]


def test_a_file_that_is_gone_takes_them_along_but_not_those_of_other_files_or_sides() -> None:
    comments = Comments()
    for each in (on(2), on(1), replace(on(2), path="/b"), replace(on(2), plan=True)):
        comments.keep(each)
    comments.follow(PATH, None)
    assert [each.gone for each in comments.all] == [True, False, False, False]


def test_what_was_sent_does_not_come_back() -> None:
    comments = Comments()
    first, second = comments.keep(on(0)), comments.keep(on(2))
    comments.sent([first.number])
    assert comments.all == [second]
    assert comments.undo() is None


def test_taken_from_another_list_they_have_numbers_of_their_own() -> None:
    comments, other = Comments(), Comments()
    comments.keep(on(0))
    other.keep(on(2))
    comments.take(other.all)
    assert [each.number for each in comments.all] == [1, 2]
