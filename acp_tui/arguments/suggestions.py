"""Suggestions for a command line: `acp-tui completion` while it is written, and what was meant by a wrong one."""

import argparse
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from shutil import which
from typing import Literal

from acp_tui.arguments.help_texts import COMMANDS
from acp_tui.arguments.parsers import Parser, parser
from acp_tui.arguments.value_readers import WordReader
from acp_tui.console import write_output
from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS, known_by_argv, known_by_name
from acp_tui.host.system.paths import real_path, written_path
from acp_tui.safe_text import named
from acp_tui.session.text.near_names import near_names
from acp_tui.startup import late

_LISTED = ("--agent", "-r", "--resume")  # options that show a list where no value comes after them
_NAMED = frozenset(("--agent", "--demo", "-c", "--continue"))  # options that say which agent is meant
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
Start one by name, or by its command after two dashes:
  acp-tui{name}
  acp-tui{run} -- opencode acp
Or use the built-in demo agent:
  acp-tui{run} --demo
List agents with: acp-tui agents"""


def no_agent(command: str) -> UserFault:
    """Nothing says which agent is to be started; with `run` there is a prompt too."""
    run, name = (' run "PROMPT"', ' run --agent opencode "PROMPT"') if command == "run" else ("", " opencode")
    return UserFault("No agent given", _HOW_TO_START.format(run=run, name=name))


def near_command(word: str) -> str:
    """The command of ours that a word is a slip for, if there is one."""
    return next(iter(near_names(word, COMMANDS)), "")


def unknown_word(
    before: Sequence[str], words: Sequence[str], argv: Sequence[str], own_agents: Iterable[str]
) -> UserFault:
    """The first plain word is neither a command nor an agent's name; `before` are our own options before it."""
    first, *rest = words
    return UserFault(
        f"Unknown command or agent: {named(first)}", hint=_likeliest(before, first, rest, argv, own_agents)
    )


def _likeliest(
    before: Sequence[str], first: str, rest: Sequence[str], argv: Sequence[str], own_agents: Iterable[str]
) -> str:
    alone = not rest and not argv
    if alone and first in _ELSEWHERE:
        return _meant(*before, *_ELSEWHERE[first])
    names = [*COMMANDS, *(name for known in KNOWN_AGENTS for name in known.names), *own_agents]
    if near := near_names(first, names):
        return _meant(*before, near[0], *rest, *(["--", *argv] if argv else []))
    if alone and Path(first).is_dir():
        return _meant(*before, "-C", first)
    if which(first) is not None or argv or (rest and rest[0].startswith("-")):
        return _meant(*before, "--", first, *rest, *argv)
    start = f"To start an agent: {_line(*before, '--', first, *rest)}"
    return f"See: acp-tui --help\n{start}" if alone else f"{_quoted(before, [first, *rest])}\n{start}"


def several_agents() -> UserFault:
    return UserFault("Use only one of NAME, --agent NAME, --demo and -- COMMAND")


def unquoted(words: Sequence[str], prompt: Sequence[str], argv: Sequence[str]) -> UserFault:
    """A prompt without quotes, of which the shell made several of these words; `argv` is what the dashes have."""
    ours = list(words)
    for word in reversed(prompt):
        del ours[len(ours) - 1 - ours[::-1].index(word)]
    return UserFault(_quoted(ours, prompt) + (f" {named(shlex.join(['--', *argv]))}" if argv else ""))


def _quoted(ours: Sequence[str], prompt: Sequence[str]) -> str:
    return f"Put the prompt in quotes: {_line(*ours)} {_in_quotes(' '.join(prompt))}"


def _in_quotes(prompt: str) -> str:
    """As one types it; in single quotes if the shell would read something in double ones."""
    return named(shlex.quote(prompt) if set('"$`\\!') & set(prompt) else f'"{prompt}"')


def no_prompt_there(options: argparse.Namespace, prompt: str) -> UserFault:
    """A prompt of the command line that is not sent: it is empty, or the user chooses or reviews something first."""
    if not prompt.strip():
        return UserFault("The prompt is empty", hint="Start without one: acp-tui")
    if options.hand_over is not None:
        return UserFault("--hand-over takes no prompt", hint="Add it to the draft that you review before it is sent.")
    return no_session_given()


def no_session_given() -> UserFault:
    return UserFault(
        "--resume needs the ID of a session before a prompt", hint="For the last session: acp-tui --continue"
    )


def unknown_option(prog: str, word: str, options: Sequence[str]) -> UserFault:
    name = word.partition("=")[0]
    if name in _GONE.get(prog, ()):
        return UserFault(f"{name} no longer exists: a trace is shown as it ended", hint=f"See: {prog} --help")
    near = near_names(name, options)
    hint = f"Did you mean: {near[0]}" if near else "The agent's own options go after two dashes, with its command."
    return UserFault(f"Unknown option: {named(word)}", hint=f"{hint}\nSee: {prog} --help")


def only_for_run(word: str) -> UserFault:
    return UserFault(f"{named(word)} only works without the TUI", hint='Use it with: acp-tui -p "PROMPT"')


def words_after_prompt(prompt: str, words: Sequence[str], argv: Sequence[str]) -> UserFault:
    """More than a prompt: an agent's command without its dashes, or a prompt without quotes."""
    if not argv and len(words) > 1 and known_by_argv([prompt]) is not None:
        *command, prompt = prompt, *words
        return UserFault("The agent's command goes after two dashes", hint=_meant("run", prompt, "--", *command))
    if not argv and known_by_name(prompt) is not None:
        return UserFault("A run takes the agent as an option", hint=_meant("run", "--agent", prompt, " ".join(words)))
    if not argv and len(words) == 1 and known_by_name(words[0]) is not None:
        return UserFault("A run takes the agent as an option", hint=_meant("run", "--agent", words[0], prompt))
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


def no_screen(ours: Sequence[str], argv: Sequence[str], prompt: str = "") -> UserFault:
    """There is no terminal; the same start is written as a run, where nobody can choose from a list."""
    rest = [word for at, word in enumerate(ours) if word not in _LISTED or ours[at + 1 : at + 2] != []]
    own = f"{shlex.join(rest)} " if rest else ""
    agent = ["--", *argv] if argv else [] if _NAMED.intersection(rest) else ["--", "AGENT"]
    line = f"acp-tui run {own}{_in_quotes(prompt or 'PROMPT')} {shlex.join(agent)}".rstrip()
    return UserFault("acp-tui needs an interactive terminal", hint=f"In scripts, use: {named(line)}")


def _meant(*words: str) -> str:
    return f"Did you mean: {_line(*words)}"


def _line(*words: str) -> str:
    return named(shlex.join(["acp-tui", *words]))


Kind = Literal["words", "starts", "agents", "sessions", "files", "folders", "command"]
Row = tuple[str, str]  # a word, and what it is

_PLACES: dict[str, Kind] = {"FILE": "files", "FOLDER": "folders"}  # by the name of the value in the help
_LISTS: dict[str, Kind] = {
    "agent": "agents",
    "resume": "sessions",
    "hand_over": "sessions",
    "session": "sessions",
}  # by the option's name
_DASHES: Row = ("--", "then the agent's command")
_BREAKS = ":="  # at which bash begins another word


class CompletionKind(Frozen):
    """A kind of completion: `rows` are its words, as far as they are known here; `starts` are commands and agents.

    `written` is what of a word stands there; `before` the option that stands before it with an equals sign. `folder`
    is the one to work in; empty if it is the current one.
    """

    kind: Kind
    rows: tuple[Row, ...] = ()
    written: str = ""
    before: str = ""
    folder: str = ""


class _Line:
    """The words before the cursor: the command, the options given, and the one that waits for its value."""

    def __init__(self, words: Sequence[str]) -> None:
        self.command, self.plain = "", 0
        self.given: list[argparse.Action] = []
        self.values: dict[str, str] = {}
        self.waiting: argparse.Action | None = None
        main, run = parser(""), parser("run")
        for word in words:
            if word.startswith("-") and word != "-":
                known = [parser(self.command)] if self.command else [main, run]
                self._option(word, next((found for each in known if (found := [*each.options_in(word)])), []))
            elif self.waiting is not None:
                self.values[self.waiting.dest], self.waiting = word, None
            elif not self.command and not self.plain and word in COMMANDS:
                self.command = word
            else:
                self.plain += 1
        if not self.command and any(action.dest == "printing" for action in self.given):
            self.command = "run"

    def _option(self, word: str, found: Iterable[tuple[argparse.Action, bool]]) -> None:
        self.waiting = None
        for action, takes_next in found:
            self.given.append(action)
            self.waiting = action if takes_next else None
            self.values[action.dest] = word.partition("=")[2]


def wanted(words: Sequence[str]) -> CompletionKind:
    """What can stand in place of the last word, which may be empty; the ones before it are whole."""
    *before, written = words or [""]
    if "--" in before:
        return CompletionKind("command")
    line = _Line(before)
    known = parser(line.command)
    folder = line.values.get("cwd", "")
    name, equals, value = written.partition("=")
    if written.startswith("--") and equals:
        option = next((action for action, _ in known.options_in(name)), None)
        return _values(option, CompletionKind("words", (), value, f"{name}=", folder))
    if written.startswith("-"):
        return CompletionKind("words", tuple(_options(known, line, short=True)), written)
    here = CompletionKind("words", (), written, "", folder)
    if line.waiting is not None:
        return _values(line.waiting, here)
    if not line.command and not line.plain:
        named_by = {action.dest for action in line.given} & {"agent", "demo"}
        return CompletionKind("words" if named_by else "starts", tuple(COMMANDS.items()), written, "", folder)
    found = _values(_by_place(known, line.plain), here)
    return found if found != here else CompletionKind("words", tuple(_options(known, line)), written)


def _options(known: Parser, line: _Line, *, short: bool = False) -> Iterator[Row]:
    """Those that may still be given; `short` spellings too, where the user has begun one."""
    given = {action.dest for action in line.given if not isinstance(action.default, list)}
    rivals = {rival for action in line.given for rival in known.rivals(action.dest)}
    for action in known.arguments:
        if action.dest not in given | rivals:
            spelled = [option for option in action.option_strings if short or option.startswith("--")]
            yield from ((option, action.help or "") for option in spelled)
    if not line.command or line.command == "run":
        yield _DASHES


def _by_place(known: Parser, plain: int) -> argparse.Action | None:
    places = [action for action in known.arguments if not action.option_strings]
    return places[plain] if plain < len(places) else None


def _values(action: argparse.Action | None, where: CompletionKind) -> CompletionKind:
    told = where.written, where.before, where.folder
    if action is None:
        return where
    if isinstance(action.type, WordReader):
        return CompletionKind("words", tuple((word, "") for word in action.type.words), *told)
    kind = _LISTS.get(action.dest) or _PLACES.get(str(action.metavar))
    return where if kind is None else CompletionKind(kind, (), *told)


def words_of(line: str) -> list[str]:
    """The words of a line of bash after the command's own; the last is where the cursor stands, perhaps empty."""
    for ending in ("", "'", '"'):  # a quote may still be open
        try:
            words = shlex.split(line + ending)
        except ValueError:
            continue
        return [*words[1:], ""] if not ending and line[-1:].isspace() else words[1:] or [""]
    return [""]


def answer(shell: str, found: CompletionKind, rows: Iterable[Row]) -> Iterator[str]:
    """Lines for the script of a shell: the kind (words, files, folders, command), then words as that shell wants them.

    bash replaces what comes after the last of its word breaks, and shows no descriptions.
    """
    yield found.kind if found.kind in ("files", "folders", "command") else "words"
    draw: dict[str, Callable[[str, str], str]] = {
        "bash": lambda word, _: word[_broken(found.written) :],
        "zsh": lambda word, told: word.replace(":", "\\:") + (f":{told}" if told else ""),
        "fish": lambda word, told: f"{found.before}{word}\t{told}",
    }
    for word, told in rows:
        if shell != "bash" or word.startswith(found.written):
            yield draw[shell](word, told)


def _broken(written: str) -> int:
    return max(written.rfind(sign) for sign in _BREAKS) + 1


SCRIPTS = Path(__file__).parent / "shells"


def complete(options: argparse.Namespace, words: Sequence[str]) -> int:
    """Print the script, or what can follow the words; the exit code."""
    shell = options.shell
    if not options.complete:
        write_output((SCRIPTS / f"completion.{shell}").read_text(encoding="utf-8").rstrip())
        return 0
    found = wanted(words_of(words[0]) if shell == "bash" and words else words)
    write_output("\n".join(answer(shell, found, _rows(found))))
    return 0


def _rows(found: CompletionKind) -> Sequence[tuple[str, str]]:
    if found.kind not in ("starts", "agents", "sessions"):
        return found.rows
    try:
        folder = real_path(written_path(found.folder or "."))
    except UserFault:  # a line that is still written is no place to say so
        return ()
    kind = "agents" if found.kind == "starts" else found.kind
    return [*found.rows, *late("acp_tui.headless.lists").rows(kind, folder)]
