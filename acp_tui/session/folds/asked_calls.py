"""Permission requests that name their tool call by an id of its own: the call that they belong to.

Some agents announce a call and ask about it under another id, or under none: then there is a call of the same kind and
subject that is not finished.
"""

from acp_tui.protocol.vocabulary.tool_calls import FINISHED_STATUSES, ToolCallUpdate
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.folds import timeline, tool_calls
from acp_tui.session.pending import PendingPermission
from acp_tui.session.state import Session
from acp_tui.startup import late

MOST_COMPARED = 40  # calls that are not finished
_SAID = ("content", "raw_input", "locations")


def join(session: Session, pending: PendingPermission) -> None:
    """Have a request belong to the call that it is about, and what it says of it too, as far as the call says none."""
    asking, request = session.whose(pending.request.session_id), pending.request
    named = asking.index.tool_calls.get(pending.tool_call_id or "")
    if request.subject is None or (named is not None and not _came_with_it(named)):
        return
    call = _meant(session, asking, pending, named)
    if call is None:
        return
    pending.call_id = call.id
    if named is None:
        return
    asking.index.tool_calls[named.id] = call
    asking.index.open_tool_calls.pop(named.id, None)
    named.sealed, named.finished_at = True, asking.clock()
    timeline.remove(asking, named)
    update = request.subject.tool_call
    more = {name: getattr(update, name) for name in _SAID if update and update.has(name) and not getattr(call, name)}
    if more:
        tool_calls.fold_update(asking, ToolCallUpdate(tool_call_id=call.id, **more))


def _came_with_it(entry: ToolCallEntry) -> bool:
    """Whether nothing was heard of a call but the request."""
    return entry.version == 0 and entry.status not in FINISHED_STATUSES


def _meant(
    session: Session, asking: Session, pending: PendingPermission, named: ToolCallEntry | None
) -> ToolCallEntry | None:
    subjects = late("acp_tui.session.tools.subject")
    wanted = subjects.asked_subject(pending, session)
    asked = {each.tool_call_id for each in session.permissions}
    for call in list(asking.index.open_tool_calls.values())[-MOST_COMPARED:]:
        same = subjects.same_subject(subjects.subject_of(call, asking), wanted, asking.cwd)
        if same and call is not named and not call.allowed and call.id not in asked:
            return call
    return None
