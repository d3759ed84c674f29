"""What a turn changed, and what was taken back: rows of the transcript and of all that is made from it."""

from pathlib import Path
from typing import Any

import pytest

from acp_tui.host.records.event_codec import decode, encode, line_of
from acp_tui.host.sessions.continuation import carried
from acp_tui.protocol.vocabulary.config_options import ConfigOptionUpdate, ConfigValue, SelectOption
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.changes import EntryAdded, EntryChanged, EntryRemoved
from acp_tui.session.digest import transcript
from acp_tui.session.entries import Entry, MessageEntry, NoticeEntry
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.facts import AgentGone, Branched, FilesChanged, FilesTakenBack, OptionsAwaited, TurnNumbered
from acp_tui.session.folds.file_changes import LONGEST_NAME, TakenBackEntry, TurnEntry
from acp_tui.session.state import CopiedHistory, Session
from acp_tui.session.text.phrases import exit_number
from tests.unit.session.speech import Told, idle, prompt, running, say, told, user

FOUR = FilesChanged(1, 4, 12, 3, ("src/a.py", "b.py"), unknown=2, gaps=("2 files over 32 MB are not kept",))
EVIL = "\x1b]52;c;x\x07[@click=app.quit]\u202e\n# x"


def rows(one: Told) -> list[TurnEntry]:
    return [entry for entry in one.session.entries if isinstance(entry, TurnEntry)]


def test_it_stands_behind_its_turn_and_leaves_no_message_open() -> None:
    one = told()
    one.apply(prompt("go"), running(), TurnNumbered(1), say("done"), idle("end_turn"), FOUR)
    row = one.session.entries[-1]
    assert isinstance(row, TurnEntry)
    assert (row.turn, row.files, row.added, row.removed, row.names, row.unknown, row.gaps, row.apart) == (
        *(1, 4, 12, 3, ("src/a.py", "b.py"), 2, ("2 files over 32 MB are not kept",)),
        False,
    )
    assert row.sealed


def test_one_that_comes_while_the_next_turn_runs_stands_at_the_end_of_its_own() -> None:
    one = told()
    one.apply(prompt("go"), running(), TurnNumbered(1), say("x", "l"), idle("end_turn"))
    one.apply(prompt("on", "q"), running(), TurnNumbered(2), say("a", "m"), FOUR, say("b", "m"))
    (row,) = rows(one)
    assert one.session.entries.index(row) == 2
    assert row.changed[0] == "4 files changed"
    assert [len(entry.parts) for entry in one.session.entries if isinstance(entry, MessageEntry)] == [1, 1, 1, 1]


def test_one_of_a_turn_whose_end_was_not_seen_says_whose_it_is() -> None:
    one = told()
    one.apply(prompt("go"), running(), say("a"), FOUR)
    (row,) = rows(one)
    assert row.apart
    assert row.changed[0] == "4 files changed in turn 1"
    assert row.facts == []


def chosen(category: str, id_: str, *names: str) -> SelectOption:
    values = [ConfigValue(value=name, name=name.title()) for name in ("opus", "plan")]
    return SelectOption(id=id_, name=id_, category=category, current_value=names[0], values=values)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("end_turn", ["62 s", "Opus", "Plan"]),
        ("cancelled", ["Cancelled", "62 s", "Opus", "Plan"]),
        ("refusal", ["Refused", "62 s", "Opus", "Plan"]),
        ("max_tokens", ["Token limit reached", "62 s", "Opus", "Plan"]),
        ("max_turn_requests", ["Request limit reached", "62 s", "Opus", "Plan"]),
        ("_tired\x1b", ["Ended: _tired␛", "62 s", "Opus", "Plan"]),
    ],
)
def test_each_turn_ends_with_how_it_ended_how_long_it_took_and_with_what(reason: str, words: list[str]) -> None:
    one = told()
    options = [
        chosen("model", "provider", "nobody knows"),
        chosen("model", "model", "opus"),
        chosen("mode", "x", "plan"),
    ]
    one.apply(ConfigOptionUpdate(config_options=options), prompt("go"), running(), say("half"))
    one.apply(idle(reason), after=62)
    (row,) = rows(one)
    assert one.session.entries[-1] is row
    assert row.pieces == [word.replace("62 s", "1 min 02 s") for word in words]
    said = f"> **{' · '.join(row.pieces)}**"
    assert said in to_markdown(one.session)
    assert f"- {' · '.join(row.pieces)}" in transcript(one.session)
    carries = carried(one.session, embedded=False).block
    assert isinstance(carries, TextContent)
    assert (said in carries.text) is (reason != "end_turn")  # half an answer is no whole one


def test_one_that_fails_with_its_agent_ends_so_after_the_reason() -> None:
    one = told()
    one.apply(prompt("go"), running(), AgentGone("The agent exited"))
    assert [type(entry) for entry in one.session.entries] == [MessageEntry, NoticeEntry, TurnEntry]
    assert rows(one)[0].ended == "Failed"
    one.apply(AgentGone("again"))
    assert len(rows(one)) == 1


def test_no_turn_no_row() -> None:
    taken_back = told()
    taken_back.apply(prompt("go"), running(), idle("cancelled"))
    told_again = told()
    told_again.apply(OptionsAwaited(), user("go"), running(), say("a"), idle("end_turn"))
    quiet = told()
    quiet.apply(say("before"), after=1)
    quiet.apply(running(), after=1)
    quiet.apply(idle("end_turn"), after=1)
    assert [rows(one) for one in (taken_back, told_again, quiet)] == [[], [], []]
    quiet.apply(running(), say("of itself", "n"), idle("end_turn"))
    assert len(rows(quiet)) == 1


def test_a_turn_told_again_is_corrected_and_one_without_changes_has_no_row() -> None:
    one = told()
    one.apply(FOUR, FilesChanged(2, 1, 0, 0), FilesChanged(1, 5, 13, 3), FilesChanged(3, 0, 0, 0))
    assert [(row.turn, row.files) for row in rows(one)] == [(1, 5), (2, 1)]
    assert len(one.all(EntryAdded)) == 2
    assert len(one.all(EntryChanged)) == 1
    one.apply(FilesChanged(2, 0, 0, 0))
    assert [row.turn for row in rows(one)] == [1]
    assert len(one.all(EntryRemoved)) == 1


def test_what_is_not_kept_is_said_where_nothing_changed() -> None:
    one = told()
    one.apply(FilesChanged(1, 0, 0, 0, gaps=("The folder is too large",)))
    assert rows(one)[0].changed == ["No files changed in turn 1"]
    assert "The folder is too large" in to_markdown(one.session)


def test_a_branch_leaves_the_rows_of_its_parent_as_they_are() -> None:
    one, other = told(), told()
    one.apply(prompt("go"), FOUR)
    other.apply(Branched("p", "", 1, ""), FilesChanged(1, 9, 0, 0))
    branch = told()
    branch.session.apply(CopiedHistory(one.session, "history"))
    branch.apply(Branched("p", "", 1, ""), FilesChanged(1, 9, 0, 0))
    assert [(row.turn, row.files) for row in rows(branch)] == [(1, 4), (1, 9)]
    assert [row.files for row in rows(one)] == [4]
    assert [row.files for row in rows(other)] == [9]


def test_a_prompt_that_was_cancelled_at_once_goes_back_past_the_row_of_the_turn_before() -> None:
    one = told()
    one.apply(prompt("go"), running(), say("a"), idle("end_turn"), prompt("next", "q"), running(), FOUR)
    one.apply(FilesTakenBack("Turn 1", 1), idle("cancelled"))
    users = [entry for entry in one.session.entries if isinstance(entry, MessageEntry) and entry.role == "user"]
    assert len(users) == 1


def test_a_row_is_no_answer_of_the_agent() -> None:
    one = told()
    one.apply(prompt("go"), running(), after=1)
    one.apply(FOUR, FilesTakenBack("Turn 1", 1), after=1)
    one.apply(idle("end_turn"), after=1)
    assert "ended its turn without an answer" in to_markdown(one.session)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (TurnEntry("f", 1, 1), ["1 file changed"]),
        (TurnEntry("f", 1, 1, 2, 0, ["a"]), ["1 file changed", "+2", "a"]),
        (
            TurnEntry("f", 1, 1_200, 0, 3_400, ["a", "b", "c", "d"]),
            ["1,200 files changed", "−3,400", "a, b, c +1,197 more"],
        ),
        (TurnEntry("f", 1, 2, unknown=1), ["2 files changed", "1 probably yours"]),
        (TurnEntry("f", 1, 1, names=["x/" * 40 + "end.py"]), ["1 file changed", "…" + ("x/" * 40 + "end.py")[-59:]]),
    ],
)
def test_words_of_a_change(row: TurnEntry, words: list[str]) -> None:
    assert row.changed == words
    assert all(len(name) <= LONGEST_NAME for name in row.changed[-1].split(", "))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (TakenBackEntry("t", "Turn 3", 3, 1), ["Undone: Turn 3", "3 files", "1 skipped"]),
        (TakenBackEntry("t", "Turn 3", 1, undone=True), ["Redone: Turn 3", "1 file"]),
        (TakenBackEntry("t", " ", 2, names=["a", "b"]), ["Undone", "2 files", "a, b"]),
    ],
)
def test_words_of_taking_back(row: TakenBackEntry, words: list[str]) -> None:
    assert row.pieces == words


def test_they_are_in_both_exports_and_in_the_digest() -> None:
    one = told()
    one.apply(user("go"), FOUR, FilesTakenBack("Turn 1", 3, 1))
    markdown = to_markdown(one.session)
    assert (
        "> **4 files changed in turn 1 · +12 −3 · 2 probably yours · src/a.py, b.py +2 more**\n> 2 files over"
        in markdown
    )
    assert "> **Undone: Turn 1 · 3 files · 1 skipped**" in markdown
    _, first, second = to_json(one.session)["entries"]
    assert (first["type"], first["turn"], first["names"]) == ("turn", 1, ["src/a.py", "b.py"])
    assert (second["type"], second["words"], second["left"]) == ("taken_back", "Turn 1", 1)
    assert "- 4 files changed in turn 1 · +12 −3" in transcript(one.session)
    assert transcript(one.session).endswith("- Undone: Turn 1 · 3 files · 1 skipped\n")


def test_another_agent_is_told_what_the_user_took_back_and_not_what_we_counted() -> None:
    one = told()
    one.apply(user("go"), FOUR, FilesTakenBack("Turn 1", 3))
    text: Any = carried(one.session, embedded=False).block
    assert "Undone: Turn 1" in text.text
    assert "files changed" not in text.text


def test_names_of_files_are_neither_escapes_nor_lines_nor_headings() -> None:
    one = told()
    one.apply(FilesChanged(1, 1, 0, 0, (EVIL,), gaps=(EVIL,)), FilesTakenBack(EVIL, 1, names=(EVIL,)))
    for said in (to_markdown(one.session), transcript(one.session)):
        assert "\x1b" not in said
        assert not any(line.startswith("# x") for line in said.splitlines())


@pytest.mark.parametrize("fact", [FOUR, FilesTakenBack("Turn 1", 3, 1, ("a\udcff", EVIL), undone=True)])
def test_a_record_gives_them_again(fact: FilesChanged | FilesTakenBack, tmp_path: Path) -> None:
    kind, data = encode(fact)
    line_of(data)
    assert decode(kind, data) == fact
    assert decode(
        kind, {name: value for name, value in data.items() if name in ("turn", "files", "added", "removed", "words")}
    )


def test_they_go_along_with_the_history_of_another_session() -> None:
    one = told()
    one.apply(say("a"), FOUR, FilesTakenBack("Turn 1", 3))
    session = Session("t", "/project")
    session.apply(CopiedHistory(one.session, "history"))
    copies: list[Entry] = session.entries[1:3]
    assert [type(copy) for copy in copies] == [TurnEntry, TakenBackEntry]
    assert all(copy is not entry for copy, entry in zip(copies, one.session.entries[1:], strict=True))


@pytest.mark.parametrize(("code", "said"), [(0, "0"), (-9, "-9"), (2**32 - 1, "4294967295"), (10**100, "?")])
def test_an_exit_code_that_no_system_has_is_not_told(code: int, said: str) -> None:
    assert exit_number(code) == said
