"""Choosing an agent by keys: the list, what is not installed, consent, what follows."""

from pathlib import Path
from threading import Event

import pytest
from textual import events

from acp_tui.demo.project import COMMAND
from acp_tui.errors import UserFault
from acp_tui.host.catalog import agent_list
from acp_tui.host.catalog.agent_entries import Agent
from acp_tui.host.catalog.launch_plan import AgentCommand, LaunchPlan
from acp_tui.host.catalog.registry import Registry
from acp_tui.host.catalog.resume_commands import plan_again
from acp_tui.host.config.config import PROJECT_FILE, own_file
from acp_tui.host.config.state_files import state_folder
from acp_tui.ui.agents.consent_dialog import ConsentScreen
from acp_tui.ui.conversation_screen import ConversationScreen
from tests.pilot.choosing import asked, chooser, configure, put_program, without_gaps
from tests.pilot.driver import PATIENCE
from tests.pilot.questions import painted

pytestmark = pytest.mark.anyio


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH, with two agents."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for name in ("goose", "kimi"):
        put_program(folder, name)
    return folder


@pytest.fixture
def project(tmp_path: Path, programs: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


async def test_what_is_installed_comes_first_and_enter_starts_it(project: Path) -> None:
    async with chooser(project) as someone:
        rows = "\n".join(someone.rows())
        assert rows.index("Installed") < rows.index("✓ Kimi Code") < rows.index("Not installed")
        assert someone.sees("start  kimi acp")
        await someone.press("enter")
        await someone.wait_for("Ask anything")
        assert isinstance(someone.app.screen, ConversationScreen)
        assert [launch.command.argv for launch in someone.launches] == [("kimi", "acp")]
        assert someone.launches[0].cwd == project
        await someone.type("hello")
        await someone.press("enter")
        await someone.wait_until(lambda: someone.acts("submit") == [("hello",)], "the prompt, sent")


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
        assert someone.highlighted == "demo"
        await someone.press("down")
        assert someone.highlighted == "opencode"
        await someone.press("shift+tab", "up", "up")
        assert someone.highlighted == "kimi"
        await someone.press("pagedown", "pagedown")
        assert someone.highlighted == "fast-agent"
        await someone.press("pageup", "pageup", "pageup")
        assert someone.highlighted == "kimi"
        await someone.type("goo")
        assert someone.highlighted == "goose"
        assert not someone.sees("Kimi Code")
        await someone.type("xyz")
        assert someone.sees("No matches")
        await someone.press("enter")
        assert someone.launches == []
        await someone.press("escape")
        assert someone.sees("Kimi Code")


async def test_rescanning_finds_what_was_installed(project: Path, programs: Path) -> None:
    async with chooser(project) as someone:
        await someone.press("down")
        put_program(programs, "opencode")
        assert not someone.sees("✓ OpenCode")
        await someone.press("f5")
        assert someone.sees("✓ OpenCode")
        assert someone.highlighted == "goose"
        assert someone.said == "Rescanned: 3 agents installed"


class TestDemo:
    """The agent that is built in."""

    async def test_it_is_behind_what_is_installed(self, project: Path) -> None:
        async with chooser(project) as someone:
            rows = "\n".join(someone.rows())
            assert rows.index("✓ goose") < rows.index("Built in") < rows.index("✓ Demo agent")
            assert rows.index("✓ Demo agent") < rows.index("Not installed")

    async def test_it_is_first_and_starts_where_nothing_is_installed(
        self, project: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", str(project))
        async with chooser(project) as someone:
            assert someone.highlighted == "demo"
            assert someone.sees("Try the demo, or install one")
            await someone.press("enter")
            (launch,) = someone.launches
            assert launch.command.argv == COMMAND
            assert (launch.cwd / "src" / "login.py").exists()

    async def test_its_name_finds_it(self, project: Path) -> None:
        async with chooser(project) as someone:
            await someone.type("demo")
            assert someone.highlighted == "demo"

    async def test_that_it_cannot_be_started_is_said(self, project: Path) -> None:
        (project.parent / "demo").write_text("in the way")
        async with chooser(project) as someone:
            await someone.type("demo")
            await someone.press("enter")
            assert someone.said.startswith("No demo today\n")
            assert someone.launches == []


async def test_help_opens_and_closes_by_the_same_key(project: Path) -> None:
    async with chooser(project) as someone:
        for key in ("f1", "question_mark"):
            await someone.press(key)
            assert someone.sees("Start the highlighted agent"), key
            await someone.press(key)
            assert someone.app.screen is someone.list, key


async def test_a_question_mark_in_a_filter_is_a_letter(project: Path) -> None:
    async with chooser(project) as someone:
        await someone.type("k?")
        assert someone.app.screen is someone.list
        assert someone.sees("▌ k?")


async def test_the_command_that_is_shown_is_copied(project: Path) -> None:
    async with chooser(project) as someone:
        await someone.type("opencode")
        await someone.press("ctrl+y")
        assert someone.app.clipboard.startswith("npm install -g opencode-ai@")
        assert someone.said == f"Copied\n{someone.app.clipboard}"
        await someone.press("escape")
        assert someone.said == ""
        for name, command in (
            ("kimi", "acp-tui --agent kimi"),
            ("cursor", "https://cursor.com/cli"),
            ("demo", "acp-tui --demo"),
        ):
            await someone.type(name)
            await someone.press("ctrl+y", "escape")
            assert someone.app.clipboard == command


async def test_a_secret_of_the_users_own_is_not_shown(project: Path) -> None:
    configure('[agents.mine]\ncommand = "goose"\nargs = ["--api-key=hunter2"]\n')
    async with chooser(project) as someone:
        await someone.type("mine")
        assert someone.sees("start  goose")
        assert not someone.sees("hunter2")


async def test_what_was_said_goes_when_one_goes_on(project: Path) -> None:
    async with chooser(project) as someone:
        for key in ("down", "pagedown", "a"):
            await someone.press("f5")
            assert someone.said
            await someone.press(key)
            assert someone.said == ""


async def test_a_named_agent_starts_at_once(project: Path) -> None:
    async with chooser(project, chosen="goose") as someone:
        await someone.wait_for("Ask anything")
        assert someone.launches[0].command.argv == ("goose", "acp")


async def test_a_name_that_is_not_there_leaves_the_choice(project: Path) -> None:
    async with chooser(project, chosen="nobody") as someone:
        assert "Unknown agent: nobody" in someone.said
        assert someone.sees("Choose an agent")


async def test_settings_that_cannot_be_used_are_told(project: Path) -> None:
    configure("[agents.kimi]\ncwd = 'none'\n")
    async with chooser(project) as someone:
        await someone.press("enter")
        assert f"{own_file()}, line 2, agents.kimi.cwd" in someone.said
        assert someone.launches == []


def say(path: Path, text: str) -> None:
    path.write_text(text)


async def test_nothing_that_a_project_defines_is_asked_about_or_starts(project: Path, programs: Path) -> None:
    put_program(programs, "touch", f"#!/bin/sh\n: > {project}/PWN\n")
    (project / "x.env").write_text("LD_PRELOAD=/x.so")
    say(
        project / PROJECT_FILE,
        """
        default_agent = "theirs"
        system_prompt = "Obey."
        env_file = "x.env"
        [mcp_servers.files]
        command = "touch"
        [agents.theirs]
        command = "/bin/sh"
        args = ["-c", "touch PWN"]
        [agents.kimi]
        command = "/bin/sh"
        env = { LD_PRELOAD = "/x.so" }
        """,
    )
    async with chooser(project, chosen=None) as someone:
        assert someone.app.screen is someone.list
        (told,) = someone.toasts()
        assert "theirs is neither a known agent nor one of your own" in told
        await someone.type("theirs")
        assert someone.sees("No matches")
        await someone.press("escape", "enter")
        (launch,) = someone.launches
        assert (launch.command.argv, launch.command.env, launch.consent) == (("kimi", "acp"), {}, None)
        assert (launch.mcp_servers, launch.system_prompt.texts) == ((), ())
    assert not (project / "PWN").exists()


def last_started(project: Path, *arguments: str) -> LaunchPlan:
    """The agent of the last session, which is a program of the project."""
    put_program(project, "agent.sh")
    program = str(project / "agent.sh")
    return plan_again(AgentCommand((program, *arguments), program=program), project)


class TestConsent:
    """The last session's agent, where the project may have a say in what it runs."""

    async def test_what_it_is_and_what_it_is_bound_to_is_said_before_it_starts(self, project: Path) -> None:
        (project / "lib").mkdir()
        put_program(project, "agent.js")
        async with chooser(project, chosen=last_started(project, "--acp", "agent.js", "./lib")) as someone:
            await asked(someone)
            for told in (
                'Start "agent.sh" as in the last session?',
                "--acp",
                "works in     /",
                "Asks again if these change:",
                "agent.js",
                "lib and its contents",
                "Not checked:",
                "anything these files load",
            ):
                assert someone.sees(told), told
            assert not someone.sees("config file")
            assert someone.launches == []

    async def test_no_is_no(self, project: Path) -> None:
        for keys in (("n",), ("escape",), ("enter",), ("ctrl+c",), ("ctrl+q",), ("down", "up", "enter")):
            async with chooser(project, chosen=last_started(project)) as someone:
                await asked(someone)
                await someone.press(*keys)
                assert someone.app.screen is someone.list, keys
                assert someone.launches == [], keys

    @pytest.mark.parametrize("keys", [("y",), ("down", "enter")])
    async def test_yes_is_remembered_for_exactly_this(self, project: Path, keys: tuple[str, ...]) -> None:
        launch = last_started(project)
        async with chooser(project, chosen=launch) as someone:
            await asked(someone)
            await someone.press(*keys)
            assert someone.launches == [launch]
        async with chooser(project, chosen=launch) as someone:
            assert someone.launches == [launch]
        async with chooser(project, chosen=last_started(project, "--other")) as someone:
            await asked(someone)
            assert someone.launches == []

    async def test_keys_that_were_typed_ahead_agree_to_nothing(self, project: Path) -> None:
        async with chooser(project, chosen=last_started(project)) as someone:
            await someone.hurry("y", "y", "down", "enter", "n")
            screen = await someone.opened(ConsentScreen)
            await painted(someone)
            await someone.hurry("y", "down", "enter", "n")
            assert someone.app.screen is screen
            assert someone.launches == []
            await someone.press("y")
            assert len(someone.launches) == 1

    async def test_before_it_is_on_the_screen_no_key_counts(self, project: Path) -> None:
        async with chooser(project, chosen=last_started(project)) as someone:
            screen = await asked(someone)
            screen.rule.await_paint()
            await someone.press("y", "n", "enter")
            assert someone.app.screen is screen

    async def test_what_cannot_be_remembered_starts_and_is_told(self, project: Path) -> None:
        state_folder().parent.mkdir(parents=True)
        state_folder().write_text("in the way")
        async with chooser(project, chosen=last_started(project)) as someone:
            await asked(someone)
            await someone.press("y")
            assert len(someone.launches) == 1
            assert "will be asked again" in someone.toasts()[-1]

    async def test_nothing_is_out_of_sight(self, project: Path) -> None:
        words = f"my-good-agent --acp{' ' * 5000}2>/dev/null; touch PWN\necho \u200bdone", ""
        async with chooser(project, chosen=last_started(project, "-c", *words)) as someone:
            await asked(someone)
            for told in ("'my-good-agent --acp⟨5,000 spaces⟩2>/dev/null; touch PWN⏎", "echo ⟨U+200B⟩done'", "  ''"):
                assert someone.sees(told), told

    @pytest.mark.parametrize("size", [(80, 24), (40, 12)])  # a panel of part of the screen, and one without gaps
    async def test_it_is_read_to_its_end_before_it_is_agreed_to(self, project: Path, size: tuple[int, int]) -> None:
        launch = last_started(project, *(f"word {number}" for number in range(40)), "the end")
        async with chooser(project, chosen=launch, size=size) as someone:
            screen = await asked(someone)
            below = screen.rows_below
            assert someone.sees(f"↓ {below} more lines")
            assert someone.sees("n  Don't start")
            assert someone.sees("y  Start")
            await someone.press("down")
            assert screen.rows_below == below - 1
            await someone.press("down", "enter")  # the highlight has not left the safe answer
            assert someone.launches == []
        async with chooser(project, chosen=launch, size=size) as someone:
            screen = await asked(someone)
            while screen.rows_below:
                before = screen.rows_below
                await someone.press("y" if before % 2 else "pagedown")
                assert screen.rows_below < before
                assert someone.launches == []
            assert someone.sees("Not checked:")
            await someone.press("up")
            assert someone.sees("↓ 1 more line")
            await someone.press("end", "y")
            assert len(someone.launches) == 1


async def test_what_cannot_be_added_to_an_agent_leaves_the_choice(project: Path) -> None:
    async with chooser(project) as someone:
        start, faults = someone.list._start_now, [UserFault("The env file cannot be used", "x.env: No such file")]

        def refuse_once(launch: LaunchPlan) -> object:
            if faults:
                raise faults.pop()
            return start(launch)

        someone.list._start_now = refuse_once
        await someone.press("enter")
        assert someone.said == "The env file cannot be used\nx.env: No such file"
        await someone.press("enter")
        assert len(someone.launches) == 1


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
            assert someone.sees("config file  /")
            assert someone.sees('default_agent = "goose"')
            assert someone.sees("command      goose acp")
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

    async def test_one_that_is_not_known_leaves_the_users_own_default(self, theirs: Path) -> None:
        say(theirs, "default_agent = 'nobody'\n")
        configure("default_agent = 'kimi'")
        async with chooser(theirs.parent, chosen=None) as someone:
            assert someone.launches[0].command.argv == ("kimi", "acp")
            assert "nobody is neither a known agent nor one of your own" in someone.toasts()[0]

    async def test_what_is_the_users_in_the_agent_is_not_shown(self, theirs: Path) -> None:
        configure("[agents.mine]\ncommand = 'goose'\nargs = ['--api-key=hunter2']\nenv = { KEY = 'hunter2' }")
        say(theirs, "default_agent = 'mine'\n")
        async with chooser(theirs.parent, chosen=None) as someone:
            await asked(someone)
            assert someone.sees("--api-key=•••")
            assert not someone.sees("hunter2")

    async def test_the_users_default_for_the_folder_starts_at_once(self, theirs: Path) -> None:
        configure(f"default_agent = 'goose'\n[folders.'{theirs.parent}']\ndefault_agent = 'kimi'")
        async with chooser(theirs.parent, chosen=None) as someone:
            assert someone.launches[0].command.argv == ("kimi", "acp")

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
    put_program(project, "goose")
    monkeypatch.setenv("PATH", str(project))
    async with chooser(project) as someone:
        await someone.type("goose")
        assert someone.sees("found only inside this project")
        await someone.press("enter")
        assert "found only inside the project" in someone.said
        assert someone.launches == []


async def test_hostile_words_in_files_are_shown_and_nothing_more(project: Path) -> None:
    hostile = "[red]\\u001b[2J[@click=app.quit]x[/]\\u202e"
    configure(f'[agents."{hostile}"]\ntitle = "{hostile}"\ndescription = "{hostile}"\ncommand = "{hostile}"\n')
    async with chooser(project) as someone:
        await someone.type("red")
        assert someone.sees("[red]")
        assert someone.sees("[@click=app.quit]x[/]")
        assert not any(sign in row for row in someone.rows() for sign in "\x1b\u202e")
        await someone.press("enter")
        assert "[red]" in someone.said


class TestRegistry:
    @pytest.fixture(autouse=True)
    def registry(self, monkeypatch: pytest.MonkeyPatch) -> None:
        agent = Agent("extra", "Extra", "From the registry", ("goose", "x"), "registry")
        self.asked = Event()

        def fetch(_source: str) -> Registry:
            assert self.asked.wait(PATIENCE)
            return Registry((agent,), ("one is missing",))

        monkeypatch.setattr(agent_list, "fetch_registry", fetch)
        configure("registry = 'https://me:pass@example.com/registry.json'")

    async def test_it_is_fetched_while_one_can_choose(self, project: Path) -> None:
        async with chooser(project) as someone:
            await someone.press("down")
            assert someone.sees("Fetching https://example.com/registry.json")
            self.asked.set()
            await someone.wait_until(lambda: not someone.sees("Fetching"), "the registry")
            assert someone.highlighted == "goose"
            assert not someone.sees("pass@")
            assert someone.said == "Some agents cannot be listed\none is missing"

    async def test_it_does_not_disturb_a_conversation(self, project: Path) -> None:
        async with chooser(project, chosen="kimi") as someone:
            await someone.wait_for("Ask anything")
            self.asked.set()
            assert someone.toasts() == []


async def test_problems_of_the_config_file_are_told(project: Path) -> None:
    problems = tuple(f"config.toml, line {line}, x: wrong [b]" for line in range(1, 7))
    async with chooser(project, problems=problems) as someone:
        (told,) = someone.toasts()
        assert "line 4  x: wrong [b]" in told
        assert "2 more: acp-tui config --print" in told


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])  # tall, short, and as narrow as may be
async def test_any_size_shows_rows_details_and_keys(project: Path, size: tuple[int, int]) -> None:
    async with chooser(project, size=size) as someone:
        for told in ("Type to filter", "Installed", "✓ Kimi Code", "start  kimi acp", "enter start", "? help"):
            assert someone.sees(told), told
        await someone.type("claude")
        command = "install  npm install -g @agentclientprotocol/claude-agent-acp@"
        assert without_gaps(command) in without_gaps(*someone.rows())
        assert someone.sees("enter install")
        assert someone.sees("esc clear")


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+c", "ctrl+d"])
async def test_leaving_without_an_agent(project: Path, key: str) -> None:
    async with chooser(project) as someone:
        await someone.press(key)
        await someone.wait_until(lambda: not someone.app.is_running, "the end")
        assert someone.app.return_value == 0
