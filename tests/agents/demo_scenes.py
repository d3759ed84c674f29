"""The demo agent with more scenes: what an agent can tell, ask and run that a newcomer need not see."""

import asyncio
import base64
import contextlib
import shlex
import struct
import sys
import time
import tomllib
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from acp_tui.demo.agent import Agent
from acp_tui.demo.scenes import COMMANDS, Command
from acp_tui.demo.session import Options, Session, diff_item, run_command, text_item

_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_STEPS = ("Reproduce the bug", "Write a failing test", "Fix the code", "Run the tests", "Update the docs", "Clean up")
_RATE = 8_000  # samples a second
_NOTES = "# Demo notes\n\nThe first line of an embedded resource.\nThe second line.\n"


async def markdown(session: Session, _: str) -> None:
    """Everything that Markdown can show."""
    await session.say(_texts()["markdown"])
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
    options = session.options
    session.options = options.plain if isinstance(options, OddOptions) else OddOptions(options)
    session.update("config_option_update", configOptions=session.options.offered())
    if isinstance(session.options, OddOptions):
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


async def plan(session: Session, _: str) -> None:
    """A plan that gets done."""
    for done in range(len(_STEPS) + 1):
        session.progress(_STEPS, done)
        await session.pause(40)
    await session.say("All six steps are done.")


async def tools(session: Session, _: str) -> None:
    """Tool calls of every kind."""
    path = session.cwd / "src" / "login.py"
    await session.say("Tool calls of every kind, some in parallel:\n\n")
    reads = [
        session.tool_call(f"Read lines {start}–{start + 9}", "read", locations=[{"path": str(path), "line": start}])
        for start in (1, 11, 21)
    ]
    await asyncio.gather(*(call.work(30 + 20 * at) for at, call in enumerate(reads)))
    for call in reads:
        call.succeed(text_item("…"))
    fetch = session.tool_call("Fetch https://example.com", "fetch", rawInput={"url": "https://example.com"})
    await fetch.work(30)
    link = {"type": "resource_link", "uri": "https://example.com", "name": "example.com", "mimeType": "text/html"}
    image = {"type": "image", "mimeType": "image/png", "data": _PIXEL}
    fetch.succeed({"type": "content", "content": link}, {"type": "content", "content": image})
    for title, kind in (
        ("Search “expired”", "search"),
        ("Think about it", "think"),
        ("Move a.txt to b.txt", "move"),
        ("Delete b.txt", "delete"),
        ("Switch to Plan", "switch_mode"),
        ("", "other"),
    ):
        call = session.tool_call(title, kind, rawInput={"simulated": True})
        await call.work(12)
        call.succeed()
    failing = session.tool_call("Edit src/missing.py", "edit", rawInput={"path": "src/missing.py"})
    await failing.work(12)
    failing.fail("src/missing.py: no such file")
    await session.say("The last one failed on purpose.")
    session.usage()


async def run(session: Session, words: str) -> None:
    """A command of the user's own."""
    try:
        command, *args = shlex.split(words) or [sys.executable, "-c", "print('\\x1b[32mhello\\x1b[0m')"]
    except ValueError as error:
        await session.say(f"Cannot parse that command: {error}.")
        return
    code = await run_command(session, command, args)
    await session.say("The command did not finish." if code is None else f"Exit code: **{code}**")


async def notice(session: Session, _: str) -> None:
    """Notices, and a compaction of the context."""
    if session.offers("session", "notices"):
        for severity, title in (("info", "All good"), ("warning", "Slow responses"), ("error", "Server down")):
            session.update("notice", severity=severity, title=title, description="An example from the demo agent.")
            await session.pause(40)
    if session.offers("session", "compaction"):
        session.update("compaction_update", compactionId="compaction-1", status="in_progress")
        for word in ("We ", "talked ", "about ", "a ", "login."):
            content = {"type": "text", "text": word}
            session.update("compaction_summary_chunk", compactionId="compaction-1", content=content)
            await session.pause(10)
        session.update("compaction_update", compactionId="compaction-1", status="completed")
    await session.say("That was three notices and a compaction, if this client supports them.")


async def address(session: Session, _: str) -> None:
    """Ask the user to visit an address, and say when that is done."""
    visit = f"visit-{session.id}"
    answer = await session.request(
        "elicitation/create",
        mode="url",
        message="Please log in at this site. (It is an example; nothing is there.)",
        elicitationId=visit,
        url="https://example.com/login?for=acp-tui&code=1234",
    )
    if answer["action"] == "accept":
        await session.say("Waiting for you to finish… ")
        await session.pause(200)
        session.connection.notify("elicitation/complete", {"elicitationId": visit})
        await session.say("Done.")
    else:
        await session.say(f"You answered: {answer['action']}.")


async def several(session: Session, _: str) -> None:
    """Two forms and an address at once."""
    short: dict[str, Any] = {"properties": {"why": {"type": "string", "title": "Why"}}}
    asked = [
        session.request("elicitation/create", mode="form", message=message, requestedSchema=short)
        for message in ("First of three questions", "Second of three questions")
    ]
    visit = {"mode": "url", "elicitationId": "odd", "url": "http://bank.example@xn--bcher-kva.example/pay"}
    asked.append(session.request("elicitation/create", message="An odd link", **visit))
    answers = await asyncio.gather(*asked)
    await session.say(f"You answered: {', '.join(answer['action'] for answer in answers)}.")


def _catalogue() -> dict[str, Any]:
    vendors: list[dict[str, Any]] = [
        {"group": f"vendor-{vendor}", "name": f"Vendor {vendor}", "options": []} for vendor in range(20)
    ]
    for vendor, item in ((number // 20, number % 20) for number in range(400)):
        value = {"value": f"{vendor}-{item}", "name": f"Item {vendor}.{item}"}
        vendors[vendor]["options"].append(value | {"description": f"Number {item} from vendor {vendor}"})
    return {"id": "catalogue", "name": "Catalogue", "type": "select", "options": vendors, "currentValue": "7-7"}


@cache
def _texts() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class OddOptions(Options):
    """The options of a session, and those that clients stumble over."""

    def __init__(self, plain: Options) -> None:
        self.plain = plain
        super().__init__(booleans=plain.booleans)
        self.options = plain.options | {option["id"]: option for option in [*_texts()["options"], _catalogue()]}
        rights = self.options["rights"]
        for each in (rights, *rights["options"]):
            each["description"] = None


class FullAgent(Agent):
    """Plays all scenes."""

    commands = (
        *COMMANDS,
        Command("plan", "A plan, step by step", plan),
        Command("diffs", "Diffs: long, new file, several files", diffs),
        Command("content", "Images, audio, resources, agent-only text", content),
        Command("plans", "Several plans of different kinds", plans),
        Command("odd", "Unusual option types (toggle)", odd),
        Command("full", "A context filling up, and its cost", full, "currency, e.g. EUR"),
        Command("limit", "An account limit, nearly reached and reached", limit),
        Command("title", "Rename the session", title, "title, empty to clear"),
        Command("system", "The system prompt that you gave", system),
        Command("markdown", "Everything Markdown can show", markdown),
        Command("tools", "Tool calls of every kind, one fails", tools),
        Command("link", "A link to open", address, needs=("url",)),
        Command("questions", "Two forms and an odd link at once", several, needs=("form", "url")),
        Command("run", "Run a command in a terminal", run, "command and arguments"),
        Command("notice", "Notices and a context compaction", notice),
    )


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(FullAgent().connection.run())
