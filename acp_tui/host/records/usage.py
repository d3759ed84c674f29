"""The usage in records: turns with their time, tokens and cost, as agents report them.

Only what grew during turns of this record is counted. What a copied history holds was spent elsewhere, and what is
reported between an opening and the user's next prompt is where the count of cost starts, not spending.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.host.config.state_files import json_object
from acp_tui.host.records.record_info import RecordInfo, time_in
from acp_tui.host.records.session_recording import BEGINS, CAP, ENDS
from acp_tui.host.system.paths import open_regular

MOST_READ = 512 * 1024 * 1024  # bytes of records that are read for one ledger; what was read once is in the index
QUARTER = 900  # seconds: every time zone is a whole number of these from UTC, so that local days can be made of them
MICROS = 1_000_000  # of a unit of money: sums of whole numbers are the same in any order
MOST_COST, MOST_TOKENS = 10**9, 10**15  # units of money of a session, tokens of a turn; an agent may report any number
MOST_CURRENCIES, LONGEST_CODE = 8, 8  # of a session, and characters of each
MOST_MODELS, LONGEST = 50, 100  # of a turn, and characters of each
MOST_SECONDS = 10**9  # of a record

_KINDS = (
    *("record", "about", BEGINS, ENDS, "UsageUpdate", "StateUpdate", "MessageUpdate", "MessageChunk"),
    *("ConfigOptionUpdate", "OptionsAwaited", "SessionLoaded", "AgentReturned", "AgentGone", "PromptPutBack"),
    "Branched",
)
_LINE = re.compile(rf'\n(\{{(?:"t":[^,]*,)?"kind":"({"|".join(_KINDS)})".*)'.encode())
_OWN = b'"fromHere":true'
_PARTS = ("inputtokens", "outputtokens", "thoughttokens", "cachedreadtokens", "cachedwritetokens")
_Key = tuple[int, str]  # of a row


class UsageRow(NamedTuple):
    """The usage of a model that began in one quarter of an hour since 1970 (UTC).

    `tokens` is None and `cost`, in millionths by currency, has no entry where the agent reported none. Without a name
    the model is unknown.
    """

    quarter: int
    model: str
    turns: int = 0
    milliseconds: int = 0
    tokens: int | None = None
    cost: Mapping[str, int] = {}


class RecordUsage(NamedTuple):
    """The usage of one record.

    `joins`: its session was loaded or resumed, and may have earlier records. `first` has by currency the row and the
    amount of the first cost whose start is unknown, `last` the amount that an agent counts on from. `priced`: it
    reported a cost.
    """

    rows: Sequence[UsageRow]
    joins: bool = False
    priced: bool = False
    first: Mapping[str, tuple[int, int]] = {}
    last: Mapping[str, int] = {}

    def packed(self) -> str:
        return json.dumps(self)

    @classmethod
    def unpacked(cls, text: str) -> "RecordUsage":
        rows, *rest = json.loads(text)
        return cls([UsageRow(*row) for row in rows], *rest)


class SpentRow(NamedTuple):
    """A row of one session, which has a `session` number of its own in the ledger, with its agent and folder."""

    session: int
    agent: str
    folder: str
    usage: UsageRow


class Ledger(Frozen):
    """The usage of so many recorded `sessions`, `unpriced` of which reported no cost.

    `unread` records were too much to read at once, or could not be read.
    """

    rows: Sequence[SpentRow] = ()
    sessions: int = 0
    unpriced: int = 0
    unread: int = 0

    @property
    def since(self) -> datetime | None:
        """When the first quarter of an hour with usage begins, aware (UTC)."""
        return min((quarter_start(row.usage.quarter) for row in self.rows), default=None)


def read_usage(path: Path) -> RecordUsage:
    """The usage of the record at `path`; raises OSError."""
    meter, history = _Meter(), 0
    with open_regular(path) as file:
        record = b"\n" + file.read(2 * CAP)
    for found in _LINE.finditer(record):
        line, kind = found[1], found[2].decode()
        history += (kind == BEGINS) - (kind == ENDS)
        mere = kind.startswith("Message") and meter.placed and _OWN not in line
        if kind == BEGINS or not (history or mere):
            meter.take(kind, json_object(line) or {})
    return meter.usage()


class _Meter:
    """What a record has counted so far. Times are seconds of the record; `offset` makes seconds since 1970 of them."""

    def __init__(self) -> None:
        self.placed = False  # whether `offset` is known
        self._offset = self._now = self._began = 0.0
        self._rows: dict[_Key, UsageRow] = {}
        self._joins = self._unknown = self._priced = self._active = self._prompted = False
        self._opening = True
        self._option = ""
        self._before: dict[str, int] = {}  # by currency, what was reported before the session was opened again
        self._start: dict[str, int] = {}  # what was reported since, before the next prompt
        self._high: dict[str, int] = {}
        self._first: dict[str, tuple[_Key, int]] = {}
        self._grown: dict[str, int] = {}  # cost that has no row yet; of what is `fresh` the start is unknown
        self._fresh: dict[str, int] = {}
        self._last: _Key | None = None

    def take(self, kind: str, line: Mapping[str, Any]) -> None:
        data = line.get("data")
        self._place(kind, line)
        match kind, data if isinstance(data, dict) else {}:
            case "UsageUpdate", {"cost": {"amount": int() | float() as amount, "currency": str(currency)}}:
                self._add_cost(currency.strip().upper()[:LONGEST_CODE], amount)
            case "ConfigOptionUpdate", {"configOptions": list(options)}:
                self._option = next(filter(None, map(_model_of, options)), "")
            case "MessageUpdate", {"fromHere": True}:
                self._high, self._opening = dict(self._start) if self._opening else self._high, False
                self._prompted = True
            case ("StateUpdate", {"state": "idle"} as state) | ("AgentGone", state):
                self._end(state)
            case "StateUpdate", {"state": _} if not self._active:
                self._active, self._began = True, self._now
            case "PromptPutBack", _:
                self._active = self._prompted = False
            case "OptionsAwaited", _:
                self._before |= self._high
                self._high, self._start, self._opening = {}, {}, True
            case "AgentReturned", {"forgotten": True}:
                self._before, self._unknown = {}, False
            case ("SessionLoaded" | "Branched" | "history begins") as how, _ if not self._rows:
                self._unknown, self._joins = True, self._joins or how == "SessionLoaded"

    def usage(self) -> RecordUsage:
        self._end({})
        at = {key: number for number, key in enumerate(self._rows)}
        first = {currency: (at[key], amount) for currency, (key, amount) in self._first.items()}
        return RecordUsage([*self._rows.values()], self._joins, self._priced, first, self._before | self._high)

    def _place(self, kind: str, line: Mapping[str, Any]) -> None:
        """Follow the clock, which stands still while the machine sleeps; `about` lines correct it."""
        seconds, stamp = line.get("t"), line.get("started" if kind == "record" else "at")
        if isinstance(seconds, int | float) and self._now < seconds < MOST_SECONDS:
            self._now = float(seconds)
        if isinstance(stamp, str) and (time := time_in(stamp)) is not None:
            self._offset = time.timestamp() - self._now
        elif not self.placed and kind.startswith(("Message", "State")):  # with which a record begins
            self._offset, self.placed = self._offset - self._now, True

    def _add_cost(self, currency: str, amount: float) -> None:
        if not currency or not 0 <= amount <= MOST_COST or len({*self._high, currency}) > MOST_CURRENCIES:
            return
        cost, self._priced = round(amount * MICROS), True
        if self._opening:
            self._start[currency] = max(cost, self._start.get(currency, 0))
            return
        before = self._before.get(currency)
        if currency in self._high:
            before = self._high[currency]
        elif before is not None and cost < before:
            before = 0  # the agent's new process counts from there
        if before is None and self._unknown:
            self._fresh[currency] = cost
        else:
            self._grown[currency] = self._grown.get(currency, 0) + max(0, cost - (before or 0))
        self._high[currency] = max(cost, self._high.get(currency, 0))
        if not self._active and self._last is not None:  # some agents report it behind the turn's end
            self._book(self._last)

    def _end(self, state: Mapping[str, Any]) -> None:
        """End the turn, if there is one; what no prompt of this record began is no turn, but its tokens count."""
        spent = _tokens_by_model(state) if self._active and not self._opening else {}
        if self._active and (self._prompted or spent):
            main = max(filter(None, spent), key=lambda name: spent[name], default=self._option)
            self._last = int((self._offset + self._began) // QUARTER), main
            took = round(1000 * (self._now - self._began)) if self._prompted else 0
            self._book(self._last, int(self._prompted), took, spent.pop(main, spent.pop("", None)))
            for name, count in spent.items():
                self._book((self._last[0], name), tokens=count)
        self._active = self._prompted = False

    def _book(self, key: _Key, turns: int = 0, milliseconds: int = 0, tokens: int | None = None) -> None:
        _, _, before, took, count, cost = self._rows.get(key) or UsageRow(*key)
        count = count if tokens is None else (count or 0) + tokens
        cost = {name: cost.get(name, 0) + self._grown.get(name, 0) for name in {**cost, **self._grown}}
        self._rows[key] = UsageRow(*key, before + turns, took + milliseconds, count, cost)
        self._first |= {currency: (key, amount) for currency, amount in self._fresh.items()}
        self._grown, self._fresh = {}, {}


def _model_of(option: Any) -> str:
    """The value of the option if it chooses the model; else empty."""
    match option:
        case {"category": "model", "currentValue": str(value)} | {"id": "model", "currentValue": str(value)}:
            return value[:LONGEST]
    return ""


def _tokens_by_model(state: Mapping[str, Any]) -> dict[str, int]:
    """The tokens of the turn that ends with this state; those of no known model are under the empty name."""
    spent, quota = dict[str, int](), dict[str, Any]()
    match state:
        case {"_meta": {"quota": dict(quota)}}:
            pass
    models = quota.get("model_usage")
    for each in models[:MOST_MODELS] if isinstance(models, list) else ():
        match each:
            case {"model": str(name), "token_count": count} if name and (known := _tokens(count)) is not None:
                spent[name[:LONGEST]] = spent.get(name[:LONGEST], 0) + known
    whole = _tokens(state.get("usage"))
    whole = _tokens(quota.get("token_count")) if whole is None else whole
    return spent if spent or whole is None else {"": whole}


def _tokens(count: Any) -> int | None:
    """A count of tokens, or one in parts: their total, else the sum of those that are known."""
    if isinstance(count, dict):
        named = {str(name).replace("_", "").lower(): _tokens(part) for name, part in count.items()}
        parts = [found for name in _PARTS if (found := named.get(name)) is not None]
        return named["totaltokens"] if named.get("totaltokens") is not None else sum(parts) if parts else None
    return count if type(count) is int and 0 <= count <= MOST_TOKENS else None


def read_ledger(
    infos: Iterable[RecordInfo],
    stop: Callable[[], bool] = bool,
    known: Callable[[RecordInfo], RecordUsage | None] = lambda _: None,
    add: Callable[[RecordInfo, RecordUsage], object] = lambda *_: None,
) -> Ledger:
    """The ledger of these records, the newest first. Records of no `known` usage are read until `stop`.

    What is read is given to `add`.
    """
    used, room, unread = list[tuple[RecordInfo, RecordUsage]](), MOST_READ, 0
    for info in infos:
        usage = known(info)
        if usage is None and room >= info.size and not stop():
            room -= info.size
            with suppress(OSError):
                usage = read_usage(info.path)
                add(info, usage)
        unread += usage is None
        used += [] if usage is None else [(info, usage)]
    used.sort(key=lambda each: (each[0].started, str(each[0].file)))
    return _summed(used, unread)


def _summed(used: Iterable[tuple[RecordInfo, RecordUsage]], unread: int) -> Ledger:
    rows, priced, numbers = list[SpentRow](), set[int](), dict[tuple[str, str], int]()
    last: dict[tuple[str, str], Mapping[str, int]] = {}
    for number, (info, usage) in enumerate(used):
        key = info.agent, info.session_id or str(info.file)
        if not usage.joins:
            numbers[key], last[key] = number, {}
        session = numbers.setdefault(key, number)
        found = _with_first(usage, last.get(key, {}))
        rows += [SpentRow(session, info.agent, info.cwd, row) for row in found]
        priced |= {session} if usage.priced else set()
        last[key] = {**last.get(key, {}), **usage.last}
    sessions = {row.session for row in rows}
    return Ledger(rows, len(sessions), len(sessions - priced), unread)


def _with_first(usage: RecordUsage, last: Mapping[str, int]) -> list[UsageRow]:
    """The rows, with first costs as far as an earlier record of the session has where they start."""
    rows = [*usage.rows]
    for currency, (at, amount) in usage.first.items():
        before = last.get(currency)
        if before is not None:
            grown = amount if amount < before else amount - before
            cost = rows[at].cost
            rows[at] = rows[at]._replace(cost={**cost, currency: cost.get(currency, 0) + grown})
    return rows


def quarter_start(quarter: int) -> datetime:
    """When a quarter of an hour since 1970 begins, aware (UTC)."""
    return datetime.fromtimestamp(quarter * QUARTER, UTC)
