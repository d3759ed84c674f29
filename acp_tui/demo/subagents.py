"""Subagents: sessions that the agent makes for parts of its work, side by side, nested, in the background."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from acp_tui.demo.connection import RpcError
from acp_tui.demo.session import Session, ToolCall, diff_item, python, run_command, text_item

Work = Callable[["Subagent"], Awaitable[None]]
"""What a subagent does once it was begun."""
_RUNS = {"state": {"state": "running"}, "capabilities": {"cancel": {}}}
STEPS = 12  # of what goes on in the background


class Subagent:
    """A session that works on a part of what its `parent` does, which announces it and tells of it."""

    def __init__(self, parent: Session, title: str, description: str) -> None:
        self.parent, self.session = parent, parent.spawn()
        self._tell(title=title, description=description)

    def begin(self, work: Work) -> "asyncio.Task[None]":
        """Have it work, until that is done or cancelled."""
        tell = self.parent.announce[self.session.id] = partial(self._tell, **_RUNS)
        tell()
        self.session.show_state("running")
        task = self.parent.at_work[self.session.id] = asyncio.create_task(self._work(work))
        task.add_done_callback(self._ended)
        return task

    async def send(self, text: str) -> None:
        """Say something to it; each side has that in its own transcript."""
        await _say_between(self.parent, self.session, text)

    async def report(self, text: str) -> None:
        """Have it say something to its parent."""
        await _say_between(self.session, self.parent, text)

    def leave(self) -> None:
        """Let it go on when the parent's turn has ended."""
        self.parent.beside.append(self.session.id)

    async def _work(self, work: Work) -> None:
        try:
            await work(self)
        except (RpcError, OSError) as error:
            await self.session.say(f"Failed: {error}")

    def _ended(self, task: "asyncio.Task[None]") -> None:
        del self.parent.at_work[self.session.id], self.parent.announce[self.session.id]
        reason = "cancelled" if task.cancelled() else "end_turn"
        self.session.show_state("idle", stopReason=reason)
        self._tell(state={"state": "idle", "stopReason": reason}, capabilities=None)
        if self.session.id in self.parent.beside:
            self.parent.beside.remove(self.session.id)
            self.parent.show_state()

    def _tell(self, **members: object) -> None:
        self.parent.update("subagent_update", sessionId=self.session.id, **members)


async def subagents(session: Session, _: str) -> None:
    """Three that work at once, one of them with one of its own, and one that goes on in the background."""
    if not session.offers("subagents"):
        await session.say("This client does not support subagents.")
        return
    await session.say("Three subagents can work on this at once.\n\n")
    explore = Subagent(session, "Explore the code", "Find out where sessions expire")
    review = Subagent(session, "Review the tests", "Run the tests and say what they miss")
    docs = Subagent(session, "Update the docs", "Describe the timeout in README.md")
    calls = [_shown(session, each, title) for each, title in ((explore, "Explore the code"), (review, "Review tests"))]
    await explore.send("Where is the session timeout compared with the clock?")
    tasks = [explore.begin(_explore), review.begin(_review), docs.begin(_document)]
    for task, call in zip(tasks, calls, strict=False):
        task.add_done_callback(partial(_finish, call))
    await _together(*tasks)
    index = Subagent(session, "Index the repository", "Goes on when the turn has ended")
    index.begin(_index)
    index.leave()
    await session.say("All three are done, and a fourth continues in the background. `Ctrl+X k` to list or cancel it.")
    session.usage()


def _shown(session: Session, child: Subagent, title: str) -> ToolCall:
    """A tool call that shows what a subagent does."""
    content = [{"type": "session", "sessionId": child.session.id}]
    call = session.tool_call(title, "think", content=content)
    call.update(status="in_progress")
    return call


def _finish(call: ToolCall, task: "asyncio.Task[None]") -> None:
    if task.cancelled():
        call.fail("Cancelled.")
    else:
        call.succeed()


async def _explore(me: Subagent) -> None:
    login = me.session.cwd / "src" / "login.py"
    await me.session.think("The timeout is a constant. Who compares it with what?")
    await _read(me.session, login)
    history = Subagent(me.session, "Look at the history", "When was the comparison last changed?")
    await _together(history.begin(_look_back))
    await me.report("`is_expired` compares seconds with `SESSION_TIMEOUT`, which is in minutes.")
    await me.session.say("Sessions expire in `src/login.py`, line 25: it compares seconds with minutes.")


async def _look_back(me: Subagent) -> None:
    call = me.session.tool_call("Search “SESSION_TIMEOUT”", "search", rawInput={"pattern": "SESSION_TIMEOUT"})
    await call.work(40)
    call.succeed(text_item("src/login.py:5: SESSION_TIMEOUT = 30  # minutes"))
    await me.session.say("The comparison has not changed since the project began.")


async def _review(me: Subagent) -> None:
    await me.session.say("I run the tests first.\n\n")
    code = await run_command(me.session, python(), ["-m", "tests"])
    told = "They pass." if code == 0 else "One of them fails: sessions do not last a minute."
    await me.session.say(f"{told} No test looks at the moment between thirty seconds and thirty minutes.")


async def _document(me: Subagent) -> None:
    readme = me.session.cwd / "README.md"
    text = await _read(me.session, readme)
    more = f"{text.rstrip()}\n\nThe timeout is set in `src/login.py`, in minutes.\n"
    call = me.session.tool_call("Edit README.md", "edit", content=[diff_item(readme, text, more)])
    if await me.session.may(call):
        await call.work(20)
        call.succeed()
        await me.session.say("You allowed the change. As this is a demo, nothing was written.")
    else:
        call.fail("Rejected.")
        await me.session.say("You rejected the change.")


async def _index(me: Subagent) -> None:
    for step in range(1, STEPS + 1):
        call = me.session.tool_call(f"Index part {step} of {STEPS}", "read")
        await call.work(60)
        call.succeed()
    await me.session.say("The index is complete.")


async def _read(session: Session, path: Path) -> str:
    call = session.tool_call(f"Read {path.name}", "read", locations=[{"path": str(path)}])
    await call.work(20)
    try:
        text = await session.read(path)
    except (RpcError, OSError) as error:
        call.fail(f"{path.name}: {error}")
        return ""
    call.succeed(text_item(text))
    return text


async def _together(*tasks: "asyncio.Task[None]") -> None:
    """Wait for all, each of which may be cancelled by itself; who waits no more cancels them."""
    try:
        await asyncio.wait(tasks)
    finally:
        for task in tasks:
            task.cancel()


async def _say_between(sender: Session, recipient: Session, text: str) -> None:
    ours, theirs = sender.message_id(), recipient.message_id()
    ends = {"senderSessionId": sender.id, "recipientSessionId": recipient.id}
    sender.update("session_message", messageId=ours, recipientMessageId=theirs, **ends)
    recipient.update("session_message", messageId=theirs, senderMessageId=ours, **ends)
    for word in text.split(" "):
        content = {"type": "text", "text": f"{word} "}
        sender.update("session_message_chunk", messageId=ours, content=content)
        recipient.update("session_message_chunk", messageId=theirs, content=content)
        await sender.pause(1)
