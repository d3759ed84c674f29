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
        "one message that cannot be folded ends the connection",
        "acp_tui.host.connection.connection:AgentConnection._fold",
        "except Exception as error:",
        "except ValueError as error:",
        ("hostile/test_noise.py",),
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
        "acp_tui.host.sessions.conversation:Conversation.steering",
        "self._queue(steered.blocks, place)",
        "self._queue(steered.blocks, None)",
        ("integration/test_steering.py",),
    ),
    Mutant(
        "a prompt that needed a log-in is lost",
        "acp_tui.host.sessions.conversation:Conversation.put_back",
        "self.session.apply(PromptPutBack(own, reason))",
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
        "return [update] if isinstance(update, CURRENT) else []",
        "return [] if isinstance(update, MessageUpdate) else [update]",
        ("integration/test_restart.py",),
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
        "acp_tui.host.sessions.chosen_options:ChosenOptions.settle",
        "ConfigOptionSettled(option_id, refused, unsupported)",
        'ConfigOptionSettled(option_id, "", unsupported)',
        ("integration/test_config_options.py",),
    ),
    Mutant(
        "what is said before the answer that opens the session is lost",
        "acp_tui.host.sessions.session_routing:Sessions.add",
        "self._fold(conversation, self._early_of(session.id, session))",
        "self._early_of(session.id, session)",
        ("integration/test_conversation.py",),
    ),
)

SERVICES = (
    Mutant(
        "an agent writes files although the user took that away from it",
        "acp_tui.host.agent.connected_agent:Inbound._begin",
        "        service.check_offered(request.method, self._capabilities)\n",
        "",
        ("integration/test_services.py",),
    ),
    Mutant(
        "a folder beside a root, whose name begins like it, is open to the agent",
        "acp_tui.host.system.sandbox_paths:_Root.holds",
        "Path(path).is_relative_to(self.real)",
        "path.startswith(self.real)",
        ("unit/host/system/test_files.py", "hostile/test_files.py"),
    ),
    Mutant(
        "a folder that becomes a link after it was looked at leads the agent out",
        "acp_tui.host.system.sandbox_paths",
        'getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)',
        'getattr(os, "O_DIRECTORY", 0)',
        ("hostile/test_files.py",),
    ),
)

FILES_OF_OURS = (
    Mutant(
        "a config file that the user edited meanwhile is overwritten",
        "acp_tui.host.config.config_writer:_write",
        "        _check_unchanged(before, own)\n",
        "",
        ("unit/host/config/test_config_writer.py",),
    ),
    Mutant(
        "the last session's agent starts with what the project has changed since the user agreed",
        "acp_tui.host.catalog.resume_commands:_with_consent",
        "if now.files != found.files:",
        "if not found.files:",
        ("unit/host/catalog/test_resume_commands.py",),
    ),
    Mutant(
        "a project's file is read as the user's own is",
        "acp_tui.host.config.config:ConfigFile.settings",
        "module.ProjectSettings if self.foreign else module.FileSettings",
        "module.FileSettings",
        ("unit/host/config/test_config.py",),
    ),
    Mutant(
        "the agent that a project names starts without a question",
        "acp_tui.host.catalog.agent_list:AgentList.plan",
        "self.config.project if by_default and self.proposed else None",
        "None",
        ("unit/host/catalog/test_agent_list.py", "pilot/test_agents.py"),
    ),
    Mutant(
        "what the user has for a folder goes to the one beside whose name begins like it",
        "acp_tui.host.config.config:ConfigFile.table_of",
        "here.is_relative_to(table.folder)",
        "str(here).startswith(str(table.folder))",
        ("unit/host/config/test_config.py",),
    ),
    Mutant(
        "a tool server for one folder goes to sessions in all others",
        "acp_tui.protocol.capabilities:McpServer.is_for",
        "not self.folder or",
        "True or",
        ("unit/host/catalog/test_launch_settings.py",),
    ),
)

RULES = (
    Mutant(
        "the user's rules answer in scripts",
        "acp_tui.cli:_policy",
        'rules=options.permission == "rules"',
        "rules=True",
        ("hostile/test_rule_promises.py",),
    ),
    Mutant(
        "a slip on the command line allows everything",
        "acp_tui.arguments.parsers:Parser._get_option_tuples",
        "if found[0].dest != EXACT",
        "",
        ("unit/arguments/test_permission_words.py",),
    ),
    Mutant(
        "--yolo agrees to plans and changes of mode",
        "acp_tui.host.rules.session_rules:SessionRules.answer",
        "if policy.everything and not claim.never and",
        "if policy.everything and",
        ("hostile/test_rule_promises.py",),
    ),
    Mutant(
        "a rule takes the first of two options that allow once",
        "acp_tui.host.rules.session_rules:_only_option",
        "alone = len(ids) == 1 and",
        "alone = bool(ids) and",
        ("hostile/test_rule_promises.py",),
    ),
    Mutant(
        "the reports of a run do not name the rules that answered",
        "acp_tui.session.folds.questions:fold_permission_by_rule",
        "session.publish(changes.PermissionRuled(pending, fact.option_id, fact.reason, fact.rules))",
        "pass",
        ("unit/headless/test_by_rule.py", "unit/session/test_permissions_by_rule.py"),
    ),
)

HOST = (*RULES, *PROCESS, *TURNS, *SESSIONS, *SERVICES, *FILES_OF_OURS)
