"""Undo of files as it is shown: what would happen to each path and why not, what came of it, what the agent is told."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from posixpath import join
from typing import NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.host.revert.plan import CHOSEN
from acp_tui.host.revert.steps import Outcome, Preview, Step, TakenBack
from acp_tui.host.snapshots.path_state import PathChange, Who, folders_above, told_changes, work_of
from acp_tui.safe_text import one_line
from acp_tui.session.text.phrases import counted, note_of
from acp_tui.views.changed_files import WHO
from acp_tui.views.formatting import Span, StyledText, brief, brief_path

NAME = 28  # characters of a path in a line
LONGEST = 1_000  # of one that stands alone, and of a reason
LISTED = 300  # files left alone that are named, each with its reason; 30,000 of them stop the screen for 3 s
KEPT = "The current version is saved; /redo restores it"
YOURS: Collection[Who] = ("unknown", "outside", "afterwards")
REASONS: Sequence[Who] = ("outside", "unknown", "afterwards", "session", "own")
"""Whose changes are not chosen beforehand, in the order in which that is said."""
PROMPT = 40  # characters of a prompt by which a turn is named
FEW = 3  # steps of which each says for itself why it is not chosen
SINCE = "everything since "
CAME_OR_WENT = {"folder", "absent"}


def act_words(step: Step, *, again: bool = False, new: str = "in this turn") -> str:
    """What happens to the path, in a word or two; `again` where a taking back is undone, `new` as of `time_of`."""
    match step.act:
        case "delete":
            return "delete again" if again else f"delete (new {new})"
        case "move":
            return f"move back to {step.change.old_path}"
        case "mode":
            return f"mode {step.target.mode:04o}"
        case "link":
            return "restore symlink"
        case "folder":
            return "restore folder"
        case "nothing":
            return "nothing to do"
        case "write":
            return _written(step, again=again)


def time_of(preview: Preview) -> str:
    """When that was which a preview is about: `in this turn`, `since then`, `in this session`."""
    if preview.words.startswith(SINCE):
        return "since then"
    return "in this turn" if len(preview.turns) == 1 and not preview.words.startswith("all ") else "in this session"


def _written(step: Step, *, again: bool) -> str:
    if step.content is not None:
        return "restore lines"
    if again:
        return "reapply"
    return "restore (deleted)" if step.now.kind == "absent" else "restore"


class StepRow(NamedTuple):
    """A step of a preview in a list: whether it is chosen, its path, what happens to it, who changed it.

    Below it stands why it is not chosen, or what else has to be said.
    """

    box: Span
    path: Span
    act: Span
    who: str
    below: StyledText


def step_row(step: Step, *, chosen: bool, again: bool = False, why: bool = True, new: str = "in this turn") -> StepRow:
    """`again` where a taking back is undone; `why` as in `reason`, `new` as of `time_of`."""
    tone = "" if chosen else "muted"
    box = ("☑" if chosen else "☐") if can_choose(step) else "–"
    said, warns = reason(step, chosen=chosen, why=why)
    below = [(brief(f"{'△ ' if warns else ''}{said}", 400), "warning" if warns else "muted")] if said else []
    act = one_line(act_words(step, again=again, new=new), 400)
    return StepRow(
        (box, "user" if chosen else "faint"),
        (one_line(step.change.path), tone),
        (act, "error" if chosen and step.act == "delete" else tone),
        "" if again else WHO[step.change.who].brief,
        below,
    )


def reason(step: Step, *, chosen: bool, why: bool = True) -> tuple[str, bool]:
    """What stands below the path, and whether it warns; empty if nothing has to be said.

    `why`: also why it is not chosen beforehand, where `why_not_chosen` does not say that for all.
    """
    if step.refusal and chosen:
        return f"{step.refusal}. {KEPT}", True
    if step.refusal:
        return (f"{step.refusal} (Space to include it anyway)" if step.forcible else step.refusal), True
    if step.act == "nothing":
        return "Nothing to undo", False
    return ("" if step.chosen or not why else WHO[step.change.who].reason), False


def why_not_chosen(steps: Sequence[Step]) -> list[str]:
    """For many steps: what would stand below each of them, once for all."""
    left = [step.change.who for step in steps if is_left_out(step)]
    if len(left) <= FEW:
        return []
    return [f"{counted(left.count(who), 'file')}: {lowered(WHO[who].reason)}" for who in REASONS if who in left]


def is_left_out(step: Step) -> bool:
    """Whether a step is not chosen beforehand for who made the change, and for nothing else."""
    return not step.chosen and not step.refusal and step.act != "nothing" and step.change.who not in CHOSEN


def can_choose(step: Step) -> bool:
    return step.act != "nothing" and step.may_be_done


def turn_name(words: str, turn: int) -> str:
    """A turn by how its prompt begins: `"fix the parser"`; by its number where that has no words."""
    said = brief(" ".join(words[: 10 * PROMPT].split()), PROMPT)
    return f'"{said}"' if said else f"turn {turn}"


def since_words(words: str, turn: int = 0) -> str:
    """All from one turn on: `everything since "fix the parser"`."""
    return f"{SINCE}{turn_name(words, turn) if words or turn else 'this message'}"


def files_words(files: Sequence[PathChange], chosen: Sequence[bool] = ()) -> str:
    """`4 files, 1 probably yours`, of changes that a user is told of; without what is the agent's own state.

    `3 of 4 files`, if not all of them are `chosen`.
    """
    work = work_of(told_changes(files))
    picked = {file.key for file, is_chosen in zip(files, chosen, strict=False) if is_chosen}
    count = sum(file.key in picked for file in work) if chosen else len(work)
    beside = sum(each.who == "session" for each in work)
    yours = sum(each.who in YOURS for each in work)
    of = f"{count:,} of " if count < len(work) else ""
    said = [f"{of}{counted(len(work), 'file')}", f"{yours:,} probably yours" if yours else ""]
    return ", ".join(filter(None, [*said, f"{beside:,} from another session" if beside else ""]))


def lowered(words: str) -> str:
    return words[:1].lower() + words[1:]


def summary(taken: TakenBack, way: str) -> str:
    """What was done, in a line; `way` is the key that undoes it, empty if there is none."""
    changes = [step.change for step in taken.steps]
    untold = {change.path for change in changes} - {change.path for change in told_changes(changes)}
    done = sum(outcome.done and outcome.path not in untold for outcome in taken.outcomes)
    left = sum(not outcome.done for outcome in taken.outcomes)
    verb = "undone" if taken.undoes is None else "redone"
    said = f"{counted(done, 'file')} {verb}" if done else "No files were changed"
    said += f", {left:,} skipped" if left else ""
    return f"{said} ({way})" if done and way else said


def problems(taken: TakenBack, chosen: Collection[str]) -> list[Outcome]:
    """What was chosen and not done, or only in part."""
    return [each for each in taken.outcomes if each.path in chosen and (not each.done or each.said)]


def left_alone(outcomes: Sequence[Outcome]) -> list[tuple[StyledText, StyledText]]:
    """A file and below it why it is not as was shown, each; of many the last ones are counted by their reasons."""
    told: list[tuple[StyledText, StyledText]] = []
    for each in outcomes[:LISTED]:
        sign = ("△ partly done  ", "warning") if each.done else ("✗ skipped  ", "error")
        below = brief(each.said, LONGEST) or "reason unknown"
        told.append(([sign, (one_line(each.path, LONGEST), "")], [(below, "muted")]))
    more = Counter(brief(each.said, LONGEST) for each in outcomes[LISTED:])
    for said, count in more.most_common(LISTED):
        told.append(([(f"… {counted(count, 'more file')}: {said}", "")], []))
    return told


def brief_names(paths: Sequence[str], most: int = 2) -> str:
    """`src/a.py, b.py +2`."""
    more = len(paths) - most
    return ", ".join(brief_path(one_line(path), NAME) for path in paths[:most]) + (f" +{more:,}" if more > 0 else "")


class RestoredFiles(Frozen):
    """The files that are `back` as they were before, and those in which changes are there `again`; both sorted."""

    back: Sequence[str] = ()
    again: Sequence[str] = ()
    before: str = "these changes"

    def __bool__(self) -> bool:
        return bool(self.back or self.again)

    @property
    def words(self) -> str:
        """`the undone files: src/a.py, b.py +2`."""
        said = [f"the undone files: {brief_names(self.back)}"] if self.back else []
        said += [f"the redone files: {brief_names(self.again)}"] if self.again else []
        return ", ".join(said)

    @property
    def note(self) -> str:
        return note_of(self.back, self.again, self.before)


def news_of(taken: Iterable[TakenBack], cwd: str) -> RestoredFiles:
    """What it comes to: what was undone again among these is not there at all."""
    done = {each.number: each for each in taken}
    files: dict[str, bool] = {}  # whether a file is back
    for each in done.values():
        undone = done.get(each.undoes) if each.undoes is not None else None
        for change in told_changes([step.change for step in each.steps]):
            path = _named(change, cwd)
            if undone is None:
                files[path] = each.undoes is None
            else:
                files.pop(path, None)
    turns = {turn_of(each): each.words for each in done.values() if each.undoes is None and not each.undone}
    [(turn, words), *others] = [*turns.items()] or [(0, "")]
    before = f"my message {words}" if turn and not others and words.startswith('"') else "these changes"
    back = sorted(path for path, is_back in files.items() if is_back)
    return RestoredFiles(back, sorted(path for path, is_back in files.items() if not is_back), before)


def _named(change: PathChange, cwd: str) -> str:
    return change.path if change.root == cwd else join(change.root, change.path)


def turn_of(taken: TakenBack) -> int:
    """The number of the one turn that was undone; 0 where it was something else, or a redo."""
    return taken.turns.start if len(taken.turns) == 1 and taken.undoes is None else 0


def with_its_folders(file: PathChange, changes: Sequence[PathChange]) -> list[PathChange]:
    """A file and, of all changes, the folders that came with it alone, or that went with it."""
    around = set(folders_above(file))
    beside = {key for each in changes if each.key not in around | {file.key} for key in folders_above(each)}
    folders = [each for each in changes if each.key in around and {each.before.kind, each.after.kind} == CAME_OR_WENT]
    return [file, *(each for each in folders if each.after.kind == "absent" or each.key not in beside)]


def implied_folders(steps: Sequence[Step]) -> dict[int, list[int]]:
    """The numbers of these folders' steps, and of the steps below each. One that is refused is not among them."""
    own = {step.change.key: at for at, step in enumerate(steps) if _comes_or_goes(step)}
    below: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        for key in folders_above(step.change):
            if key in own:
                below.setdefault(own[key], []).append(at)
    return below


def with_folders(chosen: Sequence[bool], steps: Sequence[Step], below: Mapping[int, Sequence[int]]) -> list[bool]:
    """What is chosen, and the folders: made where anything below is chosen, deleted where nothing below is left."""
    found = list(chosen)
    for at, numbers in below.items():
        own = [number for number in numbers if number not in below]
        gone = all(chosen[number] or steps[number].act == "nothing" for number in own)
        found[at] = any(chosen[number] for number in own) and (steps[at].act == "folder" or gone)
    return found


def _comes_or_goes(step: Step) -> bool:
    made = step.act == "folder" and step.now.kind == "absent"
    return not step.refusal and (made or (step.act == "delete" and step.now.kind == "folder"))
