"""Links between two sessions in their transcripts."""

import pytest

from acp_tui.session.changes import EntryAdded, EntryChanged
from acp_tui.session.entries import MessageEntry
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.facts import HandedOver, TakenOver
from acp_tui.session.folds.history import HandOverEntry
from acp_tui.session.state import CopiedHistory, Session
from tests.unit.session.speech import Told, running, say, told


def links(one: Told) -> list[HandOverEntry]:
    return [entry for entry in one.session.entries if isinstance(entry, HandOverEntry)]


def test_both_sides_are_entries_at_their_places() -> None:
    one = told()
    one.apply(running(), say("a", "m"), HandedOver("x", "Codex", "c-1"), say("b", "m"), TakenOver("y", "Goose", "g-1"))
    message, to, came = one.session.entries
    assert isinstance(message, MessageEntry)
    assert len(message.parts) == 1, "a link leaves the message open"
    assert isinstance(to, HandOverEntry)
    assert (to.way, to.mark, to.agent, to.session_id) == ("to", "x", "Codex", "c-1")
    assert isinstance(came, HandOverEntry)
    assert (came.way, came.mark, came.agent, came.session_id) == ("from", "y", "Goose", "g-1")
    assert to.id != came.id


def test_a_link_is_corrected_and_not_shown_twice() -> None:
    one = told()
    one.apply(HandedOver("x", "agent"), TakenOver("x", "Goose", "g"), HandedOver("x", "Codex", "c-1"))
    assert [(link.way, link.agent, link.session_id) for link in links(one)] == [
        ("to", "Codex", "c-1"),
        ("from", "Goose", "g"),
    ]
    assert len(one.all(EntryAdded)) == 2
    assert len(one.all(EntryChanged)) == 1


def test_they_are_in_both_exports() -> None:
    one = told()
    one.apply(HandedOver("x", "Codex", "c-1"), TakenOver("y", "Goose\x1b[31m\n", "g-1"))
    markdown = to_markdown(one.session)
    assert "> **Handed over to Codex**" in markdown
    assert "> **Continued from Goose**" in markdown
    first, _ = to_json(one.session)["entries"]
    assert (first["type"], first["way"], first["agent"], first["session_id"]) == ("hand_over", "to", "Codex", "c-1")


@pytest.mark.parametrize("agent", ["", " \n"])
def test_an_agent_without_a_name_is_another_agent(agent: str) -> None:
    one = told()
    one.apply(HandedOver("x", agent))
    assert "Handed over to another agent" in to_markdown(one.session)


def test_they_go_along_with_the_history_of_another_session() -> None:
    one = told()
    one.apply(say("a"), HandedOver("x", "Codex", "c-1"))
    session = Session("t", "/project")
    session.apply(CopiedHistory(one.session, "history"))
    link = session.entries[1]
    assert isinstance(link, HandOverEntry)
    assert link is not one.session.entries[1]
    assert link.mark == "x"
