"""Rules that answer permission requests, in words: the row below a request's options, the offer, the list's rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from acp_tui.host.rules.rule import READERS, SCOPE_NAMES, OfferedRule, Rule, RuleOffer, RulePreview, Scope, Verdict
from acp_tui.safe_text import named
from acp_tui.session.text.phrases import counted
from acp_tui.views.formatting import StyledText, age, brief

LONGEST_NAME = 1_000  # characters of a rule's words that are shown; the request itself has all of them
LONGEST_REASON = 120
READERS_NAME = "read-only programs"
READERS_NOTE = "searching a folder still reads credentials"
DENIED = "No rule can override the agent's own denial: change its mode"
EVERYTHING_ALLOWED = "Everything is allowed without asking · --yolo"
EVERYTHING_ALLOWED_SHORT = "All allowed · --yolo"


class RuleLine(NamedTuple):
    """The row of ours below the options of a request. A `muted` one cannot be chosen; a `mode` one leads to
    the agent's mode.
    """

    text: str
    muted: bool = False
    mode: bool = False

    @property
    def saves(self) -> bool:
        """Whether it leads to a rule."""
        return not (self.muted or self.mode)


def rule_line(offer: RuleOffer) -> RuleLine | None:
    """That row, if the request has one."""
    if offer.mode:
        return RuleLine(DENIED, mode=True)
    if offer.rows:
        more = f" and {counted(len(offer.rows) - 1, 'more part')}" if len(offer.rows) > 1 else ""
        return RuleLine(f"Don't ask again for {shown_name(choices_of(offer.rows[0])[0])}{more}")
    if offer.readers:
        return RuleLine(f"Don't ask again for {READERS_NAME}")
    reason = brief(offer.reason, LONGEST_REASON).removeprefix("it ")
    return RuleLine(f"No rule possible: {reason}", muted=True) if reason else None


def choices_of(row: OfferedRule) -> Sequence[Rule]:
    """The rules to choose from, an exact command first: what is chosen at first covers no more than was asked."""
    return sorted(row.choices, key=_is_wider)


def _is_wider(rule: Rule) -> bool:
    return rule.kind != "exact"


def shown_name(rule: Rule) -> str:
    """Its words on one line, of which nothing goes unseen but the end of a very long one, which is counted."""
    more = len(rule.name) - LONGEST_NAME
    return named(rule.name) if more <= 0 else f"{named(rule.name[:LONGEST_NAME])}… {counted(more, 'more character')}"


def saved_by(name: str) -> str:
    """The owner of an "always" from now on, in words."""
    return f"stored by {brief(name, 30)}" if name else "stored by the agent"


def choice_name(rule: Rule) -> str:
    """What it covers, as one of several choices."""
    name = shown_name(rule)
    return f"{name.removesuffix(' …')} with other arguments" if rule.kind == "prefix" else name


class OfferLine(NamedTuple):
    """A row of the offer: `box` is its tick, `names` the choices of ← →, of which the one `at` counts, `note` a
    warning.
    """

    box: str
    names: Sequence[str]
    at: int
    note: str


@dataclass(slots=True, eq=False)
class OfferChoices:
    """What the user has chosen in an offer so far. `at` is the highlighted row; that of the readers is the first.

    `rejects`: the request has an answer that rejects. `warned`: the next Enter saves, whatever it answers.
    """

    offer: RuleOffer
    rejects: bool = False
    verdict: Verdict = "allow"
    wanted: Scope = "project"
    readers: bool = False
    at: int = 0
    warned: bool = False
    left_out: set[int] = field(default_factory=set)
    chosen: dict[int, int] = field(default_factory=dict)  # by the row which of its choices, the first if none

    def __post_init__(self) -> None:
        self.readers = self.offer.readers and not self.offer.rows
        self.at = int(self.offer.readers and bool(self.offer.rows))

    @property
    def has_readers(self) -> bool:
        """Whether the switch for programs that only read stands above the parts."""
        return self.offer.readers and self.verdict == "allow"

    @property
    def count(self) -> int:
        return self.has_readers + len(self.offer.rows)

    @property
    def _part(self) -> int:
        """The highlighted part; below 0 if that is the switch."""
        return self.at - self.has_readers

    def move(self, step: int) -> bool:
        before, self.at = self.at, max(0, min(self.at + step, self.count - 1))
        return self.at != before

    def toggle(self) -> None:
        """Leave the highlighted row out, or take it in again."""
        self.warned = False
        if self._part < 0:
            self.readers = not self.readers
        elif self.offer.rows:
            self.left_out ^= {self._part}

    def reach(self, step: int) -> None:
        """Another choice of the highlighted part; that takes it in."""
        if 0 <= self._part < len(self.offer.rows):
            most = len(self.offer.rows[self._part].choices) - 1
            self.chosen[self._part] = max(0, min(self.chosen.get(self._part, 0) + step, most))
            self.left_out.discard(self._part)
            self.warned = False

    def turn_scope(self) -> None:
        scopes = self.scopes
        self.wanted, self.warned = scopes[(scopes.index(self.scope) + 1) % len(scopes)], False

    def turn_verdict(self) -> None:
        """Allow or reject; the highlight stays on its part."""
        if self.rejects and self.offer.rows:
            part = max(0, self._part)
            self.verdict, self.warned = "reject" if self.verdict == "allow" else "allow", False
            self.at = part + self.has_readers

    def _picked(self) -> Iterator[tuple[OfferedRule, Rule]]:
        for part, row in enumerate(self.offer.rows):
            if part not in self.left_out:
                yield row, choices_of(row)[self.chosen.get(part, 0)]

    @property
    def scopes(self) -> Sequence[Scope]:
        """Those that all chosen rules may have: of tools the session, of what runs code of a project that at most."""
        found: list[Scope] = ["session", "project", "everywhere"]
        for row, rule in self._picked():
            if rule.kind == "tool":
                return ["session"]
            runs_project = row.note not in ("", READERS)
            if rule.place or rule.kind == "folder" or runs_project or (row.note and rule.kind == "prefix"):
                found = ["session", "project"]
        return found

    @property
    def scope(self) -> Scope:
        return self.wanted if self.wanted in self.scopes else self.scopes[-1]

    @property
    def drafts(self) -> list[Rule]:
        return [replace(rule, scope=self.scope, verdict=self.verdict) for _, rule in self._picked()]

    @property
    def turns_readers_on(self) -> bool:
        return self.has_readers and self.readers

    @property
    def is_empty(self) -> bool:
        return not (self.turns_readers_on or self.drafts)

    def asks_twice(self, preview: RulePreview) -> bool:
        wide = self.scope == "everywhere" and bool(self.drafts)
        return not self.warned and (wide or preview.everything)

    def lines(self) -> list[OfferLine]:
        found = [OfferLine(box(self.readers), [READERS_NAME], 0, READERS_NOTE)] if self.has_readers else []
        for part, row in enumerate(self.offer.rows):
            names, at = [choice_name(rule) for rule in choices_of(row)], self.chosen.get(part, 0)
            note = row.note if self.verdict == "allow" else ""
            found.append(OfferLine(box(part not in self.left_out), names, at, note))
        return found

    def effect(self, preview: RulePreview, *, short: bool = False) -> StyledText:
        """What the rules would have done, or what the second Enter is for; nothing where no request came before."""
        if self.warned:
            wide = self.scope == "everywhere" and bool(self.drafts)
            long = "This applies to all projects. " if wide else "This would have answered every request here. "
            reason = "" if short else long
            return [(f"! {reason}Press Enter again to save", "warning")]
        if not preview.seen:
            return []
        verb = "answered" if self.verdict == "allow" else "rejected"
        many = f"{len(preview.answered):,} of {counted(preview.seen, 'request' if short else 'earlier request')}"
        words = f"{many} match{'es' if preview.seen == 1 else ''}" if short else f"Would have {verb} {many}"
        which: StyledText = [("  v" if short else "   v", "key"), ("" if short else " which", "muted")]
        return [(words, "muted"), *(which if preview.answered else [])]

    @property
    def past(self) -> str:
        """The heading above the requests that it would have answered."""
        rules = "These rules" if len(self.drafts) + self.turns_readers_on > 1 else "This rule"
        return f"{rules} would have {'allowed' if self.verdict == 'allow' else 'rejected'}"


def box(on: bool) -> str:
    """The tick of a switch."""
    return "☑" if on else "☐"


Listed = Literal["mode", "readers"] | Rule
"""A row of the list of permissions: the agent's mode, the switch for programs that only read, or a rule."""


Uses = Mapping[str, tuple[int, float]]
"""How often each answered, and when last (seconds since the epoch), by the id of a rule."""
NO_RULES_YET = ("No rules yet. Press p in a permission request to make one.", "No rules yet. Press p in a request.")
MODE_NOTE = "The mode decides what the agent asks about. Rules answer only those requests."
MODE_NOTE_SHORT = "Decides what is asked. Rules answer only that."
READERS_FEW = ": ls, cat, grep…"
READERS_MORE = "ls, cat, grep, git status and others"


def rule_words(verdict: Verdict, name: str, *, on: bool) -> str:
    """A row of the list: its tick, and what it does."""
    return f"{box(on)} {verdict:6} {name}"


def facts_of_rule(rule: Rule, uses: Uses, now: datetime) -> str:
    """Scope, agent, how often it answered, and when last: `this project · 4 uses · 2 days ago`."""
    parts = [SCOPE_NAMES[rule.scope]]
    parts += [brief(rule.agent, 30)] if rule.agent else []
    parts += [f"in {brief(rule.place, 60)}"] if rule.place else []
    return " · ".join([*parts, facts_of_uses(rule.id, uses, now)])


def facts_of_uses(rule: str, uses: Uses, now: datetime) -> str:
    count, last = uses.get(rule, (0, 0.0))
    parts = [counted(count, "use") if count else "not used yet"]
    return " · ".join([*parts, *([_ago(last, now)] if count and last else [])])


def about_rule(rule: Rule, now: datetime) -> str:
    """What it does, in a sentence, and since when."""
    verb = "Allows" if rule.verdict == "allow" else "Rejects"
    words = f"{verb} {choice_name(rule)}{' behind a pipe' if rule.piped else ''}"
    return f"{words} · made {_ago(rule.made_at, now)}" if rule.made_at else words


def _ago(seconds: float, now: datetime) -> str:
    when = age(_time_of(seconds), now)
    return f"{when} ago" if when.endswith(("min", "h", "day", "days")) else when


def _time_of(seconds: float) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError, ValueError):  # a clock that jumped, or a file that someone wrote in
        return datetime.fromtimestamp(0, UTC)
