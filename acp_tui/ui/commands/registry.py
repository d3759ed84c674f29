"""All commands, in the order of the help; found by id, key or category, and by the key after the leader. The rows of
the transcript and the queue stand here.
"""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Protocol

from textual.actions import parse
from textual.binding import Binding

from acp_tui.ui.commands.conversation_commands import CONVERSATION_COMMANDS
from acp_tui.ui.commands.program_commands import PROGRAM_COMMANDS
from acp_tui.ui.kit.theme import spell
from acp_tui.views.command_index import LEADER, Command, Scope

_block = partial(Command, group="Transcript", scope="transcript", in_palette=False)
_entry = partial(_block, of_entry=True)
_queued = partial(Command, group="Queue", scope="queue", in_palette=False)

TRANSCRIPT_COMMANDS = (
    _block("previous_block = screen.transcript.focus_entry('previous')", "Previous block", "up k"),
    _block(
        "next_block = screen.editing.next_block",
        "Next block",
        "down j",
        "Next block (after the last one, the prompt)",
    ),
    _block(
        "previous_user_message = screen.editing.enter_transcript('previous_user')",
        "Your previous message",
        "left_curly_bracket",
        "Your previous message",
        in_palette=True,
    ),
    _block(
        "next_user_message = screen.editing.enter_transcript('next_user')",
        "Your next message",
        "right_curly_bracket",
        "Your next message",
        in_palette=True,
    ),
    _entry(
        "edit_message = enter_entry",
        "Edit your message",
        "enter",
        "Edit your message and continue from it",
    ),
    _entry("unfold_block = unfold_entry", "Expand or collapse", "space", "Expand or collapse the block"),
    _block("retry_prompt = branches.retry", "Retry", "r", "Send the last prompt again, in a branch", in_palette=True),
    _block(
        "retry_with_option = branches.retry_with",
        "Retry with another model or mode",
        "R",
        "Send the last prompt again with another model or mode, in a branch",
        in_palette=True,
    ),
    _entry("full_screen_diff = diffs.show", "Full-screen diff", "v", "Full-screen diff"),
    _entry("open_block = opening.open_entry", "Open content", "o", "Open, save or copy images, audio, files and links"),
    _entry(
        "cancel_subagent = subagents.cancel_entry",
        "Cancel subagent",
        "X",
        "Cancel the selected subagent (if its agent allows it)",
    ),
    _entry(
        "turn_rule = rules.turn_entry",
        "Rule off or on",
        "x",
        "Turn off the rule that answered this, or turn it back on",
        needs="rules",
    ),
    _entry("copy_block = copies.block", "Copy", "y c", "Copy the block"),
    _entry(
        "copy_block_code = copies.code",
        "Copy code",
        "Y C",
        "Copy the block's code or command (repeat for the next one)",
    ),
    _entry(
        "inspect_block = overlays.inspect_entry",
        "Protocol messages",
        "i",
        "Show the block's messages in the protocol inspector",
    ),
    _queued("previous_queued = queue.step(-1)", "Previous queued prompt", "up k", "Previous prompt"),
    _queued(
        "next_queued = queue.step(1)",
        "Next queued prompt",
        "down j",
        "Next prompt (after the last one, the editor)",
    ),
    _queued("edit_queued = queue.edit", "Edit", "enter e", "Edit the prompt without losing its place"),
    _queued("move_queued_up = queue.move(-1)", "Move up", "alt+up K", "Send earlier"),
    _queued("move_queued_down = queue.move(1)", "Move down", "alt+down J", "Send later"),
    _queued(
        "delete_queued = queue.delete",
        "Delete",
        "delete backspace d",
        "Delete from the queue (it stays in the history)",
    ),
)
COMMANDS: tuple[Command, ...] = (*CONVERSATION_COMMANDS, *TRANSCRIPT_COMMANDS, *PROGRAM_COMMANDS)
BY_ID = {command.id: command for command in COMMANDS}
WINNING = frozenset(name for each in COMMANDS for name in each.slash if each.claims(name))  # slash names
OURS = frozenset(name for each in COMMANDS for name in each.slash)  # those that an agent's commands may win over, too
BY_CATEGORY = {command.category: command for command in COMMANDS if command.category}
_PAGES = {"pageup": -1, "pagedown": 1}
_WAYS_OUT = ("cancel", "interrupt")  # their keys end it without a word


def after_leader(key: str) -> Command | None:
    return next((command for command in COMMANDS if key in command.leaders), None)


def in_transcript(key: str, entry: object = None) -> Command | None:
    """What a key does there with the `entry` that is selected; a letter that has nothing to do with it is text."""
    found = next((each for each in COMMANDS if each.scope == "transcript" and key in each.keys), None)
    is_text = found is not None and len(key) == 1 and found.needs and not getattr(entry, found.needs, None)
    return None if is_text else found


def bindings(scope: Scope) -> list[Binding]:
    """Textual's bindings for the commands of one scope, with the keys that they have now."""
    return [
        Binding(
            ",".join(each.keys),
            f"screen.command('{each.id}')",
            each.label,
            show=False,
            tooltip=each.tooltip,
            id=each.id,
        )
        for each in COMMANDS
        if each.scope == scope and each.keys
    ]


def action_of(command: Command, screen: object) -> partial[object]:
    """What a command does on the screen of a conversation: its method, with what its row gives that."""
    place, name, given = parse(command.do)
    path = f"{place}.{name}".removeprefix(".")
    root = "" if path.startswith(("screen.", "app.")) else "parts."
    return partial(attrgetter(root + path.removeprefix("screen."))(screen), *given)


class SecondKeys(Protocol):
    """A menu of second keys."""

    def look(self) -> None:
        """Another key is waited for, or none any more."""

    def turn(self, pages: int) -> None: ...


class LeaderKeys:
    """The leader and the key after it, on one screen: runs commands by their second key, of which there may be `menus`.

    The prompt asks here in the order of what is typed, and the app where something else has the focus, so that the
    second key is never an answer there, whatever took the focus in between.
    """

    def __init__(self, run: Callable[[str], object], say: Callable[[str], object]) -> None:
        self._run, self._say = run, say
        self.waiting = False
        self.menus: list[SecondKeys] = []

    def takes(self, key: str) -> bool:
        """Whether this key is the leader or comes after it, and is nobody else's then."""
        if not self.waiting:
            self._wait(key == LEADER.key)
            return self.waiting
        command = after_leader(key)
        if command is None and key in _PAGES:
            for menu in self.menus:
                menu.turn(_PAGES[key])
            return True
        self.stop()
        if command is not None:
            self._run(command.id)
        elif key != LEADER.key and not any(key in BY_ID[each].keys for each in _WAYS_OUT):
            self._say(f"{spell(f'{LEADER.key} {key}')} is not assigned")
        return True

    def stop(self) -> None:
        """Wait for no second key any more."""
        self._wait(False)

    def _wait(self, waiting: bool) -> None:
        if waiting is not self.waiting:
            self.waiting = waiting
            self.look()

    def look(self) -> None:
        for menu in self.menus:
            menu.look()
