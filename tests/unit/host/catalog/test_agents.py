"""The list of agents, and how each is started."""

from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS, Agent, Package, known_by_argv
from acp_tui.host.catalog.agent_list import Agents, list_agents
from acp_tui.host.catalog.launch_plan import LaunchPlan, by_command
from acp_tui.host.catalog.launch_settings import for_folder, plan_of
from acp_tui.host.catalog.registry import Registry
from acp_tui.host.config.config import PROJECT_FILE, load_config, own_file
from acp_tui.protocol.capabilities import ClientCapabilities
from tests.own_config import write_own_config
from tests.rows import each_of


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
    write_own_config(own)
    (project / PROJECT_FILE).write_text(theirs)
    return list_agents(load_config(project), project, registry)


def launch(project: Path, name: str, own: str = "") -> LaunchPlan:
    return plan_of(agents(project, own).find(name), project, load_config(project).own)


def offered(name: str, *argv: str, env: dict[str, str] | None = None) -> Registry:
    words = name, name.title(), "words"
    package = Package("npm", name, "1.0.0")
    return Registry((Agent(*words, argv, "registry", env or {"A": "1"}, "how", "https://x", package=package),))


def test_known_agents_are_told_apart_and_say_all() -> None:
    assert len({agent.name for agent in KNOWN_AGENTS}) == len(KNOWN_AGENTS) >= 12
    for agent in KNOWN_AGENTS:
        assert all((agent.title, agent.description, agent.argv))
        assert agent.package is None or agent.licence
        assert "|" not in agent.install
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
    for name in ("goose", "mine"):
        install(programs, name)
    own = "[agents.mine]\ncommand='mine'\n[agents.absent]\ncommand='absent'"
    found = agents(project, own).listed
    assert [agent.name for agent in found[:4]] == ["mine", "goose", "absent", "opencode"]
    assert [agent.origin for agent in found[:2]] == ["own", "known"]


def test_the_default_comes_first_of_all(programs: Path, project: Path) -> None:
    install(programs, "goose")
    assert agents(project, "default_agent = 'kimi'").listed[0].name == "kimi"
    folder = f"[folders.'{project}']\ndefault_agent = 'opencode'"
    assert agents(project, f"default_agent = 'kimi'\n{folder}").listed[0].name == "opencode"


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


def test_what_a_registry_lists_is_listed_and_never_looked_for(programs: Path, project: Path) -> None:
    """Or it would choose which program of this machine is started."""
    install(programs, "extra")
    extra = agents(project, registry=offered("extra", "extra", "--acp")).find("extra")
    assert (extra.argv, extra.env, extra.installed, extra.program) == (("extra", "--acp"), {"A": "1"}, False, "")
    assert extra.package == Package("npm", "extra", "1.0.0")


@pytest.mark.parametrize("name", ["claude", "claude-acp", "opencode"])
def test_no_registry_takes_the_place_of_a_known_agent(programs: Path, project: Path, name: str) -> None:
    install(programs, "evil")
    found = agents(project, registry=offered(name, "evil")).listed
    assert not [agent for agent in found if "evil" in agent.argv or agent.origin == "registry"]
    assert len(found) == len(KNOWN_AGENTS)


def test_no_registry_says_anything_of_an_agent_of_the_user_s(programs: Path, project: Path) -> None:
    mine = agents(project, "[agents.mine]\ncommand = 'mine'", registry=offered("mine", "evil", "-x")).find("mine")
    told = mine.argv, mine.env, mine.title, mine.description, mine.homepage, mine.install, mine.package, mine.origin
    assert told == (("mine",), {}, "mine", "", "", "", None, "own")


def test_a_registry_s_agent_can_be_set_up_before_it_is_installed(programs: Path, project: Path) -> None:
    install(programs, "extra")
    own = "[agents.extra]\nenv = { B = '2' }\nargs = ['x']"
    extra = agents(project, own, registry=offered("extra", "extra")).find("extra")
    assert (extra.program, extra.env, extra.argv) == ("", {"A": "1", "B": "2"}, ("extra", "x"))
    assert extra.package is not None


def test_what_was_installed_stands_in_the_config(programs: Path, project: Path) -> None:
    install(programs, "codex-acp")
    program = install(project.parent, "codex-acp")
    own = f"[agents.codex]\ncommand = '{program}'\npackage = 'npm:@agentclientprotocol/codex-acp@1.0.0'"
    codex = agents(project, own).find("codex")
    assert (codex.program, codex.title) == (str(program), "Codex")
    assert codex.package == Package("npm", "@agentclientprotocol/codex-acp", "1.0.0")
    program.unlink()
    codex = agents(project, own).find("codex")
    assert (codex.program, codex.package is not None) == ("", True)  # it can be installed once more


def test_what_an_agent_needs_before_it_can_be_installed_is_told(programs: Path, project: Path) -> None:
    install(programs, "npm")
    install(programs, "goose")
    found = agents(project, registry=offered("extra", "extra"))
    needs = {agent.name: agent.needs[0] for agent in found.listed if agent.needs is not None}
    known = {agent.name: agent.package.kind for agent in KNOWN_AGENTS if agent.package is not None}
    assert needs == {name: "uv" for name, kind in known.items() if kind == "python"} != {}
    (programs / "npm").unlink()
    found = agents(project, registry=offered("extra", "extra"))
    assert {agent.name for agent in found.listed if agent.needs} == {*known, "extra"} - {"goose"}


def test_a_package_without_an_exact_version_is_told(project: Path) -> None:
    found = agents(project, "[agents.mine]\ncommand = 'mine'\npackage = 'npm:a'")
    assert found.problems == (
        f"{own_file()}, line 3, agents.mine.package: must be npm:NAME@VERSION or python:NAME==VERSION",
    )
    assert found.find("mine").package is None


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
    mine = agents(project, own).find("mine")
    assert plan_of(mine, project, load_config(project).own, cwd_given=True).cwd == project


def test_what_is_for_the_folder_counts_more_than_what_is_for_the_agent(project: Path) -> None:
    (below := project / "below").mkdir()
    (beside := project.parent / "project2").mkdir()
    own_file().parent.mkdir(parents=True)
    (own_file().parent / "agent.env").write_text("A=agent file\nB=agent file\nC=agent file\n")
    (own_file().parent / "app.env").write_text("B=folder\nC=folder\nD=folder\n")
    own = f"""
    [agents.mine]
    command = "mine"
    env_file = "agent.env"
    env = {{ A = "agent", B = "agent" }}
    mcp_servers = {{ one = {{ command = "agent-one" }}, two = {{ command = "agent-two" }} }}
    [folders.'{project}']
    env_file = "app.env"
    mcp_servers = {{ two = {{ command = "app-two" }}, three = {{ type = "http", url = "https://x" }} }}
    """
    found = agents(project, own)
    file = load_config(project).own
    general = {"A": "agent", "B": "agent", "C": "agent file"}
    for folder, env, servers in (
        (project, general | {"B": "folder", "C": "folder", "D": "folder"}, ["agent-one", "app-two", "https://x"]),
        (below, general | {"B": "folder", "C": "folder", "D": "folder"}, ["agent-one", "app-two", "https://x"]),
        (beside, general, ["agent-one", "agent-two"]),
    ):
        launch = plan_of(found.find("mine"), folder, file)
        assert launch.command.env == env
        assert [server.command or server.url for server in launch.mcp_servers] == servers
        assert launch.consent is None
    written_out = for_folder(by_command(("x",), project), file)
    assert written_out.command.env == {"B": "folder", "C": "folder", "D": "folder"}
    assert [server.name for server in written_out.mcp_servers] == ["two", "three"]


def test_placeholders_in_mcp_servers_of_the_config_are_filled_by_the_agent_s_variables(project: Path) -> None:
    own = """
    [agents.mine]
    command = "mine"
    env = { TOKEN = "t0ken" }
    mcp_servers = { one = { command = "x", args = ["${TOKEN}", "$5"], env = { K = "${NOT_SET:-no}" } } }
    """
    (server,) = launch(project, "mine", own).mcp_servers
    assert (server.args, server.env, server.put_in) == (("t0ken", "$5"), {"K": "no"}, ("t0ken",))
    write_own_config(f"[folders.'{project}'.mcp_servers.db]\ncommand = 'db'\nenv = {{ K = '${{NOT_SET}}' }}")
    with pytest.raises(UserFault, match=r"line 1, .*db: env.K: the variable NOT_SET is not set"):
        for_folder(by_command(("x",), project), load_config(project).own)


def test_an_env_file_of_a_folder_that_is_not_there_is_told(project: Path) -> None:
    write_own_config(f"[folders.'{project}']\nenv_file = 'none.env'")
    with pytest.raises(UserFault) as raised:
        for_folder(by_command(("x",), project), load_config(project).own)
    assert str(own_file().parent / "none.env") in raised.value.message


@pytest.mark.parametrize("field", ["cwd = 'none'", "roots = ['none']"])
def test_a_folder_that_is_not_there_is_told(project: Path, field: str) -> None:
    with pytest.raises(UserFault) as raised:
        launch(project, "a", f"[agents.a]\ncommand='a'\n{field}")
    assert f"{own_file()}, line 3, agents.a.{field.split(maxsplit=1)[0]}: " in raised.value.message


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


@each_of("argv", GEMINI)
def test_what_a_known_agent_needs_is_set_however_it_is_started(argv: tuple[str, ...]) -> None:
    found = known_by_argv(argv)
    assert found is not None
    assert found.name == "gemini"
    launch = by_command(argv, Path("/"))
    assert launch.capabilities == ClientCapabilities(read_text_file=False)
    assert len(launch.command.defaults) == 1
    assert 'Gemini CLI has fs = "write"' in launch.command.defaults[0]


@each_of("argv", OTHERS)
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


def test_what_a_project_proposes_needs_consent_whoever_s_agent_it_is(project: Path) -> None:
    own = "[agents.mine]\ncommand = 'mine'"
    found = agents(project, own, "default_agent = 'mine'")
    config = load_config(project)
    for name in ("mine", "goose"):
        assert plan_of(found.find(name), project, config.own).consent is None
        consent = plan_of(found.find(name), project, config.own, proposed_by=config.project).consent
        assert consent is not None
        assert (consent.name, consent.folder, consent.file) == (name, project, project / PROJECT_FILE)


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
    own = f"[agents.goose]\nenv = {{ PATH = '{project / 'bin'}' }}"  # which the user has written
    assert agents(project, own).find("goose").program == str(inside)
    assert agents(project, theirs=own).find("goose").program == str(program)


def test_an_agent_with_a_path_that_cannot_be_is_a_problem_of_its_own(project: Path) -> None:
    found = agents(project, "[agents.a]\ncommand = '~nobody-here/x'\n[agents.b]\ncommand = 'b'")
    assert "agents.a" in found.problems[0]
    assert found.find("b").argv == ("b",)
    (project / "loop").symlink_to("loop")
    for written in ("loop", "x" * 5000):
        with pytest.raises(UserFault, match="cannot be started"):
            launch(project, "a", f"[agents.a]\ncommand = 'a'\ncwd = '{project / written}'")
