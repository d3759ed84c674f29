"""The list of agents, and how each is started."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agents import Agent, Agents, list_agents
from acp_tui.host.catalog.known_agents import KNOWN_AGENTS, known_by_argv
from acp_tui.host.catalog.launch import Consent, Launch, by_command
from acp_tui.host.catalog.launching import launch_of
from acp_tui.host.catalog.registry import Registry
from acp_tui.host.config.config import PROJECT_FILE, load_config, own_file
from acp_tui.protocol.capabilities import ClientCapabilities


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all of PATH."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, name: str) -> Path:
    program = folder / name
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


def agents(project: Path, own: str = "", theirs: str = "", registry: Registry | None = None) -> Agents:
    own_file().parent.mkdir(parents=True, exist_ok=True)
    own_file().write_text(own)
    (project / PROJECT_FILE).write_text(theirs)
    return list_agents(load_config(project), project, registry)


def launch(project: Path, name: str, own: str = "", theirs: str = "") -> Launch:
    return launch_of(agents(project, own, theirs).find(name), project)


def offered(name: str, *argv: str, fetched: bool = True) -> Registry:
    words = name, name.title(), "words"
    return Registry((Agent(*words, argv, "registry", {"A": "1"}, "how", "https://x", fetched=fetched),))


def test_known_agents_are_told_apart_and_say_all() -> None:
    assert len({agent.name for agent in KNOWN_AGENTS}) == len(KNOWN_AGENTS) >= 12
    for agent in KNOWN_AGENTS:
        assert all((agent.title, agent.description, agent.argv, agent.install))
        assert agent.homepage.startswith("https://")
        assert len(agent.description) < 60


def test_what_is_installed_comes_first(programs: Path, project: Path) -> None:
    program = install(programs, "goose")
    found = agents(project).listed
    assert found[0].name == "goose"
    assert found[0].program == str(program)
    assert [agent.name for agent in found if agent.installed] == ["goose"]
    assert len(found) == len(KNOWN_AGENTS)


def test_configured_agents_come_before_known_ones(programs: Path, project: Path) -> None:
    for name in ("goose", "mine", "theirs"):
        install(programs, name)
    own = "[agents.mine]\ncommand='mine'\n[agents.absent]\ncommand='absent'"
    found = agents(project, own, "[agents.theirs]\ncommand='theirs'").listed
    assert [agent.name for agent in found[:5]] == ["theirs", "mine", "goose", "absent", "opencode"]
    assert [agent.origin for agent in found[:3]] == ["project", "own", "known"]


def test_the_default_comes_first_of_all(programs: Path, project: Path) -> None:
    install(programs, "goose")
    assert agents(project, "default_agent = 'kimi'").listed[0].name == "kimi"


def test_a_known_agent_can_be_set_up_without_its_command(programs: Path, project: Path) -> None:
    install(programs, "kimi")
    agent = agents(project, "[agents.kimi]\nenv = { A = '1' }\ntitle = 'Mine'").find("kimi")
    assert (agent.argv, agent.env, agent.title, agent.installed) == (("kimi", "acp"), {"A": "1"}, "Mine", True)
    assert agents(project, "[agents.kimi]\nargs = ['x']").find("kimi").argv == ("kimi", "x")
    assert agents(project, "[agents.kimi]\ncommand = 'k2'").find("kimi").argv == ("k2",)


def test_an_agent_that_nobody_knows_needs_a_command(project: Path) -> None:
    found = agents(project, "\n[agents.mine]\ntitle = 'x'")
    told = f"{own_file()}, line 2, agents.mine: needs a command, since it is not a known agent"
    assert found.problems == (told,)
    with pytest.raises(UserFault) as raised:
        found.find("mine")
    assert raised.value.message == told


def test_an_unknown_name_is_told_with_those_near_it(project: Path) -> None:
    with pytest.raises(UserFault, match="Unknown agent: opncode") as raised:
        agents(project).find("opncode")
    assert "opencode" in raised.value.hint
    with pytest.raises(UserFault) as raised:
        agents(project).find("zzzzzz")
    assert "acp-tui agents" in raised.value.hint


def test_paths_are_relative_to_the_file(programs: Path, project: Path) -> None:
    own = "[agents.a]\ncommand = './bin/agent'\n[agents.b]\ncommand = '~/agent'\n[agents.c]\ncommand = 'agent'"
    found = agents(project, own)
    assert found.find("a").argv == (str(own_file().parent / "bin/agent"),)
    assert found.find("b").argv == (str(Path.home() / "agent"),)
    assert found.find("c").argv == ("agent",)


def test_what_a_registry_lists_is_listed(programs: Path, project: Path) -> None:
    install(programs, "npx")
    found = agents(project, registry=offered("extra", "npx", "-y", "extra"))
    extra = found.find("extra")
    assert (extra.argv, extra.env, extra.fetched, extra.installed) == (("npx", "-y", "extra"), {"A": "1"}, True, False)
    assert extra.program
    assert found.listed[0] == extra


def test_a_known_agent_is_fetched_only_where_it_is_not_installed(programs: Path, project: Path) -> None:
    install(programs, "npx")
    registry = offered("claude-acp", "npx", "-y", "claude")
    claude = agents(project, registry=registry).find("claude")
    assert (claude.argv, claude.title, claude.fetched) == (("npx", "-y", "claude"), "Claude Code", True)
    install(programs, "claude-agent-acp")
    claude = agents(project, registry=registry).find("claude")
    assert (claude.argv, claude.fetched, claude.installed) == (("claude-agent-acp",), False, True)


def test_without_npx_one_is_told_how_to_install_it_by_hand(programs: Path, project: Path) -> None:
    claude = agents(project, registry=offered("claude-acp", "npx", "-y", "claude")).find("claude")
    assert claude.argv == ("claude-agent-acp",)
    assert claude.install.startswith("npm install")


def test_a_launch_has_all_that_is_configured(project: Path) -> None:
    own_file().parent.mkdir(parents=True)
    (own_file().parent / "x.env").write_text("A=file\nB=file\n")
    (own_file().parent / "work").mkdir()
    own = """
    [agents.mine]
    command = "mine"
    env = { A = "table" }
    env_file = "x.env"
    cwd = "work"
    roots = ["work"]
    fs = false
    protocol = "auto"
    """
    started = launch(project, "mine", own)
    work = own_file().parent.resolve() / "work"
    assert (started.command.argv, started.command.env) == (("mine",), {"A": "table", "B": "file"})
    assert (started.cwd, started.roots, started.command.protocol, started.consent) == (work, (str(work),), "auto", None)
    capabilities = started.capabilities
    assert (capabilities.read_text_file, capabilities.write_text_file, capabilities.terminal) == (False, False, True)
    assert launch_of(agents(project, own).find("mine"), project, cwd_given=True).cwd == project


@pytest.mark.parametrize("field", ["cwd = 'none'", "roots = ['none']"])
def test_a_folder_that_is_not_there_is_told(project: Path, field: str) -> None:
    with pytest.raises(UserFault) as raised:
        launch(project, "a", f"[agents.a]\ncommand='a'\n{field}")
    assert f"{own_file()}, line 3, agents.a.{field.split(maxsplit=1)[0]}: " in raised.value.message


def test_only_a_project_needs_consent(project: Path) -> None:
    text = "[agents.a]\ncommand = 'a'"
    assert launch(project, "a", own=text).consent is None
    assert launch(project, "goose").consent is None
    consent = launch(project, "a", theirs=text).consent
    assert consent is not None
    assert (consent.name, consent.folder, consent.file) == ("a", project, project / PROJECT_FILE)


def test_what_changes_the_start_changes_the_consent(project: Path) -> None:
    (project / "x.env").write_text("A=1")
    (project / "sub").mkdir()
    text = "[agents.a]\ncommand = 'a'"

    def word(theirs: str) -> str:
        consent = launch(project, "a", theirs=theirs).consent
        assert consent is not None
        return consent.fingerprint

    words = [
        word(text),
        word("[agents.a]\ncommand = 'b'"),
        word(f"{text}\nargs = ['x']"),
        word(f"{text}\nenv = {{ A = '1' }}"),
        word(f"{text}\nenv = {{ A = '2' }}"),
        word(f"{text}\nenv_file = 'x.env'\nenv = {{ B = '1' }}"),
        word(f"{text}\ncwd = 'sub'"),
        word(f"{text}\nroots = ['sub']"),
        word(f"{text}\n[agents.a.mcp_servers.b]\ncommand = 'c'"),
    ]
    assert len(set(words)) == len(words)
    assert word(text) == words[0]
    assert word(f"theme = 'nord'\n{text}") != words[0]
    from_file = word(f"{text}\nenv_file = 'x.env'")
    (project / "x.env").write_text("A=3")
    assert word(f"{text}\nenv_file = 'x.env'") != from_file


GEMINI = [
    ("gemini", "--acp"),
    ("/usr/local/bin/gemini", "--experimental-acp"),
    ("C:\\Users\\x\\npm\\gemini.CMD", "--acp"),
    ("gemini.exe",),
    ("npx", "@google/gemini-cli", "--acp"),
    ("npx", "-y", "@google/gemini-cli@0.61.0", "--acp"),
    ("/usr/bin/npx", "--package=@google/gemini-cli@latest", "gemini", "--acp"),
    ("npm", "exec", "--", "@google/gemini-cli", "--acp"),
    ("pnpm", "dlx", "@google/gemini-cli", "--acp"),
    ("bunx", "@google/gemini-cli"),
    ("node", "/opt/gemini.js", "--acp"),
    ("node", "--no-warnings", "/lib/node_modules/@google/gemini-cli/bundle/main.js", "--acp"),
    ("env", "-i", "GEMINI_API_KEY=x", "gemini", "--acp"),
]
OTHERS = [
    (),
    ("env",),
    ("echo", "gemini"),
    ("npx", "@google/gemini-cli-tools"),
    ("my-gemini", "--acp"),
    ("gemini-wrapper",),
    ("node", "agent.js", "/opt/gemini.js"),
    ("opencode", "acp"),
]


@pytest.mark.parametrize("argv", GEMINI, ids=" ".join)
def test_what_a_known_agent_needs_is_set_however_it_is_started(argv: tuple[str, ...]) -> None:
    found = known_by_argv(argv)
    assert found is not None
    assert found.name == "gemini"
    launch = by_command(argv, Path("/"))
    assert launch.capabilities == ClientCapabilities(read_text_file=False)
    assert len(launch.command.defaults) == 1
    assert 'Gemini CLI has fs = "write"' in launch.command.defaults[0]


@pytest.mark.parametrize("argv", OTHERS, ids=" ".join)
def test_nothing_is_set_for_other_commands(argv: tuple[str, ...]) -> None:
    launch = by_command(argv, Path("/"))
    assert (launch.capabilities, launch.command.defaults) == (ClientCapabilities(), ())


CONFIGURED = [
    # the table of the config file: reads, writes, whether that is a default
    ("[agents.gemini]", False, True, True),
    ("[agents.gemini]\ntitle='Mine'", False, True, True),
    ("[agents.gemini]\nfs=true", True, True, False),
    ("[agents.gemini]\nfs=false", False, False, False),
    ("[agents.gemini]\nfs='write'", False, True, False),
    ("[agents.gemini]\ncommand='npx'\nargs=['@google/gemini-cli', '--acp']", False, True, True),
    ("[agents.gemini]\ncommand='opencode'", True, True, False),
]


@pytest.mark.parametrize(("own", "read", "write", "by_default"), CONFIGURED)
def test_what_the_config_file_says_counts_more(
    project: Path, own: str, read: bool, write: bool, by_default: bool
) -> None:
    found = launch(project, "gemini", own)
    assert (found.capabilities.read_text_file, found.capabilities.write_text_file) == (read, write)
    assert bool(found.command.defaults) is by_default


def test_a_known_agent_by_its_name_has_its_defaults(project: Path) -> None:
    assert not launch(project, "gemini").capabilities.read_text_file
    assert launch(project, "opencode").capabilities.read_text_file


def test_a_tool_server_s_command_is_told_by_its_absolute_path(programs: Path, project: Path) -> None:
    npx = install(programs, "npx")
    own = "[agents.gemini.mcp_servers.a]\ncommand='npx'\n[agents.gemini.mcp_servers.b]\ncommand='absent'"
    assert [server.command for server in launch(project, "gemini", own).mcp_servers] == [str(npx), "absent"]


def test_what_a_project_names_is_part_of_the_consent(project: Path) -> None:
    (project / "lib").mkdir()
    named = ("run.sh", "agent.js", "hook.so", "server.py", "linked.sh")
    for name in named:
        (project / name).write_text("1")
        (project / name).chmod(0o755)
    (project / "link").symlink_to("linked.sh")
    theirs = """
    [agents.a]
    command = "./run.sh"
    args = ["agent.js", "./link", "./lib"]
    env = { LD_PRELOAD = "./hook.so" }
    mcp_servers = { b = { command = "python", args = ["./server.py"] } }
    """

    def consent() -> Consent:
        consent = launch(project, "a", theirs=theirs).consent
        assert consent is not None
        return consent

    assert {Path(path).name for path in consent().watched} == {"run.sh", "agent.js", "hook.so", "server.py", "link"}
    assert [Path(path).name for path in consent().unwatched] == ["lib"]
    words = {consent().fingerprint}
    for count, name in enumerate(named, 2):
        (project / name).write_text("2")
        words.add(consent().fingerprint)
        assert len(words) == count


def test_a_start_that_has_changed_since_it_was_agreed_to_is_refused(project: Path) -> None:
    run = project / "run.sh"
    run.write_text("1")
    run.chmod(0o755)
    command = launch(project, "a", theirs="[agents.a]\ncommand='./run.sh'").command
    assert command.check is not None
    command.check()
    run.write_text("2")
    with pytest.raises(UserFault, match="has changed since you agreed") as raised:
        command.check()
    assert raised.value.message == str(run)
    run.write_text("1")
    command.check()
    (project / PROJECT_FILE).write_text("")
    with pytest.raises(UserFault) as raised:
        command.check()
    assert raised.value.message == str(project / PROJECT_FILE)


def test_what_a_project_proposes_needs_consent_whoever_s_agent_it_is(project: Path) -> None:
    own = "[agents.mine]\ncommand = 'mine'\nenv = { KEY = 'secret' }"
    found = agents(project, own, "default_agent = 'mine'")
    file = load_config(project).project
    for name in ("mine", "goose"):
        assert launch_of(found.find(name), project).consent is None
        consent = launch_of(found.find(name), project, proposed_by=file).consent
        assert consent is not None
        assert consent.proposed
        assert (consent.name, consent.file) == (name, project / PROJECT_FILE)
    consent = launch_of(found.find("mine"), project, proposed_by=file).consent
    assert consent is not None
    assert consent.hidden == {"KEY"}


def test_a_program_of_the_project_is_not_found_by_its_name(
    programs: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "bin").mkdir()
    inside = install(project / "bin", "goose")
    monkeypatch.setenv("PATH", f"{project / 'bin'}:{programs}")
    goose = agents(project).find("goose")
    assert (goose.program, goose.passed_over) == ("", str(inside))
    program = install(programs, "goose")
    assert agents(project).find("goose").program == str(program)
    theirs = f"[agents.goose]\nenv = {{ PATH = '{project / 'bin'}' }}"  # which is shown and agreed to
    assert agents(project, theirs=theirs).find("goose").program == str(inside)


def test_an_agent_with_a_path_that_cannot_be_is_a_problem_of_its_own(project: Path) -> None:
    found = agents(project, theirs="[agents.a]\ncommand = '~nobody-here/x'\n[agents.b]\ncommand = 'b'")
    assert "agents.a" in found.problems[0]
    assert found.find("b").argv == ("b",)
    (project / "loop").symlink_to("loop")
    for written in ("loop", "x" * 5000):
        with pytest.raises(UserFault, match="cannot be started"):
            launch(project, "a", theirs=f"[agents.a]\ncommand = 'a'\ncwd = '{written}'")


def test_what_a_project_says_that_is_no_agent_leaves_the_users_own_of_that_name(project: Path) -> None:
    found = agents(project, "[agents.yolo]\ncommand = 'mine'", "[agents.yolo]\ncwd = '.'")
    assert (found.find("yolo").argv, found.find("yolo").origin) == (("mine",), "own")
    [problem] = found.problems
    assert "agents.yolo: needs a command" in problem
