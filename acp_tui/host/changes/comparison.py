"""Comparison of the points of a session: changes, whose work they are, and what has to be said of them."""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

from acp_tui.errors import Fault, UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.changes.attribution import Evidence, Key, Named, TurnCalls, attributed, change_times, keys_of
from acp_tui.host.changes.history_tables import files_rows, runs_since
from acp_tui.host.changes.session_folders import FolderComparison
from acp_tui.host.changes.snapshot_history import Changes, History, Point, TurnFiles
from acp_tui.host.changes.turn_tracker import TurnPoints
from acp_tui.host.revert.plan import behind
from acp_tui.host.snapshots.folder_store import LineCounts
from acp_tui.host.snapshots.path_state import PathChange, PathState, Who, same, status_of
from acp_tui.host.system.paths import tells_change_times
from acp_tui.host.system.threads import in_thread

SPANS = 4  # comparisons of which is known what became of each path between their points
RUNS_READ = 20  # of others, after a turn
OVERLAPPED = "Another session worked in this folder at the same time; its changes may be included"
NO_TREE = "One of the two snapshots is missing"


class Neighbours(Frozen):
    """What other sessions did in the same folders at the same time; `notes` says where that cannot be told."""

    named: Sequence[Named] = ()
    notes: tuple[str, ...] = ()


Beside = Callable[[float, float], Neighbours]
"""Other sessions from one time (Unix seconds) to another; it blocks."""


class Comparison:
    """Compares points. `beside` finds what other sessions did."""

    def __init__(self, points: TurnPoints, beside: Beside) -> None:
        self._points, self._beside = points, beside
        self._spans: list[tuple[Changes, Mapping[Key, Sequence[Who]]]] = []
        self._going_on: Mapping[int, TurnFiles] = {}  # of turns whose end is not compared yet

    async def between(self, since: Point, until: Point) -> Changes:
        """What changed; raises `UserFault` where it cannot be told."""
        if not since.trees or not until.trees:
            raise UserFault(NO_TREE, "; ".join((*since.gaps, *until.gaps)))
        chain = [since, *(each for each in self._points.history.points if self._is_between(each, since, until)), until]
        compared = await self._points.folders.compare([point.trees for point in chain])
        compared = await self._with_early(compared, since, until)
        await self._look_at_calls(compared.files)
        back = [self._taken_back(*ends) for ends in pairwise(chain)]
        whose = {f.key: self._whose(f, compared.intervals.get(f.key, ()), chain, back) for f in compared.files}
        files = [self._attributed(file, whose[file.key], chain) for file in compared.files]
        turns = {point.turn for point in chain}
        said = [note for turn in sorted(turns) for note in self._files_of(turn).notes]
        notes = dict.fromkeys((*since.gaps, *until.gaps, *compared.notes, *compared.refs, *said))
        changes = Changes(since, until, files, tuple(notes))
        self._spans = [*self._spans[1 - SPANS :], (changes, whose)]
        return changes

    def chain(self, changes: Changes) -> Mapping[Key, Sequence[Who]]:
        """Who changed each path in each interval in which it changed, the oldest first; nothing for a single turn."""
        return next((whose for known, whose in self._spans if known is changes), {})

    def commands_ran(self, changes: Changes) -> bool:
        turns = range(changes.since.turn, changes.until.turn + 1)
        live = [calls.commands for turn, calls in self._points.calls.items() if turn in turns]
        return any(self._files_of(turn).commands for turn in turns) or any(live)

    async def sum_up(self, since: Point, until: Point) -> tuple[TurnFiles, Sequence[PathChange]]:
        points = self._points
        if not since.trees or not until.trees:
            return TurnFiles(), ()
        calls = points.calls.get(since.turn, TurnCalls())
        compared = await points.folders.compare([since.trees, until.trees])
        compared = await self._with_early(compared, since, until)
        beside = await in_thread(self._beside, since.time, until.time) if compared.files else Neighbours()
        evidence = await in_thread(self._evidence, calls, beside.named, (since, until))
        found = await in_thread(self._with_who, compared.files, evidence)
        notes = list(beside.notes)
        if evidence.named.cut:
            notes.append("The agent named more files than acp-tui tracks; the others are unattributed")
        if any(each.who == "session" for each in found):
            notes.append("Another session changed files at the same time")
        files = _turn_files(found, tuple(notes), commands=calls.commands)
        points.history.files[since.turn] = files
        points.calls.pop(since.turn, None)
        points.history.named.pop(since.turn, None)
        points.write(files_rows, since.turn, files)
        return files, found

    def _is_between(self, point: Point, since: Point, until: Point) -> bool:
        return since.number < point.number < until.number and bool(point.trees) and point.kind != "now"

    def _files_of(self, turn: int) -> TurnFiles:
        return self._points.history.files.get(turn, TurnFiles())

    def _whose(
        self, file: PathChange, intervals: Sequence[int], chain: Sequence[Point], back: Sequence[Collection[Key]]
    ) -> tuple[Who, ...]:
        """Who changed it in each interval in which it changed; where it only was taken back, nobody did."""
        at = intervals or range(len(chain) - 1)[-1:]
        others = [each for each in at if file.key not in back[each]]
        return tuple(self._who(file, chain[each]) for each in others or at)

    def _taken_back(self, since: Point, until: Point) -> Collection[Key]:
        """The paths that were taken back between these, so that at the end they were as that left them."""
        if until.kind != "taken_back":
            return ()
        taken = (each for each in self._points.history.taken_back if since.takings < each.number <= until.takings)
        return {key for each in taken for step in each.steps for key in keys_of(step.change)}

    def _who(self, file: PathChange, began: Point) -> Who:
        """Who changed it in the interval that began at this point: a turn is from its prompt to its end."""
        return self._turn_files(began.turn).who(keys_of(file)) if self._in_turn(began) else "outside"

    def _in_turn(self, point: Point) -> bool:
        if point.kind in ("ended", "opened") or not point.turn:
            return False
        of_turn = [each for each in self._points.history.points if each.turn == point.turn]
        begun = any(each.kind == "prompt" and each.number <= point.number for each in of_turn)
        # One that was killed in a turn wrote no end of it down: the next start of the session is that.
        ended = any(each.kind in ("ended", "opened") and each.number <= point.number for each in of_turn)
        return begun and not ended

    def _turn_files(self, turn: int) -> TurnFiles:
        """Of a turn that goes on, or was cut short by a crash, what is known until now."""
        history = self._points.history
        cut_short: dict[Key, str] = dict.fromkeys(history.early.get(turn, {}), "")
        cut_short |= history.named.get(turn, {})
        return history.files.get(turn) or self._going_on.get(turn) or TurnFiles(cut_short)

    async def _look_at_calls(self, files: Sequence[PathChange]) -> None:
        going_on = {}
        for turn, calls in list(self._points.calls.items()):
            evidence = await in_thread(self._evidence, calls)
            going_on[turn] = _turn_files(await in_thread(self._with_who, files, evidence))
        self._going_on = going_on

    def _evidence(self, calls: TurnCalls, others: Sequence[Named] = (), ends: Sequence[Point] = ()) -> Evidence:
        """What is known of a turn, which goes on or has these `ends`; it blocks."""
        points = self._points
        background = {each.tool_call_id for each in points.session.turn.background}
        heads = [each.head for each in ends] or [{}, {}]
        return Evidence(
            calls.named(points.folders.roots),
            calls.ran(points.wall, background),
            others,
            [root for root, head in heads[0].items() if heads[1].get(root) != head],
            {*points.own_folders, *points.history.own_folders},
            no_calls=not calls.calls and not calls.written,
        )

    def _with_who(self, files: Sequence[PathChange], evidence: Evidence) -> list[PathChange]:
        """The changes of one turn with who made each; it blocks."""
        roots = [each.root for each in self._points.folders]
        times = {root: change_times(root, proves=tells_change_times(root)) for root in roots}
        return attributed(files, evidence, lambda change: times[change.root](change) if change.root in times else None)

    def _attributed(self, file: PathChange, whose: Sequence[Who], chain: Sequence[Point]) -> PathChange:
        who: Who = "unknown" if "outside" in whose and len(set(whose)) > 1 else behind(whose, file.who)
        call = ""
        if who in ("agent", "afterwards"):
            turns = dict.fromkeys(point.turn for point in reversed(chain))
            calls = (self._turn_files(turn).calls for turn in turns)
            call = next((calls_of[key] for calls_of in calls for key in keys_of(file) if key in calls_of), "")
        return replace(file, who=who, tool_call=call)

    async def _with_early(self, compared: FolderComparison, since: Point, until: Point) -> FolderComparison:
        """The same with what was kept early, where a turn's prompt does not know how a path was."""
        early = self._points.history.early.get(since.turn, {}) if since.kind == "prompt" else {}
        if not early:
            return compared
        unknown = {each.key: each for each in compared.files if each.key in early and each.before.kind == "unknown"}
        files = [each for each in compared.files if each.key not in unknown]
        shown = {each.key for each in files}
        changed = await self._early_changes({key: early[key] for key in early if key not in shown}, since, until)
        told = [unknown[key] for key in unknown if key not in changed and early[key].kind == "unknown"]
        return replace(compared, files=[*files, *changed.values(), *told])

    async def _early_changes(self, early: Mapping[Key, PathState], since: Point, until: Point) -> dict[Key, PathChange]:
        """What became of paths that were kept early, where something did and the prompt did not know by itself."""
        found: dict[Key, PathChange] = {}
        for folder in list(self._points.folders):
            root = folder.root
            paths = [path for of, path in early if of == root and early[of, path].kind != "unknown"]
            if not paths or root not in until.trees or root not in since.trees:
                continue
            known = await in_thread(folder.states, since.trees[root], paths)
            later = await in_thread(folder.states, until.trees[root], paths)
            for path in [path for path in paths if known[path].kind == "unknown" != later[path].kind]:
                before, after = early[root, path], later[path]
                if not same(before, after):
                    change = PathChange(root, path, status_of(before, after), before, after)
                    found[root, path] = await in_thread(LineCounts(folder.get).counted, change)
        return found


def _turn_files(found: Sequence[PathChange], notes: tuple[str, ...] = (), *, commands: bool = False) -> TurnFiles:
    """What a turn changed, by who did."""
    by = {who: frozenset(each.key for each in found if each.who == who) for who in {each.who for each in found}}
    return TurnFiles(
        {each.key: each.tool_call for each in found if each.who in ("agent", "afterwards")},
        by.get("session", frozenset()),
        by.get("unknown", frozenset()),
        notes,
        commands,
        by.get("command", frozenset()),
        by.get("afterwards", frozenset()),
        by.get("own", frozenset()),
    )


def named_beside(mine: TurnPoints, others: Sequence[TurnPoints], since: float, until: float) -> Neighbours:
    """What others named from one time (Unix seconds) to another; it blocks."""
    roots = {folder.root for folder in mine.folders}
    beside = [each for each in others if roots & {folder.root for folder in each.folders}]
    found = [named for each in beside for named in _of_session(each, since, until)]
    own = {run for each in (mine, *others) for run in each.history.runs}
    for folder in mine.folders:
        with suppress(Fault):
            for history in runs_since(folder, since, own, RUNS_READ):
                found += _of_history(history, since, until, alive=True)
    return Neighbours(tuple(found), (OVERLAPPED,) if found else ())


def _of_session(turns: TurnPoints, since: float, until: float) -> Iterator[Named]:
    yield from _of_history(turns.history, since, until, alive=False)
    if turns.active or turns.calls:
        yield from (calls.named(turns.folders.roots) for calls in list(turns.calls.values()))


def _of_history(history: History, since: float, until: float, *, alive: bool) -> Iterator[Named]:
    prompts = {point.turn: point.time for point in history.points if point.kind == "prompt"}
    ends = {point.turn: point.time for point in history.points if point.kind == "ended"}
    for turn, began in prompts.items():
        ended = ends.get(turn, time.time() if alive and turn == max(prompts) else began)
        if began <= until and ended >= since:
            calls: dict[Key, str] = dict.fromkeys(history.early.get(turn, {}), "") | history.named.get(turn, {})
            if turn in history.files:
                calls |= history.files[turn].calls
            yield Named(calls)
