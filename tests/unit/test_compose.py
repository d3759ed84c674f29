import os
from pathlib import Path

import pytest

from acp_tui import compose
from acp_tui.host.agent_command import AgentCommand
from acp_tui.host.launch import Launch


@pytest.mark.parametrize("before", [None, "60"])
def test_textual_s_settings_last_for_its_import_only(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.delenv("TEXTUAL_SPEEDUPS", raising=False)
    monkeypatch.delenv("TEXTUAL_FPS", raising=False)
    if before:
        monkeypatch.setenv("TEXTUAL_FPS", before)
    with compose.textual_settings():
        assert os.environ["TEXTUAL_FPS"] == (before or "120")
        assert os.environ["TEXTUAL_SPEEDUPS"] == "0"
    assert os.environ.get("TEXTUAL_FPS") == before
    assert "TEXTUAL_SPEEDUPS" not in os.environ


def test_every_session_has_the_title_of_its_launch_until_the_agent_introduces_itself(tmp_path: Path) -> None:
    client, session, _ = compose._opened(Launch(AgentCommand(("agent",)), tmp_path, title="Mine"))
    assert (session.agent_name, client.open_session().agent_name) == ("Mine", "Mine")
