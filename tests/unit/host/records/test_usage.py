"""The usage in records: each turn once, and of cost only what grew in turns of the user's."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.host.records import search, usage
from acp_tui.host.records.records import Records
from acp_tui.host.records.usage import Ledger, RecordUsage, read_usage
from acp_tui.session.state import CopiedHistory, Session
from acp_tui.views.past_sessions import BYS, totals, whole
from tests.examples import times
from tests.rows import each_of
from tests.unit.session.speech import Clock, idle, prompt, running, say

NOON = "2026-03-04T12:00:00+00:00"
MEGA = 1_000_000
Line = dict[str, Any]


def line(kind: str, seconds: float = 0.0, **data: Any) -> Line:
    return {"t": seconds, "kind": kind, "data": data}


def cost(amount: float, currency: str = "USD", seconds: float = 0.0) -> Line:
    return line("UsageUpdate", seconds, used=1, size=2, cost={"amount": amount, "currency": currency})


def turn(*lines: Line, start: float = 0.0, end: float = 0.0, **state: Any) -> list[Line]:
    asked = line("MessageUpdate", start, role="user", fromHere=True)
    return [asked, line("StateUpdate", start, state="running"), *lines, line("StateUpdate", end, state="idle", **state)]


def model(name: str) -> Line:
    return line("ConfigOptionUpdate", configOptions=[{"id": "m", "category": "model", "currentValue": name}])


def write(folder: Path, *lines: Line, id_: str = "s", started: str = NOON, agent: str = "A", cwd: str = "/p") -> Path:
    folder.mkdir(exist_ok=True)
    head = {"kind": "record", "version": 1, "started": started, "session_id": id_, "agent": agent, "cwd": cwd}
    path = folder / f"{len(list(folder.iterdir())):06}.jsonl"
    path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in (head, *lines)))
    return path


def spent(folder: Path, cache: Path | None = None) -> dict[str, int]:
    return dict(whole(Records(folder, cache=cache).ledger()).cost)


LOADED, OPENED = line("SessionLoaded"), line("OptionsAwaited")
BACK, AS_NEW = line("AgentReturned", forgotten=False), line("AgentReturned", forgotten=True)


@each_of(
    "lines, micros",
    [
        (turn(cost(0.1), cost(0.3)), 300_000),
        (turn(cost(0.5), cost(0.3), cost(0.6)), 600_000),  # what falls is not added, nor what comes up again
        (turn(cost(0.5)) + turn(cost(0.5)), 500_000),
        (turn(cost(float("nan")), cost(-1.0), cost(float("inf")), cost(1e300)), None),
        (turn(cost(0.0)), 0),
        ([*turn(), cost(0.2)], 200_000),  # behind the end of its turn
        ([cost(0.4), *turn(cost(0.5))], 100_000),  # what is reported before the first prompt is the start
        ([LOADED, cost(0.1), cost(0.4), *turn(cost(0.5))], 100_000),
        ([LOADED, *turn(cost(0.5), cost(0.7))], 200_000),  # nobody knows where it started
        ([line("Branched"), *turn(cost(0.5)), *turn(cost(0.6))], 100_000),
        ([*turn(cost(0.5)), OPENED, cost(0.2), cost(0.5), BACK, *turn(cost(0.6))], 600_000),
        ([*turn(cost(0.5)), OPENED, BACK, *turn(cost(0.6))], 600_000),
        ([*turn(cost(0.5)), OPENED, BACK, *turn(cost(0.2))], 700_000),  # the agent's new process counts from 0
        ([*turn(cost(0.5)), OPENED, AS_NEW, *turn(cost(0.6))], 1_100_000),
        (
            [{"kind": "history begins"}, *turn(cost(9.0)), {"kind": "history ends"}, *turn(cost(9.5), cost(9.7))],
            200_000,
        ),
    ],
)
def test_of_cost_only_what_grew_in_turns_is_counted(tmp_path: Path, lines: Sequence[Line], micros: int | None) -> None:
    found = read_usage(write(tmp_path, *lines))
    assert sum(row.cost.get("USD", 0) for row in found.rows) == (micros or 0)
    assert found.priced == (micros is not None)
    assert RecordUsage.unpacked(found.packed()).rows == found.rows


@each_of(
    "lines, turns, milliseconds",
    [
        (turn(end=1.5) + turn(start=2, end=3), 2, 2500),
        ([*turn(end=1.5)[:-1], line("AgentGone", 2.0)], 1, 2000),
        ([*turn()[:-1], line("ToolCallUpdate", 1.0), line("UsageUpdate", 3.0)], 1, 3000),  # the record ends in it
        ([LOADED, *turn()[1:], *turn()], 1, 0),  # at work while it was loaded: that turn is the other record's
        ([{"kind": "history begins"}, *turn(), {"kind": "history ends"}], 0, 0),
        ([*turn()[:-1], line("PromptPutBack")], 0, 0),
        ([{"kind": "SubagentEvent", "data": {"kind": "StateUpdate", "event": {"state": "running"}}}], 0, 0),
        ([{"kind": "StateUpdate", "data": []}, {"kind": "MessageUpdate"}, *turn()], 1, 0),
    ],
)
def test_each_turn_is_counted_once(tmp_path: Path, lines: Sequence[Line], turns: int, milliseconds: int) -> None:
    rows = read_usage(write(tmp_path, *lines)).rows
    assert sum(row.turns for row in rows) == turns
    assert sum(row.milliseconds for row in rows) == milliseconds


def quota(*models: tuple[str, Any], **whole: Any) -> Line:
    return {"_meta": {"quota": {"model_usage": [{"model": n, "token_count": c} for n, c in models], **whole}}}


@each_of(
    "state, tokens",
    [
        ({}, {"opus": None}),
        ({"usage": {"totalTokens": 7, "inputTokens": 5}}, {"opus": 7}),
        ({"usage": {"inputTokens": 5, "outputTokens": 1, "cachedReadTokens": 3}}, {"opus": 9}),
        (quota(("big", {"input_tokens": 4, "output_tokens": 2}), ("small", 3)), {"big": 6, "small": 3}),
        (quota(("big", 4), ("big", 5)) | {"usage": {"totalTokens": 99}}, {"big": 9}),
        (quota(token_count={"input_tokens": 4}), {"opus": 4}),
        (quota(("", 4), ("x", -1), ("y", True), ("z", 10**30)), {"opus": None}),
        ({"_meta": {"quota": {"model_usage": {"a": 1}}}, "usage": {"totalTokens": "7"}}, {"opus": None}),
        ({"usage": {"totalTokens": 0}}, {"opus": 0}),
    ],
)
def test_tokens_are_those_of_the_turn_by_model(tmp_path: Path, state: Line, tokens: dict[str, int | None]) -> None:
    found = read_usage(write(tmp_path, model("opus"), *turn(cost(0.1), **state)))
    assert {row.model: row.tokens for row in found.rows} == tokens
    assert {row.model for row in found.rows if row.turns} == {next(iter(tokens))}


def test_a_session_that_goes_on_in_another_record_goes_on_from_its_cost(tmp_path: Path) -> None:
    rows = [(0.7, 700_000), (0.3, 800_000), (0.5, 500_000)]  # on from 0.5, from 0 in a new process, nothing more
    for number, (amount, micros) in enumerate(rows):
        folder = tmp_path / str(number)
        write(folder, *turn(cost(0.5)), started="2026-03-04T10:00:00+00:00")
        write(folder, LOADED, *turn(cost(amount)))
        assert spent(folder) == {"USD": micros}
        assert Records(folder).ledger().sessions == 1


def test_currencies_are_never_added(tmp_path: Path) -> None:
    write(tmp_path, *turn(cost(1), cost(2, "eur"), cost(3)))
    assert spent(tmp_path) == {"USD": 3 * MEGA, "EUR": 2 * MEGA}


def test_a_machine_that_slept_moves_its_turns(tmp_path: Path) -> None:
    """The clock of a record stands still meanwhile; its `about` lines know the time of day."""
    woken = {"kind": "about", "t": 60.0, "at": "2026-03-06T12:00:00+00:00"}
    found = read_usage(
        write(tmp_path, *turn(end=5), *turn(start=60, end=90)[:-1], woken, line("StateUpdate", 90, state="idle"))
    )
    first, second = (usage.quarter_start(row.quarter).isoformat() for row in found.rows)
    assert (first, second) == (NOON, "2026-03-06T12:00:00+00:00")


def test_what_is_recorded_here_is_read(tmp_path: Path) -> None:
    """Through the real writer: a session and another one that begins with its history."""
    records, clock = Records(tmp_path), Clock()
    session, fork = (Session(id=id_, cwd="/p", agent_name="A", clock=clock) for id_ in ("s", "f"))
    records.record(session)
    for event in (prompt("go"), running(), say("done")):
        session.apply(event)
    clock.now += 12.5
    session.apply(idle())
    records.record(fork)
    fork.apply(CopiedHistory(session, "Forked"))
    for event in (prompt("and"), running(), idle()):
        fork.apply(event)
    records.close()
    total = whole(records.ledger())
    assert (total.sessions, total.turns, total.milliseconds, total.tokens, total.cost) == (2, 2, 12_500, None, {})


@pytest.fixture
def indexed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "BREAK_EVEN", 0)


@pytest.mark.usefixtures("indexed")
def test_the_index_has_what_the_records_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, cache, reads = tmp_path / "records", tmp_path / "cache", list[str]()
    paths = [write(folder, model("m"), *turn(cost(number)), id_=f"s{number}") for number in range(3)]

    def read(path: Path) -> RecordUsage:
        reads.append(path.name)
        return read_usage(path)

    monkeypatch.setattr(usage, "read_usage", read)

    def ledger() -> Ledger:
        reads.clear()
        return Records(folder, cache=cache).ledger()

    plain = Records(folder).ledger()
    assert [ledger(), len(reads), ledger(), len(reads)] == [plain, 3, plain, 0]
    with paths[0].open("a") as file:
        file.writelines(json.dumps(each, separators=(",", ":")) + "\n" for each in turn(cost(7)))
    assert [spent(folder, cache), spent(folder)] == [{"USD": 10 * MEGA}] * 2
    assert [ledger(), len(reads)] == [ledger(), 0]
    Records(folder, cache=cache).delete(paths[2])
    assert spent(folder, cache) == {"USD": 8 * MEGA}


def test_what_is_not_read_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        size = write(tmp_path, *turn(cost(1))).stat().st_size
    monkeypatch.setattr(usage, "MOST_READ", 2 * size)
    found = Records(tmp_path).ledger()
    assert (len(found.rows), found.unread, found.unpriced) == (2, 1, 0)
    assert Records(tmp_path).ledger(stop=lambda: True) == Ledger([], unread=3)


AMOUNTS = st.lists(st.floats(0, 100) | st.sampled_from([float("nan"), -1.0]), max_size=5)
TURNS = st.tuples(st.integers(0, 10**6), st.sampled_from(["m", "n", ""]), AMOUNTS, st.sampled_from(["USD", "EUR"]))


@times(0.4)
@given(st.lists(st.tuples(st.sampled_from("ABC"), st.lists(TURNS, max_size=4)), max_size=5), st.randoms())
def test_sums_are_the_total_in_any_order_and_a_replay_adds_nothing(
    tmp_path_factory: pytest.TempPathFactory, sessions: list[Any], order: random.Random
) -> None:
    folder, replays = tmp_path_factory.mktemp("records"), list[tuple[list[Line], str, str]]()
    for number, (agent, turns) in enumerate(sessions):
        lines, now = [], 0
        for later, name, amounts, currency in turns:
            now += later
            lines += [model(name), *turn(*(cost(each, currency) for each in amounts), start=now, end=now + 1)]
        write(folder, *lines, id_=f"s{number}", agent=agent, cwd=f"/{number}")
        replays.append(([LOADED, *(each for each in lines if each["kind"] == "UsageUpdate")], f"s{number}", agent))
    ledger = Records(folder).ledger()
    total = whole(ledger)
    for by in BYS:
        rows = totals(ledger, by)
        order.shuffle(rows)
        assert sum(row.milliseconds for row in rows) == total.milliseconds
        assert sum(row.turns for row in rows) == total.turns
        for currency in ("USD", "EUR"):
            assert sum(row.cost.get(currency, 0) for row in rows) == total.cost.get(currency, 0)
    for lines, id_, agent in replays:
        write(folder, *lines, id_=id_, agent=agent, started="2026-05-01T00:00:00+00:00")
    assert whole(Records(folder).ledger()) == total
