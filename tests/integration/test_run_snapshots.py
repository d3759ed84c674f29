"""Snapshots of `acp-tui run`: where it takes them, what its end waits for, and the patch of its turn."""

import asyncio
import os
import pty
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_tui import cli
from acp_tui.console import Output
from acp_tui.errors import UserFault
from acp_tui.headless.run import Run, RunOrder
from acp_tui.headless.run_snapshots import SnapshotOrder
from acp_tui.host.agent.agent_services import PARTING, ClientChanges
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.session_folders import SessionFolders, Taken
from acp_tui.host.config.preferences import SnapshotSettings
from acp_tui.host.snapshots import folder_store
from acp_tui.host.system.threads import in_thread
from tests.agents.scripted import Script, write_script
from tests.integration import runs
from tests.integration.runs import BOUND, HEAD, Ended
from tests.integration.test_changes_on_the_command_line import applied, tree
from tests.own_config import write_own_config
from tests.turns import SERVE

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no snapshots on Windows yet")

WORKS = """
here = agent.folder
with open(f"{here}/a.txt", "w") as file:
    file.write("two\\n")
with open(f"{here}/new.txt", "w") as file:
    file.write("n\\n")
agent.say("Hello")
"""
END = "agent.end_turn(prompt)\nagent.serve()\n"
DIES = "agent.exit(1)\n"
WAITS = 'agent.expect("session/cancel")\nagent.answer(prompt, {"stopReason": "cancelled"})\nagent.serve()\n'
STUCK = 'agent.expect("session/cancel")\nopen(f"{here}/more.txt", "w").close()\nagent.serve()\n'
LOOKS_FIRST = (
    "-c",
    (
        f"import sys; sys.path.append({str(Path(__file__).parents[2])!r}); from tests.at_work import look_first; "
        "from acp_tui.host.agent.agent_services import ClientChanges; ClientChanges.serve = look_first(); "
        "from acp_tui.startup import main; sys.exit(main())"
    ),
)
"""The program, whose agent starts once the folder is kept, as in `looked_first`."""


@pytest.fixture(autouse=True)
def no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    shutil.copytree(folder, tmp_path / "before")
    return folder


def agent(tmp_path: Path, tail: str = END, work: str = WORKS) -> Script:
    return write_script(tmp_path, "\n".join(line.strip() for line in HEAD.splitlines()) + f"\n{work}{tail}")


def started(script: Script, project: Path, *options: str, stderr: int | None = None) -> runs.Run:
    return runs.Run(["run", *options, "do it", "--", *script.argv], project, stderr=stderr, program=LOOKS_FIRST)


def run(script: Script, project: Path, *options: str) -> Ended:
    return started(script, project, *options).end()


def run_at_terminal(script: Script, project: Path, *options: str) -> Ended:
    """The same, with a terminal for standard error."""
    ours, theirs = pty.openpty()
    running = started(script, project, *options, stderr=theirs)
    os.close(theirs)
    ended, told = running.end(), b""
    with suppress(OSError):  # EIO: nobody writes any more
        while data := os.read(ours, 1000):
            told += data
    os.close(ours)
    return Ended(ended.code, ended.out, told.decode())


@pytest.mark.parametrize(
    ("options", "terminal", "ci", "taken"),
    [
        ((), True, "", True),
        ((), True, "1", False),
        ((), False, "", False),
        (("--snapshots",), False, "1", True),
        (("--no-snapshots",), True, "", False),
        (("--no-record",), True, "", False),
    ],
    ids=["terminal", "CI", "pipe", "asked for", "not wanted", "no record"],
)
def test_where_they_are_taken(
    tmp_path: Path,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
    options: tuple[str, ...],
    terminal: bool,
    ci: str,
    taken: bool,
) -> None:
    monkeypatch.setenv("CI", ci)
    ended = (run_at_terminal if terminal else run)(agent(tmp_path), project, *options)
    assert (ended.code, ended.out) == (0, "Hello\n")
    assert ("2 files changed" in ended.err) is taken
    assert bool(folder_store.stores()) is taken
    if taken:
        assert cli.main(["changes", "-C", str(project), "--turn", "1"]) == 0
        assert applied(tmp_path / "before", capfdbinary.readouterr().out) == tree(project)


def test_who_has_switched_them_off_gets_none_without_asking(tmp_path: Path, project: Path) -> None:
    write_own_config("snapshots = false\n")
    assert "changed" not in run_at_terminal(agent(tmp_path), project).err
    (project / "new.txt").unlink()
    assert "1 file changed" in run(agent(tmp_path), project, "--snapshots").err


def test_where_none_can_be_taken_that_is_said(tmp_path: Path, own_home: Path) -> None:
    ended = run(agent(tmp_path), own_home, "--patch", str(tmp_path / "patch"))
    assert (ended.code, ended.out) == (0, "Hello\n")
    assert "is your home folder" in ended.err
    assert "[warning: The patch was not written]" in ended.err
    assert not (tmp_path / "patch").exists()


class TestPatch:
    @pytest.mark.parametrize(("tail", "code"), [(END, 0), (DIES, 1), (END.replace("prompt)", "prompt, 'refusal')"), 3)])
    def test_it_makes_of_the_folder_before_the_folder_after(
        self, tmp_path: Path, project: Path, capfdbinary: pytest.CaptureFixture[bytes], tail: str, code: int
    ) -> None:
        ended = run(agent(tmp_path, tail), project, "--patch", str(tmp_path / "patch"))
        assert ended.code == code, ended.err
        patch = (tmp_path / "patch").read_bytes()
        assert (tmp_path / "patch").stat().st_mode & 0o777 == 0o600
        assert cli.main(["changes", "-C", str(project), "--turn", "1"]) == 0
        assert capfdbinary.readouterr().out == patch
        assert applied(tmp_path / "before", patch) == tree(project)

    def test_of_a_turn_that_was_cancelled_too(self, tmp_path: Path, project: Path) -> None:
        running = started(agent(tmp_path, WAITS), project, "--patch", str(tmp_path / "patch"))
        assert running.process.stdout is not None
        assert running.process.stdout.read(5) == b"Hello"
        running.signal(signal.SIGINT)
        ended = running.end()
        assert ended.code == 130, ended.err
        assert applied(tmp_path / "before", (tmp_path / "patch").read_bytes()) == tree(project)

    def test_without_a_record_nothing_else_is_kept(self, tmp_path: Path, project: Path) -> None:
        assert run(agent(tmp_path), project, "--no-record", "--patch", str(tmp_path / "patch")).code == 0
        assert applied(tmp_path / "before", (tmp_path / "patch").read_bytes()) == tree(project)
        assert not folder_store.stores()
        assert not [*(folder_store.snapshots_folder() / folder_store.TEMPORARY).iterdir()]

    def test_where_nothing_changed_it_is_empty_and_that_is_said(self, tmp_path: Path, project: Path) -> None:
        ended = run(agent(tmp_path, work=""), project, "--patch", "-")
        assert (ended.code, (project / "-").read_bytes()) == (0, b"")
        assert "[info: No files changed: the patch is empty]" in ended.err

    def test_what_it_lacks_is_said(self, tmp_path: Path, project: Path) -> None:
        work = "import os\nos.mkdir(agent.folder + '/empty')\n"
        ended = run(agent(tmp_path, work=work), project, "--patch", str(tmp_path / "patch"))
        assert "Not in the patch: empty: new folder without files" in ended.err

    def test_a_file_that_is_there_is_left_alone_and_no_agent_starts(self, tmp_path: Path, project: Path) -> None:
        ended = run(agent(tmp_path), project, "--patch", "a.txt")
        assert (ended.code, (project / "a.txt").read_text()) == (2, "one\n")
        assert "The file already exists" in ended.err

    def test_one_that_the_agent_has_made_meanwhile_too(self, tmp_path: Path, project: Path) -> None:
        ended = run(agent(tmp_path), project, "--patch", "new.txt")
        assert (ended.code, (project / "new.txt").read_text()) == (0, "n\n")
        assert "The patch was not written" in ended.err
        assert "acp-tui changes --turn 1" in ended.err


class Waiting:
    """A run that waits for its snapshots; time passes when the test says so."""

    def __init__(self, order: RunOrder, folder: Path) -> None:
        self.code: int | None = None
        self.waits, self.expired, self._ended = anyio.Event(), anyio.Event(), anyio.Event()
        self.seconds = 0.0
        self._err = folder / "err"
        self._answer, self._out = os.pipe()
        self._order = order

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()

        def end() -> None:
            loop.call_soon_threadsafe(self._ended.set)

        with self._err.open("wb") as err:
            output = Output(self._out, err.fileno(), end)
            self.code = await Run(self._order, output, anyio.Event(), self.sleep).serve()
            output.close()
            await self._ended.wait()
        os.close(self._out)
        os.close(self._answer)

    async def sleep(self, seconds: float) -> None:
        self.seconds = seconds
        self.waits.set()
        await self.expired.wait()

    async def answer(self) -> bytes:
        """All of the answer that it has written, up to the end of a line."""
        said = b""
        while not said.endswith(b"\n"):
            said += await in_thread(os.read, self._answer, 1000)
        return said

    def first(self) -> bytes:
        """Some of the answer; it blocks until there is any."""
        return os.read(self._answer, 1)

    def told(self) -> str:
        return self._err.read_text()


def order_of(script: Script, project: Path, patch: Path | None) -> RunOrder:
    snapshots = SnapshotOrder(SnapshotSettings(), patch)
    return RunOrder(LaunchPlan(AgentCommand(tuple(script.argv)), project), "do it", snapshots=snapshots)


@asynccontextmanager
async def waiting(script: Script, project: Path, patch: Path | None = None) -> AsyncIterator[Waiting]:
    """One that waits; at the end of the block it has ended."""
    state = Waiting(order_of(script, project, patch), project.parent)
    with anyio.fail_after(BOUND):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(state.serve)
            await state.waits.wait()
            yield state


class Gate:
    """What is held waits until the test opens it; `reached` once something does."""

    def __init__(self) -> None:
        self.reached, self.opened = anyio.Event(), anyio.Event()

    def hold(self, monkeypatch: pytest.MonkeyPatch, *, from_the_start: bool = False) -> None:
        """Have the snapshot at the turn's end wait, or each."""
        take = SessionFolders.take

        async def held(folders: SessionFolders, *given: Any) -> Taken:
            is_last = (Path(folders.written[0]) / "new.txt").exists() and given[2]() is None
            if is_last or from_the_start:
                self.reached.set()
                await self.opened.wait()
            return await take(folders, *given)

        monkeypatch.setattr(SessionFolders, "take", held)

    def hold_comparison(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def held(*_: object) -> None:
            self.reached.set()
            await self.opened.wait()

        monkeypatch.setattr(SessionChanges, "sum_up", held)


UNFINISHED = "[warning: The snapshot after the turn was not finished]"


@pytest.mark.anyio
class TestWait:
    async def test_the_answer_is_out_before_the_snapshot_at_the_end(
        self, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gate = Gate()
        gate.hold(monkeypatch)
        async with waiting(agent(tmp_path), project) as state:
            assert await state.answer() == b"Hello\n"
            assert state.code is None
            assert "changed" not in state.told()
            gate.opened.set()
        assert state.code == 0
        assert state.told().splitlines()[1:] == ["[2 files changed · +2 −1 · 2 probably yours · a.txt, new.txt]"]

    async def test_it_waits_ten_seconds_and_says_what_is_missing(
        self, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        gate = Gate()
        gate.hold(monkeypatch)
        async with waiting(agent(tmp_path), project, tmp_path / "patch") as state:
            assert state.seconds + PARTING == 10
            await gate.reached.wait()
            state.expired.set()
        assert state.code == 0
        assert UNFINISHED in state.told()
        assert "No snapshot from the end of turn 1" in state.told()
        assert not (tmp_path / "patch").exists()

    async def test_where_only_the_comparison_is_missing_the_rest_is_kept(
        self, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        gate = Gate()
        gate.hold_comparison(monkeypatch)
        async with waiting(agent(tmp_path), project, tmp_path / "patch") as state:
            await gate.reached.wait()
            state.expired.set()
        assert "[warning: This turn's changes were not compared]" in state.told()
        assert "acp-tui changes --turn 1" in state.told()
        assert applied(tmp_path / "before", (tmp_path / "patch").read_bytes()) == tree(project)
        assert await in_thread(cli.main, ["changes", "-C", str(project), "--stat"]) == 0
        assert "2 files changed" in capfd.readouterr().out

    async def test_a_comparison_that_fails_is_not_waited_for(
        self, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def fail(*_: object) -> None:
            raise UserFault("damaged")

        monkeypatch.setattr(SessionFolders, "compare", fail)
        async with waiting(agent(tmp_path), project) as state:
            pass
        assert (state.code, state.expired.is_set()) == (0, False)
        assert "[warning: This turn's changes were not compared]" in state.told()

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    async def test_a_signal_ends_it_at_once(
        self, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch, number: int
    ) -> None:
        Gate().hold(monkeypatch)
        async with waiting(agent(tmp_path), project, tmp_path / "patch") as state:
            os.kill(os.getpid(), number)
        assert state.code == 128 + number
        assert not state.expired.is_set()
        assert UNFINISHED in state.told()
        assert "[warning: The patch was not written]" in state.told()

    async def test_an_agent_that_does_not_end_its_turn_is_left_before(
        self, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("acp_tui.headless.run.CANCEL_GRACE", 0)
        state = Waiting(order_of(agent(tmp_path, STUCK), project, tmp_path / "patch"), tmp_path)
        with anyio.fail_after(BOUND):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(state.serve)
                await in_thread(state.first)
                os.kill(os.getpid(), signal.SIGINT)
        assert state.code == 130
        assert "2 files changed" not in state.told(), "the session is closed by then"
        assert applied(tmp_path / "before", (tmp_path / "patch").read_bytes()) == tree(project)

    async def test_a_patch_without_a_state_before_does_not_say_that_nothing_changed(
        self, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ClientChanges, "serve", SERVE)
        gate = Gate()
        gate.hold(monkeypatch, from_the_start=True)
        async with waiting(agent(tmp_path), project, tmp_path / "patch") as state:
            gate.opened.set()  # the first snapshot is taken when the turn has ended
        assert (tmp_path / "patch").read_bytes() == b""
        assert "Not in the patch: a.txt: no saved copy (saved too late to undo)" in state.told()
        assert "No files changed" not in state.told()

    async def test_where_no_prompt_was_sent_nobody_waits(
        self, tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(ClientChanges, "serve", SERVE)
        Gate().hold(monkeypatch, from_the_start=True)
        script = write_script(tmp_path, "agent.exit(1)\n")
        state = Waiting(order_of(script, project, tmp_path / "patch"), tmp_path)
        with anyio.fail_after(BOUND):
            await state.serve()
        assert (state.code, state.waits.is_set()) == (1, False)
        assert "[  The prompt was not sent]" in state.told()
        assert UNFINISHED not in state.told()
