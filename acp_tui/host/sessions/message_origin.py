"""What an agent replays as the user's messages and is none of theirs, by what is recorded of their prompts."""

from acp_tui.host.records.info import RecordedSetup
from acp_tui.session.entries import MessageEntry
from acp_tui.session.facts import MessageInjected, SessionLoaded
from acp_tui.session.folds.messages import text_of
from acp_tui.session.state import Session
from acp_tui.session.text.own_prompts import OwnPrompts


def finish_loading(session: Session, setup: RecordedSetup | None) -> None:
    """All that was said in earlier runs has been told: say whose it is."""
    mark_injected(session, setup)
    session.apply(SessionLoaded())


def mark_injected(session: Session, setup: RecordedSetup | None) -> None:
    """Say of what an agent told as the user's messages which of it is not among their recorded prompts.

    What is, is theirs, even a block of tags. In a session that began elsewhere nothing is known of what comes before
    the first of them.
    """
    if setup is None or not setup.prompts:
        return
    own, judging = OwnPrompts(setup.prompts), setup.begun_here
    for entry in list(session.entries):
        if isinstance(entry, MessageEntry) and entry.role == "injected" and own.has(text_of(entry.parts)):
            session.apply(MessageInjected(entry.id, injected=False))
            judging = True
        elif isinstance(entry, MessageEntry) and entry.role == "user":
            is_own = own.knows(text_of(entry.parts))
            judging = judging or is_own
            if judging and not is_own:
                session.apply(MessageInjected(entry.id))
