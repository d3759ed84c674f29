"""What is kept of a run, from the command line: records, the search in them, the wire."""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from acp_tui import cli
from acp_tui.headless.lists import SessionFilter, hits_table
from acp_tui.host.records.record_info import RecordInfo
from acp_tui.host.records.records import Records
from acp_tui.host.records.search import Hit, SearchResult
from acp_tui.host.records.wire_record import read_wire_record
from tests.agents.scripted import write_script
from tests.integration.runs import HEAD, run, run_script
from tests.rows import each_of

ANSWER = f"""{HEAD}
    agent.say("The fixture never awaits")
    agent.stderr("API_KEY=hunter2\\n")
    agent.end_turn(prompt)
    agent.serve()
"""


def exit_code(*arguments: str) -> int | str | None:
    try:
        return cli.main(arguments)
    except SystemExit as ended:
        return ended.code


def test_what_was_said_is_found_again(tmp_path: Path) -> None:
    assert run_script(write_script(tmp_path, ANSWER), prompt="fix the login").code == 0
    hidden = run("search", "FIXTURE", "login", cwd=tmp_path)
    assert hidden.code == 1
    assert hidden.out.splitlines() == ["No matches in 0 recorded sessions.", "(1 run hidden; show with --runs)"]
    found = run("search", "--runs", "-C", ".", "--agent", "scripted", "FIXTURE", "login", cwd=tmp_path)
    assert found.code == 0
    head, row, snippet = found.out.splitlines()
    assert head.split() == ["when", "agent", "folder", "title"]
    assert "Scripted" in row
    assert "fix the login" in row
    assert snippet.strip() in ("fix the login", "The fixture never awaits")
    nothing = run("search", "--runs", "nowhere", cwd=tmp_path)
    assert nothing.code == 1
    assert "No matches in 1 recorded session." in nothing.out


def test_the_usage_of_runs_is_printed(tmp_path: Path) -> None:
    nothing = run("usage", cwd=tmp_path)
    assert (nothing.code, nothing.out.strip()) == (0, "No turns are recorded yet.")
    assert run_script(write_script(tmp_path, ANSWER), prompt="fix the login").code == 0
    heading, row, total, _, note = run("usage", "--by", "model", cwd=tmp_path).out.splitlines()
    assert heading.split() == ["Model", "Sessions", "Turns", "Time", "Tokens", "Cost"]
    assert [line.split()[1:3] for line in (row, total)] == [["1", "1"]] * 2
    assert note.endswith("1 reported no cost")
    found = json.loads(run("usage", "--format", "json", cwd=tmp_path).out)
    assert found["rows"][0]["agent"] == "Scripted"
    assert (found["total"]["turns"], found["total"]["cost"]) == (1, None)


def test_nothing_is_recorded_where_that_is_not_wanted(tmp_path: Path) -> None:
    assert run_script(write_script(tmp_path, ANSWER), "--no-record").code == 0
    assert not Records().folder.exists()


def test_the_wire_is_written_down_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "wire.jsonl"
    script = write_script(tmp_path, ANSWER)
    assert run_script(script, "--record", str(path)).code == 0
    lines = [*filter(None, read_wire_record(path))]
    methods = [json.loads(line.line).get("method") for line in lines if line.direction == "->"]
    assert methods[:3] == ["initialize", "session/new", "session/prompt"]
    assert [line.line for line in lines if line.direction == "err"] == ["API_KEY=•••".encode()]
    again = run_script(script, "--trace", str(path))
    assert again.code == 2
    assert "already exists" in again.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("search",), "WORD"),
        (("replay",), "FILE"),
        (("replay", "x", "--speed", "2"), "--speed no longer exists"),
        (("--trace", "/no/such/folder/x", "--demo"), "folder"),
    ],
)
def test_wrong_arguments_are_said(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "_is_terminal", lambda *streams: True)
    assert exit_code(*arguments) == 2
    assert told in capsys.readouterr().err


def test_what_is_no_record_of_the_wire_is_not_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "_is_terminal", lambda *streams: True)
    path = tmp_path / "notes.txt"
    path.write_text("mine\n")
    assert exit_code("replay", str(path)) == 2
    assert "Not a trace" in capsys.readouterr().err


class Listed(Records):
    """Records of which only this is known, and each session of which has the words."""

    def __init__(self, infos: Sequence[RecordInfo]) -> None:
        self._infos = infos

    def list(self, cwd: str | None = None) -> list[RecordInfo]:
        return [info for info in self._infos if cwd in (None, info.cwd)]

    def search(
        self,
        words: Iterable[str],
        stop: Callable[[], bool] = bool,
        on_found: Callable[[SearchResult], object] = bool,
        among: Sequence[RecordInfo] | None = None,
    ) -> SearchResult:
        infos = self._infos if among is None else among
        hits = {info.session_id: Hit(info, " ".join(words)) for info in infos}
        return SearchResult(list(hits.values()), len(infos))


@each_of(
    ("only", "listed", "hidden"),
    [
        (SessionFilter(), "a c", 1),
        (SessionFilter(runs=True), "a b c", 0),
        (SessionFilter("KIMI"), "a", 0),
        (SessionFilter("kimi cli"), "a", 0),
        (SessionFilter("kim"), "", 0),
        (SessionFilter("Codex"), "c", 1),
        (SessionFilter(folder="/q"), "", 1),
        (SessionFilter("Codex", "/q", runs=True), "b", 0),
    ],
)
def test_hits_are_filtered_and_hidden_runs_are_counted(only: SessionFilter, listed: str, hidden: int) -> None:
    now = datetime.now(UTC)
    infos = [
        RecordInfo(Path("/r/a"), "a", "Kimi CLI", "/p", "", now, now, 1, start={"agent": "kimi"}),
        RecordInfo(Path("/r/b"), "b", "Codex", "/q", "", now, now, 1, run=True),
        RecordInfo(Path("/r/c"), "c", "Codex", "/p", "", now, now, 1, run=True),
        RecordInfo(Path("/r/c2"), "c", "Codex", "/p", "", now, now, 1),  # the screen went on with that run
    ]
    found, runs = only.search(Listed(infos), ["word"])
    assert ([hit.info.session_id for hit in found.hits], runs) == (listed.split(), hidden)


def test_sessions_that_are_not_listed_do_not_count_as_searched() -> None:
    now = datetime.now(UTC)
    infos = [RecordInfo(Path("/r"), id_, "Kimi", "/p", "", now, now, 1, run=id_ == "a") for id_ in "abc"]
    assert SessionFilter().search(Listed(infos), ["word"])[0].searched == 2
    assert SessionFilter("Codex").search(Listed(infos), ["word"])[0].searched == 0


def test_the_table_fits_and_says_what_was_left_out(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    hostile = "\x1b[2J" + "long title " * 30
    hit = Hit(RecordInfo(tmp_path, "s", "Agent", str(Path.home() / "project"), hostile, now, now, 1), "snip " * 100)
    lines = hits_table(SearchResult([hit], 1, unsearched=3), 80)
    assert max(map(len, lines)) <= 80
    assert not any("\x1b" in line for line in lines)
    assert "~/project" in lines[1]
    assert lines[-1] == "(3 older sessions were not searched)"
