"""The keys of the list of agents: hints for the highlighted one, and help."""

from acp_tui.host.catalog.agents import Agent
from acp_tui.ui.agents.rows import leads_to_page
from acp_tui.ui.commands.key_table import KeyRow
from acp_tui.ui.kit.hints import CLOSE, MOVE, Hint, fitting

HELP, COPY, RESCAN, CLEAR, QUIT = (
    ("?", "help"),
    ("^Y", "copy command"),
    ("^R", "rescan"),
    ("esc", "clear"),
    ("^Q", "quit"),
)
_GROUP = "Choose an agent"
KEYS = tuple(
    KeyRow(_GROUP, keys, words)
    for keys, words in (
        ("Enter", "Start the highlighted agent, install it, or show its page"),
        ("↑, ↓, Tab, PgUp, PgDn", "Select"),
        ("Letters", "Filter by name"),
        ("Esc", "Clear the filter; without one, close the list beside a session"),
        ("Ctrl+Y", "Copy the command that is shown"),
        ("Ctrl+R, F5", "Rescan for installed agents"),
        ("F1, ?", "Help (? with an empty filter)"),
        ("Ctrl+Q, Ctrl+C, Ctrl+D", "Quit; beside a session, close the list"),
    )
)


def enter_word(agent: Agent) -> str:
    """What Enter does with the agent."""
    if agent.program:
        return "start"
    if agent.package is not None:
        return "install"
    return "show page" if leads_to_page(agent) else "check again"


def hints(agent: Agent | None, *, beside: bool, filtered: bool, room: int) -> list[Hint]:
    """What fits in `room` cells; `beside` a session the list is closed, and `filtered` it is cleared first."""
    enter: list[Hint] = [("enter", enter_word(agent))] if agent else []
    leave = [CLEAR] if filtered else [CLOSE] if beside else []
    told = [*enter, MOVE, COPY, RESCAN, *leave, *([] if beside else [QUIT]), HELP]
    return fitting(told, room, (MOVE, COPY, RESCAN, QUIT))
