"""Words for undo: what it is about, what happens to a path, why not, what came of it."""

from collections.abc import Collection, Sequence

from acp_tui.host.snapshots.states import PathChange, Who, told_changes
from acp_tui.host.take_back.plan import CHOSEN
from acp_tui.host.take_back.steps import Outcome, Preview, Step, TakenBack
from acp_tui.safe_text import one_line
from acp_tui.session.text.words import counted
from acp_tui.ui.render.text import cut_path

NAME = 28  # cells of a path in a line
KEPT = "What is there now is kept, and comes back when this is undone"
_WHO: dict[Who, str] = {
    "agent": "agent",
    "command": "by a command",
    "afterwards": "agent, then you?",
    "unknown": "probably yours",
    "outside": "probably yours",
    "session": "another session",
    "own": "agent's own state",
}
_WHY: dict[Who, str] = {
    "outside": "Changed between turns, probably yours",
    "unknown": "Outside any command, probably yours",
    "afterwards": "Also changed after the agent's last call",
    "session": "Changed by another session",
    "own": "The agent's own state",
}
YOURS: Collection[Who] = ("unknown", "outside", "afterwards")
PROMPT = 40  # characters of a prompt by which a turn is named
FEW = 3  # steps of which each says for itself why it is not chosen


def act_words(step: Step, *, again: bool = False) -> str:
    """What happens to the path, in a word or two; `again` where a taking back is undone."""
    match step.act:
        case "delete":
            return "delete again" if again else "delete (it did not exist)"
        case "move":
            return f"move back to {step.change.old_path}"
        case "mode":
            return f"mode {step.target.mode:04o}"
        case "link":
            return "link, as it was"
        case "folder":
            return "folder, as it was"
        case "nothing":
            return "nothing to do"
        case "write":
            return _written(step, again=again)


def _written(step: Step, *, again: bool) -> str:
    if step.content is not None:
        return "put the lines back"
    if again:
        return "write again"
    return "restore (deleted)" if step.now.kind == "absent" else "restore"


def who_words(step: Step) -> str:
    return _WHO[step.change.who]


def reason(step: Step, *, chosen: bool, why: bool = True) -> tuple[str, bool]:
    """What stands below the path, and whether it warns; empty if nothing has to be said.

    `why`: also why it is not chosen beforehand, where `why_not_chosen` does not say that for all.
    """
    if step.refusal and chosen:
        return f"{step.refusal}. {KEPT}", True
    if step.refusal:
        return (f"{step.refusal} (Space: do it all the same)" if step.forcible else step.refusal), True
    if step.act == "nothing":
        return "It is as it was already", False
    return ("" if step.chosen or not why else _WHY.get(step.change.who, "")), False


def why_not_chosen(steps: Sequence[Step]) -> list[str]:
    """For many steps: what would stand below each of them, once for all."""
    left = [step.change.who for step in steps if is_left_out(step)]
    if len(left) <= FEW:
        return []
    return [f"{counted(left.count(who), 'file')}: {_lower(words)}" for who, words in _WHY.items() if who in left]


def is_left_out(step: Step) -> bool:
    """Whether a step is not chosen beforehand for who made the change, and for nothing else."""
    return not step.chosen and not step.refusal and step.act != "nothing" and step.change.who not in CHOSEN


def can_choose(step: Step) -> bool:
    return step.act != "nothing" and (not step.refusal or step.forcible)


def title(preview: Preview) -> str:
    return f"{'Undo' if preview.undoes is None else 'Redo'} {preview.words}"


def turn_name(words: str, turn: int) -> str:
    """A turn by how its prompt begins: `"fix the parser"`; by its number where that has no words."""
    said = one_line(" ".join(words[: 10 * PROMPT].split()))
    return f'"{said if len(said) <= PROMPT else said[: PROMPT - 1].rstrip() + "…"}"' if said else f"turn {turn}"


def files_words(files: Sequence[PathChange]) -> str:
    """`4 files, 1 probably yours`, of changes that a user is told of; without what is the agent's own state."""
    work = [each for each in told_changes(files) if each.who != "own"]
    beside = sum(each.who == "session" for each in work)
    yours = sum(each.who in YOURS for each in work)
    said = [counted(len(work), "file"), f"{yours:,} probably yours" if yours else ""]
    return ", ".join(filter(None, [*said, f"{beside:,} of another session" if beside else ""]))


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def summary(taken: TakenBack, way: str) -> str:
    """What was done, in a line; `way` is the key that undoes it, empty if there is none."""
    changes = [step.change for step in taken.steps]
    untold = {change.path for change in changes} - {change.path for change in told_changes(changes)}
    done = sum(outcome.done and outcome.path not in untold for outcome in taken.outcomes)
    left = sum(not outcome.done for outcome in taken.outcomes)
    verb = "undone" if taken.undoes is None else "redone"
    said = f"{counted(done, 'file')} {verb}" if done else "Nothing was changed"
    said += f", {left:,} left alone" if left else ""
    return f"{said} ({way})" if done and way else said


def problems(taken: TakenBack, chosen: Collection[str]) -> list[Outcome]:
    """What was chosen and not done, or only in part."""
    return [each for each in taken.outcomes if each.path in chosen and (not each.done or each.said)]


def brief_names(paths: Sequence[str], most: int = 2) -> str:
    """`src/a.py, b.py +2`."""
    more = len(paths) - most
    return ", ".join(cut_path(one_line(path), NAME) for path in paths[:most]) + (f" +{more:,}" if more > 0 else "")
