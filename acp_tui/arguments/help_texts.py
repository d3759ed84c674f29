"""The words of `--help`: what each command is for, how it is written, and examples. No line is longer than WIDTH."""

from acp_tui.frozen import Frozen

WIDTH = 80  # characters, with one that stays free: a terminal of that width shows the help as it is

COMMANDS = {
    "run": "send one prompt and print the answer (also: acp-tui -p PROMPT)",
    "agents": "list the agents, show who is logged in, or update agents",
    "config": "edit the settings, or print them",
    "search": "search recorded sessions",
    "usage": "show turns, time, tokens and cost of recorded sessions",
    "changes": "print a session's changes as a patch",
    "snapshots": "list or delete snapshots of changed files",
    "replay": "show a trace made with --trace",
    "completion": "print a completion script for your shell",
}
"""The commands in the order of the help, with what each does."""


class HelpText(Frozen):
    """The help of one command: `about` is filled to the width, the rest is shown as it stands."""

    usage: str
    about: str
    examples: str = ""
    below: str = ""


_MAIN = HelpText(
    usage="""\
acp-tui [OPTIONS] [NAME] ["PROMPT"]
       acp-tui [OPTIONS] ["PROMPT"] -- AGENT [ARG ...]
       acp-tui COMMAND [OPTIONS]""",
    about="""\
A terminal UI for coding agents. Start any agent that speaks the Agent Client Protocol (ACP): by name, from the list,
or by its command after --. A prompt is sent immediately, as plain text.""",
    examples="""\
  acp-tui --demo                    try it: a built-in demo agent, no setup
  acp-tui                           choose an agent
  acp-tui claude                    start an agent by name
  acp-tui opencode "fix the test"   and send it a prompt
  acp-tui "fix the test"            send a prompt to your default agent
  acp-tui kimi -C ~/code/app        work in another folder
  acp-tui -c                        continue this folder's last conversation
  acp-tui --hand-over latest kimi   continue it with another agent
  acp-tui -p "what is this?" -- opencode acp
                                    print the answer without opening the TUI
  acp-tui agents                    list agents and how to install them""",
)

_RUN = HelpText(
    usage="""\
acp-tui run [OPTIONS] [PROMPT] -- AGENT [ARG ...]
       acp-tui run [OPTIONS] [PROMPT] --agent NAME
       acp-tui -p [OPTIONS] [PROMPT] ...""",
    about="""\
Send one prompt to an agent and print its answer, for scripts and pipes. The answer is printed to stdout, and
progress to stderr, one line per tool call. At a terminal, files are saved before and after the turn, so that acp-tui
changes can compare them. After the answer, acp-tui waits at most 10 s for this.""",
    examples="""\
  acp-tui run --demo --permission allow-once "fix the failing test"
  acp-tui run --agent claude --permission rules "fix the failing test"
  acp-tui run --agent claude "explain this repository"
  git diff | acp-tui run -- opencode acp
  acp-tui run -c "and now the tests"
  acp-tui run --patch fix.patch "fix the lint" -- kimi acp
  acp-tui run --format json "list the modules" -- kimi acp | jq .""",
    below="""\
exit codes:
  0    the turn ended normally
  1    the agent failed or did not start, or the answer could not be written
  2    invalid arguments
  3    the agent refused, or reached a limit of its own (tokens, requests)
  4    a limit of yours was reached (--max-cost, --max-minutes, [limits])
  130  cancelled (Ctrl+C)""",
)

_AGENTS = HelpText(
    usage="""\
acp-tui agents [update] [OPTIONS]
       acp-tui agents status [NAME ...] [OPTIONS] [-- AGENT [ARG ...]]""",
    about="""\
List the agents you can start by name: known agents, those in your config file, and those from a
registry, if your config file names one. The list also shows how to install missing agents. With status, the
command starts the agents without opening a session and asks each one who is logged in.""",
    examples="""\
  acp-tui agents
  acp-tui agents status             who is logged in to the installed agents
  acp-tui agents status claude      ask one of them
  acp-tui agents update             update agents installed with acp-tui
  acp-tui opencode                  start one of them""",
)

_CONFIG = HelpText(
    usage="acp-tui config [--print | --schema] [OPTIONS]",
    about="""\
Open your config file in $VISUAL or $EDITOR. A new file lists every setting as a comment. You can also use
/settings in the TUI. A project can propose an agent and a theme in .acp-tui.toml; the agent starts only after you
agree.""",
    examples="""\
  acp-tui config
  acp-tui config --print            show the effective settings and command IDs""",
)

_SEARCH = HelpText(
    usage="acp-tui search [OPTIONS] WORD ...",
    about="""\
Search the messages, tool calls and command output in all recorded sessions. All words must match; case is
ignored, and part of a word is enough. The exit code is 1 if nothing matches.""",
    examples="""\
  acp-tui search login fixture
  acp-tui search --cwd . --agent kimi login""",
)

_USAGE = HelpText(
    usage="acp-tui usage [OPTIONS]",
    about="""\
Show the turns, time, tokens and cost of all recorded sessions. Tokens and cost are as reported by the agents; "—"
means that none were reported. Currencies are never added together.""",
    examples="""\
  acp-tui usage
  acp-tui usage --by day
  acp-tui usage --by model --format json | jq .total""",
)

_CHANGES = HelpText(
    usage="""\
acp-tui changes [SESSION] [--turn N] [--stat] [OPTIONS]
       acp-tui changes --uncommitted [--stat] [-C FOLDER]""",
    about="""\
Print what changed in the folder during a session, as a patch for git apply. It compares the
snapshots from the start of the session and the end of its last turn, not the current files. Anything a patch can't
express is listed on stderr. With --uncommitted, it compares a folder in a Git repository with HEAD and needs no
session.""",
    examples="""\
  acp-tui changes                   the last session in this folder
  acp-tui changes --stat            only files and line counts
  acp-tui changes --turn 3 | git apply --reverse
  acp-tui changes 4f2a              a session by the start of its ID
  acp-tui changes --uncommitted     uncommitted changes in this folder""",
)

_SNAPSHOTS = HelpText(
    usage="""\
acp-tui snapshots
       acp-tui snapshots prune [SESSION | --older-than DAYS | --all] [--yes]""",
    about="""\
List the snapshots used to show and undo changes, by folder and session, with their size and age. With prune, delete
snapshots. Your files stay untouched, but the changes made in those sessions can no longer be shown or undone.""",
    examples="""\
  acp-tui snapshots
  acp-tui snapshots prune           delete snapshots over your limits
  acp-tui snapshots prune 4f2a      delete the snapshots of one session
  acp-tui snapshots prune --older-than 7
  acp-tui snapshots prune --all --yes""",
)

_REPLAY = HelpText(
    usage="acp-tui replay FILE [--no-mouse]",
    about="""\
Show the sessions in a trace (--trace) in their final state, and every message in the inspector (F12). No agent
starts, no command runs, and none of the files named in the trace are touched.""",
    examples="""\
  acp-tui kimi --trace wire.jsonl
  acp-tui replay wire.jsonl""",
)

_COMPLETION = HelpText(
    usage="acp-tui completion bash|zsh|fish",
    about="""\
Print a script that completes commands, options, agents and session IDs with Tab. You don't need to regenerate it
after updates.""",
    examples="""\
  acp-tui completion bash""",
    below="""\
to install, add to:
  ~/.bashrc                     eval "$(acp-tui completion bash)"
  ~/.zshrc, after compinit      eval "$(acp-tui completion zsh)"
  ~/.config/fish/config.fish    acp-tui completion fish | source""",
)

WORDS = {
    "": _MAIN,
    "run": _RUN,
    "agents": _AGENTS,
    "config": _CONFIG,
    "search": _SEARCH,
    "usage": _USAGE,
    "changes": _CHANGES,
    "snapshots": _SNAPSHOTS,
    "replay": _REPLAY,
    "completion": _COMPLETION,
}
"""By command; the empty one is `acp-tui` itself."""
