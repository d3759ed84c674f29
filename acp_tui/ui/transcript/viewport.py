"""The reader's window onto the layout: where it begins, what it shows, and whether it follows the end.

Every act ends in `_settle`: measure around what must stay, then look up the rows that are shown. The widget takes
`top`, `layout.total` and `shown` from here and paints.
"""

from collections.abc import Callable, Iterable
from typing import Literal

from acp_tui.session.entries import Entry, MessageEntry
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.wrap import Ticks
from acp_tui.ui.transcript.layout import Layout
from acp_tui.ui.transcript.scroll_anchor import (
    LocatedRow,
    RowPosition,
    ScrollAnchor,
    anchor_at,
    locate,
    measure_end,
    near,
    renew,
    rows_from,
    settle,
    settle_end,
    show_end,
    top_of,
)

Step = Literal["next", "previous", "next_user", "previous_user"]
EDGE = 2  # rows at top and bottom in which nothing is shown that was looked for
Here = ScrollAnchor | None  # None is the end, which is followed


class Viewport:
    """`height` rows of a layout, from row `top` on.

    `following` means that the end stays in view while the transcript grows; scrolling to the end turns it on
    and scrolling away turns it off. While `held` (something is being selected) it never turns on by itself.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.height = 0
        self.held = False
        self._start()

    def _start(self) -> None:
        self.top = 0
        self.following = True
        self.grew = False
        self.current: int | None = None
        self.shown: list[LocatedRow] = []
        self._anchor: ScrollAnchor | None = None
        self._first_new = 0
        self._without_margin = False

    @property
    def ready(self) -> bool:
        return self.height > 0 and self.layout.width > 0 and self.layout.palette is not None

    @property
    def end(self) -> int:
        return max(0, self.layout.total - self.height)

    @property
    def ticks(self) -> bool:
        """Whether something that is shown tells how long it goes on."""
        units = {(shown.place, shown.unit) for shown in self.shown}
        return any(
            isinstance(found := self.layout.open(place).units[unit], Ticks) and found.ticks for place, unit in units
        )

    @property
    def new_entries(self) -> int:
        if self.following:
            return 0
        after = self.shown[-1].place + 1 if self.shown else 0
        return max(0, len(self.layout.entries) - max(self._first_new, after))

    def load(self, entries: Iterable[Entry]) -> None:
        self.layout.load(entries)
        self._start()
        self._settle()

    def reshape(self, width: int, height: int, palette: Palette | None) -> None:
        if (width, palette) != (self.layout.width, self.layout.palette):
            self.layout.reshape(width, palette)
        self.height = height
        self._settle()

    def refresh(
        self, added: Iterable[Entry] = (), changed: Iterable[Entry] = (), removed: Iterable[Entry] = ()
    ) -> None:
        """Take over what happened to the entries; those far away are only marked."""
        for entry in added:
            self.grew |= self.layout.append(entry)
        for entry in changed:
            self.layout.change(entry)
            self.grew = True
        for entry in removed:
            self.layout.remove(entry)
        self._settle(margin=False)

    @property
    def behind(self) -> bool:
        """Whether there is more for `catch_up`."""
        return self.layout.stale or (self._without_margin and self.following)

    def catch_up(self, until: Callable[[], bool], *, margin: bool = True) -> None:
        """Look at what is outside the viewport: entries that changed, and the rows above the end (`margin`)."""
        stale, total = self.layout.stale, self.layout.total
        self.layout.catch_up(until)
        whole = margin and self._without_margin and self.following and self.ready
        whole = whole and measure_end(self.layout, self.height, until)
        if stale or self.layout.total != total:
            self._settle(margin=False)
        self._without_margin &= not whole

    def scroll_to(self, row: int) -> None:
        if row and self._without_margin and self.following:  # a few rows up are as many rows up of exact ones
            before = self.layout.total
            self._settle()
            row += self.layout.total - before
        if row >= self.end:
            self.follow_end()
            return
        if not self.ready:
            return
        self.held = False
        self._stand(anchor_at(self.layout, locate(self.layout, row)))

    def follow_end(self) -> None:
        self.held = False
        self.following = True
        self._settle()

    def hold(self, held: bool) -> None:
        if held and self.following and self.ready:
            self.held = True
            self._leave_end()
        elif not held and self.held:
            self.follow_end()

    @property
    def here(self) -> Here:
        return None if self.following else self._anchor

    def go_back(self, here: Here) -> None:
        if here is None:
            self.follow_end()
        elif self.ready:
            self._stand(here)

    def show_row(self, place: int, unit: int, row: int) -> None:
        """Have a row of a unit in view; if it is not, or at the edge, a third of the height below the top."""
        if not self.ready:
            return
        rows = self.layout.measure(place, unit)
        if not rows:
            return
        wanted = rows[min(row, len(rows) - 1)]
        if not any(shown.row is wanted for shown in self.shown[EDGE : self.height - EDGE]):
            self._stand(anchor_at(self.layout, RowPosition(place, unit, min(row, len(rows) - 1)), self.height // 3))

    def folded(self, place: int) -> bool | None:
        return self.layout.open(place).drawing.folded

    def toggle(self, place: int) -> bool:
        """Fold or unfold an entry; its first row stays where it is, or comes to the top if it is above."""
        if not self.ready:
            return False
        first_row = self._first_row(place)
        if first_row is None:
            return False
        below = max(0, top_of(self.layout, first_row) - self.top)
        anchor = anchor_at(self.layout, first_row, min(below, max(0, self.height - 1)))
        if self.layout.toggle(place) is None:
            return False
        self._stand(anchor)
        return True

    def fold_all(self, folded: bool) -> None:
        """Fold or unfold every entry that can be; the row at the top stays as near as it can."""
        anchor = None if self.following else self._anchor
        first = self.layout.fold_all(folded, -1 if anchor is None else anchor.spot.place)
        if anchor is not None:
            self._anchor = renew(self.layout, anchor, first)
        self._settle()

    def focus(self, step: Step) -> bool:
        place = self._neighbour(step) if self.ready else None
        if place is None:
            return False
        self.current = place
        self.show(place)
        return True

    def show(self, place: int) -> None:
        """Scroll so far that an entry is in view, its first rows if it is higher than the viewport."""
        spot = self._first_row(place)
        if spot is None:
            return
        rows = sum(shown.place == place for shown in rows_from(self.layout, spot, self.height + 1))
        first = self.layout.heights.before(place)
        if first < self.top or first + rows > self.top + self.height:
            self._stand(anchor_at(self.layout, spot, 0 if first < self.top else max(0, self.height - rows)))

    def _first_row(self, place: int) -> RowPosition | None:
        spot = near(self.layout, place, 0)
        return spot if spot is not None and spot.place == place else None

    def _neighbour(self, step: Step) -> int | None:
        forward = step.startswith("next")
        entries = self.layout.entries
        start = self.current
        if start is None:
            places = {shown.place for shown in self.shown}
            start = (min(places) - 1 if forward else max(places) + 1) if places else -1
        places_there = range(start + 1, len(entries)) if forward else range(min(start, len(entries)) - 1, -1, -1)
        for place in places_there:
            entry = entries[place]
            is_user = isinstance(entry, MessageEntry) and entry.role == "user"
            wanted = is_user or not (entry is None or step.endswith("user") or not entry.opens)
            if wanted and self._first_row(place) is not None:
                return place
        return None

    def _stand(self, anchor: Here) -> None:
        self._leave_end()
        self._anchor = anchor
        self._settle()

    def _leave_end(self) -> None:
        if self.following:
            self.following = False
            self.grew = False
            self._first_new = len(self.layout.entries)

    def _settle(self, *, margin: bool = True) -> None:
        """Find the top and the rows shown; following is decided here and nowhere else.

        Without a `margin` what is above the end waits for `catch_up`: an agent may write faster than all is measured.
        """
        if not self.ready:
            return
        if self.following or self._anchor is None:
            self.top = (settle_end if margin else show_end)(self.layout, self.height)
            self._without_margin = not margin
            kept = None
        else:
            self.top, kept = settle(self.layout, self._anchor, self.height)
            self.following = self.top >= self.end and not self.held
        if self.following:
            self.grew = False
        self._look(kept)

    def _look(self, kept: ScrollAnchor | None) -> None:
        spot = locate(self.layout, self.top)
        self.shown = [] if spot is None else rows_from(self.layout, spot, self.height)
        if kept is not None and top_of(self.layout, kept.spot) == self.top:
            self._anchor = kept
        else:
            self._anchor = anchor_at(self.layout, spot)
