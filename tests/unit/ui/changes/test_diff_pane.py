"""What of a file is shown as a diff and what in words; which lines a hunk replaces, and in which rows they stand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.revert.steps import LineSpan
from acp_tui.host.snapshots.path_state import ABSENT, Kind, PathChange, PathState, Status
from acp_tui.session.text.line_diff import lines_of
from acp_tui.ui.changes.diff_pane import MOST_COMPARED, ShownFile, patch_of, shown_file, span_of, units_of
from acp_tui.ui.changes.extensions import ChangesExtension, Extras
from acp_tui.ui.entries.diff_units import HunkUnit, Layout
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.diff import MAX_LINES, compare
from acp_tui.ui.render.wrap import text_of
from tests.examples import THOROUGH
from tests.rows import each_of


def state(data: bytes | None, kind: Kind = "file", mode: int = 0o644, reason: str = "") -> PathState:
    return ABSENT if data is None else PathState(kind, mode, len(data), "digest", reason)


def change(before: bytes | None, after: bytes | None, status: Status = "changed", path: str = "a.py") -> PathChange:
    return PathChange("/root", path, status, state(before), state(after))


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", "e\r", "\x0b", "f\u2028"]), max_size=60).map("\n".join)


@THOROUGH
@given(TEXTS, TEXTS)
def test_a_hunk_s_lines_put_back_give_the_old_text(old: str, new: str) -> None:
    """From the last to the first, as each would be alone; lines end in a newline and nothing else."""
    before, after = lines_of(old.encode()), lines_of(new.encode())
    hunks = compare("a", old, new).hunks
    for hunk in reversed(hunks):
        span = span_of(hunk)
        after[slice(*span.new)] = before[slice(*span.old)]
    assert b"".join(after) == old.encode()


def test_a_span_has_no_unchanged_lines_at_its_ends() -> None:
    text = "".join(f"{n}\n" for n in range(20))
    (hunk,) = compare("a", text, text.replace("7\n", "seven\n", 1)).hunks
    span = span_of(hunk)
    assert (span.old, span.new) == ((7, 8), (7, 8))
    (added,) = compare("a", text, text.replace("7\n", "7\nmore\n", 1)).hunks
    assert (span_of(added).old, span_of(added).new) == ((8, 8), (8, 9))


def test_a_diff_that_is_cut_gives_no_span_for_its_last_hunk() -> None:
    old, new = (b"x\n" * 10 + mark * (MAX_LINES + 5) for mark in (b"", b"y\n"))
    shown = shown_file(change(old, new), old, new)
    assert shown.span(shown.diff.hunks[-1]) is None
    assert any("not shown" in words for words in shown.said)
    whole = shown_file(change(b"a\n", b"b\n"), b"a\n", b"b\n")
    assert whole.span(whole.diff.hunks[-1]) is not None
    assert whole.span(None) is None


@each_of(
    ("given", "before", "after", "said"),
    [
        (change(b"\0a", b"\0bc"), b"\0a", b"\0bc", ["binary file: 2 B → 3 B"]),
        (change(None, b"", "new"), None, b"", ["empty"]),
        (change(b"a", b"a", "renamed"), b"a", b"a", ["renamed from ", "the text is the same"]),
        (change(b"\xe4", b"\xf6"), b"\xe4", b"\xf6", ["not UTF-8: other bytes are shown as �"]),
        (replace(change(b"", b"", "mode"), after=state(b"", mode=0o755)), b"", b"", [
            "mode 0644 → 0755 (executable now)"
        ]),
        (PathChange("/root", "a", "kind", state(b"x"), state(b"to", "link")), b"x", b"to", [
            "was a file, is now a symlink", "symlink to to"
        ]),
        (PathChange("/root", "a", "new", ABSENT, PathState("folder")), None, None, ["new folder"]),
        (PathChange("/root", "a", "changed", PathState("unknown", reason="ignored by Git"), state(b"x")), None, b"x", [
            "earlier content not saved: ignored by Git"
        ]),
        (change(b"x" * 2_000, b"y"), None, b"y", ["earlier content not saved (2.0 KB)"]),
    ],
)  # fmt: skip
def test_what_a_diff_does_not_show_is_said(
    given: PathChange, before: bytes | None, after: bytes | None, said: list[str]
) -> None:
    shown = shown_file(given, before, after)
    assert list(shown.said) == said
    assert bool(shown.diff.hunks) is (before == b"\xe4")


def test_what_is_too_large_is_not_compared() -> None:
    large = b"x" * (MOST_COMPARED + 1)
    assert list(shown_file(change(b"", large), b"", large).said) == ["too large to compare: 0 B → 4.0 MB"]


def test_bytes_that_are_no_text_differ_where_they_do() -> None:
    shown = shown_file(change(b"\xe4\n", b"\xf6\n"), b"\xe4\n", b"\xf6\n")
    assert (shown.diff.added, shown.diff.removed) == (1, 1)


def test_a_patch_is_one() -> None:
    diff = compare("b.py", "one\ntwo\n", "one\nthree")
    lines = patch_of("b.py", "a.py", diff).splitlines()
    assert lines[:3] == ["--- a/a.py", "+++ b/b.py", "@@ -1,2 +1,2 @@"]
    assert lines[3:] == [" one", "-two", "+three", "\\ No newline at end of file"]


@each_of(
    "new, added",
    [("one\r\nthree\r\n", "+three\r"), ("one\r\nthree\n", "+three"), ("one\r\nthree", "+three")],
)
def test_a_patch_has_the_line_ends_of_the_file(new: str, added: str) -> None:
    lines = patch_of("a", "", compare("a", "one\r\ntwo\r\n", new)).split("\n")
    assert lines[3:6] == [" one\r", "-two\r", added]


WORDS = "word" * 12 + " some more words that are wrapped "
OLD = "".join(f"{n} {WORDS if n % 3 else ''}\n" for n in range(60)).encode()
NEW = OLD.replace(b"\n4 ", b"\nfour ").replace(b"\n5 ", b"\nfive more than that ").replace(b"\n40 ", b"\nforty ")
PALETTE = palette_for(DARK)


def shown() -> ShownFile:
    return shown_file(change(OLD, NEW), OLD, NEW)


@pytest.mark.parametrize("layout", ["unified", "split"])
@pytest.mark.parametrize("width", [30, 80, 121])
def test_each_row_tells_the_lines_that_stand_in_it(layout: Layout, width: int) -> None:
    file = shown()
    units = [unit for unit in units_of(file, layout, Extras()) if isinstance(unit, HunkUnit)]
    told: set[int] = set()
    for unit in units:
        for number, lines in enumerate(unit.sides(width)):
            row = next(row for row in unit.rows(width, PALETTE) if row.line == number)
            if lines == (None, None):
                assert "unchanged lines" in text_of(row)
            for line in filter(None, lines):
                assert f" {line.old if line.sign == '-' else line.new} " in text_of(row)
                told.add(id(line))
    assert len(file.diff.hunks) == 2
    assert told == {id(line) for hunk in file.diff.hunks for line in hunk.lines}


def test_a_hunk_may_have_a_note() -> None:
    class Numbered(ChangesExtension):
        def hunk_note(self, _file: PathChange, hunk: LineSpan) -> str:
            return f"read {hunk.new[0]}"

    units = units_of(shown(), "unified", Extras(Numbered()))
    notes = [text_of(row).strip() for unit in units if not isinstance(unit, HunkUnit) for row in unit.rows(80, PALETTE)]
    assert notes == ["read 4", "read 40"]
