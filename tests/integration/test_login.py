"""Log-ins: wanted at any time, by any way, and what they stood before is tried again."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents.scripted import write_script
from tests.integration.driver import attended, connected

pytestmark = pytest.mark.anyio

WAYS = """
ways = [
    {"id": "browser", "name": "Browser"},
    {"id": "terminal", "name": "Terminal", "type": "terminal", "args": ["login", "--now"], "env": {"LOGIN": "yes"}},
    {"id": "key", "name": "Key", "type": "env_var", "vars": [{"name": "KEY"}]},
    {"id": "_new", "name": "Newer", "type": "_new"},
]
able = {"protocolVersion": 1, "authMethods": ways, "agentCapabilities": {
    "auth": {"logout": {}}, "loadSession": True, "sessionCapabilities": {"list": {}}}}
agent.initialize(able)
"""
OPENS = """
agent.new_session()
agent.turn("welcome")
agent.serve()
"""
REFUSES = 'agent.fail(agent.expect("session/new"), -32000, "Who are you?")\n'


async def test_a_method_of_the_agent_opens_the_session_that_waited(tmp_path: Path) -> None:
    life = (
        REFUSES
        + """
agent.fail(agent.expect("authenticate"), -32603, "wrong password")
agent.answer(agent.expect("authenticate"), None)
"""
        + OPENS
    )
    script = write_script(tmp_path, WAYS + life)
    async with attended(script.as_process, tmp_path) as driver:
        connection = driver.client.connection
        driver.submit("hello")
        await driver.until(lambda: connection.login)
        assert connection.login is not None
        assert [method.type for method in connection.login.methods] == ["agent", "terminal", "env_var", "_new"]
        assert connection.login.reason == "Who are you?"
        assert connection.phase == "starting"
        assert connection.step == "waiting for you to log in"
        assert driver.noticed() == ""  # it is told where the user logs in
        for never in ("terminal", "key", "_new", "nothing"):
            driver.client.logins.log_in(never)
        driver.client.logins.log_in("browser")
        assert connection.login.trying == "browser"
        await driver.until(lambda: connection.login and connection.login.failed)
        assert connection.login is not None
        assert connection.login.failed == "wrong password"
        driver.client.logins.log_in("browser")
        await driver.idle()
        assert driver.said() == ["welcome"]
        assert connection.login is None
        assert connection.phase == "ready"
    assert [one["params"] for one in script.received("authenticate")] == [{"methodId": "browser"}] * 2
    offered = script.received("initialize")[0]["params"]["clientCapabilities"]
    assert offered["auth"] == {"terminal": True}


async def test_nobody_there_to_log_in_ends_the_connection(tmp_path: Path) -> None:
    script = write_script(tmp_path, WAYS + REFUSES + "agent.serve()")
    async with connected(script, tmp_path) as driver:
        await driver.closed()
        assert "login" in driver.fault()
    assert "auth" not in script.received("initialize")[0]["params"]["clientCapabilities"]


async def test_a_success_that_is_none_is_said(tmp_path: Path) -> None:
    life = REFUSES + 'agent.answer(agent.expect("authenticate"), {})\n' + REFUSES + "agent.serve()"
    script = write_script(tmp_path, WAYS + life)
    async with attended(script, tmp_path) as driver:
        connection = driver.client.connection
        await driver.until(lambda: connection.login)
        driver.client.logins.log_in("browser")
        await driver.until(lambda: connection.login and connection.login.failed)
        assert connection.login is not None
        assert connection.login.failed == "Browser: still not logged in."


async def test_ways_that_only_the_error_names_are_offered(tmp_path: Path) -> None:
    life = """
agent.initialize()
ways = {"authMethods": [{"id": "late", "name": "Late"}]}
agent.fail(agent.expect("session/new"), -32000, "Log in", ways)
agent.answer(agent.expect("authenticate"), {})
"""
    script = write_script(tmp_path, life + OPENS)
    async with attended(script, tmp_path) as driver:
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in("late")
        driver.submit("hello")
        await driver.idle()
        assert driver.said() == ["welcome"]


async def test_a_terminal_log_in_runs_the_agents_own_command_and_starts_it_again(tmp_path: Path) -> None:
    life = "if agent.life == 1:\n    " + REFUSES + "    agent.serve()\n" + OPENS
    script = write_script(tmp_path, WAYS + life)
    async with attended(script.as_process, tmp_path) as driver:
        connection = driver.client.connection
        driver.submit("hello")
        await driver.until(lambda: connection.login)
        assert driver.client.logins.command("browser") is None
        command = driver.client.logins.command("terminal")
        assert command is not None
        assert command.argv == (*script.argv, "login", "--now")
        assert command.env["LOGIN"] == "yes"
        assert "PATH" in command.env
        assert command.cwd == str(tmp_path)
        assert connection.login is not None
        assert connection.login.trying == "terminal"
        driver.client.logins.finished(3)
        assert connection.login.failed == "Login failed: exit code 3."
        driver.client.logins.command("terminal")
        driver.client.logins.finished(-2)
        assert connection.login.failed == "Login failed: killed by SIGINT."
        driver.client.logins.command("terminal")
        driver.client.logins.finished(None)
        assert "can't run" in connection.login.failed
        driver.client.logins.command("terminal")
        driver.client.logins.finished(0)
        await driver.idle()
        assert driver.said() == ["welcome"]
        assert connection.login is None
    assert script.received("authenticate") == []
    assert driver.client.connection.starts == 2


async def test_a_method_can_name_a_command_of_its_own(tmp_path: Path) -> None:
    named = {"command": "vendor", "args": ["login"], "env": {"SEAT": "1"}, "label": "Log in", "type": "terminal"}
    ways = [
        {"id": "agent", "name": "Sign in", "_meta": {"terminal-auth": named}},
        {"id": "bare", "name": "Sign in", "type": "terminal", "_meta": {"terminal-auth": {"command": "vendor"}}},
        {"id": "spec", "name": "Sign in", "type": "terminal", "args": ["login"], "_meta": {"terminal-auth": named}},
        {"id": "bad", "name": "Sign in", "_meta": {"terminal-auth": {"command": ["vendor"]}}},
        {"id": "stray", "name": "Sign in", "type": "terminal", "command": "vendor"},
    ]
    life = f"agent.initialize({{'protocolVersion': 1, 'authMethods': {ways!r}}})\n" + REFUSES + "agent.serve()"
    script = write_script(tmp_path, life)
    async with attended(script, tmp_path) as driver:
        client = driver.client
        await driver.until(lambda: client.connection.login)
        command = client.logins.command("agent")
        assert command is not None
        assert (command.argv, command.env["SEAT"]) == (("vendor", "login"), "1")
        others = [client.logins.command(method) for method in ("bare", "spec", "bad", "stray")]
        assert [other.argv if other else None for other in others] == [
            ("vendor",),
            (*script.argv, "login"),
            None,
            tuple(script.argv),
        ]
    assert script.received("initialize")[0]["params"]["clientCapabilities"]["_meta"]["terminal-auth"] is True


async def test_variables_are_given_to_the_next_start_and_nowhere_else(tmp_path: Path, own_state: Path) -> None:
    life = "if os.environ.get('KEY') != 'secret-value':\n    " + REFUSES + "    agent.serve()\n" + OPENS
    script = write_script(tmp_path, WAYS + life)
    async with attended(script.as_process, tmp_path) as driver:
        driver.submit("hello")
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in_with_variables({"KEY": "wrong"})
        await driver.until(lambda: driver.client.connection.login and driver.client.connection.login.failed)
        assert driver.client.connection.login is not None
        assert driver.client.connection.login.failed == "With these variables: still not logged in."
        driver.client.logins.log_in_with_variables({"KEY": "secret-value"})
        await driver.idle()
        assert driver.said() == ["welcome"]
    assert [path for path in holding("secret-value", own_state, tmp_path) if path != script.path] == []


def holding(text: str, *folders: Path) -> list[Path]:
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if text.encode() in path.read_bytes()]


async def test_a_prompt_that_needs_a_log_in_waits_and_is_sent_again(tmp_path: Path) -> None:
    life = """
agent.new_session()
agent.turn("first")
agent.fail(agent.expect("session/prompt"), -32000, "Your log-in has run out")
agent.answer(agent.expect("authenticate"), {})
agent.turn("second")
agent.turn("third")
agent.serve()
"""
    script = write_script(tmp_path, WAYS + life)
    async with attended(script, tmp_path) as driver:
        driver.submit("one")
        await driver.idle()
        driver.submit("two")
        await driver.until(lambda: driver.client.connection.login)
        assert not driver.session.turn.active
        assert driver.said("user") == ["one"]
        driver.submit("three")
        assert len(driver.session.queue) == 2
        assert driver.client.connection.phase == "ready"
        driver.client.logins.log_in("browser")
        await driver.idle(3)
        assert driver.said("user") == ["one", "two", "three"]
        assert driver.said() == ["first", "second", "third"]


async def test_a_list_that_needs_a_log_in_is_asked_again(tmp_path: Path) -> None:
    life = """
agent.new_session()
agent.fail(agent.expect("session/list"), -32000, "Log in first")
agent.answer(agent.expect("authenticate"), {})
agent.answer(agent.expect("session/list"), {"sessions": [{"sessionId": "a", "cwd": "/"}]})
agent.serve()
"""
    script = write_script(tmp_path, WAYS + life)
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        driver.client.known_sessions.list.subscribe(driver._on_connection)
        driver.client.known_sessions.ask()
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in("browser")
        await driver.until(lambda: driver.client.known_sessions.list.entries)
        assert driver.client.known_sessions.list.problem == ""


async def test_an_agent_that_dies_during_a_log_in_says_so(tmp_path: Path) -> None:
    life = "if agent.life == 1:\n    " + REFUSES + "    agent.expect('authenticate')\n    agent.exit(1)\n" + OPENS
    script = write_script(tmp_path, WAYS + life)
    async with attended(script, tmp_path) as driver:
        driver.submit("hello")
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in("browser")
        await driver.gone()
        login = driver.client.connection.login
        assert login is not None
        assert (login.trying, login.failed) == ("", "The agent exited before it answered.")
        driver.client.restart()
        await driver.idle()
        assert driver.said() == ["welcome"]


async def test_a_second_try_takes_the_first_back(tmp_path: Path) -> None:
    life = (
        REFUSES
        + """
first = agent.expect("authenticate")
second = agent.expect("authenticate")
assert agent.expect("$/cancel_request")["params"]["requestId"] == first["id"]
agent.fail(first, -32800, "cancelled")
agent.answer(second, {})
"""
        + OPENS
    )
    script = write_script(tmp_path, WAYS + life)
    async with attended(script, tmp_path) as driver:
        driver.submit("hello")
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.log_in("browser")
        driver.client.logins.log_in("browser")
        await driver.idle()
        assert driver.said() == ["welcome"]


@pytest.mark.parametrize(("reply", "told"), [("agent.answer", "Logged out"), ("agent.fail", "Logout failed")])
async def test_logging_out_is_told(tmp_path: Path, reply: str, told: str) -> None:
    arguments = "{}" if reply == "agent.answer" else "-32603, 'no'"
    life = f"agent.new_session()\n{reply}(agent.expect('logout'), {arguments})\nagent.serve()"
    script = write_script(tmp_path, WAYS + life)
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        driver.client.logins.log_out()
        await driver.until(lambda: told in driver.noticed())


async def test_an_agent_without_logout_is_not_asked(tmp_path: Path) -> None:
    script = write_script(tmp_path, "agent.initialize(); agent.new_session(); agent.turn('x'); agent.serve()")
    async with attended(script, tmp_path) as driver:
        await driver.ready()
        driver.client.logins.log_out()
        driver.submit("hello")
        await driver.idle()
    assert script.received("logout") == []


COMMAND = {"terminal-auth": {"command": "vendor", "args": ["login"]}}
TWICE = [
    # known at first, named by the error, what is kept
    ({"_meta": COMMAND}, {"type": "terminal", "args": ["login"]}, ("terminal", "vendor")),
    ({"type": "terminal", "args": ["login"]}, {"_meta": COMMAND}, ("terminal", "vendor")),
    ({"_meta": COMMAND}, {"type": "_new"}, ("terminal", "vendor")),
    ({"type": "env_var"}, {"type": "agent"}, ("agent", "")),
    ({"type": "agent"}, {"type": "terminal"}, ("terminal", "")),
]


@pytest.mark.parametrize(("known", "named", "kept"), TWICE)
async def test_of_two_ways_with_one_id_the_one_that_can_work_is_kept(
    tmp_path: Path, known: Any, named: Any, kept: tuple[str, str]
) -> None:
    both = [{"id": "login", "name": "Login", **way} for way in (known, named)]
    life = f"""
agent.initialize({{"protocolVersion": 1, "agentCapabilities": {{}}, "authMethods": [{both[0]!r}]}})
agent.fail(agent.expect("session/new"), -32000, "Log in", {{"authMethods": [{both[1]!r}]}})
agent.serve()
"""
    script = write_script(tmp_path, life)
    async with attended(script, tmp_path) as driver:
        await driver.until(lambda: driver.client.connection.login)
        assert driver.client.connection.login is not None
        (way,) = driver.client.connection.login.methods
        assert (way.type, way.command) == kept


async def test_what_a_failed_way_wrote_last_is_kept_as_a_terminal_shows_it(tmp_path: Path) -> None:
    script = write_script(tmp_path, WAYS + REFUSES + "agent.serve()")
    async with attended(script, tmp_path) as driver:
        await driver.until(lambda: driver.client.connection.login)
        driver.client.logins.command("terminal")
        driver.client.logins.finished(2, b"working 10%\rworking 90%\r\n\x1b[31mNo such\x1b[0m option\xff\r\n")
        login = driver.client.connection.login
        assert login is not None
        assert login.failed == "Login failed: exit code 2."
        assert login.output == "working 90%\nNo such option\ufffd\n"
        driver.client.logins.log_in("browser")
        assert driver.client.connection.login is not None
        assert driver.client.connection.login.output == ""
