"""Rules that are there, by keys: the list of permissions, what the transcript says of an answer, and --yolo."""

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.rules.command_chain import CommandEnvironment
from acp_tui.host.rules.rule import READERS, Rule, RulePolicy, RuleSetup
from acp_tui.protocol.vocabulary.tool_calls import (
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    ToolCallUpdate,
)
from acp_tui.session.facts import PermissionAnsweredByRule
from acp_tui.session.state import Session
from acp_tui.ui.rules_screen import RulesScreen
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeConversation, FakeRules, tell_options

pytestmark = pytest.mark.anyio

CARGO = Rule("r1", "allow", "prefix", ("cargo", "test"))
PUSH = Rule("r2", "reject", "exact", ("git", "push"), scope="everywhere")
YOLO = RuleSetup("fake", CommandEnvironment(), RulePolicy(rules=False, everything=True))
SIZES = [(120, 40), (80, 24), (60, 20), (40, 12)]


def rules_of(someone: User) -> FakeRules:
    rules = someone.client.of(someone.session).rules
    assert isinstance(rules, FakeRules)
    return rules


async def opened(someone: User, *rules: Rule) -> FakeRules:
    fake = rules_of(someone)
    fake.rules = list(rules)
    await someone.send("/permissions")
    await someone.opened(RulesScreen)
    return fake


def answered(session: Session, kind: str = "allow_once", reason: str = "cargo test … (this project)") -> None:
    call = ToolCallUpdate(tool_call_id="t1", title="cargo test", kind="execute", raw_input={"command": "cargo test"})
    session.apply(call)
    subject = PermissionSubject(type="tool_call", tool_call=call, tool_call_id="t1")
    options = [PermissionOption(option_id=kind, name=kind, kind=kind)]
    request = PermissionRequest(session_id="s1", title="cargo test", subject=subject, options=options)
    session.apply(PermissionAnsweredByRule(1, request, kind, reason, ("r1",)))


@pytest.mark.parametrize("size", SIZES)
async def test_the_mode_comes_first_then_the_rules_with_what_they_did(size: tuple[int, int]) -> None:
    async with user(size, prepare=tell_options) as someone:
        rules_of(someone).used = {"r1": (3, 0.0)}
        await opened(someone, CARGO, PUSH)
        rows = [row for row in someone.rows() if "☐" in row or "☑" in row or "ode:" in row]
        assert "ode:" in rows[0]
        expected = ("☐ allow  read-only programs", "☑ allow  cargo test …", "☑ reject git push")
        for words, row in zip(expected, rows[1:4], strict=True):
            assert words in row
        note = "Rules answer only those requests." if size[0] == 120 else "Rules answer only that."
        assert note in " ".join(" ".join(row.strip(" ▌") for row in someone.rows()).split())
        await someone.press("down", "down")
        assert someone.sees("this project · 3 uses")


async def test_space_turns_a_rule_off_and_on() -> None:
    async with user() as someone:
        await opened(someone, CARGO)
        await someone.press("down", "space")
        assert someone.sees("☐ allow  cargo test …")
        await someone.press("space")
        assert someone.sees("☑ allow  cargo test …")
        assert someone.acts("rules off") == someone.acts("rules on") == [("r1",)]


async def test_the_switch_for_reading_programs() -> None:
    async with user() as someone:
        await opened(someone)
        assert someone.sees("Searching a folder still reads credentials · ls, cat")
        await someone.press("space")
        assert someone.acts("rules on") == [(READERS,)]
        assert someone.sees("☑ allow  read-only programs")


@pytest.mark.parametrize("size", SIZES)
async def test_an_empty_list_says_how_to_make_a_rule(size: tuple[int, int]) -> None:
    async with user(size, prepare=tell_options) as someone:
        fake = await opened(someone)
        assert someone.sees("No rules yet. Press p in a")
        await someone.press("down", "space")
        assert fake.reads
        rows = "\n".join(someone.rows())
        assert (
            rows.index("Built in")
            < rows.index("read-only programs")
            < rows.index("Your rules")
            < rows.index("No rules")
        )
        await someone.press("delete")
        assert someone.acts("remove rule") == []


async def test_what_the_row_tells_is_not_told_again_below() -> None:
    async with user() as someone:
        await opened(someone, CARGO)
        await someone.press("down")
        assert someone.sees("Allows cargo test with other arguments")
        assert "\n".join(someone.rows()).count("this project · not used yet") == 1


async def test_delete_deletes_and_u_brings_it_back() -> None:
    async with user() as someone:
        await opened(someone, CARGO, PUSH)
        await someone.press("down", "delete")
        assert someone.acts("remove rule") == [("r1",)]
        assert not someone.sees("cargo test …")
        await someone.press("u")
        assert someone.sees("allow  cargo test …")


async def test_a_file_that_cannot_be_used_is_told_with_its_line() -> None:
    async with user() as someone:
        fake = rules_of(someone)
        fake.fault = UserFault("Rules", "rules.toml:7: not [b]TOML[/]", "Everything is asked.")
        await someone.send("/approvals")
        await someone.opened(RulesScreen)
        assert someone.sees("rules.toml:7: not [b]TOML[/]. Everything is asked.")
        await someone.press("space")
        assert any("rules.toml:7" in toast for toast in someone.toasts())


@pytest.mark.parametrize("words", ["[red]x[/] \x1b[2J\u202egnp", "a" * 10_000], ids=["markup", "long"])
async def test_hostile_words_are_text(words: str) -> None:
    async with user((80, 24)) as someone:
        await opened(someone, Rule("r", "allow", "exact", (words,), agent=words, place=words))
        rows = "\n".join(someone.rows())
        assert not {"\x1b", "\u202e"} & set(rows)
        assert words[:5] in rows


async def test_an_answer_by_a_rule_stands_in_the_transcript_and_x_turns_the_rule_off() -> None:
    async with user() as someone:
        rules_of(someone).rules = [CARGO]
        answered(someone.session)
        await someone.wait_for("✓ allowed by rule cargo test … (this project)")
        await someone.press("ctrl+x", "up", "x")
        assert someone.acts("rules off") == [("r1",)]
        assert any("Rule off" in toast and "x turns it on" in toast for toast in someone.toasts())
        await someone.press("x")
        assert someone.acts("rules on") == [("r1",)]


async def test_x_is_text_where_no_rule_answered() -> None:
    async with user() as someone:
        rules_of(someone).rules = [CARGO]
        someone.session.apply(ToolCallUpdate(tool_call_id="t1", title="cargo test", kind="execute"))
        await someone.wait_for("cargo test")
        await someone.press("ctrl+x", "up", "x")
        assert someone.draft == "x"
        assert someone.acts("rules off") == []


async def test_a_rejection_by_a_rule_says_so() -> None:
    async with user() as someone:
        answered(someone.session, "reject_once", "[b]git[/] push (everywhere)")
        await someone.wait_for("✗ rejected by rule [b]git[/] push (everywhere)")


@pytest.mark.parametrize("size", SIZES)
async def test_yolo_is_told_all_the_time(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    made = FakeConversation.__init__

    def begin(self: FakeConversation, *given: object) -> None:
        made(self, *given)  # type: ignore[arg-type]
        self.rules.setup = YOLO

    monkeypatch.setattr(FakeConversation, "__init__", begin)
    async with user(size) as someone:
        await someone.wait_for("--yolo")
        assert someone.sees("llowed")
        await someone.send("hello")
        assert someone.sees("--yolo")
