"""Which paste is the path of something that can be attached."""

from acp_tui.ui.prompt.draft_actions import pasted_path
from tests.rows import each_of


@each_of(
    ("text", "path"),
    [
        ("/a/b.png", "/a/b.png"),
        (" '/a/my b.png' ", "/a/my b.png"),
        ("/a/my\\ b.png", "/a/my b.png"),
        ("file:///a/my%20b.png", "/a/my b.png"),
        ("a.png b.png", "a.png b.png"),
        ("'a.png' 'b.png'", None),
        ("it's a.png", "it's a.png"),
        ("'a.png", None),
        ("file://[a.png", None),
        ("see a.py", None),
        ("a\nb.png", None),
        ("", None),
    ],
)
def test_what_is_a_path(text: str, path: str | None) -> None:
    assert pasted_path(text) == path
