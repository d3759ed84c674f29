"""Which recorded sessions are runs: passed by where a conversation is gone on with, unless there is nothing else."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from acp_tui.host.records.record_info import RecordInfo, Runs, last_session, name, read_info, runs_among
from acp_tui.host.records.records import Records
from acp_tui.session.state import Session
from tests.rows import each_of
from tests.unit.session.speech import say

NOW = datetime(2026, 11, 27, tzinfo=UTC)


def infos(told: str) -> list[RecordInfo]:
    """Records by words such as `A1:run`, the newest first: an agent, the id of a session there, and who made it."""
    return [
        RecordInfo(Path(f"/{at}"), word[1:2].strip("-"), word[0], "/p", "", NOW, NOW, 1, run=word.endswith(":run"))
        for at, word in enumerate(told.split())
    ]


@each_of(
    ("told", "runs"),
    [
        ("", ""),
        ("A1 A2", ""),
        ("A1:run A2", "A1"),
        ("A1 A1:run", ""),  # the screen has gone on with a run
        ("A1:run A1", ""),  # a run has gone on with a conversation
        ("A1:run B1", "A1"),  # agents have ids of their own
        ("A-:run A1", ""),  # one that was never opened
    ],
)
def test_a_session_in_which_the_screen_has_a_part_is_no_run(told: str, runs: str) -> None:
    assert runs_among(infos(told)).alone == {(word[0], word[1]) for word in runs.split()}


@each_of(
    ("told", "conversation", "newest"),
    [
        ("A1:run B1 A2", "B1", "A1"),
        ("A1:run B1:run", "A1", "A1"),  # they are the only ones
        ("A1:run A1 B1", "A1", "A1"),
        ("A- B1:run", "B1", "B1"),
    ],
)
def test_runs_are_passed_by_unless_they_are_the_only_ones(told: str, conversation: str, newest: str) -> None:
    for runs, expected in ((False, conversation), (True, newest)):
        found = last_session(infos(told), runs=runs)
        assert found is not None
        assert found.agent + found.session_id == expected
    assert last_session([], runs=False) is None


@each_of(
    ("told", "chosen", "passed"),
    [
        ("A1:run A2", "A2", True),
        ("B1:run A2", "A2", True),  # of another agent
        ("A2 A1:run", "A2", False),  # an older one
        ("A1:run B1:run", "B1", False),  # itself a run
        ("A1:run", "A9", False),  # not recorded: nobody knows
    ],
)
def test_a_newer_run_is_passed_by(told: str, chosen: str, passed: bool) -> None:
    assert runs_among(infos(told)).pass_by(chosen[0], chosen[1]) is passed
    assert Runs().pass_by("A", "1") is False


def test_runs_have_ids_by_agent() -> None:
    assert runs_among(infos("A1:run B2:run A3")).ids("A") == {"1"}


@pytest.mark.parametrize("run", [True, False])
def test_a_record_says_for_good_whether_a_run_has_made_it(tmp_path: Path, run: bool) -> None:
    records, session = Records(tmp_path), Session("s", "/p")
    records.record(session, run=run)
    session.apply(say("one"))
    records.close()
    [info] = records.list()
    name(info, "another title")
    read = read_info(info.path)
    assert read is not None
    assert (read.run, read.title) == (run, "another title")


def test_an_older_record_and_an_odd_one_are_no_runs(tmp_path: Path) -> None:
    for at, more in enumerate(("", ', "run": "yes"', ', "run": null')):
        path = tmp_path / f"{at}.jsonl"
        path.write_text(f'{{"kind": "record", "session_id": "s"{more}}}\n')
        info = read_info(path)
        assert info is not None
        assert info.run is False
