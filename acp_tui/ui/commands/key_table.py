"""The table of keys for users (help, palette and docs/ show the same), and rebinding by the user's config file.

What a command is given there takes the place of its keys. Its keys after the leader stay, unless one is given
(`ctrl+x m`); with nothing at all, all go. A key of another command goes from that one.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from acp_tui.frozen import Frozen
from acp_tui.host.config.config import Config
from acp_tui.session.text.near_names import nearest_name
from acp_tui.ui.commands.program_commands import DIGITS
from acp_tui.ui.commands.registry import BY_ID, COMMANDS
from acp_tui.ui.kit.theme import is_typed, key_name, spell, spell_out, theme_names
from acp_tui.views.command_index import LEADER, Command, LeaderKey, Scope

FIRST = "First steps"
_NOISE = "super+"  # a key that few terminals send, and never the only one of a command
_ENTERED_BY = {
    "Transcript": "focus_transcript",
    "Queue": "focus_queue",
    "Find": "find",
}  # groups whose keys count in one place only
_NUMBERED = [f"show_session_{number}" for number in range(1, DIGITS + 1)]


class KeyRow(NamedTuple):
    """A row of the table: where the keys count, as users read them (`Alt+P, F2`), and what they do."""

    group: str
    keys: str
    words: str


_ELSEWHERE = (
    KeyRow("Prompt", "@", "Mention a file or folder"),
    KeyRow("Prompt", "/", "Slash commands"),
    KeyRow("Prompt", "!", "Run a shell command"),
    KeyRow("Permission request", "1–9", "Choose an option"),
    KeyRow("Permission request", "y", "Allow once"),
    KeyRow("Permission request", "Y", "Allow always"),
    KeyRow("Permission request", "n", "Reject once"),
    KeyRow("Permission request", "N", "Reject always"),
    KeyRow("Permission request", "p", "Don't ask again: make a rule that answers requests like this"),
    KeyRow("Permission request", "↑ ↓, j k, Ctrl+P Ctrl+N", "Select an option"),
    KeyRow("Permission request", "any other letter", "Reject with a reason"),
    KeyRow("Permission request", "/, !, @, ?", "Same as in the prompt"),
    KeyRow("Permission request", "Tab", "Add a reason"),
    KeyRow("Permission request", "v", "Show it in full screen"),
    KeyRow("Permission request", "s", "Side-by-side or unified diff"),
    KeyRow("Permission request", "Esc", "Answer later"),
    KeyRow("Don't ask again", "Space", "Leave out this part of the command, or include it again"),
    KeyRow("Don't ask again", "← →", "Cover only this exact command, or other arguments too"),
    KeyRow("Don't ask again", "s", "Apply the rule in this session, in this project, or everywhere"),
    KeyRow("Don't ask again", "n", "Reject such requests instead of allowing them, or the reverse"),
    KeyRow("Don't ask again", "v", "List the earlier requests that the rule would have answered"),
    KeyRow("Don't ask again", "Enter", "Save the rule and answer this request"),
    KeyRow("Permissions", "Space", "Turn a rule off or on"),
    KeyRow("Permissions", "Del, u", "Delete a rule, or restore it"),
    KeyRow("Permissions", "e", "Edit the rules file in $EDITOR"),
    KeyRow("Find", "Enter, n", "Next match"),
    KeyRow("Find", "N", "Previous match"),
    KeyRow("Find", "/", "Edit the search text"),
    KeyRow("Find", "y, Y", "Copy the block, or its code"),
    KeyRow("Full-screen diff", "], [", "Next or previous hunk"),
    KeyRow("Full-screen diff", "s", "Side-by-side or unified diff"),
    KeyRow("Full-screen diff", "c, d", "Comment on the line, or delete the comment"),
    KeyRow("Full-screen diff", "m, M", "Mark the hunk or the file as read"),
    KeyRow("Changes", "1, 2, 3", "Show the whole session, the last turn, or uncommitted changes"),
    KeyRow("Changes", "←, →", "Previous or next turn"),
    KeyRow("Changes", "Enter, Tab, Esc", "Switch between the files and the diff"),
    KeyRow("Changes", "], [, n, N", "Next or previous hunk, across files"),
    KeyRow("Changes", "s", "Side-by-side or unified diff"),
    KeyRow("Changes", "Shift+↑, Shift+↓, V", "Select lines in the diff"),
    KeyRow("Changes", "u, h, U", "Undo the file, the hunk, or everything"),
    KeyRow("Changes", "c, d", "Comment on lines, or delete the comment"),
    KeyRow("Changes", "C", "Review the comments and send them"),
    KeyRow("Changes", "m, M", "Mark the hunk or the file as read"),
    KeyRow("Changes", "/, Ctrl+F", "Filter the files"),
    KeyRow("Changes", "t", "Show the tool call behind this change"),
    KeyRow("Changes", "e", "Open the file in $EDITOR"),
    KeyRow("Changes", "y, Y", "Copy the path, or the diff as a patch"),
    KeyRow("Changes", "i", "Show all notes, such as skipped files"),
    KeyRow("List of sessions", "Tab", "Cycle through this folder, all folders, and the agent's archive"),
    KeyRow("List of sessions", "Ctrl+G", "Show only sessions with this agent, or sessions with any agent"),
    KeyRow("List of sessions", "Ctrl+O", "Show or hide sessions started with acp-tui run"),
    KeyRow("List of sessions", "Del", "Delete the session"),
    KeyRow("List of sessions", "F2, Ctrl+T", "Rename the session"),
    KeyRow("List of sessions", "Ctrl+A", "Archive or unarchive the session"),
    KeyRow("List of sessions", "Ctrl+K", "Fork the session"),
    KeyRow("List of sessions", "Ctrl+F", "Search all sessions"),
    KeyRow("List of sessions", "Ctrl+E", "Export the session as Markdown"),
    KeyRow("List of sessions", "F5", "Reload the list"),
    KeyRow("Form", "Tab, Shift+Tab", "Next or previous field"),
    KeyRow("Form", "Space", "Select"),
    KeyRow("Form", "Ctrl+R", "Review before sending"),
    KeyRow("Form", "Esc", "Answer later"),
    KeyRow("Mouse", "Drag", "Select and copy text"),
    KeyRow("Mouse", "Click", "Expand a block or the plan"),
    KeyRow("Mouse", "Click below the prompt", "Change an option"),
    KeyRow("Mouse", "Click a key in the footer", "Same as pressing the key shown"),
    KeyRow("Mouse", "Click at the top", "Switch or list sessions"),
    KeyRow("Mouse", 'Click "more below"', "Follow new output"),
)

_FURTHER: Mapping[str, Sequence[tuple[int, str]]] = {
    "submit": [(1, "On an empty prompt: send the queue now, or open the question")],
    "cancel": [(2, "Clear the prompt, or edit an earlier message")],
    "interrupt": [(2, "Quit")],
    "take_suggestion": [(1, "While editing an earlier message: continue in a new tab or in this one")],
    "focus_transcript": [(1, "In a subagent: back to its parent")],
    "to_start": [(1, "On an empty prompt: top of the transcript")],
    "to_end": [(1, "On an empty prompt: end of the transcript")],
    "edit_message": [(1, "On other blocks: expand or collapse")],
    "hand_over": [(1, "Press again before sending: add tool output")],
    "end_of_input": [(1, "On an empty prompt: quit")],
}
"""What else the first key of a command does: how often it is pressed for that, and the words."""

_JOINED = {
    "focus_transcript": ("open_subagent", "blocks, subagents"),
    "previous_session": ("next_session", "previous, next"),
}
"""Commands that are one row of the leader's menu with another one."""


class Step(NamedTuple):
    """What a beginner needs: what it is, by which commands it is done, or by which signs that are no command."""

    words: str
    commands: Sequence[str] = ()
    keys: str = ""


FIRST_STEPS = (
    Step("Send the prompt", ["submit"]),
    Step("New line", ["new_line"]),
    Step("Commands, files, shell", keys="/  @  !"),
    Step("Cancel the agent's turn", ["cancel"]),
    Step("Copy, or clear the prompt (twice: quit)", ["interrupt"]),
    Step("Permission: choose, allow, reject", keys="1–9, y, n"),
    Step("Change the mode", ["next_mode"]),
    Step("Change the model", ["pick_model"]),
    Step("Scroll", ["page_up", "page_down"]),
    Step("Expand tool calls and thinking", ["toggle_details"]),
    Step("Command palette", ["palette"]),
    Step("Sessions: resume or switch", ["browse_sessions"]),
    Step("This help", ["question_mark", "help"]),
    Step("Quit", ["quit"]),
)


def key_words(command: Command) -> str:
    """The ways to a command by keys, as users read them: `Alt+P, F2, Ctrl+X m`."""
    ways = _told(command.ways)
    if _stands_for_all(command):
        ways = [*ways[:-1], f"{spell_out(LEADER.key)} {leader_key(command)}"]
    return ", ".join(ways)


def leader_key(command: Command) -> str:
    return f"1–{DIGITS}" if _stands_for_all(command) else spell(command.leaders[0])


class LeaderRow(NamedTuple):
    """A row of the leader's menu: the second key, what it does in a few words, and the command that a click runs."""

    key: str
    words: str
    command_id: str


def leader_table() -> dict[str, list[LeaderRow]]:
    """What may follow the leader, by the groups of the help."""
    table: dict[str, list[LeaderRow]] = {}
    joined = {id_: other for id_, other in _JOINED.items() if BY_ID[id_].leader and BY_ID[other[0]].leader}
    rows_of_others = {id_ for id_, _ in joined.values()}
    for command in COMMANDS:
        if command.leader and command.in_table and command.id not in rows_of_others:
            key, words = leader_key(command), command.short or command.label[0].lower() + command.label[1:]
            if command.id in joined:
                other, words = joined[command.id]
                key = f"{key} {leader_key(BY_ID[other])}"
            id_ = "switch_session" if _stands_for_all(command) else command.id
            table.setdefault(command.group, []).append(LeaderRow(key, words, id_))
    return table


def _told(ways: Sequence[str]) -> list[str]:
    return list(map(spell_out, _usual(ways)))


def _usual(ways: Sequence[str]) -> Sequence[str]:
    return [way for way in ways if not way.startswith(_NOISE)] or ways


def _stands_for_all(command: Command) -> bool:
    """Whether this is the first of the sessions that have a number, and all have their own."""
    numbered = all(BY_ID[each].leader == each[-1] for each in _NUMBERED)
    return command.id == _NUMBERED[0] and numbered and bool(LEADER.key)


def key_table() -> list[KeyRow]:
    """Every command that has a key, and what else keys do, group by group; help and docs/ show the same."""
    rows = [*(row for each in COMMANDS if each.in_table for row in _rows(each)), *_ELSEWHERE]
    groups = list(dict.fromkeys(row.group for row in rows))
    return [
        row._replace(group=_heading(row.group))
        for row in sorted(rows, key=lambda row: groups.index(row.group))
        if row.keys
    ]


def _rows(command: Command) -> Iterator[KeyRow]:
    yield KeyRow(command.group, key_words(command), command.tooltip)
    for presses, words in _FURTHER.get(command.id, ()):
        yield KeyRow(command.group, " ".join(_told(command.ways)[:1] * presses), words)


def _heading(group: str) -> str:
    way = BY_ID[_ENTERED_BY[group]].ways[:1] if group in _ENTERED_BY else []
    return " ".join([group, *(f"({spell_out(key)})" for key in way)])


def beginner_table() -> list[KeyRow]:
    """The few keys that somebody needs at first, with one or two ways to each."""
    rows = [KeyRow(FIRST, step.keys or _short_ways(step.commands), step.words) for step in FIRST_STEPS]
    return [row for row in rows if row.keys]


def _short_ways(commands: Sequence[str]) -> str:
    ways = [_told(BY_ID[each].keys or BY_ID[each].ways) for each in commands]
    return ", ".join(way for each in ways for way in each[: 2 if len(ways) == 1 else 1])


def ways_to(command_id: str) -> str:
    """All ways to a command, as a sentence names them: `alt+a or ^X w`; the palette where there is none."""
    return " or ".join(map(spell, _usual(BY_ID[command_id].ways))) or f'"{BY_ID[command_id].label}" in the palette'


def first_way(command_id: str) -> str:
    """The shortest way to a command, as hints write it: `alt+a`."""
    ways = BY_ID[command_id].ways
    return spell(ways[0]) if ways else "palette"


def key_lines() -> list[str]:
    """Every command as a line of the table `[keys]` of a config file would give it its keys."""
    lines = [f'leader = "{LEADER.key}"  # before a second key']
    for command in COMMANDS:
        quoted = ", ".join(f'"{way}"' for way in command.ways)
        lines.append(f"{command.id} = [{quoted}]  # {command.tooltip}")
    return lines


LEADER_ID = "leader"
_LISTS = ("transcript", "queue")  # where nothing can be written, so that letters are keys
_OWN = {command.id: (command.keys, command.leader) for command in COMMANDS}  # before any config file
_TYPES_ANYWAY = frozenset(("question_mark",))  # runs where nothing is written, and else writes itself


class KeyProblem(Frozen):
    """Something wrong with a line of the config file: the id that it is about, and what is said about it."""

    id: str
    message: str


def rebind(given: Mapping[str, Sequence[str]]) -> list[KeyProblem]:
    """Give commands (by id) the keys of a config file, all others their own; report what cannot be."""
    problems: list[KeyProblem] = []
    for command in COMMANDS:
        command.keys, command.leader = _OWN[command.id]
    LEADER.key = _leader(given, problems)
    wishes = {BY_ID[id_]: _ways(BY_ID[id_], words, problems) for id_, words in given.items() if id_ in BY_ID}
    problems += [_unknown(id_) for id_ in given if id_ not in BY_ID and id_ != LEADER_ID]
    granted: dict[Command, list[str]] = {}
    for command, ways in wishes.items():
        if ways or not given[command.id]:  # if nothing of it can be used: better the keys that are known than none
            problems += _without_conflicts(command, ways, granted)
            granted[command] = ways
    for command, ways in granted.items():
        command.keys = tuple(way for way in ways if " " not in way)
        seconds = [way.partition(" ")[2] for way in ways if " " in way]
        if seconds or not given[command.id]:
            command.leader = " ".join(seconds)
    problems += _displace(granted)
    return problems


def config_problems(config: Config) -> list[str]:
    """Give the commands the keys of the config file; what is wrong with it, none of which keeps the screen away."""
    problems = [f"{config.place('keys', problem.id)}: {problem.message}" for problem in rebind(config.keys)]
    if config.theme and config.theme not in theme_names():
        near = nearest_name(config.theme, theme_names())
        meant = f" Did you mean {near}?" if near else ""
        problems.append(f"{config.place('theme')}: unknown theme {config.theme!r}.{meant}")
    return [*config.warnings, *problems]


def key_settings(config: Config) -> list[str]:
    """Lines for `acp-tui config --print`: what is wrong with keys and theme, and the keys of all commands."""
    problems = config_problems(config)[len(config.warnings) :]
    return [*(f"# {problem}" for problem in problems), "[keys]", *key_lines()]


def _leader(given: Mapping[str, Sequence[str]], problems: list[KeyProblem]) -> str:
    words = given.get(LEADER_ID, [LeaderKey.key])
    if not words:
        return ""
    try:
        if len(words) > 1:
            raise ValueError("only one leader key is possible")
        name = key_name(words[0])
        if is_typed(name):
            raise ValueError(_untypable(words[0]))
    except ValueError as error:
        problems.append(KeyProblem(LEADER_ID, str(error)))
        return LeaderKey.key
    return name


def _ways(command: Command, words: Sequence[str], problems: list[KeyProblem]) -> list[str]:
    ways: list[str] = []
    for word in words:
        try:
            way = _way(command, word)
        except ValueError as error:
            problems.append(KeyProblem(command.id, str(error)))
            continue
        if way not in ways:
            ways.append(way)
    return ways


def _way(command: Command, word: str) -> str:
    first, blank, second = word.strip().partition(" ")
    name = key_name(first)
    if blank:
        if name != LEADER.key:
            raise ValueError(f"{word!r}: only the leader ({spell_out(LEADER.key)}) can be followed by a second key")
        return f"{name} {key_name(second)}"
    if name == LEADER.key:
        raise ValueError(f"{word} is the leader key: add a second key")
    if command.scope not in _LISTS and is_typed(name) and command.id not in _TYPES_ANYWAY:
        raise ValueError(_untypable(word))
    return name


def _untypable(word: str) -> str:
    return f"{word!r} would no longer type a character: add ctrl or alt, or use an F-key"


def _unknown(id_: str) -> KeyProblem:
    near = nearest_name(id_, [*BY_ID, LEADER_ID])
    return KeyProblem(id_, "unknown command." + (f" Did you mean {near}?" if near else ""))


def _without_conflicts(
    command: Command, ways: list[str], granted: Mapping[Command, Sequence[str]]
) -> Iterator[KeyProblem]:
    for other, theirs in granted.items():
        for way in [way for way in ways if way in theirs and _meet(way, command.scope, other.scope)]:
            ways.remove(way)
            yield KeyProblem(command.id, f"{spell_out(way)} is already assigned to {other.id}")


def _displace(granted: Mapping[Command, Sequence[str]]) -> Iterator[KeyProblem]:
    takers: list[tuple[str, Scope, str]] = [(LEADER_ID, "everywhere", LEADER.key)]
    takers += [(command.id, command.scope, way) for command, ways in granted.items() for way in ways]
    for id_, scope, way in takers:
        for other in COMMANDS:
            if way in other.ways and way not in granted.get(other, ()) and _meet(way, scope, other.scope):
                other.keys = tuple(key for key in other.keys if key != way)
                other.leader = " ".join(second for second in other.leaders if f"{LEADER.key} {second}" != way)
                yield KeyProblem(id_, f"{spell_out(way)} taken from {other.id}")


def _meet(way: str, one: Scope, other: Scope) -> bool:
    return " " in way or one == other or "everywhere" in (one, other)
