"""From the words of the command line to options, a command, and the agent's own words."""

import argparse
from collections.abc import Sequence

from acp_tui.arguments.help_texts import COMMANDS
from acp_tui.arguments.parsers import Parser, parser
from acp_tui.frozen import Frozen
from acp_tui.startup import late

RUN = "run"
MISTAKES = "acp_tui.arguments.suggestions"


class CommandLine(Frozen):
    """A command line: `command` (empty: the screen), its `options`, and the agent's `argv` after two dashes.

    `ours` are the words before the dashes. `dashes` says that there are any.
    """

    command: str
    options: argparse.Namespace
    argv: list[str]
    ours: list[str]
    dashes: bool


def read_arguments(words: Sequence[str]) -> CommandLine:
    """What the words say. Raises `UserFault` that names the likeliest mistake; `SystemExit` after help or version."""
    at = words.index("--") if "--" in words else len(words)
    ours, argv = list(words[:at]), list(words[at + 1 :])
    main = parser("")
    place, printing = _first_plain_word(main, ours)
    word = ours[place] if place < len(ours) else ""
    if printing:
        command, rest = RUN, ours
    elif word in COMMANDS:
        command, rest = word, [*ours[:place], *ours[place + 1 :]]
    elif place < len(ours):
        raise late(MISTAKES).unknown_command(ours[:place], ours[place:], argv)
    else:
        command, rest = "", ours
    of_command = parser(command) if command else main
    options, left = of_command.parse_known_args(rest)
    _check_all_taken(of_command, command, options, left, argv)
    return CommandLine(command, options, argv, ours, at < len(words))


def _first_plain_word(main: Parser, words: Sequence[str]) -> tuple[int, bool]:
    """Where the first word is that is neither an option nor the value of one, and whether `-p` comes before it.

    Options that only `run` has come after `-p` or `run`; where they come first, the words after them tell.
    """
    printing, at = False, 0
    while at < len(words):
        word = words[at]
        if not word.startswith("-") or word == "-":
            break
        at += 1
        found = [*main.options_in(word)] or [*parser(RUN).options_in(word)]
        if not found:
            raise late(MISTAKES).unknown_option(main.prog, word, [*main.options, *parser(RUN).options])
        for action, takes_next in found:
            printing = printing or action.dest == "printing"
            if takes_next and at < len(words) and not words[at].startswith("-"):
                at += 1
    return at, printing or (at < len(words) and words[at] not in COMMANDS and _prints_later(words[at:]))


def _prints_later(words: Sequence[str]) -> bool:
    """Whether `-p` comes after the first plain word: `acp-tui "PROMPT" -p`."""
    options = (action for word in words if word.startswith("-") for action, _ in parser(RUN).options_in(word))
    return any(action.dest == "printing" for action in options)


def _check_all_taken(
    of_command: Parser, command: str, options: argparse.Namespace, left: Sequence[str], argv: Sequence[str]
) -> None:
    if not left:
        return
    if not command and any(parser(RUN).options_in(left[0])):
        raise late(MISTAKES).only_for_run(left[0])
    if left[0].startswith("-"):
        raise late(MISTAKES).unknown_option(of_command.prog, left[0], of_command.options)
    if command == RUN:
        raise late(MISTAKES).words_after_prompt(options.prompt, left, argv)
    raise late(MISTAKES).one_word_too_many(of_command.prog, left[0])
