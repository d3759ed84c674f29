"""The order in which steps are done, so that the folder of each is there, and each folder is empty when it goes."""

from collections.abc import Iterator, Sequence

from acp_tui.host.take_back.preview import Step

OPENED = 0o300  # what the owner needs to change what a folder holds
_LAST = 6


def depth(path: str) -> int:
    """How many folders a path is below its root."""
    return path.count("/")


def parents(path: str) -> Iterator[str]:
    """The folders of a path below its root, the outermost first."""
    parts = path.split("/")[:-1]
    return ("/".join(parts[: count + 1]) for count in range(len(parts)))


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


def is_last(step: Step) -> bool:
    """Whether a step comes when all folders have what belongs into them."""
    return _rank(step)[0] == _LAST
