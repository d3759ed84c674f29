"""The panel of the permission requests on the board, with the keys and the rule of their sessions' own panels."""

from collections.abc import Callable, Sequence

from textual import events
from textual.content import Content
from textual.message import Message

from acp_tui.host.rules.session_rules import SessionRules
from acp_tui.session.changes import Change, EntryChanged
from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.facts import PendingPermission
from acp_tui.ui.changes.comments import Comment
from acp_tui.ui.kit.answer_rule import Meaning
from acp_tui.ui.kit.key_routing import ARROWS, STEPS, Typed
from acp_tui.ui.kit.session_view import say
from acp_tui.ui.kit.theme import MUTED, fitting, key_hints, turning
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.questions.docked_panel import cells_of
from acp_tui.ui.questions.permission_options import CANCEL, FULL, RULE, SAY_WHY
from acp_tui.ui.questions.permission_panel import PermissionPanel
from acp_tui.ui.questions.permission_rows import APART
from acp_tui.ui.questions.request_screen import RequestReview
from acp_tui.ui.render.text import cut
from acp_tui.ui.sessions.tabs import Tab
from acp_tui.views.formatting import SEPARATOR

LEAST_NAME = 12  # cells of the name of a session
COMMANDS = "X="  # of the board; they count under the rule of answers where something is asked


class BoardPanel(PermissionPanel):
    """The requests of all sessions on the board, one at a time: that of the highlighted row.

    It goes from session to session: with a panel for each of them a request took 300 ms until it was painted. None of
    its answers is highlighted: arrows and Enter are the list's, unless the line for a reason is open.
    """

    LEAST_BESIDE, ROOMY = 3, 15

    def __init__(self, tab: Tab) -> None:
        """`tab` is the one that the panel belongs to until it asks something."""
        super().__init__(tab.session, RequestReview(self._take_comments), self._rules)
        self._tab, self.name_shown = tab, ""
        self._shown: PendingPermission | None = None
        self._answered_in: dict[int, set[int]] = {}  # by the ids of the sessions as objects
        self._unsubscribe: Callable[[], None] = lambda: None

    def _rules(self) -> SessionRules:
        return self._tab.client.of(self._tab.session).rules

    def on_mount(self) -> None:
        self._go_to(self._tab)

    def on_unmount(self) -> None:
        self._unsubscribe()

    def _go_to(self, tab: Tab) -> None:
        """Ask for another session from now on; what was begun for the last one stays there."""
        self.end()
        self.rule.forget()
        self._unsubscribe()
        self._tab, self.session = tab, tab.session
        self._answered = self._answered_in.setdefault(id(tab.session), set())
        self._unsubscribe = self.session.subscribe(self._changed)

    def _changed(self, change: Change) -> None:
        """There may be more to agree to than before."""
        call = change.entry if isinstance(change, EntryChanged) else None
        if isinstance(call, ToolCallEntry) and self._pending is not None and call.id == self._pending.tool_call_id:
            self.call_later(self.look)

    @property
    def waits(self) -> int:
        return 1  # the others have rows of their own

    def _waiting(self) -> list[PendingPermission]:
        return [pending for pending in super()._waiting() if pending is self._shown]

    def heading(self) -> Content:
        """With the session that asks, where that has room."""
        line = super().heading()
        room = cells_of(self) - 2 - line.cell_length - len(SEPARATOR)
        name = Content.styled(SEPARATOR + cut(self.name_shown, room), MUTED) if room >= LEAST_NAME else Content("")
        return line if self.offers else line + name

    def ask(self, pending: PendingPermission, tab: Tab, *, by_key: bool) -> None:
        """Show this request, open. Keys count for it from when it is painted, `by_key` if the user chose it."""
        if tab is not self._tab:
            self._go_to(tab)
        if pending is not self._shown or not self.opened:
            self._shown = pending
            self.show_next(take_focus=True)
            self.rule.by_key = by_key

    def put_away(self) -> None:
        self._shown = None
        super().put_away()

    def reopen(self) -> None:
        """Ask again, after a key of the user put something else away."""
        self.take_focus()
        self.await_paint()
        self.rule.by_key = True

    @property
    def _has_arrows(self) -> bool:
        """Whether arrows, Enter and Esc are those of the panel."""
        return bool(self._note.display) or self.offers

    def draw(self) -> None:
        if not self._has_arrows and self.rule.marked is None:
            self._options.highlight(None)
        super().draw()

    def meaning(self, event: Typed) -> Meaning:
        if not self._has_arrows and isinstance(event, events.Key):
            if event.key == "enter":
                return "enter" if self.rule.marked is not None else "other"
            if event.key in (*ARROWS, *STEPS, "space"):
                return "other"
            if event.character and event.character in COMMANDS:
                return "command"
        return super().meaning(event)

    def hints(self) -> Content:
        """Without the keys of the list, which stand below."""
        if self._has_arrows:
            return super().hints()
        unseen = self._unseen() if self._compact else Content("")
        turned = [turning(self._layout_shown)] if self._subject is not None and self._subject.diffs else []
        keys = [*([SAY_WHY] if self._options.offered else [CANCEL]), FULL, *turned]
        keys += [RULE] if self._options.rule_is_unseen else []
        room = cells_of(self) - 2 - (unseen.cell_length + len(APART) if unseen else 0)
        shown = key_hints(fitting(keys, room, keys[::-1]))
        return Content.assemble(unseen, APART, shown) if unseen else shown

    def _act_for(self, event: events.Key) -> Callable[[], object] | None:
        if not self._has_arrows and event.key in ("enter", "escape"):
            return None
        return super()._act_for(event)

    def deliver(self, answer: Message) -> None:
        """At once: the panel may be another session's before a message arrives."""
        self._tab.screen.when_complete(lambda parts: parts.questions.answered(answer))

    def _take_comments(self, comments: Sequence[Comment]) -> None:
        self._tab.screen.when_complete(lambda parts: parts.review.take(comments))

    def _give_back(self, text: str) -> None:
        if text:
            self._tab.screen.write(Draft(text))
            say(self.app, "Your text is in the prompt of that session")
            self.call_later(self._ask_again)

    def _ask_again(self) -> None:
        if self.asked is not None and not self.opened:
            self.reopen()

    def on_docked_panel_dismissed(self, message: PermissionPanel.Dismissed) -> None:
        if self._has_arrows:  # an empty line for a reason
            message.stop()
            self.fold()
            self.reopen()
