"""Choosing an agent by keys: the list, what is not installed, consent, what follows."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic

import pytest
from textual import events

from acp_tui.host.catalog import roster as roster_room
from acp_tui.host.catalog.agents import Agent
from acp_tui.host.catalog.launch import Launch
from acp_tui.host.catalog.registry import Registry
from acp_tui.host.catalog.roster import Roster
from acp_tui.host.config.config import PROJECT_FILE, own_file
from acp_tui.host.store.folders import state_folder
from acp_tui.host.store.prompt_history import PromptHistory
from acp_tui.ui.agents.consent import ConsentScreen
from acp_tui.ui.agents.screen import AgentsScreen
from acp_tui.ui.app import AcpTuiApp, AppSettings
from acp_tui.ui.kit.key_guards import CALM, GUARD
from acp_tui.ui.screen import ConversationScreen
from acp_tui.ui.sessions.tabs import Opened
from tests.pilot.driver import User
from tests.pilot.fake_client import FakeClient

pytestmark = pytest.mark.anyio


class Chooser(User):
    """Someone in front of the list of agents."""

    launches: list[Launch]

    @property
    def list(self) -> AgentsScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, AgentsScreen)
        return screen

    @property
    def highlighted(self) -> str:
        agent = self.list.highlighted
        return agent.name if agent else ""


@asynccontextmanager
async def chooser(
    folder: Path, *, chosen: str | None = "", problems: tuple[str, ...] = (), size: tuple[int, int] = (120, 40)
) -> AsyncIterator[Chooser]:
    """The app where no agent was named; one that is started is a client that only remembers."""
    roster = Roster(folder)
    client = FakeClient()
    session = client.open_session()
    launches: list[Launch] = []

    def start(launch: Launch) -> None:
        launches.append(launch)
        app.converse(Opened(client, session, PromptHistory(None)))

    app = AcpTuiApp(settings=AppSettings(problems=problems), entrance=lambda: AgentsScreen(roster, start, chosen))
    async with app.run_test(size=size, notifications=True) as pilot:
        await pilot.pause()
        someone = Chooser(app, pilot, client, session)
        someone.launches = launches
        yield someone


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, with two agents."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for name in ("goose", "kimi"):
        install(folder, name)
    return folder


@pytest.fixture
def project(tmp_path: Path, programs: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def install(folder: Path, name: str) -> None:
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)


def configure(text: str) -> None:
    own_file().parent.mkdir(parents=True, exist_ok=True)
    own_file().write_text(text)


async def test_what_is_installed_comes_first_and_enter_starts_it(project: Path) -> None:
    async with chooser(project) as someone:
        rows = "\n".join(someone.rows())
        assert rows.index("Installed") < rows.index("✓ Kimi Code") < rows.index("Not installed")
        assert someone.sees("starts  kimi acp")
        await someone.press("enter")
        await someone.wait_for("Ask anything")
        assert isinstance(someone.app.screen, ConversationScreen)
        assert [launch.command.argv for launch in someone.launches] == [("kimi", "acp")]
        assert someone.launches[0].cwd == project
        await someone.type("hello")
        await someone.press("enter")
        assert someone.acts("submit") == [("hello",)]


async def test_enter_that_comes_twice_starts_one_agent(project: Path) -> None:
    async with chooser(project) as someone:
        for _ in range(2):  # before the first has been answered
            someone.app.post_message(events.Key("enter", None))
        await someone.wait_for("Ask anything")
        await someone.pilot.pause()
        assert len(someone.launches) == 1


async def test_typing_filters_and_keys_move(project: Path) -> None:
    async with chooser(project) as someone:
        await someone.press("down")
        assert someone.highlighted == "goose"
        await someone.press("down")
        assert someone.highlighted == "opencode"
        await someone.press("shift+tab", "up")
        assert someone.highlighted == "kimi"
        await someone.press("pagedown", "pagedown")
        assert someone.highlighted == "fast-agent"
        await someone.press("pageup", "pageup")
        assert someone.highlighted == "kimi"
        await someone.type("goo")
        assert someone.highlighted == "goose"
        assert not someone.sees("Kimi Code")
        await someone.type("xyz")
        assert someone.sees("nothing matches")
        await someone.press("enter")
        assert someone.launches == []
        await someone.press("escape")
        assert someone.sees("Kimi Code")


async def test_an_agent_that_is_not_there_shows_how_to_get_it(project: Path, programs: Path) -> None:
    async with chooser(project) as someone:
        await someone.type("opencode")
        assert someone.sees("install  npm install -g opencode-ai")
        await someone.press("enter")
        assert "OpenCode is not installed" in someone.toasts()[-1]
        assert someone.launches == []
        install(programs, "opencode")
        await someone.press("enter")
        assert [launch.command.argv for launch in someone.launches] == [("opencode", "acp")]


async def test_looking_again_finds_what_was_installed(project: Path, programs: Path) -> None:
    async with chooser(project) as someone:
        await someone.press("down")
        install(programs, "opencode")
        assert not someone.sees("✓ OpenCode")
        await someone.press("ctrl+r")
        assert someone.sees("✓ OpenCode")
        assert someone.highlighted == "goose"


async def test_where_nothing_is_installed_the_demo_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(project))
    async with chooser(project) as someone:
        assert someone.sees("acp-tui --demo")


async def test_a_named_agent_starts_at_once(project: Path) -> None:
    async with chooser(project, chosen="goose") as someone:
        await someone.wait_for("Ask anything")
        assert someone.launches[0].command.argv == ("goose", "acp")


async def test_a_name_that_is_not_there_leaves_the_choice(project: Path) -> None:
    async with chooser(project, chosen="nobody") as someone:
        assert "There is no agent named nobody" in someone.toasts()[0]
        assert someone.sees("Which agent?")


async def test_settings_that_cannot_be_used_are_told(project: Path) -> None:
    configure("[agents.kimi]\ncwd = 'none'\n")
    async with chooser(project) as someone:
        await someone.press("enter")
        assert f"{own_file()}, line 2, agents.kimi.cwd" in someone.toasts()[-1]
        assert someone.launches == []


THEIRS = """
[agents.theirs]
title = "Theirs"
command = "goose"
args = ["acp", "--yes"]
env = { SECRET = "hunter2", LD_PRELOAD = "/x.so" }
[agents.theirs.mcp_servers.files]
command = "serve-files"
env = { LD_PRELOAD = "/y.so" }
"""


def say(path: Path, text: str) -> None:
    path.write_text(text)


async def asked(someone: Chooser) -> ConsentScreen:
    """The question, once keys count."""
    await someone.wait_until(lambda: isinstance(someone.app.screen, ConsentScreen), "the question")
    screen = someone.app.screen
    assert isinstance(screen, ConsentScreen)
    await someone.wait_until(lambda: not screen._guard.waits, "the question on the screen")
    screen._guard._clock = lambda: float("inf")
    return screen


class TestConsent:
    @pytest.fixture(autouse=True)
    def theirs(self, project: Path) -> Path:
        path = project / PROJECT_FILE
        path.write_text(THEIRS)
        return path

    async def test_everything_is_said_before_it_starts(self, project: Path) -> None:
        async with chooser(project) as someone:
            assert someone.highlighted == "theirs"
            assert someone.sees("you are asked before it starts")
            await someone.press("enter")
            await asked(someone)
            for told in (
                "named by     /",
                PROJECT_FILE,
                "runs         goose acp --yes",
                "program      /",
                "in           /",
                "LD_PRELOAD=/x.so",
                "SECRET=••• (7 characters)",
                "tool server  files",
                "  runs       serve-files",
                "LD_PRELOAD=/y.so",
                "not watched  what it loads",
            ):
                assert someone.sees(told), told
            assert not someone.sees("hunter2")
            assert someone.launches == []

    @pytest.mark.parametrize(
        "keys", [("n",), ("escape",), ("enter",), ("ctrl+c",), ("ctrl+q",), ("down", "up", "enter")]
    )
    async def test_no_is_no(self, project: Path, keys: tuple[str, ...]) -> None:
        async with chooser(project, chosen="theirs") as someone:
            await asked(someone)
            await someone.press(*keys)
            assert someone.app.screen is someone.list
            assert someone.launches == []

    @pytest.mark.parametrize("keys", [("y",), ("down", "enter")])
    async def test_yes_is_remembered_for_exactly_this(self, theirs: Path, keys: tuple[str, ...]) -> None:
        async with chooser(theirs.parent, chosen="theirs") as someone:
            await asked(someone)
            await someone.press(*keys)
            assert len(someone.launches) == 1
        async with chooser(theirs.parent, chosen="theirs") as someone:
            assert len(someone.launches) == 1
        say(theirs, THEIRS + "\n# other words")
        async with chooser(theirs.parent, chosen="theirs") as someone:
            await asked(someone)
            assert someone.launches == []

    async def test_keys_that_were_typed_ahead_agree_to_nothing(self, project: Path) -> None:
        async with chooser(project) as someone:
            await someone.press("enter")
            for key in ("y", "y", "down", "enter", "n"):  # all of them before the first was answered
                someone.app.post_message(events.Key(key, key if len(key) == 1 else None))
            await someone.wait_until(lambda: isinstance(someone.app.screen, ConsentScreen), "the question")
            screen = someone.app.screen
            assert isinstance(screen, ConsentScreen)
            await someone.wait_until(lambda: not screen._guard.waits, "the question on the screen")
            now = monotonic()
            screen._guard._clock = lambda: now
            screen._guard.begin()
            await someone.press("y", "down", "enter", "n")
            await someone.pilot.click("#consent-answers", offset=(3, 1))
            assert (someone.app.screen, screen._answers.highlighted) == (screen, 0)
            now += GUARD - 0.01
            await someone.press("y")  # which begins another moment: a word is swallowed to its end
            now += CALM - 0.01
            await someone.press("y")
            assert someone.launches == []
            now += CALM
            await someone.press("y")
            assert len(someone.launches) == 1

    async def test_before_it_is_on_the_screen_no_key_counts(self, project: Path) -> None:
        async with chooser(project, chosen="theirs") as someone:
            screen = await asked(someone)
            screen._guard._clock = lambda: 0.0
            screen._guard.wait()
            await someone.press("y", "n", "enter")
            assert someone.app.screen is screen

    async def test_what_cannot_be_remembered_starts_and_is_told(self, project: Path) -> None:
        state_folder().parent.mkdir(parents=True)
        state_folder().write_text("in the way")
        async with chooser(project, chosen="theirs") as someone:
            await asked(someone)
            await someone.press("y")
            assert len(someone.launches) == 1
            assert "cannot be remembered" in someone.toasts()[-1]

    async def test_nothing_is_out_of_sight(self, theirs: Path) -> None:
        blanks = " " * 5000
        say(
            theirs,
            f"""
            [agents.theirs]
            command = "sh"
            args = ["-c", "my-good-agent --acp{blanks}2>/dev/null; touch PWN\\necho \\u200bdone", ""]
            """,
        )
        install(Path(os.environ["PATH"]), "sh")
        async with chooser(theirs.parent, chosen="theirs") as someone:
            await asked(someone)
            for told in ("'my-good-agent --acp⟨5,000 blanks⟩2>/dev/null; touch PWN⏎", "echo ⟨U+200B⟩done'", "  ''"):
                assert someone.sees(told), told

    @pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20), (40, 12)])
    async def test_it_is_read_to_its_end_before_it_is_agreed_to(self, theirs: Path, size: tuple[int, int]) -> None:
        words = ", ".join(f'"word {number}"' for number in range(100))
        say(theirs, f"[agents.theirs]\ncommand = 'goose'\nargs = [{words}, 'the end']\n")
        async with chooser(theirs.parent, chosen="theirs", size=size) as someone:
            screen = await asked(someone)
            below = screen.rows_below
            assert someone.sees(f"↓ {below} more lines")
            assert someone.sees("n  Do not start it")
            assert someone.sees("y  Start it")
            await someone.press("down")
            assert screen.rows_below == below - 1
            await someone.press("down", "enter")  # the highlight has not left the safe answer
            assert someone.launches == []
        async with chooser(theirs.parent, chosen="theirs", size=size) as someone:
            screen = await asked(someone)
            while screen.rows_below:
                before = screen.rows_below
                await someone.press("y" if before % 2 else "pagedown")
                assert screen.rows_below < before
                assert someone.launches == []
            assert someone.sees("not watched")
            await someone.press("up")
            assert someone.sees("↓ 1 more line")
            await someone.press("end", "y")
            assert len(someone.launches) == 1

    async def test_what_it_is_bound_to_is_said(self, theirs: Path) -> None:
        folder = theirs.parent
        (folder / "lib").mkdir()
        for name in ("run.sh", "agent.js"):
            install(folder, name)
        say(theirs, "[agents.theirs]\ncommand = './run.sh'\nargs = ['agent.js', './lib']")
        async with chooser(folder, chosen="theirs") as someone:
            await asked(someone)
            rows = "\n".join(someone.rows())
            for told in (
                "asks again   when this or one of these changes:",
                "agent.js",
                "run.sh",
                "lib and",
            ):
                assert told in rows, told

    async def test_a_variable_of_a_file_is_told_without_its_value(self, theirs: Path, private_folders: Path) -> None:
        (private_folders / "mine.env").write_text("PLAIN=hunter2")
        say(theirs, "[agents.theirs]\ncommand = 'goose'\nenv_file = '~/mine.env'")
        async with chooser(theirs.parent, chosen="theirs") as someone:
            await asked(someone)
            assert someone.sees("PLAIN=••• from ~/mine.env")


class TestProposed:
    """A project's `default_agent`."""

    @pytest.fixture(autouse=True)
    def theirs(self, project: Path) -> Path:
        path = project / PROJECT_FILE
        path.write_text("default_agent = 'goose'\n")
        return path

    async def test_it_is_asked_for_once(self, theirs: Path) -> None:
        async with chooser(theirs.parent, chosen=None) as someone:
            await asked(someone)
            assert someone.sees("named by     /")
            assert someone.sees('default_agent = "goose"')
            assert someone.sees("runs         goose acp")
            await someone.press("n")
            assert someone.launches == []
        async with chooser(theirs.parent, chosen=None) as someone:
            await asked(someone)
            await someone.press("y")
            assert someone.launches[0].command.argv == ("goose", "acp")
        async with chooser(theirs.parent, chosen=None) as someone:
            assert len(someone.launches) == 1
        say(theirs, "default_agent = 'kimi'\n")
        async with chooser(theirs.parent, chosen=None) as someone:
            await asked(someone)
            assert someone.launches == []

    async def test_what_the_user_names_is_not(self, project: Path) -> None:
        async with chooser(project, chosen="goose") as someone:
            assert len(someone.launches) == 1

    async def test_the_list_is_as_without_it(self, project: Path) -> None:
        async with chooser(project) as someone:
            assert someone.highlighted == "kimi"
            await someone.press("enter")
            assert someone.launches[0].command.argv == ("kimi", "acp")

    async def test_one_that_is_not_known_leaves_the_choice(self, theirs: Path) -> None:
        say(theirs, "default_agent = 'nobody'\n")
        async with chooser(theirs.parent, chosen=None) as someone:
            assert "proposes an agent that is not known: nobody" in someone.toasts()[0]
            assert someone.sees("Which agent?")

    async def test_the_own_default_starts_at_once(self, theirs: Path) -> None:
        say(theirs, "theme = 'nord'\n")
        configure("default_agent = 'goose'")
        async with chooser(theirs.parent, chosen=None) as someone:
            assert someone.launches[0].command.argv == ("goose", "acp")

    async def test_without_any_one_chooses(self, theirs: Path) -> None:
        say(theirs, "")
        async with chooser(theirs.parent, chosen=None) as someone:
            assert someone.launches == []
            assert someone.toasts() == []


async def test_what_is_in_the_project_only_is_not_started(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(project, "goose")
    monkeypatch.setenv("PATH", str(project))
    async with chooser(project) as someone:
        await someone.type("goose")
        assert someone.sees("Found in the project only, where nothing is started by its name")
        await someone.press("enter")
        assert "found in the project only" in someone.toasts()[-1]
        assert someone.launches == []


async def test_hostile_words_in_files_are_shown_and_nothing_more(project: Path) -> None:
    hostile = "[red]\\u001b[2J[@click=app.quit]x[/]\\u202e"
    (project / PROJECT_FILE).write_text(
        f'[agents."{hostile}"]\ntitle = "{hostile}"\ndescription = "{hostile}"\ncommand = "{hostile}"\n'
    )
    async with chooser(project) as someone:
        await someone.type("red")
        assert someone.sees("[red]")
        assert someone.sees("[@click=app.quit]x[/]")
        assert not any(sign in row for row in someone.rows() for sign in "\x1b\u202e")
        await someone.press("enter")
        assert "[red]" in someone.toasts()[-1]


class TestRegistry:
    @pytest.fixture(autouse=True)
    def registry(self, monkeypatch: pytest.MonkeyPatch) -> None:
        agent = Agent("extra", "Extra", "From the registry", ("goose", "x"), "registry", fetched=True)
        monkeypatch.setattr(roster_room, "fetch_registry", lambda _source: Registry((agent,), ("one is missing",)))
        configure("registry = 'https://me:pass@example.com/registry.json'")

    async def test_it_is_fetched_while_one_can_choose(self, project: Path) -> None:
        async with chooser(project) as someone:
            await someone.press("down")
            await someone.wait_for("Fetched when first started")
            assert someone.sees("↓ Extra")
            assert someone.highlighted == "goose"
            assert not someone.sees("pass@")
            assert "one is missing" in someone.toasts()[-1]

    async def test_it_does_not_disturb_a_conversation(self, project: Path) -> None:
        async with chooser(project, chosen="kimi") as someone:
            await someone.wait_for("Ask anything")
            assert someone.toasts() == []


async def test_problems_of_the_config_file_are_told(project: Path) -> None:
    problems = tuple(f"config.toml, line {line}, x: wrong [b]" for line in range(1, 7))
    async with chooser(project, problems=problems) as someone:
        (told,) = someone.toasts()
        assert "line 4, x: wrong [b]" in told
        assert "2 more: acp-tui config --print" in told


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (200, 60)])
async def test_any_size_shows_the_list(project: Path, size: tuple[int, int]) -> None:
    async with chooser(project, size=size) as someone:
        assert someone.sees("Kimi Code")
        assert someone.sees("Type to filter")


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+c", "ctrl+d"])
async def test_leaving_without_an_agent(project: Path, key: str) -> None:
    async with chooser(project) as someone:
        await someone.press(key)
        await someone.wait_until(lambda: not someone.app.is_running, "the end")
        assert someone.app.return_value == 0
