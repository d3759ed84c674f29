"""The whole story: why does the login test fail? Search, read, run, edit with permission, run again."""

import shutil
import sys
from pathlib import Path

from acp_tui.demo.connection import RpcError
from acp_tui.demo.project import BUG, FIX, texts
from acp_tui.demo.session import Session, diff_item, run_command, text_item

_STEPS = ("Find where the timeout is set", "Run the tests", "Fix the comparison", "Run the tests again")


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


async def _read(session: Session, path: Path, line: int) -> str | None:
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
    return await run_command(session, python(), ["-m", "tests"]) == 0


def python() -> str:
    """The command that runs Python, in the words of a user where they are enough."""
    return "python3" if shutil.which("python3") else sys.executable
