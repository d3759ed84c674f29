"""The keys of the list of agents: hints for the highlighted one, and help."""

from textual.binding import Binding
from textual.content import Content

from acp_tui.host.catalog.agents import Agent
from acp_tui.ui.kit.hints import CLOSE, MOVE, Hint, fitting
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.overlays.text_panel import TextPanel

HELP, COPY, RESCAN, CLEAR, QUIT = (
    ("?", "help"),
    ("^Y", "copy command"),
    ("^R", "rescan"),
    ("esc", "clear"),
    ("^Q", "quit"),
)
KEYS = (
    ("Enter", "Start the highlighted agent, or install it"),
    ("↑ ↓, Tab, PgUp PgDn", "Select"),
    ("any letter", "Filter by name"),
    ("Esc", "Clear the filter, then close"),
    ("Ctrl+Y", "Copy the command that is shown"),
    ("Ctrl+R, F5", "Rescan PATH for installed agents"),
    ("F1, ? without a filter", "Help"),
    ("Ctrl+Q, Ctrl+C, Ctrl+D", "Quit"),
)
KEY_WIDTH = 26


def enter_word(agent: Agent) -> str:
    """What Enter does with the agent."""
    if agent.program:
        return "start"
    if agent.package is not None:
        return "install"
    return "show page" if agent.homepage and not agent.passed_over else "check again"


def hints(agent: Agent | None, *, beside: bool, filtered: bool, room: int) -> list[Hint]:
    """What fits in `room` cells; `beside` a session the list is closed, and `filtered` it is cleared first."""
    enter: list[Hint] = [("enter", enter_word(agent))] if agent else []
    leave = [CLEAR] if filtered else [CLOSE] if beside else []
    told = [*enter, MOVE, COPY, RESCAN, *leave, *([] if beside else [QUIT]), HELP]
    return fitting(told, room, (MOVE, COPY, RESCAN, QUIT))


class AgentsHelp(TextPanel):
    """What the keys of the list do; those that opened it close it, too."""

    BINDINGS = [Binding("f1,question_mark", "dismiss", show=False)]

    def __init__(self) -> None:
        rows = (Content.assemble(key.ljust(KEY_WIDTH), (words, MUTED)) for key, words in KEYS)
        super().__init__("Keys", Content("\n").join(rows))
