"""The changes screen and its keys. They are its own, so that no part of it but the filter needs the focus; what other
rooms add (`extensions`) has the first turn.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events, on
from textual.binding import Binding
from textual.widgets import Input, TextArea

from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.changes.uncommitted_files import Uncommitted
from acp_tui.host.config.preferences import remember
from acp_tui.ui.changes.changes_view import LAYOUT, ChangesView
from acp_tui.ui.changes.extensions import FIRST, HELP, Extras, Here
from acp_tui.ui.changes.file_list import NOTES_KEY
from acp_tui.ui.changes.line_view import LineView
from acp_tui.ui.commands.key_table import key_table
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.kit.answer_rule import PAUSE
from acp_tui.ui.kit.base_screens import LEAVING
from acp_tui.ui.kit.key_routing import Key
from acp_tui.ui.kit.list_panel import PanelKey, PanelKeys, hints_of, key_of
from acp_tui.ui.kit.row_list import RowList
from acp_tui.ui.kit.session_view import SessionView, say
from acp_tui.ui.kit.theme import MOVE, Hint, turning
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.terminal.suspension import edit_file
from acp_tui.ui.terminal.terminal_capabilities import copy
from acp_tui.ui.text_panels import HelpScreen, TextPanel
from acp_tui.views.changed_files import Wanted, shown_path, step

GROUP = "Changes"  # of the keys in the help
MOST_WAITING = 200  # keys


class WaitingKeys(deque[events.Key]):
    """Keys of the screen that came before what they act on: those that wait for a diff, and text that is refused."""

    def __init__(self) -> None:
        super().__init__(maxlen=MOST_WAITING)
        self._refused = float("-inf")  # when the last character came that was refused

    def refuse(self, event: events.Key) -> None:
        """No command: behind it a pause has to come before a character is one."""
        self._refused = event.time

    def is_text(self, event: events.Key) -> bool:
        """Whether a key goes on with text that was refused: none of its letters is a command."""
        goes_on = event.is_printable and event.time < self._refused + PAUSE
        if goes_on:
            self._refused = event.time
        return goes_on


def copied(event: events.Key) -> events.Key:
    """The same key at the same time, which nothing was done with yet."""
    copy = Key(event.key, event.character)
    copy.time = event.time
    return copy


def _in_files(here: Here) -> bool:
    return here.in_files


def _comment(screen: "ChangesScreen") -> None:
    """From the list of files: on the first changed line, where a diff begins."""
    screen.show_pane("diff")
    if row := key_of("c", screen.here, screen.extras.keys):
        row.press(screen.here)


class ChangesScreen(ChangesView):
    """`go_to_call` shows a tool call, by its id, in its transcript; whether it is there.

    The reason for its size: its parts have no keys of their own, so all of them are told in one place.
    """

    BINDINGS = [Binding("ctrl+l", "app.redraw", show=False)]

    def __init__(
        self,
        view: SessionView,
        source: SessionChanges,
        extras: Extras,
        go_to_call: Callable[[str], bool],
        turn: int | None = None,
    ) -> None:
        super().__init__(view.session, source, Uncommitted(view.client.roots(view.session)), extras, turn)
        self.opened_by = BY_ID["show_changes"].ways
        self._view, self._go_to_call = view, go_to_call
        self._waiting = WaitingKeys()

    def on_key(self, event: events.Key) -> None:
        """Do what a key means. One for a diff that is still read waits for it, and what comes behind waits as well."""
        if event.is_printable and isinstance(self.focused, Input | TextArea):
            self.focused.post_message(copied(event))  # which has the focus since this was typed
            return
        if event.key in LEAVING and self._waiting:
            self._waiting.clear()
            say(self.app, "Discarded the keys typed while the diff was loading", 2)
        if self.focused is None and (self._waiting or (not self.is_shown and self._needs_diff(event.key))):
            event.stop()
            event.prevent_default()
            self._waiting.append(copied(event))
            say(self.app, "Loading the diff. Your keys will take effect once it appears.", 2)
        else:
            self._press(event)

    def shown(self) -> None:
        """Press the keys that waited, one by one, as long as what they act on is there."""
        while self._waiting and (
            self.focused is not None or self.is_shown or not self._needs_diff(self._waiting[0].key)
        ):
            event = self._waiting.popleft()
            if self.focused is None:
                self._press(event)
            else:
                self.focused.post_message(event)

    def _needs_diff(self, key: str) -> bool:
        return key_of(key, self.here, self.FREE_KEYS) is None

    def _press(self, event: events.Key) -> None:
        here = self.here
        if self.focused is not None and self.focused is not self.files.filter:
            return  # what another room has there takes its keys itself
        if self.focused is not None:
            pressed = self._pressed(event.key, here, self.FILTER_KEYS)
        elif self._waiting.is_text(event):
            pressed = True
        else:
            pressed = self._command(event.key, here) or self._refused(event, here)
        if pressed:
            event.stop()
            event.prevent_default()

    def _command(self, key: str, here: Here) -> bool:
        """Do what a key means to other rooms, to the screen, or to the lines; whether it means anything."""
        extra, view = key_of(key, here, self.extras.keys), self.diff.view
        line = key_of(key, view, view.KEYS) if here.pane == "diff" else None
        if extra is not None:
            extra.press(here)
        elif not self._pressed(key, here, (*self.FREE_KEYS, *self.DIFF_KEYS)):
            if line is None:
                return False
            line.press(view)
        return True

    def _pressed(self, key: str, here: Here, keys: PanelKeys) -> bool:
        row = key_of(key, here, keys)
        if row is not None:
            row.press(self)
        return row is not None

    def _refused(self, event: events.Key, here: Here) -> bool:
        """Say what a character is not; behind it a pause has to come before one counts."""
        if not event.is_printable or not event.character:
            return False
        self._waiting.refuse(event)
        refusal = self.extras.refusal(event.key, here) or f"{event.character} does nothing here. {HELP}"
        say(self.app, refusal, 3)
        return True

    def hints(self) -> list[Hint]:
        here = self.here
        if self.focused is not None:  # what is there tells its own
            return hints_of(here, self.FILTER_KEYS) if self.focused is self.files.filter else []
        return hints_at(here, self.extras)

    # which changes

    def _look_at(self, wanted: Wanted) -> None:
        self.wanted, self.is_looking = wanted, True
        self.changes_read.ask()
        self.say()

    def _step(self, by: int) -> None:
        turn = step(self.source.points, self.between, by)
        if turn is None:
            way = "earlier" if by < 0 else "later"
            say(self.app, f"No {way} turn" if self.source.points else "No turn yet", 2)
        else:
            self._look_at(turn)

    # files and their diffs

    @on(RowList.Highlighted)
    def _highlighted(self) -> None:
        self.file_read.ask()

    @on(RowList.Chosen)
    def _clicked(self, event: RowList.Chosen) -> None:
        event.stop()
        self.show_pane("files" if self.is_wide else "diff")

    def on_descendant_focus(self) -> None:
        self.say()

    def on_descendant_blur(self) -> None:
        self.say()

    @on(LineView.Moved)
    def _moved(self) -> None:
        self.say()

    @on(LineView.Touched)
    def _touched(self) -> None:
        self.show_pane("diff")

    @on(Input.Changed)
    def _filtered(self, event: Input.Changed) -> None:
        event.stop()
        self.files.look()

    @on(Input.Submitted)
    def _filter_done(self, event: Input.Submitted) -> None:
        event.stop()
        if self.files.filter.value.strip():
            self.set_focus(None)
            self.say()
        else:
            self._end_filter()

    def _filter(self) -> None:
        self.show_pane("files")
        self.files.open_filter()
        self.call_after_refresh(self.say)

    def _end_filter(self) -> None:
        self.set_focus(None)
        self.files.close_filter()
        self.say()

    def _other_pane(self) -> None:
        self.show_pane("files" if self.pane == "diff" else "diff")

    def _enter(self) -> None:
        if self.files.current is not None:
            self.show_pane("diff")

    def _turn(self) -> None:
        self.diff.turn()
        remember(LAYOUT, self.diff.layout_shown == "split")
        self.say()

    def _hunk(self, by: int) -> None:
        """Go to the next hunk; behind the last one of a file to the first of the next file."""
        if not self.is_wide and self.pane == "files":
            self.files.move(by, around=False)
        elif self.diff.view.hunk(by):
            self.say()
        elif self.files.move(by, around=False):
            self.backwards = by < 0
        else:
            say(self.app, "Last hunk" if by > 0 else "First hunk", 2)

    # taking out

    def _show_call(self) -> None:
        file = self.files.current
        if file is None or not file.tool_call:
            say(self.app, "No tool call names this file", 3)
        elif self._go_to_call(file.tool_call):
            self.dismiss(None)
        else:
            say(self.app, "Its tool call is not in this transcript", 3)

    def _edit(self) -> None:
        file, here = self.files.current, self.here
        if file is None:
            return
        if file.after.kind != "file":
            say(self.app, "This file no longer exists", 3)
            return
        lines = [line.new for line in here.lines]
        first = next((line for line in lines if line is not None), None)
        line = first or (here.hunk.new[0] + 1 if here.hunk is not None else None)
        edit_file(self.app, file.absolute, line, self._view.client.roots(self.session))

    def _copy_patch(self) -> None:
        copy(self.app, self.diff.patch(), "the diff")

    def _copy_path(self) -> None:
        file = self.files.current
        if file is not None:
            copy(self.app, shown_path(file, self.session.cwd), "the path")

    def _show_notes(self) -> None:
        if self.files.all_notes:
            self.app.push_screen(TextPanel("Notes", sanitise("\n\n".join(self.files.all_notes))))

    def _help(self) -> None:
        rows = [row for row in key_table() if row.group == GROUP]
        self.app.push_screen(HelpScreen(rows, "Changes: keys"))

    def _copy_or_leave(self) -> None:
        view = self.diff.view
        selected = self.get_selected_text()
        if self.pane == "diff" and view.is_selecting:
            copy(self.app, "\n".join(line.text for line in view.lines), "the lines")
        elif selected:
            copy(self.app, selected, "the selection")
        else:
            self._leave()

    # leaving

    def _back(self) -> None:
        if self.pane == "diff" and self.diff.view.is_selecting:
            self.diff.view.stop_selecting()
        elif self.pane == "diff":
            self.show_pane("files")
        elif self.files.is_filtered:
            self._end_filter()
        else:
            self._leave()

    def _leave(self) -> None:
        if self.is_current:
            self.dismiss(None)

    FREE_KEYS: ClassVar[PanelKeys] = (  # which need no diff
        PanelKey("enter", lambda here: "diff" * (here.in_files and here.on_file), _enter, rank=FIRST - 1),
        PanelKey("tab,shift+tab", act=_other_pane),
        PanelKey("question_mark", lambda here: "keys" * here.on_file, _help, rank=FIRST + 1),
        PanelKey("slash,ctrl+f", lambda here: "filter" * (here.in_files and here.on_file), _filter, rank=FIRST + 1),
        PanelKey("left", lambda here: "turns" * here.has_range, partial(_step, by=-1), label="← →", rank=FIRST + 1),
        PanelKey("right", act=partial(_step, by=1)),
        PanelKey(
            "1",
            lambda here: "range" * here.in_files,
            partial(_look_at, wanted="session"),
            label="1 2 3",
            rank=FIRST + 1,
        ),
        PanelKey("2", act=partial(_look_at, wanted="last")),
        PanelKey("3", act=partial(_look_at, wanted="uncommitted")),
        PanelKey("question_mark", lambda here: "keys" * (here.has_range and not here.on_file)),
        PanelKey(NOTES_KEY, act=_show_notes),
        PanelKey("ctrl+c,super+c", act=_copy_or_leave),
        PanelKey("q,ctrl+q", act=_leave),
        PanelKey("escape", lambda here: "close" if here.in_files else "files", _back, rank=1),
        PanelKey("up,k", act=lambda panel: panel.files.move(-1), when=_in_files),
        PanelKey("down,j", act=lambda panel: panel.files.move(1), when=_in_files),
        PanelKey("pageup", act=lambda panel: panel.files.list.page(-1), when=_in_files),
        PanelKey("pagedown", act=lambda panel: panel.files.list.page(1), when=_in_files),
        PanelKey("home,g", act=lambda panel: panel.files.end(0), when=_in_files),
        PanelKey("end,G", act=lambda panel: panel.files.end(-1), when=_in_files),
    )
    DIFF_KEYS: ClassVar[PanelKeys] = (  # beside those of its lines
        PanelKey("right_square_bracket,n", lambda here: "hunk" * here.sees_diff, partial(_hunk, by=1), label="] ["),
        PanelKey("left_square_bracket,N", act=partial(_hunk, by=-1)),
        PanelKey("c", lambda here: "comment" * (here.in_files and here.on_file), _comment, _in_files),
        PanelKey("s", lambda here: turning(here.layout)[1] if here.sees_diff else "", _turn),
        PanelKey("shift+up", lambda here: "select" * (not here.in_files), label="⇧↑↓"),
        PanelKey("t", lambda here: "show tool call" * bool(here.file and here.file.tool_call), _show_call),
        PanelKey("e,E", lambda here: "edit file" * here.on_file, _edit),
        PanelKey("y", lambda here: "copy path" * here.on_file, _copy_path),
        PanelKey("Y", act=_copy_patch),
        PanelKey("space", act=lambda panel: panel.diff.view.scroll_page_down(), when=_in_files),
        PanelKey("space", act=lambda panel: panel.diff.view.action_page(1)),
    )
    FILTER_KEYS: ClassVar[PanelKeys] = (
        PanelKey("up,shift+tab", act=lambda panel: panel.files.move(-1)),
        PanelKey("down,tab", act=lambda panel: panel.files.move(1)),
        PanelKey("pageup", act=lambda panel: panel.files.list.page(-1)),
        PanelKey("pagedown", act=lambda panel: panel.files.list.page(1)),
        MOVE,
        ("enter", "done"),
        PanelKey("escape,ctrl+c", "all files", _end_filter),
    )


def hints_at(here: Here, extras: Extras) -> list[Hint]:
    """The most wanted first, what other rooms add among them; the last one is how to leave."""
    added = extras.keys if here.file is not None else ()
    return hints_of(here, (*added, *ChangesScreen.FREE_KEYS, *ChangesScreen.DIFF_KEYS))
