"""Mutants of wire, protocol, session, headless, the command line and what is written to a terminal."""

from tests.mutants.mutant import Mutant

WIRE = (
    Mutant(
        "a line over the cap vanishes without a word",
        "acp_tui.wire.jsonrpc:LineFramer.feed",
        "if not _is_blank(line)]",
        "if isinstance(line, bytes) and not _is_blank(line)]",
        ("unit/wire/test_framing.py",),
    ),
)

PROTOCOL = (
    Mutant(
        "a thought is joined to the one before the answer",
        "acp_tui.protocol.v1.session_memory:Version1Memory._message_id",
        "return self.open_id if kind == self.open_kind else self._fresh_id()",
        "return self.open_id or self._fresh_id()",
        ("unit/protocol/vocabulary/test_messages.py",),
    ),
    Mutant(
        "one bad optional member costs the whole update",
        "acp_tui.protocol.base:_prune_member",
        "elif missing or bad:",
        "elif missing:",
        ("unit/protocol/test_reading.py", "unit/protocol/vocabulary/test_tool_calls.py"),
    ),
    Mutant(
        "one message of an odd shape is told as a mistake of this program",
        "acp_tui.protocol.update_readers:read_plan",
        "if isinstance(plan, dict):",
        "if plan is not None:",
        ("hostile/test_shapes.py",),
    ),
)

SESSION = (
    Mutant(
        "prompts that wait go out in the wrong order",
        "acp_tui.session.folds.turn:fold_queued",
        "session.queue.append(_prompt(session, fact.blocks))",
        "session.queue.insert(0, _prompt(session, fact.blocks))",
        ("integration/test_conversation.py",),
    ),
    Mutant(
        "a prompt that was answered in part is gone after a cancel",
        "acp_tui.session.folds.turn:end",
        'stop_reason == "cancelled" and prompt is not None and _is_last(session, prompt)',
        'stop_reason == "cancelled" and prompt is not None',
        ("unit/session/test_turn.py",),
    ),
)

HEADLESS = (
    Mutant(
        "a run allows what nobody here understands",
        "acp_tui.headless.run:choose",
        "subject is not None and subject.type not in SUBJECT_TYPES",
        "subject is not None and not subject.type",
        ("unit/host/system/test_permissions.py",),
    ),
    Mutant(
        "a run lets the agent's escapes through to the terminal",
        "acp_tui.headless.run:Run.__init__",
        "safe=sys.stdout.isatty()",
        "safe=False",
        ("integration/test_headless.py",),
    ),
)

COMMAND_LINE = (
    Mutant(
        "a bidi override gets through and a command reads backwards",
        "acp_tui.safe_text:_unusual",
        "\\u2010-\\u2027\\u2030-\\u205e",
        "\\u2010-\\u205e",
        ("unit/test_safe_text.py",),
    ),
    Mutant(
        "an escape that never ends holds the answer back",
        "acp_tui.safe_text:SafeText.feed",
        "if begun and len(begun.group()) <= _PATIENCE else",
        "if begun else",
        ("unit/test_safe_text.py",),
    ),
)

CORE = (*WIRE, *PROTOCOL, *SESSION, *HEADLESS, *COMMAND_LINE)
