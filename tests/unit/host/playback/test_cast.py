"""Asciicasts: what is written, when, and what is left where it cannot be."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from acp_tui.errors import Fault, UserFault
from acp_tui.host.playback.cast import Cast

HEADER = {"version": 2, "width": 80, "height": 24, "env": {"TERM": "xterm-256color"}}


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cast(tmp_path: Path, clock: Clock) -> Cast:
    return Cast(tmp_path / "x.cast", (80, 24), clock)


def lines(cast: Cast) -> list[Any]:
    return [json.loads(line) for line in cast.path.read_text(encoding="utf-8").splitlines()]


def test_text_is_written_with_its_times(cast: Cast, clock: Clock) -> None:
    for later, text in ((0, "a\x1b[1m"), (1.5, "naïve 🎉"), (0.25, "c")):
        clock.now += later
        cast.write(text)
    clock.now += 2
    cast.close()
    assert lines(cast) == [HEADER, [0, "o", "a\x1b[1m"], [1.5, "o", "naïve 🎉"], [1.75, "o", "c"], [3.75, "o", ""]]
    assert cast.seconds == 3.75
    assert cast.whole


def test_what_is_written_at_once_is_one_frame(cast: Cast, clock: Clock) -> None:
    for text in "abc":
        cast.write(text)
        clock.now += 0.005
    cast.close()
    assert lines(cast)[1] == [0, "o", "abc"]


def test_after_its_end_nothing_is_added(cast: Cast, clock: Clock) -> None:
    cast.write("a")
    cast.end()
    clock.now += 5
    cast.write("b")
    cast.close()
    assert lines(cast)[1:] == [[0, "o", "a"], [0, "o", ""]]


def test_one_without_text_has_a_header_only(cast: Cast) -> None:
    cast.close()
    assert lines(cast) == [HEADER]


def test_only_the_owner_can_read_it(cast: Cast) -> None:
    assert stat.S_IMODE(cast.path.stat().st_mode) == 0o600


def test_a_file_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.cast"
    path.write_text("mine")
    with pytest.raises(UserFault, match="already exists"):
        Cast(path, (80, 24))
    assert path.read_text() == "mine"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserFault, match="cannot be written"):
        Cast(tmp_path / "no" / "x.cast", (80, 24))


def test_a_disk_that_is_full(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, _: str) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            """Nothing is left to be written."""

    monkeypatch.setattr(cast, "_file", Full())
    cast.write("a")
    with pytest.raises(Fault, match="No space left on device"):
        cast.close()
    assert not cast.whole
    cast.discard()
    assert not cast.path.exists()
