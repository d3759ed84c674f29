"""Single scenes: a plan, tool calls, permissions, forms and addresses, a command, a long answer, bad ends, notices."""

import asyncio
import os
import shlex
import sys
from typing import Any

from acp_tui.demo.connection import INTERNAL_ERROR, RpcError
from acp_tui.demo.project import texts
from acp_tui.demo.session import Session, diff_item, run_command, text_item

_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_MAX_PARAGRAPHS = 5_000
_PARAGRAPH = (
    "The quick brown fox number {number} jumps over the lazy dog, looks back, and finds that *nothing* has moved: "
    "the dog is still `asleep`, the hill is still **green**, and there is still more to read.\n\n"
)
_STEPS = ("Reproduce the bug", "Write a failing test", "Fix the code", "Run the tests", "Update the docs", "Clean up")
_STOP_REASONS = ("refusal", "max_tokens", "max_turn_requests")


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


async def ask(session: Session, _: str) -> None:
    """Three permission requests at once."""
    path = session.cwd / "src" / "login.py"
    command = {"command": "rm -rf build && make all", "cwd": str(session.cwd)}
    calls = [
        session.tool_call("Execute", "execute", rawInput=command),
        session.tool_call(
            "Edit a file", "edit", content=[diff_item(path, "old = 1\nsame = 2\n", "new = 1\nsame = 2\n")]
        ),
        session.tool_call("Delete README.md", "delete", locations=[{"path": str(session.cwd / "README.md")}]),
    ]
    answers = await asyncio.gather(*(session.may(call) for call in calls))
    for call, allowed in zip(calls, answers, strict=True):
        if allowed:
            call.succeed()
        else:
            call.fail("Rejected.")
    await session.say(f"You allowed {sum(answers)} of 3. Nothing was changed.")


async def run(session: Session, words: str) -> None:
    """A command of the user's own."""
    try:
        command, *args = shlex.split(words) or [sys.executable, "-c", "print('\\x1b[32mhello\\x1b[0m')"]
    except ValueError as error:
        await session.say(f"Cannot parse that command: {error}.")
        return
    code = await run_command(session, command, args)
    await session.say("The command did not finish." if code is None else f"Exit code: **{code}**")


async def long(session: Session, words: str) -> None:
    """A long answer; Esc ends it."""
    count = min(int(words), _MAX_PARAGRAPHS) if words.isdecimal() else 40
    for number in range(1, count + 1):
        await session.say(("" if number % 10 else f"## Part {number // 10}\n\n") + _PARAGRAPH.format(number=number))
    session.usage()


async def fail(session: Session, words: str) -> str:
    """A turn that ends badly."""
    await session.say("This turn is about to fail… ")
    if words in _STOP_REASONS:
        return words
    if words == "crash":
        print("demo agent: crashed on request", file=sys.stderr, flush=True)
        os._exit(3)
    session.tool_call("A tool call that never finishes", "other")
    raise RpcError(INTERNAL_ERROR, "Internal error", {"details": "the demo agent failed on request"})


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


async def form(session: Session, _: str) -> None:
    """Ask for a release by a form."""
    answer = await session.request(
        "elicitation/create", mode="form", message="What should be released?", requestedSchema=texts()["form"]
    )
    await session.say(told(answer))


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


def told(answer: dict[str, Any]) -> str:
    """What was answered, as Markdown."""
    if answer["action"] != "accept":
        return f"You answered: {answer['action']}. Nothing was released."
    rows = "".join(f"| {name} | {value} |\n" for name, value in (answer.get("content") or {}).items())
    return f"Your answers:\n\n| Field | Value |\n|---|---|\n{rows}"
