"""The parser of each command, and what is common to them: help in one width, and complaints in our words.

The reason for its size: each argument of each command has its row here.
"""

import argparse
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from acp_tui import __version__
from acp_tui.arguments.help_texts import COMMANDS, WIDTH, WORDS
from acp_tui.arguments.value_readers import WordReader, amount, day_count, option_setting, session_id, turn_number
from acp_tui.console import write_error, write_output
from acp_tui.errors import UserFault
from acp_tui.host.config.settings_table import PROTOCOL_ABOUT, SETTINGS
from acp_tui.safe_text import named

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

SHELLS = ("bash", "zsh", "fish")
BROWSE = "browse"  # in place of a session's id; the same word as in a `Launch`
_ARGUMENT = re.compile(r"^argument (?:-\w/)?(\S+?)(?:/\S+)?: ")
_JOINED = re.compile(r"--[\w-]+=|-\w[/.~]")  # an option and its value in one word, which may have blanks
EXACT = "yolo"  # the destination of options that must be spelled out, for no slip may mean them
_HYPHEN = "\N{NON-BREAKING HYPHEN}"


class _Help(argparse.RawDescriptionHelpFormatter):
    """Options with their value named once, and words that are not cut at their hyphens."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {self._format_args(action, action.dest.upper())}"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return [line.replace(_HYPHEN, "-") for line in super()._split_lines(text.replace("-", _HYPHEN), width)]


class Parser(argparse.ArgumentParser):
    """The parser of one command (empty: of `acp-tui` itself). What is wrong is raised as `UserFault`."""

    def __init__(self, command: str) -> None:
        words, prog = WORDS[command], f"acp-tui {command}".rstrip()
        super().__init__(prog=prog, usage=words.usage, description=words.about, epilog=words.below or None)
        self._command, self._examples = command, words.examples
        self._positionals.title = "arguments"

    def format_help(self) -> str:
        """Usage and purpose, then examples, the commands, the options, and the rest."""
        formatter = _Help(self.prog, max_help_position=24, width=_width())
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        filled = argparse.HelpFormatter(self.prog, width=_width())
        filled.add_text(self.description)
        formatter.add_text(filled.format_help())
        formatter.add_text(f"examples:\n{self._examples}")
        if not self._command:
            rows = "".join(f"  {name:<12}{what}\n" for name, what in COMMANDS.items())
            formatter.add_text(f"commands (acp-tui COMMAND --help for details):\n{rows}")
        for group in self._action_groups:
            formatter.start_section(group.title)
            formatter.add_arguments(group._group_actions)  # noqa: SLF001 - as argparse does here
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, without argparse's own words for an option."""
        message = _ARGUMENT.sub(r"\1: ", message).replace("the following arguments are required: ", "Missing ")
        message = message.replace("not allowed with argument", "cannot be combined with")
        message = message.replace("expected one argument", "needs a value")
        raise UserFault(named(message[:1].upper() + message[1:]), hint=f"See: {self.prog} --help")

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        if message:
            (write_output if file is sys.stdout else write_error)(message.removesuffix("\n"))

    def _parse_optional(self, arg_string: str) -> Any:
        """As argparse has it, but words with blanks are text: `"-c and then more"`."""
        return None if is_text(arg_string) else super()._parse_optional(arg_string)

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """The options that a word may be short for."""
        return [found for found in super()._get_option_tuples(option_string) if found[0].dest != EXACT]

    def options_in(self, word: str) -> Iterator[tuple[argparse.Action, bool]]:
        """The options that a word begins (several after one dash), each with whether the next word may be its value."""
        name, equals, _ = word.partition("=")
        if is_text(word):
            return
        if not word.startswith("--"):
            for at, letter in enumerate(word[1:], 2):
                action = self._option_string_actions.get(f"-{letter}")
                if action is None:
                    return
                yield action, action.nargs != 0 and at == len(word)
                if action.nargs != 0:
                    return
            return
        spelled = (
            [name]
            if name in self._option_string_actions
            else [
                each for each, of in self._option_string_actions.items() if each.startswith(name) and of.dest != EXACT
            ]
        )
        if action := next((self._option_string_actions[option] for option in spelled), None):
            yield action, action.nargs != 0 and not equals

    @property
    def shown(self) -> list[str]:
        """The spellings of its options that the help has."""
        return [option for option, action in self._option_string_actions.items() if action in self.arguments]

    def rivals(self, dest: str) -> set[str]:
        """The names of the options that cannot be given beside this one."""
        groups = [group._group_actions for group in self._mutually_exclusive_groups]  # noqa: SLF001 - as above
        names = ({action.dest for action in group} for group in groups)
        return {name for group in names if dest in group for name in group}

    @property
    def arguments(self) -> list[argparse.Action]:
        return [action for action in self._actions if action.help is not argparse.SUPPRESS]


def is_text(word: str) -> bool:
    """Whether a word is a prompt or a value by itself, though it may begin as an option does."""
    return len(word.split()) > 1 and not _JOINED.match(word)


def parser(command: str) -> Parser:
    """Knows every argument of a command; the agent's own are split off before."""
    made = Parser(command)
    _ADD[command](made)
    return made


def _width() -> int:
    return min(WIDTH, shutil.get_terminal_size().columns) - 1


def _add_main(main: Parser) -> None:
    version, shown = f"acp-tui {__version__}", "show the version and exit"
    main.add_argument("-V", "--version", action="version", version=version, help=shown)
    _add_print(main)
    choose = "start an agent by name, like acp-tui NAME; without NAME, show the list"
    main.add_argument("--agent", metavar="NAME", nargs="?", const="", help=choose)
    _add_yolo(main)
    handed = "continue a recorded session (an ID, the start of an ID, or latest) with another agent"
    latest = "continue the last conversation in this folder, with its agent unless you name one"
    _add_session(main, latest, "resume the session with this ID; without an ID, choose from a list", handed)
    _add_records(main)
    _add_mouse(main)


def _add_run(run: Parser) -> None:
    run.add_argument(
        "prompt", nargs="?", metavar="PROMPT", help="the prompt; if it is missing or -, it is read from stdin"
    )
    _add_print(run, argparse.SUPPRESS)
    run.add_argument("--agent", metavar="NAME", help="start an agent by name (default: default_agent in your config)")
    run.add_argument(
        "--format",
        "--output-format",
        metavar="FORMAT",
        type=WordReader("text", "json", **{"stream-json": "json"}),
        default="text",
        help="text: the answer as it arrives (default); json: every event, one JSON object per line",
    )
    answers = run.add_mutually_exclusive_group()
    answers.add_argument(
        "--permission",
        metavar="ANSWER",
        type=WordReader("reject", "allow-once", "allow-always", "rules"),
        default="reject",
        help="answer to permission requests: reject (default), allow-once, allow-always, or rules (use your "
        "rules, and reject all other requests); does not affect what the agent does without asking",
    )
    answers.add_argument(
        "--policy", metavar="FILE", help="let only the rules in FILE answer, and reject all other requests"
    )
    _add_yolo(answers)
    run.add_argument(
        "--trust-project",
        action="store_true",
        help="for this run, trust the agent that the project proposes, or the project files that the last session's"
        " command runs",
    )
    cost = "cancel the turn and exit with 4 once the session has cost N, in the agent's currency"
    run.add_argument("--max-cost", "--max-budget-usd", metavar="N", type=amount, help=cost)
    minutes = "cancel the turn and exit with 4 after N minutes"
    run.add_argument("--max-minutes", metavar="N", type=amount, help=minutes)
    run.add_argument("--no-write", action="store_true", help="do not write files for the agent")
    run.add_argument("--no-terminal", action="store_true", help="do not run commands for the agent")
    latest = "continue the last session in this folder (runs included), with its agent unless you name one"
    _add_session(run, latest, "resume the session with this ID")
    _add_records(run)
    _add_run_snapshots(run)


def _add_run_snapshots(run: Parser) -> None:
    wanted = run.add_mutually_exclusive_group()
    always = "save files before and after the turn (default: only at a terminal, and not if CI is set)"
    wanted.add_argument("--snapshots", action="store_true", default=None, help=always)
    never = "do not save files before and after the turn"
    wanted.add_argument("--no-snapshots", action="store_false", dest="snapshots", default=None, help=never)
    patch = "write the turn's changes to a new FILE, as a patch for git apply"
    run.add_argument("--patch", metavar="FILE", help=patch)


def _add_yolo(parser: argparse._ActionsContainer) -> None:
    allow = "allow every permission request once; the agent's own limits still apply"
    parser.add_argument("--yolo", action="store_true", help=allow)
    others = ("--dangerously-skip-permissions", "--dangerously-bypass-approvals-and-sandbox")  # as other agents have it
    parser.add_argument(*others, action="store_true", dest="yolo", help=argparse.SUPPRESS)


def _add_print(parser: Parser, shown: str = "print the answer without opening the TUI (same as acp-tui run)") -> None:
    parser.add_argument("-p", "--print", action="store_true", dest="printing", help=shown)


def _add_session(parser: Parser, latest: str, resume: str, handed: str = "") -> None:
    parser.add_argument("--demo", action="store_true", help="use the built-in demo agent, in a scratch project")
    _add_folder(parser)
    which = parser.add_mutually_exclusive_group()
    which.add_argument("-c", "--continue", action="store_const", const="latest", dest="resume", help=latest)
    which.add_argument("-r", "--resume", metavar="ID", nargs="?", const=BROWSE, help=resume)
    if handed:
        which.add_argument("--hand-over", metavar="SESSION", type=session_id, help=handed)
    choices: dict[str, Any] = {"action": "append", "dest": "settings", "default": []}
    parser.add_argument(
        "-m", "--model", metavar="MODEL", type=lambda value: ("model", value), help="use this model", **choices
    )
    parser.add_argument("--mode", metavar="MODE", type=lambda value: ("mode", value), help="use this mode", **choices)
    option = "set a session option by ID or name (repeatable)"
    parser.add_argument("--set", metavar="NAME=VALUE", type=option_setting, help=option, **choices)
    preset = "apply a preset from your config; --model, --mode and --set take precedence"
    parser.add_argument("--preset", metavar="NAME", help=preset)
    more = "add a folder to the session (repeatable)"
    parser.add_argument("--add-dir", metavar="FOLDER", action="append", dest="folders", default=[], help=more)
    _add_system_prompt(parser)
    servers = "add the MCP servers in FILE (mcpServers, or another tool's format)"
    parser.add_argument("--mcp", metavar="FILE", help=servers)
    parser.add_argument(
        "--protocol", metavar="VERSION", type=WordReader("1", "2", "auto"), help=f"p{PROTOCOL_ABOUT[1:]}"
    )


def _add_system_prompt(parser: Parser) -> None:
    """What each option gives has its spelling, by which the user is told of it."""
    added: dict[str, Any] = {"action": "append", "dest": "added_prompts", "default": []}
    parser.add_argument(
        "--append-system-prompt",
        metavar="TEXT",
        type=lambda text: ("--append-system-prompt", text),
        help="add TEXT to the agent's system prompt (repeatable)",
        **added,
    )
    parser.add_argument(
        "--append-system-prompt-file",
        metavar="FILE",
        type=lambda file: ("--append-system-prompt-file", file),
        help="add the text of FILE (repeatable)",
        **added,
    )
    own = parser.add_mutually_exclusive_group()
    own.add_argument(
        "--system-prompt",
        metavar="TEXT",
        dest="own_prompt",
        type=lambda text: ("--system-prompt", text),
        help="replace the agent's system prompt with TEXT, if supported",
    )
    own.add_argument(
        "--system-prompt-file",
        metavar="FILE",
        dest="own_prompt",
        type=lambda file: ("--system-prompt-file", file),
        help="replace it with the text of FILE",
    )
    none = "send no system prompt, even if one is configured"
    own.add_argument("--no-system-prompt", action="store_true", help=none)


def _add_records(parser: Parser) -> None:
    parser.add_argument("--no-record", action="store_true", help="do not record this session")
    wire = "write a protocol trace without secrets to FILE, for acp-tui replay"
    parser.add_argument("--trace", metavar="FILE", dest="wire", help=wire)
    parser.add_argument("--record", metavar="FILE", dest="wire", help=argparse.SUPPRESS)  # its name in older versions


def _add_mouse(parser: Parser) -> None:
    parser.add_argument(
        "--no-mouse", action="store_true", help="let the terminal handle the mouse, so that you can select text"
    )


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-C", "--cwd", metavar="FOLDER", help="the folder to work in (default: the current folder)")


def _add_config(config: Parser) -> None:
    shown = "print the config files, the effective settings (without secrets) and all command IDs with their keys"
    what = config.add_mutually_exclusive_group()
    what.add_argument("--print", action="store_true", dest="printing", help=shown)
    what.add_argument("--schema", action="store_true", help="print the JSON schema of the config file, for your editor")
    _add_folder(config)
    config.epilog = f"settings:\n{_settings()}"


def _settings() -> str:
    wide = max(map(len, SETTINGS)) + 2
    indent = " " * (wide + 2)
    rows = (f"  {name:<{wide}}{setting.about}" for name, setting in SETTINGS.items())
    return "\n".join(textwrap.fill(row, _width(), subsequent_indent=indent, break_on_hyphens=False) for row in rows)


def _add_search(search: Parser) -> None:
    search.add_argument("words", nargs="+", metavar="WORD", help="a word or part of one")
    search.add_argument("--agent", metavar="NAME", help="only sessions with this agent")
    search.add_argument("-C", "--cwd", metavar="FOLDER", help="only sessions in this folder")
    search.add_argument("--runs", action="store_true", help="include sessions started with acp-tui run")


def _add_usage(usage: Parser) -> None:
    by = "group by agent (default), project, day or model"
    usage.add_argument(
        "--by", metavar="KIND", type=WordReader("agent", "project", "day", "model"), default="agent", help=by
    )
    shown = "text: a table (default); json: one JSON object"
    usage.add_argument("--format", metavar="FORMAT", type=WordReader("text", "json"), default="text", help=shown)


def _add_agents(agents: Parser) -> None:
    what = (
        "update: update agents installed with acp-tui, after asking; status: start the agents and ask who is logged in"
    )
    agents.add_argument("what", nargs="?", type=WordReader("update", "status"), metavar="update|status", help=what)
    agents.add_argument("agent", nargs="*", metavar="NAME", help="with status: only these agents")
    _add_folder(agents)


def _add_changes(changes: Parser) -> None:
    which = "the session's ID or the start of it (default: the last session in the folder)"
    changes.add_argument("session", nargs="?", type=session_id, metavar="SESSION", help=which)
    turn = "only the changes made in turn N (turn 1 starts with your first message)"
    changes.add_argument("--turn", type=turn_number, metavar="N", help=turn)
    uncommitted = "changes since Git's HEAD, including untracked files, instead of a session's changes"
    changes.add_argument("--uncommitted", action="store_true", help=uncommitted)
    changes.add_argument("--stat", action="store_true", help="list the files and line counts instead of a patch")
    changes.add_argument("-C", "--cwd", metavar="FOLDER", help="one of the session's folders (default: where it ran)")


def _add_snapshots(snapshots: Parser) -> None:
    snapshots.add_argument(
        "what",
        nargs="?",
        type=WordReader("prune"),
        metavar="prune",
        help="list snapshots, then ask whether to delete them",
    )
    which = snapshots.add_mutually_exclusive_group()
    which.add_argument(
        "session",
        nargs="?",
        type=session_id,
        metavar="SESSION",
        help="only this session (its ID or the start of it)",
    )
    which.add_argument("--older-than", type=day_count, metavar="DAYS", help="only sessions unused for DAYS days")
    which.add_argument("--all", action="store_true", help="all snapshots")
    snapshots.add_argument("-y", "--yes", action="store_true", help="do not ask")


def _add_replay(replay: Parser) -> None:
    replay.add_argument("file", metavar="FILE", help="a trace made with --trace")
    _add_mouse(replay)


def _add_completion(completion: Parser) -> None:
    shells = "the shell: bash, zsh or fish"
    completion.add_argument("shell", type=WordReader(*SHELLS), metavar="SHELL", help=shells)
    # How the scripts ask: the words of the line up to the cursor come after two dashes.
    completion.add_argument("--complete", action="store_true", help=argparse.SUPPRESS)


_ADD: dict[str, Callable[[Parser], None]] = {
    "": _add_main,
    "run": _add_run,
    "agents": _add_agents,
    "config": _add_config,
    "search": _add_search,
    "usage": _add_usage,
    "changes": _add_changes,
    "snapshots": _add_snapshots,
    "replay": _add_replay,
    "completion": _add_completion,
}
