"""The usage of recorded sessions as a table: by agent, project, day or model. Currencies are never added."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any, Literal, NamedTuple, get_args

from acp_tui.frozen import Frozen
from acp_tui.host.records.usage import MICROS, MOST_READ, Ledger, SpentRow, UsageRow, quarter_start
from acp_tui.safe_text import one_line
from acp_tui.session.text.phrases import counted, duration
from acp_tui.views.formatting import SEPARATOR, brief_path, home_path, money, tokens

By = Literal["agent", "project", "day", "model"]
BYS: tuple[By, ...] = get_args(By)
NOT_REPORTED = "—"
MIB = 1024**2
LEAST, MOST, GAP = 14, 48, 2  # cells of a name, and between columns


class UsageTotal(Frozen):
    """What rows of the ledger come to; `milliseconds` are those of turns, `cost` is in millionths by currency.

    Of `tokens` and `cost` there are none (None, empty) if no agent reported any.
    """

    name: str
    sessions: int
    turns: int
    milliseconds: int
    tokens: int | None
    cost: Mapping[str, int]

    @property
    def amounts(self) -> dict[str, float]:
        """The cost in units of money."""
        return {currency: micros / MICROS for currency, micros in sorted(self.cost.items())}


class UsageColumn(NamedTuple):
    """A column of numbers; the first to be left out if there is no room is the one with the highest `rank`."""

    title: str
    texts: Sequence[str]
    rank: int

    @property
    def width(self) -> int:
        return max(map(len, (self.title, *self.texts)))


def totals(ledger: Ledger, by: By) -> list[UsageTotal]:
    """The usage by agent, project, day or model: days with the latest first, others with the longest turns first."""
    groups: dict[str, list[SpentRow]] = {}
    for row in ledger.rows:
        groups.setdefault(_name(row, by), []).append(row)
    found = [_sum(name, rows) for name, rows in groups.items()]
    found.sort(key=lambda each: each.name)
    return sorted(found, key=lambda each: each.name if by == "day" else each.milliseconds, reverse=True)


def whole(ledger: Ledger) -> UsageTotal:
    return _sum("Total", ledger.rows)


def _sum(name: str, rows: Iterable[SpentRow]) -> UsageTotal:
    sessions, cost, spent = set[int](), dict[str, int](), list[UsageRow]()
    for row in rows:
        spent.append(row.usage)
        sessions.add(row.session)
        for currency, micros in row.usage.cost.items():
            cost[currency] = cost.get(currency, 0) + micros
    counts = [usage.tokens for usage in spent if usage.tokens is not None]
    turns, took = sum(usage.turns for usage in spent), sum(usage.milliseconds for usage in spent)
    return UsageTotal(name, len(sessions), turns, took, sum(counts) if counts else None, cost)


def _name(row: SpentRow, by: By) -> str:
    match by:
        case "agent":
            return row.agent
        case "project":
            return row.folder
        case "day":
            return _day(row.usage.quarter).isoformat()
        case "model":
            return row.usage.model


@cache
def _day(quarter: int) -> date:
    """The day by the local clock."""
    return quarter_start(quarter).astimezone().date()


def usage_table(ledger: Ledger, by: By, width: int) -> list[str]:
    """The lines of the table, of at most `width` characters if that is 40 or more: a heading, rows and the total."""
    rows = [*totals(ledger, by), whole(ledger)]
    shown = [home_path(row.name) if by == "project" else row.name for row in rows]
    names = [by.capitalize(), *(one_line(name or NOT_REPORTED) for name in shown)]
    columns = [
        UsageColumn("Sessions", [f"{row.sessions:,}" for row in rows], 2),
        UsageColumn("Turns", [f"{row.turns:,}" for row in rows], 1),
        UsageColumn("Time", [duration(row.milliseconds / 1000) for row in rows], 0),
        UsageColumn("Tokens", [NOT_REPORTED if row.tokens is None else tokens(row.tokens) for row in rows], 0),
        UsageColumn("Cost", [_cost(row) for row in rows], 0),
    ]
    for rank in (2, 1):
        if _room(columns, width) < min(LEAST, max(map(len, names))):
            columns = [column for column in columns if column.rank != rank]
    room = max(1, min(_room(columns, width), MOST, max(map(len, names))))
    texts = zip(names, *([column.title, *column.texts] for column in columns), strict=True)
    cut = brief_path if by == "project" else one_line
    return [_line(cut(name, room).ljust(room), columns, rest) for name, *rest in texts]


def _room(columns: Sequence[UsageColumn], width: int) -> int:
    return width - sum(GAP + column.width for column in columns)


def _line(name: str, columns: Sequence[UsageColumn], texts: Sequence[str]) -> str:
    cells = (f"{text:>{GAP + column.width}}" for column, text in zip(columns, texts, strict=True))
    return name + "".join(cells)


def _cost(total: UsageTotal) -> str:
    return ", ".join(money(amount, currency) for currency, amount in total.amounts.items()) or NOT_REPORTED


def usage_notes(ledger: Ledger) -> Iterator[str]:
    """Since when the sessions are, how many reported no cost, and what was not read."""
    if ledger.since is None:
        yield "No turns are recorded yet."
    else:
        since = f"{ledger.since.astimezone():%d %b %Y}".lstrip("0")
        parts = [f"{counted(ledger.sessions, 'session')} since {since}"]
        yield SEPARATOR.join(parts + [f"{ledger.unpriced:,} reported no cost"] * bool(ledger.unpriced))
    if ledger.unread:
        yield f"{counted(ledger.unread, 'record')} not read (at most {MOST_READ // MIB} MiB at a time)"


def usage_json(ledger: Ledger, by: By) -> dict[str, Any]:
    """The same as JSON data; money is in its unit, and null is what no agent reported."""
    return {
        "by": by,
        "since": ledger.since.isoformat() if ledger.since is not None else None,
        "sessions_without_cost": ledger.unpriced,
        "unread_records": ledger.unread,
        "rows": [{by: row.name or None, **_json(row)} for row in totals(ledger, by)],
        "total": _json(whole(ledger)),
    }


def _json(total: UsageTotal) -> dict[str, Any]:
    minutes = round(total.milliseconds / 60_000, 3)
    spent = {"tokens": total.tokens, "cost": total.amounts or None}
    return {"sessions": total.sessions, "turns": total.turns, "minutes": minutes, **spent}
