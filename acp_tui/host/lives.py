"""The agent's lives: a process is started, served and ended, and another one if it is wanted.

It must not know what is said.

One task runs it all: it enters and leaves what anyio must have entered and left by one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from acp_tui.errors import Fault
from acp_tui.host.agent_command import AgentCommand
from acp_tui.host.agent_process import AgentProcess
from acp_tui.host.conversations import Conversations
from acp_tui.host.launcher import start_of
from acp_tui.host.lifecycle import Lifecycle
from acp_tui.host.logins import Logins
from acp_tui.host.traffic import Traffic
from acp_tui.protocol.capabilities import ClientCapabilities

if TYPE_CHECKING:
    from acp_tui.host.choices import KeptChoices
    from acp_tui.host.connected_agent import ConnectedAgent
    from acp_tui.host.conversation import Line
    from acp_tui.protocol.initialization import Initialized


Start = Callable[[tuple[str, ...], Mapping[str, str], str], Awaitable[AgentProcess]]
"""Starts an agent by argument vector, variables on top of ours, and folder; raises `Fault`."""

FAREWELL = 0.5
"""Seconds that an agent has to put its sessions away before its standard input is closed."""


class Lives:
    """All processes of one agent, one after the other. With `logins`, somebody is there who may want another one.

    `greeted` hears of each introduction, `ended` of each end; `traffic` is shown all that passes.
    """

    def __init__(
        self,
        command: AgentCommand,
        cwd: str,
        capabilities: ClientCapabilities,
        lifecycle: Lifecycle,
        conversations: Conversations,
        greeted: Callable[[Line, Initialized], KeptChoices],
        ended: Callable[[], None],
        logins: Logins | None,
        traffic: Traffic,
        start: Start = AgentProcess.start,
    ) -> None:
        self._command, self._cwd, self._capabilities = command, cwd, capabilities
        self._lifecycle, self._conversations = lifecycle, conversations
        self._greeted, self._ended, self._logins = greeted, ended, logins
        self._traffic, self._start = traffic, start
        self.process: AgentProcess | None = None
        self.agent: ConnectedAgent | None = None
        self._serving: anyio.CancelScope | None = None
        self._wake = anyio.Event()
        self._restarting = self._closing = False
        self._buried = False
        self._offer = command.protocol

    async def run(self) -> None:
        """Live until nobody wants the agent any more; no process is left behind, whatever happens."""
        try:
            while not self._closing:
                await self._live()
                if not await self._goes_on():
                    break
        finally:
            with anyio.CancelScope(shield=True):
                await self._bury()
            self._lifecycle.enter("closed")

    def restart(self) -> None:
        """End the process, if there is one, and start another."""
        if self._closing or self._lifecycle.connection.phase == "closed":
            return
        self._restarting = True
        self._lifecycle.begin("ending the agent")
        self._wake.set()
        self._stop_serving()

    def _offer_less(self) -> None:
        """The agent took the offer of two versions ill: a new process is offered the older one alone, from now on."""
        self._offer = "1"
        self.restart()

    def close(self) -> None:
        """Say goodbye and begin the shutdown ladder; a second call ends the agent at once."""
        if self._lifecycle.connection.phase == "closed":
            return
        if self._closing:
            self._hurry()
            return
        self._closing, self._restarting = True, False
        self._lifecycle.enter("closing")
        self._wake.set()
        if self._serving is not None and self.agent is not None and self.agent.say_goodbye(self._stop_serving):
            self._serving.deadline = anyio.current_time() + FAREWELL
        else:
            self._stop_serving()

    def _hurry(self) -> None:
        if self.agent is not None:
            self.agent.hurry()
        if self.process is not None:
            self.process.kill()
        self._stop_serving()

    def _stop_serving(self) -> None:
        if self._serving is not None:
            self._serving.cancel()

    def _fail(self, fault: Fault) -> None:
        """Why this life ends; not news where its end is wanted."""
        if not (self._closing or self._restarting):
            self._lifecycle.fail(fault)
        self._stop_serving()

    async def _live(self) -> None:
        self._restarting, self._buried, self.process, self._wake = False, False, None, anyio.Event()
        self._lifecycle.begin("starting the agent")
        with anyio.CancelScope() as self._serving:
            await self._serve()
        with anyio.CancelScope(shield=True):
            await self._bury()

    async def _serve(self) -> None:
        variables: Mapping[str, str] = self._logins.variables if self._logins is not None else {}
        command = replace(self._command, env={**self._command.env, **variables}, protocol=self._offer)
        try:
            if command.check is not None:
                await anyio.to_thread.run_sync(command.check)
            start = start_of(command, self._cwd)
            self.process = await self._start(start.argv, start.env, start.cwd)
        except Fault as fault:
            self._fail(fault)
            return
        self.process.show(self._traffic)
        self._lifecycle.started()
        connected_agent = await anyio.to_thread.run_sync(_load)  # the agent starts meanwhile, and the screen answers
        self.agent = connected_agent(
            self.process,
            command,
            self._capabilities,
            self._lifecycle,
            self._conversations,
            self._fail,
            self._offer_less,
            self._greeted,
            self._logins,
        )
        await self.agent.serve()

    async def _goes_on(self) -> bool:
        """Whether there is to be another life; where somebody may want one, that is waited for."""
        if self._logins is not None and not (self._closing or self._restarting):
            await self._wake.wait()
        return self._restarting

    async def _bury(self) -> None:
        """The last word to every session, and the shutdown ladder; once for each life."""
        if self._buried:
            return
        self._buried = True
        if not self._restarting:
            self._lifecycle.enter("gone" if self._logins is not None and not self._closing else "closing")
        fault, self.agent, self._serving = self._lifecycle.connection.fault, None, None
        for conversation in self._conversations:
            conversation.close(fault)
        self._ended()
        if self.process is not None:
            await self.process.stop()
            self._lifecycle.ended(self.process.returncode)


def _load() -> type[ConnectedAgent]:
    """What serves an agent. It needs the connection and every word of the protocol: too much before the first frame."""
    from acp_tui.host.connected_agent import ConnectedAgent  # noqa: PLC0415 (as said)

    return ConnectedAgent
