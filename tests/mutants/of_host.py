"""Mutants of what the host does for one agent: its process, its sessions, its files, its options and its config."""

from tests.mutants.mutant import Mutant

PROCESS = (
    Mutant(
        "an agent that does not end is left running",
        "acp_tui.host.connection.agent_process:AgentProcess._all_gone",
        "return await self._tree.ended(within)",
        "return await self._tree.ended(within) or True",
        ("hostile/test_endings.py",),
    ),
    Mutant(
        "nobody reads what an agent writes to standard error, its last words neither",
        "acp_tui.host.connection.connection:serve_until_gone",
        "tasks.start_soon(process.drain_stderr)",
        "process.stderr_ended.set()",
        ("hostile/test_endings.py",),
    ),
    Mutant(
        "text of one message is joined to another",
        "acp_tui.host.connection.joining:_plain_text",
        "return (session_id, kind, message_id), text",
        "return (session_id, kind, message_id is None), text",
        ("unit/host/connection/test_joining.py",),
    ),
    Mutant(
        "a flood of noise fills the transcript",
        "acp_tui.host.sessions.noise:NoiseMeter.allows",
        "return count <= SHOWN",
        "return True",
        ("hostile/test_noise.py",),
    ),
    Mutant(
        "one message that cannot be folded ends the connection",
        "acp_tui.host.connection.connection:AgentConnection._fold",
        "except Exception as error:",
        "except ValueError as error:",
        ("hostile/test_noise.py",),
    ),
    Mutant(
        "the last word of an agent that ends without a newline is lost",
        "acp_tui.host.connection.connection:AgentConnection.read",
        "for event in self._peer.finish():\n            self._fold(event)",
        "self._peer.finish()",
        ("unit/host/connection/test_connection.py",),
    ),
)

TURNS = (
    Mutant(
        "a permission is answered twice",
        "acp_tui.host.sessions.questions:Questions.answer_permission",
        "self._waiting.pop(key, None)",
        "self._waiting.get(key)",
        ("integration/test_conversation.py",),
    ),
    Mutant(
        "a prompt is sent into a turn that runs instead of waiting for its end",
        "acp_tui.host.sessions.conversation:Conversation._waits",
        "self.session.turn.active or self._choosing",
        "self._choosing",
        ("integration/test_conversation.py",),
    ),
    Mutant(
        "the agent waits for an answer after the user has cancelled",
        "acp_tui.host.sessions.conversation:Conversation.cancel",
        "        self.children.turn_cancelled()\n",
        "",
        ("integration/test_conversation.py",),
    ),
    Mutant(
        "the reason for a rejection goes out after all that waits",
        "acp_tui.host.sessions.conversation:Conversation._steer",
        "self._queue(steered.blocks, place)",
        "self._queue(steered.blocks, None)",
        ("integration/test_steering.py",),
    ),
    Mutant(
        "what is typed into a form is in the record of the session",
        "acp_tui.host.sessions.questions:Questions.answer_elicitation",
        "recordable_answer(question.asked, content)",
        "dict(content or {})",
        ("unit/host/sessions/test_records.py",),
    ),
    Mutant(
        "a prompt that needed a log-in is lost",
        "acp_tui.host.sessions.conversation:Conversation._put_back",
        "self.session.apply(PromptPutBack(blocks, reason))",
        "self.session.apply(PromptPutBack([], reason))",
        ("integration/test_login.py",),
    ),
    Mutant(
        "what is typed into a field for a secret never reaches the agent",
        "acp_tui.host.sessions.questions:Questions.answer_elicitation",
        "elicitation_answer(action, content)",
        "elicitation_answer(action, recordable_answer(question.asked, content))",
        ("integration/test_elicitation.py",),
    ),
    Mutant(
        "cancelling a turn takes away what a subagent in the background asks",
        "acp_tui.host.sessions.children:Children._with_children",
        "if child.parent.id in found and name not in without:",
        "if child.parent.id in found:",
        ("integration/test_subagents.py",),
    ),
)

SESSIONS = (
    Mutant(
        "a session that comes back is shown twice",
        "acp_tui.host.sessions.replay_filter:ReplayFilter.sift",
        "return [] if isinstance(update, _REPLAYED) else [update]",
        "return [] if isinstance(update, MessageUpdate) else [update]",
        ("integration/test_restart.py",),
    ),
    Mutant(
        "a model is set after what depends on it",
        "acp_tui.host.options.choices:in_order",
        "choice.option_id not in models",
        "choice.option_id in models",
        ("unit/host/options/test_choices.py",),
    ),
    Mutant(
        "a choice that the agent refuses when it comes back is told as restored",
        "acp_tui.host.options.chosen_options:ChosenOptions._chosen_again",
        "if refused:",
        "if refused and wished is not None:",
        ("integration/test_restart.py",),
    ),
    Mutant(
        "what is kept counts more than what the user chose since, once the agent comes back",
        "acp_tui.host.options.chosen_options:ChosenOptions.wanted",
        "self._kept | self._given | self._made | self._wished",
        "self._made | self._wished | self._given | self._kept",
        ("integration/test_options_by_name.py",),
    ),
    Mutant(
        "what was kept counts in no new session",
        "acp_tui.host.sessions.conversation:Conversation.begin_choosing",
        'if self.source.kind == "new" else',
        'if self.source.kind != "new" else',
        ("integration/test_kept_choices.py",),
    ),
    Mutant(
        "a choice that the agent refused is shown as in force",
        "acp_tui.host.options.chosen_options:ChosenOptions._ask",
        "ConfigOptionSettled(option.id, refused, unsupported)",
        'ConfigOptionSettled(option.id, "", unsupported)',
        ("integration/test_config_options.py",),
    ),
    Mutant(
        "what is to be forked is closed before",
        "acp_tui.host.agent.closings:Closings._is_to_be_forked",
        'source.kind in ("fork", "branch")',
        'source.kind == "fork"',
        ("integration/test_branching.py",),
    ),
    Mutant(
        "a folder is given to an agent that does not take any",
        "acp_tui.host.agent.openings:offered",
        "        folders = ()\n",
        "",
        ("integration/test_sessions.py",),
    ),
    Mutant(
        "what is said before the answer that opens the session is lost",
        "acp_tui.host.sessions.sessions:Sessions.add",
        "self._fold(conversation, self._early_of(session.id, session))",
        "self._early_of(session.id, session)",
        ("integration/test_conversation.py",),
    ),
)

SERVICES = (
    Mutant(
        "an agent writes files although the user took that away from it",
        "acp_tui.host.agent.inbound:Inbound._begin",
        "        service.check_offered(request.method, self._capabilities)\n",
        "",
        ("integration/test_services.py",),
    ),
    Mutant(
        "a folder beside a root, whose name begins like it, is open to the agent",
        "acp_tui.host.services.roots:_Root.holds",
        "Path(path).is_relative_to(self.real)",
        "path.startswith(self.real)",
        ("unit/host/services/test_files.py", "hostile/test_files.py"),
    ),
    Mutant(
        "a link in a root leads the agent out of it",
        "acp_tui.host.services.roots:reach",
        "_check_inside(path, way.real, roots)",
        "_check_inside(path, path, roots)",
        ("unit/host/services/test_files.py", "hostile/test_files.py"),
    ),
    Mutant(
        "a folder that becomes a link after it was looked at leads the agent out",
        "acp_tui.host.services.roots",
        'getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)',
        'getattr(os, "O_DIRECTORY", 0)',
        ("hostile/test_files.py",),
    ),
    Mutant(
        "two writes of one file come in any order",
        "acp_tui.host.services.files:Files._run",
        "self._turns.setdefault(path, Lock())",
        "Lock()",
        ("unit/host/services/test_files.py",),
    ),
    Mutant(
        "a write that was given up happens later",
        "acp_tui.host.services.files:_replace",
        "        call.commit()\n",
        "",
        ("hostile/test_files.py", "unit/host/system/test_blocking.py"),
    ),
    Mutant(
        "a session reads and ends the commands of another one",
        "acp_tui.host.services.terminals:Terminals._find",
        "if terminal is None or terminal.session_id != request.session_id:",
        "if terminal is None:",
        ("unit/host/services/test_terminals.py",),
    ),
)

FILES_OF_OURS = (
    Mutant(
        "a value that stands in a list of variables is in a recording",
        "acp_tui.host.recording.redaction:_clean",
        "{name: _clean(item, hide=hide or _hides(name)) for name, item in value.items()}",
        "{name: _clean(item, hide=_hides(name)) for name, item in value.items()}",
        ("unit/host/recording/test_traffic.py",),
    ),
    Mutant(
        "a secret that an agent logs is in a recording",
        "acp_tui.host.recording.wire_record:_line",
        'without_secrets(text) if direction == "err" else',
        'text if direction == "err" else',
        ("integration/test_records_on_the_command_line.py",),
    ),
    Mutant(
        "a config file that the user edited meanwhile is overwritten",
        "acp_tui.host.config.writing:_write",
        "            _check_unchanged(before, own)\n",
        "",
        ("unit/host/config/test_writing.py",),
    ),
    Mutant(
        "a project says where agents come from",
        "acp_tui.host.config.config:Config.registry",
        'said = self.own.says("registry", "")',
        'said = next((each for file in self._files() if (each := file.says("registry", ""))), "")',
        ("unit/host/config/test_config.py",),
    ),
    Mutant(
        "a project's agent starts with what has changed since the user agreed",
        "acp_tui.host.catalog.launching:_with_consent",
        "now = _watched(file, launch)",
        "now = found",
        ("unit/host/catalog/test_agents.py",),
    ),
    Mutant(
        "a file that a project names in a variable may change after the consent",
        "acp_tui.host.catalog.launching:_watched",
        "[command.program, *command.argv, *command.env.values()]",
        "[command.program, *command.argv]",
        ("unit/host/catalog/test_agents.py",),
    ),
)

HOST = (*PROCESS, *TURNS, *SESSIONS, *SERVICES, *FILES_OF_OURS)
