"""Every place of a message with every kind of wrong value in it: the conversation and the screen outlive them all."""

from pathlib import Path

from acp_tui.host.config.state_files import state_folder
from tests.agents.scripted import write_script
from tests.driven_screen import DrivenScreen

# Each `X` is replaced by each of the values, `S` by the session; a request is withdrawn at once, and answered.
SHAPES = (
    """
{"sessionUpdate": "agent_message_chunk", "content": X}
{"sessionUpdate": "agent_message_chunk", "content": {"type": X, "text": "t"}}
{"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": X}}
{"sessionUpdate": "agent_message_chunk", "messageId": X, "content": {"type": "text", "text": "t"}}
{"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "mimeType": "image/png", "data": X}}
{"sessionUpdate": "agent_message_chunk", "content": {"type": "resource", "resource": X}}
{"sessionUpdate": "agent_thought_chunk", "content": {"type": "resource_link", "uri": X, "name": X, "size": X}}
{"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "t", "annotations": X}}
{"sessionUpdate": X}
{"sessionUpdate": "tool_call", "toolCallId": X, "title": "t"}
{"sessionUpdate": "tool_call", "toolCallId": "a", "title": X}
{"sessionUpdate": "tool_call", "toolCallId": "b", "title": "t", "kind": X, "status": X}
{"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "content": X}
{"sessionUpdate": "tool_call_update", "toolCallId": "c", "content": [X, {"type": X}]}
{"sessionUpdate": "tool_call_update", "toolCallId": "d", "content": [{"type": "diff", "path": X, "newText": X}]}
{"sessionUpdate": "tool_call_update", "toolCallId": "e", "content": [{"type": "terminal", "terminalId": X}]}
{"sessionUpdate": "tool_call_update", "toolCallId": "f", "locations": X}
{"sessionUpdate": "tool_call_update", "toolCallId": "g", "locations": [{"path": X, "line": X}]}
{"sessionUpdate": "tool_call", "toolCallId": "h", "title": "t", "rawInput": X, "rawOutput": X}
{"sessionUpdate": "tool_call", "toolCallId": "i", "title": "t", "rawInput": {"command": X, "cwd": X, "path": X}}
{"sessionUpdate": "plan", "entries": X}
{"sessionUpdate": "plan", "entries": [{"content": X, "priority": X, "status": X}]}
{"sessionUpdate": "plan_update", "plan": X}
{"sessionUpdate": "available_commands_update", "availableCommands": X}
{"sessionUpdate": "available_commands_update", "availableCommands": [{"name": X, "description": X, "input": X}]}
{"sessionUpdate": "current_mode_update", "currentModeId": X}
{"sessionUpdate": "config_option_update", "configOptions": X}
{"sessionUpdate": "config_option_update", "configOptions": [{"id": X, "name": X, "type": "select", "options": X}]}
{"sessionUpdate": "session_info_update", "title": X, "updatedAt": X}
{"sessionUpdate": "usage_update", "used": X, "size": X, "cost": X}
{"sessionUpdate": "notice", "level": X, "message": X}
{"sessionUpdate": "compaction_update", "status": X, "summary": X}
{"id": "p", "method": "session/request_permission", "params": {S, "toolCall": {"toolCallId": "p"}, "options": X}}
{"id": "f", "method": "elicitation/create", "params": {S, "mode": "form", "message": "f", "requestedSchema": X}}
{"id": "t", "method": "terminal/create", "params": {S, "command": "true", "outputByteLimit": X, "args": X}}
""".strip()
    .replace("S,", '"sessionId": "session-1",')
    .split("\n")
)

VALUES = [
    *("null", "true", "0", "-1", "1.5e300", "1e999", "NaN", "-Infinity", "9" * 4_000, '""', '"\\ud800\\u0000"', "[]"),
    *("{}", '[[[[{"x": []}]]]]', '{"type": 5, "": null, "path": {"path": []}}'),
]

AGENT = f"""
agent.initialize()
agent.new_session()
prompt = agent.expect("session/prompt")
for shape in {SHAPES!r}:
    for value in {VALUES!r}:
        line = shape.replace("X", value)
        if "method" not in shape:
            line = '{{"method": "session/update", "params": {{"sessionId": "session-1", "update": ' + line + "}}}}"
        agent.raw(b'{{"jsonrpc": "2.0", ' + line[1:].encode() + bytes([10]))
        if "method" in shape:
            asked = shape[shape.index("id") + 6]
            agent.notify("$/cancel_request", {{"requestId": asked}})
            agent.answer_to(asked)
agent.say(" WELL AND ALIVE")
agent.end_turn(prompt)
agent.turn(" AGAIN")
agent.serve()
"""


def test_every_value_in_every_place_is_outlived(tmp_path: Path) -> None:
    assert (len(SHAPES), len(VALUES)) == (35, 15)
    script = write_script(tmp_path, AGENT)
    with DrivenScreen("--", *script.argv, cwd=tmp_path) as screen:
        screen.wait_for("Ask anything")
        screen.press("go\r")
        screen.wait_for("WELL AND ALIVE")
        screen.press("\x0f")
        screen.press("more\r")
        screen.wait_for("AGAIN")
        screen.press("\x03\x03")
        assert screen.wait_for_end() == 0
    assert screen.recorded.foreign == []
    [record] = (state_folder() / "records").iterdir()
    assert "WELL AND ALIVE" in record.read_text()
    assert (
        "Error: " not in record.read_text()
    )  # a mistake of ours is a notice that begins with the name of its exception
    assert not (state_folder() / "acp-tui.log").exists()
