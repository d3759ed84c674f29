"""Subagents that come as plain tool calls: by their names, or by an input that has a prompt and a sort of agent."""

from collections.abc import Iterable
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.session.tools.input import plain_name

_NAMES = frozenset(("task", "agent", "spawnagent", "subagent", "runsubagent", "runagent", "launchagent"))
_NAMES |= {"dispatchagent", "newtask", "delegate", "delegatetask"}
_SORTS = frozenset(("subagenttype", "agenttype", "subagent", "subagentname", "agentname", "agent"))
_ADDRESSEES = ("agent", "agentname")  # who a message may be for, too
_BEGUN = _SORTS | {"description"}  # what may come before the prompt
_PROMPTS = frozenset(("prompt", "task", "message", "instructions", "goal", "objective"))


class SubagentCall(Frozen):
    """Which sort of agent a call starts, and the prompt that it gets; each is empty where that is not said."""

    sort: str = ""
    prompt: str = ""


def subagent_call(name: str, inputs: Iterable[Any]) -> SubagentCall | None:
    """What a call of that name starts; None where that is no subagent: a task of a tracker, a message to an agent."""
    named = plain_name(name.strip()) in _NAMES
    prompt = ""
    for value in inputs:
        members = {plain_name(key): each for key, each in value.items()} if isinstance(value, dict) else {}
        texts = {key: each.strip() for key, each in members.items() if isinstance(each, str) and each.strip()}
        by = next((key for key in texts if key in _SORTS), "")
        asked = next((key for key in texts if key in _PROMPTS), "")
        prompt = texts.get(asked, prompt)
        if by and prompt and (named or asked != "message" or by not in _ADDRESSEES):
            return SubagentCall(texts[by], prompt)
        named = named and (bool(prompt) or members.keys() <= _BEGUN)
    return SubagentCall("", prompt) if named else None
