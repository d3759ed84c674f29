"""What is found: texts of every kind of entry, smart case, counts that follow."""

import random

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.protocol.vocabulary.content import ResourceLink, TextContent
from acp_tui.protocol.vocabulary.elicitation import UrlElicitation
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    TerminalOutputChunk,
    TerminalReference,
    ToolCallLocation,
)
from acp_tui.session.entries import ElicitationEntry, Entry, MessageEntry, NoticeEntry, TextPart, ToolCallEntry
from acp_tui.session.folds.messages import CompactionEntry
from acp_tui.session.folds.timeline import UnknownEntry
from acp_tui.session.state import Session, Terminal
from acp_tui.ui.entries.drawings import text_of, version_of
from acp_tui.ui.find_bar import Counts, Query
from tests.rows import each_of
from tests.transcript_fakes import extend, message, text_in

WORDS = st.text(st.sampled_from("abAB éß "), min_size=1, max_size=3).filter(str.strip)


def part(text: str) -> TextPart:
    return TextPart([text], len(text))


def version_in(entry: Entry) -> tuple[int, ...]:
    return (entry.version,)


def session() -> Session:
    made = Session("s", "/project")
    made.terminals["t"] = Terminal("t", chunks=[b"\x1b[31mneed", b"le\x1b[0m\r\n"])
    return made


ENTRIES: dict[str, Entry] = {
    "a message": message(0, "a **nee**`dle` in hay"),
    "what the user wrote": message(0, "the `needle`", "user"),
    "a thought": MessageEntry("t", "thought", [part("need"), part("needle")]),
    "a mention": MessageEntry("m", "user", [ResourceLink(uri="file:///p/needle.py", name="x")]),
    "a title": ToolCallEntry("c", title="Read needle.py", kind="read"),
    "output": ToolCallEntry("c", content=[ContentItem(content=TextContent(text="a needle"))]),
    "a command": ToolCallEntry("c", title="Run", kind="execute", raw_input={"command": "grep needle"}),
    "raw output": ToolCallEntry("c", raw_output={"found": ["needle"]}),
    "a new line of a diff": ToolCallEntry("c", content=[Diff(path="a", old_text="x\n", new_text="x\nneedle\n")]),
    "an old line of a diff": ToolCallEntry("c", content=[Diff(path="a", old_text="needle\nx", new_text="x")]),
    "a new file": ToolCallEntry("c", content=[Diff(path="a", new_text="needle\n")]),
    "an earlier diff": ToolCallEntry("c", earlier_diffs=[Diff(path="needle", new_text="")]),
    "what was written for it": ToolCallEntry("c", written=[Diff(path="a", new_text="needle\n")]),
    "a terminal": ToolCallEntry("c", content=[TerminalReference(terminal_id="t")]),
    "a notice": NoticeEntry("n", "error", "title", hint="a needle"),
    "a compaction": CompactionEntry("k", summary=[part("the needle")]),
    "a question": ElicitationEntry(
        "e", UrlElicitation(mode="url", message="?", url="https://needle", elicitation_id="1", session_id="s")
    ),
    "an update of unknown kind": UnknownEntry("u", "kind", {"a": {"b": "needle"}}),
}


@each_of("entry", ENTRIES.values())
def test_every_kind_of_entry_is_read(entry: Entry) -> None:
    assert "needle" in text_of(entry, session())


@each_of(
    "entry, verb",
    [
        (ToolCallEntry("c", title="a.py", kind="read", locations=[ToolCallLocation(path="/project/a.py")]), "Read"),
        (ToolCallEntry("c", title="Edit a.py", kind="edit", content=[Diff(path="a.py", new_text="")]), "Create"),
    ],
)
def test_the_verb_of_a_tool_call_is_found_once(entry: ToolCallEntry, verb: str) -> None:
    assert text_of(entry, session()).count(verb) == 1


def test_what_a_diff_leaves_alone_is_not_read() -> None:
    entry = ToolCallEntry("c", content=[Diff(path="a", old_text="needle\nx\n", new_text="needle\ny\n")])
    assert "needle" not in text_of(entry, session())


def test_output_that_comes_later_is_found() -> None:
    one, entry = session(), ToolCallEntry("c", content=[TerminalReference(terminal_id="new")])
    counts = Counts(lambda each: text_of(each, one), lambda each: version_of(each, one))
    counts.search(Query("needle"), [entry])
    assert counts.total == 0
    one.apply(TerminalOutputChunk(terminal_id="new", data=b"needle"))
    counts.look_again([entry], [0])
    assert counts.total == 1


def test_lower_case_finds_both_and_capitals_count() -> None:
    assert Query("needle").spans("A Needle, a needle") == [(2, 8), (12, 18)]
    assert Query("Needle").spans("A Needle, a needle") == [(2, 8)]
    assert Query("a.c").spans("abc a.c") == [(4, 7)]
    assert Query("").spans("abc") == []


@given(WORDS, st.lists(st.text(st.sampled_from("abAB éß \n"), max_size=12), max_size=12))
def test_counts_are_those_of_the_spans(words: str, texts: list[str]) -> None:
    entries: list[Entry | None] = [message(number, text) for number, text in enumerate(texts)]
    counts = Counts(text_in, version_in)
    query = Query(words)
    counts.search(query, entries)
    found = [(place, index) for place, text in enumerate(texts) for index in range(len(query.spans(text)))]
    assert counts.total == len(found)
    assert [counts.at(number) for number in range(counts.total)] == found


def test_counts_follow_what_grows_comes_and_goes() -> None:
    chance = random.Random(5)
    entries: list[Entry | None] = [message(number, "x needle") for number in range(20)]
    counts, query = Counts(text_in, version_in), Query("needle")
    counts.search(query, entries)
    for _ in range(200):
        act, place = chance.choice(("grow", "add", "remove")), chance.randrange(len(entries))
        entry = entries[place]
        if act == "add":
            entries.append(message(len(entries), "needle " * chance.randrange(3)))
            counts.look_again(entries, ())
        elif entry is not None:
            if act == "grow":
                extend(entry, " needle")
            else:
                entries[place] = None
            counts.look_again(entries, [place])
        assert counts.total == sum(text_in(entry).count("needle") for entry in entries if entry is not None)


def test_another_letter_makes_no_text_again() -> None:
    made: list[str] = []

    def text(entry: Entry) -> str:
        made.append(entry.id)
        return text_in(entry)

    entries: list[Entry | None] = [message(0, "Needle"), message(1, "needle")]
    counts = Counts(text, version_in)
    for words in ("n", "ne", "nee", "N", "Nee"):
        counts.search(Query(words), entries)
    assert made == ["m0", "m1", "m0", "m1"]  # once in lower case, once as it is
    assert counts.total == 1
