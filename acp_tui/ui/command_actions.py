"""What each command does: its id, and what is called. Those of the editor are in `screen`, for the first frame."""

import time
from collections.abc import Callable, Iterator
from functools import partial

from acp_tui.host.records.records import Records
from acp_tui.session.entries import Entry, ToolCallEntry
from acp_tui.session.export.formats import EXPORTS, MARKDOWN
from acp_tui.session.tools.diffs import diffs_of
from acp_tui.session.tools.family import is_at_work
from acp_tui.startup import late
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.branches.aside import AsideActions
from acp_tui.ui.branches.tree_screen import TreeActions
from acp_tui.ui.commands.key_table import ways_to
from acp_tui.ui.commands.keys import spell_out
from acp_tui.ui.commands.program import DIGITS
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.entries.tool_calls.diff import LazyDiffs, diff_units
from acp_tui.ui.export.copies import copy_own_cli, export_as, export_to
from acp_tui.ui.hand_over.actions import choose_agent
from acp_tui.ui.hand_over.links import Links
from acp_tui.ui.kit.key_guards import DoublePress
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import other_ground
from acp_tui.ui.overlays.facts_panel import FactsPanel
from acp_tui.ui.overlays.help import HelpScreen
from acp_tui.ui.overlays.text_panel import NoticesScreen, StderrScreen
from acp_tui.ui.overlays.themes import pick_theme, set_theme
from acp_tui.ui.palette.palette import Row
from acp_tui.ui.palette.palette_actions import PaletteActions, option_rows, past_rows, tab_rows, theme_rows
from acp_tui.ui.parts import Parts
from acp_tui.ui.prompt.drafts import edit_draft, search_history
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.questions.permission.full_screen import SubjectScreen
from acp_tui.ui.questions.permission.subject import INDENT
from acp_tui.ui.review.actions import ReviewActions
from acp_tui.ui.screen import Commands, ConversationScreen
from acp_tui.ui.sessions.browser import SessionBrowser
from acp_tui.ui.sessions.session_actions import AskFirst, unsent
from acp_tui.ui.terminal.mouse import toggle_mouse
from acp_tui.ui.terminal.suspension import suspend
from acp_tui.ui.transcript.view import TranscriptView
from acp_tui.views.session_facts import mcp_groups, status_groups, usage_groups


def actions_of(screen: ConversationScreen, parts: Parts, app: AcpTuiApp) -> Commands:
    view, copies, leaving = parts.view, parts.copies, LeaveActions(parts, screen.editor, app)
    links = Links(view, app.tabs, lambda: app.records)
    return {
        **_prompt_actions(screen, parts),
        **_transcript_actions(screen, parts, links),
        **_session_actions(parts, app, links),
        **_fact_actions(view, app),
        "help": lambda: view.open(HelpScreen()),
        "notices": lambda: _show_notices(view, app),
        "copy_answer": copies.last_answer,
        "copy_code": copies.last_code,
        "copy_transcript": copies.transcript,
        **{one.command: partial(export_as, one, view) for one in EXPORTS.values()},
        MARKDOWN.command: partial(export_to, view),
        "inspect": lambda: view.open(late("acp_tui.ui.inspector.screen").InspectorScreen(view.client)),
        "toggle_theme": lambda: set_theme(view, other_ground(app.current_theme)),
        "pick_theme": lambda name: pick_theme(view, app.change_theme, name),
        "settings": lambda words: late("acp_tui.ui.settings.screen").open_settings(
            app, parts, screen.transcript, words
        ),
        "toggle_mouse": lambda: toggle_mouse(view, app),
        "redraw": app.action_redraw,
        "suspend": lambda: suspend(app),
        "palette": _palette(screen, parts, app),
        "cancel": leaving.step_back,
        "interrupt": leaving.interrupt,
        "quit": leaving.quit,
    }


def _prompt_actions(screen: ConversationScreen, parts: Parts) -> Commands:
    options, queue = parts.options, parts.queue
    return {
        "search_history": lambda: search_history(parts.view, screen.editor),
        "pick_earlier": parts.branches.pick,
        "take_back_turn": parts.take_back.take_back_turn,
        "redo_taken_back": parts.take_back.redo,
        "tell_taken_back": parts.take_back.toggle_telling,
        "side_question": AsideActions(parts.view, screen.editor, BY_ID["side_question"].slash[0]).ask,
        "edit_externally": lambda: edit_draft(parts.view, screen.editor),
        "stash": parts.stash.toggle,
        "attach_output": parts.shell.attach_output,
        "unfold_paste": screen.editor.unfold,
        "toggle_vim": parts.vim.toggle,
        "withdraw_queued": queue.take_back,
        "focus_queue": queue.focus,
        "previous_queued": lambda: queue.step(-1),
        "next_queued": lambda: queue.step(1),
        "edit_queued": queue.edit,
        "move_queued_up": lambda: queue.move(-1),
        "move_queued_down": lambda: queue.move(1),
        "delete_queued": queue.delete,
        "next_mode": lambda: options.step("mode"),
        "pick_mode": lambda mode: options.pick(("mode",), mode),
        "pick_model": lambda model: options.pick(("model", "model_config"), model),
        "pick_thought_level": lambda level: options.pick(("thought_level",), level),
        "next_thought_level": lambda: options.step("thought_level"),
        "change_model_config": lambda: options.change("model_config"),
        "all_options": options.show_all,
    }


def _transcript_actions(screen: ConversationScreen, parts: Parts, links: Links) -> Commands:
    view, transcript, sidebar = parts.view, screen.transcript, parts.sidebar
    return {
        "toggle_details": lambda: _toggle_details(view, transcript),
        "toggle_plan": lambda: screen.plan.toggle() if view.session.plans else view.say("No plan yet"),
        "focus_transcript": lambda: transcript.focus().focus_entry("previous"),
        "find": parts.find.open,
        "show_changes": parts.changes.open,
        "toggle_sidebar": sidebar.toggle,
        "toggle_follow": sidebar.toggle_follow,
        "open_in_editor": lambda: sidebar.open_in_editor(transcript.current_entry),
        "page_up": transcript.page_up,
        "page_down": transcript.page_down,
        "previous_block": lambda: transcript.focus_entry("previous"),
        "next_block": lambda: transcript.focus_entry("next") or view.focus_prompt(),
        "previous_user_message": lambda: transcript.focus().focus_entry("previous_user"),
        "next_user_message": lambda: transcript.focus().focus_entry("next_user"),
        "edit_message": lambda: (
            parts.branches.edit(transcript.current_entry)
            or links.follow(transcript.current_entry)
            or parts.changes.open_entry(transcript.current_entry)
            or parts.subagents.open_entry(transcript.current_entry)
            or transcript.toggle_current()
        ),
        "unfold_block": lambda: transcript.toggle_current() or parts.subagents.open_entry(transcript.current_entry),
        "retry_prompt": parts.branches.retry,
        "retry_with_option": parts.branches.retry_with,
        "open_subagent": parts.subagents.choose,
        "cancel_subagent": lambda: parts.subagents.cancel_entry(transcript.current_entry),
        "full_screen_diff": lambda: _show_diff(view, transcript.current_entry, parts.review),
        "review_comments": parts.review.open,
        "open_block": lambda: parts.opening.open_entry(transcript.current_entry),
        "copy_block": lambda: parts.copies.block(transcript.current_entry, transcript.text_of_entry),
        "copy_block_code": lambda: parts.copies.code(transcript.current_entry),
        "inspect_block": lambda: _inspect_block(view, transcript.current_entry),
    }


def _session_actions(parts: Parts, app: AcpTuiApp, links: Links) -> Commands:
    view, sessions, tabs, agent = parts.view, parts.sessions, app.tabs, parts.agent
    return {
        "answer_permission": sessions.answer_oldest,
        "new_session": sessions.begin,
        "fresh_session": sessions.begin_here,
        "new_agent": lambda: choose_agent(view, app.agents, app.converse),
        "hand_over": lambda: parts.hand_over.begin(app.agents, app.converse),
        "hand_over_output": parts.hand_over.toggle_outputs,
        "browse_sessions": lambda words: view.open(SessionBrowser(view, sessions, app.records, words)),
        "switch_session": sessions.pick,
        **{f"show_session_{number}": partial(tabs.show_number, number) for number in range(1, DIGITS + 1)},
        "next_session": lambda: tabs.step(1),
        "previous_session": lambda: tabs.step(-1),
        "fork_session": sessions.fork,
        "branch_tree": lambda: TreeActions(view, sessions, app.records).open(),
        "copy_own_cli": lambda: copy_own_cli(view),
        "rename_session": sessions.rename,
        "add_folder": parts.folders.add,
        "close_session": sessions.close,
        "search_records": lambda: _search_records(view, app.records, links),
        "cancel_work": agent.pick_work,
        "restart_agent": agent.restart,
        "open_without_prompt": agent.open_without_prompt,
        "show_stderr": lambda: view.open(StderrScreen(view.client.stderr_tail)),
        "log_in": parts.questions.log_in,
        "log_out": parts.questions.logins.log_out,
        "keep_choices": parts.kept.keep,
        "decline_choices": parts.kept.decline,
        "forget_choices": parts.kept.forget,
    }


def _fact_actions(view: SessionView, app: AcpTuiApp) -> Commands:
    client, session = view.client, view.session

    def files() -> Iterator[tuple[str, str]]:
        yield from (("Config", str(path)) for path in app.preferences.files)
        record = app.records.path_of(session) if app.records is not None else None
        yield from ((name, str(path)) for name, path in (("Record", record), ("Log", app.log_file)) if path is not None)

    def show_status() -> None:
        found = list(files())
        copied = status_groups(client, session, found, accounts=False)
        view.open(FactsPanel("Status", status_groups(client, session, found, ways_to("log_in")), copied))

    def show_servers() -> None:
        servers = mcp_groups(client.mcp_servers(session), client.connection.capabilities)
        view.open(FactsPanel("MCP servers", servers))

    return {
        "show_status": show_status,
        "show_usage": lambda: view.open(FactsPanel("Usage and cost", usage_groups(session))),
        "show_mcp_servers": show_servers,
    }


def _show_notices(view: SessionView, app: AcpTuiApp) -> None:
    app.toasts.clear()
    view.open(NoticesScreen(view.session, app.toasts.told))


def _palette(screen: ConversationScreen, parts: Parts, app: AcpTuiApp) -> Callable[[], None]:
    view, options = parts.view, parts.options
    palette = PaletteActions(view, screen.editor, parts.slash, screen.action_command, parts.pipeline.send)

    def others() -> Iterator[Row]:
        yield from tab_rows(app.tabs)
        yield from option_rows(view.session.config_options, options.change_option, options.choose)
        yield from theme_rows(app.available_themes, app.theme, partial(set_theme, view))

    return lambda: palette.open(others(), lambda: past_rows(view, parts.sessions, app.records))


def _toggle_details(view: SessionView, transcript: TranscriptView) -> None:
    if not (transcript.has_focus and transcript.toggle_current()):
        transcript.toggle_all()
        view.prefer("details", transcript.unfolded)


def _show_diff(view: SessionView, entry: Entry | None, review: ReviewActions) -> None:
    found = diffs_of(entry) if isinstance(entry, ToolCallEntry) else []
    if not isinstance(entry, ToolCallEntry) or not found:
        view.say("No diff here")
        return
    diffs = LazyDiffs(found, view.session.cwd, entry.locations)
    units = partial(diff_units, diffs, INDENT)
    view.open(SubjectScreen(units, "unified", review.pane(), "close", review.open))


def _inspect_block(view: SessionView, entry: Entry | None) -> None:
    if entry is not None:
        origin = entry.origin()
        view.open(late("acp_tui.ui.inspector.screen").InspectorScreen(view.client, origin))


def _search_records(view: SessionView, records: Records | None, links: Links) -> None:
    if records is None:
        view.say("Session recording is off")
        return
    records.flush()
    view.open(late("acp_tui.ui.sessions.record_search").SearchScreen(records, links.follow))


class LeaveActions:
    """Esc, Ctrl+C and quitting: stepping back from the nearest thing, cancelling, and asking before work is lost."""

    def __init__(self, parts: Parts, editor: PromptEditor, app: AcpTuiApp) -> None:
        self._view, self._parts, self._editor, self._app = parts.view, parts, editor, app
        self._interrupts = DoublePress(self._view.strokes)
        self._quits = AskFirst(self._view, "quit", "end_of_input")

    def step_back(self) -> None:
        """Undo the nearest thing: pop-up, selection, focus; in the end cancel the turn."""
        parts, editor, screen = self._parts, self._editor, self._editor.screen
        if parts.completions.commands.display:
            parts.completions.commands.close()
        elif parts.find.is_open:
            parts.find.close()
        elif parts.sidebar.is_over:
            parts.sidebar.toggle()
        elif screen.selections or not editor.selection.is_empty:
            screen.clear_selection()
            editor.move_cursor(editor.cursor_location)
        elif screen.focused is not editor:
            self._view.focus_prompt()
        elif parts.branches.leave() or parts.take_back.withdraw():
            pass
        elif parts.shell.stop() or self._cancel():
            parts.escapes.cancelled()
        else:
            parts.escapes.press()

    def _cancel(self) -> bool:
        """Cancel the turn; whether there is one."""
        active = self._view.session.turn.active
        if active:
            self._view.client.of(self._view.session).cancel()
        return active

    def interrupt(self) -> None:
        """Copy, else clear the draft, else cancel; the second time in a row that copied nothing, quit.

        While a question stands in its place the draft is out of sight, and nothing is done to it.
        """
        unseen, ways = self._parts.questions.has_focus, BY_ID["interrupt"].ways
        selected = ("" if unseen else self._editor.selected_text) or self._editor.screen.get_selected_text()
        if selected:
            self._parts.copies.text(selected, "the selection")
        elif self._interrupts.again(time.monotonic(), ways):
            self._leave(hurry=True)
        else:
            if self._editor.text and not unseen:
                self._editor.set_aside()
            elif self._parts.shell.stop():
                return
            else:
                self._cancel()
            way = self._view.strokes.which(ways) or next(iter(ways), "")
            self._view.say(f"Press {spell_out(way) if way else 'the key'} again to quit", 2)

    def quit(self) -> None:
        self._quits.before(self._leave, self._lost(), "quit")

    def _leave(self, *, hurry: bool = False) -> None:
        """Leave now; the drafts stay in the history. In a `hurry`, no agent is waited for long."""
        for tab in self._app.tabs.entries:
            tab.screen.set_aside()
        self._app.call_later(self._app.leave, hurry=hurry)

    def _lost(self) -> str:
        """What leaving would end or lose, in words; empty if nothing."""
        tabs = self._app.tabs.entries
        working = sum(is_at_work(tab.session) for tab in tabs)
        queued = sum(len(tab.session.queue) for tab in tabs)
        if working:
            return "The agent is still working." if working == 1 else f"{working} agents are still working."
        return unsent(queued)
