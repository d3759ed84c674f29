"""Which paste is the paths of files that were dropped."""

from acp_tui.ui.prompt.dropped_files import FILES_AT_MOST, dropped_paths
from tests.rows import each_of

THERE = {
    "/a/b.py",
    "/a/my b.png",
    "/a/it's.py",
    "/a b",
    "/a/c\\d",
    "~/n.md",
    "/",
    "/a/z\u202e.py",
    "/a/b\nc",
    "a.png",
    "c",
}


@each_of(
    ("text", "paths"),
    [
        ("/a/b.py", ["/a/b.py"]),
        (" /a/b.py ", ["/a/b.py"]),
        (" '/a/my b.png' ", ["/a/my b.png"]),
        ("/a/my b.png", ["/a/my b.png"]),
        ("/a/my\\ b.png", ["/a/my b.png"]),
        ("/a/c\\d", ["/a/c\\d"]),
        ("file:///a/my%20b.png", ["/a/my b.png"]),
        ("file:///a/b.py\nfile:///a/it's.py\n", ["/a/b.py", "/a/it's.py"]),
        ("file:///a/b.py file:///a/my%20b.png", ["/a/b.py", "/a/my b.png"]),
        ("file://localhost/a/b.py", ["/a/b.py"]),
        ("file://LocalHost/a/b.py", ["/a/b.py"]),
        ("file://other/a/b.py", []),
        ("file:///a/b.py file://other/a/my%20b.png", []),
        ("file://other/a.png", []),
        ("/a/b.py '/a/my b.png' ~/n.md", ["/a/b.py", "/a/my b.png", "~/n.md"]),
        ('"/a/it\'s.py" /a/b.py', ["/a/it's.py", "/a/b.py"]),
        ("a.png", ["a.png"]),
        ("a.png 'a.png'", ["a.png", "a.png"]),
        ("c", []),  # a word, though a file is called so
        ("/a/b.py is wrong", []),
        ("/a/b.py /a/gone.py", []),
        ("/fix it", []),
        ("it's a.png", []),
        ("'a.png", []),
        ("file://[a.png", []),
        ("file:///a/z%E2%80%AE.py", []),
        ("file:///a/b%0Ac", []),
        ("", []),
        (" \n", []),
        ("/a/b.py\n" * (FILES_AT_MOST + 1), []),
    ],
)
def test_a_paste_of_paths_that_are_there_is_a_drop(text: str, paths: list[str]) -> None:
    assert dropped_paths(text, THERE.__contains__) == paths
