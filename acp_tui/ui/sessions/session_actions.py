"""Actions on open sessions, their folders, their subagents, and their agent as a program."""

import time
from collections.abc import Callable, Mapping

from acp_tui.host.client import Client
from acp_tui.host.prompts.file_index import existing_folder
from acp_tui.host.system.threads import in_thread
from acp_tui.session.entries import Entry, MessageEntry
from acp_tui.session.facts import SessionNamed
from acp_tui.session.state import Session, Subagent
from acp_tui.session.tools.running_work import (
    WorkItem,
    can_be_cancelled,
    children_of,
    is_at_work,
    subagent_works,
)
from acp_tui.startup import late
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.picker import AnswerChoice, AskLine, Picker
from acp_tui.ui.kit.session_view import DoublePress, SessionView
from acp_tui.ui.kit.theme import spell
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.prompt_pipeline import PromptPipeline
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.sessions.tabs import Opened, Tab, Tabs
from acp_tui.views.formatting import home_path
from acp_tui.views.plans import title_of, tree_of
from acp_tui.views.row_search import PickerRow
from acp_tui.views.status import LOOKS, name_of, waiting

SCREEN, BOARD = "acp_tui.ui.sessions.subagents_screen", "acp_tui.ui.sessions.board_screen"
Act = Callable[[], object]


def confirm(
    view: SessionView, title: str, answers: tuple[PickerRow[bool], PickerRow[bool]], act: Act
) -> AnswerChoice[bool]:
    """Ask before something is done; the first answer does nothing."""
    choice = AnswerChoice(title, answers)

    def answered(agreed: bool | None) -> None:
        if agreed:
            act()

    view.open(choice, answered)
    return choice


class AskFirst:
    """Asks before something is given up, for the commands with these ids, which have the same keys for one thing.

    By its key it wants a second press in a row, else the answer to a question: a command that was found in the palette,
    clicked or typed as a slash command has no key that could be pressed again.
    """

    def __init__(self, view: SessionView, *command_ids: str) -> None:
        self._view, self._ids = view, command_ids
        self._presses = DoublePress(view.strokes)

    def before(self, act: Callable[[], object], told: str, what: str) -> None:
        """Call `act` once the user has agreed to `what` (`close the session`); without `told`, at once.

        `told` says what would be given up: `The agent is still working.`
        """
        ways = [way for id_ in self._ids for way in BY_ID[id_].ways]
        pressed = self._view.strokes.which(ways)
        if not told or (pressed and self._presses.again(time.monotonic(), ways)):
            act()
        elif pressed:
            self._view.say(f"{told} Press {spell(pressed)} again to {what}.")
        else:
            rows = PickerRow(False, "Go back"), PickerRow(True, f"{what[:1].upper()}{what[1:]}")
            confirm(self._view, told.removesuffix("."), rows, act).rule.by_key = True


class SessionActions:
    """Sessions, as seen from one of them."""

    def __init__(self, view: SessionView, tabs: Tabs, editor: PromptEditor, pipeline: PromptPipeline) -> None:
        self._view, self._client, self._tabs, self._editor = view, view.client, tabs, editor
        self._pipeline = pipeline
        self._closes, self._fresh = AskFirst(view, "close_session"), AskFirst(view, "fresh_session")

    @property
    def tab(self) -> Tab:
        return next(tab for tab in self._tabs.entries if tab.session is self._view.session)

    @property
    def several(self) -> bool:
        return len(self._tabs.entries) > 1

    @property
    def numbers(self) -> Mapping[Session, int]:
        """The numbers of the tabs, where there are several."""
        return {tab.session: number for number, tab in enumerate(self._tabs.entries, 1)} if self.several else {}

    @property
    def unused(self) -> bool:
        """Whether nothing was said here, so that nothing is lost when another session takes its place."""
        session = self._view.session
        said = any(isinstance(entry, MessageEntry) for entry in session.entries)
        return not (said or session.queue or session.turn.active or self._editor.text)

    def begin(self) -> None:
        if self._can_begin:
            self.show(self._client.open_session(cwd=self._view.session.cwd))

    def begin_here(self) -> None:
        """A new session in the place of this one, which can be gone back to; asks first while that is at work."""
        if self._can_begin:
            self._fresh.before(self._begin_here, self._unfinished, "start a new session here")

    def show(self, session: Session, *, instead: bool = False) -> None:
        own = self.tab
        gives_way = instead and self.unused and session is not self._view.session
        self._tabs.open(Opened(self._client, session, own.history), own if gives_way else None)
        if gives_way:
            self._tabs.close(own)

    def show_branch(self, session: Session, *, here: bool) -> None:
        if here:
            self._replace(session)
        else:
            self.show(session)

    def _begin_here(self) -> None:
        self._replace(self._client.open_session(cwd=self._view.session.cwd))

    def _replace(self, session: Session) -> None:
        """Show another session here. What was sent or written after the wish for it belongs to that one."""
        own, tabs, editor = self.tab, self._tabs, self._editor
        new = tabs.open(Opened(self._client, session, own.history), own)
        self._pipeline.go_elsewhere(new.screen.send)

        def close() -> None:
            if editor.draft.strip():
                new.screen.write(editor.take_draft())
            tabs.close(own)

        editor.call_later(close)  # when the keys are done with that it was given

    @property
    def _can_begin(self) -> bool:
        ended = self._client.connection.phase in ("closing", "closed")
        if ended:
            self._view.say("The agent has exited")
        return not ended

    @property
    def _unfinished(self) -> str:
        session = self._view.session
        if is_at_work(session):
            return "The agent is still working."
        return unsent(len(session.queue) + self._pipeline.on_their_way)

    def show_number(self, number: int) -> None:
        self._tabs.show_number(number)

    def fork(self) -> None:
        client, session = self._client, self._view.session
        if not client.connection.capabilities.fork_session:
            self._view.say("This agent cannot fork sessions")
        elif not session.id or session.closed:
            self._view.say("This session is not open")
        else:
            self.show(client.branches.begin(session, None, ()))

    def rename(self, title: str = "") -> None:
        """Give the session another title; without one ask for it."""
        if title:
            give_title(self._client, self._view.session, title)
        else:
            ask_title(self._view, self._view.session)

    def close(self) -> None:
        self._closes.before(self._close, self._unfinished, "close the session")

    def _close(self) -> None:
        tabs, own = self._tabs, self.tab
        if len(tabs.entries) == 1:
            if self.unused or self._client.connection.phase in ("closing", "closed"):
                self._view.say("This is the only open session")
                return
            self.begin()
        tabs.close(own)

    def pick(self) -> None:
        tabs = self._tabs
        rows = [
            PickerRow(
                label.number,
                f"{label.number} {label.name} {LOOKS[label.state].sign}".rstrip(),
                " · ".join(filter(None, (LOOKS[label.state].words, sanitise_line(tab.session.agent_name, 40)))),
                current=label.current,
            )
            for label, tab in zip(tabs.labels(), tabs.entries, strict=True)
        ]
        self._view.open(Picker("Sessions", rows), lambda number: tabs.show_number(number or 0))

    def uncovered(self) -> None:
        """Nothing lies over the session any more."""
        self._tabs.uncovered()

    def show_board(self) -> None:
        self._view.open(late(BOARD).BoardScreen(self._tabs), self._go_to)

    def _go_to(self, tab: Tab | None) -> None:
        if tab is not None:
            self._tabs.show(tab)
            if waiting(tab.session):
                tab.screen.focus_question()

    def answer_oldest(self) -> None:
        tab = self._tabs.oldest_asking() or self.tab
        if tab is not self.tab:
            self._tabs.show(tab)
        tab.screen.focus_question()


def give_title(client: Client, session: Session, title: str) -> None:
    """Give an open session another title, kept by its agent where that can."""
    if client.connection.capabilities.title_session and session.id and not session.named:
        client.known_sessions.title(session.id, title)
    else:
        session.apply(SessionNamed(title))


def ask_title(view: SessionView, session: Session, done: Callable[[], None] = lambda: None) -> None:
    """Ask for another title of an open session, and call `done` once it is given."""

    async def give(title: str) -> None:
        give_title(view.client, session, title)
        done()

    where = "" if view.client.connection.capabilities.title_session else "  (this machine only)"
    view.open(AskLine(f"Rename session{where}", name_of(session), give))


def unsent(count: int) -> str:
    """That prompts wait, in words; empty if none do."""
    if not count:
        return ""
    return "A queued prompt has not been sent." if count == 1 else f"{count} queued prompts have not been sent."


class AgentActions:
    """The agent of one session, as a program."""

    def __init__(self, view: SessionView) -> None:
        self._view = view
        self._restarts = AskFirst(view, "restart_agent")

    def restart(self) -> None:
        client = self._view.client
        if client.connection.phase in ("closing", "closed"):
            self._view.say("The agent has been shut down")
            return
        working = [session for session in client.sessions if is_at_work(session)]
        unheard = all(session.turn.cancel_requested_at is not None for session in working)
        told = "The agent is still working." if working and not unheard else ""
        self._restarts.before(client.restart, told, "restart it")

    def open_without_prompt(self, otherwise: Callable[[], object] | None = None) -> None:
        """Open the session without the system prompt with which the agent did not; else do what is to be done then."""
        if not self._view.client.open_without_prompt(self._view.session):
            (otherwise or (lambda: self._view.say("This session was not refused because of a system prompt")))()


class FolderActions:
    """The protocol gives an agent its folders when a session is opened: a new one, or one that is brought back."""

    def __init__(
        self, view: SessionView, sessions: SessionActions, agent: AgentActions, changed: Callable[[], None]
    ) -> None:
        """`changed` is called when the session has another folder."""
        self._view, self._sessions, self._agent, self._changed = view, sessions, agent, changed

    def add(self, named: str) -> None:
        """Add the folder of this name; without one ask for it."""
        if named:
            self._view.run(self._add(named))
        else:
            self._view.open(AskLine("Add folder", "", self._add))

    async def _add(self, named: str) -> None:
        view, session = self._view, self._view.session
        folder = await in_thread(existing_folder, named, session.cwd)
        shown = sanitise_line(home_path(folder), 80)
        if folder in view.client.roots(session):
            view.say(f"Already added: {shown}")
            return
        view.client.add_folder(session, folder)
        self._changed()
        can = view.client.connection.capabilities
        if view.client.connection.agent is None:
            view.say(f"Added {shown}", 5)
        elif not can.additional_directories:
            view.say(f"Added {shown} here. This agent does not support additional folders.", 8)
        elif session.id and not session.entries:
            self._sessions.begin_here()
            view.say(f"Added {shown} in a new session", 5)
        elif can.load_session or can.resume_session:
            later = PickerRow(False, "Later", "for new sessions only")
            now = PickerRow(True, "Restart the agent", "and restore its sessions")
            confirm(view, "Folder added. Restart the agent to use it here?", (later, now), self._agent.restart)
        else:
            view.say(f"Added {shown} for new sessions. Start one with /new.", 8)


class SubagentActions:
    """The subagents of the session that is shown. `ask` shows what waits for the user; `run` runs a command."""

    def __init__(self, view: SessionView, ask: Callable[[], object], run: Callable[[str], object]) -> None:
        self._view, self._ask, self._run = view, ask, run

    def choose(self) -> None:
        late(SCREEN).choose(self._view.app, list(tree_of(self._view.session)), self.open)

    def open_entry(self, entry: Entry | None) -> bool:
        """Open the subagent of a row, or of a tool call that began it; whether there is one."""
        there_is_one: bool = late(SCREEN).choose_of(self._view.app, entry, self._view.session, self.open)
        return there_is_one

    def open_id(self, session_id: str) -> None:
        child = self._view.session.family.get(session_id)
        if child is not None:
            self.open(child)

    def open(self, child: Subagent) -> None:
        screen = late(SCREEN)
        acts = screen.SubagentActs(self.cancel, self._run, self._back)
        self._view.open(screen.SubagentScreen(child, acts), lambda _: self._back())

    def cancel_entry(self, entry: Entry | None) -> None:
        children = children_of(entry, self._view.session)
        if not children:
            self._view.say("No subagent here")
        for child in children[:1]:
            self.cancel(child)

    def cancel(self, child: Subagent) -> None:
        """Cancel one where its agent allows it; its parent goes on."""
        name = f'"{title_of(child.entry, 60)}"'
        if not subagent_works(child):
            self._view.say(f"Subagent {name} is not working")
            return
        work = WorkItem("subagent", child.entry.id, child.entry.title or "Subagent", child.entry.cancellable, False)
        if can_be_cancelled(self._view.session, work):
            self._view.client.of(self._view.session).cancel_work(work)
            self._view.say(f"Cancelling subagent {name}")
        else:
            self._view.say("The agent does not let you cancel this subagent", 5, "warning")

    def _back(self) -> None:
        if waiting(self._view.session):
            self._ask()
