"""From arguments to an agent that is to be started, and on to a front end.

Nothing heavy is imported before it is known what is wanted: a user waits for the first key to show. The reason for its
size: every command begins here, with what it needs and no more.
"""

import argparse
import atexit
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, TextIO

from acp_tui.arguments.command_line import MISTAKES, CommandLine, read_arguments
from acp_tui.console import fault_text, take_streams, write_error
from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.host.catalog.agent_entries import known_by_argv
from acp_tui.host.catalog.launch_plan import BROWSE, LaunchPlan, by_command, with_settings
from acp_tui.host.config.config import Config, ConfigFile, load_config, own_file
from acp_tui.host.config.presets import Preset, preset_named
from acp_tui.host.connection.process_start import started_early
from acp_tui.host.rules.rule import RulePolicy
from acp_tui.host.system.paths import real_path, written_path
from acp_tui.safe_text import named, one_line
from acp_tui.startup import late, textual_settings

if TYPE_CHECKING:
    from acp_tui.host.catalog.agent_list import AgentList
    from acp_tui.host.config.preferences import LimitSettings
    from acp_tui.host.records.record_info import RecordInfo
    from acp_tui.host.records.wire_record import WireRecords

FAILED, USAGE, CANCELLED = 1, 2, 130
CHANGES = "acp_tui.headless.snapshot_commands"
LATEST = "latest"  # in place of a session's id; the same word as a `Client` has
LEFT_NAMED = 8  # processes that are named at the end


def main(arguments: Sequence[str] | None = None) -> int:
    """The console script; the result is the exit code. Help and version raise SystemExit, as argparse does."""
    take_streams()
    try:
        return _main(list(sys.argv[1:] if arguments is None else arguments))
    except Fault as fault:
        return _complain(fault_text(fault), USAGE if isinstance(fault, UserFault) else FAILED)
    except Exception as error:  # noqa: BLE001 - the top of the program: a user gets a sentence, the log a traceback
        return _complain(_mistake(error), FAILED)
    except (KeyboardInterrupt, BaseExceptionGroup):  # a group of it: it came while tasks were being ended
        return CANCELLED


def _main(words: list[str]) -> int:
    given = read_arguments(words, lambda: Config(ConfigFile.read(own_file())).agents)
    options = given.options
    code: int
    if given.command == "agents":
        return _agents(options, given.argv)
    if given.command in ("search", "usage"):
        lists = late("acp_tui.headless.lists")
        code = (lists.show_hits if given.command == "search" else lists.show_usage)(options)
        return code
    if given.command in ("changes", "snapshots"):
        code = getattr(late(CHANGES), given.command)(options)
        return code
    if given.command == "config":
        return _configure(options)
    if given.command == "completion":
        code = late("acp_tui.arguments.suggestions").complete(options, given.argv)
        return code
    atexit.register(gc.freeze)  # or Python looks for garbage in all there is: 7 s of CPU after 100,000 tool calls
    if given.command == "replay":
        return _replay(options)
    return _converse(given)


def _converse(given: CommandLine) -> int:
    """With an agent, on the screen or without it."""
    options = given.options
    if not given.command and not _is_terminal(sys.stdin, sys.stdout):
        raise late(MISTAKES).no_screen(given.ours, given.argv, given.prompt)
    if [options.demo, bool(given.argv), options.agent is not None].count(True) > 1:
        raise late(MISTAKES).several_agents()
    options.opening = given.prompt
    if given.dashes and not given.argv:
        raise late(MISTAKES).no_agent(given.command)
    with _wire_records(options) as options.wire_records:
        try:
            return _run(options, given.argv) if given.command == "run" else _screen(options, given.argv)
        finally:
            _name_left_running()


def _screen(options: argparse.Namespace, argv: list[str]) -> int:
    """Show the session with the agent that is named in any way, else the agents to choose from."""
    options.handed = _handed_over(options)
    if options.demo or argv:
        with _named(options, argv) as begun:
            config = load_config(begun.cwd)
            plan = _completed(options, begun, config)
            with started_early(plan) as early:
                return _on_screen("run_screen", plan, config, early, _given(options))
    agent_list = _agent_list(options)
    _preset(options, agent_list.config)  # that there is none is said before a screen
    chosen = options.agent if options.agent is not None else "" if options.handed else _continued(options, agent_list)
    if isinstance(chosen, str) and chosen:
        agent_list.find(chosen).check_installed()

    def completed(plan: LaunchPlan) -> LaunchPlan:
        return _completed(options, plan, agent_list.config)

    with started_early(_unasked(agent_list, chosen, completed)) as early:
        return _on_screen("choose_on_screen", agent_list, chosen, completed, early, _given(options))


def _handed_over(options: argparse.Namespace) -> "RecordInfo | None":
    """The record that another agent is to go on with, in the folder of that session if no other one is given.

    Raises `UserFault` where there is none, or several may be meant.
    """
    if options.hand_over is None:
        return None
    folder = str(_folder(options)) if options.hand_over == LATEST else None
    info: RecordInfo = late("acp_tui.host.records.records").Records().meant(options.hand_over, folder)
    if options.cwd is None and not options.demo:
        if not Path(info.cwd).is_dir():
            hint = "Choose another folder with: -C FOLDER"
            raise UserFault("This session's folder no longer exists", named(info.cwd), hint)
        options.cwd = info.cwd
    return info


def _continued(options: argparse.Namespace, agent_list: "AgentList") -> str | LaunchPlan | None:
    """What `--continue` alone starts: the agent of the folder's last session, by its name or as it was written out.

    `--resume` alone starts the same, to choose from its sessions. None where that is not asked for, or where the
    default agent or a list of agents has to do. Raises `UserFault` where there is none to continue with.
    """
    if options.resume not in (LATEST, BROWSE):
        return None
    module = late("acp_tui.host.catalog.resume_commands")
    try:
        start = module.last_start(agent_list.folder, runs=options.resume == BROWSE or "prompt" in options)
    except UserFault:
        if agent_list.default_agent or options.resume == BROWSE:
            return None
        raise
    again: str | LaunchPlan = start.name or module.plan_again(start, agent_list.folder, options.protocol)
    return again


def _unasked(
    agent_list: "AgentList", chosen: str | LaunchPlan | None, completed: Callable[[LaunchPlan], LaunchPlan]
) -> LaunchPlan | None:
    """What the screen is going to start without a question; None if there will be one, or something to say."""
    try:
        plan = chosen if isinstance(chosen, LaunchPlan) else agent_list.plan_of_installed(chosen)
        return None if plan is None or not agent_list.is_trusted(plan) else completed(plan)
    except Fault:
        return None


def _on_screen(what: str, *given: object, **more: object) -> int:
    """A function of `compose`, which loads Textual; its result is the exit code."""
    with textual_settings():
        compose = late("acp_tui.compose")
    code: int = getattr(compose, what)(*given, **more)
    return code


def _given(options: argparse.Namespace) -> dict[str, object]:
    """The settings of the screen that the command line has, by the names that they have in the config file."""
    return {"mouse": False} if options.no_mouse else {}


def _run(options: argparse.Namespace, argv: list[str]) -> int:
    with _named(options, argv) as begun:
        config = load_config(begun.cwd)
        for problem in config.left_out if argv else ():
            _complain(problem, USAGE)
        plan, prompt = _completed(options, begun, config), _prompt(options.prompt, argv)
        headless, offered = late("acp_tui.headless.run"), plan.capabilities
        offered = replace(
            offered,
            write_text_file=offered.write_text_file and not options.no_write,
            terminal=offered.terminal and not options.no_terminal,
        )
        plan = replace(plan, capabilities=offered, limits=_limits(options, plan.limits))
        snapshots = late("acp_tui.headless.run_snapshots").snapshot_order(options, config.own.says)
        policy = "yolo" if options.yolo else options.permission if options.policy is None else "rules"
        code: int = headless.run(headless.RunOrder(plan, prompt, options.format, policy, snapshots))
        return code


def _limits(options: argparse.Namespace, own: "LimitSettings") -> "LimitSettings":
    """A run has one prompt, so that a full context holds nothing up."""
    given = {"session_cost": options.max_cost, "turn_minutes": options.max_minutes, "context_percent": 0.0}
    return replace(own, **{name: value for name, value in given.items() if value is not None})


def _replay(options: argparse.Namespace) -> int:
    path = written_path(options.file)
    lines = late("acp_tui.host.records.wire_record").read_wire_record(path)
    if not _is_terminal(sys.stdin, sys.stdout):
        raise UserFault("acp-tui replay needs an interactive terminal")
    return _on_screen("replay_on_screen", lines, path.name, _given(options))


@contextmanager
def _wire_records(options: argparse.Namespace) -> Iterator["WireRecords | None"]:
    if options.wire is None:
        yield None
        return
    records: WireRecords = late("acp_tui.host.records.wire_record").WireRecords(written_path(options.wire))
    try:
        yield records
    finally:
        records.close()


def _configure(options: argparse.Namespace) -> int:
    headless = late("acp_tui.headless.lists")
    code: int
    if options.schema:
        code = headless.show_schema()
    elif not options.printing:
        if not _is_terminal(sys.stdin, sys.stdout):
            raise UserFault(
                "acp-tui config needs an interactive terminal for your editor",
                hint="Print the settings instead: acp-tui config --print",
            )
        code = headless.edit_config()
    else:
        code = headless.show_config(_folder(options), late("acp_tui.ui.commands.key_table").key_settings)
    return code


def _agents(options: argparse.Namespace, argv: list[str]) -> int:
    code: int
    if options.what == "status":
        return _login_status(options, argv)
    if options.agent:
        raise late(MISTAKES).one_word_too_many("acp-tui agents", options.agent[0])
    if options.what != "update":
        code = late("acp_tui.headless.lists").show_agents(_folder(options))
    elif _is_terminal(sys.stdin, sys.stdout):
        code = late("acp_tui.headless.agent_commands").update_agents(_folder(options))
    else:
        raise UserFault("acp-tui agents update needs an interactive terminal to confirm")
    return code


def _login_status(options: argparse.Namespace, argv: list[str]) -> int:
    if argv and options.agent:
        raise UserFault("Use only one of NAME and -- COMMAND")
    agent_list: AgentList = late("acp_tui.host.catalog.agent_list").AgentList(_folder(options))
    written_out = with_settings(by_command(argv, agent_list.folder), agent_list.config) if argv else None
    try:
        code: int = late("acp_tui.headless.agent_commands").show_status(agent_list, options.agent, written_out)
    finally:
        _name_left_running()
    return code


def _is_terminal(*streams: TextIO) -> bool:
    return all(stream is not None and stream.isatty() for stream in streams)


def _prompt(given: str | None, argv: list[str]) -> str:
    if given is None and _is_terminal(sys.stdin):
        raise late(MISTAKES).no_prompt("No prompt", argv)
    text = sys.stdin.buffer.read().decode(errors="replace") if given in (None, "-") else given
    if not text or not text.strip():
        raise late(MISTAKES).no_prompt("The prompt is empty", argv)
    return text


def _folder(options: argparse.Namespace) -> Path:
    return _existing(options.cwd or ".")


def _existing(written: str) -> Path:
    try:
        if (folder := real_path(written_path(written))).is_dir():
            return folder
        problem = "Not a folder" if folder.exists() else "No such folder"
    except OSError as error:  # on the way to it, or of its name
        problem = reason_of(error)
    raise UserFault(f"{problem}: {named(folder)}")


@contextmanager
def _named(options: argparse.Namespace, argv: list[str]) -> Iterator[LaunchPlan]:
    """How to start the agent that the arguments name: built in, by its command, or by its name."""
    if options.demo:
        demo = late("acp_tui.demo.project")
        with demo.scratch() as project:
            yield replace(by_command(demo.COMMAND, project, options.protocol), title=demo.TITLE)
    elif argv:
        yield by_command(_found(argv, options), _folder(options), options.protocol)
    else:
        yield _by_name(options)


def _found(argv: list[str], options: argparse.Namespace) -> list[str]:
    """The agent's command as it was written; of a known agent that only acp-tui has installed, by its path."""
    known = known_by_argv(argv)
    if known is None or argv[0] != known.argv[0] or which(argv[0]) is not None:
        return argv
    return [_agent_list(options).installed_program(known.name) or argv[0], *argv[1:]]


def _completed(options: argparse.Namespace, plan: LaunchPlan, config: "Config") -> LaunchPlan:
    """The plan with what the user's file says, then the session, the folders and the tool servers of the arguments."""
    plan = with_settings(plan, config)
    roots = [*plan.roots, *(str(_existing(folder)) for folder in options.folders)]
    servers = plan.mcp_servers
    if options.mcp is not None:
        read_mcp_file = late("acp_tui.host.catalog.mcp_file").read_mcp_file
        given = read_mcp_file(written_path(options.mcp), plan.cwd, plan.command.env)
        names = {server.name for server in given}
        servers = (*(server for server in servers if server.name not in names), *given)
    resume = options.resume or ""
    if resume == BROWSE and "prompt" in options:
        raise UserFault("--resume needs the ID of a session here", hint="For the last session: acp-tui run --continue")
    own, added, none = options.own_prompt, options.added_prompts, options.no_system_prompt
    if own or added or none:
        plan = late("acp_tui.host.catalog.launch_settings").with_given(plan, own, added, none=none)
    plan = replace(plan, preset=_preset(options, config))
    settings, handed = tuple(options.settings), getattr(options, "handed", None)
    plan = replace(plan, roots=tuple(roots), mcp_servers=servers, resume=resume, settings=settings, handed=handed)
    plan = replace(plan, recorded=not options.no_record, wire=options.wire_records, prompt=options.opening)
    return replace(plan, policy=_policy(options))


def _policy(options: argparse.Namespace) -> RulePolicy:
    """Which rules answer permission requests: on the screen the user's, in a run only those that it asks for.

    Raises `UserFault` for a file of rules that cannot be used.
    """
    if options.yolo:
        return RulePolicy(rules=False, everything=True)
    if "prompt" not in options:
        return RulePolicy()
    if options.policy is None:
        return RulePolicy(rules=options.permission == "rules")
    policy = RulePolicy(file=str(written_path(options.policy)))
    late("acp_tui.headless.run").check_policy(policy)
    return policy


def _preset(options: argparse.Namespace, config: Config) -> Preset | None:
    return None if options.preset is None else preset_named(config.own, options.preset)


def _by_name(options: argparse.Namespace) -> LaunchPlan:
    """For those who cannot be asked: the named agent or the default one, if it may be started."""
    agent_list = _agent_list(options)
    for problem in agent_list.config.left_out:
        _complain(problem, USAGE)
    chosen = options.agent or _continued(options, agent_list)
    plan = chosen if isinstance(chosen, LaunchPlan) else _plan_of(agent_list, chosen)
    if not options.trust_project:
        agent_list.check_trusted(plan)
    return plan


def _plan_of(agent_list: "AgentList", chosen: str | None) -> LaunchPlan:
    if agent_list.ignored and not chosen:
        _complain(agent_list.ignored, USAGE)
    name = chosen or agent_list.default_agent
    if not name:
        raise late(MISTAKES).no_agent("run")
    agent = agent_list.find(name)
    agent.check_installed()
    return agent_list.plan(agent, by_default=not chosen)


def _agent_list(options: argparse.Namespace) -> "AgentList":
    found: AgentList = late("acp_tui.host.catalog.agent_list").AgentList(
        _folder(options), cwd_given=options.cwd is not None, protocol=options.protocol
    )
    return found


def _name_left_running() -> None:
    """Say which processes go on that agents or their commands started, and that left their trees as daemons do."""
    if left := late("acp_tui.host.system.process_tree").left_running():
        lines = [f"  {pid}  {one_line(command, 70)}" for pid, command in left[:LEFT_NAMED]]
        if len(left) > LEFT_NAMED:
            lines.append(f"  and {len(left) - LEFT_NAMED} more")
        write_error("\n".join(["Still running in the background, started by an agent or a command:", *lines]))


def _mistake(error: Exception) -> str:
    """What a user is told of a mistake of this program; the log has the rest."""
    log_file: Path | None = late("acp_tui.host.config.log").log_mistake(error)
    where = f"\nDetails: {named(log_file)}" if log_file else ""
    return f"acp-tui crashed. This is a bug: {type(error).__name__}: {one_line(str(error), 500)}{where}"


def _complain(message: str, exit_code: int) -> int:
    write_error(message)
    return exit_code
