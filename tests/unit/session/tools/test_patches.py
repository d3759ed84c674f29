"""The files that patches in a tool's input name."""

from typing import Any

from acp_tui.session.tools.patches import paths_in_patches
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
