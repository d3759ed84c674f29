"""The system prompt that a session is opened with: what the agent takes of it, and what the session had before."""

from dataclasses import replace

from acp_tui.errors import AgentFault
from acp_tui.protocol.calls import Call
from acp_tui.protocol.capabilities import AgentCapabilities, SystemPrompt
from acp_tui.protocol.dialect import system_prompt_of
from acp_tui.session.facts import Noticed, SystemPromptSent

KEPT = "the system prompt of this session"
"""Where a text comes from that a record holds."""
WITHOUT = "--no-system-prompt"
"""The option that opens a session without any."""


def as_before(sent: SystemPromptSent) -> SystemPrompt:
    """What is sent again of a record."""
    texts = sent.override, *sent.append
    return SystemPrompt(sent.override, sent.append, tuple(KEPT for text in texts if text))


def offered_prompt(prompt: SystemPrompt, can: AgentCapabilities) -> tuple[SystemPrompt, list[Noticed]]:
    """The texts that the agent takes, and what the user is told of the others."""
    if not prompt.texts or can.system_prompt == "override":
        return prompt, []
    if not can.system_prompt:
        message, hint = f"Not sent: {named_sources(prompt)}", "Put it in your first prompt instead."
        return SystemPrompt(), [Noticed("warning", "The agent does not support a system prompt", message, hint)]
    if not prompt.override:
        return prompt, []
    own, *others = prompt.sources or ("",)
    hint = "Add to it instead: --append-system-prompt"
    notice = Noticed("warning", "The agent does not support replacing its system prompt", f"Not sent: {own}", hint)
    return replace(prompt, override="", sources=tuple(others)), [notice]


def is_offered(prompt: SystemPrompt, can: AgentCapabilities) -> bool:
    """Whether the agent is sent any of it, so that it may refuse it."""
    return bool(offered_prompt(prompt, can)[0].texts)


def prompt_sent(call: Call, prompt: SystemPrompt) -> SystemPromptSent | None:
    """What went with the request that opened a session, to be remembered; None where that is nothing."""
    sent = system_prompt_of(call.params)
    if not sent.texts and (prompt.texts or not prompt.given):
        return None
    return SystemPromptSent(sent.override, sent.append)


def not_opened(fault: AgentFault, prompt: SystemPrompt, *, attended: bool) -> AgentFault:
    """The fault of an agent that opened no session with this prompt, and how to go on without it."""
    named = [source for source in dict.fromkeys(prompt.sources) if source != KEPT]
    hint = f"Leave out {', '.join(named)}, or add {WITHOUT}." if named else f"Add {WITHOUT}."
    if attended:
        hint = "Press Enter to open the session without the system prompt."
    return AgentFault("The agent did not open the session with your system prompt", fault.message, hint)


def named_sources(prompt: SystemPrompt) -> str:
    return ", ".join(dict.fromkeys(prompt.sources)) or KEPT
