"""Texts, tables, diffs and pictures made to cost more than they weigh, all in one conversation on a real terminal."""

import base64
import json
import struct
import zlib
from pathlib import Path

from acp_tui.host.config.state_files import state_folder
from tests.agents.scripted import write_script
from tests.driven_screen import DrivenScreen


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, *chunks: bytes) -> str:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join([head, *chunks, chunk(b"IEND", b"")])).decode()


BOMB = zlib.compress(bytes(50_000_000))
PICTURES = {
    "huge": png(60_000, 60_000, chunk(b"IDAT", zlib.compress(bytes(1_000)))),
    "beyond": png(2**32 - 1, 2**32 - 1),
    "nothing": png(0, 0),
    "data": png(100, 100, chunk(b"IDAT", BOMB)),
    "text": png(100, 100, chunk(b"zTXt", b"x\0\0" + BOMB)),
    "cut": png(100, 100, chunk(b"IDAT", BOMB))[:400],
    "bad": "!" * 1_000,
}
TEXTS = [
    *("> " * 5_000 + "x", "[" * 20_000, "*a_ " * 10_000, "`" * 20_000 + "x", "- " * 3_000 + "x", "<" * 50_000),
    *("|" + "a|" * 5_000 + "\n|" + "-|" * 5_000, "```html\n" + "<" * 50_000, "```json\n" + "[" * 50_000),
    "![](x)" * 3_000 + "&" * 10_000 + "\\" * 10_000,
]
AGENT = """
agent.initialize()
agent.new_session()
prompt = agent.expect("session/prompt")
texts, pictures = json.load(open(TOLD))
for text in texts:
    agent.say("\\n\\n" + text + "\\n\\n")
    agent.update({"sessionUpdate": "tool_call", "toolCallId": "text", "title": text, "status": "completed"})
nested = "x"
for _ in range(100):
    nested = [nested]
agent.update({"sessionUpdate": "tool_call", "toolCallId": "deep", "title": "deep", "rawInput": nested})
for data in pictures:
    image = {"type": "image", "mimeType": "image/png", "data": data}
    agent.update({"sessionUpdate": "agent_message_chunk", "content": image})
old, new = ("".join(f"{word} {number % 2}\\n" for number in range(30_000)) for word in ("old", "new"))
for path, before, after in (("a", old, new), ("b", "x" * 1_000_000, "y" * 1_000_000), ("c", old, old[6:] + "end")):
    diff = {"type": "diff", "path": "/" + path, "oldText": before, "newText": after}
    call = {"sessionUpdate": "tool_call", "toolCallId": path, "title": path, "kind": "edit", "content": [diff]}
    agent.update({**call, "status": "completed"})
agent.say("ALL OF IT SAID")
agent.end_turn(prompt)
agent.turn("STILL THERE")
agent.serve()
"""


def test_what_costs_more_than_it_weighs_stops_neither_keys_nor_screen(tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    told.write_text(json.dumps([TEXTS, list(PICTURES.values())]))
    script = write_script(tmp_path, AGENT.replace("TOLD", repr(str(told))))
    with DrivenScreen("--", *script.argv, cwd=tmp_path) as screen:
        screen.wait_for("Ask anything")
        screen.press("go\r")
        screen.wait_for("ALL OF IT SAID")
        screen.press("\x0fmore\r")
        screen.wait_for("STILL THERE")
        assert screen.quit() == 0
    assert screen.recorded.foreign == []
    assert not (state_folder() / "acp-tui.log").exists()
