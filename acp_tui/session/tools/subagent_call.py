"""Subagents that come as plain tool calls: by their names, or by an input that has a prompt and a sort of agent."""

from collections.abc import Iterable
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.session.tools.input import plain_name

_NAMES = frozenset(("task", "agent", "spawnagent", "subagent", "runsubagent", "runagent", "launchagent"))
_NAMES |= {"dispatchagent", "newtask", "delegate", "delegatetask"}
_SORTS = frozenset(("subagenttype", "agenttype", "subagent", "subagentname", "agentname", "agent"))
_PROMPTS = frozenset(("prompt", "task", "message", "instructions", "goal", "objective"))


class SubagentCall(Frozen):
    """Which sort of agent a call starts, and the prompt that it gets; each is empty where that is not said."""

    sort: str = ""
    prompt: str = ""


def subagent_call(name: str, inputs: Iterable[Any]) -> SubagentCall | None:
    """What a call of that name starts; None where that is no subagent."""
    prompt = ""
    for value in inputs:
        members = {plain_name(key): each for key, each in value.items()} if isinstance(value, dict) else {}
        texts = {key: each.strip() for key, each in members.items() if isinstance(each, str) and each.strip()}
        prompt = next((texts[key] for key in texts if key in _PROMPTS), prompt)
        sort = next((texts[key] for key in texts if key in _SORTS), "")
        if sort and prompt:
            return SubagentCall(sort, prompt)
    return SubagentCall("", prompt) if plain_name(name.strip()) in _NAMES else None
