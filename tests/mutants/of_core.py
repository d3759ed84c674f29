"""Mutants of wire, protocol, session, headless, the command line and what is written to a terminal."""

from tests.mutants.mutant import Mutant

WIRE = (
    Mutant(
        "an answer that the agent gives twice is taken twice",
        "acp_tui.wire.peer:Peer._match",
        "self._waiters.pop(request_id, None)",
        "self._waiters.get(request_id)",
        ("unit/wire/test_peer.py",),
    ),
    Mutant(
        "a line over the cap vanishes without a word",
        "acp_tui.wire.framing:LineFramer.feed",
        "if not _is_blank(line)]",
        "if isinstance(line, bytes) and not _is_blank(line)]",
        ("unit/wire/test_framing.py",),
    ),
    Mutant(
        "a long text whose escapes are cut between two reads is refused as millions of values",
        "acp_tui.wire.framing:ValueCount.feed",
        'self._escape = b"\\\\" if text.endswith(b"\\\\") else b""',
        'self._escape = b""',
        ("unit/wire/test_values.py",),
    ),
)

PROTOCOL = (
    Mutant(
        "what the agent says after a tool call is glued to what it said before",
        "acp_tui.protocol.v1.tool_calls:read_tool_call",
        "memory.statuses.get(identity) != call.status",
        "memory.statuses.get(identity, call.status) != call.status",
        ("unit/protocol/vocabulary/test_messages.py",),
    ),
    Mutant(
        "a thought is joined to the one before the answer",
        "acp_tui.protocol.v1.messages:Version1Memory._message_id",
        "return self.open_id if kind == self.open_kind else self._fresh_id()",
        "return self.open_id or self._fresh_id()",
        ("unit/protocol/vocabulary/test_messages.py",),
    ),
    Mutant(
        "a prompt that comes back in pieces is shown twice",
        "acp_tui.protocol.v1.messages:Echo._takes_text",
        "self._position += len(text)",
        "self._position = len(text)",
        ("unit/protocol/vocabulary/test_messages.py",),
    ),
    Mutant(
        "one bad optional member costs the whole update",
        "acp_tui.protocol.reading:_prune_member",
        "elif missing or bad:",
        "elif missing:",
        ("unit/protocol/test_reading.py", "unit/protocol/vocabulary/test_tool_calls.py"),
    ),
    Mutant(
        "one message of an odd shape is told as a mistake of this program",
        "acp_tui.protocol.shared.updates:read_plan",
        "if isinstance(plan, dict):",
        "if plan is not None:",
        ("hostile/test_shapes.py",),
    ),
    Mutant(
        "an update of a newer protocol is told as a mistake of the agent",
        "acp_tui.protocol.shared.updates:read_update",
        "[UnknownUpdate(kind, update)]",
        '[RejectedUpdate(kind, "sessionUpdate", "unknown", update)]',
        ("unit/protocol/vocabulary/test_updates.py",),
    ),
    Mutant(
        "a turn that was cancelled early in version 2 never ends",
        "acp_tui.protocol.v2.dialect:Version2Dialect.cancel",
        "        self._memories.of(session_id).cancelling = True\n",
        "",
        ("unit/protocol/vocabulary/test_turn_v2.py",),
    ),
    Mutant(
        "a session that is loaded in version 2 comes without its past",
        "acp_tui.protocol.v2.dialect:Version2Dialect.open_session",
        "{**call.params, **FROM_START}",
        "call.params",
        ("unit/protocol/vocabulary/test_sent_v2.py",),
    ),
)

SESSION = (
    Mutant(
        "the title of a tool call goes with its next update",
        "acp_tui.session.folds.tool_calls:_patch",
        '    if update.has("title"):\n        entry.title = update.title or ""',
        '    entry.title = update.title or ""',
        ("unit/session/test_tool_calls.py",),
    ),
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
    Mutant(
        "an export loses the change that the user was asked about",
        "acp_tui.session.export.markdown:_tool_call",
        "for item in (*entry.earlier_diffs, *again):",
        "for item in again:",
        ("unit/session/test_tool_calls.py",),
    ),
    Mutant(
        "an export has only the first of several updates of an unknown kind",
        "acp_tui.session.export.markdown:_entry",
        "for raw in (entry.raw, *entry.repeats):",
        "for raw in (entry.raw,):",
        ("golden/test_golden.py",),
    ),
    Mutant(
        "a fork shares its text with the session that it is of, and both get what each is told",
        "acp_tui.session.folds.history:_part",
        "replace(part, chunks=list(part.chunks)) if isinstance(part, TextPart) else part",
        "part",
        ("unit/session/test_history.py",),
    ),
)

HEADLESS = (
    Mutant(
        "a run that may allow once allows for always",
        "acp_tui.headless.run",
        '"allow-once": ("allow_once",),',
        '"allow-once": ("allow_once", "allow_always"),',
        ("unit/host/services/test_permissions.py",),
    ),
    Mutant(
        "a run allows what nobody here understands",
        "acp_tui.headless.run:choose",
        "subject is not None and subject.type not in SUBJECT_TYPES",
        "subject is not None and not subject.type",
        ("unit/host/services/test_permissions.py",),
    ),
    Mutant(
        "a run that the agent refused ends as if all were well",
        "acp_tui.headless.run",
        '"refusal": STOPPED,',
        '"refusal": OK,',
        ("integration/test_headless.py",),
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
        "a traceback or a warning moves the terminal",
        "acp_tui.console:_SafeStream.write",
        "_encodable(sanitise(text), self._stream)",
        "_encodable(text, self._stream)",
        ("hostile/test_console.py",),
    ),
    Mutant(
        "two dashes of the agent's own command cut it in two",
        "acp_tui.arguments.reading:read_arguments",
        'words.index("--") if "--" in words else len(words)',
        'len(words) - 1 - words[::-1].index("--") if "--" in words else len(words)',
        ("unit/arguments/test_reading.py",),
    ),
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
