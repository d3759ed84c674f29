"""What the benchmarks of the whole program stand on: the screen they read, the agent, the figures, the page."""

import json
import os
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from tests.benchmarks.outside.agent import WORKLOADS, begin_mark, end_mark, played, prose
from tests.benchmarks.outside.cells import Cells
from tests.benchmarks.outside.page import made, shown, table, write
from tests.benchmarks.outside.rows import TABLE, Measured, measure, medians, ratio
from tests.benchmarks.outside.running import AGENT, Log, Process, percentile
from tests.rows import each_of

DRAWN = [
    ("ab\r\ncd", ["ab", "cd", "", ""]),
    ("\x1b[2;3Hx\x1b[1;31my\x1b[0m", ["", "  xy", "", ""]),
    ("123456789", ["12345678", "9", "", ""]),  # eight columns: the terminal wraps
    ("1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"]),
    ("文字e\u0301", ["文字e\u0301", "", "", ""]),
    ("\x1b[1;7H文\x1b[1;7Hab", ["      ab", "", "", ""]),
    ("abcd\x1b[1;2H\x1b[K\x1b]2;a title\x07\x1bP+q12\x1b\\!", ["a!", "", "", ""]),
    ("1\r\n2\r\n3\x1b[2;1H\x1b[J", ["1", "", "", ""]),
    ("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n\x1b[r", ["1", "3", "", "4"]),  # only the region scrolls
    ("1\r\n2\r\n3\r\n4\x1b[2;1H\x1b[L", ["1", "", "2", "3"]),
    ("1\r\n2\r\n3\r\n4\x1b[1;1H\x1b[2M", ["3", "4", "", ""]),
    ("1\r\n2\r\n3\r\n4\x1b[2S", ["3", "4", "", ""]),
    ("1\r\n2\r\n3\r\n4\x1b[T", ["", "1", "2", "3"]),
    ("1\r\n2\x1b[1;1H\x1bM0", ["0", "1", "2", ""]),
    ("abcd\x1b[1;2H\x1b[2P", ["ad", "", "", ""]),
    ("abcd\x1b[1;2H\x1b[@\x1b[3C\x1b[X", ["a bc", "", "", ""]),
    ("ab\x1b7\x1b[4;1Hc\x1b8d", ["abd", "", "", "c"]),
]


def rows(cells: Cells) -> list[str]:
    return [row.rstrip() for row in cells.shown]


@each_of(("written", "expected", "size"), [(*row, size) for row in DRAWN for size in (1, 100)])
def test_the_screen_has_what_was_written_however_it_comes(written: str, expected: list[str], size: int) -> None:
    cells, data = Cells(4, 8), written.encode()
    for start in range(0, len(data), size):
        cells.feed(data[start : start + size], 0)
    assert rows(cells) == expected


def test_a_long_plain_text_leaves_its_last_rows_and_every_mark_is_noted() -> None:
    cells = Cells(4, 8)
    cells.watch("line 50")
    cells.watch("no line")
    cells.feed("".join(f"line {number}\r\n" for number in range(1000)).encode(), 7)
    assert rows(cells) == ["line 997", "line 998", "line 999", ""]
    assert cells.seen == {"line 50": 7}


def test_nothing_is_seen_before_its_update_has_ended() -> None:
    cells = Cells(2, 20)
    cells.watch("ENDS")
    cells.feed(b"\x1b[?2026hENDS", 1)
    assert cells.seen == {}
    assert cells.frames == 0
    cells.feed(b"\x1b[?2026l\x1b[?2026h\x1b[2J", 2)  # the next update, which has not ended, takes it away
    assert cells.seen == {"ENDS": 2}
    assert cells.frames == 1
    assert rows(cells) == ["ENDS", ""]


def test_what_is_watched_and_stands_there_already_is_seen() -> None:
    cells = Cells(2, 20)
    cells.feed(b"ready", 3)
    cells.watch("ready")
    assert cells.seen == {"ready": 3}


@each_of("name", WORKLOADS)
def test_a_workload_lies_between_its_marks(name: str) -> None:
    first, *_, last = played(name, [3, 5][: 2 if name in ("stream", "diffs") else 1], 2)
    assert begin_mark(2) in first["content"]["text"]
    assert end_mark(2) in last["content"]["text"]


def test_prose_is_as_long_as_wanted_and_each_time_the_same() -> None:
    assert [len(prose(length)) for length in (0, 1, 1_000, 500_000)] == [0, 1, 1_000, 500_000]
    assert prose(3_000) == prose(3_000)


def test_the_agent_waits_for_all_prompts_and_streams_to_all_sessions_in_turns(tmp_path: Path) -> None:
    asked: list[tuple[str, object]] = [("initialize", {}), ("session/new", {}), ("session/new", {})]
    asked += [("session/prompt", {"sessionId": session}) for session in "12"]
    lines = [json.dumps({"id": number, "method": what, "params": of}) for number, (what, of) in enumerate(asked)]
    command = [*AGENT, str(tmp_path / "log"), "2", "0", "stream", "3"]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=60)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    updates = [message["params"]["sessionId"] for message in told if "method" in message]
    assert updates == ["1", "2"] * 5
    assert [message["id"] for message in told if "id" in message] == [0, 1, 2, 3, 4]
    log = Log(tmp_path / "log")
    assert all(log.has(event, session) for event in ("session", "prompt", "first", "last") for session in (1, 2))
    assert log.events["prompt", 2] <= log.events["first", 1] <= log.events["last", 2]
    assert not log.has("session", 3)


def test_medians_percentile_and_ratio() -> None:
    assert medians([{"wall": 3.0, "key": 1.0}, {"wall": 1.0}, {"wall": 2.0}]) == {"wall": 2.0, "key": 1.0}
    assert percentile([5.0]) == 5.0
    assert percentile([float(number) for number in range(101)]) == 95.0
    assert [ratio(6, 3), ratio(None, 3), ratio(6, 0), ratio(6, None)] == [2, None, None, None]


def test_figures_are_shown_in_three_digits() -> None:
    assert [shown(figure, "ms") for figure in (1234.5, 99.97, 12.34, 1.234, 0.0)] == [
        "1,234 ms",
        "100 ms",
        "12.3 ms",
        "1.23 ms",
        "0.00 ms",
    ]
    assert shown(None, "ms") == "–"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what another process costs")
def test_what_a_process_costs() -> None:
    process = Process(os.getpid())
    before, cpu, after = time.process_time(), process.cpu(), time.process_time()
    most, final = process.memory("VmHWM"), process.memory("VmRSS")
    assert cpu is not None
    assert before <= cpu <= after
    assert most is not None
    assert final is not None
    assert 1 < final <= most


def test_clients_and_floor_run_in_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(command: list[str], _work: object) -> dict[str, float]:
        ran.append(command[0] if command[-1] == "--" else "floor")
        return {"wall": float(len(ran))}

    monkeypatch.setattr("tests.benchmarks.outside.rows.run", run)
    measured = measure("tools", TABLE["tools"], ["A", "B --quick"], runs=3)
    assert ran == ["A", "B", "floor"] * 3
    assert measured == Measured("tools", ({"wall": 4.0}, {"wall": 5.0}), {"wall": 6.0})


def test_two_clients_are_compared_with_the_floor_and_with_each_other() -> None:
    text = table([Measured("tools", ({"wall": 100.0}, {"wall": 50.0, "cpu": 30.0}), {"wall": 25.0})])
    assert [line.split(" | ")[2:] for line in text.splitlines()[2:]] == [
        ["100 ms", "50.0 ms", "25.0 ms", "4.00", "2.00", "0.50 |"],
        ["–", "30.0 ms", "–", "–", "–", "– |"],
    ]


def test_the_page_is_made_from_the_figures_that_a_run_wrote(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    assert made(path) == "No run has been written yet.\n"
    measured = [Measured(name, ({"wall": 30.0, "key": 7.0},), {"wall": 10.0}) for name in islice(TABLE, 1, 7)]
    write(measured, 5, path)
    page = made(path)
    assert page.endswith("medians of 5 runs.\n\n" + table(measured))
    date = json.loads(path.read_text())["date"]
    assert page.startswith(f"{date}, acp-tui ")
    assert "| 7.00 ms |" in page
    assert "| 30.0 ms | 10.0 ms | 3.00 |" in page
