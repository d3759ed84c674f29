"""What each command does: its id, and what is called. Those of the editor are in `screen`, for the first frame."""

from functools import partial

from acp_tui.session.entries import ToolCallEntry
from acp_tui.session.tools.diffs import diffs_of
from acp_tui.startup import late
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.commands.program import DIGITS
from acp_tui.ui.entries.tool_calls.diff import LazyDiffs, diff_units
from acp_tui.ui.export.copies import export_json, export_markdown
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.leaving import LeaveActions
from acp_tui.ui.overlays.palette import open_palette, open_themes
from acp_tui.ui.overlays.text_panel import HelpScreen, NoticesScreen, StderrScreen
from acp_tui.ui.parts import Parts
from acp_tui.ui.prompt.drafts import edit_draft
from acp_tui.ui.questions.permission.full_screen import SubjectScreen
from acp_tui.ui.questions.permission.subject import INDENT
from acp_tui.ui.screen import Commands, ConversationScreen
from acp_tui.ui.sessions.browser import SessionBrowser
from acp_tui.ui.terminal.suspension import suspend
from acp_tui.ui.transcript.view import TranscriptView


def actions_of(screen: ConversationScreen, parts: Parts, app: AcpTuiApp) -> Commands:
    """What every command does on this screen, by the command's id."""
    view, transcript = parts.view, screen.transcript
    leaving = LeaveActions(view, screen.editor, parts, app.tabs, app.leave)
    return {
        **_turn(screen, parts),
        **_options(parts),
        **_view(screen, parts),
        **_transcript(view, transcript, parts),
        **_queue(parts),
        **_sessions(view, parts, app),
        **_agent(view, parts),
        **_program(view, parts),
        "palette": lambda: open_palette(app, screen.action_command),
        "cancel": leaving.step_back,
        "interrupt": leaving.interrupt,
        "quit": leaving.quit,
    }


def _turn(screen: ConversationScreen, parts: Parts) -> Commands:
    return {
        "search_history": parts.earlier.search,
        "pick_earlier": parts.earlier.pick,
        "edit_externally": lambda: edit_draft(parts.view, screen.editor),
        "attach_output": parts.shell.attach_output,
        "unfold_paste": screen.editor.unfold,
        "withdraw_queued": parts.queue.take_back,
        "focus_queue": parts.queue.focus,
        "cancel_work": parts.agent.pick_work,
    }


def _options(parts: Parts) -> Commands:
    options = parts.options
    return {
        "next_mode": lambda: options.step("mode"),
        "pick_model": lambda: options.pick(("model", "model_config")),
        "next_thought_level": lambda: options.step("thought_level"),
        "change_model_config": lambda: options.change("model_config"),
        "all_options": options.show_all,
    }


def _view(screen: ConversationScreen, parts: Parts) -> Commands:
    transcript = screen.transcript
    return {
        "answer_permission": parts.sessions.answer_oldest,
        "toggle_details": lambda: _toggle_details(transcript),
        "toggle_plan": screen.plan.toggle,
        "focus_transcript": screen.focus_transcript,
        "find": parts.find.open,
        "toggle_sidebar": parts.sidebar.toggle,
        "toggle_follow": parts.sidebar.toggle_follow,
        "open_in_editor": lambda: parts.sidebar.open_in_editor(transcript.current_entry),
        "notices": lambda: _show_notices(parts.view),
        "page_up": transcript.page_up,
        "page_down": transcript.page_down,
    }


def _transcript(view: SessionView, transcript: TranscriptView, parts: Parts) -> Commands:
    return {
        "previous_block": lambda: transcript.focus_entry("previous"),
        "next_block": lambda: transcript.focus_entry("next") or view.focus_prompt(),
        "previous_user_message": lambda: transcript.focus().focus_entry("previous_user"),
        "next_user_message": lambda: transcript.focus().focus_entry("next_user"),
        "unfold_block": transcript.toggle_current,
        "full_screen_diff": lambda: _show_diff(view, transcript),
        "open_block": lambda: parts.opening.open_entry(transcript.current_entry),
        "copy_block": lambda: parts.copies.block(transcript.current_entry, transcript.text_of_entry),
        "copy_block_code": lambda: parts.copies.code(transcript.current_entry),
        "inspect_block": lambda: _inspect_block(view, transcript),
    }


def _queue(parts: Parts) -> Commands:
    queue = parts.queue
    return {
        "previous_queued": lambda: queue.step(-1),
        "next_queued": lambda: queue.step(1),
        "edit_queued": queue.edit,
        "move_queued_up": lambda: queue.move(-1),
        "move_queued_down": lambda: queue.move(1),
        "delete_queued": queue.delete,
    }


def _sessions(view: SessionView, parts: Parts, app: AcpTuiApp) -> Commands:
    sessions, tabs = parts.sessions, app.tabs
    return {
        "new_session": sessions.begin,
        "new_agent": lambda: _choose_agent(app, view),
        "browse_sessions": lambda: view.open(SessionBrowser(view, sessions, app.records)),
        "switch_session": sessions.pick,
        **{f"show_session_{number}": partial(tabs.show_number, number) for number in range(1, DIGITS + 1)},
        "next_session": lambda: tabs.step(1),
        "previous_session": lambda: tabs.step(-1),
        "fork_session": sessions.fork,
        "rename_session": sessions.rename,
        "close_session": sessions.close,
        "search_records": lambda: _search_records(app, view),
    }


def _agent(view: SessionView, parts: Parts) -> Commands:
    return {
        "restart_agent": parts.agent.restart,
        "show_stderr": lambda: view.open(StderrScreen(view.client.stderr_tail)),
        "log_in": parts.questions.log_in,
        "log_out": parts.questions.log_out,
        "keep_choices": parts.kept.keep,
        "decline_choices": parts.kept.decline,
        "forget_choices": parts.kept.forget,
    }


def _program(view: SessionView, parts: Parts) -> Commands:
    app, copies, session = view.app, parts.copies, view.session
    return {
        "help": lambda: view.open(HelpScreen()),
        "copy_answer": copies.last_answer,
        "copy_code": copies.last_code,
        "copy_transcript": copies.transcript,
        "export_markdown": lambda: export_markdown(app, session),
        "export_json": lambda: export_json(app, session),
        "inspect": lambda: view.open(late("acp_tui.ui.inspector.screen").InspectorScreen(view.client)),
        "toggle_theme": lambda: _toggle_theme(view),
        "pick_theme": lambda: open_themes(app),
        "suspend": lambda: suspend(app),
    }


def _choose_agent(app: AcpTuiApp, view: SessionView) -> None:
    if app.agents is None:
        view.say("No other agents are known here")
    else:
        view.open(app.agents())


def _toggle_details(transcript: TranscriptView) -> None:
    """Expand or fold the block under the cursor, else all."""
    if not transcript.has_focus or not transcript.toggle_current():
        transcript.toggle_all()


def _toggle_theme(view: SessionView) -> None:
    view.app.theme = "acp-light" if view.app.current_theme.dark else "acp-dark"


def _show_notices(view: SessionView) -> None:
    view.app.clear_notifications()
    view.open(NoticesScreen(view.session))


def _show_diff(view: SessionView, transcript: TranscriptView) -> None:
    entry = transcript.current_entry
    found = diffs_of(entry) if isinstance(entry, ToolCallEntry) else []
    if not isinstance(entry, ToolCallEntry) or not found:
        view.say("This block has no diff")
        return
    diffs = LazyDiffs(found, view.session.cwd, entry.locations)
    view.open(SubjectScreen(lambda layout: diff_units(diffs, INDENT, layout), "unified"))


def _inspect_block(view: SessionView, transcript: TranscriptView) -> None:
    """The inspector, at the messages that made the block under the cursor."""
    entry = transcript.current_entry
    if entry is not None:
        origin = late("acp_tui.ui.inspector.messages").origin_of(entry)
        view.open(late("acp_tui.ui.inspector.screen").InspectorScreen(view.client, origin))


def _search_records(app: AcpTuiApp, view: SessionView) -> None:
    if app.records is None:
        view.say("Nothing is recorded here")
        return
    app.records.flush()
    view.open(late("acp_tui.ui.history.search").SearchScreen(app.records))
