"""The commands of a conversation: prompt and turn, config options, and what is seen of it, in the order of the help."""

from functools import partial

from acp_tui.ui.commands.command import Command

_turn = partial(Command, group="Prompt")
_edit = partial(_turn, scope="prompt", in_palette=False)
_option = partial(Command, group="Mode and model")
_view = partial(Command, group="View")
_block = partial(Command, group="Transcript", scope="transcript", in_palette=False)
_queued = partial(Command, group="Queue", scope="queue", in_palette=False)

CONVERSATION_COMMANDS = (
    _edit(
        "submit", "Send", "Send the prompt (queued while the agent works); empty: interrupt, send the queue", ("enter",)
    ),
    _edit(
        "new_line", "New line", "New line (also \\ then Enter)", ("ctrl+j", "shift+enter", "alt+enter", "ctrl+enter")
    ),
    _turn("cancel", "Cancel turn", "Close pop-up → clear selection → cancel turn", ("escape",)),
    _turn(
        "interrupt",
        "Copy, clear or cancel",
        "Copy selection → clear prompt → cancel turn; press twice to quit",
        ("ctrl+c", "super+c"),
        in_palette=False,
    ),
    _edit("older_prompt", "Previous prompt", "Previous prompt (from the first line)", ("up",)),
    _edit("newer_prompt", "Next prompt", "Next prompt (from the last line)", ("down",)),
    _turn("search_history", "Search prompt history", "Search prompt history", ("ctrl+r",)),
    _turn(
        "pick_earlier",
        "Edit an earlier message",
        "Edit and resend one of your messages (also Esc Esc on an empty prompt)",
        leader="h",
    ),
    _turn("edit_externally", "Edit prompt in $EDITOR", "Edit the prompt in $VISUAL/$EDITOR", ("ctrl+g",), leader="g"),
    _turn(
        "attach_output",
        "Attach command output",
        "Attach the output of the last shell command, or of the selected block",
        leader="v",
    ),
    _turn("unfold_paste", "Expand paste", "Expand a pasted block into text", leader="l"),
    _edit(
        "undo",
        "Undo in prompt",
        "Undo the last edit of the prompt (Ctrl+Y: redo)",
        ("ctrl+underscore", "super+z"),
        leader="z",
    ),
    _turn("withdraw_queued", "Unqueue last prompt", "Move the last queued prompt back to the editor", leader="q"),
    _turn("focus_queue", "Edit queue", "Edit, move or delete queued prompts", ("alt+q",), leader="u"),
    _turn("cancel_work", "Cancel background work", "List and cancel background work", leader="w"),
    _option(
        "next_mode",
        "Cycle mode",
        "Cycle mode",
        ("shift+tab",),
        leader="m",
        footer="mode",
        footer_rank=4,
        category="mode",
    ),
    _option(
        "pick_model",
        "Change model",
        "Choose model and model configuration",
        ("alt+p", "f2"),
        leader="p",
        footer="model",
        footer_rank=5,
        category="model",
    ),
    _option(
        "next_thought_level",
        "Cycle thinking level",
        "Cycle thinking level",
        ("alt+t", "f3"),
        leader="t",
        footer="thinking",
        footer_rank=6,
        category="thought_level",
    ),
    _option(
        "change_model_config",
        "Change model configuration",
        "Toggle or choose the model configuration",
        ("alt+o", "f4"),
        leader="o",
        footer="config",
        footer_rank=7,
        category="model_config",
    ),
    _option("all_options", "All options", "All options of the agent (also /config)", leader="c"),
    _view(
        "answer_permission", "Go to question", "Go to the oldest open question in any session", ("alt+a",), leader="a"
    ),
    _view(
        "toggle_details",
        "Expand or collapse details",
        "Expand or collapse tool calls and thoughts",
        ("ctrl+o",),
        footer="expand",
        footer_rank=8,
    ),
    _view(
        "toggle_plan",
        "Expand or collapse plan",
        "Expand or collapse the plan",
        ("ctrl+t",),
        footer="plan",
        footer_rank=10,
    ),
    _view(
        "focus_transcript", "Navigate transcript", "Navigate the transcript block by block; Esc returns", leader="up"
    ),
    _view(
        "find",
        "Find in transcript",
        "Find in transcript (Enter/n next, N previous)",
        ("ctrl+f",),
        footer="find",
        footer_rank=9,
    ),
    _view("toggle_sidebar", "Toggle sidebar", "Show or hide plan, changed files, terminals and usage", leader="b"),
    _view("toggle_follow", "Follow agent", "Follow the file the agent is working on", leader="f"),
    _view(
        "open_in_editor",
        "Open file in $EDITOR",
        "Open the file of the selected block, or the agent's current file, in $EDITOR",
        leader="e",
    ),
    _view("notices", "Agent notices", "Notices from the agent, latest first"),
    _view("page_up", "Page up", "Scroll up one page", ("pageup",), in_palette=False),
    _view("page_down", "Page down", "Scroll down one page", ("pagedown",), in_palette=False),
    _view(
        "to_start",
        "Start of line, or top of transcript",
        "Start of line; on an empty prompt: top of the transcript",
        ("home",),
        scope="prompt",
        in_palette=False,
    ),
    _view(
        "to_end",
        "End of line, or end of transcript",
        "End of line; on an empty prompt: end of the transcript, follow new output",
        ("end",),
        scope="prompt",
        in_palette=False,
    ),
    _block("previous_block", "Previous block", "Previous block", ("up", "k")),
    _block("next_block", "Next block", "Next block; after the last one, back to the prompt", ("down", "j")),
    _block(
        "previous_user_message",
        "Previous message of yours",
        "Your previous message",
        ("left_curly_bracket",),
        in_palette=True,
    ),
    _block(
        "next_user_message", "Next message of yours", "Your next message", ("right_curly_bracket",), in_palette=True
    ),
    _block("unfold_block", "Expand or collapse", "Expand or collapse the block", ("enter", "space")),
    _block("full_screen_diff", "Full-screen diff", "Full-screen diff (s: split or unified)", ("v",)),
    _block("open_block", "Open content", "Open, save or copy pictures, audio, files and links", ("o",)),
    _block("copy_block", "Copy", "Copy the block", ("y", "c")),
    _block("copy_block_code", "Copy code", "Copy the block's code or command; again: the next one", ("Y", "C")),
    _block("inspect_block", "Protocol messages", "Show the block's messages in the protocol inspector", ("i",)),
    _queued("previous_queued", "Previous queued prompt", "Previous prompt", ("up", "k")),
    _queued("next_queued", "Next queued prompt", "Next prompt; after the last one, back to the editor", ("down", "j")),
    _queued("edit_queued", "Edit", "Edit the prompt; it keeps its place in the queue", ("enter", "e")),
    _queued("move_queued_up", "Move up", "Send earlier", ("alt+up", "K")),
    _queued("move_queued_down", "Move down", "Send later", ("alt+down", "J")),
    _queued("delete_queued", "Delete", "Delete from the queue (stays in the history)", ("delete", "backspace", "d")),
)
