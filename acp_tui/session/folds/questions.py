"""Questions of the agent: permission requests and elicitations, and what an answer means for tool calls and entries.

An elicitation has its entry in the transcript from the moment it is asked, which tells how it was answered. The state
is recorded and exported: of the answer it holds only what may be written down.
"""

from collections.abc import Mapping
from typing import Any

from acp_tui.protocol.vocabulary.elicitation import FormElicitation, UrlElicitation
from acp_tui.session import changes, facts
from acp_tui.session.entries import ElicitationEntry
from acp_tui.session.folds import asked_calls, subagents, timeline, tool_calls
from acp_tui.session.forms.fields import recordable
from acp_tui.session.pending import InputOptions, PendingElicitation, PendingPermission
from acp_tui.session.state import Session


def fold_permission(session: Session, fact: facts.PermissionReceived) -> None:
    """Put a request at the end of the queue."""
    pending = PendingPermission(fact.key, fact.request, session.clock())
    asked_calls.join(session, pending)
    session.permissions.append(pending)
    session.turn.last_heard_at = session.clock()
    _look_at_asking(session, pending)
    session.publish(changes.PermissionAsked(fact.key))


def fold_permission_answered(session: Session, fact: facts.PermissionAnswered) -> None:
    """Take a request out of the queue; a second answer changes nothing."""
    for pending in session.permissions:
        if pending.key == fact.key:
            session.permissions.remove(pending)
            kind = next((option.kind for option in pending.request.options if option.option_id == fact.option_id), "")
            asking = session.whose(pending.request.session_id)
            entry = asking.index.tool_calls.get(pending.tool_call_id or "")
            if entry is not None:
                tool_calls.decide(asking, entry, kind)
            _look_at_asking(session, pending)
            session.publish(changes.PermissionSettled(fact.key, fact.option_id))
            return


def _look_at_asking(session: Session, pending: PendingPermission) -> None:
    """A subagent that asks, and its tool call, look different meanwhile."""
    child = session.family.get(pending.request.session_id)
    if child is not None:
        call = child.session.index.tool_calls.get(pending.tool_call_id or "")
        if call is not None:
            timeline.changed(child.session, call)
        subagents.changed(session, child)


def fold_elicitation(session: Session, fact: facts.ElicitationReceived) -> None:
    """Put it at the end of the queue and into the transcript."""
    now = session.clock()
    session.turn.last_heard_at = now
    entry = ElicitationEntry(f"elicitation-{fact.key}", fact.request, started_at=now)
    session.elicitations.append(PendingElicitation(fact.key, entry, now))
    timeline.begin(session, entry)
    if fact.request.tool_call_id is not None:
        session.whose(fact.request.session_id).index.questions[fact.request.tool_call_id] = entry
        _look_at_call(session, entry)
    session.publish(changes.ElicitationAsked(fact.key))


def fold_elicitation_answered(session: Session, fact: facts.ElicitationAnswered) -> None:
    """Take it out of the queue; a second answer changes nothing."""
    pending = next((one for one in session.elicitations if one.key == fact.key), None)
    if pending is not None:
        session.elicitations.remove(pending)
        _settle(session, pending, fact.action, fact.content)


def fold_elicitation_completed(session: Session, fact: facts.ElicitationCompleted) -> None:
    """What was done at an address is done; ids that nobody waits for are ignored."""
    entry = session.index.visits.pop(fact.elicitation_id, None)
    if entry is not None:
        entry.completed = entry.sealed = True
        entry.finished_at = session.clock()
        timeline.changed(session, entry)


def stop_all(session: Session) -> None:
    """The agent is gone: nothing waits any more, for the user or for the agent."""
    while session.elicitations:
        _settle(session, session.elicitations.pop(0), "cancel", None)
    while session.index.visits:
        _, entry = session.index.visits.popitem()
        entry.sealed = True
        timeline.changed(session, entry)


def _settle(session: Session, pending: PendingElicitation, action: str, content: Mapping[str, Any] | None) -> None:
    entry = pending.entry
    entry.action = action
    entry.content = recordable_answer(entry.request, content)  # what older records hold, too
    if action == "accept" and isinstance(entry.request, UrlElicitation):
        before = session.index.visits.get(entry.request.elicitation_id)
        if before is not None:  # the agent uses the id anew: what it named before is not heard of again
            before.sealed = True
            timeline.changed(session, before)
        session.index.visits[entry.request.elicitation_id] = entry
    else:
        entry.sealed = True
        entry.finished_at = session.clock()
    timeline.changed(session, entry)
    _look_at_call(session, entry)
    session.publish(changes.ElicitationSettled(pending.key, action))


def _look_at_call(session: Session, entry: ElicitationEntry) -> None:
    """What a tool call asks is not told by the call as well, as long as it is asked."""
    asking = session.whose(entry.request.session_id)
    call = asking.index.tool_calls.get(entry.request.tool_call_id or "")
    if call is not None:
        timeline.changed(asking, call)


def recordable_answer(
    request: FormElicitation | UrlElicitation, content: Mapping[str, Any] | None
) -> dict[str, Any] | None:
    """What was entered, as it may be written down."""
    if content is None or not isinstance(request, FormElicitation):
        return None
    return recordable(request.requested_schema, content, request.message)


def fold_options_offered(session: Session, fact: facts.InputOptionsOffered) -> None:
    """The session waits until the user has chosen."""
    session.input_options = InputOptions(fact.schema, fact.last, fact.refused, session.clock(), fact.way)
    session.publish(changes.InputOptionsChanged())


def fold_options_settled(session: Session, _: facts.InputOptionsSettled) -> None:
    """Chosen or skipped: the session is being opened."""
    session.input_options = None
    session.publish(changes.InputOptionsChanged())
