"""What the first release left on the disk is still read: its config, its state folder, its record of the wire.

The files in `first_release/` were written by it, in the folder `PROJECT`.
"""

import shutil
from pathlib import Path

import pytest

from acp_tui.host.config.choices import Consents, KeptChoices, PromptHistory, history_file
from acp_tui.host.config.config import load_config
from acp_tui.host.config.preferences import remembered
from acp_tui.host.prompts.drafts import KeptDraft
from acp_tui.host.records.records import Records
from acp_tui.host.records.wire_record import read_wire_record
from acp_tui.host.sessions.questions import LastOptions
from acp_tui.session.export import to_markdown
from acp_tui.ui.commands.key_table import config_problems, rebind
from acp_tui.ui.commands.registry import BY_ID

FILES = Path(__file__).parent / "first_release"
PROJECT = Path("/home/user/project")


@pytest.fixture(autouse=True)
def left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # what keeps the other tests from the state folder
    for what, variable in (("state", "XDG_STATE_HOME"), ("config", "XDG_CONFIG_HOME")):
        shutil.copytree(FILES / what, tmp_path / what / "acp-tui")
        monkeypatch.setenv(variable, str(tmp_path / what))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_its_config_says_what_it_said(tmp_path: Path) -> None:
    config = load_config(tmp_path)
    try:
        assert config_problems(config) == []
        assert (config.theme, config.own_default_agent, config.notifications) == ("acp-light", "demo", "bell")
        assert BY_ID["toggle_plan"].keys == ("ctrl+t", "f6")
        assert "mine" in config.agents
    finally:
        rebind({})


def test_its_prompts_drafts_and_choices_are_there() -> None:
    assert PromptHistory(history_file(PROJECT)).entries[-1].startswith("Please add a retry")
    draft = KeptDraft(history_file(PROJECT)).left_behind()[0]
    assert (draft.text, len(draft.attached)) == ("a draft that waits [Image 1]", 1)
    kept = KeptChoices.for_agent("acp-tui-demo")
    assert (kept.kept["model"].value, kept.recent) == ("sage-4-long", {"model": ["sage-4-long"]})
    last = LastOptions(("an-agent", "acp"))
    last.load()
    assert last.values == {"model": "sage", "careful": True}
    assert remembered("sidebar")
    assert Consents().holds("0" * 64)


def test_its_records_are_read_whole() -> None:
    records = Records()
    (info,) = records.list(str(PROJECT))
    assert (info.session_id, info.agent, info.title) == ("demo-1", "Demo agent", "Fix the login test")
    text = to_markdown(records.load(info.path))
    for said in ("Please add a retry", "SESSION_TIMEOUT", "my story plays in a small project", "Run the tests again"):
        assert said in text
    assert "could not be read" not in text
    assert records.search(["retry"]).hits


def test_its_record_of_the_wire_is_read() -> None:
    lines = [*filter(None, read_wire_record(FILES / "wire.jsonl"))]
    assert sum(line.direction == "->" for line in lines) > 4
    assert any(b'"session/prompt"' in line.line for line in lines)
