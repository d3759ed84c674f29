"""An agent that says one hostile text in every field that can reach a screen, each behind the field's own name.

    python hostile_text.py EVIL.json RECORD

It is scripted: one prompt with everything in it, then a refused choice, a list of sessions, a failed prompt, an
end. Standard library only; it must not import the package that it tests.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.agents.scripted import ScriptedAgent

EVIL: str = json.loads(Path(sys.argv[1]).read_text())
agent = ScriptedAgent(record=sys.argv[2])


def evil(name: str) -> str:
    """The name of a field, and the hostile text."""
    return f"<{name}>" + EVIL


def evil_text(name: str) -> str:
    """The same without NUL, which would make a file binary and cannot be an argument of a command."""
    return evil(name).replace("\0", "")


agent.initialize(
    {
        "protocolVersion": 1,
        "agentCapabilities": {"sessionCapabilities": {"list": {}}},
        "agentInfo": {"name": evil("agent-name"), "title": evil("agent-title"), "version": evil("agent-version")},
    }
)


def option(name: str, category: str, **more: Any) -> dict[str, Any]:
    named = {"name": evil(name), "description": evil(name + "-description"), "category": category}
    return {"type": "select", "id": evil(name), **named, "currentValue": evil(name + "-one"), **more}


def value(name: str) -> dict[str, str]:
    return {"value": evil(name), "name": evil(name + "-name"), "description": evil(name + "-description")}


group = {"group": "g", "name": evil("group"), "options": [value("model-one"), value("model-two")]}
agent.new_session(
    config_options=[
        option("mode", "mode", options=[value("mode-one"), value("mode-two")]),
        option("model", "model", options=[group]),
        option("other", evil("category"), options=[value("other-two")]),
    ]
)


def text(name: str) -> dict[str, str]:
    return {"type": "text", "text": evil(name)}


def call(name: str, **members: Any) -> None:
    agent.update({"sessionUpdate": "tool_call", "toolCallId": evil(name), "title": evil(name), **members})


command = {"name": evil("command"), "description": evil("command-description"), "input": {"hint": evil("hint")}}
agent.update({"sessionUpdate": "available_commands_update", "availableCommands": [command, {**command, "name": "x"}]})
prompt = agent.expect("session/prompt")
agent.stderr(evil("stderr") + "\n")
agent.update({"sessionUpdate": "session_info_update", "title": evil("session-title")})
usage = {"used": 1, "size": 2, "cost": {"amount": 1, "currency": EVIL}}
agent.update({"sessionUpdate": "usage_update", **usage})
agent.update(
    {
        "sessionUpdate": "notice",
        "severity": evil("severity"),
        "title": evil("live-notice"),
        "description": evil("live-description"),
    }
)
agent.think(evil("thought"))
for form in ("{}", "# {}", "- {}", "`{}`", "```{}\ncode\n```", "```py\n{}\n```", "[label]({})", "|a|\n|-|\n|{}|"):
    agent.say(form.format(evil("said" + str(len(form)))) + "\n\n")
for block in (
    {"type": "resource_link", "uri": evil("link-uri"), "name": evil("link-name"), "title": evil("link-title")},
    {"type": "image", "data": "AA==", "mimeType": evil("image-type"), "uri": evil("image-uri")},
    {"type": "audio", "data": "AA==", "mimeType": evil("audio-type")},
    {"type": "resource", "resource": {"uri": evil("resource-uri"), "text": evil("resource-text")}},
    {"type": evil("block-type"), "strange": evil("block-member")},
):
    agent.update({"sessionUpdate": "agent_message_chunk", "content": block})
agent.update({"sessionUpdate": "user_message_chunk", "content": text("user-text")})
call(
    "odd-tool",
    kind=EVIL,
    status="completed",
    rawInput={evil("input-key"): evil("input-value"), "list": [evil("in-list")]},
    rawOutput={evil("output-key"): evil("output-value")},
)
call("status-tool", kind="read", status=evil("status"), locations=[{"path": "/tmp/" + evil("location"), "line": 3}])
call(
    "content-tool",
    kind="fetch",
    status="failed",
    content=[
        {"type": "content", "content": text("tool-text")},
        {"type": "content", "content": {"type": "resource_link", "uri": evil("tool-uri"), "name": evil("tool-link")}},
        {"type": evil("content-type"), "member": evil("content-member")},
    ],
)
call(
    "diff-tool",
    kind="edit",
    status="completed",
    content=[
        {
            "type": "diff",
            "path": "/tmp/" + evil("diff-path"),
            "oldText": evil_text("old-text"),
            "newText": evil_text("new-text"),
        },
    ],
)
call("shell-tool", kind="execute", status="in_progress", rawInput={"command": evil("raw-command")})
echo = [sys.executable, "-c", "import os,sys; os.write(1, sys.argv[1].encode('utf-8', 'surrogateescape'))"]
shown = evil_text("terminal-output").encode("utf-8", "replace").decode()
answer = agent.request(
    "terminal/create", {"sessionId": agent.session_id, "command": echo[0], "args": [*echo[1:], shown]}
)
ran = {"type": "terminal", "terminalId": answer["terminalId"]}
agent.request("terminal/wait_for_exit", {"sessionId": agent.session_id, "terminalId": answer["terminalId"]})
agent.update({"sessionUpdate": "tool_call_update", "toolCallId": evil("shell-tool"), "content": [ran]})
own = {
    "terminal_info": {"terminal_id": "own", "cwd": evil("own-cwd")},
    "terminal_output": {"terminal_id": "own", "data": evil("own-output")},
    "terminal_exit": {"terminal_id": "own", "signal": evil("own-signal")},
}
call("own-terminal", kind="execute", status="completed", content=[{"type": "terminal", "terminalId": "own"}], _meta=own)
agent.update(
    {
        "sessionUpdate": "plan",
        "entries": [
            {"content": evil("plan-entry"), "priority": evil("plan-priority"), "status": "in_progress"},
            {"content": evil("plan-second"), "priority": "high", "status": evil("plan-status")},
        ],
    }
)
agent.update({"sessionUpdate": evil("unknown-kind"), evil("unknown-key"): evil("unknown-value")})
agent.update({"sessionUpdate": "tool_call", "toolCallId": {evil("rejected"): EVIL}})
agent.update(
    {
        "sessionUpdate": "compaction_update",
        "compactionId": EVIL,
        "status": "failed",
        "error": evil("compaction-error"),
        "summary": [text("compaction-summary")],
    }
)
agent.update({"sessionUpdate": "session_info_update"}, evil("stranger"))
agent.raw((evil("noise").replace("\n", "") + "\n").encode("utf-8", "replace"))
agent.answer_to(
    agent.permission(
        {
            "toolCallId": evil("asked"),
            "title": evil("asked-title"),
            "kind": "execute",
            "rawInput": {evil("asked-key"): evil("asked-value")},
            "content": [{"type": "diff", "path": evil("asked-path"), "newText": evil_text("asked-text")}],
        },
        [
            {"optionId": evil("option"), "name": evil("option-name"), "kind": "allow_once"},
            {"optionId": "2", "name": evil("option-second"), "kind": evil("option-kind")},
        ],
    )
)
properties = {
    evil("field"): {
        "type": "string",
        "title": evil("field-title"),
        "description": evil("field-description"),
        "default": EVIL,
    },
    "pick": {
        "type": "string",
        "title": evil("pick-title"),
        "oneOf": [{"const": evil("const"), "title": evil("const-title"), "description": evil("const-description")}],
    },
    "many": {"type": "array", "title": evil("many-title"), "items": {"type": "string", "enum": [evil("item")]}},
    "strange": {"type": evil("field-type"), "title": evil("strange-title")},
}
schema = {
    "type": "object",
    "title": evil("form-title"),
    "description": evil("form-description"),
    "properties": properties,
}
asked = {"sessionId": agent.session_id, "message": evil("form-message"), "mode": "form", "requestedSchema": schema}
agent.answer_to(agent.ask("elicitation/create", asked))
address = {
    "mode": "url",
    "url": "https://example.com/" + evil("address"),
    "elicitationId": EVIL,
    "message": evil("address-message"),
}
agent.answer_to(agent.ask("elicitation/create", {"sessionId": agent.session_id, **address}))
agent.end_turn(prompt, evil("stop-reason"))
agent.fail(
    agent.expect("session/set_config_option"), -32603, evil("refused"), {evil("refused-key"): evil("refused-data")}
)
listed = agent.expect("session/list")
info = {
    "sessionId": evil("listed-id"),
    "cwd": listed["params"].get("cwd", "/"),
    "title": evil("listed-title"),
    "updatedAt": EVIL,
}
agent.answer(listed, {"sessions": [info]})
agent.fail(agent.expect("session/prompt"), -32603, evil("failed"), {evil("failed-key"): evil("failed-data")})
agent.expect("session/prompt")
agent.stderr(evil("last-words") + "\n")
agent.exit(3)
