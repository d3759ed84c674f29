"""What drawing messages costs, in CPU milliseconds; run by hand: `python -m tests.benchmarks.markdown [--smoke]`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))  # started by its path, it would not find `tests`

import gc
import time
from collections.abc import Callable, Sequence

from acp_tui.session.entries import MessageEntry, TextPart
from acp_tui.ui.entries.message import MessageDrawing
from acp_tui.ui.kit.theme import DARK, palette_for
from acp_tui.ui.render.wrap import Unit

WIDTH, SCREEN = 100, 40
PALETTE = palette_for(DARK)
PROSE = """## What I found

The fixture never awaits `login()`, so **every** test after it sees the *first* session, see
[the docs](https://example.com/docs) and [`src/login.py`](src/login.py) for the details of it.

- the token is read before it is written
- the timeout is 30 s, not 30 ms
  1. so nothing ever expires
  2. and the cache grows

```python
async def login(user: str, *, timeout: float = 30.0) -> Session:
    # wait for the token
    token = await fetch(f"/login/{user}", timeout=timeout)
    return Session(user, token)
```

| test | before | after |
|:-----|-------:|------:|
| login | 1.2 s | 0.2 s |
| logout | 3.4 s | 0.1 s |

"""


SHARE = 50 if "--smoke" in sys.argv else 1  # of each growing message, one part in so many is told


def main() -> None:
    """Print all figures."""
    MessageDrawing(_message(PROSE * 2)).units[0].rows(WIDTH, PALETTE)  # import what is imported lazily
    text = PROSE * 700
    _stream("20,000 chunks of 24, 100 flushes, update only", text, 20_000, 100, painted=False)
    _stream("20,000 chunks of 24, 100 flushes, screen laid out", text, 20_000, 100, painted=True)
    _stream("2,000 chunks of 24, each laid out", text, 2_000, 2_000, painted=True)
    fence = "```python\n" + "    return {key: value for key, value in rows if value}  # keep\n" * 17_000
    _stream("1 MB fence, 43,000 chunks, 200 flushes, laid out", fence, 43_000, 200, painted=True)
    _stream("1 MB fence inside a list", "- item\n\n  " + fence.replace("\n", "\n  "), 43_000, 200, painted=True)
    _stream("500 KB paragraph on one line", "word and another " * 30_000, 20_000, 100, painted=True)
    _stream("500 KB paragraph of short lines", "word and another\n" * 30_000, 20_000, 100, painted=True)
    _stream("500 KB of list items", "- item with some words\n" * 22_000, 20_000, 100, painted=True)
    _stream("5,000 table rows", "| a | b |\n|---|--:|\n" + "| some cell | 42 |\n" * 5_000, 4_000, 100, painted=True)
    for name, text in HOSTILE.items():
        _once(f"hostile: {name}", lambda text=text: _screen(MessageDrawing(_message(text)).units))  # type: ignore[misc]
    _once("open 1,000 messages of 1 KB", lambda: [MessageDrawing(_message(PROSE)).units for _ in range(1_000)])
    _once(
        "lay out one screen of 10 messages", lambda: [_screen(MessageDrawing(_message(PROSE)).units) for _ in range(10)]
    )
    closed = MessageDrawing(_message(fence + "```\n"))
    _once("closed 1 MB fence, first screen", lambda: _paint(closed.units[:2]))
    _once("closed 1 MB fence, jump to the end", lambda: _paint(closed.units[-3:]))


HOSTILE = {
    "brackets": "[" * 50_000,
    "stars": "*a " * 20_000,
    "quotes": "> " * 20_000 + "\n" * 5,
    "backticks": "".join("`" * n + " " for n in range(1, 300)),
    "nested lists": "\n".join("  " * n + "- x" for n in range(300)),
    "pipes": "|" * 5_000 + "\n" + "|-" * 5_000 + "\n" + "|" * 5_000,
    "links": "[a](" * 10_000,
    "one MB of CJK": "漢字、かな" * 70_000,
    "nested emphasis": "*_" * 4_000 + "a" + "_*" * 4_000,
}


def _message(text: str) -> MessageEntry:
    return MessageEntry("m", "agent", [TextPart([text], len(text))], sealed=True)


def _paint(units: Sequence[Unit]) -> int:
    return sum(len(unit.rows(WIDTH, PALETTE)) for unit in units)


def _screen(units: Sequence[Unit]) -> int:
    """Lay out the units that the last screen shows."""
    rows = 0
    for unit in reversed(units):
        rows += len(unit.rows(WIDTH, PALETTE))
        if rows >= SCREEN:
            break
    return rows


def _stream(name: str, text: str, chunks: int, flushes: int, *, painted: bool) -> None:
    """Grow a message by chunks of 24 characters; units that stay the same are laid out once, as the view does."""
    part = TextPart([], 0)
    entry = MessageEntry("m", "agent", [part])
    drawing = MessageDrawing(entry)
    pieces = [text[index * 24 : index * 24 + 24] for index in range(chunks)]
    held: dict[int, tuple[Unit, int, int]] = {}
    worst = spent = 0.0
    each, flushes = chunks // flushes, max(1, flushes // SHARE)
    gc.collect()
    for flush in range(flushes):
        for piece in pieces[flush * each : (flush + 1) * each]:
            part.append(piece)
        entry.version += 1
        start = time.process_time()
        drawing.update()
        if painted:
            _screen_held(drawing.units, held)
        took = time.process_time() - start
        spent += took
        worst = max(worst, took)
    print(f"{name:52} {spent * 1000:9.1f} ms   {spent * 1000 / flushes:7.3f} a flush, worst {worst * 1000:7.2f}")


def _screen_held(units: Sequence[Unit], held: dict[int, tuple[Unit, int, int]]) -> None:
    rows = 0
    for unit in reversed(units):
        known = held.get(id(unit))
        if known is None or known[1] != unit.version:
            known = held[id(unit)] = unit, unit.version, len(unit.rows(WIDTH, PALETTE))
        rows += known[2]
        if rows >= SCREEN:
            break


def _once(name: str, work: Callable[[], object]) -> None:
    gc.collect()
    start = time.process_time()
    work()
    print(f"{name:52} {(time.process_time() - start) * 1000:9.1f} ms")


if __name__ == "__main__":
    main()
