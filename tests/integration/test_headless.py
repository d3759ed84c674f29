"""`acp-tui run` from outside: what it prints, how it ends, and that it leaves nothing behind."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import anyio
import pytest

from acp_tui.cli import main
from acp_tui.headless.text_report import TextReport
from acp_tui.host.connection.agent_process import StderrRing
from acp_tui.host.connection.lifecycle import Lifecycle
from tests.agents.scripted import Gate, Script, write_script
from tests.integration.runs import BOUND, HEAD, Run, run, run_script
from tests.processes import alive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals of POSIX")

STAY = "agent.serve()\n"
END = "agent.end_turn(prompt)\n" + STAY


def script(folder: Path, body: str, tail: str = STAY, head: str = HEAD) -> Script:
    return write_script(folder, "".join(f"{dedent(part)}\n" for part in (head, body, tail)))


class TestText:
    def test_the_answer_is_on_standard_output_and_the_rest_beside_it(self, tmp_path: Path) -> None:
        body = """
            agent.think("thinking")
            agent.say("Hello **wor")
            agent.say("ld**")
            agent.update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Read x", "kind": "read"})
            for status in ("in_progress", "completed", "completed"):
                agent.update({"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": status})
            agent.say("Done \\x1b[1mnow\\x1b[0m.")
        """
        ended = run_script(script(tmp_path, body, END))
        assert ended.out == "Hello **world**\n\nDone \x1b[1mnow\x1b[0m.\n"
        assert ended.err.splitlines() == ["[agent: Scripted 1]", "[Read x: done]"]
        assert ended.code == 0

    def test_what_the_agent_calls_things_cannot_move_the_terminal(self, tmp_path: Path) -> None:
        body = """
            agent.update({"sessionUpdate": "tool_call", "toolCallId": "t", "title": "a\\x1b]0;b\\x07\\r\\nc\\u202ed"})
        """
        ended = run_script(script(tmp_path, body, END))
        assert "[a␛]0;b␇ ⏎ c\ufffdd: not finished]" in ended.err.splitlines()

    def test_a_terminal_gets_no_escapes(self, tmp_path: Path) -> None:
        agent = script(tmp_path, 'agent.say("a\\x1b]52;c;aGk=\\x07b\\x1b[2")\nagent.say("Jc\\n")', END)
        ours, theirs = pty.openpty()
        running = Run(["run", "do it", "--", *agent.argv], tmp_path, stdout=theirs)
        assert running.end().code == 0
        os.close(theirs)
        written = b""
        with contextlib.suppress(OSError):  # EIO: nobody writes any more
            while data := os.read(ours, 1000):
                written += data
        assert written == b"abc\r\n"
        os.close(ours)

    def test_a_plan_is_told_in_the_words_of_the_screen(self, tmp_path: Path) -> None:
        body = """
            for statuses in (["in_progress", "pending"], ["completed", "cancelled"], ["cancelled"]):
                steps = [{"content": each, "priority": "low", "status": each} for each in statuses]
                agent.update({"sessionUpdate": "plan", "entries": steps})
        """
        told = run("run", "do it", "--", *script(tmp_path, body, END).argv, cwd=tmp_path).err
        plans = [line for line in told.splitlines() if line.startswith("[plan")]
        assert plans == ["[plan 0 / 2: in_progress]", "[plan ✓ 1 / 1 · 1 cancelled]", "[plan 1 cancelled]"]

    def test_the_prompt_may_come_on_standard_input(self, tmp_path: Path) -> None:
        agent = script(tmp_path, "", END)
        assert run("run", "--", *agent.argv, cwd=tmp_path, stdin="from – stdin\n".encode()).code == 0
        assert run("run", "-", "--", *agent.argv, cwd=tmp_path, stdin=b"second").code == 0
        prompts = [message["params"]["prompt"] for message in agent.received("session/prompt")]
        assert prompts == [[{"type": "text", "text": "from – stdin\n"}], [{"type": "text", "text": "second"}]]


class TestJson:
    def test_one_object_for_each_change(self, tmp_path: Path) -> None:
        body = """
            agent.say("a\\ud800b")
            agent.permission({"toolCallId": "t", "title": "Write"})
            made = agent.request("terminal/create", {"sessionId": session, "command": "echo hi"})
            agent.request("terminal/wait_for_exit", {"sessionId": session, **made})
            step = {"content": "one", "priority": "high", "status": "pending"}
            agent.update({"sessionUpdate": "plan", "entries": [step]})
            agent.update({"sessionUpdate": "something_newer", "x": float("nan")})
        """
        ended = run_script(script(tmp_path, body, END), "--format", "json")
        lines = [json.loads(line, parse_constant=pytest.fail) for line in ended.out.splitlines()]
        assert lines[0] == {
            "type": "session",
            "session_id": "session-1",
            "cwd": str(tmp_path.resolve()),
            "agent": {"name": "scripted", "title": "Scripted", "version": "1"},
        }
        assert lines[-1] == {"type": "end", "exit_code": 0, "stop_reason": "end_turn", "fault": None}
        by_type = {line["type"]: line for line in lines}
        assert by_type.keys() >= {"message_chunk", "tool_call", "plan", "unknown", "turn", "terminal"}
        assert by_type["permission_settled"]["option_id"] == "no"
        assert by_type["permission_asked"]["request"]["options"][0]["kind"] == "allow_once"
        assert by_type["terminal_output"]["text"] == "hi\n"
        assert by_type["terminal"]["exit_status"] == {"exitCode": 0}
        assert ended.out.isascii()
        assert ended.err == ""

    def test_a_fault_is_in_it(self, tmp_path: Path) -> None:
        ended = run("run", "--format", "json", "hi", "--", "no-such-agent", cwd=tmp_path)
        lines = [json.loads(line) for line in ended.out.splitlines()]
        assert lines[-1]["exit_code"] == ended.code == 1
        assert any("no-such-agent" in json.dumps(line) for line in lines)


class TestPolicy:
    @pytest.mark.parametrize(("options", "chosen"), [((), "no"), (("--permission", "allow-once"), "yes")])
    def test_permissions_are_answered_by_kind(self, tmp_path: Path, options: tuple[str, ...], chosen: str) -> None:
        body = """
            asked = agent.permission({"toolCallId": "t", "title": "Write x"})
            agent.say(json.dumps(agent.answer_to(asked)["result"]))
        """
        ended = run_script(script(tmp_path, body, END), *options)
        assert json.loads(ended.out) == {"outcome": {"outcome": "selected", "optionId": chosen}}
        told = "not finished, allowed once" if options else "rejected: --permission allow-once allows it"
        assert ended.err.splitlines()[1:] == [f"[Write x: {told}]"]

    def test_why_it_was_rejected_is_said_once(self, tmp_path: Path) -> None:
        body = """
            for name in "abc":
                call = {"toolCallId": name, "title": f"Write {name}", "kind": "edit"}
                agent.update({"sessionUpdate": "tool_call", **call})
                agent.answer_to(agent.permission(call))
                agent.update({"sessionUpdate": "tool_call_update", "toolCallId": name, "status": "failed"})
        """
        ended = run_script(script(tmp_path, body, END))
        assert ended.err.splitlines()[1:] == [
            "[Edit a: rejected: --permission allow-once allows it]",
            "[Edit b: rejected]",
            "[Edit c: rejected]",
        ]

    def test_a_request_without_a_fitting_answer_has_a_line_of_its_own(self, tmp_path: Path) -> None:
        body = """
            offer = {"options": [{"optionId": "no", "name": "Reject", "kind": "reject_once"}]}
            asked = {"sessionId": session, "toolCall": {"toolCallId": "t", "title": "Write x"}, **offer}
            agent.request("session/request_permission", asked)
        """
        ended = run_script(script(tmp_path, body, END), "--permission", "allow-once")
        assert "[permission: Write x: cancelled]" in ended.err.splitlines()

    def test_a_command_that_failed_tells_its_exit_code(self, tmp_path: Path) -> None:
        body = """
            made = agent.request("terminal/create", {"sessionId": session, "command": "exit 7"})
            agent.request("terminal/wait_for_exit", {"sessionId": session, **made})
            shown = [{"type": "terminal", **made}]
            call = {"toolCallId": "t", "title": "run", "kind": "execute", "status": "failed", "content": shown}
            agent.update({"sessionUpdate": "tool_call", **call})
        """
        assert "[$ exit 7: failed (exit 7)]" in run_script(script(tmp_path, body, END)).err.splitlines()

    def test_what_is_run_and_allowed_is_told(self, tmp_path: Path) -> None:
        body = """
            call = {"toolCallId": "t", "title": "bash", "kind": "other", "rawInput": {"command": "make\\nmake test"}}
            agent.answer_to(agent.permission(call))
            read = {"toolCallId": "r", "title": "ReadFile: a.py", "kind": "read", "rawInput": {"path": "a.py"}}
            agent.update({"sessionUpdate": "tool_call", "status": "completed", **read})
        """
        ended = run_script(script(tmp_path, body, END))
        assert ended.err.splitlines()[1:] == [
            "[$ make ⏎ make test: rejected: --permission allow-once allows it]",
            "[Read a.py: done]",
        ]

    def test_capabilities_are_withdrawn(self, tmp_path: Path) -> None:
        body = """
            for method, params in (
                ("fs/write_text_file", {"path": os.path.abspath("x"), "content": ""}),
                ("terminal/create", {"command": "touch x"}),
            ):
                try:
                    agent.request(method, {"sessionId": session, **params})
                except Refused as refused:
                    agent.say(f"{refused.code} ")
        """
        agent = script(tmp_path, body, END)
        ended = run_script(agent, "--no-write", "--no-terminal")
        offered = agent.received("initialize")[0]["params"]["clientCapabilities"]
        assert offered["fs"] == {"readTextFile": True, "writeTextFile": False}
        assert offered.get("terminal", False) is False
        assert ended.out == "-32601 -32601 \n"
        assert not (tmp_path / "x").exists()


class TestEnd:
    @pytest.mark.parametrize(
        ("body", "code", "told"),
        [
            ('agent.end_turn(prompt, "refusal")', 3, "refused"),
            ('agent.end_turn(prompt, "max_tokens")', 3, "cut off"),
            ('agent.end_turn(prompt, "cancelled")', 130, ""),
            ('agent.fail(prompt, -32603, "out of luck")', 1, "out of luck"),
            ('agent.say("partial"); agent.stderr("last words\\n"); agent.exit(7)', 1, "last words"),
        ],
    )
    def test_how_the_turn_ended_is_the_exit_code(self, tmp_path: Path, body: str, code: int, told: str) -> None:
        ended = run_script(script(tmp_path, body))
        assert ended.code == code
        assert told in ended.err
        assert "Traceback" not in ended.err

    @pytest.mark.parametrize(
        ("option", "value", "told"),
        [
            ("--max-cost", "5", "Session cost limit reached: $5.02 of $5.00"),
            ("--max-budget-usd", "0.5", "Session cost limit reached: $5.02 of $0.50"),
            ("--max-minutes", "0.001", "Turn time limit reached"),
        ],
    )
    def test_at_a_limit_of_the_user_the_turn_is_cancelled(
        self, tmp_path: Path, option: str, value: str, told: str
    ) -> None:
        body = """
            cost = {"amount": 5.02, "currency": "USD"}
            agent.update({"sessionUpdate": "usage_update", "used": 1, "size": 100, "cost": cost})
            agent.expect("session/cancel")
            agent.say("as far as it went")
            agent.end_turn(prompt, "cancelled")
        """
        ended = run_script(script(tmp_path, body), option, value)
        assert ended.code == 4
        assert ended.out == "as far as it went\n"
        assert told in ended.err

    def test_a_cost_that_comes_with_the_end_of_the_turn_counts(self, tmp_path: Path) -> None:
        body = """
            agent.say("all of it")
            cost = {"amount": 5.02, "currency": "USD"}
            agent.update({"sessionUpdate": "usage_update", "used": 1, "size": 100, "cost": cost})
        """
        ended = run_script(script(tmp_path, body, END), "--max-cost", "5")
        assert (ended.code, ended.out) == (4, "all of it\n")
        assert "Session cost limit reached: $5.02 of $5.00" in ended.err

    def test_a_limit_that_is_not_reached_changes_nothing(self, tmp_path: Path) -> None:
        ended = run_script(script(tmp_path, 'agent.say("done")', END), "--max-cost", "5", "--max-minutes", "9")
        assert (ended.code, ended.out) == (0, "done\n")
        assert "The cost limit has no effect" in ended.err

    @pytest.mark.parametrize(
        ("head", "told"),
        [
            ('agent.stderr("no key\\n"); agent.exit(3)\n', "no key"),
            ('agent.initialize({"protocolVersion": 99})', "version 99"),
            ('agent.fail(agent.expect("initialize"), -32603, "not today")', "not today"),
            ('agent.initialize()\nagent.fail(agent.expect("session/new"), -32000, "sesame?")', "sesame?"),
        ],
    )
    def test_an_agent_that_does_not_start_is_told_once(self, tmp_path: Path, head: str, told: str) -> None:
        ended = run_script(script(tmp_path, "", head=head))
        assert ended.code == 1
        assert ended.out == ""
        assert ended.err.count(told) == 1
        assert "Traceback" not in ended.err

    def test_an_agent_that_is_not_there(self, tmp_path: Path) -> None:
        ended = run("run", "hi", "--", "no-such-agent", cwd=tmp_path)
        assert ended.code == 1
        assert "no-such-agent" in ended.err
        assert "Traceback" not in ended.err


class TestLeaving:
    def test_ctrl_c_cancels_the_turn(self, tmp_path: Path) -> None:
        body = 'agent.say("begun\\n")\nagent.expect("session/cancel")\nagent.end_turn(prompt, "cancelled")'
        agent = script(tmp_path, body)
        running = Run(["run", "do it", "--", *agent.argv], tmp_path)
        assert running.line() == "begun\n"
        running.signal(signal.SIGINT)
        ended = running.end()
        assert ended.code == 130
        assert "Traceback" not in ended.err

    def test_ctrl_c_again_does_not_wait(self, tmp_path: Path) -> None:
        body = 'agent.say("begun\\n")\nagent.expect("session/cancel")\nagent.say("heard\\n")'
        running = Run(["run", "do it", "--", *script(tmp_path, body).argv], tmp_path)
        assert running.line() == "begun\n"
        running.signal(signal.SIGINT)
        assert running.line() == "heard\n"
        running.signal(signal.SIGINT)
        assert running.end().code == 130

    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
    def test_signals_leave_no_process(self, tmp_path: Path, number: int) -> None:
        body = """
            import subprocess
            apart = subprocess.Popen(["setsid", "sleep", "600"]).pid
            command = "echo $$; exec sleep 600"
            made = agent.request("terminal/create", {"sessionId": session, "command": command})
            output = ""
            while not output:
                output = agent.request("terminal/output", {"sessionId": session, **made})["output"]
            agent.say(f"{os.getpid()} {apart} {output}")
        """
        running = Run(["run", "do it", "--", *script(tmp_path, body).argv], tmp_path)
        pids = [int(pid) for pid in running.line().split()]
        assert len(pids) == 3
        assert all(map(alive, pids))
        running.signal(number)
        ended = running.end()
        assert ended.code == 128 + number
        assert "Traceback" not in ended.err
        assert not any(map(alive, pids))

    @pytest.mark.skipif(sys.platform != "linux", reason="nothing tells of a daemon")
    def test_a_daemon_goes_on_and_is_named(self, tmp_path: Path) -> None:
        body = """
            import signal, subprocess
            client = os.getppid()
            os.kill(client, signal.SIGSTOP)  # else it may look while the daemon still has its parent, and then ends it
            while ") T " not in open(f"/proc/{client}/stat").read():
                pass
            line = "setsid sleep 600 >/dev/null 2>&1 & echo $!"
            daemon = int(subprocess.check_output(["sh", "-c", line]))
            while not open(f"/proc/{daemon}/cmdline").read().startswith("sleep"):
                pass
            os.kill(client, signal.SIGCONT)
            agent.say(str(daemon))
            agent.end_turn(prompt)
        """
        ended = Run(["run", "do it", "--", *script(tmp_path, body).argv], tmp_path).end()
        daemon = int(ended.out)
        try:
            assert alive(daemon)
            assert ended.err.endswith(
                f"Still running in the background, started by an agent or a command:\n  {daemon}  sleep 600\n"
            )
        finally:
            os.kill(daemon, signal.SIGKILL)

    def test_at_its_end_nothing_is_searched_for_garbage(self, tmp_path: Path) -> None:
        """Which took seconds after a long session."""
        code = (
            "import atexit, gc, sys\n"
            "freeze, times, left = gc.freeze, [], []\n"
            "gc.freeze = lambda: (freeze(), times.append(bool(left)))\n"
            "atexit.register(lambda: print(times[-1], file=sys.stderr))\n"  # after all others
            "from acp_tui.cli import main\n"
            "code = main()\n"
            "left.append(True)\n"
            "sys.exit(code)"
        )
        argv = [sys.executable, "-c", code, "run", "do it", "--", *script(tmp_path, END).argv]
        ended = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=BOUND)
        assert ended.stderr.endswith("True\n")

    def test_when_nobody_reads_any_more_the_agent_is_told(self, tmp_path: Path) -> None:
        body = """
            agent.say("begun\\n")
            while not os.path.exists("closed"):
                pass
            agent.say("into the void")
            agent.expect("session/cancel")
            agent.end_turn(prompt, "cancelled")
        """
        running = Run(["run", "do it", "--", *script(tmp_path, body).argv], tmp_path)
        assert running.line() == "begun\n"
        assert running.process.stdout is not None
        running.process.stdout.close()
        (tmp_path / "closed").touch()
        assert running.process.wait(BOUND) == 130
        assert running.process.stderr is not None
        assert b"Error" not in running.process.stderr.read()
        running.process.stderr.close()

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
    def test_an_answer_that_cannot_be_written_is_a_failure(self, tmp_path: Path) -> None:
        agent = script(tmp_path, 'agent.say("an answer")', END)
        with Path("/dev/full").open("wb") as full:
            ended = Run(["run", "do it", "--", *agent.argv], tmp_path, stdout=full.fileno()).end()
        assert "[error: The answer could not be written: No space left on device]" in ended.err.splitlines()
        assert ended.code == 1

    @pytest.mark.skipif(sys.platform == "win32", reason="descriptors of POSIX")
    @pytest.mark.parametrize(("closed", "told"), [(">&-", True), (">&- 2>&-", False), ("<&- >&-", True)])
    def test_neither_is_one_for_which_there_is_no_standard_output(
        self, tmp_path: Path, closed: str, told: bool
    ) -> None:
        agent = script(tmp_path, 'agent.say("an answer")', END)
        shell = ["/bin/sh", "-c", f'"$0" -m acp_tui run "do it" -- "$@" {closed}', sys.executable, *agent.argv]
        ended = subprocess.run(shell, cwd=tmp_path, capture_output=True, check=False, timeout=BOUND, text=True)
        assert ended.returncode == 1
        assert ("[error: The answer could not be written: stdout is closed]" in ended.stderr) is told

    def test_a_reader_that_does_not_read_holds_nothing_up(self, tmp_path: Path) -> None:
        body = """
            agent.say("x" * 1000000)
            agent.permission({"toolCallId": "t", "title": "Write"})
            answer = agent.expect("session/cancel")
            open("cancelled", "w").close()
            agent.end_turn(prompt, "cancelled")
        """
        agent = script(tmp_path, body)
        running = Run(["run", "do it", "--", *agent.argv], tmp_path)
        while not any("result" in message for message in agent.received()):  # the permission was answered
            assert running.process.poll() is None
        running.signal(signal.SIGINT)
        while not (tmp_path / "cancelled").exists():
            assert running.process.poll() is None
        running.signal(signal.SIGINT)
        ended = running.end()
        assert ended.code == 130
        assert "Traceback" not in ended.err


def test_no_screen_is_loaded(tmp_path: Path) -> None:
    agent = script(tmp_path, 'agent.say("hi")', END)
    program = (
        "import sys; from acp_tui.cli import main; code = main(); "
        "print([name for name in sys.modules if name.split('.')[0] in ('textual', 'rich')]); sys.exit(code)"
    )
    command = [sys.executable, "-c", program, "run", "do it", "--", *agent.argv]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=BOUND, check=True)
    assert ended.stdout == "hi\n[]\n"


def test_the_built_in_agent_answers_and_its_project_goes(tmp_path: Path) -> None:
    running = Run(["run", "--demo", "--format", "json", "hello"], tmp_path)
    first = json.loads(running.line())
    folder = Path(first["cwd"])
    ended = running.end()
    assert ended.code == 0
    assert '"role": "agent"' in ended.out
    assert not folder.exists()


class TestSessionsThatTheAgentKnows:
    BODY = """
    able = {"loadSession": True, "sessionCapabilities": {"list": {}, "additionalDirectories": {}}}
    agent.initialize({"protocolVersion": 1, "agentCapabilities": able})
    if OPTION == "--continue":
        entry = {"sessionId": "kept", "cwd": os.getcwd()}
        agent.answer(agent.expect("session/list"), {"sessions": [entry]})
    request = agent.expect("session/load")
    agent.session_id = request["params"]["sessionId"]
    agent.say("what was said before")
    agent.answer(request, {})
    agent.turn("what is said now")
    agent.serve()
    """

    @pytest.mark.parametrize("option", ["--continue", "--resume"])
    @pytest.mark.parametrize("form", ["text", "json"])
    def test_only_what_is_new_is_told(self, tmp_path: Path, option: str, form: str) -> None:
        script = write_script(tmp_path, self.BODY.replace("OPTION", repr(option)))
        given = [option] if option == "--continue" else [option, "kept"]
        ended = run_script(script, "--format", form, *given)
        assert ended.code == 0
        assert "what is said now" in ended.out
        assert "before" not in ended.out
        assert script.received("session/load")[0]["params"]["sessionId"] == "kept"

    def test_without_one_a_new_one_begins_and_that_is_told(self, tmp_path: Path) -> None:
        script = write_script(tmp_path, HEAD + "    agent.say('new here'); agent.end_turn(prompt); agent.serve()\n")
        ended = run_script(script, "--continue")
        assert (ended.code, ended.out) == (0, "new here\n")
        assert "so a new one was started" in ended.err

    def test_one_that_is_not_known_is_a_failure(self, tmp_path: Path) -> None:
        body = self.BODY.replace("OPTION", "''").replace("agent.answer(request, {})", "agent.fail(request, -32002)")
        ended = run_script(write_script(tmp_path, body), "--resume", "lost")
        assert ended.code == 1
        assert "-32002" in ended.err

    def test_folders_and_tool_servers_are_given(self, tmp_path: Path) -> None:
        (tmp_path / "more").mkdir()
        (tmp_path / "mcp.json").write_text('{"mcpServers": {"files": {"command": "files"}}}')
        body = self.BODY.replace("OPTION", "''").replace("session/load", "session/new")
        body = body.replace('request["params"]["sessionId"]', '"s"').replace(
            "(request, {})", '(request, {"sessionId": "s"})'
        )
        script = write_script(tmp_path, body)
        ended = run_script(script, "--add-dir", "more", "--mcp", "mcp.json")
        assert ended.code == 0
        params = script.received("session/new")[0]["params"]
        assert params["additionalDirectories"] == [str(tmp_path / "more")]
        assert [server["name"] for server in params["mcpServers"]] == ["files"]

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (("--add-dir", "nowhere"), "No such folder"),
            (("--mcp", "none.json"), "none.json"),
            (("--continue", "--resume", "x"), "cannot be combined with"),
        ],
    )
    def test_what_cannot_be_used_is_told_with_its_place(
        self, tmp_path: Path, options: tuple[str, ...], told: str
    ) -> None:
        ended = run("run", *options, "hello", "--", "agent", cwd=tmp_path)
        assert ended.code == 2
        assert told in ended.err


def test_an_agent_that_answers_nothing_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    heard, gate = anyio.Event(), Gate(tmp_path / "gate")
    watch, feed, waits = Lifecycle.watch, StderrRing.feed, TextReport.waits

    async def watch_once_heard(life: Lifecycle) -> None:
        await heard.wait()
        await watch(life)

    def feed_and_tell(ring: StderrRing, data: bytes) -> None:
        feed(ring, data)
        heard.set()

    def wait_and_let_go(report: TextReport, step: str, last_words: Sequence[str]) -> None:
        waits(report, step, last_words)
        gate.open()

    monkeypatch.setattr("acp_tui.host.connection.lifecycle.PATIENCE", 0.1)
    monkeypatch.setattr(Lifecycle, "watch", watch_once_heard)
    monkeypatch.setattr(StderrRing, "feed", feed_and_tell)
    monkeypatch.setattr(TextReport, "waits", wait_and_let_go)
    waiting = f"agent.stderr('loading\\n'); agent.wait_for({str(gate.path)!r}); signal.raise_signal(signal.SIGALRM)"
    script = write_script(tmp_path, waiting)
    assert main(["run", "hi", "--", *script.argv]) == 1
    gate.close()
    told = capfd.readouterr().err
    assert "[no reply from the agent yet: connecting to the agent]" in told
    assert "[  stderr: loading]" in told
    assert "SIGALRM" in told


def test_what_an_error_says_beside_its_message_is_told(tmp_path: Path) -> None:
    failing = (
        "agent.initialize(); agent.fail(agent.expect('session/new'), -32603, 'Internal error', {'details': 'no key'})"
    )
    ended = run_script(write_script(tmp_path, f"{failing}; agent.serve()"))
    assert ended.code == 1
    assert "details: no key" in ended.err
    assert "Try the command in your shell" in ended.err


class TestSubagents:
    BODY = """
        running, idle = {"state": "running"}, {"state": "idle", "stopReason": "end_turn"}
        for name in ("a", "b"):
            child = {"sessionId": name, "title": name.upper(), "state": running}
            agent.update({"sessionUpdate": "subagent_update", **child})
        text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "of the child"}}
        agent.notify("session/update", {"sessionId": "a", "update": text})
        options = [{"optionId": "no", "name": "No", "kind": "reject_once"}]
        asked = {"sessionId": "a", "toolCall": {"toolCallId": "t", "title": "Edit x"}, "options": options}
        agent.answer_to(agent.ask("session/request_permission", asked))
        agent.update({"sessionUpdate": "subagent_update", "sessionId": "a", "state": idle})
        agent.say("done")
    """

    def test_people_see_what_they_are_at_and_who_still_works(self, tmp_path: Path) -> None:
        ended = run_script(script(tmp_path, self.BODY, END))
        assert (ended.code, ended.out) == (0, "done\n")
        assert ended.err.splitlines()[1:] == [
            "[subagent A: started]",
            "[subagent B: started]",
            "[permission: subagent A: Edit x: rejected: --permission allow-once allows it]",
            "[subagent A: done]",
            "[1 subagent was still working when the turn ended: B]",
        ]

    def test_programs_see_all_that_happens_in_them(self, tmp_path: Path) -> None:
        ended = run_script(script(tmp_path, self.BODY, END), "--format", "json")
        lines = [json.loads(line) for line in ended.out.splitlines()]
        chunks = [line for line in lines if line["type"] == "message_chunk" and line["role"] == "agent"]
        assert [(line.get("session_id"), line["content"]["text"]) for line in chunks] == [
            ("a", "of the child"),
            (None, "done"),
        ]
        [left] = [line["subagents"] for line in lines if line["type"] == "left_working"]
        assert left == [{"id": "b", "title": "B"}]


class TestUnreadable:
    @pytest.mark.parametrize(
        "ending",
        [
            "agent.answer(prompt, 5)",
            "agent.send({'jsonrpc': '2.0', 'id': prompt['id']})",
            'agent.raw(b\'{"jsonrpc":"2.0","id":%d,"result":{"stopReason"\\n\' % prompt[\'id\'])',
        ],
    )
    def test_an_answer_that_cannot_be_read_ends_a_run(self, tmp_path: Path, ending: str) -> None:
        ended = run_script(script(tmp_path, ending))
        assert ended.code == 1
        assert "[error: The agent failed]" in ended.err

    def test_an_answer_behind_a_log_is_the_answer(self, tmp_path: Path) -> None:
        answer = '{"jsonrpc": "2.0", "id": %d, "result": {"stopReason": "max_tokens"}}'
        ended = run_script(script(tmp_path, f"agent.raw(b'npm notice {answer}\\n' % prompt['id'])"))
        assert ended.code == 3
