"""The rules of one session: what they answer, what is offered for a request, and those that end with it."""

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from acp_tui.errors import UserFault
from acp_tui.host.rules.rule import (
    EVERYTHING,
    READERS,
    SCOPE_NAMES,
    Rule,
    RuleAnswer,
    RuleOffer,
    RulePreview,
    RuleSetup,
    Verdict,
)
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.vocabulary.tool_calls import PermissionRequest
from acp_tui.safe_text import one_line
from acp_tui.session.facts import Noticed, PendingPermission
from acp_tui.session.state import Session
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.rules.request_claim import RequestClaim
    from acp_tui.host.rules.request_history import RequestHistory, RuleUses
    from acp_tui.host.rules.rule_book import BookContents, RuleBook
    from acp_tui.host.rules.rule_offers import Decision

EVERYTHING_FROM = 5  # requests that were seen; of fewer "all" says nothing
WRITING_KINDS = ("edit", "delete", "move", "execute", "other")
_BOOK, _OFFERS = "acp_tui.host.rules.rule_book", "acp_tui.host.rules.rule_offers"
_CLAIM, _HISTORY = "acp_tui.host.rules.request_claim", "acp_tui.host.rules.request_history"


class SessionRules:
    """What answers the permission requests of a session and of its subagents in the user's place."""

    def __init__(self, session: Session, scope: Callable[[], SessionScope], setup: RuleSetup) -> None:
        self._session, self._scope, self.setup = session, scope, setup
        self._own: list[Rule] = []
        self._project = ("", "")
        self._fault = ""

    def answer(self, request: PermissionRequest) -> RuleAnswer | None:
        """The answer by rules to a request that was not shown yet; None: the user is asked."""
        policy = self.setup.policy
        if not (policy.rules or policy.everything):
            return None
        claim = self._claim(PendingPermission(0, request))
        decision = self._decided(claim) if policy.rules else None
        if policy.rules and not claim.never:
            self._history.add(claim)
        if decision is not None:
            return self._answer(request, decision)
        if policy.everything and not claim.never and (option := _only_option(request, "allow")):
            return RuleAnswer(option, "allow", EVERYTHING, (EVERYTHING,))
        return None

    def offer(self, pending: PendingPermission) -> RuleOffer:
        """What "Don't ask again" can offer for a request that waits."""
        if not self.setup.policy.rules:
            return RuleOffer(reason="rules are off in this run")
        call = self._session.index.tool_calls.get(pending.tool_call_id or "")
        if call is not None and call.denied_by_agent:
            return RuleOffer(mode=True)
        try:
            contents = self._book.contents()
        except UserFault as fault:
            return RuleOffer(reason=fault.message)
        rules, environment = self._held(contents), self.setup.environment
        claim, offers = self._claim(pending), late(_OFFERS)
        offer: RuleOffer = offers.offer_of(claim, rules, environment, self.project, readers=contents.readers)
        return offer

    def preview(self, pending: PendingPermission, drafts: Sequence[Rule], *, readers: bool) -> RulePreview:
        """What these drafts (and the readers' switch) would have answered of the requests that were answered here
        before: neither `pending` nor another one that waits counts.
        """
        try:
            contents = self._book.contents()
        except UserFault:
            contents = late(_BOOK).BookContents()
        drafts = [self._placed(draft) for draft in drafts]
        ids = {draft.id for draft in drafts}
        rules = [*drafts, *(rule for rule in self._held(contents) if rule.id not in ids)]
        seen_here = self._history.claims
        waiting = list({each.key: each for each in (*self._session.permissions, pending)}.values())
        claims = _without(seen_here, map(self._claim, waiting[-max(1, len(seen_here)) :]))  # to read one takes 0.4 ms
        answered = []
        for claim in claims if readers else filter(partial(_may_concern, drafts), claims):
            decision = self._decision(claim, rules, readers=readers or contents.readers)
            by_switch = decision is not None and decision.readers and readers
            if decision is not None and (by_switch or any(rule.id in ids for rule in decision.rules)):
                answered.append(one_line(claim.name))
        seen = len(claims)
        writes = any(draft.kind == "tool" and draft.words[0] in WRITING_KINDS for draft in drafts)
        return RulePreview(seen, tuple(answered), writes or seen == len(answered) >= EVERYTHING_FROM)

    def make(self, drafts: Sequence[Rule], *, readers: bool) -> list[Rule]:
        """Add rules, and turn the readers on; raises `UserFault` if the file cannot be written."""
        now = float(int(time.time()))
        placed = {rule.id: replace(rule, made_at=now, off=False) for rule in map(self._placed, drafts)}
        made = list(placed.values())
        written = [rule for rule in made if rule.scope != "session"]
        if written or readers:
            self._book.add(written, readers=readers)
        self._own = [rule for rule in self._own if rule.id not in placed]
        self._own += [rule for rule in made if rule.scope == "session"]
        return made

    def listed(self) -> Sequence[Rule]:
        """All rules that can answer here, those of the session first; raises `UserFault` if the file is not usable."""
        return self._held(self._book.contents())

    def uses(self) -> Mapping[str, tuple[int, float]]:
        """By the id of a rule how often it answered, and when last (seconds since the epoch)."""
        return self._uses.all()

    def turn_off(self, rules: Collection[str]) -> None:
        """Have these answer nothing until they are turned on (`turn_on`); raises `UserFault`."""
        self._turn(rules, off=True)

    def turn_on(self, rules: Collection[str]) -> None:
        """The reverse; raises `UserFault`."""
        self._turn(rules, off=False)

    def remove(self, rule: str) -> None:
        """Delete a rule; raises `UserFault`."""
        left = [each for each in self._own if each.id != rule]
        if len(left) == len(self._own):
            self._book.remove(rule)
        self._own = left

    @property
    def readers(self) -> bool:
        """Whether programs that only read are allowed without a question."""
        try:
            return self.setup.policy.rules and self._book.contents().readers
        except UserFault:
            return False

    @property
    def project(self) -> str:
        """What rules of this project belong to: the main checkout, or the folder, as the session began there."""
        cwd = self._scope().cwd
        if self._project[0] != cwd:
            self._project = (cwd, late(_BOOK).main_checkout(cwd))
        return self._project[1]

    @property
    def _book(self) -> "RuleBook":
        book: RuleBook = late(_BOOK).book_of(self.setup.policy)
        return book

    @property
    def _history(self) -> "RequestHistory":
        history: RequestHistory = late(_HISTORY).history_of(self.project, remember=self.setup.remember)
        return history

    @property
    def _uses(self) -> "RuleUses":
        uses: RuleUses = late(_HISTORY).uses_of(remember=self.setup.remember)
        return uses

    def _claim(self, pending: PendingPermission) -> "RequestClaim":
        agent, path = self.setup.agent, self.setup.environment.path
        claim: RequestClaim = late(_CLAIM).claim_of(pending, self._session, self._scope(), agent, path)
        return claim

    def _held(self, contents: "BookContents") -> list[Rule]:
        """The rules that hold here, those of the session first; also those that are off."""
        project = self.project
        here = [rule for rule in contents.rules if rule.scope == "everywhere" or rule.project in ("", project)]
        return [*self._own, *here]

    def _decided(self, claim: "RequestClaim") -> "Decision | None":
        """What the rules do; if their file cannot be used nothing, which each session notices once."""
        try:
            contents = self._book.contents()
        except UserFault as fault:
            if self._fault != str(fault):
                self._fault = str(fault)
                self._session.apply(Noticed("warning", fault.title, fault.message, fault.hint))
            return None
        return self._decision(claim, self._held(contents), readers=contents.readers)

    def _decision(self, claim: "RequestClaim", rules: Sequence[Rule], *, readers: bool) -> "Decision | None":
        """What answers a request, and what a preview counts: there is no other way to either."""
        decision: Decision | None = late(_OFFERS).decide(claim, rules, self.setup.environment, readers=readers)
        return decision

    def _answer(self, request: PermissionRequest, decision: "Decision") -> RuleAnswer | None:
        option = _only_option(request, decision.verdict)
        if not option:
            return None
        ids = tuple(rule.id for rule in decision.rules) + (READERS,) * decision.readers
        self._uses.count(ids, time.time())
        names = [f"{rule.name} ({SCOPE_NAMES[rule.scope]})" for rule in decision.rules]
        return RuleAnswer(option, decision.verdict, ", ".join([*names, *[READERS] * decision.readers]), ids)

    def _placed(self, draft: Rule) -> Rule:
        """A draft as it holds here, with its id; a kind of tool calls is allowed for a session at most."""
        scope = "session" if draft.kind == "tool" else draft.scope
        agent = draft.agent or (self.setup.agent if draft.kind in ("folder", "tool") else "")
        project = self.project if scope == "project" else ""
        placed: Rule = late(_BOOK).with_id(replace(draft, scope=scope, project=project, agent=agent))
        return placed

    def _turn(self, rules: Collection[str], *, off: bool) -> None:
        own = {rule.id for rule in self._own}
        written = [rule for rule in rules if rule not in own and rule not in (READERS, EVERYTHING)]
        if written or READERS in rules:
            self._book.turn(written, off=off, readers=READERS in rules)
        self._own = [replace(rule, off=off if rule.id in rules else rule.off) for rule in self._own]


def _without(claims: "Sequence[RequestClaim]", waiting: "Iterable[RequestClaim]") -> "Sequence[RequestClaim]":
    """The claims, the latest that is the same as one that waits left out for each of those."""
    left, found = Counter(waiting), list["RequestClaim"]()
    for claim in reversed(claims):
        left[claim] -= 1
        if left[claim] < 0:
            found.append(claim)
    return found[::-1]


def _may_concern(drafts: Sequence[Rule], claim: "RequestClaim") -> bool:
    """Whether a request may name the program of any of these: to judge one takes 1.6 ms, and 200 are remembered."""
    name = claim.name if claim.command else ""
    quoted = any(sign in name for sign in "'\"\\")  # it may be spelled in another way
    words = (draft.words[0] if draft.kind in ("exact", "prefix") else "" for draft in drafts)
    return any(quoted or word in name if word else not name for word in words)


def _only_option(request: PermissionRequest, verdict: Verdict) -> str:
    """The id of the only option that allows or rejects this once; empty where there is none, or none that is alone."""
    ids = [option.option_id for option in request.options if option.kind == f"{verdict}_once"]
    alone = len(ids) == 1 and [option.option_id for option in request.options].count(ids[0]) == 1
    return ids[0] if alone else ""
