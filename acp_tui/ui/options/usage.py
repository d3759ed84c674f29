"""How full the context is, what it has cost and which limit of the account is near, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from acp_tui.frozen import Frozen
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.options.limits import is_reached, limit_words, pressing
from acp_tui.ui.render.text import sanitise_line
from acp_tui.views.formatting import money, tokens

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.updates import UsageUpdate


class Fullness(Frozen):
    """How full the context is: the sign and the word for it, and how loud it is said."""

    sign: str
    word: str
    tone: str


PLENTY = Fullness("", "", MUTED)
NEARLY_FULL = Fullness("△ ", "filling up", "$warning")
FULL = Fullness("▲ ", "nearly full", "$error")
WARN_FROM, FULL_FROM = 0.80, 0.95
MOST_CELLS = 40  # of either part of the note; an agent may tell any number
MOST = 10  # times the size; more is told as this


def fullness(usage: UsageUpdate | None) -> Fullness:
    """Whether the context has room; an agent that tells no size is not warned of."""
    share = _share(usage) if usage is not None and usage.size > 0 else 0.0
    return FULL if share >= FULL_FROM else NEARLY_FULL if share >= WARN_FROM else PLENTY


def usage_text(usage: UsageUpdate | None, short: bool = False) -> str:
    """Context usage and cost: `34% of 200k · $0.05`, short without the size; `△ 85% of 200k, filling up`."""
    return " · ".join(filter(None, (context_text(usage, short), cost_text(usage))))


def context_text(usage: UsageUpdate | None, short: bool = False) -> str:
    """How full the context is: `34% of 200k`, short without the size."""
    if usage is None:
        return ""
    full = fullness(usage)
    share = (
        f"{full.sign}{int(100 * _share(usage) + 0.5)}%"
        if usage.size > 0
        else f"{tokens(usage.used)} token{'' if usage.used == 1 else 's'}"
    )
    if usage.size > 0 and not short:
        share += f" of {tokens(usage.size)}"
    if full.word:
        share += f" {full.word}" if short else f", {full.word}"
    return share


def cost_text(usage: UsageUpdate | None) -> str:
    """What the session has cost, as far as the agent tells: `$0.05`."""
    return "" if usage is None or usage.cost is None else money(usage.cost.amount, usage.cost.currency[:8])


def usage_note(usage: UsageUpdate | None, short: bool = False) -> Content:
    """Context usage and cost, and a limit of the account that is near or reached.

    In the short form a reached one is left to the status line, which says it too: options need the room.
    """
    note = Content.styled(sanitise_line(usage_text(usage, short), MOST_CELLS), fullness(usage).tone)
    limit = pressing(usage)
    if limit is None or (short and is_reached(limit)):
        return note
    words = sanitise_line(f"△ {limit_words(limit, short=short)}", MOST_CELLS)
    return Content.styled(" · ", MUTED).join([*([note] if note else []), Content.styled(words, "$warning")])


def _share(usage: UsageUpdate) -> float:
    return min(usage.used, MOST * usage.size) / usage.size  # an agent may tell any number, and a float has an end
