"""Plans, commands, usage, title and compactions."""

from acp_tui.protocol.vocabulary.session_updates import (
    AccountLimit,
    AvailableCommand,
    AvailableCommandsUpdate,
    CompactionSummaryChunk,
    CompactionUpdate,
    Cost,
    Plan,
    PlanEntry,
    PlanRemoved,
    PlanUpdate,
    SessionInfoUpdate,
    StateUpdate,
    TokenUsage,
    UsageUpdate,
)
from acp_tui.session import facts
from acp_tui.session.changes import CommandsChanged, InfoChanged, PlanChanged, UsageChanged
from acp_tui.session.entries import TextPart
from acp_tui.session.folds.messages import CompactionEntry
from acp_tui.session.folds.session_info import LIMITS
from acp_tui.session.text.phrases import note_of
from tests.unit.session.speech import Told, idle, running, say, text, told, user


def compaction(one: Told) -> CompactionEntry:
    return one.session.index.of(CompactionEntry)["c"]


def test_a_plan_is_replaced_as_a_whole() -> None:
    one = told()
    first = Plan(entries=[PlanEntry(content="one"), PlanEntry(content="two")])
    second = Plan(entries=[PlanEntry(content="three")])
    one.apply(PlanUpdate(plan=first), PlanUpdate(plan=second))
    assert one.session.plans == {"plan": second}
    assert one.changes == [PlanChanged("plan"), PlanChanged("plan")]


def test_a_removed_plan_is_gone_and_gone_once() -> None:
    one = told()
    one.apply(PlanUpdate(plan=Plan()), PlanRemoved(plan_id="plan"), PlanRemoved(plan_id="plan"))
    assert one.session.plans == {}
    assert len(one.changes) == 2


def test_commands_are_replaced() -> None:
    one = told()
    help_command = AvailableCommand(name="help")
    one.apply(AvailableCommandsUpdate(available_commands=[AvailableCommand(name="old")]))
    one.apply(AvailableCommandsUpdate(available_commands=[help_command]))
    assert one.session.commands == [help_command]
    assert one.changes == [CommandsChanged(), CommandsChanged()]


def test_usage_is_replaced_and_an_omitted_cost_stays() -> None:
    one = told()
    cost = Cost(amount=0.05, currency="USD")
    one.apply(UsageUpdate(used=1, size=10, cost=cost), UsageUpdate(used=2, size=10))
    assert one.session.usage is not None
    assert (one.session.usage.used, one.session.usage.cost) == (2, cost)
    one.apply(UsageUpdate(used=3, size=10, cost=None))
    assert one.session.usage.cost is None
    assert len(one.all(UsageChanged)) == 3


def test_a_limit_stays_until_it_is_told_again() -> None:
    one = told()
    five, week = AccountLimit(kind="five_hour", used=0.5), AccountLimit(kind="seven_day", standing="near")
    one.apply(UsageUpdate(used=1, size=10, limits=[five, week]), UsageUpdate(used=2, size=10))
    assert one.session.usage is not None
    assert one.session.usage.limits == [five, week]
    again = AccountLimit(kind="five_hour", standing="reached")
    one.apply(UsageUpdate(used=3, size=10, limits=[again]))
    assert one.session.usage.limits == [again, week]


def test_of_ever_new_limits_the_last_are_kept() -> None:
    one = told()
    for number in range(3 * LIMITS):
        one.apply(UsageUpdate(used=1, size=10, limits=[AccountLimit(kind=str(number))]))
    assert one.session.usage is not None
    assert [limit.kind for limit in one.session.usage.limits] == [
        str(number) for number in range(2 * LIMITS, 3 * LIMITS)
    ]


def test_the_tokens_of_a_turn_are_kept_until_the_next_one() -> None:
    one = told()
    usage = TokenUsage(input_tokens=2, output_tokens=4)
    one.apply(running(), StateUpdate(state="idle", stop_reason="end_turn", usage=usage))
    assert one.session.turn.usage == usage
    one.apply(running())
    assert one.session.turn.usage is None


def test_the_title_has_three_states() -> None:
    one = told()
    one.apply(SessionInfoUpdate(title="Fix", updated_at="2026-01-01T00:00:00Z"))
    one.apply(SessionInfoUpdate(updated_at=None))
    assert (one.session.title, one.session.updated_at) == ("Fix", None)
    one.apply(SessionInfoUpdate(title=None))
    assert one.session.title is None
    assert len(one.all(InfoChanged)) == 3


def test_a_compaction_keeps_its_place_and_is_patched() -> None:
    one = told()
    one.apply(running(), CompactionUpdate(compaction_id="c", status="in_progress"), say("on"))
    assert not compaction(one).sealed
    one.apply(CompactionUpdate(compaction_id="c", status="completed", summary=[text("short")]))
    assert one.session.entries[0] is compaction(one)
    assert (compaction(one).status, compaction(one).sealed) == ("completed", True)
    assert compaction(one).summary == [TextPart(["short"], 5)]


def test_a_summary_chunk_begins_an_unseen_compaction() -> None:
    one = told()
    one.apply(CompactionSummaryChunk(compaction_id="c", content=text("a")))
    one.apply(CompactionSummaryChunk(compaction_id="c", content=text("b")))
    assert (compaction(one).status, compaction(one).summary) == ("in_progress", [TextPart(["a", "b"], 2)])


def test_null_clears_a_compactions_summary_and_error() -> None:
    one = told()
    one.apply(CompactionUpdate(compaction_id="c", status="failed", summary=[text("x")], error="full"))
    one.apply(CompactionUpdate(compaction_id="c", summary=None, error=None))
    assert (compaction(one).status, compaction(one).summary, compaction(one).error) == ("failed", [], None)


def test_the_end_of_the_turn_seals_a_compaction() -> None:
    one = told()
    one.apply(running(), CompactionUpdate(compaction_id="c"), idle())
    assert compaction(one).sealed


def test_a_name_that_the_user_gave_is_not_replaced_by_the_agent() -> None:
    one = told()
    one.apply(SessionInfoUpdate(title="Theirs"), facts.SessionNamed("Mine"), SessionInfoUpdate(title=None))
    one.apply(SessionInfoUpdate(title="Theirs", updated_at="2026-01-01T00:00:00Z"))
    assert (one.session.title, one.session.named, one.session.updated_at) == ("Mine", True, "2026-01-01T00:00:00Z")


def test_a_session_learns_its_id_and_who_its_agent_is() -> None:
    one = told()
    one.apply(facts.SessionIdentified("s-9", "Scripted"))
    assert (one.session.id, one.session.agent_name) == ("s-9", "Scripted")
    assert one.changes == [InfoChanged()]
    one.apply(facts.SessionIdentified("s-10"))
    assert (one.session.id, one.session.agent_name) == ("s-10", "Scripted")


def test_a_title_made_of_what_we_put_there_is_replaced_by_the_words_of_the_user() -> None:
    one = told()
    ours = SessionInfoUpdate(title='<resource uri="conversati…')
    one.apply(SessionInfoUpdate(title="Before"), ours)
    assert one.session.title == "Before"
    one.apply(user(note_of(["a.py"]) + "\n go on\nand further", "u1"), user("later", "u2"), ours)
    assert one.session.title == "go on"
    one.apply(SessionInfoUpdate(title="After"))
    assert one.session.title == "After"
