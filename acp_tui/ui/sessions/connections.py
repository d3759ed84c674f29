"""The clients of the agents that run beside each other, each served by one task."""

import asyncio
from collections.abc import Callable

from acp_tui.host.client import Client


class Connections:
    """Starts clients and waits for their ends. `failed` hears of a mistake of ours in one."""

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._tasks: dict[Client, asyncio.Task[None]] = {}

    @property
    def clients(self) -> list[Client]:
        return list(self._tasks)

    @property
    def faulty(self) -> bool:
        """Whether any agent failed and was not started again."""
        return any(client.connection.fault is not None for client in self._tasks)

    def start(self, client: Client) -> None:
        """Serve a client from now on; one that is served already goes on."""
        if client not in self._tasks:
            task = asyncio.create_task(client.run(), name="connection")
            task.add_done_callback(self._done)
            self._tasks[client] = task

    def stop(self, client: Client) -> None:
        """One agent is not wanted any more; it is forgotten once it has ended."""
        task = self._tasks.get(client)
        if task is not None:
            client.close()
            task.add_done_callback(lambda _task: self._tasks.pop(client, None))

    def close(self) -> None:
        """Ask every agent to end; asked again, they end at once."""
        for client, task in self._tasks.items():
            if not task.done():
                client.close()

    async def ended(self, within: float) -> None:
        """Wait until all have ended, `within` so many seconds."""
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=within)

    async def end(self, within: float) -> None:
        """Have all ended, by force after so many seconds."""
        if all(task.done() for task in self._tasks.values()):
            return
        self.close()
        await self.ended(within)
        for task in self._tasks.values():
            task.cancel()
        await self.ended(within)

    def _done(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._failed(error)
