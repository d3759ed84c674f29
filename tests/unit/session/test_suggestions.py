"""What the agent suggests, in the state of the session."""

from acp_tui.host.sessions.replay_filter import ReplayFilter
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import PromptSuggestion, PromptSuggestionsUpdate
from acp_tui.session.changes import SuggestionsChanged
from acp_tui.session.export import to_json
from tests.unit.session.speech import idle, running, told

RUN, STOP = (PromptSuggestion(prompt=[TextContent(text=words)]) for words in ("Run it", "Stop"))
UPDATE = PromptSuggestionsUpdate(suggestions=[RUN, STOP])


def test_the_last_list_counts_and_is_in_the_export() -> None:
    one = told()
    one.apply(UPDATE, PromptSuggestionsUpdate(suggestions=[STOP]))
    assert one.session.suggestions == [STOP]
    assert to_json(one.session)["suggestions"] == [{"prompt": [{"type": "text", "text": "Stop"}]}]
    one.apply(PromptSuggestionsUpdate(suggestions=[]))
    assert one.session.suggestions == []
    assert len(one.all(SuggestionsChanged)) == 3


def test_they_outlive_the_end_of_a_turn_and_are_gone_with_the_next() -> None:
    one = told()
    one.apply(running(), UPDATE, idle())
    assert one.session.suggestions == [RUN, STOP]
    one.apply(running())
    assert one.session.suggestions == []
    assert len(one.all(SuggestionsChanged)) == 2
    one.apply(idle(), running())
    assert len(one.all(SuggestionsChanged)) == 2


def test_a_replay_brings_none_back() -> None:
    assert ReplayFilter().sift(UPDATE) == []
