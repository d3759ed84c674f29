"""The changes of one session's turns in its folders, and taking them back."""

import time
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from acp_tui.errors import Fault, UserFault
from acp_tui.host.changes.attribution import Key
from acp_tui.host.changes.comparison import Beside, Comparison
from acp_tui.host.changes.history_tables import taken_rows
from acp_tui.host.changes.session_folders import Moment, Stores
from acp_tui.host.changes.snapshot_history import Changes, Point, Progress, TurnFiles, own_words
from acp_tui.host.changes.turn_tracker import TurnPoints, shortened
from acp_tui.host.revert import apply, plan
from acp_tui.host.revert.apply import FileProgress
from acp_tui.host.revert.file_operations import why_not_kept
from acp_tui.host.revert.plan import OUTSIDE
from acp_tui.host.revert.steps import LineSpan, Preview, Step, TakenBack
from acp_tui.host.snapshots.folder_store import FolderStore
from acp_tui.host.snapshots.path_state import PathChange, told_changes, work_of
from acp_tui.host.system.sandbox_paths import SandboxRoots
from acp_tui.host.system.threads import in_thread
from acp_tui.session.changes import Publisher
from acp_tui.session.facts import FilesChanged, FilesTakenBack, Noticed

LOOKS_AT_MOST = 100
"""Manifests of how it was at some moment between points; then all go but the last ones."""
NOW_KEPT = 8
NAMES = 5  # files that a fact names


class SessionChanges(Publisher[[]]):
    """Everything that takes time is awaited, and raises `UserFault`; the loop waits for nothing.

    `off` says why no snapshots are taken, empty if they are. `progress`: of the first one, while it is made. `points`
    are those of the session, earlier runs and what its branch began with among them, in order. `taken_back`: in order,
    undone ones too. It publishes, in the loop, that one of these has another value.
    """

    off: str
    progress: Progress | None
    points: Sequence[Point]
    taken_back: Sequence[TakenBack]

    def __init__(self, turns: TurnPoints, beside: Beside) -> None:
        self.turns = turns
        self.comparing = Comparison(turns, beside)
        self._looks: list[Mapping[str, str]] = []
        turns.changed.subscribe(self.notice)
        self.notice()

    def notice(self) -> None:
        now = self.turns.folders.off, self.turns.progress
        self.off, self.progress = now
        self.points = tuple(self.turns.history.points)
        self.taken_back = tuple(self.turns.history.taken_back)
        self.publish()

    @property
    def turn_number(self) -> int:
        """Which turn goes on, or was the last one, from 1; 0 before the first."""
        return self.turns.turn

    def reach(self, folders: Sequence[str]) -> None:
        """The session has these folders from now on; one that is new is kept from the next snapshot on."""
        self.turns.folders.written = tuple(folders)

    def typed(self) -> None:
        """The user begins to write a prompt: how it is now is how it will be when that goes out."""
        self.turns.typed()

    async def look(self, since: Point | None = None) -> Point:
        """How it is now: a point that is in no list. What was kept at `since` is looked at though it is ignored now."""
        folders, history = self.turns.folders, self.turns.history
        await folders.open()
        if folders.off:
            raise UserFault(folders.off)
        taken = await folders.take(self.turns.also(), follow=since.trees if since is not None else None)
        if not taken.trees:
            raise UserFault("No snapshot was taken", "; ".join(taken.gaps))
        self._looks.append(taken.trees)
        if len(self._looks) > LOOKS_AT_MOST:
            old, self._looks = self._looks[:-NOW_KEPT], self._looks[-NOW_KEPT:]
            self.turns.start(folders.drop, old)
        return Point(history.next_number, "now", self.turns.turn, time.time(), "", taken.trees, taken.gaps, taken.head)

    async def between(self, since: Point, until: Point) -> Changes:
        """What changed from one point to a later one; a path that is as it was is not in it."""
        if until.kind == "now" and not until.trees:
            until = await self.look(since)
        return await self.comparing.between(since, until)

    async def texts(self, change: PathChange) -> tuple[bytes | None, bytes | None]:
        """What a file held before and after; None where there was none, it is not kept, or it is a folder."""
        return await in_thread(partial(_texts, self._stores, change))

    async def text_now(self, step: Step) -> bytes | None:
        """What the path of a step holds now; None where it is no file, or not as it was found any more."""
        return await in_thread(partial(_text_now, self._stores, self._roots, step))

    async def preview(
        self, words: str, changes: Changes, files: Sequence[PathChange], *, pointed: bool = False
    ) -> Preview:
        """What it would do to take these files of `changes` back to how they were at `changes.since`.

        What the user `pointed` at is chosen whoever changed it, unless something speaks against it, and nothing is said
        of other files. Else the agent's own state is left alone, in one note.
        """
        chain = self.comparing.chain(changes)
        several = {key: whose for key, whose in chain.items() if len(whose) > 1}
        outside = [OUTSIDE] if self.comparing.commands_ran(changes) else []
        own = () if pointed else [each for each in files if each.who == "own"]
        files = files if pointed else work_of(files)
        notes = () if pointed else tuple(dict.fromkeys((*changes.notes, *_own_notes(own), *outside)))
        act = partial(plan.plan_revert, words, files, self._roots, self._stores, chain=several, notes=notes)
        whole = {change.key for change in files} >= {change.key for change in work_of(changes.files)}
        preview = await in_thread(act)
        preview = replace(preview, turns=_turns_of(changes), whole=whole, back_to=changes.since.number)
        return preview.pointed() if pointed else preview

    async def preview_hunk(self, change: PathChange, span: LineSpan) -> Preview:
        return await in_thread(partial(plan.plan_hunk_revert, change, span, self._roots, self._stores))

    async def preview_undo(self, taken: TakenBack) -> Preview:
        """What it would do to undo that; an undone one is done again."""
        return await in_thread(partial(plan.plan_redo, taken, self._roots, self._stores))

    async def take_back(
        self, preview: Preview, steps: Collection[Step], progress: FileProgress | None = None
    ) -> TakenBack:
        """Do these steps of a preview, refused ones only where they are `forcible`; the rest is left as it is.

        `progress` tells meanwhile how many files are through.
        """
        turns = self.turns
        if turns.session.turn.active:
            raise UserFault("The agent is working", "Undo runs when the turn ends.")
        number, disk = len(turns.history.taken_back) + 1, (self._roots, self._stores)
        wanted = {step.change.key for step in steps}
        chosen = [step for step in preview.steps if step.change.key in wanted]
        meant = [step for step in chosen if step.act != "nothing"]
        about = preview.words, meant, (), preview.undoes, preview.turns, preview.whole, preview.back_to
        intent = TakenBack(*about, number=number, time=time.time(), at=turns.turn, finished=False)
        await turns.written()
        safety = UndoBackup(turns, intent, *disk)
        unkept = await in_thread(safety.keep)
        turns.history.add_taken(intent)  # which is all that is known of it if nobody waits for its end
        act = partial(apply.take_back, preview, chosen, *disk, progress, unkept, safety.keep)
        outcomes, done = await in_thread(act)
        taken = replace(intent, time=time.time(), outcomes=outcomes, steps=done, finished=True)
        turns.history.add_taken(taken)
        turns.write(taken_rows, taken)
        if not turns.session.closed:
            turns.session.apply(files_taken_back(taken))
            if done and safety.unwritten:
                lost = "It may be lost when you quit."
                turns.session.apply(Noticed("warning", "This undo was not saved", safety.unwritten, lost))
        turns.moments.want(Moment("taken_back", turns.turn, shortened(preview.words)))
        self.notice()
        return taken

    def last_turn(self, passed: Container[int] = ()) -> tuple[Point, Point] | None:
        """The newest turn that changed files and is not undone, besides those that were `passed` by: from its prompt to
        its end, or to now. A turn is undone once it was, whatever of it did not come back then.
        """
        history = self.turns.history
        for since in reversed([point for point in self.points if point.kind == "prompt" and point.trees]):
            later = [each for each in self.points if each.number > since.number and each.trees]
            ended = next((each for each in later if each.kind in ("ended", "opened")), None)
            files = history.files.get(since.turn)
            changed = ended is None or files is None or bool(files.keys)
            if changed and since.turn not in passed and not self._is_undone(since.turn):
                now = Point(history.next_number, "now", self.turns.turn, time.time())
                return since, ended or now
        return None

    def files_from(self) -> dict[int, int]:
        """By the turns: how many files this one and all later ones changed, as far as that is known and not undone."""
        keys, counts = set[Key](), dict[int, int]()
        for turn, files in sorted(self.turns.history.files.items(), reverse=True):
            keys |= set() if self._is_undone(turn) else files.keys
            counts[turn] = len(keys)
        return counts

    def before(self, prompts: int, words: str) -> Point | None:
        """The point at which the user's message number `prompts`, from 0, that begins with `words` went out."""
        asked = _compared(shortened(words))
        found = [point for point in self.points if point.kind == "prompt" and _same(_compared(point.words), asked)]
        exact = [point for point in found if point.message == prompts]
        if exact:
            return exact[-1]
        return found[0] if len(found) == 1 else None

    async def sum_up(self, since: Point, until: Point) -> None:
        """A turn has ended: find out what it changed, and say so in the session."""
        session = self.turns.session
        try:
            files, changed = await self.comparing.sum_up(since, until)
        except Fault as fault:
            files, changed = TurnFiles(notes=(fault.title,)), ()
            self.turns.not_compared.add(since.turn)
        self.turns.calls.pop(since.turn, None)  # where that failed what they named is in the history
        if (work := work_of(changed)) and not session.closed:
            session.apply(files_changed(since, until, work, files))
        self.notice()

    def _is_undone(self, turn: int) -> bool:
        """Whether a turn was undone as a whole, or each file of it by itself, and that was not undone since."""
        covering = [taken for taken in in_effect(self.taken_back) if turn in taken.turns]
        done = [step.change for taken in covering for step in taken.steps]
        back = {(change.root, path) for change in done for path in (change.path, change.old_path)}
        files = self.turns.history.files.get(turn)
        singly = files is not None and bool(files.keys) and not files.keys - back
        return singly or any(taken.whole for taken in covering)

    @property
    def _roots(self) -> SandboxRoots:
        return SandboxRoots([Path(folder.root) for folder in self.turns.folders])

    @property
    def _stores(self) -> Stores:
        folders = list(self.turns.folders)
        if not folders:
            raise UserFault(self.off or "No snapshot yet")
        return Stores(folders)


class UndoBackup:
    """The backup for one undo: the bytes that it replaces are kept and named, and what is meant is written down.

    `unwritten`: why it could not be written down that this is meant. After a kill in the midst nothing but the files
    themselves tells of it then: the next start offers the whole turn again, in which what is back has nothing to do,
    but the agent is not told, and nothing can be redone.
    """

    def __init__(self, turns: TurnPoints, intent: TakenBack, roots: SandboxRoots, store: Stores) -> None:
        self._turns, self._intent, self._roots, self._store = turns, intent, roots, store
        self._folders = list(turns.folders)
        self.unwritten = ""

    def keep(self) -> dict[Key, str]:
        """Keep what will be replaced, so that no crash and no pruning takes it, as far as the disk takes it.

        The paths that would lose what could not be kept, with why. It blocks. Raises `UserFault` where nothing can be
        done after that.
        """
        steps, trouble, named = self._intent.steps, "", list[FolderStore]()
        try:
            trouble = apply.keep_before(steps, self._roots, self._store)
            for folder in self._folders:
                folder.hold(step.now for step in steps)
                named.append(folder)
        except (Fault, OSError) as error:
            trouble = trouble or why_not_kept(error)
        digests = {step.now.digest for step in steps if trouble and step.now.digest}
        kept = {each for each in digests if any(folder.has(each) for folder in named)}
        unkept = apply.unkept_steps(steps, kept, self._store) if trouble else []
        if trouble and len(unkept) == sum(step.may_be_done for step in steps):
            raise UserFault("No file was changed", trouble)
        self._write()
        return {step.change.key: trouble for step in unkept}

    def _write(self) -> None:
        try:
            self.unwritten = ""
            self._turns.write_now(taken_rows, self._intent)
        except Fault as fault:
            self.unwritten = fault.message


def in_effect(takings: Sequence[TakenBack]) -> list[TakenBack]:
    """The finished takings that undid turns and were not undone since: each undoing of one turns that about."""
    first: dict[int, TakenBack] = {}  # by number: what it undoes or redoes in the end
    stands: dict[int, bool] = {}
    for taken in (each for each in takings if each.finished):
        origin = first.get(taken.undoes, taken) if taken.undoes is not None else taken
        first[taken.number] = origin
        stands[origin.number] = not stands.get(origin.number, False)
    return [origin for number, origin in first.items() if number == origin.number and stands[number]]


def _turns_of(changes: Changes) -> range:
    """The turns between two points; of one that is under way when it begins only if that is its prompt."""
    first = changes.since.turn if changes.since.kind == "prompt" else changes.since.turn + 1
    return range(first, changes.until.turn + 1)


def _texts(stores: Stores, change: PathChange) -> tuple[bytes | None, bytes | None]:
    before, after = (
        stores.get(state.digest) if state.kind in ("file", "link") and state.digest else None
        for state in (change.before, change.after)
    )
    return before, after


def _text_now(stores: Stores, roots: SandboxRoots, step: Step) -> bytes | None:
    if step.now.kind == "link" and stores.has(step.now.digest):
        return stores.get(step.now.digest)
    if step.now.kind != "file":
        return None
    try:
        return plan.text_now(step.change, step.now, roots)
    except UserFault:
        return None


def _compared(words: str) -> str:
    return words.removesuffix("…").rstrip()


def _same(one: str, other: str) -> bool:
    return one == other or (bool(one) and bool(other) and (one.startswith(other) or other.startswith(one)))


def files_changed(since: Point, until: Point, changed: Sequence[PathChange], files: TurnFiles) -> FilesChanged:
    told = told_changes(changed)
    yours = files.unknown | files.afterwards
    names = sorted(told, key=lambda each: (each.key in yours, each.key in files.others, each.path))
    return FilesChanged(
        since.turn,
        len(told),
        sum(each.added or 0 for each in changed),
        sum(each.removed or 0 for each in changed),
        tuple(each.path for each in names[:NAMES]),
        sum(each.key in yours for each in told),
        tuple(dict.fromkeys((*since.gaps, *until.gaps, *files.notes))),
    )


def files_taken_back(taken: TakenBack) -> FilesTakenBack:
    told = told_changes([step.change for step in taken.steps if step.act != "nothing"])
    done = [change.path for change in told]
    left = sum(not outcome.done for outcome in taken.outcomes)
    return FilesTakenBack(taken.words, len(done), left, tuple(done[:NAMES]), undone=taken.undoes is not None)


def _own_notes(own: Sequence[PathChange]) -> list[str]:
    """What has to be said of changes to an agent's own state, which stays as it is: one idea for all of it."""
    words = own_words(own)
    return [f"The agent's own files are left alone: {words}"] if words else []
