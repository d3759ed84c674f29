"""JSON-RPC 2.0 over standard input and output, one message per line."""

import asyncio
import contextlib
import json
import os
import sys
import threading
from collections.abc import Awaitable, Callable
from typing import Any

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
_LAST_ANSWERS = 0.05  # seconds in which what came before the end of the input may still be answered


class RpcError(Exception):
    """An error answer, sent or received."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data


class Connection:
    """Both directions of one connection.

    `serve` answers requests, each in a task; `notified` hears notifications; `write` takes the lines to send.
    """

    def __init__(self, serve: Callable[[str, Any], Awaitable[Any]], notified: Callable[[str, Any], None]) -> None:
        self._serve, self._notified = serve, notified
        self.write: Callable[[bytes], None] = _write_line
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._requests = 0
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        lines: asyncio.Queue[bytes] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        # A thread, because standard input may be a pipe, a file or a terminal, and asyncio waits for pipes only.
        threading.Thread(target=_read_lines, args=(loop, lines), daemon=True).start()
        while line := await lines.get():
            with contextlib.suppress(ValueError):  # not JSON: nobody to answer
                self.take(json.loads(line))
            await asyncio.sleep(0)  # what was asked begins before the next line, which may cancel it
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_LAST_ANSWERS)
        for task in self._tasks:
            task.cancel()

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def post(self, method: str, params: Any) -> "asyncio.Future[Any]":
        """Send a request at once; its answer comes in the future, or is ignored if nobody waits."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._requests += 1
        self._waiting[self._requests] = future
        self._send({"id": self._requests, "method": method, "params": params})
        return future

    def take(self, message: Any) -> None:
        if not isinstance(message, dict):
            return
        if "method" not in message:
            self._answered(message)
        elif "id" in message:
            task = asyncio.create_task(self._answer(message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            self._notified(message["method"], _params(message))

    async def _answer(self, message: dict[str, Any]) -> None:
        answer = {"id": message["id"]}
        try:
            answer["result"] = await self._serve(message["method"], _params(message))
        except RpcError as error:
            answer["error"] = {"code": error.code, "message": error.message}
            if error.data is not None:
                answer["error"]["data"] = error.data
        except (KeyError, TypeError, ValueError, OSError) as error:
            answer["error"] = {"code": INVALID_PARAMS, "message": f"Invalid params: {error!r}"}
        self._send(answer)

    def _answered(self, message: dict[str, Any]) -> None:
        future = self._waiting.pop(message.get("id", 0), None)
        if future is None or future.done():
            return
        if "error" in message:
            error = message["error"]
            future.set_exception(RpcError(error["code"], error["message"], error.get("data")))
        else:
            future.set_result(message.get("result"))

    def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False) + "\n"
        self.write(line.encode(errors="replace"))


def _params(message: dict[str, Any]) -> dict[str, Any]:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def _write_line(line: bytes) -> None:
    rest = memoryview(line)
    with contextlib.suppress(OSError):  # nobody reads any more: the end of the input follows
        while rest:
            rest = rest[os.write(1, rest) :]


def _read_lines(loop: asyncio.AbstractEventLoop, lines: "asyncio.Queue[bytes]") -> None:
    with contextlib.suppress(RuntimeError):  # the loop is closed: the program ends
        for line in sys.stdin.buffer:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, b"")
