"""System prompts as they are written: which count, in which order, and what cannot be used."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.catalog.launch_plan import LaunchPlan, by_command
from acp_tui.host.catalog.launch_settings import (
    MOST,
    for_folder,
    given_prompt,
    prompted,
    with_given,
)
from acp_tui.host.client import AgentCommand, Client
from acp_tui.host.config.config import PROJECT_FILE, load_config
from acp_tui.protocol.capabilities import SystemPrompt
from acp_tui.protocol.vocabulary.initialization import SessionInfo
from tests.own_config import write_own_config

WORD, FILE = "--append-system-prompt", "--append-system-prompt-file"
CONFIGURED = SystemPrompt("Own.", ("Add.",), ("system_prompt of config.toml", "append_system_prompt of config.toml"))


def configured(folder: Path) -> SystemPrompt:
    agent_list = AgentList(folder)
    return agent_list.plan(agent_list.find("mine")).system_prompt


def test_the_command_line_replaces_what_replaces_and_adds_to_what_is_added() -> None:
    own, added = ("--system-prompt", "Given."), [(WORD, "More."), (WORD, "Most.")]
    assert given_prompt(SystemPrompt(), None, added) == SystemPrompt("", ("More.", "Most."), (WORD, WORD), given=True)
    assert given_prompt(CONFIGURED, own, added) == SystemPrompt(
        "Given.",
        ("Add.", "More.", "Most."),
        ("--system-prompt", "append_system_prompt of config.toml", WORD, WORD),
        given=True,
    )
    assert given_prompt(CONFIGURED, None, added[:1]).texts == ("Own.", "Add.", "More.")
    assert given_prompt(CONFIGURED, own, ()).sources == ("--system-prompt", "append_system_prompt of config.toml")


def test_the_text_of_a_file_is_taken_as_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules.md").write_bytes(b"\xef\xbb\xbf# Rules\n\nBe kind.\n")
    monkeypatch.chdir(tmp_path)
    assert given_prompt(SystemPrompt(), None, [(FILE, "rules.md")]).append == ("# Rules\n\nBe kind.\n",)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert given_prompt(SystemPrompt(), ("--system-prompt-file", "~/rules.md"), ()).override == "# Rules\n\nBe kind.\n"


def test_a_file_may_be_a_pipe(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from a pipe")
    os.close(writing)
    try:
        assert given_prompt(SystemPrompt(), None, [(FILE, f"/dev/fd/{reading}")]).append == ("from a pipe",)
    finally:
        os.close(reading)


@pytest.mark.parametrize(
    ("option", "value", "reason"),
    [
        (WORD, "", "the text is empty"),
        (WORD, " \n", "the text is empty"),
        (WORD, "\udcff", "not UTF-8"),
        (FILE, "empty.md", "empty.md: the text is empty"),
        (FILE, "latin.md", "latin.md: not UTF-8"),
        (FILE, "large.md", "large.md: larger than 262,144 bytes"),
        (FILE, "none.md", "none.md: No such file or directory"),
        (FILE, ".", "Is a directory"),
        (FILE, "~nobody-at-all/x", "~nobody-at-all/x: "),
        (FILE, "a\0b", "null"),
        (FILE, "", "Is a directory"),
        (WORD, "x" * (MOST + 1), "together longer than 262,144 bytes"),
        ("--system-prompt", "", "--system-prompt: the text is empty"),
        ("--system-prompt-file", "latin.md", "--system-prompt-file: latin.md: not UTF-8"),
    ],
)
def test_what_cannot_be_used_is_told_with_its_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, value: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.md").write_bytes(b"\xef\xbb\xbf \n")
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "large.md").write_bytes(b"x" * (MOST + 1))
    replaces = option.startswith("--system")
    with pytest.raises(UserFault) as raised:
        given_prompt(SystemPrompt(), (option, value) if replaces else None, [] if replaces else [(option, value)])
    assert raised.value.title == "The system prompt cannot be used"
    assert raised.value.message.startswith(option)
    assert reason in raised.value.message


def test_none_at_all_goes_with_nothing_else(tmp_path: Path) -> None:
    launch = replace(by_command(("agent",), tmp_path), system_prompt=CONFIGURED)
    assert with_given(launch, None, (), none=True).system_prompt == SystemPrompt(given=True)
    assert with_given(launch, None, [(WORD, "More.")], none=False).system_prompt.texts == ("Own.", "Add.", "More.")
    with pytest.raises(UserFault, match="--no-system-prompt cannot be combined with --append-system-prompt"):
        with_given(launch, None, [(WORD, "More.")], none=True)


def test_several_texts_are_bounded_together() -> None:
    half = "x" * (MOST // 2)
    assert given_prompt(SystemPrompt(), None, [(WORD, half), (WORD, half)]).given
    with pytest.raises(UserFault, match="together longer"):
        given_prompt(SystemPrompt("", ("y",)), None, [(WORD, half), (WORD, half)])


def test_an_agent_s_settings_have_both(tmp_path: Path) -> None:
    write_own_config("[agents.mine]\ncommand = 'x'\nsystem_prompt = 'Own.'\nappend_system_prompt = '''Add.\nMore.'''")
    assert configured(tmp_path) == SystemPrompt("Own.", ("Add.\nMore.",), CONFIGURED.sources)
    write_own_config("[agents.mine]\ncommand = 'x'\nappend_system_prompt = ' '")
    assert configured(tmp_path) == SystemPrompt()


def test_a_setting_that_is_too_long_is_told_with_its_place(tmp_path: Path) -> None:
    path = write_own_config(f"[agents.mine]\ncommand = 'x'\nsystem_prompt = '{'x' * (MOST + 1)}'")
    with pytest.raises(UserFault) as raised:
        configured(tmp_path)
    assert str(path) in raised.value.message
    assert "line 3" in raised.value.message


def launched(folder: Path) -> LaunchPlan:
    """An agent that was written out, in this folder."""
    own = load_config(folder).own
    return prompted(for_folder(by_command(("agent",), folder), own), own)


def for_the_folder(folder: Path, text: str = "Folder.") -> str:
    return f"[folders.'{folder}']\nappend_system_prompt = '{text}'\n"


def test_what_is_said_for_all_agents_comes_first_and_what_is_for_the_folder_last(tmp_path: Path) -> None:
    assert not load_config(tmp_path).has_prompt
    write_own_config(
        "append_system_prompt = 'Mine.'\nsystem_prompt = 'All.'\n"
        "[agents.mine]\ncommand = 'x'\nappend_system_prompt = 'Agent.'\nsystem_prompt = 'One.'\n"
        + for_the_folder(tmp_path)
    )
    config = load_config(tmp_path)
    assert config.has_prompt
    assert config.warnings == []
    agent_list = AgentList(tmp_path, config)
    prompt = prompted(agent_list.plan(agent_list.find("mine")), config.own).system_prompt
    source = "append_system_prompt of config.toml"
    sources = ("system_prompt of config.toml", source, source, source)
    assert prompt == SystemPrompt("One.", ("Mine.", "Agent.", "Folder."), sources)
    launch = launched(tmp_path)
    assert launch.system_prompt.texts == ("All.", "Mine.", "Folder.")
    given = with_given(launch, None, [(WORD, "Given.")], none=False).system_prompt
    assert given.texts == ("All.", "Mine.", "Folder.", "Given.")


def test_nothing_of_a_project_s_text_is_used(tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).write_text("append_system_prompt = 'Project.'\nsystem_prompt = 'Other.'")
    assert not load_config(tmp_path).has_prompt
    assert launched(tmp_path).system_prompt == SystemPrompt()


def test_a_folder_s_text_that_is_too_long_is_told_with_its_place(tmp_path: Path) -> None:
    path = write_own_config(for_the_folder(tmp_path, "x" * (MOST + 1)))
    with pytest.raises(UserFault) as raised:
        launched(tmp_path)
    assert f"{path}, line 2, " in raised.value.message


def test_a_folder_s_text_counts_in_it_alone(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    (folder / "inside").mkdir(parents=True)
    write_own_config("append_system_prompt = 'Mine.'\n" + for_the_folder(folder))
    prompt = with_given(launched(folder), None, [(WORD, "Given.")], none=False).system_prompt
    assert prompt.texts == ("Mine.", "Folder.", "Given.")
    assert prompt.at(str(folder / "inside")) is prompt.at(str(folder)) is prompt
    assert prompt.at(str(tmp_path)).texts == ("Mine.", "Given.")


def test_sessions_elsewhere_do_not_get_what_is_for_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    write_own_config(for_the_folder(folder) + "mcp_servers = { db = { command = 'db' } }")
    launch = launched(folder)
    client = Client(
        LaunchPlan(
            AgentCommand(("agent",)),
            folder,
            system_prompt=launch.system_prompt,
            mcp_servers=launch.mcp_servers,
            roots=(str(tmp_path),),
        )
    )
    here, there = client.open_session(), client.open_session(str(tmp_path))
    known = client.load_session(SessionInfo(session_id="known", cwd=str(tmp_path)))
    assert client.system_prompt(here).texts == ("Folder.",)
    assert [server.name for server in client.mcp_servers(here)] == ["db"]
    for session in (there, known):
        assert (client.system_prompt(session).texts, client.mcp_servers(session)) == ((), ())
