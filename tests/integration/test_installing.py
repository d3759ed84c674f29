"""Agents are installed outside every project, pinned in the user's own config, and started by their absolute path.

The current folder is a checkout with everything that npm and uv look for. The real ones are run in it, with registries
on this machine; stand-ins show what they are given.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_entries import Package
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.installation import Installation, agents_folder, finish_installation, plan_installation
from acp_tui.host.catalog.launch_plan import start_of
from acp_tui.host.config.config import PROJECT_FILE, own_file
from tests.integration.checkouts import BOUND, Checkout, program
from tests.integration.packages import NAME, VERSION
from tests.own_config import write_own_config

ARGS = ["--acp", "a b; $HOME"]
# Writes down what it is given, and puts the program where it was told.
_INSTALLER = """\
#!{python}
import json, os, pathlib, sys
said = dict(argv=sys.argv, cwd=os.getcwd(), env=dict(os.environ), files=sorted(os.listdir(".")))
pathlib.Path({record!r}).write_text(json.dumps(said))
prefix = sys.argv[sys.argv.index("--prefix") + 1] if "--prefix" in sys.argv else ""
bin = pathlib.Path(prefix) / "bin" if prefix else pathlib.Path(os.environ["UV_TOOL_BIN_DIR"])
bin.mkdir(parents=True)
(bin / {name!r}).write_text("#!/bin/sh\\n")
(bin / {name!r}).chmod(0o755)
"""


def offer(folder: Path, **distribution: Any) -> None:
    """A registry that lists one agent with the package of the tests, named in the user's own config."""
    entry = {"id": "fake", "name": "Fake", "distribution": distribution, "license": "MIT", "authors": ["Me", "You"]}
    path = folder / "registry.json"
    path.write_text(json.dumps({"agents": [entry]}))
    write_own_config(f"# mine\nregistry = '{path}'\n")


def npm_entry(**more: Any) -> dict[str, Any]:
    return {"package": f"{NAME}@{VERSION}", "args": ARGS, "env": {"FAKE_DISABLE_AUTO_UPDATE": "1"}, **more}


def run(installation: Installation) -> int:
    """Run the command as the screen and the command line do, which have nothing but these values."""
    ended = subprocess.run(
        installation.argv, cwd=installation.cwd, env=installation.env, capture_output=True, timeout=BOUND, check=False
    )
    return ended.returncode


def planned(checkout: Checkout, name: str) -> Installation:
    agent_list = AgentList(checkout.folder)
    return plan_installation(agent_list.find(name), agent_list)


def install(agent_list: AgentList, name: str = "fake") -> Installation:
    installation = plan_installation(agent_list.find(name), agent_list)
    finish_installation(installation, run(installation))
    agent_list.read_again()
    return installation


def start(agent_list: AgentList, folder: Path) -> dict[str, Any]:
    """Start what was installed for work in the folder; what its program says."""
    launch = agent_list.plan(agent_list.find("fake"))
    begun = start_of(launch.command, str(launch.cwd))
    ended = subprocess.run(
        begun.argv, cwd=begun.cwd, env={**os.environ, **begun.env}, capture_output=True, timeout=BOUND, check=True
    )
    assert begun.argv[0].startswith(str(agents_folder()))
    told: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return told


def check(checkout: Checkout, told: dict[str, Any]) -> None:
    assert checkout.marks == []
    assert checkout.evil.asked == []
    assert (told["word"], told["cwd"], told["args"]) == ("registry", str(checkout.folder), ARGS)
    assert told["env"]["FAKE_DISABLE_AUTO_UPDATE"] == "1"


@pytest.mark.skipif(which("npm") is None, reason="npm is not installed")
def test_npm_installs_it_and_takes_nothing_of_the_project(checkout: Checkout, tmp_path: Path) -> None:
    offer(tmp_path, npx=npm_entry())
    agent_list = AgentList(checkout.folder)
    installation = install(agent_list)
    check(checkout, start(agent_list, checkout.folder))
    asked = len(checkout.good.asked)
    check(checkout, start(agent_list, checkout.folder))
    assert len(checkout.good.asked) == asked  # no launcher looks for it again
    assert own_file().read_text() == (
        f"# mine\nregistry = '{tmp_path}/registry.json'\n\n"
        '[agents.fake]\ntitle = "Fake"\n'
        f'command = "{installation.program}"\nargs = ["--acp", "a b; $HOME"]\n'
        'env = { FAKE_DISABLE_AUTO_UPDATE = "1" }\n'
        f'package = "npm:{NAME}@{VERSION}"\n'
    )
    agent = AgentList(checkout.folder).find("fake")
    assert (agent.origin, agent.program, agent.package) == ("own", installation.program, Package("npm", NAME, VERSION))


@pytest.mark.skipif(which("uv") is None, reason="uv is not installed")
def test_uv_installs_it_and_takes_nothing_of_the_project(checkout: Checkout, tmp_path: Path) -> None:
    offer(tmp_path, uvx=npm_entry(package=f"{NAME}=={VERSION}"))
    agent_list = AgentList(checkout.folder)
    install(agent_list)
    check(checkout, start(agent_list, checkout.folder))
    assert f"/simple/{NAME}/" in checkout.good.asked


def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installer: str, name: str = NAME) -> Path:
    """An installer that is the only one in PATH outside of the checkout; what it is given is put into the result."""
    record = tmp_path / "given.json"
    text = _INSTALLER.format(python=sys.executable, record=str(record), name=name)
    program(tmp_path / "tools" / installer, text)
    checkout = Path.cwd()
    monkeypatch.setenv("PATH", f"node_modules/.bin:{checkout}/.venv/bin:{tmp_path / 'tools'}:/usr/bin:/bin")
    return record


def test_what_npm_is_given(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = stand_in(tmp_path, monkeypatch, "npm")
    offer(tmp_path, npx=npm_entry())
    installation = plan_installation(AgentList(checkout.folder).find("fake"), AgentList(checkout.folder))
    prefix = agents_folder() / "fake" / VERSION
    npm = str(tmp_path / "tools" / "npm")
    assert installation.argv == (npm, "install", "-g", "--prefix", str(prefix), f"{NAME}@{VERSION}")
    assert installation.command_line == " ".join(installation.argv)
    assert (installation.program, installation.shown_env) == (
        str(prefix / "bin" / NAME),
        ("FAKE_DISABLE_AUTO_UPDATE=1",),
    )
    assert (installation.licence, installation.publisher, installation.before) == ("MIT", "Me, You", None)
    assert not given.exists()
    assert not agents_folder().exists()  # nothing is done before the user agrees
    assert run(installation) == 0
    told = json.loads(given.read_text())
    assert told["argv"] == list(installation.argv)
    assert not Path(told["cwd"]).is_relative_to(checkout.folder)
    assert told["files"] == ["package.json", "uv.toml"]
    assert told["env"]["PATH"] == f"{tmp_path / 'tools'}:/usr/bin:/bin"
    assert "FAKE_DISABLE_AUTO_UPDATE" not in told["env"]  # which is the agent's


def test_what_uv_is_given(checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = stand_in(tmp_path, monkeypatch, "uv")
    offer(tmp_path, uvx=npm_entry(package=f"{NAME}[x]=={VERSION}") | {"python": ">=3.12"})
    installation = install(AgentList(checkout.folder))
    told = json.loads(given.read_text())
    assert told["argv"] == [
        str(tmp_path / "tools" / "uv"),
        "tool",
        "install",
        "--python",
        ">=3.12",
        f"{NAME}[x]=={VERSION}",
    ]
    prefix = agents_folder() / "fake" / VERSION
    folders = {"UV_TOOL_DIR": str(prefix / "tools"), "UV_TOOL_BIN_DIR": str(prefix / "bin")}
    assert installation.variables == {name: told["env"][name] for name in folders} == folders
    assert installation.command_line.startswith(f"UV_TOOL_DIR={prefix}/tools UV_TOOL_BIN_DIR={prefix}/bin ")


def test_a_known_agent_is_installed_and_found_where_path_has_none(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "npm", "opencode")
    agent_list = AgentList(checkout.folder)
    assert agent_list.find("opencode").program == ""
    installation = install(agent_list, "opencode")
    agent = agent_list.find("opencode")
    assert agent.program == installation.program
    assert agent.argv == (installation.program, "acp")
    assert agent.title == "OpenCode"


def test_settings_of_a_project_that_npm_has_passed_on_do_not_count(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when acp-tui itself was started by `npm run` or `npx` in the checkout."""
    given = stand_in(tmp_path, monkeypatch, "npm")
    passed_on = {"npm_command": "exec", "npm_config_registry": checkout.evil.address, "INIT_CWD": str(checkout.folder)}
    for name, value in passed_on.items():
        monkeypatch.setenv(name, value)
    offer(tmp_path, npx=npm_entry())
    install(AgentList(checkout.folder))
    assert not passed_on.keys() & json.loads(given.read_text())["env"].keys()


def test_an_installer_of_the_project_is_not_used(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"node_modules/.bin:{checkout.folder}/.venv/bin:/nowhere")
    agent_list = AgentList(checkout.folder)
    with pytest.raises(UserFault, match="npm is needed to install OpenCode") as raised:
        plan_installation(agent_list.find("opencode"), agent_list)
    assert "is inside the project and is not used" in raised.value.message
    assert "nodejs.org" in raised.value.hint
    assert checkout.marks == []


@pytest.mark.parametrize("place", ["data_folder", "cache_folder"])
@pytest.mark.parametrize("inside", ["{folder}/.data", ".data", "{folder}"])
def test_nothing_is_installed_into_the_project_nor_by_what_lies_in_it(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str, place: str
) -> None:
    stand_in(tmp_path, monkeypatch, "npm")
    monkeypatch.setattr(
        f"acp_tui.host.catalog.installation.{place}", lambda: Path(inside.format(folder=checkout.folder))
    )
    agent_list = AgentList(checkout.folder)
    with pytest.raises(UserFault, match="inside the project"):
        plan_installation(agent_list.find("opencode"), agent_list)


def test_a_project_s_file_does_not_choose_what_is_installed(checkout: Checkout) -> None:
    before = AgentList(checkout.folder).find("opencode").package
    (checkout.folder / PROJECT_FILE).write_text("[agents.opencode]\npackage = 'npm:opencode-ai@1.0.0'\n")
    assert before is not None
    assert before.version != "1.0.0"
    assert AgentList(checkout.folder).find("opencode").package == before


@pytest.mark.parametrize("name", ["cursor", "goose"])
def test_what_is_no_package_has_its_page(checkout: Checkout, name: str) -> None:
    agent_list = AgentList(checkout.folder)
    with pytest.raises(UserFault, match="cannot be installed from here") as raised:
        plan_installation(agent_list.find(name), agent_list)
    assert raised.value.hint.startswith("How to install it: https://")


@pytest.mark.parametrize(("code", "words"), [(1, "failed with exit code 1"), (-2, "was stopped")])
def test_a_command_that_failed_leaves_the_config(checkout: Checkout, tmp_path: Path, code: int, words: str) -> None:
    program(tmp_path / "tools" / "npm", "#!/bin/sh\n")
    os.environ["PATH"] += f":{tmp_path / 'tools'}"
    installation = planned(checkout, "opencode")
    with pytest.raises(UserFault, match=words) as raised:
        finish_installation(installation, code)
    assert installation.command_line in raised.value.hint
    assert not own_file().exists()


def test_a_package_without_its_program_leaves_the_config(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "npm", "other")
    installation = planned(checkout, "opencode")
    with pytest.raises(UserFault, match="has no program opencode"):
        finish_installation(installation, run(installation))
    assert not own_file().exists()


@pytest.mark.parametrize(
    ("programs", "found"),
    [
        ({"odd": "a.js"}, "odd"),
        ({"odd": "a.js", "other": "a.js"}, "odd"),
        ({"odd": "a.js", "other": "b.js"}, None),
        ({"../odd": "a.js"}, None),
        ("a.js", None),
        (None, None),
    ],
)
def test_of_an_npm_package_the_only_program_is_taken(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, programs: Any, found: str | None
) -> None:
    """As npx does where the registry names none."""
    stand_in(tmp_path, monkeypatch, "npm", "odd")
    offer(tmp_path, npx=npm_entry())
    installation = planned(checkout, "fake")
    code = run(installation)
    place = agents_folder() / "fake" / VERSION / "lib" / "node_modules" / NAME
    place.mkdir(parents=True)
    (place / "package.json").write_text(json.dumps({"bin": programs}))
    if found is None:
        with pytest.raises(UserFault, match="has no program"):
            finish_installation(installation, code)
    else:
        assert finish_installation(installation, code) == str(Path(installation.program).with_name(found))


def test_a_config_that_changed_meanwhile_is_left_alone(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "npm", "opencode")
    installation = planned(checkout, "opencode")
    code = run(installation)
    write_own_config("theme = 'nord'\n")
    with pytest.raises(UserFault, match="edited in the meantime") as raised:
        finish_installation(installation, code)
    assert f'command = "{installation.program}"' in raised.value.hint
    assert own_file().read_text() == "theme = 'nord'\n"


def test_what_was_removed_can_be_installed_once_more(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "npm", "opencode")
    agent_list = AgentList(checkout.folder)
    install(agent_list, "opencode")
    before = own_file().read_text()
    shutil.rmtree(agents_folder())
    agent_list.look_again()
    with pytest.raises(UserFault, match="to install it again"):
        agent_list.find("opencode").check_installed()
    install(agent_list, "opencode")
    assert agent_list.find("opencode").program
    assert own_file().read_text() == before


def test_secrets_of_the_user_s_own_settings_are_not_shown(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "npm")
    own_file().parent.mkdir(parents=True, exist_ok=True)
    own = "command = '/none'\nargs = ['--api-key', 'SECRET']\nenv = { A_TOKEN = 'SECRET', B = 'b' }"
    own_file().write_text(f"[agents.mine]\n{own}\npackage = 'npm:mine@1.0.0'\n")
    installation = planned(checkout, "mine")
    assert "SECRET" not in installation.start_line + str(installation.shown_env)
    assert installation.shown_env[1] == "B=b"
    assert installation.agent.argv[1:] == ("--api-key", "SECRET")


def test_a_config_that_was_edited_before_the_question_counts_as_it_is_now(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, "npm", "opencode")
    agent_list = AgentList(checkout.folder)
    agent = agent_list.find("opencode")
    write_own_config("[agents.opencode]\nenv = { A = '1' }\n")
    installation = plan_installation(agent, agent_list)
    finish_installation(installation, run(installation))
    assert own_file().read_text().startswith("[agents.opencode]\nenv = { A = '1' }\ncommand = ")
    own_file().write_text("[agents.kimi]\ncommand = 'mine'\n")
    with pytest.raises(UserFault, match="cannot be installed from here"):
        plan_installation(next(agent for agent in agent_list.agents.listed if agent.name == "kimi"), agent_list)
    own_file().write_text("[agents.kimi\n")
    with pytest.raises(UserFault, match="config file cannot be used"):
        plan_installation(agent_list.find("opencode"), agent_list)


@pytest.mark.parametrize("name", ["..", ".", "../x", "a/b", "/x"])
def test_a_name_that_is_no_folder_s_is_refused(checkout: Checkout, name: str) -> None:
    write_own_config(f"[agents.'{name}']\ncommand = 'mine'\npackage = 'npm:mine@1.0.0'\n")
    agent_list = AgentList(checkout.folder)
    with pytest.raises(UserFault, match="Its name cannot be a folder name"):
        plan_installation(agent_list.find(name), agent_list)
