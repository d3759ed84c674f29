"""The status line in words: what the agent is doing or why it is quiet, for how long, and what one can do about it.

Beside it the items of a status line of the user's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from acp_tui.frozen import Frozen
from acp_tui.host.system.processes import signal_name
from acp_tui.session.entries import MessageEntry, TextPart, ToolCallEntry
from acp_tui.session.text.phrases import counted, duration, path_end
from acp_tui.session.tools.running_work import background_work, is_at_work, separate_work, speaker, spent, working
from acp_tui.startup import late
from acp_tui.views.formatting import (
    SEPARATOR,
    StyledText,
    Tone,
    brief,
    capitalised,
    context_text,
    cost_text,
    fullness,
    home_path,
    is_near,
    limit_words,
    limits_of,
    plain,
    reached_words,
)
from acp_tui.views.options import first_of, value_name
from acp_tui.views.plans import last_of, title_of

if TYPE_CHECKING:
    from acp_tui.host.client import Client, Connection, Login
    from acp_tui.protocol.vocabulary.initialization import Implementation
    from acp_tui.session.state import Session, Subagent

LOOK_BACK = 60  # entries; a running tool further up than this is not looked for
SILENT_AFTER = 5.0  # seconds without a word before the line says so
LONGEST_LIMIT, LONGEST_ITEM, LONGEST_ASKER = 60, 40, 60  # characters
_ENDS = {
    None: "",
    "end_turn": "",
    "cancelled": "Cancelled",
    "refusal": "The agent refused",
    "max_tokens": "Stopped: token limit reached",
    "max_turn_requests": "Stopped: request limit for one turn reached",
}
_QUIET_ENDS = (None, "end_turn", "cancelled")  # who cancelled is not surprised
_DOING = {"thought": "Thinking", "agent": "Answering"}  # by the role of the last message
_UNFINISHED = ("pending", "in_progress")


class StatusHint(NamedTuple):
    """A hint at what one can do: by the keys of a command, pressed so many `times`, or by a `key` itself."""

    command: str
    word: str
    times: int = 1
    key: str = ""


CANCEL = StatusHint("cancel", "cancel")
LIST = StatusHint("cancel_work", "list")
OPEN = StatusHint("open_subagent", "open")
CLOSE = StatusHint("close_session", "close")
QUIT = StatusHint("quit", "quit")
RESTART = StatusHint("restart_agent", "restart")
STDERR = StatusHint("show_stderr", "stderr")
NOT_STARTED = (StatusHint("", "retry", key="enter"), StatusHint("new_agent", "choose another agent"))


class Status(Frozen):
    """`text` says what goes on, `hints` what one can do; `busy` while time matters."""

    text: str = ""
    hints: tuple[StatusHint, ...] = ()
    busy: bool = False
    tone: Tone = "muted"


def status_of(
    session: Session,
    connection: Connection,
    now: float,
    unsent_since: float | None = None,
    *,
    answering: bool = False,
    at_end: bool = False,
) -> Status:
    """What the status line says at `now`; `unsent_since` is when the agent ceased to read what is sent to it.

    While the user is `answering`, the question stands open, with its keys: there is nothing to add. `at_end`: the end
    of the transcript is in sight, where a row has how the turn ended.
    """
    asked = len(waiting(session))
    login = connection.login
    if login is not None and (login_wanted(connection) or login.trying) and not (login.trying and asked):
        return _login_status(login, answering)
    if connection.phase == "starting" and asked:
        return Status() if answering else _asked_status(session)
    if connection.phase != "ready":
        told = at_end and any(entry is session.index.ending for entry in session.entries[-3:])  # with its turn's end
        return _connection_status(connection, now, told=told)
    turn = session.turn
    if turn.cancel_requested_at is not None and turn.active:
        return _cancelling(now - turn.cancel_requested_at)
    if unsent_since is not None and now - unsent_since >= SILENT_AFTER:
        text = f"Agent is not reading its input · {duration(now - unsent_since)}"
        return Status(text, (RESTART, STDERR), busy=True, tone="warning")
    if asked:
        return Status() if answering else _asked_status(session, (CANCEL,) if turn.active else ())
    # The one of the user's commands that was begun last and runs is what the key cancels first.
    own = next((entry for entry in reversed(session.index.own_commands.values()) if not entry.sealed), None)
    if turn.active:
        text, silent = _work(session, now)
        stops = CANCEL if own is None else CANCEL._replace(word="cancel your command")
        return Status(text, (stops, STDERR) if silent else (stops,), busy=True, tone="agent")
    if own is not None:
        return Status(f"Your command: {_what(own, session, now)}", (CANCEL,), busy=True)
    return _background_status(session) or _idle_status(session, at_end=at_end)


def _asked_status(session: Session, hints: tuple[StatusHint, ...] = ()) -> Status:
    asked = waiting(session)
    several = f"{len(asked)} questions" if len(asked) > 1 else ""
    who = asker_of(asked[0], session)
    who = who if len(who) <= LONGEST_ASKER else f'{brief(who, LONGEST_ASKER - 1)}"'
    text = SEPARATOR.join(filter(None, ("Waiting for you", several, who)))
    return Status(text, hints)  # who asks says how to get there


def _login_status(login: Login, answering: bool) -> Status:
    if not login.trying:
        usable = any(method.usable for method in login.methods)
        return Status("Waiting for you" * (not answering), () if usable else (RESTART,))
    name = next((method.name for method in login.methods if method.method_id == login.trying), login.trying)
    return Status(f"Logging in: {brief(name, 40)}", busy=True)


def _cancelling(waited: float) -> Status:
    text, hints = "Cancelling…", [StatusHint("interrupt", "quit", times=2)]
    if waited >= SILENT_AFTER:
        text, hints = f"{text} agent has not confirmed", [RESTART, *hints]
    text = f"{text} · {duration(waited)}"
    return Status(text, tuple(hints), busy=True, tone="warning")


def _connection_status(connection: Connection, now: float, *, told: bool) -> Status:
    if connection.phase == "starting":
        waited = now - connection.since if connection.since else 0.0
        step = capitalised(connection.step)
        if connection.late:  # on a narrow screen the end is cut off
            step = f"No reply for {duration(waited)} · {connection.step}"
        elif connection.since:
            step = f"{step} · {duration(waited)}"
        return Status(step, (RESTART, STDERR) if waited >= SILENT_AFTER else (QUIT,), busy=True)
    if connection.phase == "closing":
        return Status("Stopping the agent", busy=True)
    again = NOT_STARTED if connection.never_started else (StatusHint("", "restart", key="enter"), STDERR)
    hints = (QUIT,) if connection.phase == "closed" else again  # a notice in sight has told why
    return Status("" if told else f"✗ {_ended(connection)}", hints, tone="error")


def _ended(connection: Connection) -> str:
    code = connection.exit_code
    if code is not None:
        return f"Agent exited (code {code})" if code >= 0 else f"Agent killed by {signal_name(-code)}"
    return brief(connection.fault.title, 200) if connection.fault else "Agent disconnected"


def _work(session: Session, now: float) -> tuple[str, bool]:
    """What goes on, and whether nothing is heard; subagents that work are counted, or named where all else is quiet."""
    children = working(session)
    tool = _running_tool(session)
    if tool is not None:
        text, silent = _what(tool, session, now, "doing"), False
    else:
        text, silent = _own_work(session, now)
    if silent and children:
        return _children(children), False
    return SEPARATOR.join(filter(None, (text, counted(len(children), "subagent") if children else ""))), silent


def _children(children: Sequence[Subagent]) -> str:
    """One that works by what it does, several by what the one does that was heard last."""
    last = max(children, key=lambda child: child.session.turn.last_heard_at)
    doing = f'"{title_of(last.entry, 30)}": {brief(last_of(last) or "working", 60)}'
    many = f"{len(children)} subagents" if len(children) > 1 else "Subagent"
    parts = [many, doing] if len(children) > 1 else [f"{many} {doing}"]
    return SEPARATOR.join((*parts, duration(max(map(spent, children)))))


def _background_status(session: Session) -> Status | None:
    """Subagents that work although the turn has ended."""
    children = working(session)
    if not children or session.closed:
        return None
    hints = (OPEN, LIST) if separate_work(session) else (OPEN,)
    return Status(f"In the background: {_children(children)}", hints, busy=True)


def _own_work(session: Session, now: float) -> tuple[str, bool]:
    turn = session.turn
    since_start = duration(now - turn.started_at)
    if turn.state == "requires_action":
        return f"Agent is waiting for an action · {since_start}", False
    if turn.state != "running":
        return f"{brief(turn.state, 40)} · {since_start}", False
    silent = now - max(turn.last_heard_at, turn.started_at)
    if silent >= SILENT_AFTER:
        limit = brief(reached_words(session.usage), LONGEST_LIMIT)
        return SEPARATOR.join(filter(None, (f"No output for {duration(silent)}", limit))), True
    last = session.entries[-1] if session.entries else None
    doing = _DOING.get(last.role, "Working") if isinstance(last, MessageEntry) else "Working"
    return f"{doing} · {since_start}", False


def _what(tool: ToolCallEntry, session: Session, now: float, words: Literal["called", "doing"] = "called") -> str:
    told = getattr(late("acp_tui.session.tools.subject"), words)(tool, session)
    return f"{brief(told, 70)} · {duration(now - tool.started_at)}"


def _running_tool(session: Session) -> ToolCallEntry | None:
    for entry in reversed(session.entries[-LOOK_BACK:]):
        if isinstance(entry, MessageEntry) and entry.role == "user":
            return None
        own = session.index.own_commands.get(entry.id) is entry
        if isinstance(entry, ToolCallEntry) and not own and entry.status in _UNFINISHED:
            return entry
    return None


def _idle_status(session: Session, *, at_end: bool) -> Status:
    turn, reason = session.turn, session.turn.stop_reason
    limit = brief(reached_words(session.usage), LONGEST_LIMIT)
    if session.closed:
        return Status("Session closed", (CLOSE,), tone="error")
    last = session.entries[-1] if at_end and session.entries and reason not in _QUIET_ENDS else None
    ended = last is not None and isinstance(last, late("acp_tui.session.folds.file_changes").TurnEntry)
    if turn.error is not None or reason == "error":
        text = SEPARATOR.join(filter(None, ("" if ended else "✗ Turn failed", limit)))
        return Status(text, () if ended else (STDERR,), tone="error")  # the notice above that row has the key
    quiet = reason in _QUIET_ENDS
    if quiet and (works := background_work(session)):
        more = f" and {len(works) - 1} more" if len(works) > 1 else ""
        text = f"In the background: {brief(works[0].title, 60)}{more}"
        return Status(text, (LIST,))
    if quiet and limit:
        return Status(f"△ {capitalised(limit)}", tone="warning")
    end = "" if ended else _ENDS.get(reason, f"Stopped: {brief(reason or '', 200)}")
    text = SEPARATOR.join(filter(None, (end, limit)))
    return Status(text, tone="muted" if quiet else "warning")


def item_of(name: str, session: Session, branch: str) -> StyledText:
    """One item of a status line of the user's own, by its name in the setting `status_line`; it may be empty."""
    words, tone, usage = "", "muted", session.usage
    match name:
        case "folder":
            words = path_end(brief(home_path(session.cwd), 4096), LONGEST_ITEM)
        case "branch":
            words = branch
        case "context":
            words, tone = context_text(usage), fullness(usage).tone
        case "cost":
            words = cost_text(usage)
        case "limit" if limits := limits_of(usage):
            sign, tone = ("△ ", "warning") if is_near(limits[0]) else ("", "muted")
            words = sign + limit_words(limits[0])
        case "model" if option := first_of(session.config_options, "model"):
            words = value_name(option)
    return [(brief(words, LONGEST_ITEM), tone)]


def items_of(names: Iterable[str], session: Session, branch: str) -> list[StyledText]:
    """The items of these names, in that order; those that are empty or unknown are left out."""
    return [item for item in (item_of(name, session, branch) for name in names) if plain(item)]


State = Literal["working", "waiting", "done", "failed", "idle"]
NEW = "new session"
LOOK_AT = 8  # entries from the beginning among which the first prompt stands


class StateSign(NamedTuple):
    """The sign and the word of a state; a `calm` one in colour by its sign only."""

    sign: str
    tone: Tone
    words: str
    calm: bool = True


LOOKS: dict[State, StateSign] = {
    "working": StateSign("◐", "secondary", "working"),  # the agent's colour as the theme has it
    "waiting": StateSign("△", "warning", "needs an answer"),
    "done": StateSign("●", "success", "done"),
    "failed": StateSign("✗", "error", "failed"),
    "idle": StateSign("", "muted", ""),
}


class PendingQuestion(Protocol):
    """A permission, an elicitation, or the options before a session, as `session.facts` has them."""

    asked_at: float


def waiting(session: Session) -> list[PendingQuestion]:
    """All that the agent asks, the oldest first."""
    questions: list[PendingQuestion] = [*session.permissions, *session.elicitations]
    if session.input_options is not None:
        questions.append(session.input_options)
    return sorted(questions, key=lambda asked: asked.asked_at)


def asker_of(asked: PendingQuestion, session: Session) -> str:
    """The subagent that asks: `subagent "Explore"`; empty where it is the session itself."""
    request = getattr(asked, "request", None)
    return brief(speaker(getattr(request, "session_id", None), session), 200)


def login_wanted(connection: Connection) -> bool:
    """Whether the agent waits for a log-in; one that the user asked for by themselves keeps nothing waiting."""
    login = connection.login
    if login is None or connection.phase not in ("starting", "ready"):
        return False
    return connection.phase == "starting" or bool(login.reason)


def state_of(session: Session, connection: Connection, *, seen: bool) -> State:
    """How the session stands; what has ended well, or failed in a turn, is told until it was `seen`."""
    if connection.phase in ("gone", "closed") or session.closed:
        return "failed"
    if login_wanted(connection) or waiting(session):
        return "waiting"
    if is_at_work(session) or connection.phase == "starting":
        return "working"
    if seen or session.turn.ended_at is None:
        return "idle"
    return "failed" if session.turn.error is not None else "done"


def standing_of(session: Session, connection: Connection) -> StateSign:
    """How the session stands that is looked at, by sign and word."""
    if connection.phase in ("gone", "closed"):
        return StateSign("✗", "error", "not started" if connection.never_started else "agent exited", calm=False)
    if connection.phase == "closing":
        return StateSign("◌", "muted", "closing")
    if session.closed:
        return StateSign("✗", "error", "session closed", calm=False)
    if login_wanted(connection) or waiting(session):
        return StateSign("△", "warning", "waiting for you", calm=False)
    if connection.phase == "starting":
        return StateSign("◌", "muted", "starting")
    if is_at_work(session):
        return LOOKS["working"]
    return StateSign("●", "success", "ready")


def name_of(session: Session) -> str:
    """What the user knows the session by: its title, else how its first prompt begins; of a branch, its own first."""
    return brief(session.title, 80) if session.title else _first_prompt(session)


def _first_prompt(session: Session) -> str:
    begins = session.index.branched_at
    for entry in [*session.entries[begins : begins + LOOK_AT], *session.entries[:LOOK_AT]]:
        if isinstance(entry, MessageEntry) and entry.role == "user":
            text = next((part.text for part in entry.parts if isinstance(part, TextPart)), "")
            if text.strip():
                return brief(text[:400].strip(), 80)
    return NEW


def names_of(sessions: Sequence[Session]) -> list[str]:
    """The names of all; a branch with another one's title goes by its first prompt, new ones are counted."""
    uses = Counter(map(name_of, sessions))
    names = [_first_prompt(each) if each.branched and uses[name_of(each)] > 1 else name_of(each) for each in sessions]
    news = [at for at, name in enumerate(names) if name == NEW]
    for number, at in enumerate(news[1:], 2):
        names[at] = f"{NEW} {number}"
    return names


def agent_words(agent: Implementation) -> str:
    return f"{agent.title or agent.name} {agent.version}".strip()


def agent_title(client: Client, session: Session) -> str:
    """The agent's name and version as one reads them; before it answered, the command."""
    agent = client.connection.agent
    if agent is None:
        argv = client.command.argv
        return brief(session.agent_name or (argv[0].rsplit("/", 1)[-1] if argv else "agent"), 40)
    return f"{brief(agent.title or agent.name, 40)} {brief(agent.version, 16)}".strip()
