"""What can be said on the command line, and the help that says so."""

import argparse
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from acp_tui.console import write_error, write_output
from acp_tui.safe_text import named
from acp_tui.version import __version__

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

BROWSE = "browse"  # in place of a session's id; the same word as in a `Launch`
USAGE = 2
"""The exit code for arguments that cannot be used."""

_ABOUT = """\
Talk to a coding agent in your terminal. Every agent that speaks the Agent Client Protocol (ACP) will do:
choose from those that are installed, or write the command that starts one after two dashes. It works in the
current folder, or in that of --cwd.
"""

_USAGE = """\
acp-tui [--cwd FOLDER]
       acp-tui [--cwd FOLDER] -- AGENT [ARG ...]
       acp-tui [--cwd FOLDER] --agent [NAME]
       acp-tui --demo
       acp-tui run | agents | config | search | replay ..."""

_EXAMPLES = """\
examples:
  acp-tui --demo                            try it: a built-in agent on a scratch project, nothing to set up
  acp-tui                                   choose from the agents that are installed
  acp-tui -- opencode acp                   work in this folder with OpenCode
  acp-tui --cwd ~/project -- kimi acp       work in another folder with Kimi
  acp-tui run "what is this?" -- opencode acp
                                            no screen: the answer goes to standard output
  acp-tui run --help                        all about that
  acp-tui agents                            what there is, what is installed, how to install the rest
  acp-tui config                            your settings: agents, keys, theme
  acp-tui search login fixture              where that was said, in all recorded sessions
  acp-tui --record wire.jsonl -- kimi acp   write down all that passes; acp-tui replay wire.jsonl plays it again
"""

_AGENTS_ABOUT = """\
List the agents that can be started here by name: those that are known, those of your config file and of the
project's, and those of a registry, if your config file names one. What is not installed is listed with how to get it.
"""

_AGENTS_USAGE = "acp-tui agents [update] [--cwd FOLDER]"

_CONFIG_ABOUT = """\
Open your config file in $VISUAL or $EDITOR; a new one begins with every setting as a comment.
A project may have settings too, in .acp-tui.toml in its folder; what it starts needs your consent.
"""

_CONFIG_USAGE = "acp-tui config [--print] [--cwd FOLDER]"

_SEARCH_ABOUT = """\
Find words in all recorded sessions: messages, tool calls, the output of commands. All of the words must be there, in
any case, as words or parts of words. Exit code 1: nothing was found.
"""

_SEARCH_USAGE = "acp-tui search WORD ..."

_REPLAY_ABOUT = """\
Play what --record has written down through the same screen: the agent by its lines, you by what you did. No agent is
started, no file touched and no command run. Space plays the next line at once, p holds and goes on, + and - change
the speed.
"""

_REPLAY_USAGE = "acp-tui replay FILE [--speed N | --step]"

_RUN_ABOUT = """\
Send one prompt to an agent and print its answer, without a screen: for scripts and pipes.
The answer goes to standard output; what the agent does goes to standard error, in short lines.
"""

_RUN_USAGE = """\
acp-tui run [OPTION ...] [PROMPT] -- AGENT [ARG ...]
       acp-tui run [OPTION ...] --agent NAME [PROMPT]
       acp-tui run --demo [PROMPT]"""

_RUN_EXAMPLES = """\
examples:
  acp-tui run --demo "show me what you can do"
  acp-tui run "explain the failing test" -- opencode acp
  git diff | acp-tui run -- opencode acp                the prompt comes from standard input
  acp-tui run --permission allow-once "fix the typo in README.md" -- kimi acp
  acp-tui run --format json "list the modules" -- kimi acp | jq .

exit codes:
  0    the agent finished its turn
  1    the agent failed or could not be started, or its answer could not be written
  2    these arguments cannot be used
  3    the agent refused, or met a limit (tokens, requests)
  130  the turn was cancelled (Ctrl+C: the agent is told, and gets a moment to stop)
"""

_HOW_TO_START = """\
acp-tui needs to know which agent to start. Its command goes after two dashes:

  acp-tui{run} -- opencode acp

No agent at hand? There is one built in, which works on a scratch project:

  acp-tui{run} --demo

acp-tui agents lists those that can be started by name; acp-tui{action} --help says more."""


def how_to_start(action: str | None) -> str:
    """What to write instead, where no agent was named; with `run` there is a prompt too."""
    return _HOW_TO_START.format(run=' run "PROMPT"' if action == "run" else "", action=f" {action}" if action else "")


def split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and the agent's command after the first `--`."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:at], arguments[at + 1 :]


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints name the likeliest mistake."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and how an agent is named."""
        hint = f"An agent's command goes after two dashes: {self.prog.split()[0]} -- AGENT ARG..."
        self.exit(USAGE, f"{self.prog}: {named(message)}\n{hint}\n{self.prog} --help says more.\n")

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        """Help, version and complaints leave by the one door; a complaint has words of the arguments in it."""
        if message:
            (write_output if file is sys.stdout else write_error)(message.removesuffix("\n"))


def parser() -> argparse.ArgumentParser:
    """Knows every argument of ours; the agent's own are split off before."""
    whole = _Parser(
        prog="acp-tui",
        usage=_USAGE,
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument("--version", action="version", version=f"acp-tui {__version__}")
    choose = "start an agent of `acp-tui agents` or of your config file by its name; without NAME: choose from a list"
    whole.add_argument("--agent", metavar="NAME", nargs="?", const="", help=choose)
    _add_where(whole, default=None)
    _add_records(whole, default=None)
    actions = whole.add_subparsers(dest="action", prog="acp-tui", title="without a screen", metavar="")
    _add_run(actions.add_parser("run", **_action(_RUN_ABOUT, _RUN_USAGE, _RUN_EXAMPLES, "send one prompt")))
    agents = actions.add_parser("agents", **_action(_AGENTS_ABOUT, _AGENTS_USAGE, "", "list the agents"))
    config = actions.add_parser("config", **_action(_CONFIG_ABOUT, _CONFIG_USAGE, "", "edit or print the settings"))
    newer = "show old and new versions of the agents installed with acp-tui, and install what you agree to"
    agents.add_argument("what", nargs="?", choices=("update",), metavar="update", help=newer)
    search = actions.add_parser(
        "search", **_action(_SEARCH_ABOUT, _SEARCH_USAGE, "", "find words in recorded sessions")
    )
    search.add_argument("words", nargs="+", metavar="WORD", help="what was said")
    _add_replay(actions.add_parser("replay", **_action(_REPLAY_ABOUT, _REPLAY_USAGE, "", "play what --record wrote")))
    for action in (agents, config):
        _add_folder(action, argparse.SUPPRESS)
    shown = "print the files' paths, the settings that count (without secrets) and the keys of all commands"
    config.add_argument("--print", action="store_true", dest="printing", help=shown)
    return whole


def _add_replay(replay: argparse.ArgumentParser) -> None:
    replay.add_argument("file", metavar="FILE", help="what --record has written")
    pace = replay.add_mutually_exclusive_group()
    pace.add_argument("--speed", type=_speed, default=1.0, metavar="N", help="so many times faster (default: 1)")
    pace.add_argument("--step", action="store_true", help="wait for Space before each line")


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not 0 < speed < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return speed


def _action(about: str, usage: str, epilog: str, short: str) -> dict[str, Any]:
    return {
        "description": about,
        "usage": usage,
        "epilog": epilog,
        "help": short,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }


def _add_run(run: argparse.ArgumentParser) -> None:
    named = "start this agent of `acp-tui agents` or of your config file (default: its default_agent)"
    run.add_argument("--agent", metavar="NAME", default=argparse.SUPPRESS, help=named)
    trust = "agree, for this run, to start what the project's own config file names"
    run.add_argument("--trust-project", action="store_true", help=trust)
    _add_where(run, default=argparse.SUPPRESS)
    _add_records(run, default=argparse.SUPPRESS)
    _add_run_options(run)


def _add_where(parser: argparse.ArgumentParser, default: object) -> None:
    demo = "talk to the built-in agent, on a scratch project that is removed afterwards"
    parser.add_argument("--demo", action="store_true", default=default, help=demo)
    _add_folder(parser, default)
    _add_session(parser, default)
    offer = "what the agent is offered: ACP 1 (default), or ACP 2 (a draft) as well; auto goes back to 1 if it minds"
    parser.add_argument("--protocol", choices=("1", "2", "auto"), default=default, help=offer)


def _add_records(parser: argparse.ArgumentParser, default: object) -> None:
    unrecorded = "do not write down what happens; records are for you alone, in your state folder"
    parser.add_argument("--no-record", action="store_true", default=default, help=unrecorded)
    wire = "write every line between acp-tui and the agent into FILE, without secrets; acp-tui replay FILE plays it"
    parser.add_argument("--record", metavar="FILE", default=default, dest="wire", help=wire)


def _add_folder(parser: argparse.ArgumentParser, default: object) -> None:
    parser.add_argument("--cwd", metavar="FOLDER", default=default, help="the folder to work in (default: this one)")


def _add_session(parser: argparse.ArgumentParser, default: object) -> None:
    which = parser.add_mutually_exclusive_group()
    latest = "go on with the last session of this folder, as the agent lists it or as it was recorded here"
    which.add_argument("--continue", action="store_const", const="latest", dest="resume", default=default, help=latest)
    chosen = "go on with the agent's session of this id; without ID: choose from a list"
    which.add_argument("--resume", metavar="ID", nargs="?", const=BROWSE, default=default, help=chosen)
    more = "another folder that the session may use; again for more"
    parser.add_argument("--add-dir", metavar="FOLDER", action="append", default=default, dest="folders", help=more)
    servers = "give the session the MCP servers of this JSON file (mcpServers, as most tools have it)"
    parser.add_argument("--mcp", metavar="FILE", default=default, help=servers)


def _add_run_options(run: argparse.ArgumentParser) -> None:
    run.add_argument("prompt", nargs="?", metavar="PROMPT", help="what to ask (default, and for -: standard input)")
    formats = "text: the answer as it comes (default); json: one JSON object a line for all that happens"
    run.add_argument("--format", choices=("text", "json"), default="text", help=formats)
    policies = ("reject", "allow-once", "allow-always")
    policy = (
        "how the agent's requests for permission are answered (default: reject); what it does unasked is not touched"
    )
    run.add_argument("--permission", choices=policies, default="reject", help=policy)
    run.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=_setting,
        dest="settings",
        help="an option of the session, such as its model, by ids or names; again for more, and several values of one",
    )
    run.add_argument("--no-write", action="store_true", help="do not write files for the agent")
    run.add_argument(
        "--no-terminal", action="store_true", help="do not offer the agent to run commands through acp-tui"
    )


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value
