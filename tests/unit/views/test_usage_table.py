"""The table of usage: what no agent reports is a dash, and it fits where it is shown."""

from typing import Any

from acp_tui.host.records.usage import QUARTER, Ledger, SpentRow, UsageRow
from acp_tui.views.past_sessions import By, totals, usage_json, usage_notes, usage_table, whole
from tests.rows import each_of

DAY = 86_400 // QUARTER


def row(session: int, agent: str, day: int = 20_000, model: str = "m", **usage: Any) -> SpentRow:
    return SpentRow(session, agent, f"/p/{agent}", UsageRow(day * DAY + DAY // 2, model, 1, 60_000, **usage))


LEDGER = Ledger(
    [
        row(0, "Claude", tokens=1500, cost={"USD": 1_250_000, "EUR": 5_000}),
        row(0, "Claude", 20_001, "n", cost={"USD": 250_000}),
        row(1, "Kimi"),
        row(2, "Kimi", model="", cost={"USD": 0}),
    ],
    3,
    1,
)


@each_of(
    "by, rows",
    [
        ("agent", [("Claude", 1, 2, 1500, {"USD": 1.5, "EUR": 0.005}), ("Kimi", 2, 2, None, {"USD": 0.0})]),
        ("project", [("/p/Claude", 1, 2, 1500, {"USD": 1.5, "EUR": 0.005}), ("/p/Kimi", 2, 2, None, {"USD": 0.0})]),
        (
            "day",
            [
                ("2024-10-05", 1, 1, None, {"USD": 0.25}),
                ("2024-10-04", 3, 3, 1500, {"USD": 1.25, "EUR": 0.005}),
            ],
        ),
        (
            "model",
            [
                ("m", 2, 2, 1500, {"USD": 1.25, "EUR": 0.005}),
                ("", 1, 1, None, {"USD": 0.0}),
                ("n", 1, 1, None, {"USD": 0.25}),
            ],
        ),
    ],
)
def test_rows_have_what_their_sessions_come_to(by: By, rows: list[Any]) -> None:
    found = totals(LEDGER, by)
    assert [(each.name, each.sessions, each.turns, each.tokens, each.amounts) for each in found] == rows


def test_the_table_says_what_is_not_reported() -> None:
    assert usage_table(LEDGER, "agent", 100) == [
        "Agent   Sessions  Turns        Time  Tokens           Cost",
        "Claude         1      2  2 min 00 s    1.5k  <€0.01, $1.50",
        "Kimi           2      2  2 min 00 s       —          $0.00",
        "Total          3      4  4 min 00 s    1.5k  <€0.01, $1.50",
    ]
    assert usage_table(LEDGER, "model", 100)[2].split()[0] == "—"
    assert list(usage_notes(LEDGER)) == ["3 sessions since 4 Oct 2024 · 1 reported no cost"]
    assert list(usage_notes(Ledger(unread=2))) == [
        "No turns are recorded yet.",
        "2 records not read (at most 512 MiB at a time)",
    ]


@each_of("width", [1000, 96, 80, 60, 52, 46])
def test_the_table_fits(width: int) -> None:
    long = Ledger([row(0, "\x1b[31man agent with a name that goes on" * 4, cost={"USD": 1})], 1)
    lines = usage_table(long, "project", width)
    assert max(map(len, lines)) <= width
    assert len({len(line) for line in lines}) == 1
    assert not any("\x1b" in line for line in lines)


def test_the_same_as_json() -> None:
    found = usage_json(LEDGER, "model")
    assert found["rows"][1] == {
        "model": None,
        "sessions": 1,
        "turns": 1,
        "minutes": 1.0,
        "tokens": None,
        "cost": {"USD": 0.0},
    }
    assert found["total"]["cost"] == {"EUR": 0.005, "USD": 1.5}
    assert (found["by"], found["since"], found["sessions_without_cost"]) == ("model", "2024-10-04T12:00:00+00:00", 1)
    nothing = usage_json(Ledger(), "agent")
    assert (nothing["since"], nothing["rows"], nothing["total"]["cost"]) == (None, [], None)
    assert whole(Ledger()).tokens is None
