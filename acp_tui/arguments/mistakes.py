"""The likeliest mistakes of a command line, each with what was most likely meant; written so that it can be copied."""

import difflib
import shlex
from collections.abc import Sequence
from pathlib import Path
from shutil import which

from acp_tui.arguments.help_texts import COMMANDS
from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS, known_by_argv
from acp_tui.safe_text import named

_LISTED = ("--agent", "-r", "--resume")  # options that show a list where no value comes after them
_NAMED = frozenset(("--agent", "--demo", "-c", "--continue"))  # options that say which agent is meant
_NEAR = 0.75  # of a command's letters
_ELSEWHERE = {  # words that are commands of other tools
    "help": ("--help",),
    "version": ("--version",),
    "sessions": ("-r",),
    "resume": ("-r",),
    "continue": ("-c",),
    "update": ("agents", "update"),
    "upgrade": ("agents", "update"),
    "demo": ("--demo",),
    "diff": ("changes",),
    "prune": ("snapshots", "prune"),
}
_GONE = {"acp-tui replay": ("--cast", "--speed", "--step", "--size")}  # options that older versions had

_HOW_TO_START = """\
Give its command after two dashes:
  acp-tui{run} -- opencode acp
Or use the built-in demo agent:
  acp-tui{run} --demo
List agents with: acp-tui agents"""


def no_agent(command: str) -> UserFault:
    """Nothing says which agent is to be started; with `run` there is a prompt too."""
    return UserFault("No agent given", _HOW_TO_START.format(run=' run "PROMPT"' if command == "run" else ""))


def unknown_command(before: Sequence[str], words: Sequence[str], argv: Sequence[str]) -> UserFault:
    """The first plain word is no command; `before` are our own options before it, `argv` is what the dashes have."""
    first, *rest = words
    title = f"Unknown command: {named(first)}"
    if " " in first.strip() or "--demo" in before:
        agent = [] if _NAMED.intersection(before) and not argv else _agent(argv)
        return UserFault(
            "A prompt needs -p" + (" and an agent" if agent else ""), hint=_meant(*before, "-p", *words, *agent)
        )
    if "--agent" in before:
        return _more_than_a_name(before, words, argv)
    near = difflib.get_close_matches(first, COMMANDS, 1, _NEAR)
    if near and known_by_argv([first]) is None:
        return UserFault(title, hint=_meant(*before, near[0], *rest, *(["--", *argv] if argv else [])))
    if not rest and not argv:
        if any(first == agent.name for agent in KNOWN_AGENTS):
            return UserFault(title, hint=_meant(*before, "--agent", first))
        if first in _ELSEWHERE:
            return UserFault(title, hint=_meant(*before, *_ELSEWHERE[first]))
        if Path(first).is_dir():
            return UserFault(title, hint=_meant(*before, "-C", first))
        if which(first) is None:
            return UserFault(title, hint=f"See: acp-tui --help\nTo start an agent: {_line(*before, '--', first)}")
    return UserFault(title, hint=_meant(*before, "--", *words, *argv))


def _more_than_a_name(before: Sequence[str], words: Sequence[str], argv: Sequence[str]) -> UserFault:
    at = before.index("--agent")
    written_out = _line(*before[:at], *before[at + 2 :], "--", before[at + 1], *words, *argv)
    hint = f"{_meant(*before)}\nOr, with your own arguments: {written_out}"
    return UserFault(f"Unexpected after --agent NAME: {named(words[0])}", hint=hint)


def unknown_option(prog: str, word: str, options: Sequence[str]) -> UserFault:
    name = word.partition("=")[0]
    if name in _GONE.get(prog, ()):
        return UserFault(f"{name} is gone: a recording is shown as it was at its end", hint=f"See: {prog} --help")
    near = difflib.get_close_matches(name, options, 1, _NEAR)
    hint = f"Did you mean: {near[0]}" if near else "The agent's own options go after two dashes, with its command."
    return UserFault(f"Unknown option: {named(word)}", hint=f"{hint}\nSee: {prog} --help")


def only_for_run(word: str) -> UserFault:
    return UserFault(f"{named(word)} only works without the screen", hint='Use it with: acp-tui -p "PROMPT"')


def words_after_prompt(prompt: str, words: Sequence[str], argv: Sequence[str]) -> UserFault:
    """More than a prompt: an agent's command without its dashes, or a prompt without quotes."""
    if known_by_argv([prompt]) is not None and not argv:
        *command, prompt = prompt, *words
        return UserFault("The agent's command goes after two dashes", hint=_meant("run", prompt, "--", *command))
    if argv:
        return UserFault("Put the prompt in quotes", hint=_meant("run", " ".join([prompt, *words]), "--", *argv))
    return UserFault("The agent's command goes after two dashes", hint=_meant("run", prompt, "--", *words))


def one_word_too_many(prog: str, word: str) -> UserFault:
    return UserFault(f"Unexpected word: {named(word)}", hint=f"See: {prog} --help")


def no_prompt(title: str, argv: Sequence[str]) -> UserFault:
    """There is none; perhaps it stands at the end of the agent's command."""
    if len(argv) > 1 and " " in argv[-1].strip():
        return UserFault(title, hint=f"The prompt goes before the dashes. {_meant('run', argv[-1], '--', *argv[:-1])}")
    return UserFault(title, hint='Pass it as an argument (acp-tui run "PROMPT" ...) or on stdin.')


def no_screen(ours: Sequence[str], argv: Sequence[str]) -> UserFault:
    """There is no terminal; the same start is written as a run, where nobody can choose from a list."""
    kept = [word for at, word in enumerate(ours) if word not in _LISTED or ours[at + 1 : at + 2] != []]
    own = f"{shlex.join(kept)} " if kept else ""
    agent = ["--", *argv] if argv else [] if _NAMED.intersection(kept) else ["--", "AGENT"]
    line = f'acp-tui run {own}"PROMPT" {shlex.join(agent)}'.rstrip()
    return UserFault("acp-tui needs an interactive terminal", hint=f"Without one: {named(line)}")


def _agent(argv: Sequence[str]) -> list[str]:
    return ["--", *argv] if argv else ["--", "AGENT"]


def _meant(*words: str) -> str:
    return f"Did you mean: {_line(*words)}"


def _line(*words: str) -> str:
    return named(shlex.join(["acp-tui", *words]))
