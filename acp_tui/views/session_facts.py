"""Facts of a session in rows: those of /status, of usage and MCP servers, and the sidebar's sections."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from acp_tui.errors import UserFault
from acp_tui.host.catalog.resume_commands import own_cli_line
from acp_tui.host.client import Client, Connection
from acp_tui.host.sessions.limits import MINUTE, LimitName, ReachedLimit
from acp_tui.protocol.capabilities import AgentCapabilities, McpServer, SystemPrompt
from acp_tui.session.entries import MessageEntry
from acp_tui.session.state import Session, Terminal
from acp_tui.session.text.phrases import account_names, counted, login_words, state_words
from acp_tui.session.text.secret_masking import masked_values, masked_words, without_secrets, without_values
from acp_tui.session.tools.patches import ChangedFile
from acp_tui.session.tools.running_work import working
from acp_tui.session.tools.subject import terminal_line
from acp_tui.views.changed_files import line_counts, place
from acp_tui.views.formatting import (
    SplitRow,
    StyledText,
    brief,
    capitalised,
    context_text,
    cost_text,
    exit_words,
    home_path,
    limits_of,
    money,
    name_of,
    resets_words,
    standing_words,
)
from acp_tui.views.plans import most_active, tree_rows
from acp_tui.views.status import agent_words

UNKNOWN = "not reported by the agent"
Row = tuple[str, str]
Group = tuple[str, Sequence[Row]]
"""A heading and rows; a row without a name goes from edge to edge."""
_TOKENS = {
    "Input": "input_tokens",
    "Output": "output_tokens",
    "Thinking": "thought_tokens",
    "Cache read": "cached_read_tokens",
    "Cache write": "cached_write_tokens",
    "Total": "total_tokens",
}
LIMIT_NAMES: dict[LimitName, str] = {
    "session_cost": "Session cost",
    "turn_minutes": "Turn time",
    "context_percent": "Context",
}
HUGE = 10**15  # tokens; an agent may tell any number
NO_SERVERS: Sequence[Row] = (
    ("", "No MCP servers in this session."),
    ("", "Add one to an agent in the config file:"),
    ("", "[agents.NAME.mcp_servers.SERVER]"),
    ("", 'command = "PROGRAM"'),
    ("", 'args = ["ARGUMENT"]'),
    ("", "Or for one run: acp-tui --mcp FILE"),
)


def status_groups(
    client: Client, session: Session, files: Sequence[Row], log_in: str = "", *, accounts: bool = True
) -> list[Group]:
    """The agent, the session, its options, limits of the account, and `files`: each a name and a path.

    `log_in` says how the user can do that. Without `accounts` it names nobody: what is copied goes elsewhere, into a
    report of a bug for instance.
    """
    return [group for group in _status(client, session, files, log_in, accounts=accounts) if group[1]]


def _status(client: Client, session: Session, files: Sequence[Row], log_in: str, *, accounts: bool) -> Iterator[Group]:
    connection, agent = client.connection, client.connection.agent
    named = [("Name", agent_words(agent))] if agent is not None else []
    command = ("Command", " ".join(masked_words(client.command.argv)))
    protocol = ("Protocol", connection.spoken or "not negotiated yet")
    yield "Agent", [*named, command, protocol, *login_rows(connection, log_in, accounts=accounts)]
    folder, *others = map(home_path, client.roots(session))
    servers, can = client.mcp_servers(session), connection.capabilities
    yield (
        "Session",
        [
            *([("Title", session.title)] if session.title else []),
            ("ID", session.id or "none yet"),
            *own_cli_rows(client, session),
            ("Folder", folder),
            *(("Additional folders" if number == 0 else "", each) for number, each in enumerate(others)),
            ("MCP servers", ", ".join(server.name for server in servers) or "none"),
            *([("System prompt", told)] if (told := prompt_words(client.system_prompt(session), can)) else []),
            *([("Context", context_text(session.usage))] if session.usage is not None else []),
            *([("Cost", cost_text(session.usage))] if cost_text(session.usage) else []),
        ],
    )
    yield "Options", [(option.shown_name, option.value_name()) for option in session.config_options]
    yield "Account limits", limit_rows(session)
    yield "Files", [(name, home_path(path)) for name, path in files]


def own_cli_of(client: Client, session: Session) -> str:
    """The line that goes on with the session in the agent's own CLI. Raises `UserFault` where there is none."""
    if not any(isinstance(entry, MessageEntry) for entry in session.entries):
        raise UserFault("Nothing to continue yet", "The session has no messages.")
    return own_cli_line(client.command.argv, session.agent_name, session.id, session.cwd)


def own_cli_rows(client: Client, session: Session) -> list[Row]:
    with suppress(UserFault):
        return [("Own CLI", own_cli_of(client, session))]
    return []


def login_rows(connection: Connection, log_in: str = "", *, accounts: bool = True) -> list[Row]:
    """Who is logged in, as far as the agent says so; nothing of an agent that has no way to."""
    status, can = connection.auth_status, connection.capabilities
    if status is None:
        return [("Login", UNKNOWN)] if can.auth_status or can.tells_auth_status else []
    if not accounts:
        return [("Login", state_words(status))]
    told = login_words(status)
    if status.state == "unauthenticated" and any(method.usable for method in connection.auth_methods):
        told += f": {log_in}"
    others = enumerate(account_names(status)[1:], 2)
    return [("Login", told), *((f"Account {number}", name) for number, name in others)]


def prompt_words(prompt: SystemPrompt, can: AgentCapabilities) -> str:
    """What the user has of the system prompt, as far as the agent takes it; empty where that is nothing."""
    if not prompt.texts:
        return ""
    if not can.system_prompt:
        return "not supported by this agent"
    own = prompt.override if can.system_prompt == "override" else ""
    words = [
        f"{what} ({counted(sum(map(len, texts)), 'character')})"
        for what, texts in (("replaced", (own,) if own else ()), ("appended", prompt.append))
        if texts
    ]
    return ", ".join(words) or "replacing it is not supported by this agent"


def usage_groups(session: Session) -> list[Group]:
    """The context and the cost, the tokens of the last turn by their kinds, limits of the account."""
    usage, turn = session.usage, session.turn
    context = context_text(usage) or UNKNOWN
    if usage is not None and usage.size > 0:
        context += f" ({min(usage.used, HUGE):,} of {min(usage.size, HUGE):,} tokens)"
    tokens = {name: getattr(turn.usage, member) for name, member in _TOKENS.items()} if turn.usage is not None else {}
    spent = [(name, f"{min(count, HUGE):,}") for name, count in tokens.items() if count is not None]
    digits = max((len(count) for _, count in spent), default=0)
    tokens_spent = [(name, count.rjust(digits)) for name, count in spent]
    return [
        ("Session", [("Context", context), ("Cost", cost_text(usage) or UNKNOWN)]),
        ("Tokens of the last turn", tokens_spent or [("", UNKNOWN.capitalize())]),
        ("Account limits", limit_rows(session) or [("", UNKNOWN.capitalize())]),
    ]


def limit_rows(session: Session) -> list[Row]:
    """Each limit of the account, how much of it is used and when it begins anew."""
    return [
        (
            capitalised(name_of(limit)),
            " · ".join(filter(None, (standing_words(limit), resets_words(limit)))) or "not reached",
        )
        for limit in limits_of(session.usage)
    ]


def mcp_groups(servers: Sequence[McpServer], can: AgentCapabilities) -> list[Group]:
    """What each server is, without what may be secret, or how one is added."""
    takes = {"stdio": can.mcp_stdio, "http": can.mcp_http, "sse": can.mcp_sse}
    return [(server.name, list(_server(server, takes[server.transport]))) for server in servers] or [("", NO_SERVERS)]


def _server(server: McpServer, taken: bool) -> Iterator[Row]:
    yield "Type", server.transport if taken else f"{server.transport}: not supported by this agent, left out"
    if server.command:
        words = masked_words((server.command, *server.args))
        yield "Command", " ".join(without_values(word, server.put_in) for word in words)
    if server.url:
        yield "Address", without_secrets(without_values(server.url, server.put_in))
    if server.env:
        yield "Variables", " ".join(f"{name}={value}" for name, value in masked_values(server.env).items())
    if server.headers:
        yield "Headers", ", ".join(server.headers)
    if server.not_sent:
        yield "Not sent", ", ".join(server.not_sent)


FILES_SHOWN = 30
TERMINALS_SHOWN = 12
SUBAGENTS_SHOWN = 12


class FactSection(NamedTuple):
    """`total` stands at the right of its name; `more` says what has no row."""

    name: str
    total: str
    rows: Sequence[SplitRow]
    more: str = ""


def subagents(session: Session, way: str) -> FactSection:
    """The tree of all subagents, of many the most active ones; `way` leads to the others."""
    nodes, more = most_active(session, SUBAGENTS_SHOWN)
    works = len(working(session))
    count = f"{works} working" if works else str(len(nodes) + more)
    return FactSection("Subagents", count, [*tree_rows(nodes)], f"… {more:,} more ({way})" if more else "")


def files(changed: Sequence[ChangedFile], cwd: str) -> FactSection:
    """`src/login.py  +12 −3`, the last changed one first."""
    shown = list(reversed(changed))[:FILES_SHOWN]
    rows = [SplitRow([], place(file.path, None, cwd), _counts(file), is_path=True) for file in shown]
    return FactSection("Changed files", str(len(changed)), rows, _more(len(changed) - FILES_SHOWN))


def _counts(file: ChangedFile) -> StyledText:
    return line_counts(file.added, file.removed) or [(file.note or "changed", "muted")]


def terminals(session: Session) -> FactSection:
    """What runs, then what ended, the last one first; sign, command, how it ended."""
    every = list(session.terminals.values())
    running = [terminal for terminal in every if terminal.exit_status is None]
    ended = [terminal for terminal in every if terminal.exit_status is not None]
    shown = [*reversed(running), *reversed(ended)][:TERMINALS_SHOWN]
    count = f"{len(running)} running" if running else str(len(every))
    return FactSection("Terminals", count, [_row(each, session) for each in shown], _more(len(every) - TERMINALS_SHOWN))


def _row(terminal: Terminal, session: Session) -> SplitRow:
    sign, tone, words = "◐", "agent", "running"
    if terminal.exit_status is not None:
        good, words = exit_words(terminal.exit_status)
        sign, tone = {True: ("✓", "success"), False: ("✗", "error"), None: ("·", "muted")}[good]
    return SplitRow([(f"{sign} ", tone)], brief(terminal_line(terminal, session), 200), [(words, tone)])


def _more(count: int) -> str:
    return f"… {count} more" if count > 0 else ""


def reached_limit_words(reached: ReachedLimit) -> str:
    """`Session cost limit reached: $5.02 of $5.00`: what the user has set, and what has reached it."""
    value, limit = (limit_amount(reached.name, each, reached.currency) for each in (reached.value, reached.limit))
    return f"{LIMIT_NAMES[reached.name]} limit reached: {value} of {limit}"


def limit_amount(name: LimitName, value: float, currency: str = "") -> str:
    """`$5.00`, `20 min`, `30 s`, `85%`."""
    if name == "session_cost":
        return money(value, currency[:8])
    if name == "context_percent":
        return f"{int(value)}%"
    return f"{round(value, 1):g} min" if value >= 1 else f"{value * MINUTE:.0f} s"
