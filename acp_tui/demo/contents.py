"""What answers can be made of: Markdown, diffs, pictures, sounds, resources, plans, titles and usage in every shape."""

import base64
import struct
import time
import zlib
from typing import Any

from acp_tui.demo.project import texts
from acp_tui.demo.session import Session, diff_item

_RATE = 8_000  # samples a second
_NOTES = "# Demo notes\n\nThe first line of an embedded resource.\nThe second line.\n"


async def markdown(session: Session, _: str) -> None:
    """Everything that Markdown can show."""
    await session.say(texts()["said"]["markdown"])
    session.usage()


async def diffs(session: Session, _: str) -> None:
    """Diffs in all shapes; nothing is written."""
    before = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(30))
    after = before.replace("value + 7\n", "value + 8  # one more\n").replace("step_20", "twentieth_step")
    shapes: dict[str, list[tuple[str, str | None, str]]] = {
        "Edit steps.py": [("steps.py", before, after)],
        "Write new.py": [("new.py", None, "print('new')\n" * 25)],
        "Clear old.txt": [("old.txt", "going\ngoing\n", "")],
        "Edit three files": [
            (name, f"name = '{name}'\nok = False\n", f"name = '{name}'\nok = True\n") for name in "abc"
        ],
        "Edit wide.md": [("wide.md", "旧的标题 and\ttabs\n", "新的标题 and\ttabs\n" + "long " * 60)],
    }
    for title, changes in shapes.items():
        content = [diff_item(session.cwd / name, old, new) for name, old, new in changes]
        call = session.tool_call(title, "edit", content=content)
        await call.work(25)
        call.succeed()
    await session.say("Five edits. Nothing was written to disk.")


async def content(session: Session, _: str) -> None:
    """Every kind of content block, in a message and in a tool's result."""
    await session.say("An image, audio, two resources and two links:\n\n")
    blocks: list[dict[str, Any]] = [
        {"type": "image", "mimeType": "image/png", "data": _picture(320, 200)},
        {"type": "audio", "mimeType": "audio/wav", "data": _sound(0.4)},
        _resource({"uri": "demo:notes.md", "mimeType": "text/markdown", "text": _NOTES}),
        _resource({"uri": "demo:data.bin", "mimeType": "application/octet-stream", "blob": _base64(bytes(range(256)))}),
        {"type": "resource_link", "uri": (session.cwd / "README.md").as_uri(), "name": "README.md", "size": 400},
        {
            "type": "resource_link",
            "uri": "https://agentclientprotocol.com/protocol/content",
            "name": "content",
            "title": "Content blocks in the protocol",
            "mimeType": "text/html",
        },
        {"type": "text", "text": "Only the agent needs this.\n" * 12, "annotations": {"audience": ["assistant"]}},
    ]
    for block in blocks:
        session.show(block)
        await session.pause(20)
    call = session.tool_call("Take a screenshot", "other")
    await call.work(20)
    picture = {"type": "image", "mimeType": "image/png", "data": _picture(64, 48)}
    aside = {"type": "text", "text": "pixels: 3072", "annotations": {"audience": ["assistant"]}}
    said = {"type": "text", "text": "One image, and a note for the model."}
    call.succeed(*({"type": "content", "content": each} for each in (said, picture, aside)))
    await session.say("Press **Ctrl+X ↑**, go to one of them and press **o** to open, save or copy it.")


async def plans(session: Session, _: str) -> None:
    """A plan of steps beside one that is a text and one that is a file; the text goes away again."""
    session.plan(("Show three plans", "in_progress"), ("Remove one", "pending"))
    if not session.offers("plan"):
        await session.say("This client supports only one plan.")
        return
    steps = [{"content": "Tag the version", "priority": "high", "status": "in_progress"}]
    told: list[dict[str, Any]] = [
        {"type": "items", "planId": "release", "entries": steps},
        {"type": "markdown", "planId": "design", "content": "## Approach\n\nFirst *this*, then **that**."},
        {"type": "file", "planId": "notes", "uri": (session.cwd / "README.md").as_uri()},
    ]
    for plan in told:
        session.update("plan_update", plan=plan)
        await session.pause(60)
    session.update("plan_removed", planId="design")
    session.plan(("Show three plans", "completed"), ("Remove one", "completed"))
    await session.say("The text plan was removed; two remain.")


async def odd(session: Session, _: str) -> None:
    """Odd options come, and go when asked again."""
    session.options.odd = not session.options.odd
    session.update("config_option_update", configOptions=session.options.told())
    if session.options.odd:
        await session.say("Added a value outside its list, a list of 400, an unknown type and values that are URLs.")
    else:
        await session.say("Removed the unusual options.")


async def full(session: Session, words: str) -> None:
    """A context that fills up."""
    size = session.options.context_size
    for share in (50, 81, 96):
        cost = {"amount": share / 8, "currency": words.strip()[:3].upper() or "EUR"}
        session.update("usage_update", used=size * share // 100, size=size, cost=cost)
        await session.say(f"{share}%… ")
        await session.pause(60)


async def limit(session: Session, _: str) -> None:
    """A limit of the account that is nearly reached, and reached, told as Claude's adapter does."""
    soon, later = int(time.time()) + 2 * 3600, int(time.time()) + 4 * 86_400
    for status, share in (("allowed", 0.4), ("allowed_warning", 0.85), ("rejected", 1.0)):
        windows = {"five_hour": {"utilization": share, "resetsAt": soon}}
        windows["seven_day"] = {"utilization": 0.3, "resetsAt": later}
        told = {"status": status, "rateLimitType": "five_hour", "resetsAt": soon, "unifiedWindows": windows}
        session.usage(_meta={"_claude/rateLimit": told})
        await session.say(f"{share:.0%}… ")
        await session.pause(60)


async def title(session: Session, words: str) -> None:
    """Another title, or none."""
    session.update("session_info_update", title=words or None)
    await session.say("Session renamed." if words else "Session title cleared.")


async def system(session: Session, _: str) -> None:
    """What the client gave for the system prompt."""
    given = session.system_prompt
    if given is None:
        await session.say("This session has no system prompt of yours. Try `--append-system-prompt TEXT`.")
        return
    lead = "In place of my own system prompt:" if given["mode"] == "override" else "Added to my system prompt:"
    await session.say("\n\n".join([lead, *(block["text"] for block in given["content"])]))


def _resource(resource: dict[str, str]) -> dict[str, Any]:
    return {"type": "resource", "resource": resource}


def _picture(width: int, height: int) -> str:
    rows = b"".join(
        b"\0" + b"".join(bytes((255 * x // width, 120, 255 * y // height)) for x in range(width)) for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    return _base64(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _sound(seconds: float) -> str:
    count = int(_RATE * seconds)
    samples = bytes(128 + (60 if number // 9 % 2 else -60) * (count - number) // count for number in range(count))
    layout = b"fmt " + struct.pack("<IHHIIHH", 16, 1, 1, _RATE, _RATE, 1, 8) + b"data" + struct.pack("<I", count)
    return _base64(b"RIFF" + struct.pack("<I", 4 + len(layout) + count) + b"WAVE" + layout + samples)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
