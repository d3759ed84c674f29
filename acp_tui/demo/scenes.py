"""The scenes of the demo: the whole story, single ones by slash commands, short answers to a few words."""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from acp_tui.demo.project import BUG, FIX, texts
from acp_tui.demo.session import INTERNAL_ERROR, RpcError, Session, ToolCall, diff_item, run_command, text_item

Play = Callable[[Session, str], Coroutine[Any, Any, str | None]]
"""Plays on a session, with what follows a command's name; gives the stop reason, None for the end of the turn."""
_STEPS = ("Find where the timeout is set", "Run the tests", "Fix the comparison", "Run the tests again")
_PARTS = 12  # of what goes on in the background
_MAX_PARAGRAPHS = 5_000
_PARAGRAPH = (
    "The quick brown fox number {number} jumps over the lazy dog, looks back, and finds that *nothing* has moved: "
    "the dog is still `asleep`, the hill is still **green**, and there is still more to read.\n\n"
)
_STOP_REASONS = ("refusal", "max_tokens", "max_turn_requests")
_GREETING = re.compile(r"(hello|hi|hey|good (morning|evening|day)|thanks|thank you)\b", re.IGNORECASE)
_STORY_WORDS = 4  # a prompt of so many words is taken for real work


class Command(NamedTuple):
    """A slash command; `play` gets what follows its name."""

    name: str
    description: str
    play: Play
    hint: str = ""
    needs: tuple[str, ...] = ()  # elicitations that the client must offer


async def fix(session: Session, _: str) -> None:
    """Find the bug, fix it, test it."""
    login = session.cwd / "src" / "login.py"
    session.update("session_info_update", title="Fix the login test")
    await session.think("The login test fails. Let me see where sessions expire, then run the tests to be sure.")
    session.progress(_STEPS, 0)
    await _search(session, login)
    text = await _read(session, login, 23)
    if text is None:
        await session.say(
            "There is no `src/login.py` in this folder. This scene needs the demo project.\n"
            "Run `acp-tui --demo`, or try `/scenes`."
        )
        return
    await _read(session, session.cwd / "tests" / "test_login.py", 20)
    session.progress(_STEPS, 1)
    passed = await _run_tests(session)
    session.usage()
    if BUG not in text:
        await session.say(
            "The timeout is already correct. Type `/reset` to put the bug back." if passed else "Another test fails."
        )
        session.progress(_STEPS, len(_STEPS))
        return
    await session.say(texts()["said"]["found"])
    session.progress(_STEPS, 2)
    if not await _edit(session, "Edit src/login.py", login, text, text.replace(BUG, FIX)):
        return
    await _edit(session, "Write NOTES.md", session.cwd / "NOTES.md", None, texts()["said"]["notes"])
    session.progress(_STEPS, 3)
    await _run_tests(session)
    session.progress(_STEPS, 4)
    await session.say(texts()["said"]["done"])
    session.usage()


async def reset(session: Session, _: str) -> None:
    """Put the bug back."""
    login = session.cwd / "src" / "login.py"
    text = await _read(session, login, 23)
    if text is None or FIX not in text:
        await session.say("Nothing to reset.")
    elif await _edit(session, "Put the bug back", login, text, text.replace(FIX, BUG)):
        await session.say("The bug is back. Ask me to `find out why the login test fails`.")


async def _search(session: Session, login: Path) -> None:
    call = session.tool_call("Search “SESSION_TIMEOUT”", "search", rawInput={"pattern": "SESSION_TIMEOUT", "path": "."})
    await call.work(25)
    found = "src/login.py:5: SESSION_TIMEOUT = 30  # minutes\nsrc/login.py:25: … > SESSION_TIMEOUT"
    call.update(locations=[{"path": str(login), "line": 5}, {"path": str(login), "line": 25}])
    call.succeed(text_item(found))


async def _read(session: Session, path: Path, line: int = 1) -> str | None:
    name = path.relative_to(session.cwd)
    call = session.tool_call(f"Read {name}", "read", locations=[{"path": str(path), "line": line}])
    await call.work(15)
    try:
        text = await session.read(path)
    except (RpcError, OSError) as error:
        call.fail(f"{name}: {error}")
        return None
    call.succeed(text_item(text))
    return text


async def _edit(session: Session, title: str, path: Path, old: str | None, new: str) -> bool:
    if session.options["mode"] == "plan":
        await session.say(
            f"I would edit `{path.name}` now, but **Plan** mode never edits. Switch the mode and ask again.\n"
        )
        return False
    change = {"content": [diff_item(path, old, new)], "locations": [{"path": str(path)}]}
    call = session.tool_call(title, "edit", **change)
    if session.options["mode"] == "ask" and not await session.may(call):
        call.fail("Rejected.")
        await session.say(f"OK, `{path.name}` is unchanged. What should I do instead?\n")
        return False
    await call.work(10)
    try:
        await session.write(path, new)
    except RpcError as error:
        call.fail(f"Write failed: {error}")
        await session.say(f"Could not write `{path.name}`: {error}.\n")
        return False
    call.succeed()
    return True


async def _run_tests(session: Session) -> bool:
    """Run the project's tests by Python, in the words of a user where they are enough."""
    python = "python3" if shutil.which("python3") else sys.executable
    return await run_command(session, python, ["-m", "tests"]) == 0


async def requests(session: Session, _: str) -> None:
    """Three permission requests at once."""
    path = session.cwd / "src" / "login.py"
    command = {"command": "npm test", "cwd": str(session.cwd)}
    change = diff_item(path, "old = 1\nsame = 2\n", "new = 1\nsame = 2\n")
    calls = [
        session.tool_call("Execute", "execute", rawInput=command),
        session.tool_call("Edit a file", "edit", content=[change]),
        session.tool_call("Delete README.md", "delete", locations=[{"path": str(session.cwd / "README.md")}]),
    ]
    answers = await asyncio.gather(*(session.may(call) for call in calls))
    for call, allowed in zip(calls, answers, strict=True):
        call.succeed() if allowed else call.fail("Rejected.")
    await session.say(f"You allowed {sum(answers)} of 3. Nothing was changed.")


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


async def ask(session: Session, _: str) -> None:
    """Ask for a release by a form."""
    form = {"mode": "form", "message": "What should be released?", "requestedSchema": texts()["form"]}
    answer = await session.request("elicitation/create", **form)
    if answer["action"] == "accept":
        rows = "".join(f"| {name} | {value} |\n" for name, value in (answer.get("content") or {}).items())
        await session.say(f"Your answers:\n\n| Field | Value |\n|---|---|\n{rows}")
    else:
        await session.say(f"You answered: {answer['action']}. Nothing was released.")


async def subagents(session: Session, _: str) -> None:
    """Three that work at once, one of them with one of its own, and one that goes on in the background."""
    if not session.offers("subagents"):
        await session.say("This client does not support subagents.")
        return
    await session.say("Three subagents can work on this at once.\n\n")
    explorer = session.spawn("Explore the code", "Find out where sessions expire")
    reviewer = session.spawn("Review the tests", "Run the tests and say what they miss")
    writer = session.spawn("Update the docs", "Describe the timeout in README.md")
    calls = [_shown(session, explorer, "Explore the code"), _shown(session, reviewer, "Review tests")]
    await _send_between(session, explorer, "Where is the session timeout compared with the clock?")
    explore = partial(_explore, parent=session)
    tasks = [session.begin(explorer, explore), session.begin(reviewer, _review), session.begin(writer, _document)]
    for task, call in zip(tasks, calls, strict=False):
        task.add_done_callback(partial(_finish, call))
    await _together(*tasks)
    indexer = session.spawn("Index the repository", "Goes on when the turn has ended")
    session.begin(indexer, _index)
    await session.say("All three are done, and a fourth continues in the background. `Ctrl+X k` to list or cancel it.")
    session.usage()


def _shown(session: Session, child: Session, title: str) -> ToolCall:
    """A tool call that shows what a subagent does."""
    call = session.tool_call(title, "think", content=[{"type": "session", "sessionId": child.id}])
    call.update(status="in_progress")
    return call


def _finish(call: ToolCall, task: asyncio.Task[None]) -> None:
    call.fail("Cancelled.") if task.cancelled() else call.succeed()


async def _together(*tasks: asyncio.Task[None]) -> None:
    """Wait for all, each of which may be cancelled by itself; who waits no more cancels them."""
    try:
        await asyncio.wait(tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _explore(session: Session, parent: Session) -> None:
    await session.think("The timeout is a constant. Who compares it with what?")
    await _read(session, session.cwd / "src" / "login.py", 23)
    historian = session.spawn("Look at the history", "When was the comparison last changed?")
    await _together(session.begin(historian, _look_back))
    await _send_between(session, parent, "`is_expired` compares seconds with `SESSION_TIMEOUT`, which is in minutes.")
    await session.say("Sessions expire in `src/login.py`, line 25: it compares seconds with minutes.")


async def _look_back(session: Session) -> None:
    await _search(session, session.cwd / "src" / "login.py")
    await session.say("The comparison has not changed since the project began.")


async def _review(session: Session) -> None:
    await session.say("I run the tests first.\n\n")
    passed = "They pass." if await _run_tests(session) else "One of them fails: sessions do not last a minute."
    await session.say(f"{passed} No test looks at the moment between thirty seconds and thirty minutes.")


async def _document(session: Session) -> None:
    readme = session.cwd / "README.md"
    text = await _read(session, readme) or ""
    more = f"{text.rstrip()}\n\nThe timeout is set in `src/login.py`, in minutes.\n"
    call = session.tool_call("Edit README.md", "edit", content=[diff_item(readme, text, more)])
    if await session.may(call):
        await call.work(20)
        call.succeed()
        await session.say("You allowed the change. As this is a demo, nothing was written.")
    else:
        call.fail("Rejected.")
        await session.say("You rejected the change.")


async def _send_between(sender: Session, recipient: Session, text: str) -> None:
    """A message of one session to another; each side has it in its own transcript."""
    ours, theirs = sender.message_id(), recipient.message_id()
    ends = {"senderSessionId": sender.id, "recipientSessionId": recipient.id}
    sender.update("session_message", messageId=ours, recipientMessageId=theirs, **ends)
    recipient.update("session_message", messageId=theirs, senderMessageId=ours, **ends)
    for word in text.split(" "):
        content = {"type": "text", "text": f"{word} "}
        sender.update("session_message_chunk", messageId=ours, content=content)
        recipient.update("session_message_chunk", messageId=theirs, content=content)
        await sender.pause(1)


async def _index(session: Session) -> None:
    for part in range(1, _PARTS + 1):
        call = session.tool_call(f"Index part {part} of {_PARTS}", "read")
        await call.work(60)
        call.succeed()
    await session.say("The index is complete.")


async def _help_page(session: Session, _: str) -> None:
    await session.say(texts()["said"]["help"])
    session.suggest("find out why the login test fails and fix it")


COMMANDS = (
    Command("scenes", "What you can try", _help_page),
    Command("fix", "Full walkthrough: find the bug, fix it, test it", fix),
    Command("requests", "Three permission requests at once", requests),
    Command("ask", "A form with every kind of field", ask, needs=("form",)),
    Command("subagents", "Subagents: side by side, nested, in the background", subagents),
    Command("long", "A long answer", long, "number of paragraphs"),
    Command("fail", "End the turn early or with an error", fail, f"error, {', '.join(_STOP_REASONS)} or crash"),
    Command("reset", "Put the bug back", reset),
)


async def _talk(session: Session, text: str, commands: Sequence[Command]) -> None:
    """An answer to what is too short to be work, or is an unknown command."""
    name = text.partition(" ")[0]
    if _GREETING.match(text):
        await session.say("Hello! I'm the demo agent. Ask me to `fix the login test`, or type `/` for more.")
        session.usage()
    elif name.startswith("/"):
        rows = "".join(f"- `/{command.name}`: {command.description}\n" for command in commands)
        await session.say(f"Unknown command: `{name}`. There are:\n\n{rows}")
    else:
        await session.say("This is a scripted demo. Type `/scenes`, or ask me to `fix the login test`.")


def available_commands(commands: Sequence[Command] = COMMANDS) -> list[dict[str, Any]]:
    """All slash commands as the protocol writes them."""
    return [
        {"name": command.name, "description": command.description}
        | ({"input": {"hint": command.hint}} if command.hint else {})
        for command in commands
    ]


async def perform(session: Session, prompt: list[dict[str, Any]], commands: Sequence[Command] = COMMANDS) -> str | None:
    """Play the scene that a prompt asks for; gives the stop reason, None for the end of the turn."""
    text = "".join(block["text"] for block in prompt if block["type"] == "text").strip()
    others = [block["type"].replace("_", " ") for block in prompt if block["type"] != "text"]
    if others:
        await session.say(f"You attached: {', '.join(others)}.\n\n")
    name, _, rest = text.removeprefix("/").partition(" ")
    words = {command.name: command for command in commands}
    words["help"] = words["scenes"]  # not offered: clients have a command of that name
    command = words.get(name.lower().rstrip("?!."))
    if command is not None and (text.startswith("/") or not rest):
        if all(session.offers("elicitation", mode) for mode in command.needs):
            return await command.play(session, rest.strip())
        await session.say("This client does not support forms or links.")
    elif text.startswith("/") or _GREETING.match(text) or len(text.split()) < _STORY_WORDS:
        await _talk(session, text, commands)
    else:
        await fix(session, text)
    return None
