"""A session as plain data and as Markdown: the proof that all of it is in the state."""

from acp_tui.session.export.json import to_json
from acp_tui.session.export.markdown import to_markdown

__all__ = ["to_json", "to_markdown"]
