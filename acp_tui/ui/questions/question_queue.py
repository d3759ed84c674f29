"""The question queue: what the agent asks, one thing at a time and the oldest first, and where the answers go.

Permissions, forms, addresses and the options before a session wait in one queue, whichever panel asks them. A
log-in comes before all: nothing goes on without it. While one is being tried its panel only waits, and what the agent
asks comes first: it may need the answer to finish the log-in.
"""

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

from textual import events
from textual.widget import Widget
from textual.widgets import Input

from acp_tui.errors import Fault
from acp_tui.host.client import Login, LoginCommand
from acp_tui.host.rules.session_rules import SessionRules
from acp_tui.host.user_programs import open_address
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.initialization import AuthMethod
from acp_tui.session.facts import InputOptions, PendingElicitation, PendingPermission
from acp_tui.ui.changes.comments import Comment
from acp_tui.ui.kit.answer_rule import AnswerRule, Meaning
from acp_tui.ui.kit.key_routing import Asker, Typed, answer_keys_of, meaning_of
from acp_tui.ui.kit.session_view import SessionView, announce_fault
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.questions.docked_panel import DockedPanel, asker, cells_of, room_for_name
from acp_tui.ui.questions.elicitation_panel import ElicitationPanel
from acp_tui.ui.questions.login_panel import LoginPanel
from acp_tui.ui.questions.permission_panel import PermissionPanel
from acp_tui.ui.questions.question import question_before_session, question_of
from acp_tui.ui.questions.request_screen import RequestReview
from acp_tui.ui.terminal.suspension import run_on_terminal
from acp_tui.views.formatting import capitalised
from acp_tui.views.status import login_wanted, waiting

Answer: TypeAlias = PermissionPanel.Answered | ElicitationPanel.Answered | LoginPanel.Answered
PLACE_STAYS = 0.4  # seconds behind an answer: the next question, if it comes so soon, stands where the last one stood


class Vacancy:
    """The place of a question that is answered. Text is the prompt's, and nothing else does anything."""

    def __init__(self) -> None:
        self.rule = AnswerRule()

    def meaning(self, event: Typed) -> Meaning:
        return "text" if isinstance(event, events.Key) and event.is_printable else meaning_of(event)

    def move(self, _step: int) -> None:
        pass

    def mark(self, _event: events.Key | None) -> None:
        pass

    def leave(self) -> bool:
        return False


class QuestionQueue:
    """Which panel of a screen asks, and who has the focus.

    `may_interrupt` says whether an empty draft may lose it to a question that comes. `open_address` shows an address
    in a browser, and says whether it could. `keep_comments` gets those on a request that went with no rejection.
    """

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        may_interrupt: Callable[[], bool],
        keep_comments: Callable[[Sequence[Comment]], object],
    ) -> None:
        self._view, self._editor, self._may_interrupt = view, editor, may_interrupt
        self._kept_folded = False  # by a draft
        self._vacancy: Vacancy | None = None
        self.permission = PermissionPanel(view.session, RequestReview(keep_comments), self._rules)
        self.elicitation, self.login = ElicitationPanel(), LoginPanel()
        self.logins = LoginActions(view, self.login)
        self.open_address: Callable[[str], Awaitable[bool]] = open_address

    def _rules(self) -> SessionRules:
        return self._view.client.of(self._view.session).rules

    @property
    def _panels(self) -> tuple[DockedPanel, ...]:
        return self.permission, self.elicitation, self.login

    @property
    def has_focus(self) -> bool:
        """Whether a panel has it, or will have it again with the terminal."""
        focused = self._editor.screen.focused
        return any(panel.opened for panel in self._panels) if focused is None else self.holds(focused)

    def holds(self, widget: Widget) -> bool:
        return any(panel in widget.ancestors_with_self for panel in self._panels)

    @property
    def asker(self) -> Asker | None:
        """What has the keys: a panel, or the place that one has left."""
        return (self._vacancy or self._opened) if self.has_focus else None

    @property
    def _opened(self) -> DockedPanel | None:
        return next((panel for panel in self._panels if panel.opened), None)

    def open_reason(self) -> bool:
        """Give the focus to the line for a reason to reject, if what asks has one."""
        return self._opened is self.permission and self._vacancy is None and self.permission.open_reason()

    def make_way(self) -> None:
        """The user writes in the prompt: what asks is one line until that is empty."""
        self._kept_folded = True
        self._vacancy = None
        self._view.focus_prompt()

    def edited(self) -> None:
        if self._kept_folded and not self._editor.text and waiting(self._view.session):
            self.came()

    def open_waiting(self) -> bool:
        """Open what waits, as the user's key asks for it; whether anything does."""
        return self._open(by_key=True)

    def _open(self, *, by_key: bool) -> bool:
        self._kept_folded, self._vacancy = False, None
        shown = self._show(take_focus=True)
        asker = self.asker
        if asker is not None:
            asker.rule.by_key = by_key
        return shown

    def uncovered(self) -> None:
        """What lay over the screen is gone, by a key of the user: the answers are painted again.

        What was folded for a text that opened it, as `?` does, opens again.
        """
        if self._vacancy is None and self._opened is not None and self.has_focus:
            self._opened.await_paint()
            self._opened.rule.by_key = True
        else:
            self.edited()

    def fold(self) -> None:
        for panel in self._panels:
            panel.fold()

    def came(self) -> None:
        """An empty draft gives the panel the focus; a draft keeps it, and the panel's one line says who waits.

        Under another screen it waits folded until that one has left.
        """
        free = self._may_open
        self._kept_folded = self._kept_folded or bool(self._editor.text) or not self._editor.screen.is_active
        if self._vacancy is not None or (free and not self.has_focus):
            self._open(by_key=False)
        else:
            self._show(take_focus=False)

    @property
    def _may_open(self) -> bool:
        screen = self._editor.screen
        writes = bool(self._editor.text) or isinstance(screen.focused, Input)
        return not writes and self._may_interrupt() and screen.is_active

    @property
    def is_free(self) -> bool:
        """Whether something else may ask now: nothing waits here, and the user writes nothing."""
        return self._may_open and self._vacancy is None and not (self._waits or self.has_focus)

    def went(self) -> None:
        opened = self._opened
        if opened is not None and self.has_focus and not self._waits:
            self._vacate(opened)
        elif not self._show(take_focus=self.has_focus) and self._editor.screen.focused is None:
            self._view.focus_prompt()

    @property
    def _waits(self) -> bool:
        return self.logins.login is not None or bool(waiting(self._view.session))

    def _vacate(self, panel: DockedPanel) -> None:
        """Keep the place of what is answered for a moment: nothing jumps between two questions."""
        if self._vacancy is not None:
            return
        self._vacancy = vacancy = Vacancy()
        panel.vacate()
        self._editor.screen.set_focus(panel)
        clock = answer_keys_of(self._view.app).clock
        clock.call_at(clock.now() + PLACE_STAYS, lambda: self._view.app.call_later(self._leave_place, vacancy))

    def _leave_place(self, vacancy: Vacancy) -> None:
        if self._vacancy is vacancy:
            self._vacancy = None
            self._show(take_focus=self.has_focus)

    def focus(self) -> None:
        if not self.open_waiting():
            self._view.say("No question is waiting")

    def connection_changed(self) -> None:
        self.login.know(self._view.client.connection.auth_status)
        if self.logins.changed():
            (self.came if self.logins.login else self.went)()

    def log_in(self) -> None:
        if self.logins.ask():
            self.connection_changed()
            self.focus()

    def answered(self, message: Answer) -> None:
        """The user answered in a panel."""
        if isinstance(message, PermissionPanel.Answered):
            self._permission_answered(message)
        elif isinstance(message, ElicitationPanel.Answered):
            self._elicitation_answered(message)
        else:
            self._login_answered(message)

    def _permission_answered(self, message: PermissionPanel.Answered) -> None:
        """Send the answer; a reason goes first in the queue. Without an option, cancel the turn.

        What a subagent asks without options is answered as cancelled. A reason names the subagent: its parent reads it.
        """
        client, session = self._view.client, self._view.session
        who = next((asker(each, session) for each in session.permissions if each.key == message.key), "")
        if message.option_id is None and session.turn.active and not who:
            client.of(session).cancel()
        else:
            client.of(session).questions.answer_permission(message.key, message.option_id)
        if message.note.strip():
            text = f"To {who}: {message.note}" if who else message.note
            client.of(session).submit([TextContent(text=text)], place=0)

    def _elicitation_answered(self, message: ElicitationPanel.Answered) -> None:
        client, session, question = self._view.client, self._view.session, message.question
        if question.before_session:
            client.choose_input_options(session, message.content if message.act == "start" else {})
        elif message.act == "open" and question.address is not None:
            client.of(session).questions.answer_elicitation(question.key, "accept")
            self._view.run(self._visit(question.address.url))
        elif message.act == "accept":
            client.of(session).questions.answer_elicitation(question.key, "accept", message.content)
        else:
            client.of(session).questions.answer_elicitation(question.key, message.act)

    def _login_answered(self, message: LoginPanel.Answered) -> None:
        """The user did something in the panel; with neither a way nor values, something else comes first."""
        if message.method is not None:
            self.logins.choose(message.method, agreed=message.agreed)
        elif message.values is not None:
            self.logins.enter(message.values)
            self._view.focus_prompt()
        elif message.cancelled:
            self._view.client.logins.cancel()
        else:
            self.logins.leave()
            self._view.focus_prompt()  # at once: what is shown instead must not get the focus
            self._show(take_focus=False)

    async def _visit(self, url: str) -> None:
        if not await self.open_address(url):
            self._view.say("No browser could be started. The URL is in the transcript.", 5, "warning")

    def _show(self, *, take_focus: bool) -> bool:
        """Have the oldest asked, by whichever panel; whether there is anything."""
        questions = waiting(self._view.session)
        shown: DockedPanel | None = None
        if self.logins.login is not None and (self.logins.comes_first or not questions):
            shown = self.login
            self.logins.show(take_focus=take_focus or (self.has_focus and not shown.has_focus_within))
        elif questions:
            take_focus = take_focus or self.login.has_focus_within
            oldest = questions[0]
            if isinstance(oldest, PendingPermission):
                shown = self.permission
                shown.show_next(take_focus=take_focus)
            elif isinstance(oldest, PendingElicitation | InputOptions):
                shown = self.elicitation
                self._show_elicitation(oldest, take_focus=take_focus)
                shown.count(len(questions))
        # What asks, or the prompt, has the focus before the others are hidden, or Textual would take it from both.
        if shown is None and self.has_focus:
            self._view.focus_prompt()
        for panel in self._panels:
            panel.remove_class("-vacant")
            if panel is not shown:
                panel.put_away()
        return shown is not None

    def _show_elicitation(self, asked: PendingElicitation | InputOptions, *, take_focus: bool) -> None:
        if self.elicitation.asked is not asked:
            question = question_of(asked) if isinstance(asked, PendingElicitation) else question_before_session(asked)
            room = room_for_name(cells_of(self.elicitation) - 1, len(waiting(self._view.session)))
            name = capitalised(asker(asked, self._view.session, room))
            name = name or self._view.session.agent_name or self._view.agent_name
            self.elicitation.show(question, name, take_focus=take_focus)
        elif take_focus:
            self.elicitation.take_focus()


class LoginActions:
    """The log-in of one screen's agent. It is wanted by the agent, or the user asked for it."""

    def __init__(self, view: SessionView, panel: LoginPanel) -> None:
        self._view, self._panel = view, panel
        self._asked = False
        self._shown: Login | None = None
        self._left: Login | None = None

    @property
    def login(self) -> Login | None:
        connection = self._view.client.connection
        if connection.login is not None and (connection.login != self._left or login_wanted(connection)):
            return connection.login
        return Login(connection.auth_methods) if self._asked else None

    @property
    def comes_first(self) -> bool:
        """Whether the panel is shown before the agent's questions: not while it only waits for the agent."""
        return self._asked or not (self.login and self.login.trying)

    def changed(self) -> bool:
        """Whether what is to be shown is not what it was at the last call."""
        before, self._shown = self._shown, self.login
        return self._shown != before

    def show(self, *, take_focus: bool) -> None:
        login, connection = self.login, self._view.client.connection
        if login is not None:
            self._panel.know_environment({**os.environ, **self._view.client.command.env})
            self._panel.show(login, self._view.agent_name, asks=login_wanted(connection), take_focus=take_focus)

    def ask(self) -> bool:
        """The user wants to log in: whether there is a way, else that is said."""
        connection = self._view.client.connection
        if connection.login is None and not connection.auth_methods:
            unknown = connection.agent is None and connection.phase == "starting"
            said = "The agent has not offered a login yet" if unknown else "This agent offers no login"
            self._view.say(said, 4)
            return False
        self._asked = True
        return True

    def leave(self) -> None:
        self._asked, self._left = False, self._view.client.connection.login
        self._shown = self.login

    def choose(self, method: AuthMethod, *, agreed: bool) -> None:
        """Log in this way; a command that the agent names is asked about first."""
        client = self._view.client
        if method.command and not agreed:
            self._panel.ask_command(method)
            return
        if method.type == "env_var":
            self._panel.ask_variables(method)
            return
        self._asked = False
        if method.type == "agent":
            client.logins.log_in(method.method_id, self._view.session)
        elif (command := client.logins.command(method.method_id)) is not None:
            self._view.app.run_worker(self._run(command), exit_on_error=False)

    def enter(self, values: Mapping[str, str]) -> None:
        self._asked = False
        self._view.client.logins.log_in_with_variables(values)

    def log_out(self) -> None:
        if self._view.client.connection.capabilities.logout:
            self._view.client.logins.log_out()
        else:
            self._view.say("This agent offers no logout", 4)

    async def _run(self, command: LoginCommand) -> None:
        code, output = None, bytearray()
        try:
            code = await run_on_terminal(self._view.app, command.argv, command.cwd, command.env, output)
        except Fault as fault:
            announce_fault(self._view.app, fault)
        self._view.client.logins.finished(code, bytes(output))
