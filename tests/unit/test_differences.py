"""What differs between two texts is the same in lists, on the screen, in patches, hunks, comments and exports."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from acp_tui.headless.patch import patch_of
from acp_tui.host.revert.plan import _among_hunks
from acp_tui.host.revert.steps import LineSpan
from acp_tui.host.snapshots.path_state import PathChange, PathState
from acp_tui.host.system.workspace_files import difference
from acp_tui.session.text import line_diff
from acp_tui.session.text.line_diff import Span, count_lines, lines_of, lines_of_text
from acp_tui.session.text.markdown import unified_diff
from acp_tui.ui.changes.comments import _shifted
from acp_tui.ui.changes.diff_pane import span_of
from acp_tui.ui.render.diff import FileDiff, Hunk, compare
from acp_tui.ui.render.diff_files import read_patch
from tests.examples import THOROUGH

LINES = st.lists(st.sampled_from(["a\n", "b\n", "return x\n", "\n", "c\r\n", "c\n", "d\x0be\u2028\n"]), max_size=25)
TEXT = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "a", "end", "\r"]))


def spans_of(file: FileDiff) -> list[Span]:
    """The changed lines of a diff on the screen."""
    spans = []
    for hunk in file.hunks:
        lines = [*hunk.lines]
        begins = [at for at in range(len(lines)) if lines[at].sign != " " and (not at or lines[at - 1].sign == " ")]
        for at in begins:
            end = next((n for n in range(at, len(lines)) if lines[n].sign == " "), len(lines))
            span = span_of(Hunk(tuple(lines[max(0, at - 1) : end])))
            spans.append((*span.old, *span.new))
    return spans


def body(patch: str) -> list[str]:
    """The lines of the hunks of a patch."""
    lines = patch.split("\n")
    return lines[next((at for at, line in enumerate(lines) if line.startswith("@@")), len(lines)) :]


@THOROUGH
@example("c\nreturn x\na\n", "a\nreturn x\nc\nreturn x\n", True)
@example("a\nb", "b\nc", True)
@example("a\rb\n", "c\n", True)
@given(TEXT, TEXT, st.booleans())
def test_all_of_them_agree(old: str, new: str, within: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if not within:
            patch.setattr(line_diff, "STEPS", 0)
            patch.setattr(line_diff, "STEPS_EACH", 0)
        agree(old, new)


def agree(old: str, new: str) -> None:
    before, after = old.encode(), new.encode()
    shown = compare("a", old, new)
    spans = spans_of(shown)
    counts = shown.added, shown.removed
    assert count_lines(before, after) == counts
    written = difference("a", old, new)
    assert (written.added, written.removed) == counts
    patch = patch_of(PathChange("/", "a", "changed", file_of(before), file_of(after)), before, after)
    assert body(patch.decode()) == body(unified_diff("a", old, new))
    (read,) = read_patch(patch.decode()) or [FileDiff("")]
    assert spans_of(read) == spans
    anchored(spans, lines_of_text(old), lines_of_text(new))
    for span in spans:
        undone(span, lines_of(before), lines_of(after))


def file_of(data: bytes) -> PathState:
    return PathState("file", 0o644, len(data))


def anchored(spans: Sequence[Span], before: list[str], after: list[str]) -> None:
    """A comment on one line goes where the line goes."""
    for at in range(len(before)):
        changed = any(first <= at < end for first, end, _, _ in spans)
        shift = [new_end - end for _, end, _, new_end in spans if end <= at]
        assert _shifted(before, after, at, at + 1) == (None if changed else at + (shift[-1] if shift else 0))


def undone(span: Span, before: list[bytes], after: list[bytes]) -> None:
    """A hunk is found where all others are undone already."""
    first, end, new_first, new_end = span
    there = [*before[:first], *after[new_first:new_end], *before[end:]]
    assert first in _among_hunks(before, after, there, LineSpan((first, end), (new_first, new_end)))
