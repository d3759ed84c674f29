"""Banners: rows above the prompt, or in it, by which features say what holds for the next prompt, each with its key."""

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import Static

from acp_tui.frozen import Frozen
from acp_tui.ui.kit.theme import MUTED, Hint, key_hints
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.formatting import SEPARATOR

GAP = 2  # cells before the keys
LEAST = 8  # cells of the words beside keys that always stay
NO_KEYS = Content("")
Form = tuple[str, Content]  # words, and the keys at the right


class Banner(Frozen):
    """What is said in one row, its longest form first; a form serves where its words have `least` cells, or their own.

    `about` are ideas below it, `hints` keys in a row of their own; a click anywhere does the `action`.
    """

    forms: Sequence[Form]
    tone: str = MUTED
    least: int | None = None
    about: Sequence[str] = ()
    hints: Sequence[Hint] = ()
    action: Callable[[], object] | None = None

    def rows(self, width: int) -> list[Content]:
        """The rows, in so many cells."""
        about = [Content.styled(sanitise_line(row, width), MUTED) for row in packed(self.about, width)]
        keys = [key_hints(self.hints, width)] if self.hints else []
        return [self._first(width), *about, *keys]

    def _first(self, width: int) -> Content:
        for words, keys in self.forms:
            room = width - keys.cell_length - GAP if keys else width
            if room >= (cell_len(words) if self.least is None else self.least):
                break
        left = Content.styled(cut(sanitise_line(words, 400), max(LEAST, room)), self.tone)
        gap = max(1, width - left.cell_length - keys.cell_length) if keys else 0
        return Content.assemble(left, " " * gap, keys)


def packed(ideas: Sequence[str], width: int) -> list[str]:
    """The ideas in as few rows as they need; none goes over two rows."""
    rows: list[str] = []
    for idea in ideas:
        if rows and len(rows[-1] + SEPARATOR + idea) <= width:
            rows[-1] += SEPARATOR + idea
        else:
            rows.append(idea)
    return rows


class Banners(Static):
    """The banners of the features `who`, in this order of theirs, with a blank row between two where there is room."""

    DEFAULT_CSS = "Banners { display: none; height: auto; margin: 0 0 1 0; }"

    def __init__(self, *who: str) -> None:
        super().__init__()
        self._said: dict[str, Sequence[Banner]] = dict.fromkeys(who, ())
        self._drawn: object = None  # what is painted, and for which room
        self._actions: Sequence[Callable[[], object] | None] = ()

    def put(self, who: str, *banners: Banner) -> None:
        """Say this, and nothing else of that feature; without a banner say nothing of it."""
        if banners != self._said[who]:
            self._said[who] = banners
            self.display = any(self._said.values())
            self._draw()

    @property
    def is_seen(self) -> bool:
        """Whether they have a place; a question may have that of the prompt."""
        return all(node.display for node in self.ancestors_with_self)

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self._draw())

    def on_click(self, event: events.Click) -> None:
        action = self._actions[event.y] if event.y < len(self._actions) else None
        if action is not None:
            event.stop()
            action()

    def _draw(self) -> None:
        if not (self.is_mounted and self.display and self.size.width):
            return
        said = [*self._said.values()], self.size.width, self.screen.has_class("-short")
        if said != self._drawn:
            self._drawn = said
            rows = [*self._rows(self.size.width, gap=not said[2])]
            self._actions = [action for _, action in rows]
            self.update(Content("\n").join(row for row, _ in rows))

    def _rows(self, width: int, *, gap: bool) -> Iterator[tuple[Content, Callable[[], object] | None]]:
        shown = [banners for banners in self._said.values() if banners]
        for number, banners in enumerate(shown):
            if number and gap:
                yield Content(""), None
            yield from ((row, banner.action) for banner in banners for row in banner.rows(width))
