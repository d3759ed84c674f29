"""The formats in which a session is exported, a row each: commands, palette and session browser follow."""

import json
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING

from acp_tui.frozen import Frozen
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.session.state import Session


class ExportFormat(Frozen):
    """A format: the ending of its files, its name on the screen, the text of a session, and more words to find it."""

    suffix: str
    label: str
    render: Callable[["Session"], str]
    also: str

    @property
    def command(self) -> str:
        """The id of the command that asks for a file and exports to it."""
        return f"export_{self.label.lower()}"

    @property
    def title(self) -> str:
        return f"Export to {self.label}"


def _markdown(session: "Session") -> str:
    text: str = late("acp_tui.session.export").to_markdown(session)
    return text


def _json(session: "Session") -> str:
    data = late("acp_tui.session.export").to_json(session)
    masked = late("acp_tui.session.text.secret_masking").masked_data(data)
    return json.dumps(masked, ensure_ascii=False, indent=2, default=str) + "\n"


MARKDOWN = ExportFormat("md", "Markdown", _markdown, "save write md share")
EXPORTS = {one.suffix: one for one in (MARKDOWN, ExportFormat("json", "JSON", _json, "save write data"))}
"""By the ending of a file's name, which says the format wherever one is given."""


def format_of(name: str) -> ExportFormat | None:
    """The format that a file's name asks for; None if its ending says none."""
    return EXPORTS.get(PurePath(name).suffix.lower().removeprefix("."))
