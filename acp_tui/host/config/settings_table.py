"""The settings of a config file's top level, a row each: help, settings screen, checks, template and schema follow.

It is plain data, since a start has no time for pydantic; `settings` makes what checks a file of it, and has the rows of
the tables inside it.
"""

from collections.abc import Mapping
from dataclasses import field
from functools import partial
from typing import Any, Literal, get_args

from acp_tui.frozen import Frozen

Notifications = Literal["desktop", "bell", "off"]
STATUS_ITEMS = ("folder", "branch", "context", "cost", "limit", "model")
PROTOCOL_ABOUT = "Protocol version to offer: 1 (default), 2 (draft), or auto, which falls back to 1"
CODE = 31  # characters of an example before its note


class Setting(Frozen):
    """A setting: its type is that of its `default`, and its values are the `choices` where there are few.

    Of a list these are its items; `word` is what a switch may be beside true and false. The settings screen has its
    `label` (of its name without one), its values by the `labels` that they have there, `unset` for none, and those
    `under` a heading of their own once that is expanded. The template of a new file has the `example`, with its note,
    below the lines `above`. A key sets what is `by_key`, too, and that is saved; a project may set what is
    `from_project`. What is `read_each_time` by its users applies at once, as does what has its function in
    `ui/settings_screen.py`; everything else applies from the next start.
    """

    group: str
    name: str
    default: Any
    about: str
    example: str
    above: str = ""
    choices: tuple[str, ...] = ()
    word: str = ""
    label: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    under: str = ""
    unset: str = "none"
    by_key: bool = False
    from_project: bool = False
    read_each_time: bool = False

    @property
    def is_table(self) -> bool:
        return isinstance(self.default, dict)

    @property
    def title(self) -> str:
        """The setting in plain words, which are never its name in the file."""
        return self.label or self.name.replace("_", " ").capitalize()


_screen = partial(Setting, "Screen")
_input = partial(Setting, "Input")
_status = partial(Setting, "Status line")
_snapshots = partial(Setting, "Snapshots")
_limits = partial(Setting, "Limits")
_agents = partial(Setting, "Agents")

_ROWS = (
    _screen(
        "theme",
        "",
        "Color theme: acp-dark, acp-light or another from /theme",
        '"acp-light"  # acp-dark, acp-light or another from /theme',
        above="\n",
        labels={"acp-dark": "Dark (acp-dark)", "acp-light": "Light (acp-light)"},
        unset="automatic",
        by_key=True,
        from_project=True,
    ),
    _screen(
        "sidebar",
        False,
        "Open the sidebar beside the conversation (not set: on screens of 170 columns or more)",
        "true  # also on screens with fewer than 170 columns; false: never",
        unset="automatic",
        by_key=True,
    ),
    _screen(
        "details",
        False,
        "Expand tool calls and thinking",
        "true  # expand tool calls and thinking",
        label="Expand details",
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
        above="\n# Notify when the agent finishes or asks a question while the terminal is not focused.\n",
        choices=get_args(Notifications),
    ),
    _screen(
        "scroll_by_terminal",
        True,
        "Use the terminal's own scrolling (off: repaint the rows)",
        "false  # repaint rows if scrolling garbles them",
        above="\n",
        label="Scroll with the terminal",
    ),
    _input(
        "mouse",
        True,
        "Mouse support (off: the terminal selects text)",
        "false  # leave the mouse to the terminal",
        above="\n",
        by_key=True,
    ),
    _input(
        "copy_on_select",
        True,
        "Copy text as you select it with the mouse (off: Ctrl+C copies)",
        "false  # copy the selection only with Ctrl+C",
        read_each_time=True,
    ),
    _input(
        "editing",
        "default",
        "Keys in the prompt: default or vim",
        '"vim"  # vim keys in the prompt',
        choices=("default", "vim"),
        label="Editing keys",
        labels={"vim": "Vim"},
        by_key=True,
        read_each_time=True,
    ),
    _input(
        "suggestions",
        True,
        "Show the agent's suggestions in the empty prompt (Tab accepts one)",
        "false  # no prompt suggestions from the agent",
        label="Prompt suggestions",
        read_each_time=True,
    ),
    _input(
        "keys",
        {},
        "Key bindings by command ID (acp-tui config --print lists the IDs)",
        '[keys]\npick_model = ["alt+m", "f2"]\ntoggle_plan = "ctrl+l"\nleader = "ctrl+x"',
        above='\n# Key bindings by command ID (listed by acp-tui config --print). Include the leader: "ctrl+x m".\n',
        label="Key bindings",
        unset="default",
    ),
    _status(
        "status_line",
        (),
        f"Status line items, in order: {', '.join(STATUS_ITEMS)}",
        str([*STATUS_ITEMS]).replace("'", '"'),
        above="\n# The status line: the items to show, in order, and a command whose output is added"
        " (it gets JSON on stdin; 1 s timeout).\n",
        choices=STATUS_ITEMS,
        label="Status line items",
    ),
    _status(
        "status_command",
        (),
        "Command whose first line of output is shown (it gets JSON on stdin; 1 s timeout)",
        '["my-status", "--short"]',
        label="Status line command",
    ),
    _snapshots(
        "snapshots",
        True,
        "Save files before and after each turn so changes can be reviewed and undone"
        ' ("everywhere": in the home folder too)',
        'false  # or "everywhere": in the home folder too',
        above="\n# Save files before and after each turn so that changes can be reviewed and undone.\n",
        word="everywhere",
        labels={"everywhere": "on, in the home folder too"},
    ),
    _snapshots(
        "snapshot_store_mb",
        4096,
        "Maximum disk space for snapshots, in MB (the oldest are deleted first)",
        "4096  # maximum disk space in MB; the oldest are deleted first",
        label="Disk space (MB)",
        under="Snapshot limits",
    ),
    _snapshots(
        "snapshot_days",
        30,
        "Days to keep a session's snapshots",
        "30  # days to keep a session's snapshots",
        label="Days to keep",
        under="Snapshot limits",
    ),
    _limits(
        "limits",
        {},
        "Cost, minutes and context use at which the queue stops and acp-tui asks what to do",
        "[limits]",
        above="\n# Limits at which the queue stops and acp-tui asks whether to continue.\n",
    ),
    _agents(
        "default_agent",
        "",
        "Agent to start by default",
        '"opencode"  # started by acp-tui without arguments; acp-tui --agent shows the list',
        above="\n",
        unset="ask",
        from_project=True,
    ),
    _agents(
        "append_system_prompt",
        "",
        "Text added to every agent's system prompt, if supported",
        '"Answer in one sentence."   # added to every agent\'s system prompt, if supported',
        label="Appended system prompt",
    ),
    _agents(
        "system_prompt",
        "",
        "Text that replaces every agent's system prompt, if supported",
        '"You review code."                 # replaces every agent\'s, if supported',
        unset="the agent's own",
    ),
    _agents(
        "registry",
        "",
        'Registry with more agents: "official", a path or an HTTPS URL',
        '"official"',
        above="\n# A registry with more agents to install: the public ACP registry, or another one, given as a path or"
        " HTTPS URL.\n",
        label="Agent registry",
    ),
    _agents(
        "presets",
        {},
        "Options to set together: /preset or --preset NAME",
        '[presets.plan]\nmode = "plan"\nmodel = "*opus*"                # a name or ID; * and ? match any characters\n'
        'thinking = "high"',
        above="\n# Options to set together, by category or option ID: /preset plan, or --preset plan.\n",
        read_each_time=True,
    ),
    _agents(
        "agents",
        {},
        "Your own agents, and settings for known ones",
        "[agents.mine]",
        above="\n# Relative paths are resolved from this file's folder.\n",
        label="Your agents",
    ),
    _agents(
        "folders",
        {},
        "Settings for a folder and everything below it, by path",
        '[folders."~/code/app"]',
        above="\n# Settings for one folder and everything below it, for any agent. The longest matching path wins.\n",
        label="Settings by folder",
    ),
)

SETTINGS: Mapping[str, Setting] = {row.name: row for row in _ROWS}
"""The settings of the top level by name, in the order in which they are shown."""


def example_line(name: str, example: str) -> str:
    """A setting as the template of a config file has it, without the `#` before it; short ones have a note in line."""
    code, sign, note = f"{name} = {example}".partition("  # ")
    return f"{code:<{CODE}}{sign}{note}" if sign else code
