"""How far plans are, in words for every front end; it must not need the readers, which no first frame waits for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acp_tui.protocol.plans import Plan


def done_words(plans: Sequence[Plan]) -> str:
    """How much is done of what is to be done: `✓ 3 / 3 · 1 cancelled`; empty where there are no steps."""
    statuses = [entry.status for plan in plans for entry in plan.entries]
    done, cancelled = statuses.count("completed"), statuses.count("cancelled")
    wanted = len(statuses) - cancelled
    parts = [f"{'✓ ' if done == wanted else ''}{done} / {wanted}"] if wanted else []
    return " · ".join([*parts, f"{cancelled} cancelled"] if cancelled else parts)
