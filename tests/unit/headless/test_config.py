"""`acp-tui config`: what is printed, and the editor."""

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_tui.errors import UserFault
from acp_tui.headless.lists import edit_config, show_config, show_schema
from acp_tui.host.config.config import PROJECT_FILE, Config, own_file
from acp_tui.host.config.preferences import remember
from acp_tui.host.config.settings import config_schema, template
from acp_tui.host.config.settings_table import SETTINGS
from acp_tui.host.config.toml_edit import toml
from acp_tui.session.text.secret_names import CONCEALED
from tests.examples import SHARING
from tests.own_config import write_own_config
from tests.strategies import UNSAFE, texts

SECRET = "hunter2"


def no_keys(config: Config) -> Iterable[str]:
    return ["# no keys"]


def printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    assert show_config(folder, no_keys) == 0
    return capsys.readouterr().out


def test_nothing_is_configured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = printed(tmp_path, capsys).splitlines()
    assert told[:2] == [f"# yours: {own_file()} (does not exist)", ""]
    assert told[-1] == "# no keys"
    assert all(line.startswith("#") for line in told if line)
    assert "# mouse = true  (default)" in told
    assert "# default_agent  (not set)" in told
    assert sum(line.endswith(("(default)", "(not set)")) for line in told) == len(SETTINGS) - len(
        ("agents", "folders", "keys", "presets", "limits")
    )


def test_it_is_said_where_a_setting_comes_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_own_config("# mine\nstatus_line = ['cost']\nstatus_command = ['x', '--token', 'hunter2']\n")
    (tmp_path / PROJECT_FILE).write_text("theme = 'nord'\ndefault_agent = 'x'\nmouse = false\n")
    remember("details", True)
    told = printed(tmp_path, capsys).splitlines()
    assert 'status_line = ["cost"]  # yours, line 2' in told
    assert f'status_command = ["x", "--token", "{CONCEALED}"]  # yours, line 3' in told
    assert 'theme = "nord"  # project, line 1' in told
    assert 'default_agent = "x"  # project, line 2, needs your consent' in told
    assert sum("x is neither a known agent nor one of your own" in line for line in told) == 1
    assert "details = true  # set with a shortcut" in told
    assert "# mouse = true  (default)" in told


def test_presets_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_own_config('[presets."a b"]\nmode = "*plan*"\nfast = true\n')
    told = printed(tmp_path, capsys)
    assert '\n[presets."a b"]\nmode = "*plan*"\nfast = true\n' in told


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert show_schema() == 0
    assert json.loads(capsys.readouterr().out) == config_schema()


def test_prompts_are_listed_with_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts = own_file().parent / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "fix.md").write_text("Fix it")
    (prompts / "broken.md").write_text("---\n")
    (tmp_path / ".acp-tui" / "prompts").mkdir(parents=True)
    (tmp_path / ".acp-tui" / "prompts" / "commit.md").write_text("Commit")
    told = printed(tmp_path, capsys)
    assert f"# prompt /fix: {prompts / 'fix.md'}\n" in told
    assert (
        f"commit.md (from the project: needs your consent)\n# {prompts / 'broken.md'}, line 1: the front matter" in told
    )


def test_what_counts_is_printed_without_secrets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_own_config(
        f"""
        theme = "nord"
        registry = "https://me:{SECRET}@example.com/r.json?token={SECRET}"
        [agents."my agent"]
        command = "a"
        args = ["--api-key", "{SECRET}", "--token={SECRET}", "--model", "x"]
        env = {{ "A.B" = "{SECRET}" }}
        fs = false
        [agents."my agent".mcp_servers.docs]
        type = "http"
        url = "https://{SECRET}@example.com/mcp"
        headers = {{ Authorization = "{SECRET}" }}
        [folders."~/code/app"]
        default_agent = "my agent"
        mcp_servers.db = {{ command = "db", env = {{ KEY = "{SECRET}" }} }}
        """
    )
    (tmp_path / PROJECT_FILE).write_text(f"theme = 'dracula'\nx = 1\n[agents.b]\ncommand = '{SECRET}'")
    told = printed(tmp_path, capsys)
    assert SECRET not in told
    assert f"# project: {tmp_path / PROJECT_FILE}\n" in told
    assert "[agents.b]" not in told
    assert "line 2, x: unknown setting" in told
    assert "no longer used in a project's file: agents. Put" in told
    read = tomllib.loads(told)
    assert read["theme"] == "dracula"
    assert read["registry"] == f"https://{CONCEALED}@example.com/r.json?token={CONCEALED}"
    mine = read["agents"]["my agent"]
    assert mine["args"] == ["--api-key", CONCEALED, f"--token={CONCEALED}", "--model", "x"]
    assert mine["env"] == {"A.B": CONCEALED}
    assert mine["fs"] is False
    assert mine["mcp_servers"]["docs"]["headers"] == {"Authorization": CONCEALED}
    assert read["folders"]["~/code/app"]["default_agent"] == "my agent"
    assert read["folders"]["~/code/app"]["mcp_servers"]["db"]["env"] == {"KEY": CONCEALED}


def test_escapes_in_a_file_are_written_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_own_config('[agents.a]\ncommand = "a"\ntitle = "x\\u001b[2Jy\\u202e"')
    told = printed(tmp_path, capsys)
    assert all(sign.isprintable() or sign == "\n" for sign in told)
    assert tomllib.loads(told)["agents"]["a"]["title"] == "x\x1b[2Jy\u202e"


@given(texts(without=r"\ud800-\udfff"))
def test_text_survives_being_written_astoml(text: str) -> None:
    assert UNSAFE.search(toml(text)) is None
    assert tomllib.loads(f"x = {toml(text)}")["x"] == text
    assert tomllib.loads(f"x = {toml({text: [True, text]})}")["x"] == {text: [True, text]}


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An editor that appends what is in a file beside it."""
    script = tmp_path / "my editor"
    script.write_text(f"#!/bin/sh\ncat '{tmp_path}/typed' >> \"$2\"\n")
    script.chmod(0o755)
    (tmp_path / "typed").write_text("")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"'{script}' --wait")
    return tmp_path / "typed"


def test_a_new_file_begins_with_all_there_is(editor: Path) -> None:
    assert edit_config() == 0
    assert own_file().read_text() == template()


def test_what_was_there_stays(editor: Path) -> None:
    write_own_config("theme = 'nord'\n")
    editor.write_text("default_agent = 'x'\n")
    assert edit_config() == 0
    assert own_file().read_text() == "theme = 'nord'\ndefault_agent = 'x'\n"


def test_a_mistake_is_told_at_once(editor: Path, capsys: pytest.CaptureFixture[str]) -> None:
    editor.write_text("them = 1\n")
    assert edit_config() == 0
    assert "them: unknown setting. Did you mean theme?" in capsys.readouterr().out
    editor.write_text("theme = \n")
    with pytest.raises(UserFault, match="cannot be used"):
        edit_config()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("/no/such/editor", "Cannot start the editor"),
        ("'unbalanced", "is not a valid command"),
        (" ", "No editor found"),
    ],
)
def test_an_editor_that_cannot_be_started_is_told(monkeypatch: pytest.MonkeyPatch, command: str, told: str) -> None:
    monkeypatch.setenv("VISUAL", command)
    monkeypatch.setenv("EDITOR", "")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UserFault, match=told):
        edit_config()


@given(st.dictionaries(st.text('A.é"\n ', min_size=1, max_size=5), st.text('x"\n\x1b', max_size=5), max_size=3))
@SHARING
def test_no_value_of_the_environment_is_ever_shown(capsys: pytest.CaptureFixture[str], env: dict[str, str]) -> None:
    secret = {name: f"{SECRET}{value}" for name, value in env.items()}
    write_own_config(f"[agents.a]\ncommand = 'a'\nenv = {toml(secret)}")
    told = printed(Path("/"), capsys)
    assert not any(value in told for value in secret.values())
