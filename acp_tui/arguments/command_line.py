"""From the words of the command line to options, a command, the prompt, and the agent's own words.

The first plain word is a command of ours, else an agent's name, else a prompt: with a blank in it, or if options name
the agent. A name is read as `--agent NAME`, with its own start arguments behind it too: `opencode acp`.
"""

import argparse
from collections.abc import Callable, Collection, Sequence

from acp_tui.arguments.help_texts import COMMANDS
from acp_tui.arguments.parsers import BROWSE, Parser, is_text, parser
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import known_by_name
from acp_tui.startup import late

RUN = "run"
MISTAKES = "acp_tui.arguments.suggestions"


class CommandLine(Frozen):
    """A command line: `command` (empty: the screen), its `options`, and the agent's `argv`.

    `ours` are the words before the dashes, without the `prompt` of the screen; a run has it in its options. `dashes`
    says that there are any.
    """

    command: str
    options: argparse.Namespace
    argv: list[str]
    ours: list[str]
    dashes: bool
    prompt: str = ""


def read_arguments(words: Sequence[str], own_agents: Callable[[], Collection[str]] = tuple) -> CommandLine:
    """The meaning of the words; `own_agents` are the names of the user's own, asked for only if it depends on them.

    Raises `UserFault` that names the likeliest mistake; `SystemExit` after help or version.
    """
    at = words.index("--") if "--" in words else len(words)
    ours, argv = list(words[:at]), list(words[at + 1 :])
    place, printing = _first_plain_word(parser(""), ours)
    word = ours[place] if place < len(ours) else ""
    if word in COMMANDS and not printing:
        options = _options(word, [*ours[:place], *ours[place + 1 :]], argv)
        return CommandLine(word, options, argv, ours, at < len(words))
    later = not printing and _prints_later(ours[place:])
    if word and (later or not printing or parser(RUN).parse_known_args(ours)[1]):  # `-p claude` alone is a prompt
        ours = _with_name(ours, place, argv, own_agents)
    if printing or later:
        return CommandLine(RUN, _options(RUN, ours, argv), argv, ours, at < len(words))
    return _on_screen(words, ours, argv, own_agents)


def _with_name(ours: list[str], place: int, argv: list[str], own_agents: Callable[[], Collection[str]]) -> list[str]:
    """Our words with an agent's name as `--agent NAME`, without its start arguments if they follow the name.

    Which command the name has is for the user's own file to say: this one is started with or without those words.
    """
    is_option = ours[max(0, place - 2) : place - 1] == ["--agent"]
    at = place - 1 if is_option else place
    known = known_by_name(ours[at])
    if not is_option and known is None and ours[at] not in own_agents():
        return ours
    start, after = list(known.argv[1:]) if known else [], ours[at + 1 :]
    if not argv and after[: len(start)] == start:
        after = after[len(start) :]
    return [*ours[: at - is_option], "--agent", ours[at], *after]


def _on_screen(
    words: Sequence[str], ours: list[str], argv: list[str], own_agents: Callable[[], Collection[str]]
) -> CommandLine:
    """Without a command: the screen, perhaps with an agent and a prompt; `words` are those that the user wrote."""
    main = parser("")
    given = [action for word in ours if word.startswith("-") for action, _ in main.options_in(word)]
    options, left = main.parse_known_args(ours)
    _check_options(main, "", left[:1])
    if [action.dest for action in given].count("agent") > 1:
        raise late(MISTAKES).several_agents()
    begun = list(words[: words.index("--")] if "--" in words else words)
    if left and not (is_text(left[0]) or _names_agent(options, begun, left[0], argv)):
        place = begun.index(left[0])
        raise late(MISTAKES).unknown_word(begun[:place], begun[place:], argv, own_agents())
    _check_options(main, "", left)
    if len(left) > 1:
        raise late(MISTAKES).unquoted(begun, left, argv if "--" in words else ())
    _check_session(options)
    if not left:
        return CommandLine("", options, argv, ours, "--" in words)
    if options.hand_over is not None or options.resume == BROWSE or not left[0].strip():
        raise late(MISTAKES).no_prompt_there(options, left[0])
    place = len(ours) - 1 - ours[::-1].index(left[0])
    return CommandLine("", options, argv, [*ours[:place], *ours[place + 1 :]], "--" in words, left[0])


def _names_agent(options: argparse.Namespace, begun: Sequence[str], word: str, argv: Sequence[str]) -> bool:
    """Whether the agent is known, so that this word is for it; a slip for a command of ours is not, unless it follows
    the agent's name.
    """
    named = bool(options.agent or options.demo or argv)
    follows = bool(options.agent) and "--agent" not in begun
    return named and (follows or not late(MISTAKES).near_command(word))


def _first_plain_word(main: Parser, words: Sequence[str]) -> tuple[int, bool]:
    """Where the first word is that is neither an option nor the value of one, and whether `-p` comes before it.

    Options that only `run` has come after `-p` or `run`; where they come first, the words after them tell.
    """
    printing, at = False, 0
    while at < len(words):
        word = words[at]
        if not word.startswith("-") or word == "-":
            break
        found = [*main.options_in(word)] or [*parser(RUN).options_in(word)]
        if not found and is_text(word):
            break
        if not found:
            raise late(MISTAKES).unknown_option(main.prog, word, [*main.shown, *parser(RUN).shown])
        at += 1
        for action, takes_next in found:
            printing = printing or action.dest == "printing"
            if takes_next and at < len(words) and (is_text(words[at]) or not words[at].startswith("-")):
                at += 1
    return at, printing


def _prints_later(words: Sequence[str]) -> bool:
    """Whether `-p` comes after the first plain word: `acp-tui "PROMPT" -p`."""
    options = (action for word in words if word.startswith("-") for action, _ in parser(RUN).options_in(word))
    return any(action.dest == "printing" for action in options)


def _options(command: str, words: Sequence[str], argv: Sequence[str]) -> argparse.Namespace:
    of_command = parser(command)
    options, left = of_command.parse_known_args(words)
    _check_options(of_command, command, left[:1])
    if left and command == RUN:
        raise late(MISTAKES).words_after_prompt(options.prompt, left, argv)
    if left:
        raise late(MISTAKES).one_word_too_many(of_command.prog, left[0])
    if command == RUN:
        _check_session(options)
    return options


def _check_session(options: argparse.Namespace) -> None:
    """Raises `UserFault` if a prompt stands where the ID of a session belongs."""
    if options.resume and is_text(options.resume):
        raise late(MISTAKES).no_session_given()


def _check_options(of_command: Parser, command: str, left: Sequence[str]) -> None:
    """Raises `UserFault` if an option is left that the command has not."""
    option = next((word for word in left if word.startswith("-") and word != "-" and not is_text(word)), "")
    if not option:
        return
    if not command and any(parser(RUN).options_in(option)):
        raise late(MISTAKES).only_for_run(option)
    raise late(MISTAKES).unknown_option(of_command.prog, option, of_command.shown)
