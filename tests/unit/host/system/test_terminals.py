"""Terminals run real commands here; every wait is for something that they do, and bounded."""

import os
import shlex
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from acp_tui.host.system import terminals
from acp_tui.host.system.sandbox_paths import RequestFault
from acp_tui.host.system.terminals import Terminals
from acp_tui.protocol.vocabulary.session_updates import Update
from acp_tui.protocol.vocabulary.tool_calls import (
    CreateTerminalRequest,
    EnvVariable,
    TerminalOutputChunk,
    TerminalRequest,
    TerminalUpdate,
)
from tests.processes import alive

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands of a POSIX shell")


async def until(happened: Callable[[], bool]) -> None:
    """Look again and again: a process tells nobody."""
    while True:
        if happened():
            return
        await anyio.sleep(0.005)


class Desk:
    """Terminals with their display, for one session."""

    def __init__(self, root: Path) -> None:
        self.shown: list[Update] = []
        self.terminals = Terminals([root], self._apply)

    def _apply(self, session_id: str, update: Update) -> None:
        assert session_id == "s"
        self.shown.append(update)

    async def create(self, command: str, *args: str, **more: Any) -> TerminalRequest:
        request = CreateTerminalRequest(session_id="s", command=command, args=list(args), **more)
        return TerminalRequest(session_id="s", terminal_id=await self.terminals.create(request))

    async def shell(self, line: str, **more: Any) -> TerminalRequest:
        return await self.create("/bin/sh", "-c", line, **more)

    async def run(self, line: str, **more: Any) -> tuple[str, dict[str, Any]]:
        terminal = await self.shell(line, **more)
        status = await self.terminals.wait_for_exit(terminal)
        return self.terminals.output(terminal)["output"], status

    async def until(self, terminal: TerminalRequest, text: str) -> None:
        await until(lambda: text in self.terminals.output(terminal)["output"])

    @property
    def raw(self) -> bytes:
        return b"".join(update.data for update in self.shown if isinstance(update, TerminalOutputChunk))

    @property
    def told(self) -> list[TerminalUpdate]:
        return [update for update in self.shown if isinstance(update, TerminalUpdate)]


@asynccontextmanager
async def open_desk(root: Path) -> AsyncIterator[Desk]:
    desk = Desk(root)
    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(desk.terminals.run)
            yield desk
            tasks.cancel_scope.cancel()


def on_desk(root: Path, act: Callable[[Desk], Awaitable[None]]) -> None:
    async def main() -> None:
        async with open_desk(root) as desk:
            await act(desk)

    anyio.run(main)


async def dead(pid: int) -> None:
    await until(lambda: not alive(pid))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


class TestOutput:
    def test_both_outputs_in_order_and_the_exit_code(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.shell("echo one; echo two >&2; echo three; exit 3")
            assert await desk.terminals.wait_for_exit(terminal) == {"exitCode": 3, "signal": None}
            assert desk.terminals.output(terminal) == {
                "output": "one\ntwo\nthree\n",
                "truncated": False,
                "exitStatus": {"exitCode": 3, "signal": None},
            }

        on_desk(root, act)

    def test_a_running_command_has_no_exit_status(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.shell("echo here; exec sleep 60")
            await desk.until(terminal, "here")
            assert "exitStatus" not in desk.terminals.output(terminal)

        on_desk(root, act)

    def test_it_is_a_terminal_of_a_size_without_crlf(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            probe = "import os; print([os.isatty(f) for f in (0, 1, 2)], tuple(os.get_terminal_size(1)))"
            terminal = await desk.create(sys.executable, "-c", probe)
            await desk.terminals.wait_for_exit(terminal)
            size = (terminals.COLUMNS, terminals.ROWS)
            assert desk.terminals.output(terminal)["output"] == f"[False, True, True] {size}\n"
            assert b"\r" not in desk.raw

        on_desk(root, act)

    def test_the_agent_gets_text_and_the_display_gets_colours(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            text, _ = await desk.run(r"printf '\033[31mred\033[0m\n\342\234\223\377'")
            assert text == "red\n✓\ufffd"
            assert desk.raw == b"\x1b[31mred\x1b[0m\n\xe2\x9c\x93\xff"

        on_desk(root, act)

    def test_a_limit_keeps_the_end(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.shell("printf 'begin é end'", output_byte_limit=5)
            await desk.terminals.wait_for_exit(terminal)
            answer = desk.terminals.output(terminal)
            assert (answer["output"], answer["truncated"]) == (" end", True)

        on_desk(root, act)

    def test_a_flood_is_drained_while_others_run(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            turns = 0
            terminal = await desk.shell("head -c 5000000 /dev/zero | tr '\\0' 'x'; echo; echo end", output_byte_limit=9)
            while "exitStatus" not in desk.terminals.output(terminal):
                turns += 1
                await anyio.lowlevel.checkpoint()
            assert desk.terminals.output(terminal)["output"] == "xxxx\nend\n"
            assert len(desk.raw) == 5_000_005
            assert turns > 70  # some 64 KiB at a time, never all at once

        on_desk(root, act)

    def test_nothing_waits_for_input(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            assert await desk.run("cat; read line; echo got $?") == ("got 1\n", {"exitCode": 0, "signal": None})

        on_desk(root, act)


class TestCommand:
    def test_arguments_are_honoured_as_they_are(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.create("printf", "<%s>", "a b", "$HOME", "*", "")
            await desk.terminals.wait_for_exit(terminal)
            assert desk.terminals.output(terminal)["output"] == "<a b><$HOME><*><>"
            assert desk.told[0].command == "printf '<%s>' 'a b' '$HOME' '*' ''"

        on_desk(root, act)

    def test_a_whole_command_line_gets_a_shell(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.create("echo a b | tr a-z A-Z && echo $((1+1))")
            await desk.terminals.wait_for_exit(terminal)
            assert desk.terminals.output(terminal)["output"] == "A B\n2\n"
            assert desk.told[0].command == "echo a b | tr a-z A-Z && echo $((1+1))"

        on_desk(root, act)

    def test_a_program_with_a_space_in_its_name_needs_no_shell(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            (root / "my tool").write_text("#!/bin/sh\necho mine\n")
            (root / "my tool").chmod(0o755)
            for command in (str(root / "my tool"), "./my tool"):
                terminal = await desk.create(command)
                await desk.terminals.wait_for_exit(terminal)
                assert desk.terminals.output(terminal)["output"] == "mine\n"

        on_desk(root, act)

    @pytest.mark.parametrize(
        "command", [("no-such-command",), ("no-such-command", "arg"), ("echo a", "arg"), ("",), ("a\0b",)]
    )
    def test_what_is_not_there_is_told(self, root: Path, command: tuple[str, ...]) -> None:
        async def act(desk: Desk) -> None:
            with pytest.raises(RequestFault) as caught:
                await desk.create(*command)
            assert caught.value.code == -32602
            assert "command not found" in caught.value.message
            assert desk.shown == []

        on_desk(root, act)

    def test_what_cannot_be_executed_is_told(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            (root / "tool").write_bytes(b"\0\0\0")
            (root / "tool").chmod(0o755)
            with pytest.raises(RequestFault, match="Exec format error"):
                await desk.create("./tool")

        on_desk(root, act)

    @pytest.mark.parametrize("more", [{"env": [EnvVariable(name="A=B", value="x")]}, {"args": ["a\0b"]}])
    def test_what_no_process_can_be_given_is_told(self, root: Path, more: dict[str, Any]) -> None:
        async def act(desk: Desk) -> None:
            with pytest.raises(RequestFault) as caught:
                await desk.terminals.create(CreateTerminalRequest(session_id="s", command="echo", **more))
            assert caught.value.code == -32602

        on_desk(root, act)

    def test_the_environment_suits_a_screen_without_keys(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            line = 'echo "$TERM $PAGER $GIT_PAGER"'
            assert (await desk.run(line))[0] == "xterm-256color cat cat\n"
            given = [EnvVariable(name="PAGER", value="less"), EnvVariable(name="TERM", value="dumb")]
            assert (await desk.run(line, env=given))[0] == "dumb less cat\n"

        on_desk(root, act)

    def test_programs_are_sought_where_the_agent_says(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            (root / "bin").mkdir()
            (root / "bin" / "tool").write_text("#!/bin/sh\necho found\n")
            (root / "bin" / "tool").chmod(0o755)
            terminal = await desk.create("tool", env=[EnvVariable(name="PATH", value=f"{root}/bin")])
            await desk.terminals.wait_for_exit(terminal)
            assert desk.terminals.output(terminal)["output"] == "found\n"

        on_desk(root, act)


class TestFolder:
    def test_the_session_s_own_or_the_one_that_was_asked_for(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            (root / "inner").mkdir()
            assert (await desk.run("pwd"))[0] == f"{root}\n"
            assert (await desk.run("pwd", cwd=str(root / "inner")))[0] == f"{root}/inner\n"
            assert [update.cwd for update in desk.told if update.cwd] == [str(root), str(root / "inner")]

        on_desk(root, act)

    @pytest.mark.parametrize(
        ("cwd", "problem"),
        [("inner", "absolute"), ("/", "outside"), ("{}/none", "does not exist"), ("{}/file", "not a folder")],
    )
    def test_other_folders_are_refused(self, root: Path, cwd: str, problem: str) -> None:
        async def act(desk: Desk) -> None:
            (root / "file").touch()
            with pytest.raises(RequestFault, match=problem):
                await desk.shell("pwd", cwd=cwd.format(root))

        on_desk(root, act)

    def test_a_folder_that_does_not_answer_is_not_waited_for(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        answers = threading.Event()
        monkeypatch.setattr(terminals, "read_command", lambda *_: answers.wait(60))
        monkeypatch.setattr(terminals, "WITHIN", 0.1)

        async def act(desk: Desk) -> None:
            with pytest.raises(RequestFault, match="did not respond"):
                await desk.shell("pwd", cwd=str(root))

        on_desk(root, act)
        answers.set()


class TestEnding:
    def test_death_by_a_signal_has_a_name_and_no_code(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            assert (await desk.run("kill -9 $$"))[1] == {"exitCode": None, "signal": "SIGKILL"}

        on_desk(root, act)

    def test_an_unnamed_signal_has_its_number(self) -> None:
        assert terminals.exit_status(-77).signal == "SIG77"

    def test_the_exit_is_told_though_a_grandchild_holds_the_terminal(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.shell("sleep 60 & echo $!; exit 4")
            assert await desk.terminals.wait_for_exit(terminal) == {"exitCode": 4, "signal": None}
            grandchild = int(desk.terminals.output(terminal)["output"])
            assert alive(grandchild)
            await desk.terminals.release(terminal)
            await dead(grandchild)

        on_desk(root, act)

    def test_all_output_is_there_with_the_exit_though_we_were_kept_from_reading(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def act(desk: Desk) -> None:
            monkeypatch.setattr(terminals, "DRAIN", 0)
            monkeypatch.setattr(terminals.TerminalProcess, "_pump", lambda _: anyio.sleep_forever())
            assert await desk.run("echo one; echo two") == ("one\ntwo\n", {"exitCode": 0, "signal": None})

        on_desk(root, act)

    def test_output_of_a_grandchild_still_comes_after_the_exit(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            line = f"(while [ ! -e {shlex.quote(str(root / 'go'))} ]; do sleep 0.01; done; echo late) & exit 0"
            terminal = await desk.shell(line)
            await desk.terminals.wait_for_exit(terminal)
            (root / "go").touch()
            await desk.until(terminal, "late")

        on_desk(root, act)

    def test_kill_keeps_the_terminal(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.shell("echo here; exec sleep 60")
            await desk.until(terminal, "here")
            await desk.terminals.kill(terminal)
            expected = {"output": "here\n", "truncated": False, "exitStatus": {"exitCode": None, "signal": "SIGTERM"}}
            assert desk.terminals.output(terminal) == expected
            assert await desk.terminals.wait_for_exit(terminal) == {"exitCode": None, "signal": "SIGTERM"}
            await desk.terminals.kill(terminal)  # again: nothing to do

        on_desk(root, act)

    def test_kill_ends_what_does_not_want_to(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        async def act(desk: Desk) -> None:
            monkeypatch.setattr(terminals, "KILL_GRACE", 0.1)
            terminal = await desk.shell("trap '' TERM; sleep 60 & echo $! ready; wait; wait")
            await desk.until(terminal, "ready")
            child = int(desk.terminals.output(terminal)["output"].split()[0])
            await desk.terminals.kill(terminal)
            assert await desk.terminals.wait_for_exit(terminal) == {"exitCode": None, "signal": "SIGKILL"}
            await dead(child)

        on_desk(root, act)

    def test_release_ends_the_command_and_the_id_but_not_the_display(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.shell("echo $$; exec sleep 60")
            await desk.until(terminal, "\n")
            pid = int(desk.terminals.output(terminal)["output"])
            await desk.terminals.release(terminal)
            assert not alive(pid)
            for act_again in (desk.terminals.wait_for_exit, desk.terminals.kill, desk.terminals.release):
                with pytest.raises(RequestFault) as caught:
                    await act_again(terminal)
                assert caught.value.code == -32002
            last, released = desk.told[-2:]
            assert last.exit_status is not None
            assert last.exit_status.signal == "SIGTERM"
            assert released.released
            assert not released.has("output")

        on_desk(root, act)

    @pytest.mark.parametrize("end", ["kill", "release", "close_all", "nothing"])
    @pytest.mark.parametrize("line", ["{} & echo $! ready; wait", "{} & echo $! ready; read -r _ <go"])
    def test_a_descendant_with_a_session_of_its_own_ends_too(self, line: str, end: str, root: Path) -> None:
        """One command runs on, the other ends by itself before."""
        descendants: list[int] = []
        os.mkfifo(root / "go")

        async def act(desk: Desk) -> None:
            terminal = await desk.shell(line.format("setsid sleep 60"))
            await desk.until(terminal, "ready")
            descendants.append(int(desk.terminals.output(terminal)["output"].split()[0]))
            await until(lambda: os.getsid(descendants[0]) == descendants[0])
            if line.endswith("go"):
                tree = desk.terminals._find(terminal).process._tree
                await until(lambda: descendants[0] in tree._seen)
                await anyio.Path(root / "go").write_text("\n")
                await desk.terminals.wait_for_exit(terminal)
            assert alive(descendants[0])
            if end == "close_all":
                await desk.terminals.close_all()
            elif end != "nothing":
                await getattr(desk.terminals, end)(terminal)
                assert not alive(descendants[0])

        on_desk(root, act)
        assert not alive(descendants[0])

    def test_who_waits_is_answered_when_another_releases(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            answers: list[dict[str, Any]] = []

            async def wait() -> None:
                answers.append(await desk.terminals.wait_for_exit(terminal))

            terminal = await desk.shell("exec sleep 60")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait)
                await anyio.wait_all_tasks_blocked()
                await desk.terminals.release(terminal)
            assert answers == [{"exitCode": None, "signal": "SIGTERM"}]

        on_desk(root, act)

    def test_no_command_is_left_when_all_ends(self, root: Path) -> None:
        pids: list[int] = []

        async def act(desk: Desk) -> None:
            for _ in range(3):
                terminal = await desk.shell("sleep 60 & echo $! $$; wait")
                await desk.until(terminal, "\n")
                pids.extend(map(int, desk.terminals.output(terminal)["output"].split()))

        on_desk(root, act)
        assert len(pids) == 6
        assert not any(map(alive, pids))

    def test_after_closing_nothing_begins(self, root: Path) -> None:
        async def act(desk: Desk) -> None:
            terminal = await desk.shell("exec sleep 60")
            await desk.terminals.close_all()
            with pytest.raises(RequestFault, match="closing"):
                await desk.shell("sleep 60")
            with pytest.raises(RequestFault):
                desk.terminals.output(terminal)

        on_desk(root, act)


def test_a_terminal_of_another_session_is_unknown(tmp_path: Path) -> None:
    async def act(desk: Desk) -> None:
        terminal = await desk.shell("true")
        with pytest.raises(RequestFault) as caught:
            desk.terminals.output(TerminalRequest(session_id="other", terminal_id=terminal.terminal_id))
        assert caught.value.code == -32002

    on_desk(tmp_path, act)


def test_terminals_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminals, "MAX_TERMINALS", 2)

    async def act(desk: Desk) -> None:
        first = await desk.shell("true")
        await desk.shell("true")
        with pytest.raises(RequestFault, match="release"):
            await desk.shell("true")
        await desk.terminals.release(first)
        await desk.shell("true")

    on_desk(tmp_path, act)


def test_a_signal_to_us_does_not_reach_the_command(tmp_path: Path) -> None:
    async def act(desk: Desk) -> None:
        terminal = await desk.shell("echo $(ps -o pgid= -p $$) $$")
        await desk.terminals.wait_for_exit(terminal)
        group, pid = map(int, desk.terminals.output(terminal)["output"].split())
        assert group == pid != os.getpgid(0)

    on_desk(tmp_path, act)
