"""Counts are grammatical wherever a number is told with its noun."""

import re
from pathlib import Path

import acp_tui
from acp_tui.host.changes.snapshot_history import Progress
from acp_tui.session.text.phrases import counted
from tests.rows import each_of

_BARE = re.compile(r"""\bmore:?,?\} more \w+s\b|\{(?:cut|more|left|hidden|missing)[^}]*\} (?:\w+ )?\w+s\b""")


@each_of("count, told", [(0, "0 more lines"), (1, "1 more line"), (1_000, "1,000 more lines")])
def test_a_number_has_its_noun(count: int, told: str) -> None:
    assert counted(count, "more line") == told


@each_of("read, of, told", [(1, 0, "1 file"), (0, 1, "0 of 1 file"), (5, 2_000, "5 of 2,000 files")])
def test_a_snapshot_tells_its_files(read: int, of: int, told: str) -> None:
    assert Progress(read, of).words == told


def test_what_is_left_out_is_counted_by_one_function() -> None:
    """`1 more lines` is what comes of a plural that is written out."""
    root = Path(acp_tui.__file__).parent
    texts = ((path.name, path.read_text(encoding="utf-8")) for path in root.rglob("*.py"))
    found = [f"{name}: {hit[0]}" for name, text in texts for hit in _BARE.finditer(text)]
    assert found == []
