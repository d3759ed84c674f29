"""What each command does: its id, and what is called. Loaded at the first command, not before the first frame."""

from collections.abc import Callable, Mapping
from functools import partial

from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.tool_diffs import diffs_of
from acp_tui.startup import late
from acp_tui.ui.commands.program import DIGITS
from acp_tui.ui.exports import export_json, export_markdown
from acp_tui.ui.help import HelpScreen
from acp_tui.ui.notices import NoticesScreen
from acp_tui.ui.palette import open_palette, open_themes
from acp_tui.ui.permission.full_screen import SubjectScreen
from acp_tui.ui.permission.subject import INDENT
from acp_tui.ui.prompt.external import edit_draft
from acp_tui.ui.screen import ConversationScreen
from acp_tui.ui.suspension import suspend
from acp_tui.ui.transcript.diff import LazyDiffs, diff_units

Actions = Mapping[str, Callable[[], object]]


def actions_of(screen: ConversationScreen) -> Actions:
    """What every command does on this screen, by the command's id."""
    return {
        **_turn(screen),
        **_options(screen),
        **_view(screen),
        **_transcript(screen),
        **_queue(screen),
        **_sessions(screen),
        **_agent(screen),
        **_program(screen),
    }


def _turn(screen: ConversationScreen) -> Actions:
    editor, prompts = screen.editor, screen.prompts
    return {
        "submit": lambda: _submit(screen),
        "new_line": lambda: editor.insert("\n"),
        "cancel": screen.step_back,
        "interrupt": screen.leaving.interrupt,
        "older_prompt": editor.go_up,
        "newer_prompt": editor.go_down,
        "search_history": prompts.search_history,
        "pick_earlier": prompts.pick_earlier,
        "edit_externally": lambda: edit_draft(screen),
        "attach_output": prompts.shell.attach_output,
        "unfold_paste": editor.unfold,
        "undo": editor.action_undo,
        "withdraw_queued": prompts.take_back_queued,
        "focus_queue": prompts.waiting.focus,
        "cancel_work": screen.work.pick,
    }


def _options(screen: ConversationScreen) -> Actions:
    options = screen.options
    return {
        "next_mode": lambda: options.step("mode"),
        "pick_model": lambda: options.pick(("model", "model_config")),
        "next_thought_level": lambda: options.step("thought_level"),
        "change_model_config": lambda: options.change("model_config"),
        "all_options": options.show_all,
    }


def _view(screen: ConversationScreen) -> Actions:
    editor, transcript = screen.editor, screen.transcript
    return {
        "answer_permission": screen.sessions.answer_oldest,
        "toggle_details": screen.toggle_details,
        "toggle_plan": screen.plan.toggle,
        "focus_transcript": screen.focus_transcript,
        "find": lambda: screen.when_complete(lambda complete: complete.find.open()),
        "toggle_sidebar": lambda: screen.when_complete(lambda complete: complete.sidebar.toggle()),
        "toggle_follow": lambda: screen.when_complete(lambda complete: complete.sidebar.toggle_follow()),
        "open_in_editor": lambda: _open_in_editor(screen),
        "notices": lambda: _show_notices(screen),
        "page_up": transcript.page_up,
        "page_down": transcript.page_down,
        "to_start": lambda: editor.action_cursor_line_start() if editor.text else transcript.scroll_to_start(),
        "to_end": lambda: editor.action_cursor_line_end() if editor.text else transcript.follow_end(),
    }


def _transcript(screen: ConversationScreen) -> Actions:
    transcript = screen.transcript
    return {
        "previous_block": lambda: transcript.focus_entry("previous"),
        "next_block": lambda: _below(screen, transcript.focus_entry("next")),
        "previous_user_message": lambda: transcript.focus().focus_entry("previous_user"),
        "next_user_message": lambda: transcript.focus().focus_entry("next_user"),
        "unfold_block": transcript.toggle_current,
        "full_screen_diff": lambda: _show_diff(screen),
        "open_block": lambda: _open_block(screen),
        "copy_block": lambda: screen.copies.block(transcript.current_entry, transcript.text_of_entry),
        "copy_block_code": lambda: screen.copies.code(transcript.current_entry),
        "inspect_block": lambda: _inspect_block(screen),
    }


def _queue(screen: ConversationScreen) -> Actions:
    queue, waiting = screen.queue, screen.prompts.waiting
    return {
        "previous_queued": lambda: queue.step(-1),
        "next_queued": lambda: _below(screen, queue.step(1)),
        "edit_queued": lambda: waiting.edit(queue.current),
        "move_queued_up": lambda: waiting.move(queue.current, -1),
        "move_queued_down": lambda: waiting.move(queue.current, 1),
        "delete_queued": lambda: waiting.delete(queue.current),
    }


def _sessions(screen: ConversationScreen) -> Actions:
    sessions, tabs = screen.sessions, screen.tabs
    return {
        "new_session": sessions.begin,
        "new_agent": sessions.begin_elsewhere,
        "browse_sessions": sessions.browse,
        "switch_session": sessions.pick,
        **{f"show_session_{number}": partial(tabs.show_number, number) for number in range(1, DIGITS + 1)},
        "next_session": lambda: tabs.step(1),
        "previous_session": lambda: tabs.step(-1),
        "fork_session": sessions.fork,
        "rename_session": sessions.rename,
        "close_session": sessions.close,
        "search_records": lambda: _search_records(screen),
    }


def _agent(screen: ConversationScreen) -> Actions:
    return {
        "restart_agent": screen.connection.restart,
        "show_stderr": screen.connection.show_errors,
        "log_in": screen.logins.ask,
        "log_out": screen.logins.log_out,
        "keep_choices": screen.keeping.keep,
        "decline_choices": screen.keeping.decline,
        "forget_choices": screen.keeping.forget,
    }


def _program(screen: ConversationScreen) -> Actions:
    app, copies, session = screen.app, screen.copies, screen.session
    return {
        "palette": lambda: open_palette(app, screen.action_command),
        "help": lambda: app.push_screen(HelpScreen()),
        "question_mark": lambda: _question_mark(screen),
        "copy_answer": copies.last_answer,
        "copy_code": copies.last_code,
        "copy_transcript": copies.transcript,
        "export_markdown": lambda: export_markdown(app, session),
        "export_json": lambda: export_json(app, session),
        "inspect": lambda: app.push_screen(late("acp_tui.ui.inspector.screen").InspectorScreen(screen.client)),
        "toggle_theme": lambda: _toggle_theme(screen),
        "pick_theme": lambda: open_themes(app),
        "suspend": lambda: suspend(app),
        "end_of_input": lambda: _end_of_input(screen),
        "quit": screen.leaving.quit,
    }


def _submit(screen: ConversationScreen) -> None:
    """Send what is written, or begin a new line after a backslash; with nothing, start an agent that is gone."""
    if screen.connection.gone and not screen.editor.text:
        screen.connection.restart()
    elif not screen.editor.submit():
        screen.prompts.waiting.send_now()


def _below(screen: ConversationScreen, moved: bool) -> None:
    """Below the last row of a list the prompt has the focus again."""
    if not moved:
        screen.focus_prompt()


def _question_mark(screen: ConversationScreen) -> None:
    if screen.editor.text:
        screen.editor.insert_typed("?")
    else:
        screen.app.push_screen(HelpScreen())


def _end_of_input(screen: ConversationScreen) -> None:
    """Ctrl+D, as shells have it."""
    if screen.editor.text:
        screen.editor.action_delete_right()
    else:
        screen.leaving.quit()


def _toggle_theme(screen: ConversationScreen) -> None:
    screen.app.theme = "acp-light" if screen.app.current_theme.dark else "acp-dark"


def _open_in_editor(screen: ConversationScreen) -> None:
    entry = screen.transcript.current_entry
    screen.when_complete(lambda complete: complete.sidebar.open_in_editor(entry))


def _open_block(screen: ConversationScreen) -> None:
    entry = screen.transcript.current_entry
    screen.when_complete(lambda complete: complete.opening.open_entry(entry))


def _show_notices(screen: ConversationScreen) -> None:
    screen.app.clear_notifications()
    screen.app.push_screen(NoticesScreen(screen.session))


def _show_diff(screen: ConversationScreen) -> None:
    entry = screen.transcript.current_entry
    found = diffs_of(entry) if isinstance(entry, ToolCallEntry) else []
    if not isinstance(entry, ToolCallEntry) or not found:
        screen.app.notify("This block has no diff", markup=False, timeout=3)
        return
    diffs = LazyDiffs(found, screen.session.cwd, entry.locations)
    screen.app.push_screen(SubjectScreen(lambda layout: diff_units(diffs, INDENT, layout), "unified"))


def _inspect_block(screen: ConversationScreen) -> None:
    """The inspector, at the messages that made the block under the cursor."""
    entry = screen.transcript.current_entry
    if entry is not None:
        origin = late("acp_tui.ui.inspector.origins").origin_of(entry)
        screen.app.push_screen(late("acp_tui.ui.inspector.screen").InspectorScreen(screen.client, origin))


def _search_records(screen: ConversationScreen) -> None:
    records = screen.tabs.app.records
    if records is None:
        screen.app.notify("Nothing is recorded here", markup=False, timeout=3)
        return
    records.flush()
    screen.app.push_screen(late("acp_tui.ui.history.search").SearchScreen(records))
