"""A kind of entry says of itself what readers of a transcript must know; no reader has to have heard of it."""

from dataclasses import dataclass

from acp_tui.headless.text_report import TextReport
from acp_tui.host.sessions.continuation import carried
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.session.changes import EntryAdded
from acp_tui.session.digest import transcript
from acp_tui.session.entries import (
    ElicitationEntry,
    Entry,
    MessageEntry,
    NoticeEntry,
    SubagentEntry,
    ToolCallEntry,
)
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.folds.file_changes import TakenBackEntry, TurnEntry
from acp_tui.session.folds.history import HandOverEntry
from acp_tui.session.folds.messages import CompactionEntry
from acp_tui.session.folds.subagents import SessionMessageEntry
from acp_tui.session.folds.timeline import UnknownEntry
from acp_tui.session.state import Session
from tests.rows import each_of


@dataclass(slots=True)
class BreakEntry(Entry):
    minutes: int

    @property
    def pieces(self) -> list[str]:
        return ["Break", f"{self.minutes} min"]


class Lines:
    def __init__(self) -> None:
        self.aside_lines: list[str] = []

    def answer(self, text: str) -> None:
        raise AssertionError(text)

    def aside(self, text: str, tone: str) -> None:
        self.aside_lines.append(text)


def with_a_break() -> Session:
    session = Session("s", "/project")
    session.entries.append(BreakEntry("b", 5, started_at=9.0))
    return session


def test_a_kind_that_no_reader_has_heard_of_is_in_what_each_of_them_makes() -> None:
    session, lines = with_a_break(), Lines()
    assert to_markdown(session) == "# Session\n\n- Folder: /project\n\n> **Break · 5 min**\n"
    assert transcript(session).splitlines()[2:] == ["- Break · 5 min"]
    block = carried(session, embedded=False).block
    assert isinstance(block, TextContent)
    assert "> **Break · 5 min**" in block.text
    assert to_json(session)["entries"] == [
        {"type": "break", "id": "b", "minutes": 5, "sealed": False, "started_at": 9.0},
    ]
    TextReport(lines, session, safe=False).changed(EntryAdded(session.entries[0]))  # type: ignore[arg-type]
    assert lines.aside_lines == ["[Break · 5 min]\n"]


def test_and_is_found_by_its_words_and_by_its_moment() -> None:
    entry = BreakEntry("b", 5, started_at=9.0)
    assert entry.plain() == "Break · 5 min"
    origin = entry.origin()
    assert (origin.title, origin.name, origin.since, origin.until) == ("this moment", "", 8.0, 10.0)


CARRIED = [
    (MessageEntry("m", "user"), True),
    (MessageEntry("m", "agent"), True),
    (MessageEntry("m", "thought"), False),
    (MessageEntry("m", "injected"), False),
    (ToolCallEntry("c"), True),
    (NoticeEntry("n", "info", "N"), False),
    (CompactionEntry("k"), True),
    (SubagentEntry("s"), True),
    (SessionMessageEntry("m"), True),
    (UnknownEntry("u", "newer", {}), False),
    (HandOverEntry("h", "to", "m", "Agent"), False),
    (TurnEntry("t", 1, files=3), False),
    (TurnEntry("t", 1, stop_reason="refusal"), True),
    (TakenBackEntry("t", "Turn 1"), True),
]


@each_of("entry, wanted", CARRIED)
def test_what_is_told_to_an_agent_that_goes_on(entry: Entry, wanted: bool) -> None:
    assert entry.carried is wanted


@each_of(
    "entry, lines",
    [
        (NoticeEntry("n", "error", "T", "one\ntwo", "hint"), ["error: T", "one", "two", "hint"]),
        (CompactionEntry("k", "completed"), ["context compacted"]),
        (CompactionEntry("k", "odd"), ["context: odd"]),
        (UnknownEntry("u", "newer", {}), ["unknown update: newer"]),
        (HandOverEntry("h", "from", "m", " "), ["Continued from another agent"]),
        (TurnEntry("t", 1, seconds=9.0, stop_reason="refusal"), []),
        (TurnEntry("t", 1, 1, 2, gaps=("no .env",)), ["1 file changed · +2 · no .env"]),
        (TakenBackEntry("t", "Turn 1", 2), ["Undone: Turn 1 · 2 files"]),
        (SessionMessageEntry("m"), []),
        (SubagentEntry("s"), []),
    ],
)
def test_what_a_run_says_of_it(entry: Entry, lines: list[str]) -> None:
    assert entry.report() == lines


def test_only_what_this_side_says_is_aside() -> None:
    kinds = (NoticeEntry, TurnEntry, TakenBackEntry, MessageEntry, ElicitationEntry, UnknownEntry, HandOverEntry)
    assert [kind.__name__ for kind in kinds if kind.aside] == ["NoticeEntry", "TurnEntry", "TakenBackEntry"]
