"""Changed files in words: what became of them, who changed them, how many lines, and what their diffs do not show."""

from dataclasses import replace
from typing import get_args

from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, Status, Who
from acp_tui.views.changed_files import (
    SIGNS,
    WHO,
    by_who,
    change_notes,
    fewer_columns,
    file_columns,
    file_facts,
    line_counts,
    missing_words,
    mode_words,
    shown_path,
    sizes_words,
    status_words,
    total_words,
)
from acp_tui.views.formatting import plain
from tests.rows import each_of

FILE, LINK, FOLDER = PathState("file", 0o644, 12), PathState("link"), PathState("folder", 0o755)
UNKNOWN = PathState("unknown", size=2_000, reason="too large")


def change(
    status: Status = "changed", who: Who = "agent", before: PathState = FILE, after: PathState = FILE
) -> PathChange:
    return PathChange("/project", "a.py", status, before, after, added=12, removed=3, who=who)


def test_every_status_has_a_sign_and_everybody_words() -> None:
    assert [*SIGNS] == [*get_args(Status)]
    assert {*WHO} == {*get_args(Who)}


@each_of(
    "given, words",
    [
        (change("new"), "new"),
        (change("new", after=LINK), "new symlink"),
        (change("new", after=FOLDER), "new folder"),
        (change("kind", after=LINK), "now a symlink"),
        (change("kind", after=UNKNOWN), "type changed"),
        (change("renamed"), "renamed"),
        (change("mode"), "mode"),
        (change("deleted", after=ABSENT), "deleted"),
        (change("deleted", before=LINK, after=ABSENT), "symlink deleted"),
    ],
)
def test_what_became_of_it(given: PathChange, words: str) -> None:
    assert status_words(given) == words


@each_of(
    "added, removed, text",
    [(12, 3, "+12 −3"), (1_000, 0, "+1,000"), (0, 3, "−3"), (0, 0, ""), (None, None, "")],
)
def test_lines_that_came_and_went(added: int | None, removed: int | None, text: str) -> None:
    assert plain(line_counts(added, removed)) == text
    assert [tone for words, tone in line_counts(added, removed) if words.strip()] == [
        *["success"] * bool(added),
        *["error"] * bool(removed),
    ]


def test_totals() -> None:
    assert plain(total_words([change(), change()])) == "2 files  +24 −6"
    assert plain(total_words([])) == "0 files"


@each_of(
    "who, call, text",
    [
        ("agent", "Edit a.py", "~ changed · +12 −3 · Edit a.py"),
        ("afterwards", "Edit a.py", "~ changed · +12 −3 · Edit a.py"),
        ("agent", "", "~ changed · +12 −3 · by the agent"),
        ("command", "Edit a.py", "~ changed · +12 −3 · by a command of the agent"),
        ("anyone", "", "~ changed · +12 −3 · uncommitted"),
    ],
)
def test_who_changed_one_file(who: Who, call: str, text: str) -> None:
    assert plain(file_facts(change(who=who), call)) == text


def test_columns_give_way_from_the_most_to_the_least() -> None:
    gone = change("deleted")
    columns = file_columns(gone, 2, "Edit")
    assert [text for text, _ in columns] == ["2 ✎", "Edit", "deleted", "+12", "−3"]
    assert [[text for text, _ in each] for each in fewer_columns(gone, columns)] == [
        ["2 ✎", "deleted", "+12", "−3"],
        ["2 ✎", "+12", "−3"],
    ]
    usual = change()
    assert [len(each) for each in fewer_columns(usual, file_columns(usual, 0, ""))] == [3]


def test_files_stand_in_the_order_of_the_headings() -> None:
    files = [change(who=who) for who in ("outside", "own", "agent", "unknown")]
    assert [file.who for file in by_who(files)] == ["agent", "unknown", "outside", "own"]


def test_a_path_is_harmless_and_from_the_sessions_folder_on() -> None:
    assert shown_path(replace(change(), path="a\x1b[2J\nb"), "/project") == "a ⏎ b"
    assert shown_path(change(), "/elsewhere") == "/project/a.py"


@each_of(
    "given, before, after, notes",
    [
        (replace(change("renamed"), old_path="b"), b"", b"", ["renamed from b"]),
        (change("kind", after=LINK), b"", b"to", ["was a file, is now a symlink", "symlink to to"]),
        (change("kind", "agent", LINK, FOLDER), b"to", None, [
            "was a symlink, is now a folder", "was a symlink to to"
        ]),
        (change("new", before=ABSENT, after=FOLDER), None, None, ["new folder"]),
        (change("deleted", before=FOLDER, after=ABSENT), None, None, ["folder deleted"]),
        (change("mode", before=FOLDER, after=replace(FOLDER, mode=0o700)), None, None, ["folder", "mode 0755 → 0700"]),
        (change("mode", after=replace(FILE, mode=0o755)), b"", b"", ["mode 0644 → 0755 (executable now)"]),
        (change("mode", before=replace(FILE, mode=0o744)), b"", b"", ["mode 0744 → 0644 (no longer executable)"]),
        (change(after=replace(FILE, mode=0o600)), b"", b"", ["mode 0644 → 0600"]),
        (change(), b"", b"", []),
    ],
)  # fmt: skip
def test_what_a_diff_does_not_show(
    given: PathChange, before: bytes | None, after: bytes | None, notes: list[str]
) -> None:
    assert change_notes(given, before, after) == notes


def test_bytes_that_are_not_kept_are_said() -> None:
    assert missing_words("earlier", UNKNOWN, None) == ["earlier content not saved: too large (2.0 KB)"]
    assert missing_words("current", FILE, b"") == missing_words("now", ABSENT, None) == []
    assert sizes_words(change(after=replace(FILE, size=10_200))) == "12 B → 10.2 KB"
    assert mode_words(FILE, FOLDER) == "mode 0644 → 0755"
