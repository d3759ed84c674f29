"""What is written down of a session's snapshots: its points and what was taken back, a file for each run, by lines.

Lines are only added. A line that was torn, or that nobody can read, is passed over: each stands for itself.
"""

import hashlib
import secrets
import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

from acp_tui.frozen import Frozen
from acp_tui.host.changes.points import Point, PointKind
from acp_tui.host.changes.who import Key
from acp_tui.host.snapshots.states import PathState, Who
from acp_tui.host.store.json_file import append_object, json_object
from acp_tui.host.system.regular_files import open_regular
from acp_tui.host.take_back.serial import state_from_data, taken_from_data, taken_to_data
from acp_tui.host.take_back.steps import Outcome, Step, TakenBack

FOLDER = "journals"  # in the store of the session's first folder
NEW = "new"  # begins the name of a file whose session has no id yet
READ_AT_MOST = 256 * 1024 * 1024  # bytes of one line; an undo of 30,000 files has 10 MB
RUNS_AT_MOST = 500  # files of one session that are read, the last ones
BEGINNING = f"{0:020}.jsonl"  # sorts before all runs

_SETS = ("others", "unknown", "by_command", "afterwards", "own")  # of a turn's files, in their order
CUT_SHORT = "acp-tui ended before it was done"

Line = Mapping[str, Any]
IsDone = Callable[[Step], bool]
"""Whether what a step does is so on the disk now."""
ClearUp = Callable[[Sequence[Step]], object]
"""Removes what a crash has left beside the paths of steps."""


class TurnFiles(Frozen):
    """Which files changed in a turn, by who changed them.

    `calls`: a call of its own names them, with its id; those `afterwards` also changed after the last call.
    `by_command`: while one of its commands ran. `others`: those of another session. `own`: the agent's own state, which
    is no work. `commands`: the agent ran some, which may have done more.
    """

    calls: Mapping[Key, str] = field(default_factory=dict)
    others: frozenset[Key] = frozenset()
    unknown: frozenset[Key] = frozenset()
    notes: tuple[str, ...] = ()
    commands: bool = False
    by_command: frozenset[Key] = frozenset()
    afterwards: frozenset[Key] = frozenset()
    own: frozenset[Key] = frozenset()

    @property
    def keys(self) -> set[Key]:
        """All but the agent's own."""
        return {*self.calls, *self.others, *self.unknown, *self.by_command}

    def who(self, keys: Sequence[Key]) -> Who:
        """Who changed a path, which had one of these names."""
        sets: tuple[tuple[Container[Key], Who], ...] = (
            (self.afterwards, "afterwards"),
            (self.calls, "agent"),
            (self.own, "own"),
            (self.others, "session"),
            (self.by_command, "command"),
        )
        return next((who for found, who in sets if any(key in found for key in keys)), "unknown")


@dataclass(slots=True)
class History:
    """What is known of a session's snapshots. `early` and `files` are by turn; `manifests` name bytes beside points.
    `looks` are those of moments that are no points: nobody needs them, but they go with the session at the latest.

    `early` is how paths were before the agent wrote them, that were not kept when the prompt went out. `named` is what
    the calls of a turn named whose end is not compared, by turn.
    """

    points: list[Point] = field(default_factory=list)
    early: dict[int, dict[Key, PathState]] = field(default_factory=dict)
    files: dict[int, TurnFiles] = field(default_factory=dict)
    taken_back: list[TakenBack] = field(default_factory=list)
    manifests: dict[str, list[str]] = field(default_factory=dict)
    looks: dict[str, list[str]] = field(default_factory=dict)
    named: dict[int, dict[Key, str]] = field(default_factory=dict)

    @property
    def turns(self) -> int:
        return max((point.turn for point in self.points), default=0)

    @property
    def own_folders(self) -> set[str]:
        """The folders at the top that were found to be the agent's own, in two turns: one may be a coincidence."""
        found = Counter(
            top for files in self.files.values() for top in {path.partition("/")[0] for _, path in files.own}
        )
        return {top for top, turns in found.items() if turns > 1}

    @property
    def next_number(self) -> int:
        return self.points[-1].number + 1 if self.points else 0

    def follow(self, later: "History") -> None:
        """Have what came later behind this: its points, turns and takings-back count on."""
        numbers, turns, taken = self.next_number, self.turns, len(self.taken_back)
        self.points += [replace(each, number=each.number + numbers, turn=each.turn + turns) for each in later.points]
        self.early |= {turn + turns: rows for turn, rows in later.early.items()}
        self.files |= {turn + turns: rows for turn, rows in later.files.items()}
        self.named |= {turn + turns: rows for turn, rows in later.named.items()}
        for each in later.taken_back:
            undoes = None if each.undoes is None else each.undoes + taken
            of = range(each.turns.start + turns, each.turns.stop + turns)
            to = None if each.back_to is None else each.back_to + numbers
            self.add_taken(
                replace(each, number=each.number + taken, undoes=undoes, turns=of, at=each.at + turns, back_to=to)
            )
        for root, ids in later.manifests.items():
            self.manifests.setdefault(root, []).extend(ids)

    def add_taken(self, taken: TakenBack) -> None:
        """What was taken back, in the place of what was only about to be."""
        self.taken_back[:] = [
            replace(each, undone=True) if each.number == taken.undoes else each
            for each in self.taken_back
            if each.number != taken.number
        ]
        self.taken_back.append(taken)

    def until(self, end: Point | None) -> "History":
        """The same as far as it was known before a point; all of it for None."""
        points = [each for each in self.points if end is None or each.number < end.number]
        turns = max((each.turn for each in points), default=0)
        return History(
            points,
            {turn: dict(rows) for turn, rows in self.early.items() if turn <= turns},
            {turn: rows for turn, rows in self.files.items() if turn <= turns},
            [each for each in self.taken_back if end is None or each.at < end.turn],
            {root: list(ids) for root, ids in self.manifests.items()},
            named={turn: rows for turn, rows in self.named.items() if turn <= turns},
        )

    def void(self, turn: int) -> None:
        """That turn was none."""
        self.points[:] = [each for each in self.points if each.turn != turn or each.kind != "prompt"]

    def needed(self) -> dict[str, set[str]]:
        """The manifests that all this stands on, by root."""
        needed = {root: set(ids) for root, ids in self.manifests.items()}
        for point in self.points:
            for root, tree in point.trees.items():
                needed.setdefault(root, set()).add(tree)
        return needed


def key_of(agent: str, session_id: str) -> str:
    """How the files of a session begin: its agent may choose any id."""
    return hashlib.sha256(f"{agent}\0{session_id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Journal:
    """The file of this run. All of it blocks, and raises OSError; call it in one thread after the other."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder / FOLDER, name
        self._key = NEW

    @property
    def path(self) -> Path:
        return self._folder / f"{self._key}.{self._name}"

    def add(self, line: Mapping[str, Any]) -> None:
        append_object(self.path, dict(line))

    def identify(self, agent: str, session_id: str) -> None:
        """The session has this id from now on; its earlier runs are found by that."""
        before, self._key = self.path, key_of(agent, session_id)
        if before != self.path:
            with suppress(FileNotFoundError):
                before.rename(self.path)
            self.add({"kind": "session", "agent": agent, "id": session_id})


def new_name() -> str:
    """What a file is called behind the key of its session: names sort by when runs began."""
    return f"{time.time_ns():020}-{secrets.token_hex(6)}.jsonl"


def earlier_runs(
    store: Path,
    agent: str,
    session_id: str,
    but: str,
    is_done: IsDone | None = None,
    clear_up: ClearUp = lambda _steps: None,
) -> History:
    """What all runs but one wrote of that session; with `is_done` what a crash has cut short is settled."""
    history = History()
    for path in runs_of(store, agent, session_id):
        if not path.name.endswith(but):
            with suppress(OSError):
                run = read(path)
                if is_done is not None:
                    settle(path, run, is_done, clear_up)
                history.follow(run)
    return history


def settle(path: Path, run: History, is_done: IsDone, clear_up: ClearUp = lambda _steps: None) -> None:
    """Write down which steps of a taking were done that was cut short, as the disk shows; raises OSError.

    The rest of its turn is offered again.
    """
    for taken in [each for each in run.taken_back if not each.finished]:
        clear_up(taken.steps)
        steps = [(step, is_done(step)) for step in taken.steps]
        outcomes = [Outcome(step.change.path, ended, "" if ended else CUT_SHORT) for step, ended in steps]
        done = [step for step, ended in steps if ended]
        whole = taken.whole and len(done) == len(taken.steps)
        settled = replace(taken, outcomes=outcomes, steps=done, whole=whole, finished=True)
        append_object(path, dict(taken_line(settled)))
        run.add_taken(settled)


def runs_of(store: Path, agent: str, session_id: str) -> list[Path]:
    """The files of a session, the earliest first."""
    return sorted((store / FOLDER).glob(f"{key_of(agent, session_id)}.*.jsonl"))[-RUNS_AT_MOST:]


def read(path: Path) -> History:
    """What a file tells, as far as it can be read; raises OSError."""
    history = History()
    with open_regular(path) as file:
        while line := file.readline(READ_AT_MOST):
            value = json_object(line) if line != b"\n" else None
            if value is not None:
                with suppress(ValueError, LookupError, TypeError, AttributeError):
                    _take(history, value)
    return history


def point_line(point: Point) -> Line:
    told = {"number": point.number, "of": point.kind, "turn": point.turn, "time": point.time, "words": point.words}
    kept = {"trees": dict(point.trees), "gaps": list(point.gaps), "head": dict(point.head), "message": point.message}
    return {"kind": "point", **told, **kept}


def early_line(turn: int, states: Mapping[Key, PathState]) -> Line:
    """How these paths were before a turn's agent wrote them."""
    return {"kind": "early", "turn": turn, "rows": [[*key, *_state_row(state)] for key, state in states.items()]}


def files_line(turn: int, files: TurnFiles) -> Line:
    calls = [[*key, call] for key, call in files.calls.items()]
    sets = {name: [list(key) for key in getattr(files, name)] for name in _SETS}
    rest = {"notes": list(files.notes), "commands": files.commands}
    return {"kind": "files", "turn": turn, "calls": calls, **sets, **rest}


def calls_line(turn: int, calls: Mapping[Key, str]) -> Line:
    """What calls name while their turn goes on: a crash leaves that known."""
    return {"kind": "calls", "turn": turn, "calls": [[*key, call] for key, call in calls.items()]}


def intent_line(taken: TakenBack) -> Line:
    """What is about to be done: after a crash `settle` finds out how much of it was."""
    return {"kind": "intent", "taken": taken_to_data(taken)}


def taken_line(taken: TakenBack) -> Line:
    return {"kind": "taken", "taken": taken_to_data(taken)}


def manifest_line(root: str, manifest: str) -> Line:
    """Bytes that are to stay beside those of points."""
    return {"kind": "manifest", "root": root, "id": manifest}


def look_line(trees: Mapping[str, str]) -> Line:
    """How it was at a moment that is no point, which is to go when the session is deleted."""
    return {"kind": "look", "trees": dict(trees)}


def void_line(turn: int) -> Line:
    return {"kind": "void", "turn": turn}


def within_run(line: Line, turns: int, taken: int, points: int) -> Line:
    """A line as the file of a run has it: its turns, takings-back and points count from the beginning of that run.

    So many were in runs before it; what was undone in this one and taken back before counts down from 0.
    """
    own = dict(line)
    if "turn" in own:
        own["turn"] -= turns
    if "taken" in own:
        undoes, to = own["taken"]["undoes"], own["taken"]["back_to"]
        counted = {"number": own["taken"]["number"] - taken, "undoes": None if undoes is None else undoes - taken}
        within = {"turns": [each - turns for each in own["taken"]["turns"]], "at": own["taken"]["at"] - turns}
        within["back_to"] = None if to is None else to - points
        own["taken"] = {**own["taken"], **counted, **within}
    return own


def history_lines(history: History) -> Iterator[Line]:
    """All that a history has, in lines that give it again."""
    yield from map(point_line, history.points)
    yield from (early_line(turn, states) for turn, states in history.early.items())
    yield from (files_line(turn, files) for turn, files in history.files.items())
    yield from (calls_line(turn, calls) for turn, calls in history.named.items() if turn not in history.files)
    yield from map(taken_line, history.taken_back)
    yield from (manifest_line(root, each) for root, ids in history.manifests.items() for each in ids)


def write_beginning(store: Path, agent: str, session_id: str, history: History) -> None:
    """Have a session begin with what another one had, as if that had been its first run; raises OSError."""
    journal = Journal(store, BEGINNING)
    journal.identify(agent, session_id)
    for line in history_lines(history):
        journal.add(line)


def _take(history: History, line: Line) -> None:
    match line["kind"]:
        case "point":
            history.points.append(replace(_point(line), number=history.next_number))
        case "early":
            rows = {(row[0], row[1]): _state(row[2:]) for row in line["rows"]}
            history.early.setdefault(int(line["turn"]), {}).update(rows)
        case "calls":
            history.named.setdefault(int(line["turn"]), {}).update(_calls(line))
        case "files":
            history.files[int(line["turn"])] = _files(line)
        case "intent":
            history.add_taken(replace(taken_from_data(line["taken"]), finished=False))
        case "taken":
            history.add_taken(taken_from_data(line["taken"]))
        case "manifest":
            history.manifests.setdefault(str(line["root"]), []).append(str(line["id"]))
        case "look":
            for root, tree in line["trees"].items():
                history.looks.setdefault(str(root), []).append(str(tree))
        case "void":
            history.void(int(line["turn"]))


def _calls(line: Line) -> dict[Key, str]:
    return {(str(root), str(path)): str(call) for root, path, call in line["calls"]}


def _files(line: Line) -> TurnFiles:
    others, unknown, *later = (frozenset((str(root), str(path)) for root, path in line.get(name, ())) for name in _SETS)
    return TurnFiles(_calls(line), others, unknown, tuple(map(str, line["notes"])), bool(line["commands"]), *later)


def _point(line: Line) -> Point:
    kind: PointKind = line["of"]
    if kind not in get_args(PointKind):
        raise ValueError(kind)
    message = line.get("message")
    return Point(
        int(line["number"]),
        kind,
        int(line["turn"]),
        float(line["time"]),
        str(line["words"]),
        {str(root): str(tree) for root, tree in line["trees"].items()},
        tuple(map(str, line["gaps"])),
        {str(root): str(head) for root, head in line["head"].items()},
        message if isinstance(message, int) else None,
    )


def _state_row(state: PathState) -> list[Any]:
    return [state.kind, state.mode, state.size, state.digest, state.reason]


def _state(row: list[Any]) -> PathState:
    kind, mode, size, digest, reason = row
    return state_from_data({"kind": kind, "mode": mode, "size": size, "digest": digest, "reason": reason})
