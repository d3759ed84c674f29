"""Forms and addresses as an agent would ask them, and the panel that asks them."""

from typing import Any

from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.elicitation import ElicitationSchema, FormElicitation, UrlElicitation
from acp_tui.session import facts
from acp_tui.session.state import Session
from acp_tui.ui.kit.answer_rule import NEVER
from tests.pilot.driver import Viewer

EVERYTHING: dict[str, Any] = {
    "name": {"type": "string", "title": "Your name", "description": "As it stands in the letter", "minLength": 2},
    "turns": {"type": "integer", "title": "Turns", "minimum": 1, "maximum": 9, "default": 3},
    "share": {"type": "number", "title": "Share", "maximum": 1},
    "fast": {"type": "boolean", "title": "Be fast"},
    "model": {
        "type": "string",
        "title": "Model",
        "oneOf": [
            {"const": "s", "title": "Small", "description": "the quick one"},
            {"const": "l", "title": "Large", "description": "the able one"},
        ],
    },
    "tools": {"type": "array", "title": "Tools", "items": {"type": "string", "enum": ["read", "write", "run"]}},
    "colour": {"type": "colour", "title": "Colour"},
}


def schema_of(*required: str, **properties: Any) -> ElicitationSchema:
    return read(ElicitationSchema, {"properties": properties, "required": list(required)})


def ask_form(
    session: Session,
    *required: str,
    key: int = 1,
    message: str = "Who are you?",
    tool_call_id: str | None = None,
    **properties: Any,
) -> None:
    schema = schema_of(*required, **properties)
    request = FormElicitation(
        mode="form", message=message, session_id="s1", tool_call_id=tool_call_id, requested_schema=schema
    )
    session.apply(facts.ElicitationReceived(key, request))


def ask_address(session: Session, url: str = "https://example.com/login?next=/", key: int = 1) -> None:
    request = UrlElicitation(mode="url", message="Please log in.", session_id="s1", elicitation_id=f"e{key}", url=url)
    session.apply(facts.ElicitationReceived(key, request))


async def ready(someone: Viewer) -> None:
    """Wait until the panel has the focus, and its answers are painted."""
    await someone.wait_until(lambda: someone.conversation.parts.questions.has_focus, "the panel to have the focus")
    await painted(someone)


async def answerable(someone: Viewer) -> None:
    """The same for the panel that asks for permission."""
    panel = someone.conversation.parts.questions.permission
    await someone.wait_until(lambda: panel.has_focus, "the panel to have the focus")  # and to have looked at it
    await painted(someone)


async def painted(someone: Viewer) -> None:
    """Wait until the answers of what asks are on the screen."""

    def is_painted() -> bool:
        asker = someone.app.answer_keys.asker()
        return asker is not None and asker.rule.painted < NEVER

    await someone.wait_until(is_painted, "the answers to be painted")
