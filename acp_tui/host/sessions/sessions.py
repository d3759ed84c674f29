"""The conversations of one client, and which of them the agent asks something in."""

from collections.abc import Iterator
from functools import cache, partial

from acp_tui.host.options.input_options import InputOptionsChoice, LastOptions
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.session_source import SessionSource
from acp_tui.session.state import Session


class Conversations:
    """One for each of `sources`, in their order. `argv` is the agent's, by which options chosen before are found.

    `asks`: somebody is there who chooses the options of a new session.
    """

    def __init__(self, sources: list[SessionSource], argv: tuple[str, ...], *, asks: bool) -> None:
        self._sources, self._asks = sources, asks
        self._last = cache(partial(LastOptions, argv))
        self._made: dict[SessionSource, Conversation] = {}
        self._logging_in: Session | None = None

    def __iter__(self) -> Iterator[Conversation]:
        return iter([self._of(source) for source in self._sources])

    def of(self, session: Session) -> Conversation:
        """That of a session, which must be open."""
        return next(one for one in self if one.session is session)

    def remove(self, conversation: Conversation) -> None:
        self._sources.remove(conversation.source)
        del self._made[conversation.source]

    def asking(self, request_id: object) -> Conversation | None:
        """Where the user is asked what belongs to no session but to a request of ours.

        The one that the request opens; for a log-in where the user began it; else the one that began last, which the
        user most likely waits for.
        """
        newest_first = list(self)[::-1]
        opening = (each for each in newest_first if each.asking is not None and str(each.asking) == str(request_id))
        begun = (each for each in newest_first if each.session is self._logging_in)
        return next(opening, None) or next(begun, None) or next(iter(newest_first), None)

    def log_in_from(self, session: Session | None) -> None:
        """The user logs in while they look at this session; without one that is over."""
        self._logging_in = session

    def request_over(self, request_id: int) -> None:
        self._logging_in = None
        for conversation in self:
            conversation.questions.request_over(request_id)

    def hear(self, kind: str, message: str) -> None:
        for conversation in self:
            conversation.noise.hear(kind, message)

    def _of(self, source: SessionSource) -> Conversation:
        made = self._made.get(source)
        if made is None:
            options = InputOptionsChoice(source.session, self._last, source.settings, asks=self._asks)
            made = self._made[source] = Conversation(source, options)
        return made
