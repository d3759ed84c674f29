"""The footer: the keys to everything, and the two that the situation offers; never one that does nothing now."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, NamedTuple

from textual import events
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from acp_tui.host.client import Connection
from acp_tui.session.state import Session
from acp_tui.ui.commands.registry import BY_CATEGORY, BY_ID, LeaderKeys
from acp_tui.ui.kit.theme import KEY, MUTED, spell
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.views.command_index import LEADER
from acp_tui.views.options import can_change, changeable
from acp_tui.views.plans import plans_of
from acp_tui.views.status import waiting

OFFERED = 2  # keys of the situation
GAP, APART = 2, 3  # cells between two hints, and before those of the situation
NAME_CELLS = 14  # of an option's name
MENU = "menu"  # what stands for the leader among the ids of commands
ALWAYS = ("palette", MENU, "question_mark", "help")
SIDEBAR = "-sidebar"  # class of a screen whose sidebar is open
Focus = Literal["empty prompt", "prompt", "completions", "transcript", "elsewhere"]
WORDS = {
    "palette": "commands",
    MENU: "menu",
    "question_mark": "help",
    "help": "help",
    "quit": "quit",
    "browse_sessions": "sessions",
    "new_session": "new session",
    "new_agent": "another agent",
    "answer_permission": "answer",
    "open_subagent": "subagents",
    "toggle_plan": "plan",
    "toggle_details": "details",
    "unfold_block": "expand",
    "copy_block": "copy",
    "take_suggestion": "complete",
    "cancel": "close",
}


class Hint(NamedTuple):
    """A key and what it does: a command by its id, or the menu of the leader."""

    key: str
    word: str
    command_id: str


def hints_of(session: Session, connection: Connection, focus: Focus) -> list[Hint]:
    """All that the footer has room for, the most needed first."""
    always = ["palette", MENU, "question_mark" if focus == "empty prompt" else "help"]
    offered = [hint for each in _offers(session, connection, focus) if (hint := _hint(*each))]
    return [hint for each in always if (hint := _hint(each, WORDS[each]))] + offered[:OFFERED]


def _offers(session: Session, connection: Connection, focus: Focus) -> Iterator[tuple[str, str]]:
    """Ids of commands that do something now, and their words; what has keys of its own shows them itself."""
    if focus != "elsewhere":
        yield from ((each, WORDS[each]) for each in _commands(session, connection, focus))
    if focus in ("empty prompt", "prompt") and can_change(session, connection):
        for category, name in changeable(session, BY_CATEGORY).items():
            yield BY_CATEGORY[category].id, _in_a_sentence(name)


def _commands(session: Session, connection: Connection, focus: Focus) -> Sequence[str]:
    if focus == "completions":
        return "take_suggestion", "cancel"
    if focus == "transcript":
        return "unfold_block", "copy_block"
    if connection.phase in ("starting", "closing") or (connection.phase == "gone" and connection.never_started):
        return "browse_sessions", "quit"
    if connection.phase in ("gone", "closed"):
        return "new_agent", "browse_sessions"
    if session.closed:
        return "new_session", "browse_sessions"
    if waiting(session):
        return ("answer_permission",)
    if session.turn.active:
        subagents = ["open_subagent"] * bool(session.root.family)
        return *subagents, *["toggle_plan"] * bool(plans_of(session)), "toggle_details"
    return ()


def _hint(command_id: str, word: str) -> Hint | None:
    ways = [LEADER.key] if command_id == MENU else BY_ID[command_id].ways
    return Hint(spell(ways[0]), word, command_id) if ways and ways[0] else None


def _in_a_sentence(name: str) -> str:
    """An option's name as on the bar: `session mode`; capitals inside of it are the agent's."""
    words = cut(sanitise_line(name), NAME_CELLS).split(" ")
    return " ".join(word.lower() if word[1:].islower() else word for word in words)


class KeyFooter(Static):
    """One row of keys; a click on one does what the key does."""

    def __init__(self, leader: LeaderKeys, run: Callable[[str], object]) -> None:
        super().__init__(id="footer")
        self._leader, self._run = leader, run
        self._hints: Sequence[Hint] = ()
        self._notice = Content("")  # for a moment in the place of the keys
        self._timer: Timer | None = None
        self._places: list[tuple[int, int, str]] = []

    def show(self, hints: Sequence[Hint]) -> None:
        if hints != self._hints:
            self._hints = hints
            self.look()

    def look(self) -> None:
        self.update(self._row(self.size.width))

    def tell(self, key: str, words: str, seconds: float) -> None:
        """Show for so long what one key does now, in the place of all others: `esc again to clear the prompt`."""
        self.settle()
        self._notice = Content.assemble((key, KEY), (" " + words, MUTED))
        self._timer = self.set_timer(seconds, self.settle)
        self.look()

    def settle(self) -> None:
        """End that."""
        if self._timer is not None:
            self._timer.stop()
            self._timer, self._notice = None, Content("")
            self.look()

    def on_resize(self) -> None:
        self.look()

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for start, end, command_id in self._places:
            if start <= x < end:
                self._leader.takes(LEADER.key) if command_id == MENU else self._run(command_id)

    def _row(self, width: int) -> Content:
        self._places = []
        if self._notice:
            return self._notice.truncate(width, ellipsis=True)
        line = Content("")
        for key, word, command_id in self._hints:
            if command_id == "toggle_plan" and self.screen.has_class(SIDEBAR):
                continue
            always = command_id in ALWAYS
            gap = " " * (GAP if always or (self._places and self._places[-1][2] not in ALWAYS) else APART)
            longer = Content.assemble(line, gap if self._places else "", (key, KEY), (" " + word, MUTED))
            if longer.cell_length <= width:
                self._places.append((longer.cell_length - len(f"{key} {word}"), longer.cell_length, command_id))
                line = longer
        return line
