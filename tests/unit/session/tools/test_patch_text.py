"""Texts of patches, read as files and written in Git's form; what is not understood as a whole is no patch."""

import pytest

from acp_tui.session.tools.patches import read_patch
from acp_tui.ui.render.diff_files import read_patch as read_git_patch
from tests.rows import each_of

WRAPPED = "*** Begin Patch\n{}\n*** End Patch"
ENVELOPE = WRAPPED.format(
    "*** Update File: a.py\n*** Move to: b c.py\n@@ class A\n@@ def f():\n x\n\n-y\n+z\n@@\n-1\n*** End of File\n"
    "*** Add File: new\n+1\n+2\n*** Delete File: gone"
)
GIT = """diff --git a/x b/x
index 1..2 100644
--- a/x
+++ b/x
@@ -3,2 +3,2 @@ def f():
 a
-b
+c
diff --git a/old b/new
similarity index 100%
rename from old
rename to new
diff --git a/made b/made
new file mode 100644
--- /dev/null
+++ b/made
@@ -0,0 +1 @@
+1
\\ No newline at end of file
"""


def files(text: str, beside: str = "") -> list[tuple[str, str | None, str]] | None:
    found = read_patch(text, beside)
    return None if found is None else [(file.path, file.old_path, file.operation) for file in found]


@each_of(
    ("text", "expected"),
    [
        (ENVELOPE, [("b c.py", "a.py", "move"), ("new", None, "add"), ("gone", None, "delete")]),
        (ENVELOPE.replace("\n", "\r\n"), [("b c.py", "a.py", "move"), ("new", None, "add"), ("gone", None, "delete")]),
        (WRAPPED.format("*** Update File: a\n*** Move to: b"), [("b", "a", "move")]),
        (WRAPPED.format("*** Add File: empty"), [("empty", None, "add")]),
        (f"\n{GIT}\n", [("x", None, "modify"), ("new", "old", "move"), ("made", None, "add")]),
        ("--- a\t2026\n+++ b\t2026\n@@ -1 +1 @@\n-1\n+2", [("b", None, "modify")]),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-1", [("x", None, "delete")]),
        ("--- x\n+++ x\n@@ ... @@\n-1\n+2\n\n--- y\n+++ y\n@@\n-1", [("x", None, "modify"), ("y", None, "modify")]),
        ("Index: x\n=====\n--- x\n+++ x\n@@ -1 +1 @@\n-1\n+2\n", [("x", None, "modify")]),
    ],
)
def test_the_files_of_a_patch(text: str, expected: list[tuple[str, str | None, str]]) -> None:
    assert files(text) == expected


@each_of(
    "text",
    [
        "",
        "*** Begin Patch",
        ENVELOPE.removesuffix("*** End Patch"),  # it still grows
        WRAPPED.format(""),
        WRAPPED.format("+no file"),
        WRAPPED.format("*** Add File: a\nno sign"),
        WRAPPED.format("*** Update File: a"),
        WRAPPED.format("*** Update File: a\n@@\n-1\n*** Copy to: b"),
        WRAPPED.format("*** Delete File: a\n-1"),
        WRAPPED.format("*** Update File: a\n@@\n"),
        f"Words, then:\n{GIT}",
        f"{GIT}\nand words",
        "--- a\n+++ b\n",
        "--- a\n+++ b\n@@ -1,2 +1 @@\n-1\n+2",  # fewer lines than it counts
        "--- a\n+++ b\n@@ -1 +1 @@\n-1\n+2\n+3",  # more
        "--- a\n+++ b\n@@ -1 +1 @@\n*1\n+2",
        "--- a\n+++ b\n@@\n*1",
        GIT.replace("diff --git a/made b/made\n", ""),
        "--- a\n+++ b\n--- c\n+++ d\n@@ -1 +1 @@\n-1\n+2",
        "diff --git a/x b/x\nBinary files a/x and b/x differ",
        "@@ -1 +1 @@\n-1\n+2",  # of which file?
        "---\ntitle: front matter\n---\n",
    ],
)
def test_what_is_no_patch(text: str) -> None:
    assert read_patch(text) is None


def test_hunks_without_a_name_are_of_the_file_beside_them() -> None:
    assert files("@@ -1 +1 @@\n-1\n+2", "/p/a.py") == [("/p/a.py", None, "modify")]
    assert files("--- original\n+++ modified\n@@ -1 +1 @@\n-1\n+2", "/p/a.py") == [("/p/a.py", None, "modify")]


@pytest.mark.parametrize("text", [ENVELOPE, GIT], ids=["envelope", "git"])
def test_what_is_written_is_read_as_git_does_it_without_a_line_lost(text: str) -> None:
    found = read_patch(text) or []
    told = read_git_patch("".join(f"{line}\n" for file in found for line in file.lines()))
    assert [file.path for file in told] == [file.path for file in found]
    assert not [note for file in told for note in file.notes if "patch" in note]
    own = [line[1:] for line in text.split("\n") if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")]
    changed = [line for file in told for hunk in file.hunks for line in hunk.lines if line.sign != " "]
    assert [line.text for line in changed] == own


def test_lines_of_which_nobody_says_where_they_are_have_no_numbers() -> None:
    (file,) = read_git_patch("--- a\n+++ b\n@@ -0,2 +0,2 @@ def f():\n a\n-b\n+c\n@@ -0,1 +0,0 @@\n-d\n")
    assert {(line.old, line.new) for hunk in file.hunks for line in hunk.lines} == {(None, None)}
    assert [hunk.heading for hunk in file.hunks] == ["def f():", "further down"]


def test_carriage_returns_are_of_all_lines_or_of_none() -> None:
    (file,) = read_patch("--- a\r\n+++ a\r\n@@ -1 +1 @@\r\n-x\r\n+y\r\n\r\n") or []
    assert file.hunks[1:] == ["-x\r", "+y\r"]
    assert file.path == "a"
