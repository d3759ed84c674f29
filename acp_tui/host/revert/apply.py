"""Steps done on the disk, each by itself; none that fails stops the others. It blocks: call it in a thread."""

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType

from acp_tui.errors import Fault, reason_of
from acp_tui.host.revert import file_operations
from acp_tui.host.revert.disk_state import ContentStore, LeftAlone, at, found_at, look
from acp_tui.host.revert.file_operations import CHANGED, LEFT, NotKept, why_left
from acp_tui.host.revert.steps import DiskState, Key, Outcome, Preview, Step, as_done, depth, operations, parents
from acp_tui.host.snapshots.path_state import ABSENT, PathChange, PathState, same, told_changes
from acp_tui.host.system.atomic_replace import beside, put, remove
from acp_tui.host.system.sandbox_paths import RequestFault, SandboxPath, SandboxRoots

OPENED = 0o300  # what the owner needs to change what a folder holds
_LAST = 6
_BESIDE = re.compile(r"\.(.{1,50})\.[0-9a-f]{12}", re.DOTALL)


class FileProgress:
    """How many files are through, of how many: the thread that writes counts, others look at it."""

    def __init__(self) -> None:
        self.done = self.of = 0
        self._left = set[Key]()

    def begin(self, steps: Sequence[Step]) -> None:
        """Folders that only come or go with what is in them do not count, as nowhere else."""
        self._left = {change.key for change in told_changes([step.change for step in steps])}
        self.done, self.of = 0, len(self._left)

    def add(self, step: Step) -> None:
        if step.change.key in self._left:
            self._left.discard(step.change.key)
            self.done += 1


def keep_before(steps: Iterable[Step], roots: SandboxRoots, store: ContentStore) -> str:
    """Keep what is at the paths of these steps, before any is done; why that failed for the first that could not be.

    A path that is not as it was shown any more is left alone later.
    """
    trouble = ""
    for step in steps:
        if step.now.digest and not store.has(step.now.digest):
            try:
                with suppress(RequestFault, OSError), at(*step.change.key, roots) as place:
                    file_operations.keep(place, step.now, store)
            except NotKept as error:
                trouble = trouble or str(error)
            except LeftAlone:
                continue
    return trouble


def unkept_steps(steps: Iterable[Step], kept: Collection[str], store: ContentStore) -> list[Step]:
    """The steps, of those that may be done, by which bytes would go that are neither `kept` nor in a snapshot."""
    return [
        step
        for step in steps
        if step.may_be_done and step.now.digest not in kept and step.now.kind in ("file", "link")
        if step.act not in ("mode", "nothing")
        if step.now.digest != step.change.after.digest or not store.has(step.now.digest)
    ]


def take_back(
    preview: Preview,
    chosen: Sequence[Step],
    roots: SandboxRoots,
    store: ContentStore,
    progress: FileProgress | None = None,
    unkept: Mapping[Key, str] = MappingProxyType({}),
    keep: Callable[[], Mapping[Key, str]] = dict,
) -> tuple[list[Outcome], list[Step]]:
    """Do these steps of a preview: what came of each, and those that were done, with what is needed to undo them.

    A refused one is done only if it is `forcible`, and none whose bytes are `unkept`, by a full disk. On the same disk
    files make room that go, so those that are kept go first, and `keep` may find less to refuse after that.
    """
    progress, wanted = progress or FileProgress(), {step.change.key for step in chosen}
    steps = [step for step in preview.steps if step.change.key in wanted]
    roomy = [step for step in steps if unkept and step.act == "delete" and step.now.digest]
    first = {step.change.key for step in roomy} - unkept.keys()
    applying = _Applying(preview.steps, roots, store, progress)
    progress.begin(chosen)
    try:
        applying.do_all([step for step in steps if step.change.key in first], {})
        unkept = keep() if applying.done else unkept
        applying.do_all([step for step in steps if step.change.key not in first], unkept)
    finally:
        applying.finish_folders()
    places = {step.change.path: number for number, step in enumerate(preview.steps)}
    return sorted(applying.outcomes, key=lambda each: places.get(each.path, len(places))), applying.done


def is_done(step: Step, roots: SandboxRoots) -> bool:
    """Whether the disk is as a step makes it."""
    found = [(found_at(*each.change.key, roots), each.target) for each in operations(step)]
    return all(not here.trouble and same(here.state, target) for here, target in found)


def clear_up(steps: Iterable[Step], roots: SandboxRoots) -> None:
    """Remove what an undo that was killed has left beside the paths of these steps under a name of
    `atomic_replace.beside`.

    Only what was there or was to be there, for both are kept; what somebody has written meanwhile stays.
    """
    beside: dict[Key, dict[str, list[tuple[str, Step]]]] = {}
    for step in steps:
        for path in filter(None, (step.change.path, step.change.old_path)):
            folder, _, name = path.rpartition("/")
            beside.setdefault((step.change.root, folder), {}).setdefault(name[:50], []).append((path, step))
    for (root, folder), known in beside.items():
        with suppress(OSError):
            names = found_at(root, folder, roots).holds if folder else os.listdir(root)  # noqa: PTH208 (names)
            for name, found in [(name, _BESIDE.fullmatch(name)) for name in names]:
                if found is not None and found[1] in known:
                    _settle(root, f"{folder}/{name}".removeprefix("/"), known[found[1]], roots)


def _settle(root: str, left: str, known: Iterable[tuple[str, Step]], roots: SandboxRoots) -> None:
    """Remove what is left if it is kept; a file that was to be exchanged and has no name now gets that again."""
    with suppress(LeftAlone, OSError, RequestFault), at(root, left, roots) as aside:
        state = look(aside).state
        for path, step in known if state.digest else ():
            with at(root, path, roots) as place:
                if state.digest == step.now.digest and step.target.kind != "absent" and look(place).state == ABSENT:
                    put(aside, place)
                    return
        if state.digest and any(state.digest in (step.now.digest, step.target.digest) for _, step in known):
            remove(aside)
        elif state == PathState("folder", 0o700) and any(step.target.kind == "folder" for _, step in known):
            file_operations.discard(aside)  # if it is empty


def ordered(steps: Sequence[Step]) -> list[Step]:
    """Closed folders are opened; then files go, folders come, files move, folders go, files come, modes change."""
    return sorted(steps, key=_rank)


def _rank(step: Step) -> tuple[int, int]:
    down = depth(step.change.path)
    if step.act == "mode" and step.target.kind == "folder":
        opens = step.target.mode & OPENED == OPENED and step.now.mode & OPENED != OPENED
        return (0, down) if opens else (_LAST, -down)
    if step.act == "delete" and step.now.kind != "folder":
        return 1, -down
    if step.target.kind == "folder":
        return 2, down
    if step.act == "move":
        return 3, down
    if step.now.kind == "folder":
        return 4, -down  # it goes, and what takes its place comes at once
    return 5, down


class _Applying:
    """Steps that are done one after the other.

    Folders that are made for them are private until all that belongs into them is there. One that a path needs gets
    its mode from `steps`, which are all that are known, done or not.
    """

    def __init__(self, steps: Sequence[Step], roots: SandboxRoots, store: ContentStore, progress: FileProgress) -> None:
        self._roots, self._store, self._progress = roots, store, progress
        self.outcomes: list[Outcome] = []
        self.done: list[Step] = []
        self._begun = False  # what a step is about was as it was shown
        self._folders = {step.change.key: step for step in steps if step.target.kind == "folder"}
        self._there = set[Key]()
        self._made: list[tuple[Step, tuple[int, int] | None]] = []
        self._acts: dict[str, Callable[[Step], str]] = {
            "write": self._write,
            "link": self._write,
            "folder": self._write,
            "delete": self._delete,
            "move": self._move,
            "mode": self._set_mode,
            "nothing": lambda _: "",
        }

    def do_all(self, steps: Sequence[Step], unkept: Mapping[Key, str]) -> None:
        for step in ordered(steps):
            if _rank(step)[0] == _LAST:
                self.finish_folders()
            words = unkept.get(step.change.key, "") if step.may_be_done else step.refusal
            refused = Outcome(step.change.path, False, words)
            self.outcomes.append(refused if words else self._tried(step, self._acts[step.act]))
            self._progress.add(step)

    def _tried(self, step: Step, act: Callable[[Step], str]) -> Outcome:
        self._begun = False
        try:
            return Outcome(step.change.path, True, act(step))
        except LeftAlone as error:
            return Outcome(step.change.path, False, str(error))
        except (RequestFault, Fault, OSError, ValueError, LookupError) as error:
            return self._settled(step, why_left(error))

    def _settled(self, step: Step, words: str) -> Outcome:
        """What came of an operation that failed; if it was done by then it is noted, so that it can be undone."""
        here = found_at(*step.change.key, self._roots).state
        if not self._begun or same(here, step.now) or not _same_but_mode(here, step.target):
            return Outcome(step.change.path, False, words)
        self._did(step, here.mode)
        return Outcome(step.change.path, True, words.replace(LEFT, "Partly done: "))

    def _did(self, step: Step, mode: int | None = None) -> str:
        """Note what was done, with the mode that came of it; what has to be said of that."""
        self.done.append(as_done(step, mode))
        return _said_of_mode(step.target, self.done[-1].target)

    def _checked(self, place: SandboxPath, step: Step) -> DiskState:
        found = file_operations.checked(place, step.now)
        self._begun = True
        return found

    def _write(self, step: Step, like: SandboxPath | None = None) -> str:
        """`like`: a file at another place, whose attributes come along."""
        self._make_folders_of(*step.change.key)
        with at(*step.change.key, self._roots) as place:
            found = self._checked(place, step)
            file_operations.keep(place, step.now, self._store)
            new, target = beside(place), step.target
            pieces = self._store.pieces(target.digest) if step.content is None else [step.content]
            mode = file_operations.make(new, target, pieces, place if found.state.kind == "file" else like)
            file_operations.replace_by(new, place, step.now)
            if target.kind == "folder":
                self._note_folder(step, place)
                return ""
        return self._did(step, mode)

    def _delete(self, step: Step) -> str:
        with at(*step.change.key, self._roots) as place:
            self._checked(place, step)
            if step.now.kind == "folder":
                file_operations.remove_folder(place)
            elif step.now.kind != "absent":
                file_operations.keep(place, step.now, self._store)
                file_operations.take(place, step.now)
        return self._did(replace(step, target=ABSENT))

    def _move(self, step: Step) -> str:
        """Both operations, of which a kill or a failure in between leaves the old name back and the new one there."""
        written, *away = operations(step)
        if not away:
            return self._write(written)
        with at(*step.change.key, self._roots) as here:
            found = file_operations.checked(here, step.now)
            file_operations.keep(here, step.now, self._store)
            like = here if found.state.kind == "file" else None
            back = self._tried(written, lambda each: self._write(each, like))
        if not back.done:
            raise LeftAlone(back.said)
        gone = self._tried(away[0], self._delete)
        if not gone.done:
            why = gone.said.removeprefix(LEFT)
            return f"Restored as {step.change.old_path}, but this copy could not be removed: {why}"
        self.done[-2:] = [as_done(step, self.done[-2].target.mode)]
        return back.said or gone.said

    def _set_mode(self, step: Step) -> str:
        with at(*step.change.key, self._roots) as place:
            found = self._checked(place, step)
            if step.now.kind == "folder":
                mode = file_operations.set_folder_mode(place, step.target.mode)
            else:
                mode = file_operations.set_file_mode(place, found, step.target.mode)
        return self._did(step, mode)

    def _note_folder(self, step: Step, place: SandboxPath) -> None:
        self._there.add(step.change.key)
        self._made.append((as_done(step), look(place).node))

    def _make_folders_of(self, root: str, path: str) -> None:
        """Make the folders of a path that are missing. Raises `LeftAlone` or `OSError`."""
        for folder in parents(path):
            if (root, folder) not in self._there:
                with at(root, folder, self._roots) as place:
                    self._make_folder(root, folder, place)
                self._there.add((root, folder))

    def _make_folder(self, root: str, path: str, place: SandboxPath) -> None:
        with suppress(FileNotFoundError):
            if not stat.S_ISDIR(os.stat(place.name, dir_fd=place.folder, follow_symlinks=False).st_mode):
                raise LeftAlone(f"{LEFT}{path} is no longer a folder")
            return
        if step := self._folders.get((root, path)):
            file_operations.make_folder(place)
            self._note_folder(replace(step, act="folder", now=ABSENT), place)
            return
        os.mkdir(place.name, dir_fd=place.folder)  # its mode is not known: as any new one
        state = look(place).state
        self._note_folder(Step(PathChange(root, path, "deleted", state, ABSENT), "folder", ABSENT, state), place)

    def finish_folders(self) -> None:
        made, self._made = sorted(self._made, key=lambda each: -depth(each[0].change.path)), []
        for step, node in made:
            mode, path = 0o700, step.change.path
            try:
                with at(*step.change.key, self._roots) as place:
                    if look(place).node != node:
                        raise LeftAlone(CHANGED)
                    mode = file_operations.set_folder_mode(place, step.target.mode)
            except (LeftAlone, OSError) as error:
                self.outcomes = [each for each in self.outcomes if each.path != path]
                self.outcomes.append(Outcome(path, True, f"Restored, but readable only by you: {reason_of(error)}"))
            self.done.append(replace(step, target=PathState("folder", mode)))


def _same_but_mode(one: PathState, other: PathState) -> bool:
    return one.kind == other.kind != "unknown" and one.digest == other.digest


def _said_of_mode(wanted: PathState, got: PathState) -> str:
    if wanted.kind == "link" or wanted.mode == got.mode:
        return ""
    if wanted.mode & 0o777 == got.mode & 0o777:
        return "Restored without its setuid or setgid bit"
    return f"Restored with mode {got.mode:04o}, not {wanted.mode:04o}"
