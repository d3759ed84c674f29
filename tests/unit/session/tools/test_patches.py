"""The files that patches in a tool's input name, and the diffs that they are."""

import json
import shlex
from typing import Any

from acp_tui.protocol.vocabulary.tool_calls import Diff
from acp_tui.session.tools.patches import change_verb, patches_in, paths_in_patches
from tests.rows import each_of

ENVELOPE = """*** Begin Patch
*** Update File: src/old.txt
*** Move to: src/new.txt
@@
-hello
+goodbye
*** Add File: /abs/a b.txt
+x
*** Delete File: gone
*** End Patch"""
GIT = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-1\n+2\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n"
WHOLE = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-it's\n+2"
PLAIN = "--- old.txt\t2026-01-01\n+++ new.txt\t2026-01-02\n@@ -1 +1 @@\n"


@each_of(
    ("raw", "paths"),
    [
        ({"input": ENVELOPE}, ["src/old.txt", "src/new.txt", "/abs/a b.txt", "gone"]),
        ({"arguments": [{"patch": GIT}]}, ["x", "new"]),
        (PLAIN, ["old.txt", "new.txt"]),
        (GIT.replace("\n", "\r\n"), ["x", "new"]),
        ("*** Update File: no patch begins", []),
        ("--- a\n+++ b\nno hunk follows", []),
        ({"deep": {"deep": {"deep": {"deep": {"deep": ENVELOPE}}}}}, []),
        ({"text": "x" * (4 << 20) + "\n" + ENVELOPE}, []),
        (None, []),
        (7, []),
    ],
)
def test_the_files_of_a_patch(raw: Any, paths: list[str]) -> None:
    assert list(paths_in_patches(raw)) == paths


def operations(raw: Any) -> list[tuple[str, str]]:
    found = (change for patch in patches_in(raw, "/p") for change in patch.diff.changes or ())
    return [(change.operation, change.path) for change in found]


@each_of(
    ("raw", "changed"),
    [
        (ENVELOPE, [("move", "/p/src/new.txt"), ("add", "/abs/a b.txt"), ("delete", "/p/gone")]),
        ({"input": WHOLE}, [("modify", "/p/x")]),
        ({"patchText": WHOLE}, [("modify", "/p/x")]),
        (json.dumps({"patch": WHOLE}), [("modify", "/p/x")]),
        ({"edits": [{"diff": WHOLE}, {"diff": WHOLE}]}, [("modify", "/p/x"), ("modify", "/p/x")]),
        ({"command": ["apply_patch", WHOLE]}, [("modify", "/p/x")]),
        ({"command": f"bash -lc {shlex.quote(f'apply_patch {shlex.quote(WHOLE)}')}"}, [("modify", "/p/x")]),
        ({"command": f"apply_patch <<'EOF'\n{WHOLE}\nEOF"}, [("modify", "/p/x")]),
        ({"path": "/p/y", "diff": "@@ -1 +1 @@\n-1\n+2"}, [("modify", "/p/y")]),
        ({"command": f"apply_patch <<EOF\n{WHOLE}\nEOF"}, []),  # the shell puts something in
        ({"command": f"apply_patch <<'EOF'\n{WHOLE}\nEOF\nrm -r x\nEOF"}, []),
        ({"command": f"apply_patch <<'EOF'\n{WHOLE}\nEOF\nrm -r x"}, []),
        ({"command": "apply_patch x.patch"}, []),
        ({"path": "fix.patch", "content": WHOLE}, []),  # a file is written that holds a patch
        ({"file_path": "fix.patch", "old_string": WHOLE, "new_string": WHOLE}, []),
        ({"path": "fix.md", "insert_text": WHOLE}, []),
        ({"path": "fix.md", "data": [WHOLE]}, []),
        ({"path": "fix.md", "edits": [{"oldText": WHOLE, "newText": WHOLE}, {"search": WHOLE, "replace": WHOLE}]}, []),
        ({"path": "x", "edits": [{"diff": "@@ -1 +1 @@\n-1\n+2"}]}, [("modify", "/p/x")]),
        ({"directory": "/p", "input": WHOLE}, [("modify", "/p/x")]),
        ({"prompt": WHOLE, "description": WHOLE, "comment": WHOLE}, []),
        (None, []),
    ],
)
def test_patches_of_an_input_are_diffs(raw: Any, changed: list[tuple[str, str]]) -> None:
    assert operations(raw) == changed


@each_of(
    ("kind", "old", "title", "verb"),
    [
        ("edit", None, "Write a.py", "Create"),
        ("other", "", "a.py", "Create"),
        ("edit", None, "Update a.py", "Edit"),
        ("edit", "x", "Write a.py", "Edit"),
        ("move", None, "Move a.py", "Move"),
    ],
)
def test_what_has_no_old_text_is_created(kind: str, old: str | None, title: str, verb: str) -> None:
    assert change_verb(kind, [Diff(path="a.py", old_text=old, new_text="y")], title) == verb


def test_of_several_files_one_with_an_old_text_makes_it_an_edit() -> None:
    new, changed = (Diff(path="a", old_text=old, new_text="y") for old in (None, "x"))
    assert [change_verb("edit", diffs) for diffs in ([new], [new, changed], [])] == ["Create", "Edit", "Edit"]
