"""Writes the README's tables of keys from the commands: `python -m tests.house.readme_keys`.

A file has a table where it has a place for it: `<!-- keys -->` ... `<!-- /keys -->` for all keys, `<!-- first keys -->`
... `<!-- /first keys -->` for those that a beginner needs.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from acp_tui.ui.commands.key_table import beginner_table, key_table

README = Path(__file__).parents[2] / "README.md"
PLACE = re.compile(r"(?<=<!-- keys -->\n).*?(?=<!-- /keys -->)", re.DOTALL)
FIRST_PLACE = re.compile(r"(?<=<!-- first keys -->\n).*?(?=<!-- /first keys -->)", re.DOTALL)


def table() -> str:
    """All keys as a table in Markdown."""
    return _table("Where", "Key", "Does", rows=key_table())


def first_table() -> str:
    """The keys that a beginner needs as a table in Markdown."""
    return _table("Key", "Does", rows=[(row.keys, row.words) for row in beginner_table()])


def _table(*head: str, rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([_escaped(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines).replace(" --- ", "---")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def write(file: Path) -> None:
    """Put the tables into their places in a file."""
    text = PLACE.sub(lambda _: table(), file.read_text(encoding="utf-8"))
    file.write_text(FIRST_PLACE.sub(lambda _: first_table(), text), encoding="utf-8")


if __name__ == "__main__":
    write(README)
