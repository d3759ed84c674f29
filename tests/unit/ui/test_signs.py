"""Every sign that is drawn is one cell wide, in every table of widths."""

import ast
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from acp_tui.safe_text import sanitise
from acp_tui.ui.entries.base_units import ANY_TOOL, ICONS, LEFT_OPEN, STATUSES

ROOT = Path(__file__).parents[3] / "acp_tui"
NOT_DRAWN = ("wrap.py", "row_painter.py", "ansi.py", "diff.py")  # they read characters of others
OTHER_WIDTHS = range(0x2630, 0x2638), range(0x268A, 0x2690), range(0x4DC0, 0x4E00)  # wide since Unicode 16


def signs(folder: str) -> Iterator[str]:
    for path in (ROOT / folder).rglob("*.py"):
        if path.name not in NOT_DRAWN:
            texts = (node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
            yield from (sign for text in texts if isinstance(text, str) for sign in text if not sign.isascii())


@pytest.mark.parametrize("folder", ["ui", "views", "session/folds", "host"])
def test_every_sign_is_one_cell_wide(folder: str) -> None:
    drawn = {sign for sign in signs(folder) if sign not in "\ufeff\x9b"}
    assert drawn
    wide = {sign for sign in drawn if unicodedata.east_asian_width(sign) in "WF" or cell_len(sign) != 1}
    newer = {sign for sign in drawn if any(ord(sign) in each for each in OTHER_WIDTHS)}
    assert (wide, newer) == (set(), set())


def test_none_of_them_would_be_replaced_in_foreign_text() -> None:
    for sign in (*ICONS.values(), ANY_TOOL, LEFT_OPEN, *(sign for sign, _ in STATUSES.values())):
        assert sanitise(sign) == sign
