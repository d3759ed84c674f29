"""What a user must be told, and what nobody here understands."""

from acp_tui.protocol.vocabulary.session_updates import Notice, RejectedUpdate, UnknownUpdate
from acp_tui.session.changes import EntryAdded, EntryChanged, NoticeRaised
from acp_tui.session.entries import NoticeEntry
from acp_tui.session.facts import Noticed
from acp_tui.session.folds.timeline import KEPT_NOTICES, KEPT_REPEATS, UnknownEntry
from tests.unit.session.speech import running, told


def test_a_live_notice_is_shown_but_is_no_entry() -> None:
    one = told()
    one.apply(Notice(severity="warning", title="Slow", description="The model is busy."))
    notice = one.last(NoticeRaised).notice
    assert (notice.severity, notice.title, notice.message) == ("warning", "Slow", "The model is busy.")
    assert (one.session.entries, one.session.notices) == ([], [notice])


def test_an_equal_live_notice_is_one_that_counts() -> None:
    one = told()
    slow, busy = Notice(severity="warning", title="Slow"), Notice(severity="error", title="Slow")
    one.apply(slow, busy, running())
    one.apply(slow, Notice(severity="warning", title="Slow", description="why"), after=5)
    assert [(notice.severity, notice.message, notice.count) for notice in one.session.notices] == [
        ("error", "", 1),
        ("warning", "", 2),
        ("warning", "why", 1),
    ]
    assert one.session.notices[1].started_at == 105
    assert [change.again for change in one.all(NoticeRaised)] == [False, False, True, False]


def test_only_the_last_live_notices_are_kept() -> None:
    one = told()
    one.apply(*(Notice(severity="info", title=str(number)) for number in range(KEPT_NOTICES + 5)))
    assert len(one.session.notices) == KEPT_NOTICES
    assert one.session.notices[-1].title == str(KEPT_NOTICES + 4)


def test_a_rejected_update_says_which_where_and_why() -> None:
    one = told()
    one.apply(RejectedUpdate("usage_update", "used", "not a number", {}))
    (entry,) = one.session.entries
    assert isinstance(entry, NoticeEntry)
    assert "usage_update" in entry.title
    assert entry.message == "used: not a number"


def test_the_same_notice_is_counted_within_a_turn() -> None:
    one = told()
    one.apply(running(), Noticed("warning", "noise"), Noticed("warning", "noise"), Noticed("warning", "other"))
    assert [(entry.title, entry.count) for entry in one.session.entries if isinstance(entry, NoticeEntry)] == [
        ("noise", 2),
        ("other", 1),
    ]
    assert [type(change) for change in one.changes[1:]] == [EntryAdded, EntryChanged, EntryAdded]


def test_unknown_updates_of_one_kind_are_one_entry_that_keeps_them() -> None:
    one = told()
    one.apply(*(UnknownUpdate("new", {"number": number}) for number in range(KEPT_REPEATS + 10)))
    (entry,) = one.session.entries
    assert isinstance(entry, UnknownEntry)
    assert (entry.kind, entry.raw, entry.count) == ("new", {"number": 0}, KEPT_REPEATS + 10)
    assert [raw["number"] for raw in entry.repeats] == list(range(1, KEPT_REPEATS + 1))


def test_another_turn_counts_anew() -> None:
    one = told()
    one.apply(UnknownUpdate("new", {}), running(), UnknownUpdate("new", {}))
    assert len(one.session.entries) == 2


def test_ids_of_asides_are_unique() -> None:
    one = told()
    one.apply(Noticed("info", "a"), UnknownUpdate("b", {}), Noticed("info", "c"))
    assert len({entry.id for entry in one.session.entries}) == 3
