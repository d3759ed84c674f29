"""From arguments to an agent that is to be started, and on to a front end.

Nothing heavy is imported before it is known what is wanted: a user waits for the first key to show.
"""

import argparse
import atexit
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, TextIO

from acp_tui.arguments.reading import MISTAKES, Given, read_arguments
from acp_tui.console import fault_text, take_streams, write_error
from acp_tui.errors import Fault, UserFault, reason_of
from acp_tui.host.catalog.known_agents import known_by_argv
from acp_tui.host.catalog.launch import BROWSE, Launch, by_command
from acp_tui.host.changes.settings import snapshot_settings
from acp_tui.host.config.config import load_config
from acp_tui.host.connection.early_process import started_early
from acp_tui.host.system.current_folder import real_path, written_path
from acp_tui.safe_text import named, one_line
from acp_tui.startup import late, textual_settings

if TYPE_CHECKING:
    from acp_tui.host.catalog.roster import Roster
    from acp_tui.host.config.config import Config
    from acp_tui.host.recording.wire_record import WireLine, WireRecords
    from acp_tui.host.records.info import RecordInfo

FAILED, USAGE, CANCELLED = 1, 2, 130
CHANGES = "acp_tui.headless.changes.changes_command"
LATEST = "latest"  # in place of a session's id; the same word as a `Client` has
CAST_SIZE, CAST_FRAMES = (100, 30), "30"  # columns and rows; frames a second
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
    given = read_arguments(words)
    options = given.options
    code: int
    if given.command == "agents":
        return _agents(options, given.argv)
    if given.command == "search":
        code = late("acp_tui.headless.lists").show_hits(options)
        return code
    if given.command in ("changes", "snapshots"):
        code = getattr(late(CHANGES), given.command)(options)
        return code
    if given.command == "config":
        return _configure(options)
    if given.command == "completion":
        code = late("acp_tui.arguments.completion").complete(options, given.argv)
        return code
    atexit.register(gc.freeze)  # or Python looks for garbage in all there is: 7 s of CPU after 100,000 tool calls
    if given.command == "replay":
        return _replay(options)
    return _converse(given)


def _converse(given: Given) -> int:
    """With an agent, on the screen or without it."""
    options = given.options
    if not given.command and not _is_terminal(sys.stdin, sys.stdout):
        raise late(MISTAKES).no_screen(given.ours, given.argv)
    if [options.demo, bool(given.argv), options.agent is not None].count(True) > 1:
        raise UserFault("Use only one of --demo, --agent NAME and -- COMMAND")
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
        with _named(options, argv) as named:
            config = load_config(named.cwd)
            launch = _scoped(options, _as_configured(config, named))
            with started_early(launch) as early:
                return _on_screen("run_screen", launch, config, early, _given(options))
    roster = _roster(options)
    chosen = options.agent if options.agent is not None else "" if options.handed else _continued(options, roster)
    if isinstance(chosen, str) and chosen:
        roster.check_installed(roster.find(chosen))

    def scoped(launch: Launch) -> Launch:
        return _scoped(options, _as_configured(roster.config, launch))

    with started_early(_chosen(roster, chosen, scoped)) as early:
        return _on_screen("choose_on_screen", roster, chosen, scoped, early, _given(options))


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
            raise UserFault("The folder of this session does not exist any more", named(info.cwd), hint)
        options.cwd = info.cwd
    return info


def _continued(options: argparse.Namespace, roster: "Roster") -> str | Launch | None:
    """What `--continue` alone starts: the agent of the folder's last session, by its name or as it was written out.

    `--resume` alone starts the same, to choose from its sessions. None where that is not asked for, or where the
    default agent or a list of agents has to do. Raises `UserFault` where there is none to continue with.
    """
    if options.resume not in (LATEST, BROWSE):
        return None
    module = late("acp_tui.host.catalog.recorded_start")
    try:
        start = module.last_start(roster.folder, runs=options.resume == BROWSE or "prompt" in options)
    except UserFault:
        if roster.default_agent or options.resume == BROWSE:
            return None
        raise
    launch: str | Launch = start.agent or module.launch_again(start, roster.folder, options.protocol)
    return launch


def _chosen(roster: "Roster", chosen: str | Launch | None, scoped: Callable[[Launch], Launch]) -> Launch | None:
    """What the screen is going to start without a question; None if there will be one, or something to say."""
    try:
        launch = chosen if isinstance(chosen, Launch) else roster.chosen(chosen)
        return None if launch is None or not roster.is_trusted(launch) else scoped(launch)
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
    with _named(options, argv) as named:
        config = load_config(named.cwd)
        for problem in config.left_out if argv else ():
            _complain(problem, USAGE)
        launch, prompt = _scoped(options, _as_configured(config, named)), _prompt(options.prompt, argv)
        headless = late("acp_tui.headless.run")
        capabilities = replace(
            launch.capabilities,
            write_text_file=launch.capabilities.write_text_file and not options.no_write,
            terminal=launch.capabilities.terminal and not options.no_terminal,
        )
        how = (options.format, options.permission, capabilities, launch.settings)
        order = headless.Order(launch.command, launch.cwd, prompt, *how)
        order = replace(order, resume=launch.resume, roots=launch.roots, mcp_servers=launch.mcp_servers)
        snapshots = late("acp_tui.headless.run_snapshots").snapshot_order(options, config.own.says)
        order = replace(order, system_prompt=launch.system_prompt, snapshots=snapshots)
        code: int = headless.run(replace(order, recorded=launch.recorded, wire=launch.wire))
        return code


def _replay(options: argparse.Namespace) -> int:
    path = written_path(options.file)
    lines = late("acp_tui.host.recording.wire_record").read_wire_record(path)
    if options.cast is not None:
        return _cast(options, lines, path.name)
    if options.size is not None:
        raise UserFault("--size only works with --cast", hint="See: acp-tui replay --help")
    if not _is_terminal(sys.stdin, sys.stdout):
        raise UserFault("acp-tui replay needs an interactive terminal")
    return _on_screen("replay_on_screen", lines, path.name, options.speed, stepping=options.step, given=_given(options))


def _cast(options: argparse.Namespace, lines: "Sequence[WireLine]", name: str) -> int:
    if options.step:
        raise UserFault("--step cannot be combined with --cast", hint="See: acp-tui replay --help")
    cast = late("acp_tui.host.playback.cast").Cast(written_path(options.cast), options.size or CAST_SIZE)
    os.environ.setdefault("TEXTUAL_FPS", CAST_FRAMES)
    return _on_screen("replay_into_cast", lines, name, options.speed, cast)


@contextmanager
def _wire_records(options: argparse.Namespace) -> Iterator["WireRecords | None"]:
    if options.wire is None:
        yield None
        return
    records: WireRecords = late("acp_tui.host.recording.wire_record").WireRecords(written_path(options.wire))
    try:
        yield records
    finally:
        records.close()


def _configure(options: argparse.Namespace) -> int:
    headless = late("acp_tui.headless.config")
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
        code = headless.show_config(_folder(options), late("acp_tui.ui.commands.rebinding").key_settings)
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
        code = late("acp_tui.headless.updates").update_agents(_folder(options))
    else:
        raise UserFault("acp-tui agents update needs an interactive terminal, to ask before it installs")
    return code


def _login_status(options: argparse.Namespace, argv: list[str]) -> int:
    if argv and options.agent:
        raise UserFault("Use only one of NAME and -- COMMAND")
    roster: Roster = late("acp_tui.host.catalog.roster").Roster(_folder(options))
    written_out = _as_configured(roster.config, by_command(argv, roster.folder)) if argv else None
    try:
        code: int = late("acp_tui.headless.login_status").show_status(roster, options.agent, written_out)
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
def _named(options: argparse.Namespace, argv: list[str]) -> Iterator[Launch]:
    """How to start the agent that the arguments name: built in, by its command, or by its name."""
    if options.demo:
        demo = late("acp_tui.demo.project")
        with demo.scratch() as project:
            yield by_command(demo.COMMAND, project, options.protocol)
    elif argv:
        yield by_command(_found(argv, options), _folder(options), options.protocol)
    else:
        yield _by_name(options)


def _found(argv: list[str], options: argparse.Namespace) -> list[str]:
    """The agent's command as it was written; of a known agent that only acp-tui has installed, by its path."""
    known = known_by_argv(argv)
    if known is None or argv[0] != known.argv[0] or which(argv[0]) is not None:
        return argv
    return [_roster(options).installed_program(known.name) or argv[0], *argv[1:]]


def _as_configured(config: "Config", launch: Launch) -> Launch:
    """The launch with what the user's file says for all agents and, unless it was found by its name, for its folder."""
    if not launch.command.name and config.own.says("folders", {}):
        launch = late("acp_tui.host.catalog.launching").for_folder(launch, config.own)
    if config.has_prompt:
        launch = late("acp_tui.host.catalog.system_prompts").prompted(launch, config.own)
    launch = replace(launch, snapshots=snapshot_settings(config.own.says))
    if config.own.says("suggestions", True):
        return launch
    return replace(launch, capabilities=replace(launch.capabilities, prompt_suggestions=False))


def _scoped(options: argparse.Namespace, launch: Launch) -> Launch:
    """The launch with the session, the folders and the tool servers of the arguments."""
    roots = [*launch.roots, *(str(_existing(folder)) for folder in options.folders)]
    servers = launch.mcp_servers
    if options.mcp is not None:
        read_mcp_file = late("acp_tui.host.catalog.mcp_file").read_mcp_file
        given = read_mcp_file(written_path(options.mcp), launch.cwd, launch.command.env)
        names = {server.name for server in given}
        servers = (*(server for server in servers if server.name not in names), *given)
    resume = options.resume or ""
    if resume == BROWSE and "prompt" in options:
        raise UserFault("--resume needs the ID of a session here", hint="For the last session: acp-tui run --continue")
    launch = replace(launch, roots=tuple(roots), mcp_servers=servers, resume=resume)
    launch = replace(launch, settings=tuple(options.settings), handed=getattr(options, "handed", None))
    own, added, none = options.own_prompt, options.added_prompts, options.no_system_prompt
    if own or added or none:
        launch = late("acp_tui.host.catalog.system_prompts").with_given(launch, own, added, none=none)
    return replace(launch, recorded=not options.no_record, wire=options.wire_records)


def _by_name(options: argparse.Namespace) -> Launch:
    """For those who cannot be asked: the named agent or the default one, if it may be started."""
    roster = _roster(options)
    for problem in roster.config.left_out:
        _complain(problem, USAGE)
    chosen = options.agent or _continued(options, roster)
    launch = chosen if isinstance(chosen, Launch) else _launch_of(roster, chosen)
    if not options.trust_project:
        roster.check_trusted(launch)
    return launch


def _launch_of(roster: "Roster", chosen: str | None) -> Launch:
    if roster.ignored and not chosen:
        _complain(roster.ignored, USAGE)
    name = chosen or roster.default_agent
    if not name:
        raise late(MISTAKES).no_agent("run")
    agent = roster.find(name)
    roster.check_installed(agent)
    return roster.launch(agent, proposed=not chosen and bool(roster.proposed))


def _roster(options: argparse.Namespace) -> "Roster":
    given = options.cwd is not None
    roster: Roster = late("acp_tui.host.catalog.roster").Roster(
        _folder(options), cwd_given=given, protocol=options.protocol
    )
    return roster


def _name_left_running() -> None:
    """Say which processes go on that agents or their commands started, and that left their trees as daemons do."""
    if left := late("acp_tui.host.system.process_tree").left_running():
        lines = [f"  {pid}  {one_line(command, 70)}" for pid, command in left[:LEFT_NAMED]]
        if len(left) > LEFT_NAMED:
            lines.append(f"  and {len(left) - LEFT_NAMED} more")
        write_error("\n".join(["Still running in the background, started by an agent or a command:", *lines]))


def _mistake(error: Exception) -> str:
    """What a user is told of a mistake of this program; the log has the rest."""
    log_file: Path | None = late("acp_tui.host.store.log").log_mistake(error)
    where = f"\nDetails: {named(log_file)}" if log_file else ""
    return f"acp-tui crashed. This is a bug: {type(error).__name__}: {one_line(str(error), 500)}{where}"


def _complain(message: str, exit_code: int) -> int:
    write_error(message)
    return exit_code
