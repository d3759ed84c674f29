"""The queue of forms and addresses, their entries, and what comes before a session."""

from typing import Any

from acp_tui.protocol.vocabulary.elicitation import (
    BooleanProperty,
    ElicitationSchema,
    FormElicitation,
    StringProperty,
    UnknownProperty,
    UrlElicitation,
)
from acp_tui.session.changes import ElicitationAsked, ElicitationSettled, EntryAdded, InputOptionsChanged
from acp_tui.session.entries import ElicitationEntry
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.facts import (
    AgentGone,
    ElicitationAnswered,
    ElicitationCompleted,
    ElicitationReceived,
    InputOptionsOffered,
    InputOptionsSettled,
)
from acp_tui.session.text.secret_names import NOT_RECORDED
from tests.unit.session.speech import Told, running, say, told


def form(**properties: Any) -> FormElicitation:
    schema = ElicitationSchema(properties=properties or {"name": StringProperty(title="Your name")})
    return FormElicitation(message="Who are you?", mode="form", session_id="s", requested_schema=schema)


def address(elicitation_id: str = "e", url: str = "https://example.com/login?a=b") -> UrlElicitation:
    return UrlElicitation(message="Log in, please", mode="url", session_id="s", elicitation_id=elicitation_id, url=url)


def entries(one: Told) -> list[ElicitationEntry]:
    return [entry for entry in one.session.entries if isinstance(entry, ElicitationEntry)]


def test_they_wait_in_order_and_stand_in_the_transcript() -> None:
    one = told()
    one.apply(running(), say("so"), ElicitationReceived(1, form()), ElicitationReceived(2, address()))
    assert [pending.key for pending in one.session.elicitations] == [1, 2]
    assert one.all(ElicitationAsked) == [ElicitationAsked(1), ElicitationAsked(2)]
    assert [entry.action for entry in entries(one)] == [None, None]
    assert one.session.entries[0].sealed  # what was said before is finished
    assert len(one.all(EntryAdded)) == 3


def test_an_answer_settles_once() -> None:
    one = told()
    one.apply(ElicitationReceived(1, form(fast=BooleanProperty())))
    one.apply(ElicitationAnswered(1, "accept", {"fast": True}), ElicitationAnswered(1, "decline"))
    (entry,) = entries(one)
    assert one.session.elicitations == []
    assert one.all(ElicitationSettled) == [ElicitationSettled(1, "accept")]
    assert (entry.action, entry.content, entry.sealed, entry.version) == ("accept", {"fast": True}, True, 1)


def test_what_was_typed_is_not_kept_even_if_an_older_record_holds_it() -> None:
    one = told()
    one.apply(ElicitationReceived(1, form(name=StringProperty(), fast=BooleanProperty())))
    one.apply(ElicitationAnswered(1, "accept", {"name": "Ada", "fast": True}))
    assert entries(one)[0].content == {"name": NOT_RECORDED, "fast": True}
    assert "Ada" not in str(to_json(one.session)) + to_markdown(one.session)


def test_an_address_is_done_when_the_agent_says_so() -> None:
    one = told()
    one.apply(ElicitationReceived(1, address()), ElicitationCompleted("e"))
    assert not entries(one)[0].completed  # nobody has gone there yet
    one.apply(ElicitationAnswered(1, "accept"), ElicitationCompleted("other"))
    assert not entries(one)[0].sealed
    one.apply(ElicitationCompleted("e"), ElicitationCompleted("e"))
    (entry,) = entries(one)
    assert (entry.completed, entry.sealed, entry.version) == (True, True, 2)


def test_an_address_that_was_declined_waits_for_nothing() -> None:
    one = told()
    one.apply(ElicitationReceived(1, address()), ElicitationAnswered(1, "decline"), ElicitationCompleted("e"))
    assert (entries(one)[0].completed, entries(one)[0].sealed) == (False, True)


def test_an_id_used_anew_belongs_to_the_newer() -> None:
    one = told()
    for key in (1, 2):
        one.apply(ElicitationReceived(key, address()), ElicitationAnswered(key, "accept"))
    one.apply(ElicitationCompleted("e"))
    assert [(entry.completed, entry.sealed) for entry in entries(one)] == [(False, True), (True, True)]


def test_without_the_agent_nothing_waits() -> None:
    one = told()
    one.apply(ElicitationReceived(1, form()), ElicitationReceived(2, address()), ElicitationAnswered(2, "accept"))
    one.apply(InputOptionsOffered(ElicitationSchema()), AgentGone("gone"))
    assert one.session.elicitations == []
    assert one.session.input_options is None
    assert one.last(ElicitationSettled) == ElicitationSettled(1, "cancel")
    assert [(entry.action, entry.sealed, entry.completed) for entry in entries(one)] == [
        ("cancel", True, False),
        ("accept", True, False),
    ]


def test_options_are_offered_until_they_are_settled() -> None:
    one = told()
    schema = ElicitationSchema(properties={"a": StringProperty()})
    one.apply(InputOptionsOffered(schema, {"a": "x"}, "no such model"), after=1)
    offered = one.session.input_options
    assert offered is not None
    assert (offered.schema, offered.last, offered.refused, offered.asked_at) == (
        schema,
        {"a": "x"},
        "no such model",
        101,
    )
    assert to_json(one.session)["input_options"].keys() == {"schema", "refused", "way", "asked_at"}
    one.apply(InputOptionsSettled())
    assert one.session.input_options is None
    assert one.changes == [InputOptionsChanged(), InputOptionsChanged()]


def test_the_export_tells_questions_and_answers() -> None:
    one = told()
    odd = UnknownProperty(type="colour", raw={"type": "colour"})
    one.apply(ElicitationReceived(1, form(name=StringProperty(title="Your name"), odd=odd)))
    one.apply(ElicitationReceived(2, address()), ElicitationReceived(3, form()))
    one.apply(ElicitationAnswered(1, "accept", {"name": "Ada", "odd": 1}), ElicitationAnswered(2, "accept"))
    text = to_markdown(one.session)
    assert (
        "### Question from the agent (accepted)\n\n> Who are you?\n\n- Your name: (not recorded)\n- odd: (not recorded)"
        in text
    )
    assert "### Question from the agent (opened)\n\n> Log in, please\n\n<https://example.com/login?a=b>" in text
    assert "### Question from the agent (not answered)" in text
    data = to_json(one.session)
    assert data["entries"][0]["type"] == "elicitation"
    assert data["entries"][0]["request"]["requestedSchema"]["properties"]["odd"] == {"type": "colour"}
    assert [waiting["key"] for waiting in data["elicitations"]] == [3]
