"""What was taken back as plain data, and what is no such data."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from acp_tui.host.revert.steps import Outcome, Step, TakenBack, from_data, to_data
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState

FILE = PathState("file", 0o4755, 3, "ab" * 20)
OTHER = PathState("link", 0o777, 1, "cd" * 20)
CHANGE = PathChange("/project", "a\udcff", "renamed", FILE, OTHER, "old", None, 0, "command", "call")
STEPS = [
    Step(CHANGE, "move", OTHER, FILE),
    Step(CHANGE, "write", ABSENT, replace(FILE, mode=0o600), "no", forcible=True, chosen=False, content=b"\xff"),
]
LEFT = [Outcome("a\udcff", False, "no")]
TAKEN = TakenBack("Turn 1", STEPS, (), 2, range(1, 3), True, 7, 3, 9.5, LEFT, True, 4, False)


def test_all_of_it_is_read_again() -> None:
    assert from_data(TakenBack, json.loads(json.dumps(to_data(TAKEN)))) == TAKEN
    assert from_data(Sequence[Step], json.loads(json.dumps(to_data(STEPS)))) == STEPS
    redone = replace(TAKEN, undoes=None, back_to=None)
    assert from_data(TakenBack, to_data(redone)) == redone


def test_what_is_as_the_change_says_is_written_once() -> None:
    assert to_data(STEPS[:1])[0].keys() == {"change", "act"}


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"kind": "fifo"},
        {"kind": ["file"]},
        {"kind": "file", "mode": "7"},
        {"kind": "file", "size": True},
        {"kind": "file", "digest": "../../etc"},
        {"kind": "file", "digest": "ab"},
        {"kind": "folder", "digest": "ab" * 20},
    ],
)
def test_what_is_no_state(data: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (any)
        from_data(PathState, data)


@pytest.mark.parametrize(
    "change", [{"turns": [1]}, {"turns": [1, True]}, {"turns": "12"}, {"back_to": "1"}, {"steps": [{"change": 1}]}]
)
def test_what_is_no_taking(change: dict[str, object]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (any)
        from_data(TakenBack, {**to_data(TAKEN), **change})


def test_a_mode_has_no_other_bits() -> None:
    assert from_data(PathState, {"kind": "file", "mode": 0o107777}).mode == 0o7777
