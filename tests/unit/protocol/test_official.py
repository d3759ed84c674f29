"""The judge of the other tests passes over branches of unions that cannot be valid; its verdicts stay the official."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.protocol.official import V2, Draft202012Validator

NAME = "UpdateSessionNotification"
PLAIN = Draft202012Validator({"$ref": f"#/$defs/{NAME}", "$defs": V2.definitions})
WORDS = st.sampled_from([*sorted(V2.constants("SessionUpdate", "sessionUpdate")), "_newer", None, 5])


@given(V2.defined(NAME), WORDS)
def test_its_verdicts_are_the_official(params: dict[str, Any], word: Any) -> None:
    update = params["update"]
    without = {name: value for name, value in update.items() if name != "sessionUpdate"}
    assert V2.validator(NAME).is_valid(params)
    for other in (update, {**update, "sessionUpdate": word}, without):
        value = {**params, "update": other}
        assert V2.validator(NAME).is_valid(value) == PLAIN.is_valid(value)


@given(V2.defined("Annotations"))
def test_numbers_are_made_within_their_bounds(annotations: dict[str, Any]) -> None:
    assert V2.validator("Annotations").is_valid(annotations)


def test_what_is_wrong_in_the_only_branch_that_is_left_is_said() -> None:
    update = {"sessionUpdate": "tool_call_update", "toolCallId": 5}
    assert not V2.validator(NAME).is_valid({"sessionId": "s", "update": update})
