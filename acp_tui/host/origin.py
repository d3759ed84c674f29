"""How a session comes to be; must not know how it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from acp_tui.session.state import Session


@dataclass(slots=True)
class Origin:
    """`session_id` names the one that is `known` to the agent or is to be a `fork`'s root.

    `told` is what was said in it, as far as that is known here. `latest` becomes `known` or `new` once the agent
    has told its sessions. `title` and `updated_at` are what it told of this one.
    """

    kind: Literal["new", "known", "latest", "fork"] = "new"
    session_id: str = ""
    told: Session | None = None
    title: str | None = None
    updated_at: str | None = None
