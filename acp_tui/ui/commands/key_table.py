"""The table of keys for users: help, palette and README show the same."""

from acp_tui.ui.commands.command import LEADER, Command
from acp_tui.ui.commands.keys import spell, spell_out
from acp_tui.ui.commands.registry import BY_ID, COMMANDS


def key_words(command: Command) -> str:
    """All ways to a command by keys: `Alt+P, F2, Ctrl+X p`."""
    return ", ".join(map(spell_out, command.ways))


def key_table() -> list[tuple[str, str, str]]:
    """Group, keys and what they do, of every command that has a key; help and README show the same."""
    groups = list(dict.fromkeys(command.group for command in COMMANDS))
    return [
        (command.group, key_words(command), command.tooltip)
        for command in sorted(COMMANDS, key=lambda command: groups.index(command.group))
        if command.in_table and key_words(command)
    ]


def ways_to(command_id: str) -> str:
    """All ways to a command, as a sentence names them: `Alt+A or Ctrl+X a`; the palette where there is no key."""
    return key_words(BY_ID[command_id]).replace(", ", " or ") or f"“{BY_ID[command_id].label}” in the palette"


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
