"""A few scenes of the screen, frozen: `SCENES` are compared by tests, of `PICTURES` `screenshots/` is made."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import anyio
from textual.pilot import Pilot

from acp_tui.host.config.choices import PromptHistory
from acp_tui.host.rules.rule import OfferedRule, Rule, RuleOffer
from acp_tui.protocol.base import read
from acp_tui.protocol.vocabulary.config_options import ConfigValue, SelectOption
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import (
    MessageChunk,
    Plan,
    PlanEntry,
    PlanUpdate,
    SessionInfoUpdate,
    SessionMessage,
    SubagentUpdate,
    Update,
)
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    PermissionOption,
    PermissionRequest,
    PermissionSubject,
    SessionReference,
    TerminalExitStatus,
    TerminalOutputChunk,
    TerminalReference,
    TerminalUpdate,
    ToolCallLocation,
    ToolCallUpdate,
)
from acp_tui.session.facts import PermissionReceived, SubagentEvent
from acp_tui.session.state import Session
from acp_tui.ui.app import AcpTuiApp, AppSettings
from acp_tui.ui.conversation_screen import ConversationScreen
from acp_tui.ui.sessions.tabs import Opened
from tests.pilot.driver import PATIENCE
from tests.pilot.fake_client import (
    FakeClient,
    FakeRules,
    all_at_once,
    ask_permission,
    end_turn,
    options,
    say,
    tell_commands,
    tell_options,
    tell_usage,
)
from tests.pilot.questions import ask_form

ANSWER = """\
I found it. The fixture **never awaits** the session, so `login()` returns before it is open:

```python
def login(name: str) -> Session:
    session = sessions.open(name)  # a coroutine, never awaited
    return session
```

| test | before | after |
|---|---|---|
| `test_login` | failed | passed |
| `test_logout` | passed | passed |

1. `login()` awaits the session now.
2. Nothing else had to change.
"""
OLD = "def login(name):\n    session = sessions.open(name)\n    return session\n"
NEW = "async def login(name):\n    session = await sessions.open(name)\n    return session\n"


@dataclass(frozen=True)
class Scene:
    """What happened before, on which screen, and the keys that a user pressed then."""

    name: str
    prepare: Callable[[FakeClient, Session], None]
    size: tuple[int, int] = (110, 36)
    theme: str = "acp-dark"
    keys: tuple[str, ...] = ()
    about: str = ""

    def app(self) -> AcpTuiApp:
        """The app in this scene. Time stands still."""
        client = FakeClient()
        session = client.open_session()
        session.clock = lambda: 100.0
        session.apply(SessionInfoUpdate(title="Fix the login test"))
        all_told(session)
        self.prepare(client, session)
        return AcpTuiApp(Opened(client, session, PromptHistory(None)), AppSettings(self.theme))

    async def play(self, pilot: Pilot[int]) -> None:
        """Press the keys; stop what moves by itself."""
        await pilot.pause()
        screen = pilot.app.screen_stack[0]
        assert isinstance(screen, ConversationScreen)
        await rest(pilot, screen)
        timer = screen.status._timer
        assert timer is not None
        timer.stop()
        screen.status._frame = 0
        screen.look_at_turn()
        if self.keys:
            await pilot.press(*self.keys)
        await rest(pilot, screen)


async def rest(pilot: Pilot[int], screen: ConversationScreen) -> None:
    """Wait until all parts of the screen are there and show all that was told."""
    with anyio.fail_after(PATIENCE):
        while not screen.complete or screen._bridge.wait is not None:
            await pilot.pause(0.01)
    await pilot.pause()


def all_told(session: Session) -> None:
    tell_options(session)
    tell_commands(session)
    tell_usage(session)


def work(client: FakeClient, session: Session) -> None:
    """A prompt, what the agent looked at, and what it changed."""
    client.of(session).submit([TextContent(text="find out why the login test fails and fix it")])
    thought = TextContent(text="The test expects a session. Let me look at it first.")
    result = ContentItem(content=TextContent(text="tests/test_login.py:12\nsrc/login.py:3"))
    all_at_once(
        session,
        MessageChunk(session_update="agent_thought_chunk", message_id="t", content=thought),
        ToolCallUpdate(
            tool_call_id="r",
            title="Read tests/test_login.py",
            kind="read",
            status="completed",
            locations=[ToolCallLocation(path="tests/test_login.py", line=12)],
        ),
        ToolCallUpdate(tool_call_id="s", title='Search "session"', kind="search", status="completed", content=[result]),
    )


def answered(client: FakeClient, session: Session) -> None:
    """The whole answer."""
    work(client, session)
    say(session, ANSWER)
    end_turn(session)


def working(client: FakeClient, session: Session) -> None:
    """In the middle: an edit is done, a command runs, a plan is shown, a prompt waits."""
    work(client, session)
    steps = [("Find the cause", "completed"), ("Change login()", "completed"), ("Run the tests", "in_progress")]
    all_at_once(
        session,
        PlanUpdate(plan=Plan(entries=[PlanEntry(content=text, status=status) for text, status in steps])),
        ToolCallUpdate(
            tool_call_id="e",
            title="Edit src/login.py",
            kind="edit",
            status="completed",
            content=[Diff(path="src/login.py", old_text=OLD, new_text=NEW)],
        ),
        TerminalUpdate(terminal_id="x", command="pytest -q", cwd="/home/someone/project"),
        ToolCallUpdate(
            tool_call_id="x",
            title="pytest -q",
            kind="execute",
            status="in_progress",
            content=[TerminalReference(terminal_id="x")],
        ),
        TerminalOutputChunk(terminal_id="x", data=b"\x1b[32m....\x1b[0m\x1b[31mF\x1b[0m   [ 50%]\r\n"),
    )
    client.of(session).submit([TextContent(text="and then run the linter")])


def failed(client: FakeClient, session: Session) -> None:
    """A command that failed."""
    working(client, session)
    all_at_once(
        session,
        TerminalUpdate(terminal_id="x", exit_status=TerminalExitStatus(exit_code=1)),
        ToolCallUpdate(tool_call_id="x", status="failed"),
    )
    end_turn(session, "refusal")


def asked(client: FakeClient, session: Session) -> None:
    """The agent asks."""
    work(client, session)
    ask_permission(session)


FIX = (
    'def is_expired(session: Session, now: float) -> bool:\n    """Whether a session is older than the timeout."""\n',
    "    return now - session.started > SESSION_TIMEOUT\n",
    "    return now - session.started > SESSION_TIMEOUT * 60  # seconds\n",
)


def fix_asked(client: FakeClient, session: Session) -> None:
    """A test failed, and the agent asks whether it may change the file."""
    client.of(session).submit([TextContent(text="find out why the login test fails and fix it")])
    output = b"tests/test_login.py \x1b[31mF\x1b[0m.\r\n\x1b[31m1 failed\x1b[0m, \x1b[32m1 passed\x1b[0m in 0.04s\r\n"
    all_at_once(
        session,
        TerminalUpdate(terminal_id="x", command="pytest -q", cwd="/home/someone/project"),
        ToolCallUpdate(
            tool_call_id="x", title="pytest -q", kind="execute", content=[TerminalReference(terminal_id="x")]
        ),
        TerminalOutputChunk(terminal_id="x", data=output),
        TerminalUpdate(terminal_id="x", exit_status=TerminalExitStatus(exit_code=1)),
        ToolCallUpdate(tool_call_id="x", status="failed"),
    )
    say(session, "Found it: `SESSION_TIMEOUT` is in **minutes**, but the comparison is in **seconds**.")
    rules = client.of(session).rules
    assert isinstance(rules, FakeRules)
    project = "/home/someone/project"
    within = Rule("", "allow", "folder", (f"{project}/src",), project=project, action="edit")
    rules.offered = RuleOffer((OfferedRule((within,)),))
    head, old, new = FIX
    edit = [Diff(path="/home/someone/project/src/login.py", old_text=head + old, new_text=head + new)]
    title = "Edit src/login.py"
    asked_about = ToolCallUpdate(tool_call_id="e", title=title, kind="edit", status="pending", content=edit)
    always = "Yes, and allow all edits in this session"
    answers = [("y", "Yes", "allow_once"), ("Y", always, "allow_always"), ("n", "No", "reject_once")]
    request = PermissionRequest(
        session_id=session.id,
        title=title,
        subject=PermissionSubject(type="tool_call", tool_call=asked_about),
        options=[PermissionOption(option_id=id_, name=name, kind=kind) for id_, name, kind in answers],
    )
    session.apply(asked_about)
    session.apply(PermissionReceived(1, request))


MODELS = (
    ("Anthropic", "Opus 5", "The most able"),
    ("Anthropic", "Sonnet 5", "Fast and able"),
    ("Anthropic", "Haiku 5", "Quick answers"),
    ("Google", "Gemini 3 Pro", "Long context"),
    ("Google", "Gemini 3 Flash", ""),
    ("Mistral", "Devstral 2", "Made for code"),
    ("Moonshot", "Kimi K3", "Thinks at length"),
    ("On this machine", "Qwen 4 Coder 32B", "Stays here"),
)


def chosen(client: FakeClient, session: Session) -> None:
    """Models of several vendors can be chosen from."""
    answered(client, session)
    values = [ConfigValue(value=name, name=name, description=about, group=group) for group, name, about in MODELS]
    model = SelectOption(id="model", name="Model", category="model", current_value="Sonnet 5", values=values)
    tell_options(session, [model if option.id == "model" else option for option in options()])


def form(client: FakeClient, session: Session) -> None:
    """The agent asks by a form."""
    work(client, session)
    say(session, "The cause is clear. Before I release the repair I need to know a few things.")
    properties: dict[str, Any] = {
        "name": {"type": "string", "title": "Name", "description": "Name of the release", "minLength": 3},
        "channel": {
            "type": "string",
            "title": "Channel",
            "oneOf": [
                {"const": "stable", "title": "Stable", "description": "For everyone"},
                {"const": "beta", "title": "Beta", "description": "For early testers"},
            ],
            "default": "beta",
        },
        "percent": {"type": "integer", "title": "Rollout in percent", "minimum": 0, "maximum": 100, "default": 10},
        "announce": {"type": "boolean", "title": "Announce the release", "default": True},
    }
    ask_form(session, "name", message="What should be released?", **properties)


def delegated(client: FakeClient, session: Session) -> None:
    """Subagents at work: one has ended, one runs a command, one has found something."""
    client.of(session).submit([TextContent(text="find out why the login test fails and fix it")])
    all_at_once(
        session,
        *delegate("a", "Explore src/", "idle"),
        *delegate("b", "Run the tests", "running"),
        *delegate("c", "Review the history", "running"),
    )
    called = ToolCallUpdate(tool_call_id="x", title="pytest -q", kind="execute", status="in_progress")
    session.apply(SubagentEvent("a", chunk("agent_message", "`login()` never awaits the session.")))
    session.apply(SubagentEvent("b", called))
    session.apply(SubagentEvent("c", chunk("agent_thought", "Who wrote this?")))
    message = {"messageId": "q", "senderSessionId": "a", "recipientSessionId": session.id}
    text = {"type": "text", "text": "The bug is in `src/login.py`, line 3."}
    session.apply(read(SessionMessage, {**message, "content": [text]}))


def delegate(name: str, title: str, state: str) -> list[Update]:
    """A tool call that starts a subagent, and the announcement of that."""
    place = SessionReference(session_id=name)
    announced = {"sessionId": name, "title": title, "state": {"state": state, "stopReason": "end_turn"}}
    return [
        ToolCallUpdate(tool_call_id=name, title=title, kind="think", status="in_progress"),
        read(SubagentUpdate, announced),
        ToolCallUpdate(tool_call_id=name, content=[place], status="completed" if state == "idle" else "in_progress"),
    ]


def chunk(kind: str, text: str) -> MessageChunk:
    told = {"sessionUpdate": f"{kind}_chunk", "messageId": kind, "content": {"type": "text", "text": text}}
    return read(MessageChunk, told)


def changed(client: FakeClient, session: Session) -> None:
    """What a session changed in its folder, by whose it is."""
    tree = client.work_tree
    tree.clock = lambda: 1_795_183_320.0  # 20 Nov 2026, 14:02 UTC
    tree.files = {
        "src/login.py": OLD.encode(),
        "README.md": b"# Login\n",
        "tests/test_login.py": b"def test():\n    ...\n",
    }
    tree.mark("opened", 0)
    client.of(session).submit([TextContent(text="find out why the login test fails and fix it")])
    tree.turn("find out why the login test fails and fix it", {"src/login.py": NEW.encode(), "src/session.py": None})
    tree.turn("add a note", {"NOTES.md": b"# Login\n\n`login()` awaits the session.\n"})
    tree.turn("run the formatter", {"tests/test_login.py": b"def test() -> None: ...\n"}, "unknown")
    tree.files["README.md"] = b"# Login\n\nMine.\n"
    end_turn(session)


def hostile(client: FakeClient, session: Session) -> None:
    """Markup and escapes wherever an agent can write."""
    evil = "[@click=app.quit]quit[/] [/] \x1b]52;c;eA==\x07\x1b[2J\u202eback \x9b31m"
    client.of(session).submit([TextContent(text=evil)])
    session.apply(SessionInfoUpdate(title=evil))
    all_at_once(
        session,
        PlanUpdate(plan=Plan(entries=[PlanEntry(content=evil)])),
        ToolCallUpdate(tool_call_id="h", title=evil, kind="execute", status="failed"),
    )
    say(session, evil)


SCENES = (
    Scene("answer", answered),
    Scene("permission", asked),
    Scene("working-light", working, theme="acp-light", size=(110, 40)),
    Scene("small", failed, size=(80, 24)),
    Scene("models", chosen, keys=("alt+p",)),
    Scene("form", form, size=(110, 40), keys=("L", "o")),
    Scene("commands", answered, size=(80, 24), theme="acp-light", keys=("slash",)),
    Scene("palette", chosen, keys=("ctrl+p", *"mod")),
    Scene("settings", answered, theme="acp-light", keys=("slash", *"settings", "enter")),
    Scene("subagents", delegated, size=(110, 30)),
    Scene("changes", changed, size=(120, 30), keys=("ctrl+x", "d", "down")),
    Scene("changes-small", changed, size=(80, 24), keys=("ctrl+x", "d", "down")),
    Scene("hostile", hostile, size=(80, 24)),
)
TYPED = ["space" if letter == " " else letter for letter in "Add a test for this, please"]
PICTURES = (
    Scene("permission", fix_asked, size=(100, 28), about="a diff waits for permission"),
    Scene(
        "changes",
        changed,
        size=(120, 24),
        keys=("ctrl+x", "d", "down", "enter", "down", "down", "down", "c", *TYPED, "enter"),
        about="what the session changed, with a comment on a line",
    ),
    Scene("subagents", delegated, size=(100, 26), about="subagents at work"),
    Scene("light", working, theme="acp-light", size=(100, 32), about="a plan, a diff and a running command"),
    Scene(
        "changes-small",
        changed,
        size=(80, 24),
        keys=("ctrl+x", "d", "down"),
        about="the list of changed files at 80 columns",
    ),
)
