"""A run as text: the agent's words on standard output, what it does in short lines on standard error."""

from collections.abc import Sequence
from dataclasses import dataclass

from acp_tui.console import Output, fault_text
from acp_tui.errors import Fault
from acp_tui.host.client import Connection
from acp_tui.host.rules.rule import EVERYTHING, READERS
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.safe_text import SafeText, one_line
from acp_tui.session import changes
from acp_tui.session.entries import Entry, MessageEntry, Part, SubagentEntry, TextPart, ToolCallEntry
from acp_tui.session.facts import PendingPermission
from acp_tui.session.state import Session, Subagent, Terminal
from acp_tui.session.text.markdown import block_markdown
from acp_tui.session.text.phrases import done_words
from acp_tui.session.tools.subject import asked_subject, subject_of, terminals_of, told_line, verb_before
from acp_tui.session.tools.title import ending_of
from acp_tui.views.status import agent_words


@dataclass(slots=True)
class MessageGrowth:
    """Follows one message."""

    parts: list[Part] | None = None  # the message's own: another list replaces all
    count: int = 0
    seen: int = 0  # chunks of the last part, or characters where it is text for the agent only

    def look(self, entry: MessageEntry) -> tuple[bool, list[str | ContentBlock]]:
        """Whether the message was replaced as a whole, and what is new: text and other blocks, in order."""
        replaced = self.count > 0 and self.parts is not entry.parts
        if replaced:
            self.count = 0
        new: list[str | ContentBlock] = []
        for at in range(max(0, self.count - 1), len(entry.parts)):
            part, seen = entry.parts[at], self.seen if at < self.count else 0
            if isinstance(part, TextPart):
                new.append("".join(part.chunks[seen:]))
                self.seen = len(part.chunks)
            elif isinstance(part, TextContent):  # another block each time that it grows
                if not seen or len(part.text) > seen:
                    new.append(part.model_copy(update={"text": part.text[seen:]}))
                self.seen = len(part.text)
            elif at >= self.count:
                new.append(part)
        self.parts, self.count = entry.parts, len(entry.parts)
        return replaced, [item for item in new if item != ""]


@dataclass(slots=True)
class TerminalGrowth:
    """Follows the output of one terminal."""

    seen: int = 0

    def look(self, terminal: Terminal) -> tuple[bool, bytes]:
        """Whether the output was replaced as a whole, and the bytes that are new."""
        total = terminal.dropped + terminal.size
        replaced, missing = total < self.seen, total - self.seen
        if replaced:
            missing = total
        self.seen = total
        pieces: list[bytes] = []
        for chunk in reversed(terminal.chunks):
            if missing <= 0:
                break
            pieces.append(chunk[-missing:])
            missing -= len(chunk)
        return replaced, b"".join(reversed(pieces))


REJECT = "reject"
_WHY = {
    REJECT: "--permission allow-once allows it",
    "rules": "no rule allows it",
    "yolo": "--yolo does not answer this",
}  # by policy
_ALLOWED = ("allow_once", "allow_always")
_DECIDED = {
    "allow_once": "allowed once",
    "allow_always": "always allowed",
    "reject_once": "rejected",
    "reject_always": "rejected",
}
LONGEST_NAME = 80  # characters of a subagent's title
LONGEST = 1_000  # characters of a line on standard error, so that a command is whole


class TextReport:
    """For people, and for pipes that take an answer. `safe` strips what a terminal would obey.

    `policy` is how permission requests are answered. A tool call is one line, once it has ended.
    """

    def __init__(self, output: Output, session: Session, *, safe: bool, policy: str = REJECT) -> None:
        self._output, self._session, self._policy = output, session, policy
        self._safe = SafeText() if safe else None
        self._speaking: str | None = None
        self._ends_line = True
        self._growths: dict[str, MessageGrowth] = {}
        self._told: dict[str, str] = {}
        self._asked: dict[int, tuple[PendingPermission, str]] = {}
        self._allowed: dict[str, str] = {}  # by the id of the tool call
        self._reason_told = False

    def began(self, connection: Connection) -> None:
        agent = connection.agent
        if agent is not None:
            self._line(f"agent: {agent_words(agent)}")

    def waits(self, step: str, last_words: Sequence[str]) -> None:
        self._line(f"no reply from the agent yet: {step}")
        for words in last_words:
            self._line(f"stderr: {words}", below=True)

    def changed(self, change: changes.Change) -> None:
        match change:
            case changes.EntryAdded(entry) | changes.EntryChanged(entry):
                self._entry(entry)
            case changes.NoticeRaised(notice):
                self._entry(notice)
            case changes.PlanChanged(plan_id):
                self._plan(plan_id)
            case changes.PermissionAsked(key):
                asked = next(asked for asked in self._session.permissions if asked.key == key)
                self._asked[key] = asked, self._about(asked)
            case changes.SubagentChanged(session_id):
                self._subagent(self._session.family[session_id].entry)
            case changes.PermissionSettled(key, option_id):
                self._decided(*self._asked.pop(key), option_id)
            case changes.PermissionRuled(asked):
                self._ruled(asked, change)
            case _:
                pass  # selectors, commands, usage and live output are for a screen

    def left(self, children: Sequence[Subagent]) -> None:
        """Some still work, and the run does not wait for them."""
        names = ", ".join(_name(child.entry) for child in children)
        count = "1 subagent was" if len(children) == 1 else f"{len(children):,} subagents were"
        self._line(f"{count} still working when the turn ended: {names}")

    def answered(self) -> None:
        """The answer is complete, though the run has not ended."""
        self._finish_line(final=True)

    def ended(self, _: int, fault: Fault | None) -> None:
        self._finish_line(final=True)
        if fault is not None:
            self._output.aside(fault_text(fault) + "\n")

    def _entry(self, entry: Entry) -> None:
        if isinstance(entry, MessageEntry):
            if entry.role == "agent":
                self._message(entry)
        elif isinstance(entry, ToolCallEntry):
            self._tool_call(entry)
        elif lines := entry.report():
            about = f"{type(entry).__name__} {entry.id}"
            self._tell(about, lines[0])
            for text in filter(None, lines[1:]):
                self._tell(f"{about} {text}", text, below=True)

    def _subagent(self, entry: SubagentEntry) -> None:
        if entry.state == "idle":
            ended = "done" if entry.stop_reason in (None, "end_turn") else entry.stop_reason
            self._tell(f"subagent {entry.id}", f"subagent {_name(entry)}: {ended}")
        elif entry.state in ("running", "requires_action") and not entry.disconnected:
            self._tell(f"subagent {entry.id}", f"subagent {_name(entry)}: started")

    def _about(self, asked: PendingPermission) -> str:
        child = self._session.family.get(asked.request.session_id or "")
        asking = self._session if child is None else child.session
        line = told_line(asked_subject(asked, asking), asking.cwd)
        return line if child is None else f"subagent {_name(child.entry)}: {line}"

    def _message(self, entry: MessageEntry) -> None:
        replaced, new = self._growths.setdefault(entry.id, MessageGrowth()).look(entry)
        if new and (replaced or self._speaking != entry.id):
            if self._speaking is not None:
                self._finish_line(final=True)
                self._output.answer("\n")
            self._speaking = entry.id
        for item in new:
            self._say(item)

    def _say(self, item: str | ContentBlock) -> None:
        text = item if isinstance(item, str) else f"\n{block_markdown(item)}\n"
        if self._safe is not None:
            text = self._safe.feed(text)
        if text:
            self._output.answer(text)
            self._ends_line = text.endswith("\n")

    def _finish_line(self, final: bool = False) -> None:
        if final and self._safe is not None and (rest := self._safe.feed("", final=True)):
            self._output.answer(rest)
            self._ends_line = False
        if not self._ends_line:
            self._output.answer("\n")
            self._ends_line = True

    def _plan(self, plan_id: str) -> None:
        plan = self._session.plans.get(plan_id)
        if plan is not None and plan.entries:
            now = next((step.content for step in plan.entries if step.status == "in_progress"), "")
            self._tell(f"plan {plan_id}", f"plan {done_words([plan])}" + (f": {now}" if now else ""))

    def _tool_call(self, entry: ToolCallEntry) -> None:
        ended = ending_of(entry)
        if not ended or self._told.get(f"tool {entry.id}") == ended:
            return
        self._told[f"tool {entry.id}"] = ended
        subject = subject_of(entry, self._session)
        verb = verb_before(subject)
        codes = _exit_codes(entry, self._session) if ended == "failed" else []
        code = f" (exit {codes[-1]})" if codes else ""
        ruled = _by_rules("rejected" if ended == "rejected" else "allowed", entry.rule_reason)
        how = (ruled or self._rejected()) if ended == "rejected" else f"{ended}{code}"
        how += ", denied by the agent itself" if entry.denied_by_agent else ""
        allowed = (ruled or self._allowed.get(entry.id, "")) if ended != "rejected" else ""
        line = f"{verb}{told_line(subject, self._session.cwd)}: {how}{allowed and f', {allowed}'}"
        self._line(line, wrong=ended in ("failed", "rejected"))

    def _rejected(self) -> str:
        """Why it was, once: it is the same each time."""
        if self._policy not in _WHY or self._reason_told:
            return "rejected"
        self._reason_told = True
        return f"rejected: {_WHY[self._policy]}"

    def _decided(self, asked: PendingPermission, about: str, option_id: str | None) -> None:
        """The line of the tool call says it; where there is none, or none will be, it has one of its own."""
        kind = next((option.kind for option in asked.request.options if option.option_id == option_id), "")
        decided = _DECIDED.get(kind, kind or "cancelled")
        inside = asked.request.session_id in self._session.family  # whose tool calls have no lines
        entry = None if inside else self._session.index.tool_calls.get(asked.tool_call_id or "")
        if entry is not None and kind in _ALLOWED:
            self._allowed[entry.id] = decided
        elif entry is None or ending_of(entry) != "rejected":
            rejected = decided == "rejected"
            self._line(f"permission: {about}: {self._rejected() if rejected else decided}", wrong=rejected)

    def _ruled(self, asked: PendingPermission, change: changes.PermissionRuled) -> None:
        """The line of a call in a subagent, which has no other; without a call there is a notification."""
        if asked.request.session_id in self._session.family:
            kind = next((option.kind for option in asked.request.options if option.option_id == change.option_id), "")
            verb = "rejected" if kind.startswith("reject") else "allowed"
            line = f"permission: {self._about(asked)}: {_by_rules(verb, change.reason)}"
            self._line(line, wrong=verb == "rejected")

    def _tell(self, about: str, text: str, *, below: bool = False) -> None:
        if self._told.get(about) != text:
            self._told[about] = text
            self._line(text, below=below)

    def _line(self, text: str, *, below: bool = False, wrong: bool = False) -> None:
        """A line; what stands `below` a title is set in, so that no foreign line looks like a title of ours.

        A terminal shows it muted, beside the answer, and what went `wrong` in red.
        """
        if self._safe is not None:  # a user reads both streams at one terminal
            self._finish_line()
        self._output.aside(f"[{'  ' * below}{one_line(text, LONGEST)}]\n", "error" if wrong else "muted")


def _name(entry: SubagentEntry) -> str:
    return one_line(entry.title or entry.id, LONGEST_NAME)


def _by_rules(verb: str, reason: str) -> str:
    """Which rules gave an answer, in words; empty if none did."""
    by = {EVERYTHING: "--yolo", READERS: f"rule: {READERS}"}.get(reason, f"rule {reason}")
    return f"{verb} by {by}" if reason else ""


def _exit_codes(entry: ToolCallEntry, session: Session) -> list[int]:
    statuses = [terminal.exit_status for terminal in terminals_of(entry, session.terminals)]
    return [status.exit_code for status in statuses if status is not None and status.exit_code is not None]
