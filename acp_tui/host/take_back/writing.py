"""Steps done on the disk, each by itself; none that fails stops the others. It blocks: call it in a thread."""

import errno
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from acp_tui.errors import Fault, reason_of
from acp_tui.host.services.replacing import beside, put
from acp_tui.host.services.request_fault import RequestFault
from acp_tui.host.services.roots import Place, Roots
from acp_tui.host.snapshots.states import ABSENT, PathChange, PathState
from acp_tui.host.take_back import acts
from acp_tui.host.take_back.acts import CHANGED, LeftAlone, NotKept
from acp_tui.host.take_back.disk import NoWay, Store, at, found_at, look
from acp_tui.host.take_back.made_folders import MadeFolders
from acp_tui.host.take_back.order import is_last, ordered
from acp_tui.host.take_back.plan import Found, same
from acp_tui.host.take_back.preview import Outcome, Preview, Step


class Interrupted(Exception):
    """Nobody waits any more: what came of the steps before, as of `take_back`."""

    def __init__(self, outcomes: Sequence[Outcome], steps: Sequence[Step]) -> None:
        self.outcomes, self.steps = outcomes, steps
        super().__init__("interrupted")


def take_back(
    preview: Preview,
    chosen: Collection[Step],
    roots: Roots,
    store: Store,
    check: Callable[[], None] = lambda: None,
    through: Callable[[Step], None] = lambda _: None,
) -> tuple[list[Outcome], list[Step]]:
    """Do these steps of a preview: what came of each, and those that were done, with what is needed to undo them.

    A refused one is done only if it is `forcible`. `check` is called between two steps; if it raises, `Interrupted` is
    raised from that. `through` is told each step behind it.
    """
    wanted = {step.change.key for step in chosen}
    taking = _Taking(preview.steps, roots, store)
    steps = ordered([step for step in preview.steps if step.change.key in wanted])
    try:
        for step in steps:
            check()
            if is_last(step):
                taking.finish()
            taking.do(step)
            through(step)
    except Exception as error:
        taking.finish()
        raise Interrupted(taking.outcomes, taking.done) from error
    taking.finish()
    places = {step.change.path: number for number, step in enumerate(preview.steps)}
    return sorted(taking.outcomes, key=lambda each: places.get(each.path, len(places))), taking.done


def keep_before(steps: Iterable[Step], roots: Roots, store: Store) -> str:
    """Keep what is at the paths of these steps, before any is done; why that failed for the first that could not be.

    A path that is not as it was shown any more is left alone later.
    """
    trouble = ""
    for step in steps:
        if step.now.digest and not store.has(step.now.digest):
            try:
                with suppress(NoWay, RequestFault, OSError), at(*step.change.key, roots) as place:
                    acts.keep(place, step.now, store)
            except LeftAlone as error:
                trouble = trouble or (str(error) if isinstance(error, NotKept) else "")
    return trouble


class _Taking:
    """Steps that are done one after the other, and folders that are made for them."""

    def __init__(self, steps: Sequence[Step], roots: Roots, store: Store) -> None:
        self._roots, self._store = roots, store
        self.outcomes: list[Outcome] = []
        self.done: list[Step] = []
        self._folders = MadeFolders(steps, roots)
        self._begun = False  # what a step is about was as it was shown
        self._acts: dict[str, Callable[[Step], str]] = {
            "write": self._write,
            "link": self._write,
            "folder": self._write,
            "delete": self._delete,
            "move": self._move,
            "mode": self._set_mode,
            "nothing": lambda _: "",
        }

    def do(self, step: Step) -> None:
        """Do a step, and note what came of it."""
        if step.refusal and not step.forcible:
            self.outcomes.append(Outcome(step.change.path, False, step.refusal))
            return
        self._begun = False
        try:
            said = self._acts[step.act](step)
        except (LeftAlone, NoWay) as error:
            self.outcomes.append(Outcome(step.change.path, False, str(error)))
        except (RequestFault, Fault, OSError, ValueError, LookupError) as error:
            self.outcomes.append(self._settled(step, _words(error)))
        else:
            self.outcomes.append(Outcome(step.change.path, True, said))

    def _settled(self, step: Step, words: str) -> Outcome:
        """What came of a step that failed; if it was done by then it is noted, so that it can be undone."""
        change, target = step.change, step.target
        if not self._begun:
            return Outcome(change.path, False, words)
        here = found_at(*change.key, self._roots).state
        if step.act == "move":
            there = found_at(change.root, change.old_path, self._roots).state
            if not _same_but_mode(there, target) or here.kind != "absent" or step.now.kind == "absent":
                return Outcome(change.path, False, words)
            self._did(step, there.mode)
        elif same(here, step.now) or not _same_but_mode(here, target):
            return Outcome(change.path, False, words)
        else:
            self._did(step, here.mode)
        return Outcome(change.path, True, words.replace("Left as it is: ", "Done, but not all of it: "))

    def finish(self) -> None:
        """Give folders that were made their modes, the innermost first, and note them."""
        steps, troubles = self._folders.finish()
        self.done += steps
        for path, words in troubles:
            self.outcomes = [each for each in self.outcomes if each.path != path]
            self.outcomes.append(Outcome(path, True, words))

    def _did(self, step: Step, mode: int | None = None) -> str:
        """Note what was done, with the mode that came of it; what has to be said of that."""
        target = step.target if mode is None else replace(step.target, mode=mode)
        self.done.append(replace(step, target=target, content=None, refusal="", forcible=False, chosen=True))
        return _said_of_mode(step.target, target)

    def _checked(self, place: Place, step: Step) -> Found:
        found = acts.checked(place, step.now)
        self._begun = True
        return found

    def _write(self, step: Step) -> str:
        root, path = step.change.key
        self._folders.make_for(root, path)
        with at(root, path, self._roots) as place:
            found = self._checked(place, step)
            acts.keep(place, step.now, self._store)
            mode = self._put_target(step, place, place if found.state.kind == "file" else None, step.now)
            if step.target.kind == "folder":
                self._folders.note(step, place)
                return ""
        return self._did(step, mode)

    def _put_target(self, step: Step, place: Place, old: Place | None, shown: PathState) -> int | None:
        """Make what the target is and put it into a place that is as it was `shown`; the mode that a file got."""
        new, mode = beside(place), None
        try:
            if step.target.kind == "file":
                mode = acts.make_file(new, self._bytes(step), step.target, old)
            elif step.target.kind == "link":
                acts.make_link(new, b"".join(self._bytes(step)))
            elif step.target.kind == "folder":
                acts.make_folder(new)
            else:
                raise LeftAlone("Left as it is: it is not known how it was")
        except BaseException:
            acts.discard(new)
            raise
        acts.replace_by(new, place, shown)
        return mode

    def _bytes(self, step: Step) -> Iterable[bytes]:
        return self._store.pieces(step.target.digest) if step.content is None else [step.content]

    def _delete(self, step: Step) -> str:
        with at(*step.change.key, self._roots) as place:
            self._checked(place, step)
            if step.now.kind == "folder":
                acts.remove_folder(place)
            elif step.now.kind != "absent":
                acts.keep(place, step.now, self._store)
                acts.take(place, step.now)
        return self._did(replace(step, target=ABSENT))

    def _set_mode(self, step: Step) -> str:
        with at(*step.change.key, self._roots) as place:
            found = self._checked(place, step)
            if step.now.kind == "folder":
                mode = acts.set_folder_mode(place, step.target.mode)
            else:
                mode = acts.set_file_mode(place, found, step.target.mode)
        return self._did(step, mode)

    def _move(self, step: Step) -> str:
        change = step.change
        if step.now.kind == "absent":
            return self._write(_written(step))
        self._folders.make_for(change.root, change.old_path)
        with at(*change.key, self._roots) as here, at(change.root, change.old_path, self._roots) as there:
            found = self._checked(here, step)
            other = look(there)
            if other.state != ABSENT and not _only_case(change, found, other):
                raise LeftAlone(f"Left as it is: {change.old_path} is in use again")
            acts.keep(here, step.now, self._store)
            if other.state != ABSENT:
                return self._recase(step, here, there)
            if (step.now.kind, step.now.digest) == (step.target.kind, step.target.digest):
                try:
                    return self._rename(step, here, there)
                except OSError as error:
                    if error.errno != errno.EXDEV:
                        raise
            return self._move_by_writing(step, here, there)

    def _rename(self, step: Step, here: Place, there: Place) -> str:
        try:
            put(here, there)
        except FileExistsError as error:
            raise LeftAlone(CHANGED) from error
        found = look(there)
        if not same(found.state, step.now):
            with suppress(FileExistsError):
                put(there, here)
                raise LeftAlone(CHANGED)
            raise LeftAlone(f"Changed during the undo: one version is {step.change.old_path}")
        mode = step.now.mode
        if step.target.kind == "file" and mode != step.target.mode:
            with suppress(LeftAlone, OSError):  # then it is said which mode it has
                mode = acts.set_file_mode(there, found, step.target.mode)
        return self._did(step, mode)

    def _recase(self, step: Step, here: Place, there: Place) -> str:
        """A name that differs only in case, where that does not count: there is one file all the time."""
        mode = self._put_target(step, here, here if step.now.kind == "file" else None, step.now)
        os.rename(here.name, there.name, src_dir_fd=here.folder, dst_dir_fd=there.folder)
        return self._did(step, mode)

    def _move_by_writing(self, step: Step, here: Place, there: Place) -> str:
        mode = self._put_target(step, there, here if step.now.kind == "file" else None, ABSENT)
        try:
            acts.take(here, step.now)
        except (LeftAlone, OSError) as error:
            self._did(_written(step), mode)
            return f"Is back as {step.change.old_path}, and stays here too: {_words(error)}"
        return self._did(step, mode)


def _same_but_mode(one: PathState, other: PathState) -> bool:
    return one.kind == other.kind != "unknown" and one.digest == other.digest


def _written(step: Step) -> Step:
    """The half of a move that brings the old name back."""
    change = replace(step.change, path=step.change.old_path, old_path="", status="deleted", after=ABSENT)
    return replace(step, change=change, act="link" if step.target.kind == "link" else "write", now=ABSENT)


def _only_case(change: PathChange, here: Found, there: Found) -> bool:
    return (
        here.node == there.node
        and change.path != change.old_path
        and change.path.casefold() == change.old_path.casefold()
    )


def _said_of_mode(wanted: PathState, got: PathState) -> str:
    if wanted.kind == "link" or wanted.mode == got.mode:
        return ""
    if wanted.mode & 0o777 == got.mode & 0o777:
        return "Came back without its setuid or setgid bit"
    return f"Came back with mode {got.mode:04o}, not {wanted.mode:04o}"


def _words(error: Exception) -> str:
    if isinstance(error, LeftAlone | NoWay):
        return str(error)
    if isinstance(error, Fault):
        return f"Left as it is: {error.message or error.title}"
    if isinstance(error, LookupError):
        return "Left as it is: its bytes are no longer kept"
    return f"Left as it is: {reason_of(error)}"
