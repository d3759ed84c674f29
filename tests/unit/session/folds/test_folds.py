"""Every word of the unions has its fold, and listeners come and go."""

from typing import get_args

import pytest

from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.session import facts, state
from acp_tui.session.changes import Change
from acp_tui.session.folds.table import FOLDS
from acp_tui.session.state import CopiedHistory
from tests.unit.session.speech import say, told


def test_every_update_and_fact_has_a_fold() -> None:
    kinds = {kind for kind in vars(facts).values() if isinstance(kind, type) and issubclass(kind, facts.Fact)}
    assert set(FOLDS) == {*get_args(Update), *kinds, CopiedHistory} - {facts.Fact}


def test_no_event_but_the_first_looks_for_its_fold_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    one = told()
    one.apply(say("a"))
    monkeypatch.setattr(state, "late", None)
    one.apply(say("b"))
    assert one.session.index.messages["agent", "a"].plain() == "ab"


def test_a_listener_hears_until_it_leaves() -> None:
    one = told()
    heard: list[Change] = []
    leave = one.session.subscribe(heard.append)
    one.apply(say("a"))
    leave()
    one.apply(say("b"))
    assert heard == one.changes[:1]


def test_the_agent_was_heard_when_it_last_spoke() -> None:
    one = told()
    one.apply(say("a"), after=5)
    assert one.session.turn.last_heard_at == 105
