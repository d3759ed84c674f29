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
from acp_tui.ui.kit.picker import Picker
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeRules, tell_options
from tests.pilot.questions import answerable

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
    await someone.wait_for("△ Don't ask again")
    await answerable(someone)


async def test_the_row_of_ours_is_never_the_default_and_says_who_keeps_what() -> None:
    async with asked() as someone:
        assert someone.sees("p  Don't ask again for cargo test …  stored by acp-tui")
        assert someone.sees("Y  Allow always  stored by OpenCode")
        await someone.press("enter")
        assert someone.acts("answer") == [(1, "allow_once")]
        assert someone.acts("rules") == []


async def test_p_and_enter_save_a_rule_and_answer_this_once() -> None:
    async with asked() as someone:
        await offered(someone)
        assert someone.sees("❯ [x] cargo test …")
        assert someone.sees("Where  ‹ this project ›")
        assert someone.sees("Would have answered 2 of 31 earlier requests here")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("answer") == [(1, "allow_once")], "the answer")
        assert someone.acts("rules") == [([("allow", "prefix", ("cargo", "test"), "project")], False)]
        assert any("Rule saved: cargo test …" in toast for toast in someone.toasts())


async def test_keys_change_what_is_saved() -> None:
    async with asked() as someone:
        await offered(someone)
        await someone.press("right", "s", "s", "n")
        assert someone.sees("△ Don't ask again: reject")
        assert someone.sees("‹ this session ›")
        await someone.press("enter")
        assert someone.acts("rules") == [([("reject", "exact", ("cargo", "test", "--all"), "session")], False)]
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
        await someone.wait_for("p  Don't ask again for cargo test …")
        await answerable(someone)
        assert someone.acts("answer") == someone.acts("rules") == []
        await someone.press("y")
        assert someone.acts("answer") == [(1, "allow_once")]


async def test_p_in_a_word_is_text_and_no_offer() -> None:
    async with asked() as someone:
        await someone.type("please not")
        assert not someone.sees("△ Don't ask again")
        assert someone.acts("answer") == someone.acts("rules") == []
        assert someone.sees("please not")


async def test_where_no_rule_is_possible_the_row_says_why_and_p_is_no_key() -> None:
    async with asked(RuleOffer(reason="it has a [b]variable[/]")) as someone:
        assert someone.sees("No rule possible: it has a [b]variable[/]")
        assert not someone.sees("stored by")
        await someone.press("p")
        assert not someone.sees("△ Don't ask again")
        await someone.press("down", "down", "down", "down")
        assert someone.sees("❯ 3 n  Reject once")


async def test_a_rule_that_cannot_be_saved_answers_nothing() -> None:
    async with asked() as someone:
        rules_of(someone).fault = UserFault("Rule not saved", "no space is left")
        await offered(someone)
        await someone.press("enter")
        await someone.wait_until(lambda: any("no space is left" in toast for toast in someone.toasts()), "the fault")
        assert someone.acts("answer") == []
        assert someone.sees("△ Don't ask again")


async def test_readers_stand_above_and_are_off_until_they_are_turned_on() -> None:
    async with asked(RuleOffer(PLAIN.rows, readers=True)) as someone:
        await offered(someone)
        assert someone.sees("  [ ] read-only programs")
        assert someone.sees("❯ [x] cargo test …")
        await someone.press("up", "space", "enter")
        assert someone.acts("rules") == [([("allow", "prefix", ("cargo", "test"), "project")], True)]


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
        await someone.wait_for("2 requests of 31")
        assert someone.sees("cargo test --all")
        await someone.press("escape")
        await someone.wait_for("△ Don't ask again")
        await answerable(someone)
        await someone.press("enter")
        assert len(someone.acts("rules")) == 1


async def test_an_agent_that_asks_for_something_else_meanwhile_closes_the_offer() -> None:
    async with asked() as someone:
        await offered(someone)
        rules_of(someone).offered = RuleOffer(reason="it has a variable")
        other = {"command": "rm -rf $HOME"}
        someone.session.apply(ToolCallUpdate(tool_call_id="t1", title="rm -rf $HOME", raw_input=other))
        await someone.wait_for("No rule possible: it has a variable")
        await answerable(someone)
        assert someone.sees("$ rm -rf $HOME")
        assert not someone.sees("△ Don't ask again")
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
        assert someone.sees("[x] cargo test …")
        assert someone.sees("Where  ‹ this project ›")
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
