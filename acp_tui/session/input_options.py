"""What the agent wants to know before it opens a session, while a person may still choose it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from acp_tui.protocol.elicitation import ElicitationSchema
from acp_tui.session.changes import InputOptionsChanged
from acp_tui.session.facts import UNWRITTEN, InputOptionsOffered, InputOptionsSettled

if TYPE_CHECKING:
    from acp_tui.session.state import Session


@dataclass(slots=True)
class InputOptions:
    """The form that comes before the session; `last` is what was chosen last time, `refused` why it was not taken.

    `way` is how the session is opened: new, load, resume, fork.
    """

    schema: ElicitationSchema
    last: Mapping[str, Any] = field(default_factory=dict, repr=False, metadata=UNWRITTEN)
    refused: str = ""
    asked_at: float = 0.0
    way: str = "new"


def fold_offered(session: "Session", fact: InputOptionsOffered) -> None:
    """The session waits until the person has chosen."""
    session.input_options = InputOptions(fact.schema, fact.last, fact.refused, session.clock(), fact.way)
    session.publish(InputOptionsChanged())


def fold_settled(session: "Session", _: InputOptionsSettled) -> None:
    """Chosen or skipped: the session is being opened."""
    session.input_options = None
    session.publish(InputOptionsChanged())
