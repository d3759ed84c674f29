"""The rules of one session: what they answer, what is offered for a request, and those that end with it."""

from collections.abc import Callable, Collection, Mapping, Sequence

from acp_tui.host.rules.rule import Rule, RuleAnswer, RuleOffer, RulePreview, RuleSetup
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest
from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session


class SessionRules:
    """What answers the permission requests of a session and of its subagents in the user's place."""

    def __init__(self, session: Session, scope: Callable[[], SessionScope], setup: RuleSetup) -> None:
        self._session, self._scope, self.setup = session, scope, setup

    def answer(self, request: PermissionRequest) -> RuleAnswer | None:
        """The answer by rules to a request that was not shown yet; None: the user is asked."""
        return None

    def offer(self, pending: PendingPermission) -> RuleOffer:
        """What "Don't ask again" can offer for a request that waits."""
        return RuleOffer(reason="not built")

    def preview(self, pending: PendingPermission, drafts: Sequence[Rule], *, readers: bool) -> RulePreview:
        """What these drafts (and the readers' switch) would have answered of the requests seen here."""
        return RulePreview(0, ())

    def make(self, drafts: Sequence[Rule], *, readers: bool) -> list[Rule]:
        """Add rules, and turn the readers on; raises `UserFault` if the file cannot be written."""
        return []

    def listed(self) -> Sequence[Rule]:
        """All rules that can answer here, those of the session first; raises `UserFault` if the file is not usable."""
        return ()

    def uses(self) -> Mapping[str, tuple[int, float]]:
        """By the id of a rule how often it answered, and when last (seconds since the epoch)."""
        return {}

    def turn_off(self, rules: Collection[str]) -> None:
        """Have these answer nothing until they are turned on (`turn_on`); raises `UserFault`."""

    def turn_on(self, rules: Collection[str]) -> None:
        """The reverse; raises `UserFault`."""

    def remove(self, rule: str) -> None:
        """Delete a rule; raises `UserFault`."""

    @property
    def readers(self) -> bool:
        """Whether programs that only read are allowed without a question."""
        return False
