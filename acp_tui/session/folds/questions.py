"""Questions of the agent: permission requests and elicitations, and what an answer means for tool calls and entries.

An elicitation has its entry in the transcript from the moment it is asked, which tells how it was answered. The state
is recorded and exported: of the answer it holds only what may be written down.

Some agents announce a call and ask about it under another id, or under none: then there is a call of the same kind and
subject that is not finished.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from acp_tui.protocol.vocabulary.elicitation import FormElicitation, UrlElicitation
from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES, ToolCallUpdate
from acp_tui.session import changes, facts
from acp_tui.session.entries import ElicitationEntry, ToolCallEntry
from acp_tui.session.facts import InputOptions, PendingElicitation, PendingPermission
from acp_tui.session.folds import subagents, timeline, tool_calls
from acp_tui.session.form_fields import fields_of, recordable
from acp_tui.session.state import Session
from acp_tui.session.text.markdown import closed, one_line, quote
from acp_tui.session.tools.subject import asked_subject, same_subject, subject_of

MOST_COMPARED = 40  # calls that are not finished
_SAID = ("content", "raw_input", "locations")
_OUTCOMES = {None: "not answered", "accept": "accepted", "decline": "declined", "cancel": "cancelled"}


def fold_permission(session: Session, fact: facts.PermissionReceived) -> None:
    pending = PendingPermission(fact.key, fact.request, session.clock())
    _join(session, pending)
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


def fold_permission_by_rule(session: Session, fact: facts.PermissionAnsweredByRule) -> None:
    """A request that nobody was asked about: its call says which rules answered, or a notification if none is known."""
    pending = PendingPermission(fact.key, fact.request, session.clock())
    asking = _join(session, pending)
    kind = next((option.kind for option in fact.request.options if option.option_id == fact.option_id), "")
    entry = asking.index.tool_calls.get(pending.tool_call_id or "")
    if entry is None:
        verb = "Rejected" if kind.startswith("reject") else "Allowed"
        message = f"{fact.request.title}: {fact.reason}"
        timeline.fold_noticed(session, facts.Noticed("info", f"{verb} by a rule", message))
    else:
        entry.rule_reason, entry.rules = fact.reason, fact.rules
        timeline.changed(asking, entry)
        tool_calls.decide(asking, entry, kind)
        _look_at_asking(session, pending)
    session.publish(changes.PermissionRuled(pending, fact.option_id, fact.reason, fact.rules))


def joined_call(session: Session, asking: Session, pending: PendingPermission) -> ToolCallEntry | None:
    """The open call that a request of `asking` is about, where it names another one or none; it changes nothing."""
    named = asking.index.tool_calls.get(pending.tool_call_id or "")
    if pending.request.subject is None or (named is not None and not _came_with_it(named)):
        return None
    wanted = asked_subject(pending, session)
    asked = {each.tool_call_id for each in session.permissions}
    for call in list(asking.index.open_tool_calls.values())[-MOST_COMPARED:]:
        same = same_subject(subject_of(call, asking), wanted, asking.cwd)
        if same and call is not named and not call.allowed and call.id not in asked:
            return call
    return None


def _join(session: Session, pending: PendingPermission) -> Session:
    """Have a request belong to the call that it is about; the session that asks."""
    asking, subject = session.whose(pending.request.session_id), pending.request.subject
    named = asking.index.tool_calls.get(pending.tool_call_id or "")
    call = joined_call(session, asking, pending)
    if call is not None:
        pending.call_id = call.id
    if call is None or named is None:
        return asking
    asking.index.tool_calls[named.id] = call
    asking.index.open_tool_calls.pop(named.id, None)
    named.sealed, named.finished_at = True, asking.clock()
    timeline.remove(asking, named)
    update = subject.tool_call if subject is not None else None
    more = {name: getattr(update, name) for name in _SAID if update and update.has(name) and not getattr(call, name)}
    if more:
        tool_calls.fold_update(asking, ToolCallUpdate(tool_call_id=call.id, **more))
    return asking


def _came_with_it(entry: ToolCallEntry) -> bool:
    return entry.version == 0 and entry.status not in FINISHED_STATUSES


def _look_at_asking(session: Session, pending: PendingPermission) -> None:
    child = session.family.get(pending.request.session_id)
    if child is not None:
        call = child.session.index.tool_calls.get(pending.tool_call_id or "")
        if call is not None:
            timeline.changed(child.session, call)
        subagents.changed(session, child)


def fold_elicitation(session: Session, fact: facts.ElicitationReceived) -> None:
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


def markdown_elicitation(entry: ElicitationEntry, *_: object) -> Iterator[str]:
    visit = isinstance(entry.request, UrlElicitation)
    outcome = _OUTCOMES.get(entry.action) or one_line(entry.action or "")
    if visit and entry.action == "accept":
        outcome = "opened, completed" if entry.completed else "opened"
    yield f"### Question from the agent ({outcome})"
    yield quote(closed(entry.request.message))
    if isinstance(entry.request, UrlElicitation):
        yield f"<{one_line(entry.request.url)}>"
        return
    fields = {field.name: field for field in fields_of(entry.request.requested_schema)}
    told: list[str] = []
    for name, value in (entry.content or {}).items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
        told.append(f"- {one_line(fields[name].title if name in fields else name)}: {one_line(text)}")
    if told:
        yield "\n".join(told)
