"""Serve an agent's pipes for as long as it is there; must not know what is said on them.

An agent can go in many ways: it ends, closes one pipe and lives, or ends while a grandchild holds its pipes.
"""

import time

import anyio

from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.connection.connection import AgentConnection


async def serve_until_gone(process: AgentProcess, connection: AgentConnection) -> None:
    """Read, write and drain until the agent has gone; its exit code and last words are known then, if it has any."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(process.drain_stderr)
        tasks.start_soon(process.watch_descendants)
        with anyio.CancelScope() as reading:
            tasks.start_soon(_write, process, connection, reading)
            tasks.start_soon(_watch_exit, process, connection, reading)
            await connection.read()
        with anyio.move_on_after(process.grace):
            await process.exited()
        with anyio.move_on_after(process.grace / 2):
            await process.stderr_ended.wait()
        tasks.cancel_scope.cancel()


async def _write(process: AgentProcess, connection: AgentConnection, reading: anyio.CancelScope) -> None:
    """End the reading when the agent takes no input any more."""
    await connection.write()
    await anyio.sleep(process.grace)  # mostly it is about to end, which is the better thing to say
    reading.cancel()


async def _watch_exit(process: AgentProcess, connection: AgentConnection, reading: anyio.CancelScope) -> None:
    """End the reading when the agent has ended and nothing more comes, though somebody holds its pipe open."""
    await process.exited()
    patience = process.grace / 2
    ended_at, rest = time.monotonic(), patience
    while rest > 0:
        await anyio.sleep(rest)
        rest = patience - (time.monotonic() - max(ended_at, connection.heard_at))
    reading.cancel()
