"""The tree of branches and a question asked aside, by keys."""

from pathlib import Path

import pytest

from acp_tui.host.records.records import Records
from acp_tui.protocol.capabilities import AgentCapabilities
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, SessionInfoUpdate
from acp_tui.session.facts import AgentGone, Branched, Noticed
from acp_tui.session.state import Session
from acp_tui.ui.branches.rewind import AsideScreen
from acp_tui.ui.branches.tree_screen import TreeScreen
from tests.pilot.driver import User, user
from tests.pilot.fake_client import end_turn, say
from tests.pilot.test_branches import talk

pytestmark = pytest.mark.anyio
FORKS = AgentCapabilities(fork_session=True)


async def branch(someone: User, number: int, instead: str) -> Session:
    """Go on from the message that is `number` from below, in a new tab."""
    before = len(someone.app.tabs.entries)
    await someone.press("ctrl+x", "g", *["down"] * number, "enter", "ctrl+u")
    await someone.send(instead)
    await someone.wait_until(lambda: len(someone.app.tabs.entries) > before, "the new tab")
    await someone.wait_until(lambda: someone.conversation.complete, "all parts of its screen")
    session = someone.conversation.session
    prompt = MessageUpdate(session_update="user_message", message_id=instead, content=[TextContent(text=instead)])
    session.apply(prompt)
    return session


async def tree(someone: User) -> list[str]:
    """The rows of the tree, without what fills them."""
    await someone.press("ctrl+x", "G")
    panel = await someone.opened(TreeScreen)
    return [" ".join(str(row.draw(60)).split()) for row in panel.list.rows]


def shown(someone: User) -> Session | None:
    return someone.app.tabs.current.session if someone.app.tabs.current else None


async def test_the_tree_shows_the_branches_and_leads_to_them() -> None:
    async with user() as someone:
        await talk(someone, "first", "second")
        late = await branch(someone, 0, "instead of second")
        await someone.press("ctrl+x", "1")
        early = await branch(someone, 1, "instead of first")
        assert await tree(someone) == [
            "first open in a tab",
            '├ ● instead of first instead of "first" · this tab',
            '└ instead of second instead of "second" · open in a tab',
        ]
        await someone.press("shift+down", "enter")
        await someone.wait_until(lambda: shown(someone) is late, "the other branch")
        await tree(someone)
        await someone.press("left", "enter")
        await someone.wait_until(lambda: shown(someone) is someone.session, "the parent")
        await tree(someone)
        await someone.press("right", "enter")
        await someone.wait_until(lambda: shown(someone) is early, "the first branch")


async def test_a_fork_of_the_whole_session_is_in_the_tree() -> None:
    async with user() as someone:
        await talk(someone, "first")
        someone.client.connection.capabilities = FORKS
        await someone.command("fork session")
        await someone.wait_until(lambda: shown(someone) is not someone.session, "the fork")
        assert await tree(someone) == ["first open in a tab", "└ ● first after the last message · this tab"]


async def test_without_branches_there_is_no_tree() -> None:
    async with user() as someone:
        await talk(someone, "first")
        await someone.press("ctrl+x", "G")
        await someone.wait_for("No branches yet")


async def test_a_recorded_parent_that_is_not_open_is_opened(tmp_path: Path) -> None:
    records = Records(tmp_path)
    old = Session("old", "/home/someone/project", "OpenCode")
    records.record(old)
    old.apply(MessageUpdate(session_update="user_message", message_id="u", content=[TextContent(text="in the past")]))
    records.close()
    async with user(
        records=Records(tmp_path),
        prepare=lambda session: session.apply(Branched("old", "u", 0, "in the past")),
    ) as someone:
        someone.client.connection.capabilities = AgentCapabilities(load_session=True)
        rows = await tree(someone)
        assert rows[0].startswith("in the past")
        assert rows[1].endswith('instead of "in the past" · this tab')
        await someone.press("left", "enter")
        await someone.wait_until(lambda: someone.acts("load") == [("old",)], "the recorded session")


async def test_a_branch_that_its_agent_brought_back_is_still_one(tmp_path: Path) -> None:
    """Its latest record is from after that, when nobody has branched it."""
    twig, stem = Branched("old", "u", 0, "in the past"), Branched("old", "v", 1, "later")
    for name, branched in (("old", None), ("twig", twig), ("stem", stem), ("twig", None)):
        records = Records(tmp_path)
        told = Session(name, "/home/someone/project", "OpenCode")
        records.record(told)
        if branched is not None:
            told.apply(branched)
        told.apply(SessionInfoUpdate(title="fake title"))
        told.apply(MessageUpdate(session_update="user_message", message_id="u", content=[TextContent(text=name)]))
        records.close()

    def loaded(session: Session) -> None:
        session.id = "twig"
        content = [TextContent(text="brought back")]
        session.apply(MessageUpdate(session_update="user_message", message_id="u", content=content))

    async with user(records=Records(tmp_path), prepare=loaded) as someone:
        someone.client.connection.capabilities = AgentCapabilities(load_session=True)
        assert [row.rpartition(" ")[0] for row in await tree(someone)] == [
            "fake title",
            '├ ● brought back instead of "in the past" · this tab ·',
            '└ stem instead of "later" ·',
        ]


async def test_a_parent_of_which_nothing_is_left_is_said_to_be_gone() -> None:
    async with user(prepare=lambda session: session.apply(Branched("gone", "u", 3, "words"))) as someone:
        assert await tree(someone) == ["(not recorded)", '└ ● new session instead of "words" · this tab']
        await someone.press("up", "enter")
        await someone.wait_for("This session has no record")


# Asked aside


async def asked(someone: User, question: str) -> Session:
    someone.client.connection.capabilities = FORKS
    await someone.send(f"/btw {question}")
    return (await someone.opened(AsideScreen)).aside


async def test_a_question_is_answered_in_a_panel_and_the_conversation_stays_as_it_was() -> None:
    async with user() as someone:
        await talk(someone, "first")
        before = list(someone.session.entries)
        aside = await asked(someone, "what is a fork?")
        assert someone.acts("submit") == [("first",), ("what is a fork?",)]
        await someone.wait_for("Answering…")
        say(aside, "It is a **copy**.")
        await someone.wait_for("It is a copy.")
        end_turn(aside)
        await someone.wait_until(lambda: not someone.sees("Answering…"), "the end of the answer")
        await someone.press("escape")
        assert someone.acts("end aside") == [("aside",)]
        assert someone.session.entries == before
        assert someone.draft == ""
        assert someone.focused == "editor"


async def test_it_can_be_asked_while_the_agent_works() -> None:
    async with user() as someone:
        await someone.send("work")
        await asked(someone, "what do you do?")
        await someone.press("escape")
        assert someone.acts("cancel") == []
        assert someone.session.turn.active


async def test_an_agent_that_cannot_fork_is_not_asked_and_the_question_stays() -> None:
    async with user() as someone:
        await someone.send("/btw what is a fork?")
        assert someone.draft == "/btw what is a fork?"
        assert any("cannot fork sessions" in toast for toast in someone.toasts())
        assert someone.acts("submit") == []


async def test_a_question_that_was_not_answered_is_in_the_prompt_again() -> None:
    async with user() as someone:
        aside = await asked(someone, "what is a fork?")
        aside.apply(Noticed("error", "The agent cannot fork", "Not today"))
        aside.apply(AgentGone("The agent cannot fork"))
        await someone.wait_for("Not today")
        aside.closed = True
        await someone.press("escape")
        assert someone.draft == "/btw what is a fork?"


async def test_without_a_question_one_is_asked_for() -> None:
    async with user() as someone:
        someone.client.connection.capabilities = FORKS
        await someone.send("/btw")
        await someone.wait_for("enter ask")
        await someone.type("why?")
        await someone.press("enter")
        await someone.opened(AsideScreen)
        assert someone.acts("submit") == [("why?",)]
