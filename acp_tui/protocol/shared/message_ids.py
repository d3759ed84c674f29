"""Names of messages: those that the agent gave, and ours for messages that it did not name."""

UNNAMED, SENT = "unnamed-", "sent-"
"""How ours begin: of messages that came without an id, and of prompts before the agent has named them."""


def is_agents(message_id: str) -> bool:
    """Whether the agent knows a message by this id."""
    return bool(message_id) and not message_id.startswith((UNNAMED, SENT))
