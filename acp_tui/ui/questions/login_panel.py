"""The docked panel in which the user chooses how to log in."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from acp_tui.expressions import expression
from acp_tui.host.client import Login
from acp_tui.protocol.vocabulary.initialization import AuthMethod, AuthStatus, AuthVariable
from acp_tui.session.text.phrases import counted, login_words
from acp_tui.session.text.secret_names import asks_for_secret
from acp_tui.ui.commands.key_table import first_way, ways_to
from acp_tui.ui.kit.answer_rule import Meaning
from acp_tui.ui.kit.key_routing import Typed, meaning_of
from acp_tui.ui.kit.line_editor import SafeInput
from acp_tui.ui.kit.picker import AnswerOptions
from acp_tui.ui.kit.theme import MUTED, Hint, key_hints
from acp_tui.ui.questions.docked_panel import LOUD, DockedPanel, banner
from acp_tui.ui.render.text import cut, sanitise, sanitise_line
from acp_tui.ui.transcript.placed_scroll_view import columns_of

CHOOSING = (("enter", "log in"), ("↑↓", "select"), ("esc", "later"))
WAITING = (("c", "cancel"), ("enter", "log in another way"), ("esc", "later"))
WITHOUT = (("esc", "later"),)
MARGINS = 6  # columns of the screen beside the text of the panel
ENTERING = (("enter", "next/restart the agent"), ("esc", "back"))
AGREEING = (("enter", "confirm"), ("↑↓", "select"), ("esc", "back"))


class LoginPanel(DockedPanel):
    """The ways to log in, and the fields of one that needs variables."""

    DEFAULT_CSS = """
    LoginPanel, LoginPanel.-roomy { padding: 1; }
    LoginPanel > .docked-row { padding: 0; }
    LoginPanel > #login-reason { height: auto; }
    LoginPanel OptionList { height: auto; margin: 1 0; padding: 0; border: none; background: $surface; }
    LoginPanel > #login-fields { height: auto; margin: 1 0 0 0; scrollbar-size-vertical: 1; }
    LoginPanel #login-fields Input { height: 1; border: none; padding: 0 1; margin: 0 0 1 0; background: $panel; }
    """
    BINDINGS = [Binding("c", "cancel", show=False)]

    @dataclass
    class Answered(Message, namespace="docked_panel"):
        """The user chose a way, or gave the variables that it asks for; with neither, they go elsewhere.

        `agreed`: also to the command that the way names. `cancelled`: the way that is being tried.
        """

        method: AuthMethod | None = None
        agreed: bool = False
        values: Mapping[str, str] | None = None
        cancelled: bool = False

    def __init__(self) -> None:
        self._login: Login | None = None
        self._agent, self._asks = "", True
        self._environment: Mapping[str, str] = {}
        self._status: AuthStatus | None = None
        self._method: AuthMethod | None = None
        self._reason = Static(id="login-reason")
        self._methods = AnswerOptions(markup=False, compact=True)
        self._fields = VerticalScroll(id="login-fields", can_focus=False)
        super().__init__(self._reason, self._methods, self._fields, id="login")

    @property
    def asked(self) -> Login | None:
        return self._login

    def show(self, login: Login, agent: str, *, asks: bool, take_focus: bool) -> None:
        """Offer the ways from now on, or tell how it stands; the agent `asks`, or the user does."""
        highlighted = self._methods.highlighted
        anew = self._login is None or self._login.methods != login.methods
        self._login, self._agent, self._asks = login, agent, asks
        self._methods.set_options(
            Option(method_row(method, login, self._environment), disabled=not method.usable) for method in login.methods
        )
        usable = [index for index, method in enumerate(login.methods) if method.usable]
        self._methods.highlighted = highlighted if highlighted in usable else next(iter(usable), None)
        self.present(anew=anew, take_focus=take_focus)

    def know_environment(self, environment: Mapping[str, str]) -> None:
        """The variables that the agent was started with."""
        self._environment = environment

    def know(self, status: AuthStatus | None) -> None:
        """Who is logged in, as the agent says it; the focus stays where it is."""
        if status != self._status:
            self._status = status
            self.draw()

    def end(self) -> None:
        self._login = None
        self._leave_fields()

    def take_focus(self) -> None:
        if self._login is None:  # Textual hands the focus of what is being hidden around
            return
        if not self.opened:
            self.await_paint()
        self.opened = True
        self.draw()
        lines = self._fields.query("Input, OptionList") if self._method is not None else ()
        self.screen.set_focus(next(iter(lines), self._methods if self._methods.display else self))

    @property
    def _list(self) -> OptionList:
        return next(iter(self._fields.query(OptionList)), self._methods)

    def meaning(self, event: Typed) -> Meaning:
        if isinstance(self.screen.focused, Input):
            return "field"
        return meaning_of(event, "c" if self._login is not None and self._login.trying else "")

    def move(self, step: int) -> bool | None:
        before = self._list.highlighted
        (self._list.action_cursor_down if step > 0 else self._list.action_cursor_up)()
        return None if self._list.highlighted == before else False

    def step_back(self) -> None:
        if self._method is not None:
            self._leave_fields()
            self.take_focus()
        else:
            self.let_go()
            self.post_message(self.Answered())

    def ask_variables(self, method: AuthMethod) -> None:
        fields: list[Widget] = []
        for variable in method.vars:
            fields.append(Static(variable_label(variable)))
            fields.append(SafeInput(password=masked(variable), name=variable.name, compact=True))
        self._ask(method, *fields, Static(variables_note(method)))

    def ask_command(self, method: AuthMethod) -> None:
        answers = AnswerOptions(*ANSWERS, markup=False, compact=True)
        self._ask(method, Static(command_question(method)), answers)

    def _ask(self, method: AuthMethod, *fields: Widget) -> None:
        self._leave_fields()
        self.screen.set_focus(None)  # before the ways are hidden: Textual would take it from the fields
        self._method = method
        self._fields.mount(*fields)
        self.draw()
        self.rule.forget()
        self.rule.by_key = True  # of this choice
        self.await_paint()
        self.call_after_refresh(self.take_focus)

    def action_cancel(self) -> None:
        if self._login is not None and self._login.trying:
            self.post_message(self.Answered(cancelled=True))

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if (method := self._method) is not None:
            self.step_back()
            if event.option_index == ANSWERS.index(RUN_IT):
                self.post_message(self.Answered(method, agreed=True))
        elif self._login is not None:
            method = self._login.methods[event.option_index]
            if method.method_id != self._login.trying:
                self.post_message(self.Answered(method))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self._method is None:
            return
        lines = list(self._fields.query(Input))
        needed = {variable.name for variable in self._method.vars if not variable.optional}
        after = lines[lines.index(event.input) + 1 :]
        missing = [line for line in lines if line.name in needed and not line.value]
        following = after[0] if after else next(iter(missing), None)
        if following is not None:
            following.focus()
            return
        values = {line.name or "": line.value for line in lines if line.value}
        self._leave_fields()
        self.draw()
        self.post_message(self.Answered(values=values))

    def _leave_fields(self) -> None:
        if self._fields.has_focus_within:
            self.screen.set_focus(None)  # Textual would hand it around
        self._method = None
        self._fields.remove_children()

    def fit(self, share: int) -> None:
        """Share the rows out, so that heading, hints and some of everything between them are in sight."""
        login, entering, short = self._login, self._method is not None, self.screen.has_class("-short")
        if login is None:
            return
        said = reason(login, columns_of(self) - MARGINS, short=short)
        self._reason.update(said)
        self._reason.display = self.opened and bool(said.plain)
        self._methods.display = self.opened and bool(login.methods) and not entering
        self._fields.display = self.opened and entering
        room = share - 2 - (0 if short else BLANK_ROWS)
        most = max(1, min(REASON_ROWS, room // 2))
        self._reason.styles.max_height = most
        self._methods.styles.max_height = self._fields.styles.max_height = max(2, room - most)

    def heading(self) -> Content:
        told = login_words(self._status) if self._status is not None else ""
        return Content.assemble(heading(self._agent, asks=self._asks), (f"   {told}".rstrip(), MUTED))

    def banner(self) -> Content:
        if not self._asks:
            return Content.assemble(heading(self._agent, asks=False), (f" ({first_way('answer_permission')})", MUTED))
        said = self._login.failed or self._login.reason if self._login is not None else ""
        return banner(self._agent, 1, said, "you to log in")

    def hints(self) -> Content:
        return key_hints(self._keys())

    def _keys(self) -> tuple[Hint, ...]:
        if self._method is not None:
            return AGREEING if self._method.command else ENTERING
        if self._login is None or not can_log_in(self._login):
            return WITHOUT
        if not self._login.trying:
            return CHOOSING if len(self._login.methods) > 1 else (CHOOSING[0], CHOOSING[2])
        others = any(method.usable and method.method_id != self._login.trying for method in self._login.methods)
        return WAITING if others else (WAITING[0], WAITING[2])


_VARIABLE = expression(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")  # of the environment, as messages name one
KINDS = {"agent": "", "terminal": "in the terminal", "env_var": "environment variables"}
REASON_ROWS = 8  # at most
BLANK_ROWS = 4  # where there are not few
REASON_LINES, REASON_LINES_SHORT = 3, 1
OUTPUT_LINES, OUTPUT_LINES_SHORT = 6, 3  # of what a command wrote that failed
RUN_IT = "Run the command"
ANSWERS = ("Don't run it", RUN_IT)


def can_log_in(login: Login) -> bool:
    return any(method.usable for method in login.methods)


def heading(agent: str, *, asks: bool) -> Content:
    """To whom one logs in; a sign where the agent waits for it."""
    name = sanitise_line(agent, 40) or "the agent"
    words = f"Log in to {name}"
    return Content.styled(f"△ {words}", LOUD) if asks else Content.styled(words, "bold")


def reason(login: Login, width: int, *, short: bool) -> Content:
    """What the agent said, and why the last try came to nothing; in few rows on a `short` screen.

    A command's output has rows of at most `width` cells, and few of them: its end says most.
    """
    lines, most = sanitise(login.reason).strip().splitlines(), REASON_LINES_SHORT if short else REASON_LINES
    told = lines[:most] + [f"… {counted(len(lines) - most, 'more line')}"] * (len(lines) > most)
    failed = [cut(line, 400) for line in sanitise(login.failed).strip().splitlines()[: most + 1]]
    parts = [Content.styled(f"{'✗' if at == 0 else ' '} {line}", "$error") for at, line in enumerate(failed)]
    if login.output:
        most = OUTPUT_LINES_SHORT if short else OUTPUT_LINES
        rows = [f"│ {cut(line, width - 2)}" for line in _last_rows(login.output, width - 2, most)]
    else:
        rows = [] if login.failed else [cut(line, 160) for line in told]
    parts += [Content.styled(row, MUTED) for row in rows]
    if not can_log_in(login):
        none = "acp-tui supports none of these login methods." if login.methods else "The agent offers no login."
        parts.append(Content(none))
    if login.failed or not can_log_in(login):
        parts.append(Content(_way_out(login)))
    return Content("\n").join(parts)


def _way_out(login: Login) -> str:
    """What helps: a variable that is missing is read at the start of this program only."""
    named = _VARIABLE.search(sanitise_line(login.failed, 400))
    if named is not None:
        return f"Quit ({ways_to('quit')}), set {named[0]} in your shell, and start acp-tui again."
    return f"Log in outside acp-tui, then restart the agent: {ways_to('restart_agent')}"


def _last_rows(output: str, width: int, most: int) -> list[str]:
    """The end of a command's output in rows of that width, without blank lines; what is left out is said."""
    lines = sanitise(output).expandtabs().splitlines()
    rows = [row for line in lines for row in wrap(line, max(20, width), drop_whitespace=False) if row.strip()]
    left_out = len(rows) - most
    return [f"… {counted(left_out + 1, 'earlier row')}", *rows[1 - most :]] if left_out > 0 else rows


def method_row(method: AuthMethod, login: Login, environment: Mapping[str, str]) -> Content:
    """A way to log in, with the variable of the `environment` that it reads and that is not set."""
    name = cut(sanitise_line(method.name), 40)
    if login.trying == method.method_id:
        return Content.assemble((name, "bold"), ("  … waiting for the agent", "$secondary"))
    how = KINDS[method.type] if method.usable else f"not supported: {sanitise_line(method.type, 30)}"
    how += f": {cut(sanitise_line(command_line(method), 80), 60)}" if method.command else ""
    about = " · ".join(filter(None, (how, sanitise_line(method.description or "", 300).replace("`", ""))))
    named = _VARIABLE.search(about) if method.type == "agent" and not login.failed else None
    missing = f"  {named[0]} is not set" if named is not None and named[0] not in environment else ""
    return Content.assemble(
        (name, "" if method.usable else MUTED), (f"  {about}".rstrip(), MUTED), (missing, "$warning")
    )


def command_question(method: AuthMethod) -> Content:
    """The command that would run, all of it; of variables the names."""
    variables = f"\nwith {', '.join(sanitise_line(name, 80) for name in method.env)}" if method.env else ""
    return Content.assemble(
        ("The agent wants to run this command to log in:\n", MUTED),
        (sanitise_line(command_line(method), 2000), "bold"),
        (f"{variables}\nIt runs with your permissions. Run it only if you trust this agent.", MUTED),
    )


def command_line(method: AuthMethod) -> str:
    return shlex.join((method.command, *method.args))


def masked(variable: AuthVariable) -> bool:
    """Whether what is entered is not shown: unless the agent says that it is no secret, and its name does not."""
    return variable.secret is not False or asks_for_secret(variable.name) or asks_for_secret(variable.label or "")


def variable_label(variable: AuthVariable) -> Content:
    about = [sanitise_line(variable.label or "", 100), "optional" if variable.optional else ""]
    return Content.assemble(sanitise_line(variable.name, 80), ("  " + " · ".join(filter(None, about)), MUTED))


def variables_note(method: AuthMethod) -> Content:
    link = sanitise_line(method.link or "", 200)
    more = f"\nSee {link}" if link else ""
    return Content.styled(f"The agent restarts with these values. They are never saved.{more}", MUTED)
