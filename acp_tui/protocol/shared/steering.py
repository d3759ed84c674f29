"""Steering: a prompt that joins the turn that runs. An extension that some agents advertise; no part of the protocol.

Offered by `_meta.steering.supported` in the answer to `initialize`; asked for by `_session/steering`. Without a turn
the agent is to leave the prompt to us (`promptRequired`).
"""

from typing import Any, Literal

STEERING = "_session/steering"
Outcome = Literal["joined", "apart", "left"]


def is_offered(initialized: dict[str, Any]) -> bool:
    """Whether the answer to `initialize` says that prompts may join a turn."""
    meta = initialized.get("_meta")
    steering = meta.get("steering") if isinstance(meta, dict) else None
    return isinstance(steering, dict) and steering.get("supported") is True


def read_outcome(result: Any) -> Outcome:
    """What became of it: it joined the turn, it is `left` to us, or taken `apart`, which odd answers count as."""
    outcomes: dict[str, Outcome] = {"injected": "joined", "promptRequired": "left"}
    return outcomes.get(str(result.get("outcome")), "apart") if isinstance(result, dict) else "apart"
