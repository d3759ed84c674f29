"""The export holds all of the state, as data and as Markdown."""

import json
from dataclasses import fields

from acp_tui.protocol.vocabulary.content import (
    BlobResource,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextResource,
    UnknownContent,
)
from acp_tui.protocol.vocabulary.session_updates import (
    CompactionUpdate,
    MessageChunk,
    Plan,
    PlanEntry,
    PlanUpdate,
    SessionInfoUpdate,
    SessionMessage,
    SessionMessageChunk,
    SubagentUpdate,
    UnknownUpdate,
)
from acp_tui.protocol.vocabulary.tool_calls import (
    ContentItem,
    Diff,
    FileChange,
    Patch,
    PermissionOption,
    PermissionRequest,
    SessionReference,
    TerminalExitStatus,
    TerminalOutputChunk,
    TerminalReference,
    TerminalUpdate,
    ToolCallLocation,
    UnknownToolCallContent,
)
from acp_tui.session.export import to_json, to_markdown
from acp_tui.session.export_formats import EXPORTS, ExportFormat, format_of
from acp_tui.session.facts import Noticed, PermissionReceived, PromptQueued, SubagentEvent
from acp_tui.session.state import Session
from acp_tui.session.text.markdown import fence, unified_diff
from acp_tui.ui.commands.registry import BY_ID
from tests.rows import each_of
from tests.unit.session.speech import Told, idle, running, say, text, think, told, tool, user


def block(content: ContentBlock) -> MessageChunk:
    return MessageChunk(session_update="agent_message_chunk", message_id="a", content=content)


def markdown(one: Told) -> str:
    return to_markdown(one.session)


def test_every_field_of_a_session_is_exported() -> None:
    names = {field.name for field in fields(Session) if not field.name.startswith("_")}
    assert set(to_json(told().session)) == names - {"clock", "family", "index", "parent"}


@each_of(
    ("name", "suffix"),
    [("a.md", "md"), ("A.JSON", "json"), ("a.b/c.json", "json"), ("a", ""), ("a.doc", ""), (".md", ""), ("a.md ", "")],
)
def test_the_ending_of_a_name_says_the_format(name: str, suffix: str) -> None:
    assert format_of(name) is EXPORTS.get(suffix)


@each_of("one", EXPORTS.values())
def test_a_format_has_its_command_and_its_text(one: ExportFormat) -> None:
    command = BY_ID[one.command]
    assert (command.label, command.tooltip) == (f"Export to {one.label}", f"Export the session as {one.label}")
    written = told()
    written.apply(say("make all"))
    assert "make all" in one.render(written.session)


def test_the_data_is_json() -> None:
    one = told()
    one.apply(user("hi"), running(), say("so"), tool(content=[TerminalReference(terminal_id="t")]))
    one.apply(TerminalOutputChunk(terminal_id="t", data=b"\xff"), UnknownUpdate("new", {"a": None}))
    option = PermissionOption(option_id="y", name="Yes", kind="allow_once")
    one.apply(PermissionReceived(1, PermissionRequest(session_id="s", title="?", options=[option])))
    data = to_json(one.session)
    assert json.loads(json.dumps(data)) == data
    assert data["permissions"][0]["request"]["options"] == [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]


def test_unknown_words_come_out_as_they_came_in() -> None:
    raw = {"type": "hologram", "depth": None, "list": [1, {"a": 2}]}
    one = told()
    one.apply(running(), block(UnknownContent(type="hologram", raw=raw)))
    one.apply(tool(content=[UnknownToolCallContent(type="hologram", raw=raw)]), UnknownUpdate("new", raw))
    message, call, unknown = to_json(one.session)["entries"]
    assert message["parts"] == [raw]
    assert call["content"] == [raw]
    assert unknown["raw"] == raw


def test_unknown_members_of_known_words_are_kept() -> None:
    one = told()
    one.apply(running(), tool(locations=[ToolCallLocation.model_validate({"path": "/a", "column": 4, "line": None})]))
    assert to_json(one.session)["entries"][0]["locations"] == [{"path": "/a", "line": None, "column": 4}]


def test_terminal_output_is_whole_even_where_it_is_no_text() -> None:
    one = told()
    one.apply(TerminalOutputChunk(terminal_id="t", data="€".encode()[:1]))
    one.apply(TerminalOutputChunk(terminal_id="t", data="€".encode()[1:]))
    assert to_json(one.session)["terminals"]["t"]["output"] == "€"
    one.apply(TerminalOutputChunk(terminal_id="t", data=b"\xff"))
    assert to_json(one.session)["terminals"]["t"]["output"] == {"base64": "4oKs/w=="}


def test_the_document_has_a_head() -> None:
    one = told()
    one.session.agent_name = "Agent 1"
    assert markdown(one) == "# Session\n\n- Agent: Agent 1\n- Folder: /project\n"
    one.apply(SessionInfoUpdate(title="Fix\nit \x1b[31m"))
    assert markdown(one).startswith("# Fix it\n")


def test_messages_and_thoughts_are_told_apart() -> None:
    one = told()
    one.apply(user("why?"), running(), think("hm\n\nok"))
    one.apply(say("**Because**"), after=6)
    assert "## User\n\nwhy?\n\n> *Thought for 6 s*\n>\n> hm\n>\n> ok\n\n## Agent\n\n**Because**\n" in markdown(one)


def test_blocks_that_are_no_text_are_named() -> None:
    one = told()
    one.apply(
        block(ImageContent(data="AAAA", mime_type="image/png")),
        block(ResourceLink(uri="file:///a b", name="a b")),
        block(EmbeddedResource(resource=TextResource(uri="file:///t", text="inside"))),
        block(EmbeddedResource(resource=BlobResource(uri="file:///b", blob="AAAA"))),
    )
    for words in ("(image image/png, 3 bytes)", "[a b](<file:///a b>)", "```\ninside\n```", "(file:///b, 3 bytes)"):
        assert words in markdown(one)


def test_a_tool_call_shows_what_came_of_it() -> None:
    one = told()
    item = ContentItem(content=text("found"))
    one.apply(running(), tool(title="Look\nup", kind="search", locations=[ToolCallLocation(path="/a", line=3)]))
    one.apply(tool(content=[item], raw_input={"q": "x"}, status="completed"), after=2)
    assert (
        "### search: /a:3 (completed, 2.0 s)\n\nLook up\n\n- /a:3\n\n```\nfound\n```\n\nInput:\n\n```json"
        in markdown(one)
    )


def test_diffs_are_fenced() -> None:
    one = told()
    changes = Diff(changes=[FileChange(operation="delete", path="/gone")])
    patch = Diff(changes=[], patch=Patch(format="git_patch", text="diff --git a b\n"))
    one.apply(running(), tool(content=[Diff(path="/a", old_text="a\n", new_text="b\n"), changes, patch]))
    for words in ("-a\n+b\n", "delete /gone\n", "```diff\ndiff --git a b\n```"):
        assert words in markdown(one)


def test_changes_that_the_patch_does_not_tell_are_listed() -> None:
    one = told()
    changes = [
        FileChange(operation="modify", path="/p/a.py"),
        FileChange(operation="move", path="/p/new.png", old_path="/p/old.png", file_type="binary"),
        FileChange(operation="delete", path="/p/gone"),
    ]
    patch = Patch(format="git_patch", text="--- a/p/a.py\n+++ b/p/a.py\n@@ -1 +1 @@\n-x\n+y\n")
    one.apply(running(), tool(content=[Diff(changes=changes, patch=patch)]))
    fenced = f"```diff\nmove /p/old.png → /p/new.png (binary)\ndelete /p/gone\n{patch.text}```"
    assert fenced in to_markdown(one.session)


def test_terminal_output_is_fenced_without_escapes() -> None:
    one = told()
    one.apply(running(), tool(content=[TerminalReference(terminal_id="t"), TerminalReference(terminal_id="never")]))
    one.apply(TerminalOutputChunk(terminal_id="t", data=b"\x1b[31mred\n```\n10 %\r20 %\n"))
    one.apply(TerminalUpdate(terminal_id="t", command="make", exit_status=TerminalExitStatus(exit_code=2)))
    assert "````console\n$ make\nred\n```\n20 %\n````\n\nExit code 2." in markdown(one)
    assert "(terminal never: no output)" in markdown(one)


def test_a_terminal_that_no_tool_call_shows_stands_alone() -> None:
    one = told()
    one.apply(TerminalUpdate(terminal_id="t", output=b"x", exit_status=TerminalExitStatus(signal="SIGKILL")))
    assert "## Terminal\n\n```console\nx\n```\n\nTerminated by SIGKILL." in markdown(one)


def test_dropped_output_is_said() -> None:
    one = told()
    one.apply(TerminalOutputChunk(terminal_id="t", data=b"x"))
    one.session.terminals["t"].dropped = 77
    assert "[77 bytes of earlier output omitted]" in markdown(one)


def test_plans_notices_compactions_and_the_queue_are_there() -> None:
    one = told()
    steps = [PlanEntry(content="one", status="completed"), PlanEntry(content="two", status="pending")]
    one.apply(PlanUpdate(plan=Plan(entries=steps)), Noticed("warning", "Late", "It came late."))
    one.apply(CompactionUpdate(compaction_id="c", status="completed", summary=[text("short")]))
    one.apply(PromptQueued([text("and then")]), UnknownUpdate("new", {"a": 1}))
    for words in (
        "## Plan\n\n- [x] one\n- [ ] two",
        "> **warning: Late**\n>\n> It came late.",
        "### Context compacted (completed)\n\n> short",
        "## User (queued)\n\nand then",
        '### new\n\n```json\n{\n  "a": 1\n}\n```',
    ):
        assert words in markdown(one)


def test_a_fence_is_longer_than_what_it_holds() -> None:
    assert fence("````") == "`````\n````\n`````"


def test_a_new_file_and_a_missing_newline_are_said() -> None:
    assert unified_diff("/a", "", "x") == "--- /dev/null\n+++ /a\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"


def test_of_a_long_file_only_what_changed_is_shown() -> None:
    old = "".join(f"{number}\n" for number in range(5000))
    lines = unified_diff("/a", old, old.replace("\n2500\n", "\nnew\n")).splitlines()
    assert lines[:3] == ["--- /a", "+++ /a", "@@ -2498,7 +2498,7 @@"]
    assert lines[3:] == [" 2497", " 2498", " 2499", "-2500", "+new", " 2501", " 2502", " 2503"]


def family() -> Told:
    one = told()
    docs = SubagentUpdate(session_id="docs", title="Read [the] docs", description="Find timeouts")
    one.apply(user("go"), running(), docs)
    one.apply(SubagentEvent("docs", SubagentUpdate(session_id="deep")), SubagentUpdate(session_id="tests"))
    message = SessionMessageChunk(message_id="m", content=text("look here"))
    spoken = SessionMessage(message_id="m", sender_session_id="s", recipient_session_id="docs")
    one.apply(*(SubagentEvent("docs", event) for event in (message, spoken, say("read it"))))
    one.apply(SubagentEvent("deep", say("deeper")), tool(content=[SessionReference(session_id="docs")]))
    one.apply(SubagentUpdate(session_id="docs", state=idle()), after=3)
    return one


def test_subagents_stand_beside_each_other_with_their_parents() -> None:
    children = to_json(family().session)["subagents"]
    assert {name: child["parent"] for name, child in children.items()} == {"docs": "s", "deep": "docs", "tests": "s"}
    assert {name: child["subagents"] for name, child in children.items()} == {"docs": ["deep"], "deep": [], "tests": []}
    assert list(children) == ["docs", "deep", "tests"]
    assert children["deep"]["entries"][0]["parts"] == [{"type": "text", "text": "deeper"}]


def test_subagents_are_parts_of_the_document_that_their_rows_link_to() -> None:
    document = markdown(family())
    rows, _, parts = document.partition('<a id="subagent-1">')
    link = r"[Read \[the\] docs](#subagent-1)"
    assert f"### Subagent: {link} (end_turn, 3.0 s)\n\n> Find timeouts" in rows
    assert "### Subagent: [tests](#subagent-3) (not confirmed)" in rows
    assert f"Subagent: {link}\n" in rows.partition("### other")[2]
    assert "# Subagent 1: Read [the] docs\n\n- Subagent of: the session\n- Folder: /project\n" in parts
    assert f"### Message from s to {link}\n\n> look here\n\n## Agent\n\nread it" in parts
    assert f"# Subagent 2: deep\n\n- Subagent of: {link}" in parts
    assert "read it" not in rows


def test_subagents_may_be_nested_as_deeply_as_an_agent_likes() -> None:
    one = told()
    one.apply(SubagentUpdate(session_id="0"))
    for number in range(1, 3_000):
        one.apply(SubagentEvent(str(number - 1), SubagentUpdate(session_id=str(number))))
    one.apply(SubagentEvent("2999", say("bottom")))
    data = json.loads(json.dumps(to_json(one.session)))
    assert data["subagents"]["2999"]["parent"] == "2998"
    assert markdown(one).endswith("## Agent\n\nbottom\n")


def test_a_patch_as_input_is_written_once_as_a_diff() -> None:
    one = told()
    patch = "*** Begin Patch\n*** Add File: new.txt\n+1\n*** End Patch"
    one.apply(running(), tool(raw_input={"input": patch}), tool(tool_call_id="2", raw_input={"patch": patch, "n": [1]}))
    first, second = markdown(one).split("### other", 2)[1:]
    assert f"```diff\n{patch}\n```" in first
    assert "Input:" not in first
    assert "Input:" in second
