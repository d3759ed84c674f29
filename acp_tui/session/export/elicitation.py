"""What the agent asked by a form or an address, and what became of it, as Markdown."""

import json
from collections.abc import Iterator
from typing import Any

from acp_tui.protocol.elicitation import UrlElicitation
from acp_tui.session.entries import ElicitationEntry
from acp_tui.session.export.text import one_line, quote
from acp_tui.session.form_fields import fields_of

_OUTCOMES = {None: "not answered", "accept": "accepted", "decline": "declined", "cancel": "cancelled"}


def elicitation_markdown(entry: ElicitationEntry) -> Iterator[str]:
    """The question, and each value that was sent."""
    visit = isinstance(entry.request, UrlElicitation)
    outcome = _OUTCOMES.get(entry.action) or one_line(entry.action or "")
    if visit and entry.action == "accept":
        outcome = "opened, done" if entry.completed else "opened"
    yield f"### The agent asked ({outcome})"
    yield quote(entry.request.message)
    if isinstance(entry.request, UrlElicitation):
        yield f"<{one_line(entry.request.url)}>"
        return
    fields = {field.name: field for field in fields_of(entry.request.requested_schema)}
    told = [f"- {one_line(_title(fields, name))}: {_value(value)}" for name, value in (entry.content or {}).items()]
    if told:
        yield "\n".join(told)


def _title(fields: dict[str, Any], name: str) -> str:
    return fields[name].title if name in fields else name


def _value(value: Any) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
