"""Logging in on the screen: what the agent asks, by which ways, and what comes of it."""

from dataclasses import replace

import pytest
from textual.widgets import Input

from acp_tui.host.client import Login, LoginCommand
from acp_tui.protocol.vocabulary.initialization import Account, AuthMethod, AuthStatus, AuthVariable
from tests.pilot.driver import User, user
from tests.pilot.fake_client import FakeClient, ask_permission
from tests.pilot.questions import ask_address, ready

pytestmark = pytest.mark.anyio

WAYS = (
    AuthMethod(method_id="browser", name="Browser", description="Opens a page"),
    AuthMethod(type="terminal", method_id="terminal", name="Terminal", args=["login"]),
    AuthMethod(
        type="env_var",
        method_id="key",
        name="API key",
        link="https://example.com/keys",
        vars=[AuthVariable(name="API_KEY"), AuthVariable(name="REGION", secret=False, optional=True, label="where")],
    ),
    AuthMethod(type="_new", method_id="_new", name="Newer"),
)


def want(client: FakeClient, **more: str) -> None:
    client._lifecycle.ask_login(Login(WAYS, "Who are you?", **more))


async def asked(someone: User) -> None:
    want(someone.client)
    await someone.wait_until(
        lambda: someone.sees("△ Log in to OpenCode") or someone.sees("△ OpenCode needs you to log in"), "the log-in"
    )
    await someone.pilot.pause()


async def test_the_ways_are_shown_and_the_agents_own_is_chosen() -> None:
    async with user() as someone:
        await asked(someone)
        assert someone.sees("Who are you?")
        assert someone.sees("Browser  Opens a page")
        assert someone.sees("not supported: _new")
        assert not someone.sees("Waiting for you")
        await someone.press("enter")
        assert someone.acts("log in") == [("browser",)]
        want(someone.client, trying="browser")
        await someone.wait_for("Browser  … waiting for the agent")
        assert someone.sees("Logging in: Browser")
        want(someone.client, failed="wrong password (code -32603)")
        await someone.wait_for("✗ wrong password (code -32603)")
        someone.client._lifecycle.ask_login(None)
        await someone.wait_until(lambda: not someone.sees("Log in to OpenCode"), "the end of it")
        assert someone.focused == "editor"


async def test_a_key_that_was_meant_for_something_else_logs_nobody_in() -> None:
    """As the answer to a permission, when the agent wants a log-in just then; or to a list that it exchanges."""
    async with user() as someone:
        want(someone.client)
        await someone.wait_for("△ Log in to OpenCode")
        await ready(someone)
        await someone.hurry("enter")
        assert someone.acts("log in") == []
        someone.client._lifecycle.ask_login(Login(tuple(reversed(WAYS)), "Who are you?"))
        await someone.hurry("enter")
        assert not someone.sees("API_KEY")
        want(someone.client, trying="browser")
        await someone.wait_for("Browser  … waiting for the agent")
        await someone.hurry("c")
        assert someone.acts("cancel log in") == []
        want(someone.client)
        await someone.press("home", "enter")
        assert someone.acts("log in") == [("browser",)]


async def test_a_draft_keeps_the_focus() -> None:
    async with user() as someone:
        await someone.type("half")
        await asked(someone)
        assert someone.focused == "editor"
        await someone.type(" a thought")
        assert someone.draft == "half a thought"
        await someone.press("alt+a", "enter")
        assert someone.acts("log in") == [("browser",)]


async def test_it_can_wait() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("escape")
        assert someone.focused == "editor"
        assert someone.sees("△ OpenCode needs you to log in (alt+a)  Who are you?")
        assert not someone.sees("Browser")
        assert someone.acts("log in") == []


async def test_the_terminal_is_lent_to_the_agents_own_command(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[tuple[object, ...]] = []

    async def run(_app: object, *arguments: object) -> int:
        ran.append(arguments)
        return 7

    monkeypatch.setattr("acp_tui.ui.questions.question_queue.run_on_terminal", run)
    command = LoginCommand(("agent", "login"), {"A": "b"}, "/home")
    async with user() as someone:
        monkeypatch.setattr(someone.client.logins, "command", lambda _id: command)
        await asked(someone)
        await someone.press("down", "enter")
        await someone.wait_until(lambda: someone.acts("login finished") == [(7,)], "the end of the command")
        assert ran == [(("agent", "login"), "/home", {"A": "b"}, bytearray())]


async def test_a_command_that_the_agent_names_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[object] = []

    async def run(_app: object, *arguments: object) -> int:
        ran.append(arguments[0])
        return 0

    monkeypatch.setattr("acp_tui.ui.questions.question_queue.run_on_terminal", run)
    way = AuthMethod(
        type="terminal", method_id="cli", name="Sign in", command="vendor", args=["log in", "--now"], env={"SEAT": "1"}
    )
    async with user() as someone:
        monkeypatch.setattr(
            someone.client.logins, "command", lambda _id: LoginCommand(("vendor", "log in", "--now"), {}, "/")
        )
        someone.client._lifecycle.ask_login(Login((way,), "Who are you?"))
        await someone.wait_for("in the terminal: vendor 'log in' --now")
        await someone.pilot.pause()
        await someone.press("enter")
        await someone.wait_for("Don't run it")
        assert someone.sees("vendor 'log in' --now")
        assert someone.sees("with SEAT")
        await someone.wait_until(lambda: someone.focused != "methods" and someone.sees("enter confirm"), "the question")
        await someone.press("enter")
        await someone.wait_until(lambda: not someone.sees("Don't run it"), "the way back")
        await someone.press("enter")
        await someone.wait_for("Don't run it")
        await someone.pilot.pause()
        await someone.press("escape")
        await someone.wait_until(lambda: not someone.sees("Don't run it"), "the way back")
        assert ran == []
        await someone.press("enter")
        await someone.wait_for("Don't run it")
        await someone.pilot.pause()
        await someone.press("down", "enter")
        await someone.wait_until(lambda: someone.acts("login finished") == [(0,)], "the end of the command")
        assert ran == [("vendor", "log in", "--now")]


async def test_a_terminal_log_in_without_a_terminal_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    async with user() as someone:
        monkeypatch.setattr(someone.client.logins, "command", lambda _id: LoginCommand(("agent",), {}, "/"))
        await asked(someone)
        await someone.press("down", "enter")
        await someone.wait_until(lambda: someone.acts("login finished") == [(None,)], "the fault")
        assert any("Cannot run another program" in toast for toast in someone.toasts())


async def test_variables_are_asked_for_masked_and_given() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("down", "down", "enter")
        await someone.wait_for("API_KEY")
        assert someone.sees("See https://example.com/keys")
        assert someone.sees("REGION  where · optional")
        await someone.wait_until(lambda: isinstance(someone.conversation.focused, Input), "the field")
        await someone.press("enter", "enter")
        assert someone.acts("variables") == []
        await someone.type("secret")
        assert not someone.sees("secret")
        await someone.press("enter", "enter")
        assert someone.acts("variables") == [({"API_KEY": "secret"},)]
        assert someone.focused == "editor"
        assert not list(someone.conversation.parts.questions.login.query(Input))


async def test_escape_leaves_the_fields_for_the_ways() -> None:
    async with user() as someone:
        await asked(someone)
        await someone.press("down", "down", "enter")
        await someone.wait_until(lambda: isinstance(someone.conversation.focused, Input), "the field")
        await someone.type("secret")
        await someone.press("escape")
        await someone.wait_for("Browser")
        assert not list(someone.conversation.parts.questions.login.query(Input))
        await someone.press("escape")
        assert someone.focused == "editor"


async def test_a_log_in_comes_before_what_the_session_asks() -> None:
    async with user() as someone:
        ask_permission(someone.session)
        await someone.wait_for("Edit login.py")
        await asked(someone)
        await someone.wait_until(lambda: not someone.sees("Permission required"), "the log-in first")
        someone.client._lifecycle.ask_login(None)
        await someone.wait_for("Permission required")


async def test_the_user_may_ask_for_it() -> None:
    async with user() as someone:
        await someone.press("escape")  # in a question Ctrl+P moves
        await someone.command("log in")
        assert any("offers no login" in toast for toast in someone.toasts())
        someone.client.connection.auth_methods = WAYS
        await someone.press("escape")  # in a question Ctrl+P moves
        await someone.command("log in")
        await someone.wait_for("Log in to OpenCode")
        await someone.press("escape")
        await someone.wait_until(lambda: not someone.sees("Log in to OpenCode"), "the end of it")


async def test_a_try_of_the_users_own_keeps_nothing_waiting() -> None:
    async with user() as someone:
        someone.client._lifecycle.ask_login(Login(WAYS, failed="not today"))
        await someone.wait_for("✗ not today")
        assert someone.sees("Log in to OpenCode")
        assert not someone.sees("waiting for you")
        await someone.press("escape")
        await someone.wait_until(lambda: not someone.sees("not today"), "the end of it")
        assert someone.focused == "editor"


async def test_logging_out_where_the_agent_can() -> None:
    async with user() as someone:
        await someone.command("log out")
        assert any("offers no logout" in toast for toast in someone.toasts())
        connection = someone.client.connection
        connection.capabilities = replace(connection.capabilities, logout=True)
        await someone.command("log out")
        assert someone.acts("log out") == [()]


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
async def test_it_fits_small_screens_and_hostile_words_are_words(size: tuple[int, int]) -> None:
    async with user(size) as someone:
        ways = (AuthMethod(method_id="x", name="[@click=app.quit]x[/]\x1b[2J" * 9, description="\x07" * 400),)
        someone.client._lifecycle.ask_login(Login(ways, "line\n" * 90, failed="no" * 300))
        await someone.wait_for("Log in to OpenCode")
        await someone.wait_for("[@click=app.quit]x[/]")
        assert someone.sees("esc later")
        assert all(len(row) <= size[0] for row in someone.rows())


async def test_what_the_agent_asks_while_it_logs_in_is_reached_and_answered() -> None:
    async with user() as someone:
        await asked(someone)
        want(someone.client, trying="browser")
        await someone.wait_for("… waiting for the agent")
        ask_address(someone.session)
        await someone.wait_for("https://example.com/login")
        assert not someone.sees("Log in to")
        assert not someone.sees("Waiting for you")
        await ready(someone)
        for way in (("alt+a",), ("ctrl+x", "w", "enter")):
            someone.conversation.focus_prompt()
            await someone.wait_until(lambda: someone.focused == "editor", "the prompt to have the focus")
            await someone.press(*way[:2])
            assert len(way) == 1 or someone.sees("Please log in.")  # on the board: what is asked, not "Log in"
            await someone.press(*way[2:])
            await ready(someone)
        await someone.press("d")
        assert someone.acts("elicited") == [(1, "decline", None)]
        await someone.wait_for("… waiting for the agent")
        assert someone.sees("Logging in: Browser")
        assert someone.focused != "editor"


async def test_a_draft_keeps_the_focus_when_the_agent_asks_while_it_logs_in() -> None:
    async with user() as someone:
        await asked(someone)
        want(someone.client, trying="browser")
        await someone.wait_for("… waiting for the agent")
        await someone.press("escape")
        await someone.type("half")
        ask_address(someone.session)
        await someone.wait_for("OpenCode needs an answer (alt+a)")
        await someone.type(" a thought")
        assert someone.draft == "half a thought"


async def test_the_other_ways_stay_within_reach_while_the_agent_asks() -> None:
    async with user() as someone:
        await asked(someone)
        want(someone.client, trying="browser")
        ask_address(someone.session)
        await someone.wait_for("https://example.com/login")
        await someone.press("escape")  # in a question Ctrl+P moves
        await someone.command("log in")
        await someone.wait_for("… waiting for the agent")
        await someone.press("escape")
        await someone.wait_for("OpenCode needs an answer (alt+a)")
        assert someone.focused == "editor"
        await someone.press("escape")  # in a question Ctrl+P moves
        await someone.command("log in")
        await someone.wait_for("… waiting for the agent")
        await someone.press("enter")
        assert someone.acts("log in") == []
        await someone.press("c")
        assert someone.acts("cancel log in") == [()]


async def test_where_there_is_no_way_no_key_for_one_is_offered_and_the_one_that_restarts_is() -> None:
    async with user() as someone:
        someone.client._lifecycle.ask_login(Login(WAYS[:1], "Who are you?"))
        await someone.wait_for("enter log in  esc later")  # of one way there is nothing to choose
        for ways, why in (
            ((), "The agent offers no login."),
            (WAYS[-1:], "acp-tui supports none of these login methods."),
        ):
            someone.client._lifecycle.ask_login(Login(ways, "Who are you?"))
            await someone.wait_for(why)
            assert someone.sees("then restart the agent: ^X R")
            assert not someone.sees("Waiting for you")
            assert someone.sees("^X R restart")
            assert not someone.sees("enter log in")
            assert not someone.sees("Alt+A")
        await someone.press("ctrl+x", "R")
        assert someone.acts("restart") == [()]


@pytest.mark.parametrize(("size", "first"), [((120, 40), 3), ((80, 24), 6)])
async def test_what_a_failed_command_wrote_last_is_shown(size: tuple[int, int], first: int) -> None:
    async with user(size) as someone:
        output = "\n".join(
            [
                "first",
                *(f"line {number}" for number in range(7)),
                "",
                "No such option [b]: \x1b[2Jlogin",
            ]
        )
        someone.client._lifecycle.ask_login(Login(WAYS, "Who are you?", failed="exit code 2.", output=output))
        await someone.wait_for("✗ exit code 2.")
        assert someone.sees(f"│ … {first + 1} earlier rows")
        assert someone.sees(f"│ line {first}")
        assert not someone.sees(f"line {first - 1}")
        assert someone.sees("Browser")
        assert someone.sees("│ No such option [b]: login")


async def test_the_end_of_a_long_line_of_a_failed_command_is_seen() -> None:
    async with user((80, 24)) as someone:
        someone.client._lifecycle.ask_login(Login(WAYS, failed="exit code 1.", output="asked " * 30 + "and refused"))
        await someone.wait_for("✗ exit code 1.")
        assert someone.sees("and refused")
        assert someone.sees("Browser")


async def test_the_panel_says_who_is_logged_in_and_keeps_the_focus_where_it_is() -> None:
    ann = AuthStatus("authenticated", (Account("Claude Max", ("ann@example.com\x1b[31m\nx",)),))
    async with user(size=(120, 40)) as someone:
        someone.client._lifecycle.know_login(AuthStatus("unauthenticated"))
        await asked(someone)
        assert someone.sees("Log in to OpenCode   Not logged in")
        await someone.press("escape")
        someone.client._lifecycle.know_login(ann)
        someone.client._lifecycle.tell_login()
        await someone.pilot.pause()
        assert someone.focused == "editor"
        await someone.press("alt+a")
        await someone.wait_for("Log in to OpenCode   Logged in as Claude Max · ann@example.com ⏎ x")


async def test_the_status_shows_accounts_and_copies_none() -> None:
    accounts = (Account("Claude Max", ("ann@example.com",)), Account("API key"))
    async with user(size=(120, 40)) as someone:
        someone.client._lifecycle.know_login(AuthStatus("authenticated", accounts))
        await someone.command("status")
        await someone.wait_for("Logged in as Claude Max · ann@example.com and 1 more account")
        await someone.press("y")
        await someone.wait_until(lambda: "Login: Logged in\n" in someone.app.clipboard, "the copy")
        assert "Claude" not in someone.app.clipboard
        assert "API key" not in someone.app.clipboard


async def test_a_variable_that_a_way_reads_and_that_is_missing_is_named_before_and_after(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ACME_HOST", "here")
    ways = (
        AuthMethod(method_id="key", name="Use a key", description="Reads ACME_API_KEY"),
        AuthMethod(method_id="host", name="Use a host", description="Reads ACME_HOST"),
    )
    async with user() as someone:
        someone.client._lifecycle.ask_login(Login(ways, "Who are you?"))
        await someone.wait_for("Reads ACME_API_KEY  ACME_API_KEY is not set")
        assert not someone.sees("ACME_HOST is not set")
        someone.client._lifecycle.ask_login(Login(ways, "Who are you?", failed="ACME_API_KEY is missing"))
        await someone.wait_for("set ACME_API_KEY in your shell, and start acp-tui again")
        assert not someone.sees("Who are you?")
