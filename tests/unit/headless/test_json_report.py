"""A run as JSON lines: each change once, and nothing again that did not change."""

import json
from typing import Any

import pytest

from acp_tui.console import Output
from acp_tui.headless.json_report import JsonReport
from acp_tui.protocol.vocabulary.session_updates import AccountLimit, StateUpdate, TokenUsage, UsageUpdate
from acp_tui.protocol.vocabulary.tool_calls import TerminalOutputChunk, TerminalReference, TerminalSize, TerminalUpdate
from acp_tui.session import export
from acp_tui.session.entries import ToolCallEntry
from tests.unit.session.speech import running, told, tool


class Lines(Output):
    """Output that only remembers."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []

    def answer(self, text: str) -> None:
        self.told.append(json.loads(text))


def test_output_of_a_terminal_does_not_look_at_the_tool_call_that_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    one, lines = told(), Lines()
    one.session.subscribe(JsonReport(lines, one.session).changed)
    one.apply(running(), tool(content=[TerminalReference(terminal_id="t")]))
    looked: list[Any] = []
    dataclass = export._dataclass

    def look(value: Any) -> dict[str, Any]:
        looked.append(value)
        return dataclass(value)

    monkeypatch.setattr(export, "_dataclass", look)
    one.apply(TerminalOutputChunk(terminal_id="t", data=b"x"))
    assert [line["type"] for line in lines.told[-2:]] == ["terminal_output", "terminal"]
    assert not [value for value in looked if isinstance(value, ToolCallEntry)]


def test_what_is_known_of_a_terminal_is_told_when_it_changes() -> None:
    one, lines = told(), Lines()
    one.session.subscribe(JsonReport(lines, one.session).changed)
    size = TerminalSize(cols=80, rows=24)
    for _ in range(2):
        one.apply(TerminalUpdate(terminal_id="t", command="make", size=size))
    known = {"terminal_id": "t", "command": "make", "cwd": None, "exit_status": None, "released": False}
    assert lines.told == [{"type": "terminal", **known, "size": {"cols": 80, "rows": 24}}]


def test_the_tokens_of_a_turn_and_limits_of_the_account_are_told() -> None:
    one, lines = told(), Lines()
    one.session.subscribe(JsonReport(lines, one.session).changed)
    limit = AccountLimit(kind="five_hour", used=0.82)
    one.apply(running(), UsageUpdate(used=1, size=2, limits=[limit]))
    one.apply(StateUpdate(state="idle", stop_reason="end_turn", usage=TokenUsage(input_tokens=2)))
    last = {line["type"]: line for line in lines.told}
    assert last["usage"]["usage"]["limits"] == [{"kind": "five_hour", "used": 0.82}]
    assert last["turn"]["usage"] == {"inputTokens": 2}
