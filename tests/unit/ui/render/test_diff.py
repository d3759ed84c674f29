"""Diffs as hunks: right numbers, right lines, every shape of the protocol, nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.vocabulary.tool_calls import Diff, FileChange, Patch
from acp_tui.session.text import line_diff
from acp_tui.ui.render import diff
from acp_tui.ui.render.diff import DiffLine, FileDiff, changed_words, compare, plain
from acp_tui.ui.render.diff_files import file_diffs, line_count
from tests.rows import each_of


def signs(file: FileDiff) -> list[str]:
    return [line.sign + line.text for hunk in file.hunks for line in hunk.lines]


def numbers(file: FileDiff) -> list[tuple[int | None, int | None]]:
    return [(line.old, line.new) for hunk in file.hunks for line in hunk.lines]


def test_a_changed_line_stands_in_its_context() -> None:
    file = compare("a.py", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n")
    assert signs(file) == [" 2", " 3", " 4", "-5", "+five", " 6", " 7", " 8"]
    assert numbers(file) == [(2, 2), (3, 3), (4, 4), (5, None), (None, 5), (6, 6), (7, 7), (8, 8)]
    assert (file.added, file.removed, file.hunks[0].skipped) == (1, 1, 1)


def test_changes_far_apart_are_hunks_of_their_own() -> None:
    old = [str(number) for number in range(1, 41)]
    new = ["first", *old[:19], "middle", *old[20:]]
    file = compare("a", "\n".join(old), "\n".join(new))
    assert [hunk.skipped for hunk in file.hunks] == [0, 13]
    assert numbers(file)[0] == (None, 1)
    assert numbers(file)[4:6] == [(17, 18), (18, 19)]
    assert signs(file)[-5:] == ["-20", "+middle", " 21", " 22", " 23"]


@pytest.mark.parametrize("old", [None, ""])
def test_without_an_old_text_it_is_a_new_file(old: str | None) -> None:
    file = compare("a", old, "x\ny\n")
    assert signs(file) == ["+x", "+y"]
    assert file.notes == ("new file",)
    assert (file.added, file.removed) == (2, 0)


def test_an_emptied_file_says_so() -> None:
    file = compare("a", "x\n", "")
    assert (signs(file), file.notes) == (["-x"], ("now empty",))


def test_equal_texts_say_so() -> None:
    assert compare("a", "x\n", "x\n").notes == ("no changes",)
    assert compare("a", "x\n", "x\n").hunks == ()


def test_a_missing_newline_at_the_end_is_plain() -> None:
    file = compare("a", "x\ny", "x\ny\n")
    assert [(line.sign, line.text, line.ending) for line in file.hunks[0].lines] == [
        (" ", "x", ""),
        ("-", "y", "⏎ no newline"),
        ("+", "y", ""),
    ]


def test_line_ends_that_are_all_the_same_are_one_note() -> None:
    file = compare("a", "x\r\ny\r\n", "x\r\nz\r\n")
    assert file.notes == ("CRLF line endings",)
    assert {line.ending for line in file.hunks[0].lines} == {""}


def test_line_ends_that_change_are_marked() -> None:
    file = compare("a", "x\r\n", "x\n")
    assert [(line.sign, line.text, line.ending) for line in file.hunks[0].lines] == [("-", "x", "␍"), ("+", "x", "")]


def test_binary_content_is_not_drawn() -> None:
    file = compare("a", "x\0y", "z")
    assert file.hunks == ()
    assert file.notes == ("binary: 3 → 1 character",)


def test_what_is_too_long_is_cut_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diff, "MAX_LINES", 10)
    file = compare("a", "0\n", "".join(f"{number}\n" for number in range(1, 41)))
    assert len(signs(file)) == 10
    assert "31 more changed lines not shown" in file.notes
    assert (file.added, file.removed) == (40, 1)


def test_what_is_too_long_to_compare_is_replaced_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_diff, "STEPS", -20)
    file = compare("a", "a\nsame\nb\n", "c\nsame\nd\n")
    assert signs(file) == ["-a", "-same", "-b", "+c", "+same", "+d"]
    assert file.notes == ("too large for a line-by-line diff",)


TEXT = st.lists(st.sampled_from(["a", "b", "c", "", "d\r", "é"]), max_size=30).map("\n".join)


@given(old=TEXT, new=TEXT)
def test_the_old_and_the_new_text_can_be_read_from_the_hunks(old: str, new: str) -> None:
    file = compare("f", old, new)
    before, after = old.split("\n"), new.split("\n")
    for hunk in file.hunks:
        for line in hunk.lines:
            assert line.old is None or before[line.old - 1].rstrip("\r") == line.text.rstrip("\r")
            assert line.new is None or after[line.new - 1].rstrip("\r") == line.text.rstrip("\r")
            assert (line.old is None, line.new is None) == (line.sign == "+", line.sign == "-")
    changed_old = [line.text for hunk in file.hunks for line in hunk.lines if line.sign == "-"]
    changed_new = [line.text for hunk in file.hunks for line in hunk.lines if line.sign == "+"]
    assert (len(changed_new), len(changed_old)) == (file.added, file.removed)
    lines_before, lines_after = ((text + "\n").count("\n") - (text[-1:] in ("", "\n")) for text in (old, new))
    assert lines_before - file.removed + file.added == lines_after


def test_replaced_lines_are_paired_and_their_words_compared() -> None:
    (hunk,) = compare("a", "keep\nreturn None\nx\n", "keep\nreturn open()\nx\n").hunks
    assert hunk.pairs == {1: 2}
    assert hunk.words(1) == ((7, 11),)
    assert hunk.words(2) == ((7, 13),)
    assert hunk.words(0) == ()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a b c", "a x c", (((2, 3),), ((2, 3),))),
        ("same", "same", ((), ())),
        ("entirely", "different", ((), ())),
        ("f(a, b)", "f(a, b, c)", ((), ((6, 9),))),
        ("one two three four", "one TWO THREE four", (((4, 13),), ((4, 13),))),
        ("", "x", ((), ())),
        ("x " * 400, "y " * 400, ((), ())),
    ],
)
def test_changed_words(old: str, new: str, expected: object) -> None:
    assert changed_words(old, new) == expected


@pytest.mark.parametrize(
    ("raw", "safe"),
    [("a\tb", "a   b"), ("a\x1b[2Jb", "ab"), ("a\rb", "a␍b"), ("\u202ex", "�x"), ("\ud800", "�"), ("a\u2028b", "a b")],
)
def test_a_shown_line_is_safe(raw: str, safe: str) -> None:
    assert plain(raw).text == safe


def test_a_long_line_is_cut_and_says_so() -> None:
    assert plain("x" * 2_500).text == "x" * 2_000 + " … 500 more characters"


PATCH = """\
diff --git a/src/login.py b/src/login.py
index 111..222 100644
--- a/src/login.py
+++ b/src/login.py
@@ -10,3 +10,3 @@ def login():
 same
--- not a head
+++ not a head either
 last
\\ No newline at end of file
@@ -40 +40,2 @@
-x
+y
+z
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1,1 +0,0 @@
-bye
diff --git a/old.txt b/new.txt
similarity index 100%
rename from old.txt
rename to new.txt
diff --git a/picture.png b/picture.png
Binary files a/picture.png and b/picture.png differ
"""


def patch(text: str, changes: list[FileChange] | None = None) -> list[FileDiff]:
    return file_diffs(Diff(changes=changes or [], patch=Patch(format="git_patch", text=text)))


def test_a_git_patch_is_read() -> None:
    login, gone, moved, picture = patch(PATCH)
    assert login.path == "src/login.py"
    assert signs(login) == [" same", "--- not a head", "+++ not a head either", " last", "-x", "+y", "+z"]
    assert numbers(login)[:4] == [(10, 10), (11, None), (None, 11), (12, 12)]
    assert login.hunks[0].lines[-1] == DiffLine(" ", 12, 12, "last", "⏎ no newline")
    assert [(hunk.skipped, hunk.heading) for hunk in login.hunks] == [(9, "def login():"), (27, "")]
    assert (login.added, login.removed) == (3, 2)
    assert (gone.path, signs(gone), gone.notes) == ("gone", ["-bye"], ("deleted",))
    assert (moved.path, moved.notes) == ("new.txt", ("moved from old.txt",))
    assert (picture.path, picture.notes) == ("picture.png", ("binary",))


def test_a_patch_without_git_heads_is_read() -> None:
    one, two = patch("--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n")
    assert (one.path, one.notes, signs(one)) == ("a", ("new file",), ["+x"])
    assert (two.path, signs(two)) == ("b", ["-x", "+y"])


def test_changes_get_their_part_of_the_patch() -> None:
    changes = [
        FileChange(operation="modify", path="/home/me/src/login.py"),
        FileChange(operation="add", path="/home/me/untold.bin", file_type="binary"),
        FileChange(operation="move", path="/b", old_path="/a"),
    ]
    files = patch(PATCH, changes)
    assert [file.path for file in files][:4] == ["/home/me/src/login.py", "/home/me/untold.bin", "/b", "gone"]
    assert files[0].added == 3
    assert files[1].notes == ("new file", "binary")
    assert files[2].notes == ("moved from /a",)


@each_of(
    ("operation", "file_type", "notes"),
    [
        ("add", None, ("new file", "content not provided")),
        ("delete", "text", ("deleted", "content not provided")),
        ("modify", "text", ("changed", "content not provided")),
        ("modify", "binary", ("changed", "binary")),
        ("add", "directory", ("new directory",)),
        ("delete", "symlink", ("deleted symlink",)),
        ("add", "_pipe", ("new file", "_pipe")),
        ("move", "directory", ("moved from before", "directory")),
        ("copy", "text", ("copied from before",)),
        ("_chmod", None, ("_chmod",)),
    ],
)
def test_changes_without_a_patch_are_told(operation: str, file_type: str | None, notes: tuple[str, ...]) -> None:
    change = FileChange(operation=operation, path="/here/x", old_path="/here/before", file_type=file_type)
    (file,) = file_diffs(Diff(changes=[change]), lambda path: path.removeprefix("/here/"))
    assert (file.path, file.notes) == ("x", notes)


@pytest.mark.parametrize(
    ("operation", "file_type", "head", "notes"),
    [
        ("add", "symlink", "new file mode 120000", ("new symlink",)),
        ("delete", "binary", "deleted file mode 100644\nBinary files a/x and /dev/null differ", ("deleted", "binary")),
        ("move", "text", "rename from old\nrename to x", ("moved from /old",)),
        ("move", "text", "", ("moved from /old",)),
        ("modify", "text", "old mode 100644\nnew mode 100755", ("old mode 100644", "new mode 100755")),
        ("_touch", None, "", ("_touch",)),
    ],
)
def test_a_change_and_its_patch_say_each_thing_once(
    operation: str, file_type: str | None, head: str, notes: tuple[str, ...]
) -> None:
    change = FileChange(operation=operation, path="/x", old_path="/old", file_type=file_type)
    (file,) = patch(f"diff --git a/x b/x\n{head}\n", [change])
    assert (file.path, file.notes) == ("/x", notes)


@pytest.mark.parametrize("text", ["nothing of the kind", "diff --git\n", "@@ -1 +1 @@\n+x\n"])
def test_a_patch_that_cannot_be_read_is_shown_as_it_is(text: str) -> None:
    assert patch(text)


def test_an_unknown_format_is_shown_as_it_is() -> None:
    (file,) = file_diffs(Diff(changes=[], patch=Patch(format="ed_script", text="1d")))
    assert signs(file) == [" 1d"]
    assert file.notes == ("unknown patch format: ed_script",)


def test_a_patch_that_ends_early_says_so() -> None:
    (file,) = patch("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n")
    assert file.notes == ("incomplete patch",)


@given(text=st.text(st.sampled_from("@-+ 1,ab\n\\\r"), max_size=200))
def test_no_patch_is_too_strange(text: str) -> None:
    for file in patch("diff --git a/x b/x\n" + text):
        assert file.added >= 0


def test_the_number_of_lines_is_guessed_without_comparing() -> None:
    assert line_count(Diff(path="a", new_text="x\n" * 100)) == 101
    assert line_count(Diff(path="a", old_text="x\n" * 100, new_text="x\n" * 101)) == 9
    assert line_count(Diff(changes=[FileChange(operation="add", path="x")])) == 1


def test_excerpts_that_both_end_without_a_newline_say_nothing_of_it() -> None:
    (file,) = file_diffs(Diff(path="a.py", old_text="old", new_text="old\nnew"))
    assert [(line.sign, line.text, line.ending) for line in file.hunks[0].lines] == [(" ", "old", ""), ("+", "new", "")]
    (file,) = file_diffs(Diff(path="a.py", old_text="old\n", new_text="new"))
    assert [line.ending for line in file.hunks[0].lines] == ["", "⏎ no newline"]


def test_of_whole_files_a_newline_that_is_missing_on_both_sides_is_told() -> None:
    (hunk,) = compare("a.py", "a\nb", "b\nc").hunks
    assert [(line.sign, line.text, line.ending) for line in hunk.lines] == [
        ("-", "a", ""),
        ("-", "b", "⏎ no newline"),
        ("+", "b", ""),
        ("+", "c", "⏎ no newline"),
    ]


@each_of(
    ("old", "new", "one_sided"),
    [
        ("", "1\n2\n", True),
        ("1\n2\n", "1\n2\n3\n", True),
        ("1\n2\n", "1\n", True),
        ("1\n", "2\n", False),
        ("1\n", "a\nb\nc\nd\n", False),
        ("1\n", "a\nb\nc\nd\ne\n", True),
    ],
)
def test_columns_need_something_on_both_sides(old: str, new: str, one_sided: bool) -> None:
    [hunk] = compare("a", old, new).hunks
    assert hunk.one_sided is one_sided
