"""Which session it is, what it is called and what it has used so far."""

from typing import TYPE_CHECKING

from acp_tui.protocol.updates import SessionInfoUpdate, UsageUpdate
from acp_tui.session.changes import InfoChanged, UsageChanged
from acp_tui.session.facts import SessionIdentified, SessionNamed
from acp_tui.session.metadata import patched

if TYPE_CHECKING:
    from acp_tui.session.state import Session


def fold_info(session: "Session", update: SessionInfoUpdate) -> None:
    """Patch title and time; `None` clears. A name that the person gave stays."""
    if update.has("title") and not session.named:
        session.title = update.title
    if update.has("updated_at"):
        session.updated_at = update.updated_at
    session.meta = patched(session.meta, update)
    session.publish(InfoChanged())


def fold_identified(session: "Session", fact: SessionIdentified) -> None:
    """Know the session by its id; what its agent was called before stays unless that says otherwise."""
    session.id, session.agent_name = fact.session_id, fact.agent_name or session.agent_name
    session.publish(InfoChanged())


def fold_named(session: "Session", fact: SessionNamed) -> None:
    """Call the session as the person does."""
    session.title, session.named = fact.title, True
    session.publish(InfoChanged())


def fold_usage(session: "Session", update: UsageUpdate) -> None:
    """Replace the usage; an omitted cost stays, `None` clears it."""
    before = session.usage
    if before is not None and before.has("cost") and not update.has("cost"):
        update = update.model_copy(update={"cost": before.cost})
    session.usage = update
    session.publish(UsageChanged())
