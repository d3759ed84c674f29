"""A row of a picker in columns, as far as there is room."""

from acp_tui.ui.kit.picker import Picker
from acp_tui.views.row_search import PickerRow
from tests.rows import each_of

ROWS = [
    PickerRow(1, "Change model configuration", "Mode and model", hint="Alt+O"),
    PickerRow(2, "Swift Nano", "Model · Smallest"),
    PickerRow(3, "Plain", "what it is", current=True),
]


def drawn(width: int) -> list[str]:
    picker = Picker("Commands", ROWS)
    return [str(picker.drawn(row).draw(width)) for row in ROWS]


def test_all_stand_in_their_columns_where_there_is_room() -> None:
    assert drawn(60) == [
        "  Change model configuration  Alt+O  Mode and model",
        "  Swift Nano                  Model · Smallest",
        "● Plain                       what it is",
    ]


@each_of("width", range(12, 60))
def test_on_a_narrow_screen_nothing_is_begun_of_which_nothing_can_be_read(width: int) -> None:
    for row, line in zip(ROWS, drawn(width), strict=True):
        shown = line[:width].rstrip()
        for text in (row.hint.strip(), row.description):
            begun = next((size for size in range(len(text), 0, -1) if shown.endswith(f"  {text[:size]}")), 0)
            assert begun == 0 or begun >= min(4, len(text)), shown
