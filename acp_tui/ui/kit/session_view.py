"""The view that an action gets of its session instead of the screen: session, agent, and the ways to reach the user.

Toasts are a few words to the user. What of them is an agent's is text, never markup.
"""

import re
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from textual.app import App
from textual.notifications import Notification, Notify, SeverityLevel
from textual.screen import Screen
from textual.widget import Widget

from acp_tui.errors import Fault
from acp_tui.host.client import Client
from acp_tui.host.config.preferences import Preferences
from acp_tui.session.state import Session
from acp_tui.session.text.phrases import counted
from acp_tui.ui.render.text import sanitise, sanitise_line
from acp_tui.views.formatting import home_path

Severity = SeverityLevel
SECONDS = 5.0  # that a toast stays, if nothing else is said
NAMED = 4
PATIENCE = 20.0  # seconds that a list of problems and an error stay, and a long text at most
READ = 15  # characters that are read in a second
LONGEST_TITLE = 120  # cells
LONGEST, MOST_LINES = 400, 8  # characters and lines of what stands below a title; it must not hide the screen
LONGEST_ADDRESS = 600  # characters of an address for which a toast gets longer; a longer one is left out whole
_PLACE = re.compile(r"(.+?), (line \d+)(?:, |: )(.+)")  # of a problem: in which file, where in it, and what
_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s<>\"]+")


NotificationMaker = Callable[[str, str, Severity, float], Notification]  # of text, title, severity and seconds


@dataclass
class News(Notification):
    """What the user did not ask for just now: it waits while they choose or answer something.

    One that is `listed` can be read again where it comes from.
    """

    listed: bool = False


def say(
    app: App[Any], text: str, seconds: float = SECONDS, severity: Severity = "information", *, news: bool = False
) -> None:
    """Show a few words of ours, which may quote the agent."""
    kind = News if news else Notification
    app.post_message(Notify(kind(text, severity=severity, timeout=seconds)))


def announce_fault(app: App[Any], fault: Fault) -> None:
    """Show what the user asked for and cannot have, and why."""
    title, message = headed(fault.title, fault.message)
    toast_under(app, title, (message, fault.hint), "error")


def toast_under(
    app: App[Any],
    title: str,
    parts: Sequence[str],
    severity: Severity = "information",
    kind: NotificationMaker = Notification,
) -> None:
    """Show the beginnings of some texts below a title, as long as it takes to read them; a title alone is the text."""
    body = "\n".join(brief(part) for part in parts if part)
    seconds = PATIENCE if severity == "error" else min(PATIENCE, max(SECONDS, len(title + body) / READ))
    app.post_message(Notify(kind(body or title, title if body else "", severity, seconds)))


def headed(title: str, message: str) -> tuple[str, str]:
    """A title of one line and what stands below it; a title that has to be cut stands below it as a whole, too."""
    line = sanitise_line(title, LONGEST_TITLE)
    return line, message if line == sanitise_line(title, 2 * len(title) + 1) else f"{title}\n{message}".strip()


def brief(text: str) -> str:
    """The beginning of a text, and how much more there is. An address is never cut in two."""
    text = sanitise(text).strip("\n")
    shown = "\n".join(text[:LONGEST].split("\n")[:MOST_LINES])
    for match in _ADDRESS.finditer(text, 0, LONGEST + 2 * LONGEST_ADDRESS):
        if match.start() < len(shown) < match.end():
            whole = match.end() <= LONGEST + LONGEST_ADDRESS
            shown = text[: match.end()] if whole else text[: match.start()].rstrip()
            break
    more = len(text) - len(shown)
    return f"{shown}\n… {counted(more, 'more character')}" if more else shown


def announce_problems(app: App[Any], problems: Sequence[str], title: str = "Config file") -> None:
    """Show what is wrong with what was configured; it stays long enough to be read."""
    told = [sanitise_line(home_path(problem), 300) for problem in problems[:NAMED]]
    places = [_PLACE.fullmatch(each) for each in told]
    if len({place and place[1] for place in places}) == 1 and (first := places[0]):  # all of one file, named once
        title, told = f"{title} {first[1]}", [f"{place[2]}  {place[3]}" for place in places if place]
    more = [f"{len(problems) - NAMED} more: acp-tui config --print"] if len(problems) > NAMED else []
    app.post_message(Notify(News("\n".join([*told, *more]), title, "warning", PATIENCE)))


WITHIN = 2.0  # seconds
REMEMBERED = 8  # keys


class KeyStrokes:
    """The keys that were pressed on one screen, in the order in which they were handled."""

    def __init__(self) -> None:
        self._last = deque[str](maxlen=REMEMBERED)
        self._before_next: Callable[[], object] = lambda: None
        self.count = 0
        self.at = float("-inf")  # when the last one was pressed, by the clock that stamps events

    def note(self, key: str, at: float) -> None:
        self._last.append(key)
        self.count, self.at = self.count + 1, at
        call, self._before_next = self._before_next, lambda: None
        call()

    def before_next(self, call: Callable[[], object]) -> None:
        """Call this once, when the next key is pressed and before it does something."""
        self._before_next = call

    @property
    def last(self) -> str:
        return self._last[-1] if self._last else ""

    def which(self, ways: Sequence[str]) -> str:
        """The one of these ways (`ctrl+c`, `ctrl+x R`) whose key was pressed last; empty if none was."""
        return next((way for way in ways if way.split()[-1] == self.last), "")

    def since(self, count: int) -> Sequence[str]:
        """The keys after the first `count`; of many of them the last ones."""
        new = min(self.count - count, REMEMBERED)
        return list(self._last)[len(self._last) - new :]


class DoublePress:
    """Whether a press comes soon after the one before it, without another key in between.

    Times are seconds of any one clock.
    """

    def __init__(self, strokes: KeyStrokes) -> None:
        self._strokes = strokes
        self._last, self._count = float("-inf"), 0

    def again(self, now: float, ways: Sequence[str]) -> bool:
        """Note a press at `now` of one of these keys (`ctrl+c`, `ctrl+x R`); whether it is the second in a row.

        What has no key is chosen twice from the palette, with other keys in between.
        """
        own = {key for way in ways for key in way.split()}
        in_a_row = not own or own.issuperset(self._strokes.since(self._count))
        second = in_a_row and now - self._last <= WITHIN
        self._last, self._count = float("-inf") if second else now, self._strokes.count
        return second


Result = TypeVar("Result")
Kind = TypeVar("Kind")


class SessionView:
    """One session that is shown. Work that is begun here ends with `part`, any widget of its screen."""

    def __init__(
        self,
        client: Client,
        session: Session,
        part: Widget,
        focus_prompt: Callable[[], None],
        strokes: KeyStrokes,
        preferences: Preferences,
    ) -> None:
        self.client, self.session, self.focus_prompt = client, session, focus_prompt
        self.strokes, self.preferences = strokes, preferences
        self._part = part

    @property
    def app(self) -> App[Any]:
        return self._part.app

    @property
    def is_shown(self) -> bool:
        """Whether it is this session that the user looks at, be it below a panel."""
        return self._part.is_attached and self._part.screen in self.app.screen_stack

    @property
    def has_keys(self) -> bool:
        """Whether nothing lies over it."""
        return self._part.is_attached and self._part.screen.is_active

    @property
    def agent_name(self) -> str:
        """What the agent calls itself; it may have said so before any session was open."""
        agent = self.client.connection.agent
        return (agent.title or agent.name) if agent else self.session.agent_name

    def say(self, text: str, seconds: float = 3, severity: Severity = "information") -> None:
        say(self.app, text, seconds, severity)

    def preference(self, name: str, kind: type[Kind]) -> Kind:
        """What the user has set; `kind` is the type of the value."""
        return self.preferences.get(name, kind)

    def prefer(self, name: str, value: object) -> None:
        """Keep what the user sets by a key; where that cannot last, say so."""
        if told := self.preferences.set(name, value):
            self.say(told, 5)

    def open(self, panel: Screen[Result], then: Callable[[Result | None], None] | None = None) -> None:
        self.app.push_screen(panel, then)

    async def ask(self, panel: Screen[Result]) -> Result | None:
        """What the user chooses in a panel; only in work that was begun by `run`."""
        return await self.app.push_screen_wait(panel)

    def run(self, work: Coroutine[Any, Any, object]) -> None:
        """Do some work beside the loop of messages. A `Fault` is told; a mistake of ours does not end the program."""
        self._part.run_worker(self._told(work), exit_on_error=False)

    async def _told(self, work: Coroutine[Any, Any, object]) -> None:
        try:
            await work
        except Fault as fault:
            announce_fault(self.app, fault)
