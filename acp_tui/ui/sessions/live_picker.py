"""A list of work that goes on: its rows change while it is open, and none of them moves."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from acp_tui.ui.kit.list_panel import PanelKeys
from acp_tui.ui.kit.picker import Picker
from acp_tui.ui.kit.theme import CLOSE, MOVE
from acp_tui.views.row_search import PickerRow, Value

EACH = 1.0  # seconds between two looks


class LivePicker(Picker[Value]):
    """Asks `rows` again each second: the same in the same order, and new ones behind them."""

    KEYS: ClassVar[PanelKeys] = (MOVE, ("enter", "open"), CLOSE)

    def __init__(self, title: str, rows: Callable[[], Sequence[PickerRow[Value]]]) -> None:
        super().__init__(title, rows())
        self._read = rows

    def start(self) -> None:
        super().start()
        self.set_interval(EACH, self._refresh)

    def _refresh(self) -> None:
        before = self.list.value
        at = next((at for at, (row, _) in enumerate(self._rows) if row is before), None)
        self._rows = [(row, self.drawn(row)) for row in self._read()]
        self.__dict__.pop("_index", None)  # of the rows as they were
        kept = None if at is None else self._rows[at][0]
        self.fit()
        self.fill(lambda row: row is kept)
