"""Rules from a request, by keys: the row below the options, the offer in the request's place, and what it saves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.rules.rule import OfferedRule, Rule, RuleOffer, RulePreview
from acp_tui.protocol.vocabulary.session_updates import StateUpdate
from acp_tui.protocol.vocabulary.tool_calls import (
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session.facts import PermissionReceived
from acp_tui.session.state import Session
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.questions.request_screen import RequestScreen
from acp_tui.ui.text_panels import FactsPanel
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeRules, tell_options
from tests.pilot.questions import answerable, painted

pytestmark = pytest.mark.anyio

PREFIX = Rule("", "allow", "prefix", ("cargo", "test"))
EXACT = Rule("", "allow", "exact", ("cargo", "test", "--all"))
PLAIN = RuleOffer((OfferedRule((PREFIX, EXACT)),))
SEEN = RulePreview(31, ("cargo test", "cargo test --all"))
KINDS = ("allow_once", "allow_always", "reject_once")


def ask(session: Session, command: str = "cargo test --all", kinds: Sequence[str] = KINDS, key: int = 1) -> None:
    call = ToolCallUpdate(tool_call_id=f"t{key}", title=command, kind="execute", raw_input={"command": command})
    session.apply(call)
    options = [PermissionOption(option_id=kind, name=kind.replace("_", " ").capitalize(), kind=kind) for kind in kinds]
    subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id=f"t{key}")
    request = PermissionRequest(session_id="s1", title=command, subject=subject, options=options)
    session.apply(PermissionReceived(key, request))


def rules_of(someone: User) -> FakeRules:
    rules = someone.client.of(someone.session).rules
    assert isinstance(rules, FakeRules)
    return rules


@asynccontextmanager
async def asked(
    offer: RuleOffer = PLAIN, size: tuple[int, int] = (120, 40), seen: RulePreview = SEEN, command: str = "cargo test"
) -> AsyncIterator[User]:
    """A user who is asked for a command, for which this can be offered."""
    async with user(size) as someone:
        rules = rules_of(someone)
        rules.offered, rules.previewed = offer, seen
        someone.session.apply(StateUpdate(state="running"))
        ask(someone.session, command)
        await answerable(someone)
        yield someone


async def offered(someone: User) -> None:
    await someone.press("p")
    await someone.wait_for("△ New rule: ")
    await answerable(someone)


async def test_the_row_of_ours_is_never_the_default_and_says_who_keeps_what() -> None:
    async with asked() as someone:
        assert someone.sees("p  Don't ask again for cargo test --all  stored by acp-tui")
        assert someone.sees("Y  Allow always  stored by OpenCode")
        await someone.press("enter")
        assert someone.acts("answer") == [(1, "allow_once")]
        assert someone.acts("rules") == []


async def test_p_and_enter_save_a_rule_and_answer_this_once() -> None:
    async with asked() as someone:
        await offered(someone)
        assert someone.sees("Match  ● cargo test --all   ○ cargo test with other arguments   ← → change")
        assert someone.sees("Where  ○ this session   ● this project   ○ everywhere   s change")
        assert someone.sees("Would have answered 2 of 31 earlier requests   v which")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "allow_once")], "the answer")
        assert someone.acts("rules") == [([("allow", "exact", ("cargo", "test", "--all"), "project")], False)]
        assert any("Rule saved: cargo test --all" in toast for toast in someone.toasts())


async def test_keys_change_what_is_saved() -> None:
    async with asked() as someone:
        await offered(someone)
        await someone.press("right", "s", "s", "n")
        assert someone.sees("△ New rule: reject without asking")
        assert someone.sees("○ cargo test --all   ● cargo test with other arguments")
        assert someone.sees("Where  ● this session   ○ this project")
        await someone.press("enter")
        assert someone.acts("rules") == [([("reject", "prefix", ("cargo", "test"), "session")], False)]
        assert someone.acts("answer") == [(1, "reject_once")]


@pytest.mark.parametrize(
    ("seen", "keys"), [(SEEN, ("s",)), (RulePreview(9, ("x",) * 9, everything=True), ())], ids=["everywhere", "all"]
)
async def test_what_reaches_far_takes_a_second_enter(seen: RulePreview, keys: tuple[str, ...]) -> None:
    async with asked(seen=seen) as someone:
        await offered(someone)
        await someone.press(*keys, "enter")
        await someone.wait_for("Press Enter again to save")
        await answerable(someone)
        assert someone.acts("rules") == someone.acts("answer") == []
        await someone.press("enter")
        assert len(someone.acts("rules")) == len(someone.acts("answer")) == 1


async def test_escape_goes_back_to_the_request_and_answers_nothing() -> None:
    async with asked() as someone:
        await offered(someone)
        await someone.press("escape")
        await someone.wait_for("p  Don't ask again for cargo test --all")
        await answerable(someone)
        assert someone.acts("answer") == someone.acts("rules") == []
        await someone.press("y")
        assert someone.acts("answer") == [(1, "allow_once")]


async def test_p_in_a_word_is_text_and_no_offer() -> None:
    async with asked() as someone:
        await someone.type("please not")
        assert not someone.sees("△ New rule: ")
        assert someone.acts("answer") == someone.acts("rules") == []
        assert someone.sees("please not")


async def test_where_no_rule_is_possible_the_row_says_why_and_so_does_p() -> None:
    async with asked(RuleOffer(reason="it has a [b]variable[/]")) as someone:
        assert someone.sees("p  No rule possible: has a [b]variable[/]")
        assert someone.sees("Y  Allow always  stored by OpenCode")
        assert not someone.sees("stored by acp-tui")
        await someone.press("p")
        await someone.wait_until(lambda: "No rule possible: has a [b]variable[/]" in someone.toasts(), "the reason")
        assert not someone.sees("△ New rule: ")
        assert someone.sees("❯ 1 y  Allow once")
        await someone.press("down", "down", "down", "down")
        assert someone.sees("❯ 3 n  Reject once")


@pytest.mark.parametrize("size", [(120, 40), (40, 12)])
async def test_p_without_a_possible_rule_is_no_reason_for_rejecting(size: tuple[int, int]) -> None:
    async with asked(RuleOffer(reason="it has a variable"), size) as someone:
        await someone.press("p", "enter")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "allow_once")], "the highlighted answer")


async def test_p_in_a_word_is_text_without_a_possible_rule_too() -> None:
    async with asked(RuleOffer(reason="it has a variable")) as someone:
        await someone.type("please not")
        assert someone.sees("please not")
        assert someone.acts("answer") == []
        assert not any("No rule possible" in toast for toast in someone.toasts())


async def test_a_click_on_the_row_says_why_no_rule_is_possible() -> None:
    async with asked(RuleOffer(reason="it has a variable")) as someone:
        await someone.pilot.click("RuleRow")
        await someone.wait_until(lambda: "No rule possible: has a variable" in someone.toasts(), "the reason")
        assert someone.acts("answer") == []


async def test_a_rule_that_cannot_be_saved_answers_nothing() -> None:
    async with asked() as someone:
        rules_of(someone).fault = UserFault("Rule not saved", "no space is left")
        await offered(someone)
        await someone.press("enter")
        await someone.wait_until(lambda: any("no space is left" in toast for toast in someone.toasts()), "the fault")
        assert someone.acts("answer") == []
        assert someone.sees("△ New rule: ")


async def test_readers_stand_above_and_are_off_until_they_are_turned_on() -> None:
    async with asked(RuleOffer(PLAIN.rows, readers=True)) as someone:
        await offered(someone)
        assert someone.sees("Match    ☐ read-only programs   searching a folder")
        assert someone.sees("❯ ☑ ● cargo test --all")
        await someone.press("up", "space", "enter")
        assert someone.acts("rules") == [([("allow", "exact", ("cargo", "test", "--all"), "project")], True)]


async def test_nothing_selected_saves_nothing() -> None:
    async with asked() as someone:
        await offered(someone)
        await someone.press("space", "enter")
        assert someone.acts("rules") == someone.acts("answer") == []
        assert "Nothing is selected: press Space" in someone.toasts()


async def test_v_lists_which_requests_it_would_have_answered() -> None:
    async with asked() as someone:
        await offered(someone)
        await someone.press("v")
        await someone.wait_for("This rule would have allowed")
        assert someone.sees("cargo test --all")
        assert not someone.sees("scroll")
        await someone.press("escape")
        await someone.wait_for("△ New rule: ")
        await answerable(someone)
        await someone.press("enter")
        assert len(someone.acts("rules")) == 1


async def test_the_list_of_requests_is_as_high_as_they_are() -> None:
    async with asked() as someone:
        await offered(someone)
        await someone.press("v")
        await someone.opened(FactsPanel)
        await someone.wait_for("cargo test --all")
        rows = someone.rows()
        first = next(at for at, row in enumerate(rows) if "This rule would have allowed" in row)
        last = next(at for at, row in enumerate(rows) if "esc close" in row)
        assert last - first <= 6


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_the_sentence_of_the_counting_is_whole(size: tuple[int, int]) -> None:
    async with asked(size=size, seen=RulePreview(200, ("x",) * 120)) as someone:
        await offered(someone)
        words = " ".join(" ".join(row.strip(" ▌") for row in someone.rows()).split())
        assert "Would have answered 120 of 200 earlier requests v which" in words


async def test_a_list_of_requests_that_overflows_names_the_keys_that_scroll() -> None:
    async with asked(size=(80, 24), seen=RulePreview(60, tuple(f"make {at}" for at in range(60)))) as someone:
        await offered(someone)
        await someone.press("v")
        await someone.wait_for("↑↓ scroll")


async def test_the_offer_shows_what_is_asked_and_no_count_of_nothing() -> None:
    async with asked(seen=RulePreview(0, ()), command="make all") as someone:
        await offered(someone)
        assert someone.sees("make all")
        assert not someone.sees("earlier")


async def test_in_forty_cells_both_scopes_are_in_one_row_and_the_counting_is_whole() -> None:
    offer = RuleOffer((OfferedRule((EXACT, PREFIX), "runs project code that the agent can change"),))
    async with asked(offer, (40, 12), RulePreview(3, ("x",))) as someone:
        await offered(someone)
        assert someone.sees("Where  ○ session ● project  s")
        assert someone.sees("1 of 3 requests match  v")
        assert someone.sees("n reject")


async def test_the_count_of_options_has_the_row_of_ours() -> None:
    async with user((40, 12)) as someone:
        rules_of(someone).offered = PLAIN
        ask(someone.session, kinds=["allow_once", "allow_always"] * 3 + ["reject_once"])
        await answerable(someone)
        assert someone.sees("↑↓ 8 options")


async def test_the_count_of_requests_is_whole_in_forty_cells() -> None:
    async with asked(size=(40, 12)) as someone:
        ask(someone.session, key=2)
        await someone.wait_for("1 of 2")
        assert not someone.sees("1 of 2 w")


async def test_a_choice_is_judged_once() -> None:
    async with asked() as someone:
        await offered(someone)
        await someone.press("right", "left", "right", "up", "v")
        await someone.opened(FactsPanel)
        assert rules_of(someone).previews == 2


async def test_p_in_the_full_screen_leads_to_the_offer() -> None:
    async with asked() as someone:
        await someone.press("v")
        await someone.opened(RequestScreen)
        await someone.wait_for("p  Don't ask again")
        await painted(someone)
        await someone.press("p")
        await someone.opened(ConversationScreen)
        await someone.wait_for("△ New rule: ")
        assert someone.acts("answer") == someone.acts("rules") == []


async def test_escape_from_the_full_screen_leads_back_to_the_open_request() -> None:
    async with asked() as someone:
        await someone.press("v")
        await someone.opened(RequestScreen)
        await someone.press("escape")
        await someone.opened(ConversationScreen)
        await answerable(someone)
        await offered(someone)
        await someone.press("v")
        await someone.opened(FactsPanel)
        await someone.press("escape")
        await someone.opened(ConversationScreen)
        await answerable(someone)
        await someone.press("enter")
        assert len(someone.acts("rules")) == len(someone.acts("answer")) == 1
        assert someone.draft == ""


@pytest.mark.parametrize("size", [(80, 24), (60, 20)])
async def test_who_stores_an_always_is_told_beside_the_highlighted_one_where_cells_are_few(
    size: tuple[int, int],
) -> None:
    async with asked(size=size) as someone:
        assert not someone.sees("stored by")
        await someone.press("down")
        assert someone.sees("❯ 2 Y  Allow always  stored by OpenCode")
        await someone.press("down", "down")
        assert not someone.sees("stored by OpenCode")
        assert someone.sees("cargo test --all  stored by acp-tui") == (size[0] == 80)


async def test_an_agent_that_asks_for_something_else_meanwhile_closes_the_offer() -> None:
    async with asked() as someone:
        await offered(someone)
        rules_of(someone).offered = RuleOffer(reason="it has a variable")
        other = {"command": "rm -rf $HOME"}
        someone.session.apply(ToolCallUpdate(tool_call_id="t1", title="rm -rf $HOME", raw_input=other))
        await someone.wait_for("No rule possible: has a variable")
        await answerable(someone)
        assert someone.sees("$ rm -rf $HOME")
        assert not someone.sees("△ New rule: ")
        assert someone.acts("rules") == someone.acts("answer") == []
        assert someone.sees("❯ 1 y  Allow once")


async def test_another_request_that_the_rule_would_answer_waits_on() -> None:
    async with asked() as someone:
        ask(someone.session, key=2)
        await offered(someone)
        await someone.press("enter")
        await answerable(someone)
        assert someone.acts("answer") == [(1, "allow_once")]
        assert [pending.key for pending in someone.session.permissions] == [2]


async def test_what_the_agent_itself_denies_leads_to_its_mode() -> None:
    async with asked(RuleOffer(mode=True)) as someone:
        tell_options(someone.session)
        assert someone.sees("No rule can override the agent's own denial: change its mode")
        await someone.press("p")
        await someone.opened(Picker)
        assert someone.sees("Plan")
        assert someone.acts("answer") == []


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 12)])
async def test_the_row_goes_before_an_option_does_and_p_counts_still(size: tuple[int, int]) -> None:
    async with asked(size=size) as someone:
        for name in ("Allow once", "Allow always", "Reject once"):
            assert someone.sees(name)
        assert someone.sees("p  Don't ask") or someone.sees("p don't ask again")
        await offered(someone)
        assert someone.sees("● cargo test --all")
        assert someone.sees("● this project") or someone.sees("● project")
        assert someone.sees("n reject")
        assert someone.sees("esc back")
        await someone.press("enter")
        assert len(someone.acts("rules")) == 1


@pytest.mark.parametrize("words", ["[red]x[/] \x1b[2J\u202egnp", "a" * 10_000], ids=["markup", "long"])
async def test_a_hostile_name_is_text(words: str) -> None:
    offer = RuleOffer((OfferedRule((Rule("", "allow", "exact", (words,)),), "[b]note[/]"),))
    async with asked(offer, (80, 24), RulePreview(3, ("[b]x[/]\x1b[2J",))) as someone:
        await offered(someone)
        rows = "\n".join(someone.rows())
        assert not {"\x1b", "\u202e"} & set(rows)
        assert ("[red]x[/]" if words[0] == "[" else "aaaaaaaa") in rows
        await someone.press("v")
        await someone.wait_for("[b]x[/]")
