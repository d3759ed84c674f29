"""Commands in a terminal, shown live in a tool call."""

import shutil
import sys

from acp_tui.demo.session import Session


async def run_tests(session: Session) -> bool:
    """Run the project's tests; whether all passed."""
    python = "python3" if shutil.which("python3") else sys.executable
    return await run_command(session, python, ["-m", "tests"]) == 0


async def run_command(session: Session, command: str, args: list[str]) -> int | None:
    """Run a command until it ends, or kill it when the turn is cancelled; its exit code, None where there is none."""
    line = " ".join((command, *args))
    call = session.tool_call(line, "execute", rawInput={"command": line, "cwd": str(session.cwd)})
    return await session.run(call, command, args)


async def explain(session: Session, code: int | None) -> None:
    """Say how a command ended."""
    await session.say("It did not end by itself." if code is None else f"It ended with exit code **{code}**.")
