from dataclasses import replace

from acp_tui.protocol.vocabulary.content import (
    Annotations,
    AudioContent,
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResource,
    UnknownContent,
)
from acp_tui.session.entries import Entry, MessageEntry, NoticeEntry, TextPart, ToolCallEntry
from acp_tui.session.folds.file_changes import TakenBackEntry, TurnEntry
from acp_tui.session.folds.history import HandOverEntry
from acp_tui.session.folds.messages import CompactionEntry
from acp_tui.session.folds.timeline import UnknownEntry
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import CARRIED_URI
from acp_tui.ui.entries.drawings import ALL_DRAWS, draw
from acp_tui.ui.entries.message import placeholder
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.wrap import Drawing
from tests.rows import each_of

PALETTE = palette_for(DARK)
EVIL = "\x1b]52;c;x\x07[@click=app.quit]\u202e\n"


def shown(drawing: Drawing, width: int = 70) -> list[str]:
    rows = [row for unit in drawing.units for row in unit.rows(width, PALETTE)]
    assert all(sum(segment.cell_length for segment in row.segments) <= width for row in rows)
    return ["".join(segment.text for segment in row.segments).rstrip() for row in rows]


def drawing_of(entry: Entry) -> Drawing:
    return draw(entry, Session("s", "/tmp"))


def test_every_kind_of_entry_is_drawn() -> None:
    kinds = {kind for kind in Entry.__subclasses__() if kind.__module__.startswith("acp_tui.")}
    assert len(kinds) > 10
    assert set(ALL_DRAWS) == kinds


def test_a_notice_says_how_bad_what_and_what_next() -> None:
    entry = NoticeEntry("n", "error", "The agent exited", "code 1\nlast words", "Start it again")
    assert shown(drawing_of(entry)) == [
        " ✗ Error  The agent exited",
        "   code 1",
        "   last words",
        "   → Start it again",
        "",
    ]


def test_severities_differ_by_sign_and_word() -> None:
    firsts = {shown(drawing_of(NoticeEntry("n", severity, "x")))[0] for severity in ("info", "warning", "error", "odd")}
    assert firsts == {" • Note  x", " ! Warning  x", " ✗ Error  x", " · Odd  x"}


def test_a_long_notice_says_what_it_leaves_out() -> None:
    rows = shown(drawing_of(NoticeEntry("n", "error", "x", "\n".join(f"line {n}" for n in range(40)))))
    assert "   … 37 more lines" in rows


def test_a_compaction_unfolds_its_summary() -> None:
    entry = CompactionEntry("c", "completed", [TextPart(["**All** so far"], 14)])
    drawing = drawing_of(entry)
    assert shown(drawing)[0].startswith(" ▸ Context compacted ──")
    assert drawing.toggle() == 0
    assert "   All so far" in shown(drawing)


def test_a_failed_compaction_says_why_and_does_not_unfold() -> None:
    drawing = drawing_of(CompactionEntry("c", "failed", error="no room"))
    assert "Compaction failed: no room" in shown(drawing)[0]
    assert drawing.toggle() is None
    assert drawing.folded is None


def test_a_growing_compaction_is_kept_up() -> None:
    part = TextPart(["one"], 3)
    entry = CompactionEntry("c", "in_progress", [part])
    drawing = drawing_of(entry)
    drawing.toggle()
    part.append(" two")
    entry.version += 1
    drawing.update()
    assert "   one two" in shown(drawing)


def test_an_unknown_update_is_named_and_unfolds_to_its_json() -> None:
    drawing = drawing_of(UnknownEntry("u", "dance", {"steps": [1, 2]}))
    assert shown(drawing) == [" ▸ Unknown update: dance", ""]
    drawing.toggle()
    assert any('"steps": [' in row for row in shown(drawing))


AGENT = Annotations(audience=["assistant"])
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@each_of(
    ("block", "words"),
    [
        (TextContent(text="hello\n", annotations=AGENT), "⋯ text  1 line · for the agent only"),
        (ImageContent(data="AAAA" * 500, mime_type="image/png"), "▣ image  image/png · 1.5 KB"),
        (ImageContent(data=PIXEL, mime_type="image/png"), "▣ image  image/png · 1 × 1 · 70 B"),
        (
            ImageContent(data=PIXEL, mime_type="image/png", annotations=AGENT),
            "▣ image  image/png · 1 × 1 · 70 B · for the agent only",
        ),
        (AudioContent(data="AAA=", mime_type="audio/wav"), "♪ audio  audio/wav · 2 B"),
        (ResourceLink(uri="file:///a.py", name="a.py", size=12), "→ a.py  12 B  file:///a.py"),
        (ResourceLink(uri="file:///a", name="a/", mime_type="inode/directory"), "→ a/  folder  file:///a"),
        (
            EmbeddedResource(resource=TextResource(uri="file:///b", text="1\n2", mime_type="text/plain")),
            "▤ resource  text/plain · 2 lines  file:///b",
        ),
        (
            EmbeddedResource(
                resource=TextResource(uri=CARRIED_URI, text="1\n2", mime_type="text/markdown"), annotations=AGENT
            ),
            "▤ Conversation so far  2 lines · for the agent",
        ),
        (EmbeddedResource(resource=BlobResource(uri="x:y", blob="AAAA")), "▤ resource  3 B  x:y"),
        (UnknownContent(type="hologram", raw={}), "? unknown content type hologram"),
    ],
)
def test_blocks_are_told_in_words(block: ContentBlock, words: str) -> None:
    assert "".join(text for text, _ in placeholder(block, PALETTE)) == words


@each_of(
    "entry",
    [
        MessageEntry("m", "agent", [TextPart([EVIL], len(EVIL))], sealed=True),
        MessageEntry("m", "agent", [TextPart([f"```{EVIL}x\n```\n"], 40)], sealed=True),
        MessageEntry("m", "user", [TextPart([EVIL], len(EVIL)), ResourceLink(uri=EVIL, name=EVIL)], sealed=True),
        MessageEntry("m", "thought", [TextPart([EVIL], len(EVIL))]),
        MessageEntry("m", "injected", [TextPart([EVIL], len(EVIL))], sealed=True),
        NoticeEntry("n", EVIL, EVIL, EVIL, EVIL),
        CompactionEntry("c", EVIL, [TextPart([EVIL], len(EVIL))], error=EVIL),
        UnknownEntry("u", EVIL, {EVIL: EVIL}),
        ToolCallEntry("t", EVIL, EVIL, EVIL, EVIL, raw_input={EVIL: EVIL}),
        TurnEntry("f", 1, 1, 0, 0, [EVIL], gaps=[EVIL]),
        TakenBackEntry("b", EVIL, 1, names=[EVIL]),
    ],
)
def test_nothing_raw_reaches_a_row(entry: Entry) -> None:
    drawing = drawing_of(entry)
    for _ in range(2):
        for row in shown(drawing):
            assert row.isprintable()
            assert "\u202e" not in row
        drawing.toggle()
        drawing.update()


def test_a_link_says_where_it_leads_and_by_which_key() -> None:
    assert shown(drawing_of(HandOverEntry("l", "to", "x", "Codex", "c-1"))) == [
        " → Handed over to Codex  enter to open",
        "",
    ]
    evil = shown(drawing_of(HandOverEntry("l", "from", "x", EVIL, "c-1")))
    assert evil[0].startswith(" ← Continued from")
    assert not any(sign in "".join(evil) for sign in ("\x1b", "\u202e", "\n"))


FOUR = TurnEntry("f", 1, 4, 12, 3, ["src/a.py", "b.py"])


def test_what_a_turn_changed_is_a_row_with_the_keys_that_show_and_undo_it_where_there_is_room() -> None:
    words = " ± 4 files changed  +12 −3  src/a.py, b.py +2 more"
    runs = [run for unit in drawing_of(FOUR).units for row in unit.rows(100, PALETTE) for run in row.segments]
    inks = {run.text: run.style.color for run in runs if run.style is not None}
    assert inks["+12"] == PALETTE.success.color
    assert inks["−3"] == PALETTE.error.color
    assert shown(drawing_of(FOUR), 100) == [f"{words}   ^X d review   ^X u undo", ""]
    assert shown(drawing_of(FOUR), 72) == [" ± 4 files changed  +12 −3   ^X d review   ^X u undo", ""]
    assert shown(drawing_of(FOUR), 40) == [" ± 4 files changed   ^X d review", ""]


def test_the_end_of_a_turn_is_one_muted_row_where_there_is_room() -> None:
    done = TurnEntry("t", 0, seconds=12, model="Opus 5.5", mode="Plan")
    assert shown(drawing_of(done)) == ["   12 s · Opus 5.5 · Plan", ""]
    cancelled = replace(done, stop_reason="cancelled", model=EVIL)
    assert shown(drawing_of(cancelled))[0].startswith(" ⊘ Cancelled · 12 s · ")
    both = replace(FOUR, seconds=12, model="Opus", mode="Plan")
    head = " ± 4 files changed  +12 −3  src/a.py, b.py +2 more"
    assert shown(drawing_of(both), 120) == [f"{head}   ^X d review   ^X u undo   12 s · Opus · Plan", ""]
    assert shown(drawing_of(both), 80) == [f"{head}   ^X d review   ^X u undo", "   12 s · Opus · Plan", ""]
    ended = shown(drawing_of(replace(both, stop_reason="cancelled")), 80)
    assert ended == [" ⊘ Cancelled · 12 s · Opus · Plan", f"{head}   ^X d review   ^X u undo", ""]


def test_the_end_row_of_a_failure_is_like_those_of_other_ends() -> None:
    failed = TurnEntry("t", 0, seconds=1, stop_reason="error")
    assert shown(drawing_of(failed)) == [" ✗ Failed · 1 s", ""]
    assert failed.pieces == ["Failed", "1 s"]
    refused = replace(failed, stop_reason="refusal")
    assert shown(drawing_of(refused)) == [" ⊘ Refused · 1 s", ""]
    assert refused.pieces == ["Refused", "1 s"]


def test_what_is_not_kept_is_said_below_it_and_counted_beyond_a_few() -> None:
    entry = TurnEntry("f", 1, 1, unknown=1, gaps=[f"{number} is too large" for number in range(9)])
    assert shown(drawing_of(entry)) == [
        " ± 1 file changed  1 probably yours   ^X d review   ^X u undo",
        *(f"   {number} is too large" for number in range(5)),
        "   … 4 more",
        "",
    ]


def test_what_was_taken_back_is_a_row_and_undoing_it_another() -> None:
    taken = TakenBackEntry("b", "Turn 3", 3, 1)
    assert shown(drawing_of(taken)) == [" ↶ Undone: Turn 3 · 3 files · 1 skipped   ^X r redo   ^X d review", ""]
    undone = TakenBackEntry("b", "Turn 3", 3, undone=True)
    assert shown(drawing_of(undone), 40) == [" ↷ Redone: Turn 3 · 3 files", ""]


def test_a_message_that_is_none_of_the_users_becomes_one_folded_row() -> None:
    entry = MessageEntry("m", "user", [TextPart(["[Request interrupted\nby user]"], 28)], sealed=True)
    drawing = drawing_of(entry)
    assert drawing.folded is None
    entry.role = "injected"
    assert drawing.update() == 0
    assert shown(drawing) == [" ▸ Not sent from acp-tui  [Request interrupted by user]", ""]
    drawing.toggle()
    assert shown(drawing)[0].startswith(" ▾ Not sent from acp-tui")
    assert "   by user]" in shown(drawing)
    again = drawing_of(entry)
    assert shown(again)[0].startswith(" ▸ Not sent")
    entry.role = "user"
    assert again.update() == 0
    assert "Not sent" not in "".join(shown(again))
