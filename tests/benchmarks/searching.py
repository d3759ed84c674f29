"""What a list of many sessions, and a search in all of them, cost: `python -m tests.benchmarks.searching [--smoke]`.

10,000 small records are listed, and a gigabyte in 1,000 records is searched: from their files, the first time that the
index and the texts are made, and again. CPU seconds of this process, the least of several.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import time
from collections.abc import Callable
from tempfile import TemporaryDirectory

from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.protocol.vocabulary.session_updates import MessageUpdate, StateUpdate
from acp_tui.session.state import Session

WORDS = "Some words of an answer that is not so short, and says what was done where. "
TIMES = 5


def record_of(folder: Path, size: int) -> bytes:
    """A record of about so many bytes."""
    records = Records(folder)
    session = Session(id="s-00000", cwd="/project", agent_name="benchmark")
    records.record(session)
    session.apply(StateUpdate(state="running"))
    for number in range(max(1, size // 1_000)):
        content = [TextContent(text=f"{WORDS * 11}({number})")]
        session.apply(MessageUpdate(session_update="agent_message", message_id=str(number), content=content))
    session.apply(StateUpdate(state="idle"))
    records.close()
    path = records.path_of(session)
    return path.read_bytes() if path is not None else b""


def fill(folder: Path, count: int, size: int) -> None:
    data = record_of(folder.with_name("one"), size)
    folder.mkdir()
    for number in range(count):
        own = data.replace(b"s-00000", f"s-{number:05}".encode()).replace(b"(0)", f"(needle{number:05}x)".encode())
        (folder / f"20260101-000000-{number:08}.jsonl").write_bytes(own)


def least(act: Callable[[], object], times: int = TIMES) -> float:
    """CPU seconds of the quickest of several times."""
    found = []
    for _ in range(times):
        began = time.process_time()
        act()
        found.append(time.process_time() - began)
    return min(found)


def told(what: str, seconds: float) -> None:
    print(f"  {what:46} {seconds:8.3f} s")


def main() -> None:
    smoke = "--smoke" in sys.argv
    with TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder / "many", 200 if smoke else 10_000, 3_000)
        print(f"a list of {len(Records(folder / 'many').list()):,} records")
        told("their files", least(Records(folder / "many").list))
        indexed = Records(folder / "many", cache=folder / "index")
        told("the first time by the index", least(indexed.list, 1))
        told("again", least(indexed.list))
        fill(folder / "large", 10 if smoke else 1_000, 1_000_000)
        print(f"a word that is in one of {sum(each.stat().st_size for each in (folder / 'large').iterdir()):,} bytes")
        plain, texts = Records(folder / "large"), Records(folder / "large", cache=folder / "texts")
        told("their files", least(lambda: plain.search(["needle00007"]), 1))
        told("the first time", least(lambda: texts.search(["needle00007"]), 1))
        told("again", least(lambda: texts.search(["needle00007"])))
        assert [hit.info.session_id for hit in texts.search(["needle00007"]).hits] == ["s-00007"]


if __name__ == "__main__":
    main()
