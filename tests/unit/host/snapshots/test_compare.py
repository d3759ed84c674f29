"""What changed between manifests, held against a plain dict of what is there."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.snapshots import folder_store
from acp_tui.host.snapshots.content import Content, digest_of
from acp_tui.host.snapshots.database import Database
from acp_tui.host.snapshots.folder_store import LineCounts, changes, head_changes, intervals
from acp_tui.host.snapshots.path_state import (
    ABSENT,
    FILE,
    FOLDER,
    IGNORED,
    LATE,
    LINK,
    NOTHING,
    TOO_LARGE,
    UNKNOWN,
    PathChange,
    PathState,
    Row,
    SnapshotTree,
    state_of,
)


def file(content: bytes, mode: int = 0o100644) -> Row:
    return Row(FILE, 0, mode, len(content), digest_of(content))


def link(target: bytes) -> Row:
    return Row(LINK, 0, 0o120777, len(target), digest_of(target))


FOLDER_ROW = Row(FOLDER, 0, 0o40755, 0, NOTHING)
ROWS = st.one_of(
    st.builds(file, st.sampled_from([b"", b"a", b"b", b"c"]), st.sampled_from([0o100644, 0o100755])),
    st.builds(link, st.sampled_from([b"a", b"b"])),
    st.just(FOLDER_ROW),
)
TREES = st.dictionaries(st.sampled_from(["a", "b", "c", "d/a", "d/b"]), ROWS)


def compared(*tables: Mapping[str, Row]) -> list[PathChange]:
    trees = [SnapshotTree(dict(table)) for table in tables]
    return changes("/", trees, sorted({path for table in tables for path in table if path}))


@given(TREES, TREES)
def test_it_is_what_a_dict_says(before: Any, after: Any) -> None:
    found = compared(before, after)
    sides: dict[str, tuple[PathState | None, PathState | None]] = {}
    for change in found:
        if change.status == "renamed":
            sides[change.old_path] = change.before, None
            sides[change.path] = None, change.after
        else:
            states = [None if state == ABSENT else state for state in (change.before, change.after)]
            sides[change.path] = states[0], states[1]
    told = {path: state_of(row) for path, row in before.items()}, {path: state_of(row) for path, row in after.items()}
    paths = before.keys() | after.keys()
    assert sides == {
        path: (told[0].get(path), told[1].get(path)) for path in paths if before.get(path) != after.get(path)
    }
    for change in found:
        match change.status:
            case "new":
                assert change.before == ABSENT != change.after
            case "deleted":
                assert change.after == ABSENT != change.before
            case "mode":
                assert replace(change.before, mode=change.after.mode) == change.after
            case "kind":
                assert change.before.kind != change.after.kind
            case "renamed":
                assert change.before.digest == change.after.digest


@given(st.lists(TREES, min_size=3, max_size=4))
def test_each_interval_in_which_a_path_changed_is_named(chain: Any) -> None:
    trees = [SnapshotTree(dict(table)) for table in chain]
    for change in compared(*chain):
        paths = [path for path in (change.path, change.old_path) if path]
        expected = [
            place
            for place in range(len(chain) - 1)
            if any(chain[place].get(path) != chain[place + 1].get(path) for path in paths)
        ]
        assert list(intervals(trees, change)) == expected
        assert expected


def statuses(found: list[PathChange]) -> dict[str, tuple[str, str]]:
    return {change.path: (change.status, change.old_path) for change in found}


def test_a_rename_is_one_only_where_nothing_else_holds_the_same() -> None:
    one, empty = file(b"one"), file(b"")
    assert statuses(compared({"a": one}, {"b": one})) == {"b": ("renamed", "a")}
    two = statuses(compared({"a": one}, {"b": one, "c": one}))
    assert two == {"a": ("deleted", ""), "b": ("new", ""), "c": ("new", "")}
    assert statuses(compared({"a": empty}, {"b": empty})) == {"a": ("deleted", ""), "b": ("new", "")}
    linked = compared({"a": one}, {"b": link(b"one")})
    assert statuses(linked) == {"a": ("deleted", ""), "b": ("new", "")}
    moved = compared({"a": one}, {"b": file(b"one", 0o100755)})
    assert [(each.status, each.before.mode, each.after.mode) for each in moved] == [("renamed", 0o644, 0o755)]


def unknown(reason: int, content: bytes = b"", mode: int = 0o100644) -> Row:
    return Row(UNKNOWN, reason, mode, len(content), digest_of(content) if content else NOTHING)


@pytest.mark.parametrize(
    ("before", "after", "is_told"),
    [
        (unknown(IGNORED), file(b"x"), False),
        (file(b"x"), unknown(IGNORED), False),
        (unknown(IGNORED), None, False),
        (unknown(TOO_LARGE, b"v1"), unknown(TOO_LARGE, b"v1"), False),
        (unknown(TOO_LARGE, b"v1"), unknown(TOO_LARGE, b"v2"), True),
        (unknown(TOO_LARGE, b"v1"), file(b"x"), True),
        (file(b"x"), unknown(TOO_LARGE, b"v1"), True),
        (unknown(TOO_LARGE, b"v1"), None, True),
        (unknown(LATE, b"x"), file(b"x"), False),
        (unknown(LATE, b"x"), file(b"y"), True),
        (unknown(LATE, b"x"), None, True),
        (unknown(LATE), file(b"x"), True),
        (unknown(LATE), None, True),
    ],
)
def test_what_is_not_known_is_never_new_or_deleted(before: Row, after: Row | None, *, is_told: bool) -> None:
    found = compared({"a": before}, {} if after is None else {"a": after})
    assert [change.status for change in found] == (["changed"] if is_told else [])


def test_below_what_was_not_known_nothing_is_new() -> None:
    capped = FOLDER_ROW._replace(reason=LATE)
    found = compared(
        {"": FOLDER_ROW, "i": unknown(IGNORED, mode=0o40755), "c": capped},
        {"": FOLDER_ROW, "i": FOLDER_ROW, "i/x": file(b"1"), "c": FOLDER_ROW, "c/x": file(b"1"), "x": file(b"1")},
    )
    assert {change.path: (change.status, change.before.kind) for change in found} == {
        "c/x": ("changed", "unknown"),
        "x": ("new", "absent"),
    }


def told(counts: LineCounts, change: PathChange) -> tuple[int, int] | None:
    found = counts.counted(change)
    return None if found.added is None or found.removed is None else (found.added, found.removed)


def test_counts_of_what_is_no_text_too_large_or_too_much_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Content(Database(tmp_path / "s"))
    contents = {"text": (b"a\nb\n", b"a\nc\nd\n"), "binary": (b"a", b"a\0"), "large": (b"", b"a\n" * 9_000)}
    contents["binary late"] = b"", b"a\n" * 8_000 + b"\0"  # as the screen and a patch have it
    for pair in contents.values():
        for content in pair:
            store.keep(content)
    before, after = ({path: file(pair[side]) for path, pair in contents.items()} for side in (0, 1))
    found = compared(before | {"gone": file(b"a\nc\nd\n")}, after | {"kind": FOLDER_ROW})
    monkeypatch.setattr(folder_store, "COUNTED_AT_MOST", 17_000)
    counts = LineCounts(store.get)
    assert {change.path: told(counts, change) for change in found} == {
        "text": (2, 1),
        "binary": None,
        "binary late": None,
        "large": None,
        "gone": (0, 3),
        "kind": None,
    }
    late = LineCounts(store.get, within=-1)
    assert [told(late, change) for change in found] == [None] * 6


HEAD = ["ref: refs/heads/main", "a" * 40, ""]


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (HEAD, []),
        (["ref: refs/heads/main", "b" * 40, ""], ["main was at aaaaaaaaaaaa and is at bbbbbbbbbbbb"]),
        (["ref: refs/heads/new", "a" * 40, ""], ["HEAD was main and is new"]),
        (["b" * 40, "b" * 40, ""], ["HEAD was main and is bbbbbbbbbbbb"]),
        (["ref: refs/heads/main", "a" * 40, "c" * 40], ["the stash changed"]),
    ],
)
def test_what_became_of_the_checkout(after: list[str], words: list[str]) -> None:
    assert list(head_changes(HEAD, after)) == words
