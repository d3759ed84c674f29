"""What waits for the disk, and what does not."""

import anyio
import pytest

from acp_tui.host.system import threads as write_behind
from acp_tui.host.system import threads as write_queue
from acp_tui.host.system.threads import WriteQueue

pytestmark = pytest.mark.anyio
BOUND = 20.0


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_queue, "PATIENCE", 3 * BOUND)


async def test_settled_is_after_all_that_was_said_before_even_if_it_failed() -> None:
    made, done = WriteQueue(), list[str]()

    def full() -> None:
        raise OSError(28, "No space left on device")

    made.do(full)
    made.do(lambda: done.append("written"))
    with anyio.fail_after(BOUND):
        await made.settled()
    assert (done, made.problem) == (["written"], "No space left on device")
    await made.close()


async def test_a_disk_that_was_given_up_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_behind, "ITEM", write_behind.HELD + 1)
    made = WriteQueue()
    with anyio.fail_after(BOUND):
        made.do(lambda: None)
        await made.settled()
    assert made.problem == write_behind.FULL
