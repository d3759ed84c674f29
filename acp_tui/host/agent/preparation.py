"""What is found out before a session is asked for: the system prompt that it had, the options that it is to begin with.

An agent that has `session/options` tells those of a session that is not there yet, so that what the user wants of them
goes with the request that opens it. What it does not tell, or not in time, is chosen afterwards, as with any agent.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import anyio
from anyio.abc import TaskGroup

from acp_tui.host.agent.parts import AgentParts
from acp_tui.host.connection.agent_link import AgentLink
from acp_tui.host.options.choices import RecordedOptions
from acp_tui.host.records.info import NO_SETUP
from acp_tui.host.sessions.conversation import Conversation
from acp_tui.host.sessions.system_prompt import as_before
from acp_tui.host.system.blocking import in_thread
from acp_tui.protocol.capabilities import SessionScope
from acp_tui.protocol.dialect import Way
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.vocabulary.config_options import ConfigOption
from acp_tui.wire.jsonrpc import Response

PATIENCE = 5.0
"""Seconds that an agent has to tell its options; after that the session is opened all the same."""


class Preparation:
    """Prepares the sessions of one connection, each once at a time."""

    def __init__(self, parts: AgentParts, link: AgentLink, tasks: TaskGroup) -> None:
        self._parts, self._link, self._tasks = parts, link, tasks
        self._looking: set[Conversation] = set()

    def prepare(self, conversation: Conversation, way: Way, done: Callable[[], None]) -> None:
        """Call `done` when the session can be asked for, at once where nothing has to be found out."""
        source, session = conversation.source, conversation.session
        if conversation in self._looking:
            return
        continued = source.setup is not None and source.setup.options
        if continued and conversation.was_open and session.index.options_before is None:  # they may be others since
            self._continue_with(conversation, tuple(each for each in session.config_options if each.is_named))
        continues = source.kind == "known" or not source.prompt_known
        if source.kind == "new" or conversation.was_open or source.setup is not None or not continues:
            self._ask_options(conversation, way, done)
            return
        self._looking.add(conversation)
        self._tasks.start_soon(self._look_up, conversation, partial(self._ask_options, conversation, way, done))

    async def _look_up(self, conversation: Conversation, done: Callable[[], None]) -> None:
        source, parts = conversation.source, self._parts
        agent = self._link.agent_name or conversation.session.agent_name
        look_up = partial(parts.context.recording.find_setup, agent, source.session_id)
        setup = await in_thread(look_up) or NO_SETUP
        self._looking.discard(conversation)
        source.setup = setup
        self._continue_with(conversation, setup.options)
        if setup.system_prompt is not None and not source.prompt_known and self._link.can.system_prompt:
            source.scope = replace(source.scope, system_prompt=as_before(setup.system_prompt))
        source.prompt_known = True
        if not conversation.left:
            done()

    def _continue_with(self, conversation: Conversation, left: Sequence[ConfigOption]) -> None:
        session_id = conversation.session.id or conversation.source.session_id
        recorded = RecordedOptions(left, self._parts.asking_more, self._parts.kept, session_id)
        conversation.chosen.recorded = recorded

    def _ask_options(self, conversation: Conversation, way: Way, done: Callable[[], None]) -> None:
        """Ask for the options where the user wants any, and where the agent has no form of its own for them."""
        chosen, link = conversation.chosen, self._link
        conversation.begin_choosing(self._parts.kept)
        chosen.initial = ()
        form = link.initialized.input_options.get(f"session/{way}")
        if not link.can.session_options or form is not None or not conversation.wants_options:
            done()
            return

        def answered(answer: Response) -> None:
            if conversation.asking != asked:
                return  # too late
            conversation.asking = None
            if conversation.left:
                return
            with suppress(ProtocolFault):  # as if it had none to tell
                if answer.error is None:
                    chosen.resolve(link.dialect.read_session_options(answer.result), conversation.input_options.left)
            done()

        source, lifecycle = conversation.source, self._parts.context.lifecycle
        if lifecycle.connection.phase == "starting":
            lifecycle.wait_for("waiting for the agent's options")
        session_id = "" if way == "new" else conversation.session.id or source.session_id
        scope = source.scope if link.can.additional_directories else SessionScope(source.scope.cwd)
        asked = conversation.asking = link.connection.call(link.dialect.session_options(scope, session_id), answered)
        self._tasks.start_soon(self._give_up, conversation, asked, done)

    async def _give_up(self, conversation: Conversation, asked: int, done: Callable[[], None]) -> None:
        await anyio.sleep(PATIENCE)
        if conversation.asking == asked and not conversation.left:
            self._link.connection.withdraw(asked)
            conversation.asking = None
            done()
