"""`acp-tui replay --cast`: a file for any player, from any recording, without a terminal."""

import json
import signal
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from acp_tui.host.recording.wire_record import FORMAT, WireLine
from acp_tui.ui.replay.cast_app import prompt_in, typed_by_now
from tests.integration.runs import BOUND, Ended, Run, run
from tests.own_config import write_own_config
from tests.pilot.test_replay import LINES, chunk, line
from tests.recorded_screen import RecordedScreen

EVIL = "\x1b[2J\x1b]52;c;eA==\x07\x9b31m\u202e[@click=app.quit]x[/] \x00\x7f\u200b"
PROMPT = line(5, "->", id=2, method="session/prompt", params={"prompt": [{"type": "text", "text": "hello"}]})
FAST = ("--speed", "8")


def recording(folder: Path, lines: list[WireLine]) -> Path:
    path = folder / "wire.jsonl"
    told = [{"t": 0, "dir": "start", "line": FORMAT, "version": 1}]
    told += [{"t": one.at, "dir": one.direction, "line": one.line.decode()} for one in lines]
    path.write_text("".join(json.dumps(one) + "\n" for one in told))
    return path


def replayed(folder: Path, *arguments: str) -> Ended:
    return run("replay", *arguments, cwd=folder)


def events(folder: Path) -> tuple[dict[str, Any], list[tuple[float, str, str]]]:
    header, *rest = map(json.loads, (folder / "x.cast").read_text(encoding="utf-8").splitlines())
    return header, [(at, kind, text) for at, kind, text in rest]


def played(folder: Path) -> RecordedScreen:
    """A terminal that got all of the cast, which begins by clearing it."""
    screen = RecordedScreen()
    for _, _, text in events(folder)[1]:
        screen.feed(text.replace("\x1b[2J", "").encode())
    screen.finish()
    return screen


def test_a_recording_becomes_a_cast(tmp_path: Path) -> None:
    """The gap of more than an hour in it is cut, and the end is the record's, not the program's."""
    ended = replayed(tmp_path, str(recording(tmp_path, LINES)), "--cast", "x.cast", "--size", "90x24", *FAST)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("x.cast: ")
    header, frames = events(tmp_path)
    assert (header["version"], header["width"], header["height"]) == (2, 90, 24)
    times = [at for at, _, _ in frames]
    assert times == sorted(times)
    assert {kind for _, kind, _ in frames} == {"o"}
    screen = played(tmp_path)
    assert screen.foreign == []
    assert screen.has_shown("one two three")
    assert not screen.has_shown("closing")
    assert not screen.has_shown("speed")
    assert screen.kept == 0


def test_a_status_line_of_today_is_not_in_it(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    write_own_config(f'status_line = ["folder"]\nstatus_command = "touch {ran}"\n')
    record = recording(tmp_path, LINES)
    assert replayed(tmp_path, str(record), "--cast", "x.cast", *FAST).code == 0
    assert not ran.exists()
    assert tmp_path.name not in "".join(text for _, _, text in events(tmp_path)[1])


def test_what_an_agent_writes_is_no_escape_in_a_cast(tmp_path: Path) -> None:
    record = recording(tmp_path, [*LINES[:6], chunk(2, EVIL), line(3, "<-", id=2, result={})])
    assert replayed(tmp_path, str(record), "--cast", "x.cast", *FAST).code == 0
    assert played(tmp_path).foreign == []


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--cast", "there.cast"), "The file already exists"),
        (("--cast", "no/such/x.cast"), "The cast cannot be written"),
        (("--cast", "x.cast", "--step"), "--step cannot be combined with --cast"),
        (("--cast", "x.cast", "--size", "10x10"), "--size: '10x10' is not a size from 20x6 to 500x200"),
        (("--cast", "x.cast", "--size", "wide"), "'wide' is not a size"),
        (("--size", "80x24"), "--size only works with --cast"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_written(tmp_path: Path, more: tuple[str, ...], told: str) -> None:
    (tmp_path / "there.cast").write_text("mine")
    ended = replayed(tmp_path, str(recording(tmp_path, LINES)), *more)
    assert (ended.code, ended.out) == (2, "")
    assert told in ended.err
    assert (tmp_path / "there.cast").read_text() == "mine"
    assert not (tmp_path / "x.cast").exists()


def test_a_file_that_is_no_recording(tmp_path: Path) -> None:
    (tmp_path / "wire.jsonl").write_bytes(b"\xff\x00 none")
    ended = replayed(tmp_path, "wire.jsonl", "--cast", "x.cast")
    assert ended.code == 2
    assert "Not a recording made with --record" in ended.err
    assert not (tmp_path / "x.cast").exists()


def test_a_recording_of_nothing_ends_too(tmp_path: Path) -> None:
    ended = replayed(tmp_path, str(recording(tmp_path, [])), "--cast", "x.cast")
    assert ended.code == 0
    assert events(tmp_path)[0]["version"] == 2


@pytest.mark.parametrize(("due", "text"), [(60, ""), (1, ""), (1 / 30, "hell"), (0, "hello")])
def test_a_prompt_is_typed_up_to_when_it_is_sent(due: float, text: str) -> None:
    assert typed_by_now(PROMPT.line, due) == text


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"method": "session/prompt", "params": {"prompt": [{"type": "text", "text": "hi"}]}}, "hi"),
        ({"method": "session/prompt", "params": {"prompt": [{"type": "image"}]}}, ""),
        ({"method": "session/prompt", "params": {"prompt": "hi"}}, ""),
        ({"method": "session/prompt"}, ""),
        ({"method": "session/new", "params": {}}, ""),
        (["session/prompt"], ""),
    ],
)
def test_the_text_of_a_prompt(message: object, text: str) -> None:
    assert prompt_in(json.dumps(message).encode()) == text


def test_ctrl_c_leaves_no_half_cast(tmp_path: Path) -> None:
    began = Run(["replay", str(recording(tmp_path, LINES)), "--cast", "x.cast", "--speed", "0.01"], tmp_path)
    deadline = monotonic() + BOUND
    while not (tmp_path / "x.cast").exists() or (tmp_path / "x.cast").read_text().count("\n") < 2:
        assert monotonic() < deadline
        assert began.process.poll() is None
        sleep(0.02)
    began.signal(signal.SIGINT)
    ended = began.end()
    assert (ended.code, ended.out) == (130, "")
    assert not (tmp_path / "x.cast").exists()
