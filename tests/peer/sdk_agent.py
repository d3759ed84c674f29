"""An agent on the official Python SDK: its strict models read every byte that we send.

It reports what it saw as text, so that the test can compare it with what was asked for.
"""

import asyncio
from typing import Any, cast

from acp import (
    Agent,
    Client,
    InitializeResponse,
    NewSessionResponse,
    PromptResponse,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
    run_agent,
    start_tool_call,
    tool_content,
    tool_diff_content,
    tool_terminal_ref,
    update_agent_message_text,
    update_agent_thought_text,
    update_plan,
    update_tool_call,
)
from acp.helpers import plan_entry, text_block
from acp.schema import (
    AgentCapabilities,
    Implementation,
    PermissionOption,
    SessionConfigOptionBoolean,
    SessionConfigOptionSelect,
    SessionConfigSelectOption,
)

FAST = SessionConfigOptionBoolean(type="boolean", id="fast", name="Fast", category="model_config", current_value=False)


def model_option(current: str) -> SessionConfigOptionSelect:
    """A model choice with `current` chosen."""
    return SessionConfigOptionSelect(
        type="select",
        id="model",
        name="Model",
        category="model",
        current_value=current,
        options=[SessionConfigSelectOption(value=word, name=word.title()) for word in ("small", "large")],
    )


class SdkAgent:
    """Plays one turn per word of the prompt."""

    connection: Client

    def on_connect(self, conn: Client) -> None:
        """Keep the way back to the client."""
        self.connection = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, client_info: Any = None, **kwargs: Any
    ) -> InitializeResponse:
        """Answer with our name; fail loudly if the client did not say its own."""
        assert client_info.name == "acp-tui"
        assert client_capabilities.terminal
        assert client_capabilities.fs.read_text_file
        return InitializeResponse(
            protocol_version=protocol_version,
            agent_capabilities=AgentCapabilities(),
            agent_info=Implementation(name="sdk-agent", version="1"),
        )

    async def new_session(
        self, cwd: str, additional_directories: Any = None, mcp_servers: Any = None, **kwargs: Any
    ) -> NewSessionResponse:
        """One session, with two options."""
        return NewSessionResponse(session_id="sdk-1", config_options=[model_option("small"), FAST])

    async def set_session_mode(self, session_id: str, mode_id: str, **kwargs: Any) -> SetSessionModeResponse:
        """There are no modes."""
        raise AssertionError("no mode was offered")

    async def set_config_option(
        self, config_id: str, session_id: str, value: str | bool, **kwargs: Any
    ) -> SetSessionConfigOptionResponse:
        """Tell the whole list, with the new value in it."""
        model = model_option(value if isinstance(value, str) else "small")
        fast = FAST.model_copy(update={"current_value": value is True})
        return SetSessionConfigOptionResponse(config_options=[model, fast])

    async def prompt(self, session_id: str, prompt: Any, **kwargs: Any) -> PromptResponse:
        """Play the scene that the prompt names."""
        scene = getattr(self, f"scene_{prompt[0].text}")
        return PromptResponse(stop_reason=await scene(session_id) or "end_turn")

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        """Remember the wish."""
        self.cancelled.set()

    def __init__(self) -> None:
        self.cancelled = asyncio.Event()

    async def say(self, session_id: str, text: str) -> None:
        """Stream one chunk of an answer."""
        await self.connection.session_update(session_id, update_agent_message_text(text))

    async def scene_talk(self, session_id: str) -> None:
        """A thought, a plan, an answer in two chunks."""
        await self.connection.session_update(session_id, update_agent_thought_text("hm"))
        await self.connection.session_update(session_id, update_plan([plan_entry("look", status="completed")]))
        await self.say(session_id, "Hello ")
        await self.say(session_id, "there")

    async def scene_edit(self, session_id: str) -> None:
        """Ask before a diff, then write and read back through the client."""
        path = "FOLDER/new.txt"
        call = start_tool_call("edit-1", "Write new.txt", kind="edit", status="pending")
        await self.connection.session_update(session_id, call)
        answer = await self.connection.request_permission(
            session_id=session_id,
            tool_call=update_tool_call("edit-1", content=[tool_diff_content(path, "new\n")]),
            options=[
                PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
                PermissionOption(option_id="no", name="Reject", kind="reject_once"),
            ],
        )
        await self.say(session_id, f"{answer.outcome.outcome}")

    async def scene_files(self, session_id: str) -> None:
        """Write a file in the current folder and read it back."""
        import pathlib

        path = str(pathlib.Path.cwd() / "peer.txt")
        await self.connection.write_text_file(session_id=session_id, path=path, content="one\r\ntwo\n")
        read = await self.connection.read_text_file(session_id=session_id, path=path, line=2, limit=1)
        await self.say(session_id, repr(read.content))

    async def scene_terminal(self, session_id: str) -> None:
        """Run a command in a terminal of the client, embedded in a tool call."""
        terminal = await self.connection.create_terminal(
            session_id=session_id, command="printf", args=["\\033[31mred\\033[0m done"]
        )
        call = start_tool_call("run-1", "printf", kind="execute", content=[tool_terminal_ref(terminal.terminal_id)])
        await self.connection.session_update(session_id, call)
        ended = await self.connection.wait_for_terminal_exit(session_id=session_id, terminal_id=terminal.terminal_id)
        output = await self.connection.terminal_output(session_id=session_id, terminal_id=terminal.terminal_id)
        await self.connection.release_terminal(session_id=session_id, terminal_id=terminal.terminal_id)
        await self.connection.session_update(
            session_id,
            update_tool_call("run-1", status="completed", content=[tool_content(text_block("ran"))]),
        )
        await self.say(session_id, f"{output.output!r} {ended.exit_code}")

    async def scene_wait(self, session_id: str) -> str:
        """Work until cancelled."""
        await self.say(session_id, "working")
        await self.cancelled.wait()
        return "cancelled"


if __name__ == "__main__":
    asyncio.run(run_agent(cast("Agent", SdkAgent())))  # what a method is missing for is not advertised
