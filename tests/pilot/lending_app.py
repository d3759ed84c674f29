"""An app that paints all the time and lends its terminal to a command when `e` is pressed; run by test_suspension.

With `t` it is stopped within a frame (test_suspend). It touches the file that TICKS names each time. With KEEPS it
shows the last of what the command wrote.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from textual.app import App, ComposeResult
from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import UserFault
from acp_tui.ui.terminal.suspension import run_on_terminal
from acp_tui.ui.terminal.terminal_driver import TerminalDriver


class LendingApp(App[int]):
    BINDINGS = [("e", "lend"), ("x", "leave"), ("c", "crash"), ("t", "stop")]

    def __init__(self, argv: list[str]) -> None:
        super().__init__(driver_class=TerminalDriver)
        self.argv = argv
        self.painted = self.lent = 0

    def compose(self) -> ComposeResult:
        yield Static(id="count")
        yield Static("READY", id="said")

    def on_mount(self) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.action_leave)
        self.set_interval(0.005, self.tick)

    def tick(self) -> None:
        self.painted += 1
        if ticks := os.environ.get("TICKS"):
            Path(ticks).touch()
        self.query_one("#count", Static).update(Content(f"{self.painted} " * 20))
        self.bell()

    def action_lend(self) -> None:
        self.run_worker(self.lend())

    def action_leave(self) -> None:
        self.exit(0)

    def action_crash(self) -> None:
        raise RuntimeError

    def action_stop(self) -> None:
        self._sync_available = True
        self._begin_update()
        signal.raise_signal(signal.SIGTSTP)
        self._end_update()

    async def lend(self) -> None:
        before = self.painted
        self.lent += 1
        output = bytearray() if "KEEPS" in os.environ else None
        try:
            said = f"CODE={await run_on_terminal(self, self.argv, output=output)}"
        except UserFault as fault:
            said = fault.title
        lively = "ALIVE" if self.painted > before else "STOOD-STILL"
        kept = f" KEPT={bytes(output)!r}" if output is not None else ""
        self.query_one("#said", Static).update(Content(f"{self.lent}: {said} {lively}{kept}"))

    def input_ended(self) -> None:
        self.exit(0)


if __name__ == "__main__":
    sys.exit(LendingApp(sys.argv[1:]).run())
