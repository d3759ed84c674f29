"""What an agent may have passed over: much at once, and then little by little, however many requests and sessions."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from acp_tui.host.system import workspace_files as file_reading
from acp_tui.host.system.sandbox_paths import RequestFault
from acp_tui.host.system.workspace_files import Files, Reader, SkipBudget, SkipBudgetSpent
from acp_tui.protocol.vocabulary.tool_calls import ReadTextFileRequest


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_reading, "BURST", 100)
    monkeypatch.setattr(file_reading, "RATE", 10)


def test_what_is_spent_comes_back_with_time_and_never_more_than_all() -> None:
    clock = Clock()
    budget = SkipBudget(clock)
    budget.spend(150)
    with pytest.raises(SkipBudgetSpent):
        budget.spend(1)
    clock.now = 5.0
    with pytest.raises(SkipBudgetSpent):
        budget.spend(1)
    clock.now = 5.1
    budget.spend(1)
    clock.now = 10_000.0
    budget.spend(100)
    with pytest.raises(SkipBudgetSpent):
        budget.spend(1)


def test_only_what_is_passed_over_counts() -> None:
    budget = SkipBudget(Clock())
    budget.spend(99)
    reader = Reader(BytesIO(b"a\n" * 200), budget=budget)
    assert len(reader.read(None, 1_000)) == 400
    Reader(BytesIO(b"a\n" * 200), budget=budget).skip(1)  # the rest of the budget goes
    spent = Reader(BytesIO(b"a\n" * 200), budget=budget)
    with pytest.raises(SkipBudgetSpent):
        spent.skip(1)


@pytest.mark.anyio
@pytest.mark.parametrize("of", [lambda files: files, lambda files: files.within(files.roots)])
async def test_an_agent_is_told_and_its_other_requests_are_answered(
    tmp_path: Path, of: Callable[[Files], Files]
) -> None:
    (tmp_path / "a").write_text("one\n" * 50)
    files = Files([tmp_path], SkipBudget(Clock()))
    far = ReadTextFileRequest(session_id="s", path=str(tmp_path / "a"), line=40, limit=1)
    assert await files.read_text_file(far) == "one\n"
    with pytest.raises(RequestFault, match="try again"):
        await of(files).read_text_file(far)
    near = ReadTextFileRequest(session_id="s", path=str(tmp_path / "a"))
    assert len(await of(files).read_text_file(near)) == 200
