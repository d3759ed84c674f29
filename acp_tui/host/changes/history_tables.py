"""The tables of what becomes of sessions: runs, points, turns, takings and their steps, in their first folder's store.

A run counts its turns, points and takings from its own beginning; what earlier runs had is put before them when it is
read. What nobody can read any more is passed over: each row stands for itself.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from sqlite3 import Connection
from typing import Any, NamedTuple

from acp_tui.host.changes.attribution import Key
from acp_tui.host.changes.snapshot_history import History, Point, TurnFiles
from acp_tui.host.revert.steps import Outcome, Step, TakenBack, from_data, to_data
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_state import PathState

RUNS_AT_MOST = 500  # of one session that are read, the last ones
CUT_SHORT = "acp-tui ended before it finished"
_BEGINNING = f"{0:020}"  # begins the name of a run, so that it comes before all others

IsDone = Callable[[Step], bool]
"""Whether what a step does is so on the disk now."""
ClearUp = Callable[[Sequence[Step]], object]
"""Removes what a crash has left beside the paths of steps."""


class Before(NamedTuple):
    """How many turns, takings and points there were in runs before this one."""

    turns: int = 0
    taken: int = 0
    points: int = 0


FIRST = Before()
Statements = list[tuple[str, list[tuple[Any, ...]]]]
"""SQL with the rows that it is for, each without the id of the run, which comes first."""


class RunWriter:
    """Writes what becomes of one run of a session to the store of its first folder.

    Every call blocks, and raises `StoreFault`; call it in one thread after the other.
    """

    def __init__(self, store: FolderStore, name: str) -> None:
        self._store, self.name = store, name
        self._who = "", ""

    def add(self, *makers: Callable[[], Statements]) -> None:
        """Write what is made, in one transaction; it is made before that begins."""
        statements = [each for make in makers for each in make()]
        values = key_of(*self._who) if self._who[1] else "", json.dumps(self._who), time.time(), self.name
        with self._store.database.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO run (name, key, who, used) VALUES (?, '', '', 0)", (self.name,))
            connection.execute("UPDATE run SET key = ?, who = ?, used = ? WHERE name = ?", values)
            ((run,),) = connection.execute("SELECT id FROM run WHERE name = ?", (self.name,)).fetchall()
            write(connection, run, statements)

    def identify(self, agent: str, session_id: str) -> None:
        """The session has this id from now on; its earlier runs are found by that."""
        if (agent, session_id) != self._who:
            self._who = agent, session_id
            self.add()


def new_name() -> str:
    """What a run is called: names sort by when runs began."""
    return f"{time.time_ns():020}-{secrets.token_hex(6)}"


def key_of(agent: str, session_id: str) -> str:
    """By what the runs of a session are found: its agent may choose any id."""
    return hashlib.sha256(f"{agent}\0{session_id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def write(connection: Connection, run: int, statements: Statements) -> None:
    for statement, rows in statements:
        connection.executemany(statement, [(run, *row) for row in rows])


def point_rows(point: Point, before: Before = FIRST) -> Statements:
    number, turn, takings = point.number - before.points, point.turn - before.turns, point.takings - before.taken
    own = replace(point, number=number, turn=turn, takings=takings)
    row = own.number, own.kind, own.turn, json.dumps(to_data(own))
    return [("INSERT OR REPLACE INTO point VALUES (?, ?, ?, ?, ?)", [row])]


def early_rows(turn: int, states: Mapping[Key, PathState], before: Before = FIRST) -> Statements:
    """How these paths were before a turn's agent wrote them: all that are known."""
    return _turn_rows("UPDATE turn SET early = ?3 WHERE run = ?1 AND turn = ?2", turn - before.turns, states)


def calls_rows(turn: int, calls: Mapping[Key, str], before: Before = FIRST) -> Statements:
    """What calls name while their turn goes on, all of it: a crash leaves that known."""
    return _turn_rows("UPDATE turn SET named = ?3 WHERE run = ?1 AND turn = ?2", turn - before.turns, calls)


def files_rows(turn: int, files: TurnFiles, before: Before = FIRST) -> Statements:
    statement = "UPDATE turn SET files = ?3, named = NULL WHERE run = ?1 AND turn = ?2"
    return _turn_rows(statement, turn - before.turns, files)


def _turn_rows(statement: str, turn: int, value: Any) -> Statements:
    insert = "INSERT OR IGNORE INTO turn (run, turn) VALUES (?, ?)"
    return [(insert, [(turn,)]), (statement, [(turn, json.dumps(to_data(value)))])]


def taken_rows(taken: TakenBack, before: Before = FIRST) -> Statements:
    """A taking, in the place of what was only meant. Each step says whether it is done; of one that is, how it was."""
    undoes, to, finished = taken.undoes, taken.back_to, int(taken.finished)
    own = replace(
        taken,
        number=taken.number - before.taken,
        undoes=None if undoes is None else undoes - before.taken,
        turns=range(taken.turns.start - before.turns, taken.turns.stop - before.turns),
        at=taken.at - before.turns,
        back_to=None if to is None else to - before.points,
        steps=(),
    )
    steps = [(own.number, json.dumps(step.change.key), finished, json.dumps(to_data(step))) for step in taken.steps]
    return [
        ("INSERT OR REPLACE INTO taking VALUES (?, ?, ?, ?)", [(own.number, finished, json.dumps(to_data(own)))]),
        ("UPDATE step SET done = 0 WHERE run = ? AND taking = ?", [(own.number,)]),
        ("INSERT OR REPLACE INTO step VALUES (?, ?, ?, ?, ?)", steps),
    ]


def void_rows(turn: int, before: Before = FIRST) -> Statements:
    """That turn was none."""
    row = (turn - before.turns,)
    points = "DELETE FROM point WHERE run = ? AND turn = ? AND kind = 'prompt'"
    return [(points, [row]), ("DELETE FROM turn WHERE run = ? AND turn = ?", [row])]


def earlier_runs(
    store: FolderStore,
    agent: str,
    session_id: str,
    but: str = "",
    is_done: IsDone | None = None,
    clear_up: ClearUp = lambda _steps: None,
) -> History:
    """What all runs but one wrote of that session; with `is_done` what a crash has cut short is settled."""
    query = "SELECT id, name FROM run WHERE key = ? AND name != ? ORDER BY name DESC LIMIT ?"
    with store.database.reading() as connection:
        runs = connection.execute(query, (key_of(agent, session_id), but, RUNS_AT_MOST)).fetchall()
    history = History()
    for run, name in reversed(runs):
        read = read_run(store, run, name)
        if is_done is not None:
            settle(store, run, read, is_done, clear_up)
        history.follow(read)
    return history


def settle(store: FolderStore, run: int, read: History, is_done: IsDone, clear_up: ClearUp = lambda _: None) -> None:
    """Write down which steps of a taking were done that was cut short, as the disk shows.

    The rest of its turn is offered again.
    """
    for taken in [each for each in read.taken_back if not each.finished]:
        clear_up(taken.steps)
        steps = [(step, is_done(step)) for step in taken.steps]
        outcomes = [Outcome(step.change.path, ended, "" if ended else CUT_SHORT) for step, ended in steps]
        done = [step for step, ended in steps if ended]
        whole = taken.whole and len(done) == len(taken.steps)
        settled = replace(taken, outcomes=outcomes, steps=done, whole=whole, finished=True)
        statements = taken_rows(settled)
        with store.database.writing() as connection:
            write(connection, run, statements)
        read.add_taken(settled)


def runs_since(store: FolderStore, since: float, but: Iterable[str], most: int) -> list[History]:
    """What the runs that were written to since then (Unix seconds) wrote, the last ones, without some."""
    with store.database.reading() as connection:
        query = "SELECT id, name FROM run WHERE used >= ? ORDER BY used DESC"
        found = connection.execute(query, (since,)).fetchall()
    return [read_run(store, run, name) for run, name in found if name not in {*but}][:most]


def read_run(store: FolderStore, run: int, name: str) -> History:
    """What was written of a run, as far as it can be read."""
    history = History(runs=[name])
    with store.database.reading() as connection:
        points = connection.execute("SELECT data FROM point WHERE run = ? ORDER BY number", (run,)).fetchall()
        turns = connection.execute("SELECT turn FROM turn WHERE run = ?", (run,)).fetchall()
        takings = connection.execute("SELECT number, data FROM taking WHERE run = ? ORDER BY number", (run,)).fetchall()
        for (data,) in points:
            with suppress(ValueError):
                history.points.append(replace(from_data(Point, json.loads(data)), number=history.next_number))
        for (turn,) in turns:
            early, named, files = _turn(connection, run, turn)
            history.early |= {turn: early} if early else {}
            history.named |= {turn: named} if named else {}
            history.files |= {turn: files} if files is not None else {}
        for number, data in takings:
            with suppress(ValueError):
                taken: TakenBack = from_data(TakenBack, json.loads(data))
                query = "SELECT data FROM step WHERE run = ? AND taking = ? AND done = ? ORDER BY rowid"
                steps = connection.execute(query, (run, number, taken.finished)).fetchall()
                history.add_taken(replace(taken, steps=[from_data(Step, json.loads(step)) for (step,) in steps]))
    return history


def write_beginning(stores: Mapping[str, FolderStore], agent: str, session_id: str, history: History) -> None:
    """Have a session begin with what another one had, as if that had been its first run; the first store is its own.

    Nothing that it stands on goes with the other one.
    """
    name = f"{_BEGINNING}-{key_of(agent, session_id)}"
    for root, store in stores.items():
        store.need(name, history.needed().get(root, ()), history.runs)
    writer = RunWriter(next(iter(stores.values())), name)
    writer.identify(agent, session_id)
    writer.add(*rows_of(history))


def rows_of(history: History) -> Iterator[Callable[[], Statements]]:
    yield from (partial(point_rows, point) for point in history.points)
    yield from (partial(early_rows, *each) for each in history.early.items())
    yield from (partial(calls_rows, *each) for each in history.named.items())
    yield from (partial(files_rows, *each) for each in history.files.items())
    yield from (partial(taken_rows, taken) for taken in history.taken_back)


def _turn(connection: Connection, run: int, turn: int) -> tuple[dict[Key, PathState], dict[Key, str], TurnFiles | None]:
    """What is written of a turn: states that were kept early, what its calls named, and what it changed."""
    query = "SELECT early, named, files FROM turn WHERE run = ? AND turn = ?"
    row = connection.execute(query, (run, turn)).fetchone() or (None, None, None)
    kinds: tuple[tuple[Any, Any], ...] = ((Mapping[Key, PathState], {}), (Mapping[Key, str], {}), (TurnFiles, None))
    found = []
    for data, (kind, nothing) in zip(row, kinds, strict=True):
        value = nothing
        if data is not None:
            with suppress(ValueError):
                value = from_data(kind, json.loads(data))
        found.append(value)
    early, named, files = found
    return early, named, files
