"""A session as Markdown for people: the conversation in order, then plans and terminals that stand alone.

After it come its subagents of all depths, each a part of its own, to which its row links.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

from acp_tui.protocol.vocabulary.updates import Plan
from acp_tui.session.entries import Entry
from acp_tui.session.export.json import descendants, plain
from acp_tui.session.folds.messages import parts_markdown
from acp_tui.session.folds.table import markdown_of
from acp_tui.session.folds.terminals import terminal_markdown
from acp_tui.session.state import Session
from acp_tui.session.text.markdown import closed, fenced_json, one_line
from acp_tui.session.text.secret_masking import without_secrets

SIGNS = {"completed": "x", "cancelled": "-", "in_progress": "~"}


def to_markdown(session: Session) -> str:
    """All of the conversation as a Markdown document, without terminal escapes and secrets."""
    return "\n\n".join(map(without_secrets, _document(session))) + "\n"


def entry_markdown(entry: Entry, session: Session, *, head_only: bool = False) -> str:
    """One entry as it stands in the document; only its heading costs little, however long a tool call is."""
    return "\n\n".join(islice(markdown_of(entry, session, {}), 1 if head_only else None))


def _document(session: Session) -> Iterator[str]:
    family = list(descendants(session))
    links = {child.id: _link(child, number) for number, (_, child) in enumerate(family, 1)}
    yield f"# {one_line(session.title or '') or 'Session'}"
    about = (("Agent", session.agent_name), ("Folder", session.cwd), ("Updated", session.updated_at))
    yield "\n".join(f"- {name}: {one_line(value)}" for name, value in about if value)
    yield from _conversation(session, links)
    for queued in session.queue:
        yield "## User (queued)"
        yield parts_markdown(queued.blocks)
    for number, (parent, child) in enumerate(family, 1):
        yield f'<a id="subagent-{number}"></a>'
        yield f"# Subagent {number}: {_title(child)}"
        yield f"- Subagent of: {links.get(parent.id, 'the session')}\n- Folder: {one_line(child.cwd)}"
        yield from _conversation(child, links)


def _link(child: Session, number: int) -> str:
    title = re.sub(r"([][\\])", r"\\\1", _title(child))
    return f"[{title}](#subagent-{number})"


def _title(child: Session) -> str:
    return one_line(child.title or child.id)


def _conversation(session: Session, links: Mapping[str, str]) -> Iterator[str]:
    """What was said and done; `links` go to the parts of subagents, by the subagents' ids."""
    for entry in session.entries:
        yield from markdown_of(entry, session, links)
    for plan in session.plans.values():
        yield from _plan(plan)
    for terminal in session.terminals.values():
        if not session.index.terminal_references.get(terminal.id):
            yield "## Terminal"
            yield terminal_markdown(terminal)


def _plan(plan: Plan) -> Iterator[str]:
    yield "## Plan"
    if plan.entries:
        yield "\n".join(f"- [{SIGNS.get(step.status, ' ')}] {one_line(step.content)}" for step in plan.entries)
    elif plan.content or plan.uri:
        yield closed(plan.content or "") or f"<{one_line(plan.uri or '')}>"
    elif plan.type not in plan.known:
        yield fenced_json(plain(plan))
