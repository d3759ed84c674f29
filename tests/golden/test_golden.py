"""Recorded streams give the expected sessions.

`python -m tests.golden.replay` writes what is expected anew; read the difference before it is committed.
"""

from pathlib import Path

import pytest

from acp_tui.session.entries import MessageEntry, NoticeEntry, ToolCallEntry
from acp_tui.session.folds.timeline import UnknownEntry
from acp_tui.session.state import Session
from tests.golden.replay import RECORDINGS, expected, option, replay

V1 = Path(__file__).parent / "v1"


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_gives_what_is_expected(recording: Path) -> None:
    for suffix, text in expected(replay(recording)).items():
        assert text == recording.with_suffix(suffix).read_text(encoding="utf-8"), suffix


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_recording_leaves_nothing_open(recording: Path) -> None:
    session = replay(recording)
    assert not session.turn.active
    assert (session.permissions, session.config_in_flight, session.index.open_tool_calls) == ([], {}, {})


def statuses(session: Session) -> list[tuple[str, str]]:
    return [(entry.id, entry.status) for entry in session.entries if isinstance(entry, ToolCallEntry)]


def test_a_permission_makes_the_tool_call_that_was_never_announced() -> None:
    session = replay(V1 / "gemini-like.jsonl")
    assert statuses(session) == [("write_file-1", "completed")]


def test_legacy_modes_and_models_are_options() -> None:
    session = replay(V1 / "gemini-like.jsonl")
    assert [each.category for each in session.config_options] == ["mode", "model"]
    assert [option(session, each.id).current_value for each in session.config_options] == ["yolo", "flash"]


def test_a_terminal_that_nobody_created_shows_its_output() -> None:
    session = replay(V1 / "codex-like.jsonl")
    terminal = session.terminals["call-1"]
    assert terminal.exit_status is not None
    assert (b"".join(terminal.chunks), terminal.exit_status.exit_code) == (b"one\ntwo\n", 0)


def test_a_rejection_may_end_the_turn_as_cancelled() -> None:
    session = replay(V1 / "codex-like.jsonl")
    assert statuses(session)[-1] == ("call-2", "cancelled")


def test_what_cannot_be_read_or_is_unknown_is_told() -> None:
    session = replay(V1 / "quirks.jsonl")
    kinds = [type(entry) for entry in session.entries]
    assert kinds.count(UnknownEntry) == 1
    assert kinds.count(NoticeEntry) == 5


def test_an_unanswered_prompt_left_no_message() -> None:
    session = replay(V1 / "quirks.jsonl")
    asked = [entry for entry in session.entries if isinstance(entry, MessageEntry) and entry.role == "user"]
    assert len(asked) == 2
