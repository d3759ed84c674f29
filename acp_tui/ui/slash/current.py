"""The slash commands of one session as they are now. A new session waits a moment for its agent's."""

from collections.abc import Callable, Sequence
from math import inf

from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.session.state import Session
from acp_tui.ui.slash.offers import WINNING, SlashCommands, read_line

WITHIN = 1.0  # seconds after a session began, or a line was sent, that the agent's list is waited for


class CurrentCommands:
    """Made anew when the agent's or the own `prompts` have changed, of which `are_read` says whether they are known."""

    def __init__(
        self,
        session: Session,
        prompts: Callable[[], Sequence[OwnPrompt]] = tuple,
        are_read: Callable[[], bool] = lambda: True,
    ) -> None:
        self._session, self._prompts, self._are_read = session, prompts, are_read
        self._made: tuple[object, object, SlashCommands] | None = None

    @property
    def now(self) -> SlashCommands:
        agent, prompts, complete = self._session.commands, self._prompts(), self._are_complete
        made = self._made
        if made is None or made[0] is not agent or made[1] is not prompts or made[2].complete is not complete:
            made = self._made = agent, prompts, SlashCommands(agent, prompts, complete=complete)
        return made[2]

    def prepare(self) -> None:
        """Make the list while no key waits for it: of 5,000 commands it takes 43 ms."""
        _ = self.now

    def waiting(self, text: str, sent_at: float) -> float:
        """Seconds, of the session's clock, that a line sent at `sent_at` may still wait for the lists of others.

        Only a name waits that may be the agent's: one that is nobody's yet, or ours where the agent's would win; one
        that is nobody's also for own prompts.
        """
        line = read_line(text)
        if line is None or line[0] in WINNING:
            return 0.0
        offer = self.now.named(line[0])
        if offer is None and not self._are_read():
            return max(0.0, sent_at + WITHIN - self._session.clock())
        if self._are_complete:
            return 0.0
        if offer is not None and (offer.command is None or line[0] not in offer.command.slash):
            return 0.0  # an own prompt's, or named with the word of its side
        return max(0.0, min(sent_at, self._began) + WITHIN - self._session.clock())

    @property
    def _began(self) -> float:
        """When the session was there, in seconds of its clock; infinity before that."""
        return inf if self._session.index.identified_at == -inf else self._session.index.identified_at

    @property
    def _are_complete(self) -> bool:
        return self._session.index.commands_told or self._session.clock() >= self._began + WITHIN
