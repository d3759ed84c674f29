"""Supervises the agent's process: starts it, has it served, ends it, and starts another one if that is wanted.

One task runs it all: it enters and leaves what anyio must have entered and left by one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio

from acp_tui.errors import Fault
from acp_tui.host.agent.context import AgentContext
from acp_tui.host.catalog.launch_plan import start_of
from acp_tui.host.connection.agent_process import AgentProcess
from acp_tui.host.system.threads import in_joined_thread
from acp_tui.startup import late

if TYPE_CHECKING:
    from acp_tui.host.agent.connected_agent import ConnectedAgent
    from acp_tui.host.agent.parts import AgentParts

FAREWELL = 0.5
"""Seconds that an agent has to put its sessions away before its standard input is closed."""


class Supervisor:
    """All processes of one agent, one after the other. Where a user attends, they may want another one."""

    def __init__(self, context: AgentContext, parts: Callable[[], AgentParts]) -> None:
        """`parts` are made when they are first wanted, for what they import is too much before the first frame."""
        self._context, self._parts = context, parts
        self._lifecycle = context.lifecycle
        self.process: AgentProcess | None = None
        self.agent: ConnectedAgent | None = None
        self._serving: anyio.CancelScope | None = None
        self._wake = anyio.Event()
        self._restarting = self._closing = False

    async def run(self) -> None:
        """Serve until nobody wants the agent any more; no process is left behind, whatever happens."""
        try:
            while not self._closing:
                await self._live()
                if not await self._goes_on():
                    break
        finally:
            self._lifecycle.enter("closed")

    def restart(self) -> None:
        if self._closing or self._lifecycle.connection.phase == "closed":
            return
        self._restarting = True
        self._lifecycle.begin("stopping the agent")
        self._wake.set()
        self._stop_serving()

    def close(self) -> None:
        if self._lifecycle.connection.phase == "closed":
            return
        if self._closing:
            if self.agent is not None:
                self.agent.hurry()
            if self.process is not None:
                self.process.kill()
            self._stop_serving()
            return
        self._closing, self._restarting = True, False
        self._lifecycle.enter("closing")
        self._wake.set()
        if self._serving is not None and self.agent is not None and self.agent.say_goodbye(self._stop_serving):
            self._serving.deadline = anyio.current_time() + FAREWELL
        else:
            self._stop_serving()

    def _stop_serving(self) -> None:
        if self._serving is not None:
            self._serving.cancel()

    def fail(self, fault: Fault) -> None:
        if not (self._closing or self._restarting):
            self._lifecycle.fail(fault)
        self._stop_serving()

    async def _live(self) -> None:
        self._restarting, self.process, self._wake = False, None, anyio.Event()
        self._lifecycle.begin("starting the agent")
        try:
            with anyio.CancelScope() as self._serving:
                await self._serve()
        finally:
            with anyio.CancelScope(shield=True):
                await self._bury()

    async def _serve(self) -> None:
        context = self._context
        try:
            if context.command.check is not None:
                await in_joined_thread(context.command.check)
            start = start_of(context.command, context.cwd)
            self.process = await context.start(start.argv, start.env, start.cwd)
        except Fault as fault:
            self.fail(fault)
            return
        self.process.show(context.traffic)
        self._lifecycle.started()
        module = late("acp_tui.host.agent.connected_agent")  # the agent starts meanwhile; a screen has it already
        agent: ConnectedAgent = module.ConnectedAgent(self._parts(), self.process, self)
        self.agent = agent
        await agent.serve()

    def offer_less(self) -> None:
        """The agent took the offer of two versions ill: a new process is offered the older one alone, from now on."""
        self._context.command = replace(self._context.command, protocol="1")
        self._context.offered_less = True
        self.restart()

    async def _goes_on(self) -> bool:
        if self._context.attended and not (self._closing or self._restarting):
            await self._wake.wait()
        return self._restarting

    async def _bury(self) -> None:
        if not self._restarting:
            self._lifecycle.enter("gone" if self._context.attended and not self._closing else "closing")
        fault, self.agent, self._serving = self._lifecycle.connection.fault, None, None
        for conversation in self._parts().sessions:
            conversation.close(fault)
        self._parts().gone()
        if self.process is not None:
            await self.process.stop()
            self._lifecycle.ended(self.process.returncode)
