"""A run as text: the agent's words on standard output, what it does in short lines on standard error."""

from collections.abc import Sequence

from acp_tui.console import Output, fault_text
from acp_tui.errors import Fault
from acp_tui.headless.growth import MessageGrowth
from acp_tui.host.client import Connection
from acp_tui.protocol.vocabulary.content import ContentBlock
from acp_tui.protocol.vocabulary.permissions import PermissionRequest
from acp_tui.safe_text import SafeText, one_line
from acp_tui.session import changes
from acp_tui.session.entries import CompactionEntry, Entry, MessageEntry, NoticeEntry, ToolCallEntry, UnknownEntry
from acp_tui.session.export.text import block_markdown
from acp_tui.session.state import Session
from acp_tui.session.text.words import done_words
from acp_tui.session.tools.subject import asked_subject, subject_of, told_line

LONGEST = 1_000  # characters of a line on standard error, so that a command is whole


class TextReport:
    """For people, and for pipes that take an answer. `safe` strips what a terminal would obey."""

    def __init__(self, output: Output, session: Session, *, safe: bool) -> None:
        self._output, self._session = output, session
        self._safe = SafeText() if safe else None
        self._speaking: str | None = None
        self._ends_line = True
        self._growths: dict[str, MessageGrowth] = {}
        self._told: dict[str, str] = {}
        self._asked: dict[int, tuple[PermissionRequest, str]] = {}

    def began(self, connection: Connection) -> None:
        agent = connection.agent
        if agent is not None:
            self._line(f"agent: {agent.title or agent.name} {agent.version}")

    def waits(self, step: str, last_words: Sequence[str]) -> None:
        self._line(step)
        for words in last_words:
            self._line(f"its standard error: {words}", below=True)

    def changed(self, change: changes.Change) -> None:
        match change:
            case changes.EntryAdded(entry) | changes.EntryChanged(entry):
                self._entry(entry)
            case changes.NoticeRaised(notice):
                self._notice(notice)
            case changes.PlanChanged(plan_id):
                self._plan(plan_id)
            case changes.PermissionAsked(key):
                asked = next(asked for asked in self._session.permissions if asked.key == key)
                self._asked[key] = asked.request, told_line(asked_subject(asked, self._session), self._session.cwd)
            case changes.PermissionSettled(key, option_id):
                self._decided(*self._asked.pop(key), option_id)
            case _:
                pass  # selectors, commands, usage and live output are for a screen

    def ended(self, _: int, fault: Fault | None) -> None:
        self._finish_line(final=True)
        if fault is not None:
            self._output.aside(fault_text(fault) + "\n")

    def _entry(self, entry: Entry) -> None:
        match entry:
            case MessageEntry(role="agent"):
                self._message(entry)
            case ToolCallEntry():
                about = told_line(subject_of(entry, self._session), self._session.cwd)
                self._tell(f"tool {entry.id}", f"{entry.status}: {entry.kind}: {about}")
            case NoticeEntry():
                self._notice(entry)
            case CompactionEntry():
                self._tell(f"compaction {entry.id}", f"{entry.status}: compacting the context")
            case UnknownEntry():
                self._tell(f"unknown {entry.id}", f"an update that this program does not know: {entry.kind}")
            case MessageEntry():
                pass  # what the user said, and thoughts

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

    def _notice(self, notice: NoticeEntry) -> None:
        self._tell(f"notice {notice.id}", f"{notice.severity}: {notice.title}")
        for text in (*notice.message.splitlines(), notice.hint):
            if text:
                self._tell(f"notice {notice.id} {text}", text, below=True)

    def _plan(self, plan_id: str) -> None:
        plan = self._session.plans.get(plan_id)
        if plan is not None and plan.entries:
            now = next((step.content for step in plan.entries if step.status == "in_progress"), "")
            self._tell(f"plan {plan_id}", f"plan {done_words([plan])}" + (f": {now}" if now else ""))

    def _decided(self, request: PermissionRequest, about: str, option_id: str | None) -> None:
        chosen = [f"{option.name} ({option.kind})" for option in request.options if option.option_id == option_id]
        self._line(f"permission: {about}: {chosen[0] if chosen else 'cancelled'}")

    def _tell(self, about: str, text: str, *, below: bool = False) -> None:
        if self._told.get(about) != text:
            self._told[about] = text
            self._line(text, below=below)

    def _line(self, text: str, *, below: bool = False) -> None:
        """A line; what stands `below` a title is set in, so that no foreign line looks like a title of ours."""
        if self._safe is not None:  # a user reads both streams at one terminal
            self._finish_line()
        self._output.aside(f"[{'  ' * below}{one_line(text, LONGEST)}]\n")
