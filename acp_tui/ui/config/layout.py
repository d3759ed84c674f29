"""How much of the selector bar fits: pure arithmetic over cells, so that it can be tested without a screen."""

from dataclasses import dataclass

from rich.cells import cell_len

GAP = 3
FIXED = " (fixed)"  # after the value of an option that the agent cannot change


@dataclass(frozen=True, slots=True)
class Label:
    """One option on the bar: its name, its value, and the key that changes it (empty where it has none)."""

    option_id: str
    name: str
    value: str
    key: str = ""
    in_flight: bool = False
    fixed: bool = False

    @property
    def shown(self) -> str:
        """The value, and what is to be said of it."""
        return self.value + ("…" if self.in_flight else FIXED if self.fixed else "")

    def width(self, with_key: bool) -> int:
        """Cells that it takes."""
        parts = [self.name, self.shown]
        if with_key and self.key:
            parts.append(self.key)
        return sum(map(cell_len, parts)) + len(parts) - 1


@dataclass(frozen=True, slots=True)
class Placed:
    """What is shown: the labels, whether with keys, and how many more there are."""

    labels: tuple[Label, ...]
    with_keys: bool
    hidden: int


def place(labels: list[Label], width: int) -> Placed:
    """Show as much as fits in `width` cells: all with keys, else all without, else the first of them."""
    for with_keys in (True, False):
        if _total(labels, with_keys) <= width:
            return Placed(tuple(labels), with_keys, 0)
    shown, taken = min(1, len(labels) - 1), -GAP
    for count, label in enumerate(labels[:-1], 1):
        taken += GAP + label.width(False)
        if taken + GAP + len(f"+{len(labels) - count}") > width:
            break
        shown = count
    return Placed(tuple(labels[:shown]), False, len(labels) - shown)


def _total(labels: list[Label], with_keys: bool) -> int:
    return sum(label.width(with_keys) for label in labels) + GAP * max(0, len(labels) - 1)
