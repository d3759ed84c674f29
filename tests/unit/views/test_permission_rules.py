"""The words of rules: the row below a request, the offer as it is changed, the rows of the list."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.rules.rule import OfferedRule, Rule, RuleOffer, RulePreview
from acp_tui.views.formatting import plain
from acp_tui.views.permission_rules import (
    OfferChoices,
    about_rule,
    facts_of_rule,
    facts_of_uses,
    rule_line,
    rule_words,
    shown_name,
)
from tests.rows import each_of

PREFIX = Rule("", "allow", "prefix", ("cargo", "test"))
EXACT = Rule("", "allow", "exact", ("cargo", "test"))
PUSH = Rule("", "allow", "exact", ("git", "push"), place="/home/me/project")
EDIT = Rule("", "allow", "tool", ("edit",))
FOLDER = Rule("", "allow", "folder", ("/p/src",))
ONE = RuleOffer((OfferedRule((PREFIX, EXACT)),))
TWO = RuleOffer((OfferedRule((PREFIX, EXACT)), OfferedRule((PUSH,))), readers=True)


@each_of(
    "offer, words, muted",
    [
        (ONE, "Don't ask again for cargo test", False),
        (TWO, "Don't ask again for cargo test and 1 more part", False),
        (RuleOffer((OfferedRule((FOLDER, EDIT)),)), "Don't ask again for files in /p/src", False),
        (RuleOffer(readers=True), "Don't ask again for read-only programs", False),
        (RuleOffer(reason="it has a variable"), "No rule possible: has a variable", True),
        (RuleOffer(mode=True), "No rule can override the agent's own denial: change its mode", False),
    ],
)
def test_the_row_of_ours(offer: RuleOffer, words: str, muted: bool) -> None:
    line = rule_line(offer)
    assert line is not None
    assert (line.text, line.muted) == (words, muted)


def test_a_request_without_anything_to_offer_has_no_row() -> None:
    assert rule_line(RuleOffer()) is None


@each_of(
    "row, scopes",
    [
        (OfferedRule((PREFIX,)), ["session", "project", "everywhere"]),
        (OfferedRule((PREFIX,), "runs this project's code"), ["session", "project"]),
        (OfferedRule((EXACT,), "runs this project's code"), ["session", "project"]),
        (OfferedRule((EXACT,), "read-only"), ["session", "project", "everywhere"]),
        (OfferedRule((PUSH,)), ["session", "project"]),
        (OfferedRule((FOLDER,)), ["session", "project"]),
        (OfferedRule((EDIT,)), ["session"]),
    ],
)
def test_what_reaches_no_further_is_offered_no_further(row: OfferedRule, scopes: list[str]) -> None:
    choices = OfferChoices(RuleOffer((row,)))
    assert list(choices.scopes) == scopes
    for _ in range(4):
        choices.turn_scope()
        assert {draft.scope for draft in choices.drafts} <= set(scopes)


def test_the_highlight_begins_at_the_first_part_and_readers_are_off() -> None:
    choices = OfferChoices(TWO, rejects=True)
    assert (choices.at, choices.turns_readers_on) == (1, False)
    assert [line.box for line in choices.lines()] == ["☐", "☑", "☑"]


def test_a_request_of_reading_programs_alone_offers_the_switch_turned_on() -> None:
    choices = OfferChoices(RuleOffer(readers=True))
    assert choices.turns_readers_on
    assert not choices.is_empty
    assert choices.drafts == []


def test_a_part_is_left_out_and_another_choice_takes_it_in() -> None:
    choices = OfferChoices(ONE)
    choices.toggle()
    assert choices.is_empty
    choices.reach(1)
    assert choices.drafts == [PREFIX]
    choices.reach(5)
    choices.reach(-9)
    assert choices.drafts == [EXACT]


def test_rejecting_takes_no_readers_and_keeps_its_part() -> None:
    choices = OfferChoices(TWO, rejects=True)
    choices.move(-1)
    choices.toggle()
    choices.move(1)
    choices.turn_verdict()
    assert (choices.at, choices.turns_readers_on) == (0, False)
    assert {draft.verdict for draft in choices.drafts} == {"reject"}
    choices.turn_verdict()
    assert (choices.at, choices.turns_readers_on) == (1, True)


def test_without_an_answer_that_rejects_nothing_is_rejected() -> None:
    choices = OfferChoices(ONE)
    choices.turn_verdict()
    assert choices.verdict == "allow"


@each_of(
    "wide, preview, twice",
    [
        (False, RulePreview(9, ("x",)), False),
        (True, RulePreview(9, ("x",)), True),
        (False, RulePreview(9, ("x",) * 9, everything=True), True),
    ],
)
def test_what_is_asked_twice(wide: bool, preview: RulePreview, twice: bool) -> None:
    choices = OfferChoices(ONE, wanted="everywhere" if wide else "project")
    assert choices.asks_twice(preview) is twice
    choices.warned = True
    assert not choices.asks_twice(preview)
    assert "Press Enter again" in plain(choices.effect(preview))
    choices.toggle()
    assert not choices.warned


@each_of(
    "preview, verdict, words",
    [
        (RulePreview(31, ("a",) * 4), "allow", "Would have answered 4 of 31 earlier requests   v which"),
        (RulePreview(1, ()), "reject", "Would have rejected 0 of 1 earlier request"),
        (RulePreview(0, ()), "allow", ""),
    ],
)
def test_what_the_rules_would_have_done(preview: RulePreview, verdict: str, words: str) -> None:
    choices = OfferChoices(ONE, rejects=True)
    if verdict == "reject":
        choices.turn_verdict()
    assert plain(choices.effect(preview)) == words


@each_of(
    "preview, words",
    [
        (RulePreview(3, ("a",)), "1 of 3 requests match  v"),
        (RulePreview(1, ("a",)), "1 of 1 request matches  v"),
        (RulePreview(3, ()), "0 of 3 requests match"),
    ],
)
def test_the_same_in_few_cells(preview: RulePreview, words: str) -> None:
    assert plain(OfferChoices(ONE).effect(preview, short=True)) == words


def test_the_heading_above_the_requests_names_the_verdict() -> None:
    choices = OfferChoices(TWO, rejects=True)
    assert choices.past == "These rules would have allowed"
    choices.turn_verdict()
    choices.toggle()
    assert choices.past == "This rule would have rejected"


NOW = datetime(2026, 7, 1, tzinfo=UTC)


@each_of(
    "rule, used, words",
    [
        (PREFIX, {}, "this project · not used yet"),
        (PREFIX, {"": (1, NOW.timestamp() - 90)}, "this project · 1 use · 1 min ago"),
        (PREFIX, {"": (1_200, NOW.timestamp() + 1e9)}, "this project · 1,200 uses · now"),
        (PREFIX, {"": (2, 1e300)}, "this project · 2 uses · 1 Jan 1970"),
        (PUSH, {}, "this project · in /home/me/project · not used yet"),
    ],
)
def test_the_facts_of_a_rule(rule: Rule, used: dict[str, tuple[int, float]], words: str) -> None:
    assert facts_of_rule(rule, used, NOW) == words


def test_a_row_has_one_tick_and_a_word() -> None:
    assert rule_words("allow", "x", on=True) == "☑ allow  x"
    assert rule_words("reject", "x", on=False) == "☐ reject x"


@each_of(
    "rule, words",
    [
        (PREFIX, "Allows cargo test with other arguments"),
        (replace(EXACT, verdict="reject", piped=True), "Rejects cargo test behind a pipe"),
        (replace(FOLDER, made_at=NOW.timestamp() - 7200), "Allows files in /p/src · made 2 h ago"),
    ],
)
def test_a_rule_in_a_sentence(rule: Rule, words: str) -> None:
    assert about_rule(rule, NOW) == words


def test_how_often_the_switch_answered() -> None:
    assert facts_of_uses("read-only", {"read-only": (2, NOW.timestamp())}, NOW) == "2 uses · now"


@given(st.text())
def test_no_name_hides_a_character_or_breaks_a_line(words: str) -> None:
    shown = shown_name(Rule("", "allow", "exact", (words,)))
    assert "\n" not in shown
    assert "\x1b" not in shown
    assert len(shown) >= len(words.strip())


def test_a_very_long_name_is_counted() -> None:
    assert shown_name(Rule("", "allow", "exact", ("a" * 10_000,))).endswith("… 9,000 more characters")


def test_what_allowing_runs_is_no_warning_of_a_rule_that_rejects() -> None:
    choices = OfferChoices(RuleOffer((OfferedRule((PREFIX, EXACT), "runs this project's code"),)), rejects=True)
    assert [line.note for line in choices.lines()] == ["runs this project's code"]
    choices.turn_verdict()
    assert [line.note for line in choices.lines()] == [""]


def test_the_choices_of_a_part_are_named_as_what_they_cover() -> None:
    (line,) = OfferChoices(ONE).lines()
    assert (line.names, line.at) == (["cargo test", "cargo test with other arguments"], 0)
