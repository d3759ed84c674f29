"""Writes the README's table of keys from the commands: `python -m tests.house.readme_keys`."""

import re
from pathlib import Path

from acp_tui.ui.commands.key_table import key_table

README = Path(__file__).parents[2] / "README.md"
PLACE = re.compile(r"(?<=<!-- keys -->\n).*?(?=<!-- /keys -->)", re.DOTALL)


def table() -> str:
    """The table as markdown."""
    rows = [f"| {' | '.join(map(_escaped, row))} |" for row in key_table()]
    return "\n".join(["| Where | Key | Does |", "|---|---|---|", *rows]) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


if __name__ == "__main__":
    README.write_text(PLACE.sub(lambda _: table(), README.read_text(encoding="utf-8")), encoding="utf-8")
