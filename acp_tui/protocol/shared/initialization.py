"""What both versions say alike in the answer to `initialize`."""

from acp_tui.protocol.base import Lenient, Model
from acp_tui.protocol.capabilities import AgentCapabilities, PromptCapabilities
from acp_tui.protocol.vocabulary.initialization import Marker


class PromptOffer(Model):
    """`session.prompt`, or `promptCapabilities`."""

    image: Lenient[Marker] = False
    audio: Lenient[Marker] = False
    embedded_context: Lenient[Marker] = False


class SessionOffer(Model):
    """`session`, or `sessionCapabilities`; those from `fork` on are unstable."""

    list: Lenient[Marker] = False
    delete: Lenient[Marker] = False
    additional_directories: Lenient[Marker] = False
    resume: Lenient[Marker] = False
    close: Lenient[Marker] = False
    fork: Lenient[Marker] = False
    archive: Lenient[Marker] = False
    status: Lenient[Marker] = False
    title: Lenient[Marker] = False


def capabilities_of(session: SessionOffer, prompt: PromptOffer, **more: bool) -> AgentCapabilities:
    """What the agent offers; `more` is what the versions do not have in common."""
    return AgentCapabilities(
        list_sessions=session.list,
        resume_session=session.resume,
        close_session=session.close,
        delete_session=session.delete,
        fork_session=session.fork,
        archive_session=session.archive,
        title_session=session.title,
        session_status=session.status,
        additional_directories=session.additional_directories,
        prompt=PromptCapabilities(image=prompt.image, audio=prompt.audio, embedded_context=prompt.embedded_context),
        **more,
    )
