import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.wire.jsonrpc import DEPTH_CAP, VALUE_SIZE, VALUES_CAP, ValueCount, parse
from tests.examples import THOROUGH

NASTY = st.lists(st.sampled_from(['"', "\\", "[", "{", ",", "]", "n", "é", "x" * 30])).map("".join)
JSON = st.recursive(
    st.none() | st.integers(-9, 9) | NASTY,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NASTY, inner, max_size=4),
    max_leaves=20,
)


def counted(pieces: list[bytes]) -> int:
    count = ValueCount()
    for piece in pieces:
        count.feed(piece)
    return count.values


def marks(value: Any) -> int:
    """What a value writes of brackets that open and of commas, by walking it."""
    if not isinstance(value, list | dict):
        return 0
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(0, len(value) - 1) + sum(map(marks, inner))


@THOROUGH
@given(JSON, st.lists(st.integers(0, 400), max_size=8), st.booleans())
def test_the_count_is_that_of_the_value_however_its_text_is_cut(value: Any, cuts: list[int], escaped: bool) -> None:
    data = json.dumps(value, separators=(",", ":"), ensure_ascii=escaped).encode()
    places = sorted({0, len(data), *(place for place in cuts if place < len(data))})
    assert counted([data[start:end] for start, end in pairwise(places)]) == marks(value)


def test_each_byte_alone_counts_as_all_at_once() -> None:
    data = json.dumps(["\\", '\\"[,', {"a\\\\": [1, '"']}, "["] * 20).encode()
    assert counted([data[at : at + 1] for at in range(len(data))]) == counted([data]) == marks(json.loads(data))


@pytest.mark.parametrize("text", ["x", ",", "[{", '\\"', "\\\\", "\\n", "漢"])
def test_a_text_of_any_length_is_one_value(text: str) -> None:
    data = f'["{text * 100_000}"]'.encode()
    assert counted([data[at : at + 4096] for at in range(0, len(data), 4096)]) == 1


def test_long_numbers_count_for_their_length() -> None:
    assert counted([b"1" * VALUE_SIZE * 7]) == 7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[" + "[]," * VALUES_CAP + "0]", "values"),
        ("[" * (DEPTH_CAP + 1) + "]" * (DEPTH_CAP + 1), "deeper"),
        ("[" * 90_000 + "]" * 90_000, "deeply"),
        ("{", "Expecting"),
    ],
)
def test_text_that_would_stop_everything_is_not_parsed(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse(text)


def test_text_within_the_limits_is_parsed() -> None:
    long = ["," * VALUES_CAP * 2, {"a": [1]}]
    assert parse(json.dumps(long)) == long
