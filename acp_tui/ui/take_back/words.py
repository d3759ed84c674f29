"""Words for taking back: what happens to a path, why not, what came of it."""

from collections.abc import Collection, Sequence

from acp_tui.host.take_back.preview import Outcome, Preview, Step, TakenBack
from acp_tui.safe_text import one_line
from acp_tui.ui.kit.figures import counted
from acp_tui.ui.render.text import cut_path

NAME = 28  # cells of a path in a line
KEPT = "What is there now is kept, and comes back when this is undone"
_WHO = {"agent": "agent", "outside": "not the agent", "unknown": "unknown"}
_WHY = {
    "outside": "Changed between turns: by you or another program",
    "unknown": "No tool call names it: it may be your own change",
}


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


def reason(step: Step, *, chosen: bool) -> tuple[str, bool]:
    """What stands below the path, and whether it warns; empty if nothing has to be said."""
    if step.refusal and chosen:
        return f"{step.refusal}. {KEPT}", True
    if step.refusal:
        return (f"{step.refusal} (Space: do it all the same)" if step.forcible else step.refusal), True
    if step.act == "nothing":
        return "It is as it was already", False
    return ("" if step.chosen else _WHY.get(step.change.who, "")), False


def can_choose(step: Step) -> bool:
    return step.act != "nothing" and (not step.refusal or step.forcible)


def title(preview: Preview) -> str:
    return f"{'Take back' if preview.undoes is None else 'Redo'}: {preview.words}"


def summary(taken: TakenBack, way: str) -> str:
    """What was done, in a line; `way` is the key that undoes it, empty if there is none."""
    done = sum(outcome.done for outcome in taken.outcomes)
    left = len(taken.outcomes) - done
    verb = "taken back" if taken.undoes is None else "as before it was taken back"
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
