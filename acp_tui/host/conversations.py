"""The conversations of one client; must not know how any of them goes.

A conversation needs every word of the protocol, and the first frame of a screen none: a session can be begun at
once, its conversation is made when somebody looks for it, at the latest when the agent is served.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from acp_tui.host.origin import Origin

if TYPE_CHECKING:
    from acp_tui.host.conversation import Conversation
    from acp_tui.host.input_options import LastOptions
    from acp_tui.protocol.scope import SessionScope
    from acp_tui.session.state import Session

Begun = tuple["Session", "SessionScope", Origin, Sequence[tuple[str, str]]]


class Conversations:
    """In the order in which they began. `asks`: somebody is there who chooses the options of a new session."""

    def __init__(self, argv: Sequence[str], *, asks: bool) -> None:
        """`argv` is the agent's, by which options that were chosen before are found."""
        self._argv, self._asks = argv, asks
        self._begun: list[Begun] = []
        self._made: list[Conversation] = []
        self._logging_in: Session | None = None
        self._last_options: dict[str, LastOptions] = {}

    def begin(
        self, session: Session, scope: SessionScope, origin: Origin, settings: Sequence[tuple[str, str]] = ()
    ) -> None:
        """There is one more. `settings` are options of the new session, given beforehand."""
        self._begun.append((session, scope, origin, settings))

    def __iter__(self) -> Iterator[Conversation]:
        """All, as they are now."""
        while self._begun:
            self._made.append(self._make(*self._begun.pop(0)))
        return iter(list(self._made))

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self._begun or self._made)

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
        """A log-in request was answered or withdrawn: what the agent asked for it alone is answered `cancel`."""
        self._logging_in = None
        for conversation in self:
            conversation.elicitations.request_over(request_id)

    def of(self, session: Session) -> Conversation:
        """That of a session, which must be open."""
        return next(one for one in self if one.session is session)

    def scope_of(self, session: Session) -> SessionScope | None:
        """Where a session works; asked in the first frame, so that no conversation is made for it."""
        begun = ((each, scope) for each, scope, *_ in self._begun)
        made = ((each.session, each.scope) for each in self._made)
        return next((scope for each, scope in (*made, *begun) if each is session), None)

    def remove(self, conversation: Conversation) -> None:
        """It is over."""
        self._made.remove(conversation)

    def _make(
        self, session: Session, scope: SessionScope, origin: Origin, settings: Sequence[tuple[str, str]]
    ) -> Conversation:
        from acp_tui.host.conversation import Conversation  # noqa: PLC0415 (the first frame does not need it)
        from acp_tui.host.input_options import InputOptionsChoice  # noqa: PLC0415 (as above)

        options = InputOptionsChoice(session, self._last, settings, asks=self._asks)
        return Conversation(session, options, scope, origin)

    def _last(self, method: str) -> LastOptions:
        from acp_tui.host.input_options import LastOptions  # noqa: PLC0415 (as above)

        if method not in self._last_options:
            self._last_options[method] = LastOptions(self._argv, method)
            self._last_options[method].load()
        return self._last_options[method]
