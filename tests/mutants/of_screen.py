"""Mutants of the screen."""

from tests.mutants.mutant import Mutant

SCREEN: tuple[Mutant, ...] = (
    # questions
    Mutant(
        "Enter answers a permission with the first option and not with the highlighted one",
        "acp_tui.ui.questions.permission_panel:PermissionPanel._act_for",
        "self._answer(self._options.highlighted)",
        "self._answer(0)",
        ("pilot/test_permission_panel.py",),
    ),
    Mutant(
        "one permission is answered twice by two fast keys",
        "acp_tui.ui.questions.permission_panel:PermissionPanel._send",
        "if self._pending is not None and self._pending.key not in self._answered:",
        "if self._pending is not None:",
        ("pilot/test_permission_panel.py",),
    ),
    Mutant(
        "what is typed ahead approves a command that was never seen",
        "acp_tui.ui.kit.answer_rule:AnswerRule._character",
        "press.at < self.painted + LETTER_AFTER or ",
        "",
        ("unit/ui/kit/test_rule.py", "pilot/test_meant_answers.py"),
    ),
    Mutant(
        "the name that an agent gives an option is read as markup",
        "acp_tui.ui.questions.permission_options:OptionRow.show",
        'self._label.update(Content("\\n").join(lines))',
        'self._label.update("\\n".join(line.plain for line in lines))',
        ("hostile/test_screen.py", "pilot/test_permission_panel.py"),
    ),
    Mutant(
        "a yes that was chosen by its digit is sent as a text",
        "acp_tui.ui.questions.elicitation_controls:LeadChoice.entered",
        "return entered == _YES if self._boolean and entered is not None else entered",
        "return entered",
        ("pilot/test_elicitation.py",),
    ),
    Mutant(
        "Esc cancels nothing",
        "acp_tui.ui.screen_parts:LeaveActions._cancel",
        "self._view.client.of(self._view.session).cancel()",
        "self._view.client.of(self._view.session)",
        ("pilot/test_prompt.py", "pilot/test_screen.py"),
    ),
    # the prompt
    Mutant(
        "a prompt that was taken from the queue and edited goes to the queue's end",
        "acp_tui.ui.prompt.prompt_queue:QueueActions.take_place",
        "place, self.place = self.place, None",
        "place, self.place = None, None",
        ("pilot/test_queue.py",),
    ),
    Mutant(
        "lines that were written after a mention are lost when it is completed",
        "acp_tui.ui.prompt.completions:MentionActions._whole",
        'lines[0] if lines and not path.endswith("/")',
        'lines[0] if lines and path.endswith("/")',
        ("pilot/test_mentions.py",),
    ),
    Mutant(
        "a key that is pressed twice changes an option by one step while the agent is slow",
        "acp_tui.ui.status.option_actions:OptionActions._step",
        "option.next_value(self._session.config_in_flight.get(option.id))",
        "option.next_value()",
        ("pilot/test_options.py",),
    ),
    # the transcript
    Mutant(
        "a chunk of an answer is not drawn once its rows were drawn",
        "acp_tui.ui.transcript.layout:OpenEntry.rows_of",
        "measured is not None and measured[0] == self.units[unit].version",
        "measured is not None",
        ("pilot/test_transcript.py",),
    ),
    Mutant(
        "everything below an entry that grew lies one row off",
        "acp_tui.ui.transcript.layout:Heights.set",
        "del self._starts[index + 1 :]",
        "del self._starts[index + 2 :]",
        ("pilot/test_transcript.py", "unit/ui/transcript/test_heights.py"),
    ),
    Mutant(
        "the last row of the transcript stays blank",
        "acp_tui.ui.transcript.transcript_view:TranscriptView._strip",
        "if y >= len(self.viewport.shown):",
        "if y >= len(self.viewport.shown) - 1:",
        ("pilot/test_transcript.py",),
    ),
    Mutant(
        "the reader's place is lost when what they read changes its height",
        "acp_tui.ui.transcript.scroll_anchor:settle",
        "top = top_of(layout, found.spot) - found.below",
        "top = top_of(layout, anchor.spot)",
        ("pilot/test_transcript.py", "unit/ui/transcript/test_viewport.py"),
    ),
    Mutant(
        "the match after the last one is none",
        "acp_tui.ui.find_bar:Finder.step",
        "number = (self.number - 1 + direction) % self.total",
        "number = min(self.number - 1 + direction, self.total - 1)",
        ("pilot/test_find.py",),
    ),
    Mutant(
        "what is copied has the gutter of the screen in it",
        "acp_tui.ui.transcript.row_painter:lines_of",
        "text = text[row.gutter : len(text) - row.tail]",
        "text = text[: len(text) - row.tail]",
        ("pilot/test_transcript_selection.py",),
    ),
    # when and what is painted
    Mutant(
        "of several things that the agent told in one frame only the first of each kind is heard",
        "acp_tui.ui.bridge:Bridge.collect",
        "change if isinstance(change, _REPEATED) else object()",
        "change if isinstance(change, _REPEATED) else type(change)",
        ("pilot/test_bridge.py",),
    ),
    Mutant(
        "a session that is looked at again does not show what happened meanwhile",
        "acp_tui.ui.bridge:Bridge.resume",
        "self._schedule(FRAME)",
        "self._cancel_timer()",
        ("pilot/test_bridge.py",),
    ),
    Mutant(
        "the output of a terminal is not drawn while it grows",
        "acp_tui.ui.bridge:Bridge._refresh_entries",
        "changed.update({id(entry): entry for entry in showing.values()})",
        "changed.update({id(entry): entry for entry in showing.values() if id(entry) in changed})",
        ("pilot/test_bridge.py",),
    ),
    Mutant(
        "what lies behind a panel is painted over it",
        "acp_tui.ui.kit.base_screens:RowCompositor._fill",
        "if pieces.get(cut, piece) is None:",
        "if cut in pieces:",
        ("pilot/test_compositing.py",),
    ),
    Mutant(
        "rows are moved by the terminal in a region that is one row too short",
        "acp_tui.ui.terminal.frame_writer:Shift.__str__",
        "{self.bottom + 1}r",
        "{self.bottom}r",
        ("pilot/test_frames.py",),
    ),
    # the rest of the screen
    Mutant(
        "an agent goes on running after its last tab was closed",
        "acp_tui.ui.sessions.tabs:Tabs.close",
        "if not any(other.client is tab.client for other in others):",
        "if not others:",
        ("pilot/test_tabs.py",),
    ),
    Mutant(
        "a number shows the tab beside the one it stands at",
        "acp_tui.ui.sessions.tabs:Tabs.show_number",
        "self.show(self.entries[number - 1])",
        "self.show(self.entries[-number])",
        ("pilot/test_tabs.py",),
    ),
    Mutant(
        "the terminal answers in another way after the program has ended",
        "acp_tui.ui.terminal.terminal_driver:TerminalDriver.stop_application_mode",
        "while self._set_modes:",
        "while len(self._set_modes) > 1:",
        ("hostile/test_answers.py",),
    ),
    Mutant(
        "a suggestion of the agent runs as a command",
        "acp_tui.ui.prompt.draft:as_text",
        'return f" {text}" if begins_command(text) else text',
        "return text",
        ("pilot/test_suggestions.py",),
    ),
)
