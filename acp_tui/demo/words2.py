"""What version 1 says, in the words of version 2."""

import difflib
from typing import Any

from acp_tui.demo.commands import available_commands

Data = dict[str, Any]


def update_told(kind: str, members: Data) -> Data:
    """An update."""
    if kind == "plan":
        return {"sessionUpdate": "plan_update", "plan": {"type": "items", "planId": "plan", **members}}
    if kind == "config_option_update":
        return {"sessionUpdate": kind, "configOptions": options_told(members["configOptions"])}
    if kind in ("tool_call", "tool_call_update"):
        return {"sessionUpdate": "tool_call_update", **tool_call_told(members)}
    return {"sessionUpdate": kind, **members}


def tool_call_told(members: Data) -> Data:
    """What is told of a tool call: only diffs are written in another way."""
    if not isinstance(members.get("content"), list):
        return members
    return {**members, "content": [_diff(item) if item["type"] == "diff" else item for item in members["content"]]}


def permission_told(tool_call: Data) -> Data:
    """What a permission request is about: a command by itself, or the tool call."""
    raw = tool_call.get("rawInput")
    call = tool_call_told(tool_call)
    if tool_call["kind"] == "execute" and isinstance(raw, dict) and "command" in raw:
        subject = {"type": "command", "command": raw["command"], "cwd": raw["cwd"], "toolCallId": call["toolCallId"]}
        return {"title": "May I run this command?", "subject": subject}
    title = call.get("title") or "something without a title"
    return {"title": f"{title}?", "subject": {"type": "tool_call", "toolCall": call}}


def options_told(options: list[Data]) -> list[Data]:
    """Config options and their groups."""
    return [_renamed(option, "id", "configId") | _groups(option) for option in options]


def commands_told() -> list[Data]:
    """All slash commands."""
    return [
        {"type": "command", **command} | ({"input": {"type": "text", **command["input"]}} if "input" in command else {})
        for command in available_commands()
    ]


def _groups(option: Data) -> Data:
    if "options" not in option:
        return {}
    return {"options": [_renamed(each, "group", "groupId") for each in option["options"]]}


def _renamed(members: Data, old: str, new: str) -> Data:
    return {(new if name == old else name): value for name, value in members.items()}


def _diff(item: Data) -> Data:
    path, old, new = item["path"], item["oldText"], item["newText"]
    operation = "add" if old is None else "modify"
    lines = difflib.unified_diff(
        (old or "").splitlines(keepends=True),
        new.splitlines(keepends=True),
        "/dev/null" if old is None else f"a{path}",
        f"b{path}",
    )
    text = f"diff --git a{path} b{path}\n" + ("new file mode 100644\n" if old is None else "") + "".join(lines)
    change = {"operation": operation, "path": path, "fileType": "text"}
    return {"type": "diff", "changes": [change], "patch": {"format": "git_patch", "text": text}}
