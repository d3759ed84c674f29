"""Why a turn ended, in words, when it was not the ordinary way."""

from typing import Any, NamedTuple

from acp_tui.protocol.faults import error_words
from acp_tui.session.entries import See


class Explanation(NamedTuple):
    """What a notice about the end of a turn says."""

    severity: str
    title: str
    message: str
    hint: str
    see: See = ""


_KNOWN = {
    "max_tokens": Explanation(
        "warning",
        "The answer was cut off",
        "The agent reached the largest number of tokens for one answer.",
        "Ask it to continue, or choose a model or setting with more room.",
    ),
    "max_turn_requests": Explanation(
        "warning",
        "The agent stopped before it was done",
        "It reached the largest number of requests for one turn.",
        "Ask it to continue.",
    ),
    "refusal": Explanation(
        "warning",
        "The agent refused",
        "The last prompt and what followed it are no longer part of its context.",
        "Ask in another way.",
    ),
}

NO_ANSWER = Explanation(
    "warning", "The agent ended its turn without an answer", "", "Its standard error may say why.", "stderr"
)
"""For agents that swallow an error of their model and end the turn as if all were well."""


def explain(stop_reason: str | None, error: dict[str, Any] | None) -> Explanation | None:
    """What to say about the end of a turn; None where nothing needs saying."""
    if stop_reason in (None, "end_turn", "cancelled"):
        return None
    if stop_reason == "error":
        return Explanation("error", "The agent failed", _details(error), "Send the prompt again.")
    return _KNOWN.get(stop_reason) or Explanation("warning", f"The turn ended: {stop_reason}", _details(error), "")


def _details(error: dict[str, Any] | None) -> str:
    return error_words(error.get("code"), str(error.get("message") or ""), error.get("data")) if error else ""
