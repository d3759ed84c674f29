"""The settings of a config file's top level, a row each: help, settings screen, checks, template and schema follow.

It is plain data, since a start has no time for pydantic; `settings` makes what checks a file of it, and has the rows of
the tables inside it.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, get_args

from acp_tui.frozen import Frozen

Notifications = Literal["desktop", "bell", "off"]
STATUS_ITEMS = ("folder", "branch", "context", "cost", "limit", "model")
PROTOCOL_ABOUT = "Protocol version to offer: 1 (default), 2 (draft), or auto, which falls back to 1"
CODE = 31  # characters of an example before its note


class Setting(Frozen):
    """A setting: its type is that of its `default`, and its values are the `choices` where there are few.

    Of a list these are its items; `word` is what a switch may be beside true and false. The template of a new file has
    the `example`, with its note, below the lines `above`. A key sets what is `by_key`, too, and that is kept; a project
    may say what is `from_project`. What is `read_each_time` by its users counts at once, as does what has its function
    in `ui/settings_screen.py`; everything else counts from the next start.
    """

    group: str
    name: str
    default: Any
    about: str
    example: str
    above: str = ""
    choices: tuple[str, ...] = ()
    word: str = ""
    unset: str = "not set"
    by_key: bool = False
    from_project: bool = False
    read_each_time: bool = False

    @property
    def is_table(self) -> bool:
        return isinstance(self.default, dict)


_screen = partial(Setting, "Screen")
_input = partial(Setting, "Input")
_status = partial(Setting, "Status line")
_snapshots = partial(Setting, "Snapshots")
_agents = partial(Setting, "Agents")

_ROWS = (
    _screen(
        "theme",
        "",
        "Colour theme: acp-dark, acp-light or another from /theme",
        '"acp-light"  # acp-dark, acp-light, or any other theme that /theme lists',
        above="\n",
        unset="automatic",
        by_key=True,
        from_project=True,
    ),
    _screen(
        "sidebar",
        False,
        "Open the sidebar in every session, on wide screens",
        "true  # open in every session, on wide screens",
        by_key=True,
    ),
    _screen(
        "details",
        False,
        "Expand the details of tool calls and thoughts",
        "true  # details of tool calls and thoughts expanded",
        by_key=True,
    ),
    _screen(
        "width",
        "limited",
        "Width of the conversation on wide screens: limited (132 columns) or full",
        '"full"  # use the full width of wide screens',
        choices=("limited", "full"),
    ),
    _screen(
        "notifications",
        "desktop",
        "Notifications while the terminal is not focused: desktop, bell or off",
        '"desktop"  # or "bell", or "off"',
        above="\n# Notifications while the terminal is not focused: the agent has finished, or asks something.\n",
        choices=get_args(Notifications),
    ),
    _screen(
        "scroll_by_terminal",
        True,
        "Let the terminal move rows that scroll; false: paint them again",
        "false  # paint rows again that scroll, where the terminal moves them wrongly",
        above="\n",
    ),
    _input(
        "mouse",
        True,
        "Use the mouse; false: the terminal selects text",
        "false  # leave the mouse to the terminal",
        above="\n",
        by_key=True,
    ),
    _input(
        "copy_on_select",
        True,
        "Copy on select with the mouse; false: only Ctrl+C copies",
        "false  # copy what is selected with Ctrl+C only",
        read_each_time=True,
    ),
    _input(
        "editing",
        "default",
        "Keys in the prompt: default or vim",
        '"vim"  # vim keys in the prompt',
        choices=("default", "vim"),
        by_key=True,
        read_each_time=True,
    ),
    _input(
        "suggestions",
        True,
        "Show the agent's prompt suggestions in the empty prompt; Tab accepts one",
        "false  # no prompt suggestions from the agent",
        read_each_time=True,
    ),
    _input(
        "keys",
        {},
        "Keys by command id (ids: acp-tui config --print)",
        '[keys]\npick_model = ["alt+m", "f2"]\ntoggle_plan = "ctrl+l"\nleader = "ctrl+x"',
        above='\n# Keys by command id (listed by acp-tui config --print). With the leader: "ctrl+x m".\n',
    ),
    _status(
        "status_line",
        (),
        f"Items of the status line, in order: {', '.join(STATUS_ITEMS)}",
        str([*STATUS_ITEMS]).replace("'", '"'),
        above="\n# The status line: what it shows, in this order, and a command whose output it shows (JSON on standard"
        " input, 1 s).\n",
        choices=STATUS_ITEMS,
    ),
    _status(
        "status_command",
        (),
        "Command for the status line: JSON on standard input, one line of output, 1 s at most",
        '["my-status", "--short"]',
    ),
    _snapshots(
        "snapshots",
        True,
        'Keep files before and after each turn, to see and undo changes; "everywhere": in the home folder, too',
        'false  # or "everywhere": in the home folder, too',
        above="\n# Snapshots of files before and after each turn, in the state folder, so that changes can be seen and"
        " undone.\n",
        word="everywhere",
    ),
    _snapshots(
        "snapshot_store_mb",
        4096,
        "Most that all snapshots may take on disk, in MB; the oldest go",
        "4096  # at most, all together on disk; the oldest go",
    ),
    _snapshots(
        "snapshot_days", 30, "Days after which the snapshots of a session go", "30  # after which those of a session go"
    ),
    _agents(
        "default_agent",
        "",
        "Agent to start by default",
        '"opencode"  # started by acp-tui alone; acp-tui --agent shows the list',
        above="\n",
        from_project=True,
    ),
    _agents(
        "append_system_prompt",
        "",
        "Text added to every agent's system prompt, if supported",
        '"Answer in one sentence."   # added to every agent\'s system prompt, if supported',
    ),
    _agents(
        "system_prompt",
        "",
        "Text in place of every agent's system prompt, if supported",
        '"You review code."                 # in place of every agent\'s, if supported',
    ),
    _agents(
        "registry",
        "",
        'Registry of more agents: "official", a path or an https address',
        '"official"',
        above="\n# More agents to choose from and install: the public ACP registry, or another one by its path or https"
        " address.\n",
    ),
    _agents(
        "agents",
        {},
        "Your own agents, and settings of known ones",
        "[agents.mine]",
        above="\n# Relative paths are relative to the folder of this file.\n",
    ),
    _agents(
        "folders",
        {},
        "What applies in one folder and below, by its path",
        '[folders."~/code/app"]',
        above="\n# What applies in one folder and all below it, whichever agent works there; of several the longest"
        " path counts.\n",
    ),
)

SETTINGS: Mapping[str, Setting] = {row.name: row for row in _ROWS}
"""The settings of the top level by name, in the order in which they are shown."""


def example_line(name: str, example: str) -> str:
    """A setting as the template of a config file has it, without the `#` before it; short ones have a note in line."""
    code, sign, note = f"{name} = {example}".partition("  # ")
    return f"{code:<{CODE}}{sign}{note}" if sign else code
