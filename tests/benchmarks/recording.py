"""What recording costs; run by hand: `python -m tests.benchmarks.recording [--smoke]`.

A session gets 1,000 updates a second for some seconds (text in chunks of 24 characters, tool calls, terminal
output), once without and once with a record. The difference in CPU time, of all threads, is what recording costs;
it is printed as a share of one core. Then a flood of text, as fast as it goes, of one session and of 100 subagents.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import tempfile
import time
from collections.abc import Iterator, Sequence

from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageChunk, StateUpdate, SubagentUpdate, Update
from acp_tui.protocol.vocabulary.tool_calls import Diff, TerminalOutputChunk, ToolCallUpdate
from acp_tui.session.facts import Fact, SubagentEvent
from acp_tui.session.state import Session

RATE = 1_000  # updates a second
CHILDREN = 100
TICKS = 50  # a second, in which they come


def updates(count: int) -> Iterator[Update]:
    """Mostly text, every tenth an output or a change of a tool call."""
    for number in range(count):
        call = str(number // 100)
        if number % 20 == 0:
            change = Diff(path="/project/login.py", old_text="a\n" * 20, new_text="b\n" * 20)
            yield ToolCallUpdate(tool_call_id=call, title="Edit login.py", status="in_progress", content=[change])
        elif number % 20 == 10:
            yield TerminalOutputChunk(terminal_id=call, data=b"tests/test_login.py::test_it PASSED\r\n")
        else:
            content = TextContent(type="text", text="four words of an answer ")
            yield MessageChunk(session_update="agent_message_chunk", message_id=call, content=content)


def paced(seconds: float, records: Records | None) -> float:
    """CPU seconds that this process needs for a session at RATE."""
    session = Session("s", "/project", agent_name="benchmark")
    if records is not None:
        records.record(session)
    told = list(updates(int(seconds * RATE)))
    began, cpu = time.perf_counter(), time.process_time()
    session.apply(StateUpdate(state="running"))
    for number, update in enumerate(told):
        if number % (RATE // TICKS) == 0:
            time.sleep(max(0.0, began + number / RATE - time.perf_counter()))
        session.apply(update)
    session.apply(StateUpdate(state="idle"))
    if records is not None:
        records.close()
    return time.process_time() - cpu


def flood(count: int, records: Records | None, children: int = 0) -> float:
    """CPU milliseconds for a flood of text, of the session or of so many subagents in turns."""
    session = Session("s", "/project")
    if records is not None:
        records.record(session)
    content = TextContent(type="text", text="x" * 24)
    chunk = MessageChunk(session_update="agent_message_chunk", message_id="1", content=content)
    told: Sequence[Update | Fact] = [chunk] * count
    if children:
        names = [f"child-{number}" for number in range(children)]
        session.apply(chunk)  # the record begins with the first word
        for name in names:
            session.apply(SubagentUpdate(session_id=name))
        told = [SubagentEvent(name, chunk) for name in names] * (count // children)
    cpu = time.process_time()
    for update in told:
        session.apply(update)
    if records is not None:
        records.close()
    return (time.process_time() - cpu) * 1000


def main() -> None:
    """Print the figures."""
    smoke = "--smoke" in sys.argv
    seconds, count = (0.5, 1_000) if smoke else (10.0, 100_000)
    with tempfile.TemporaryDirectory() as folder:
        bare = paced(seconds, None)
        recorded = paced(seconds, Records(Path(folder) / "paced"))
        share = (recorded - bare) / seconds * 100
        print(f"{RATE:,} updates/s: {bare / seconds * 100:.2f} % CPU without a record, {share:+.2f} % with one")
        records = Records(Path(folder) / "flood")
        print(f"flood of {count:,} chunks: {flood(count, None):.0f} ms CPU, recorded {flood(count, records):.0f} ms")
        print(f"its record: {_size(records):,} bytes for {count * 24:,} of text")
        records = Records(Path(folder) / "children")
        bare, recorded = flood(count, None, CHILDREN), flood(count, records, CHILDREN)
        print(f"the same of {CHILDREN} subagents in turns: {bare:.0f} ms CPU, recorded {recorded:.0f} ms")
        print(f"its record: {_size(records):,} bytes")


def _size(records: Records) -> int:
    return sum(info.size for info in records.list())


if __name__ == "__main__":
    main()
