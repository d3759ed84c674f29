"""Which names are near a word."""

from acp_tui.session.text.near_names import near_names
from tests.rows import each_of

NAMES = ("claude", "codex", "cursor", "cline", "search", "snapshots", "run", "vibe", "--trace", "Kimi")


@each_of(
    ("word", "near"),
    [
        ("claud", ["claude"]),
        ("cladue", ["claude"]),
        ("Codx", ["codex"]),
        ("serch", ["search"]),
        ("snapshot", ["snapshots"]),
        ("rnu", ["run"]),
        ("kmi", ["Kimi"]),
        ("clinee", ["cline"]),
        ("clide", ["cline", "claude"]),
        ("--traec", ["--trace"]),
        ("--trance=x", []),
        ("laude", []),
        ("vi", []),
        ("ru", []),
        ("c", []),
        ("", []),
        ("-", []),
        ("init", []),
        ("cursored-x", []),
    ],
)
def test_a_guess_shares_the_first_letter_and_is_two_edits_away_at_most(word: str, near: list[str]) -> None:
    assert near_names(word, NAMES) == near
