"""The changes screen and its keys. They are its own, so that no part of it but the filter needs the focus; what other
rooms add (`extensions`) has the first turn.
"""

from collections import deque
from collections.abc import Callable

from textual import events, on
from textual.binding import Binding
from textual.widgets import Input, TextArea

from acp_tui.host.changes.session_changes import SessionChanges
from acp_tui.host.store.view_memory import remember
from acp_tui.host.uncommitted.uncommitted import Uncommitted
from acp_tui.ui.answers.answer_rule import PAUSE
from acp_tui.ui.answers.key_routing import Key
from acp_tui.ui.changes.changes_view import LAYOUT, ChangesView
from acp_tui.ui.changes.extensions import Extras
from acp_tui.ui.changes.file_list import NOTES_KEY
from acp_tui.ui.commands.key_table import key_table
from acp_tui.ui.commands.registry import BY_ID
from acp_tui.ui.diff_view.line_view import LineView
from acp_tui.ui.kit.row_list import RowList
from acp_tui.ui.kit.session_view import SessionView, say
from acp_tui.ui.overlays.text_panels import HelpScreen, TextPanel
from acp_tui.ui.render.text import sanitise
from acp_tui.ui.terminal.clipboard import copy
from acp_tui.ui.terminal.suspension import edit_file
from acp_tui.views.changed_files import Wanted, shown_path, step

GROUP = "Changes"  # of the keys in the help
LEAVING = ("escape", "ctrl+c", "ctrl+q")
FREE = {*LEAVING, "q", "super+c", "tab", "shift+tab", "enter", "1", "2", "3", "left", "right", "slash"} | {
    *("left_square_bracket", "right_square_bracket", "question_mark", NOTES_KEY)
}
"""Keys that need no diff."""
MOST_WAITING = 200  # keys


class WaitingKeys:
    """Keys of the screen that came before what they act on: those that wait for a diff, and text that is refused."""

    def __init__(self) -> None:
        self._behind = deque[events.Key](maxlen=MOST_WAITING)
        self._refused = float("-inf")  # when the last character came that was refused

    def __bool__(self) -> bool:
        return bool(self._behind)

    @property
    def first(self) -> str:
        """The key that has waited longest."""
        return self._behind[0].key

    def add(self, event: events.Key) -> None:
        self._behind.append(copied(event))

    def take(self) -> events.Key:
        return self._behind.popleft()

    def clear(self) -> None:
        self._behind.clear()

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
            say(self.app, "Dropped the keys that waited for the diff", 2)
        if self.focused is None and (self._waiting or (not self.is_shown and self._needs_diff(event.key))):
            event.stop()
            event.prevent_default()
            self._waiting.add(event)
            say(self.app, "Loading the diff. Your keys wait for it.", 2)
        else:
            self._press(event)

    def shown(self) -> None:
        """Press the keys that waited, one by one, as long as what they act on is there."""
        while self._waiting and (
            self.focused is not None or self.is_shown or not self._needs_diff(self._waiting.first)
        ):
            event = self._waiting.take()
            if self.focused is None:
                self._press(event)
            else:
                self.focused.post_message(event)

    def _needs_diff(self, key: str) -> bool:
        free = FREE if self.pane == "diff" else FREE | self._moves().keys() - {"space"}
        return key not in free

    def _press(self, event: events.Key) -> None:
        if self.focused is self.files.filter:
            act = self._filter_acts().get(event.key)
        elif self.focused is not None:
            return  # what another room has there takes its keys itself
        elif self._waiting.is_text(event) or self.extras.act_on(event.key, self.here):
            act = _nothing
        else:
            act = self._acts().get(event.key) or self._moves().get(event.key) or self._refusal(event)
        if act is not None:
            event.stop()
            event.prevent_default()
            act()

    def _refusal(self, event: events.Key) -> Callable[[], object] | None:
        """Say what a character is not; behind it a pause has to come before one counts."""
        if not event.is_printable or not event.character:
            return None
        self._waiting.refuse(event)
        extra = next((extra for extra in self.extras.keys if event.key in extra.keys), None)
        told = f"Nothing to {extra.hint[1]} here" if extra is not None else f"No command on {event.character}"
        refusal = extra.refusal(self.here) if extra is not None else ""
        return lambda: say(self.app, refusal or f"{told} (? lists the keys)", 3)

    def _acts(self) -> dict[str, Callable[[], object]]:
        return {
            "escape": self._back,
            "q": self._leave,
            "ctrl+q": self._leave,
            "ctrl+c": self._copy_or_leave,
            "super+c": self._copy_or_leave,
            "tab": lambda: self.show_pane("files" if self.pane == "diff" else "diff"),
            "shift+tab": lambda: self.show_pane("files" if self.pane == "diff" else "diff"),
            "enter": self._enter,
            "1": lambda: self._look_at("session"),
            "2": lambda: self._look_at("last"),
            "3": lambda: self._look_at("uncommitted"),
            "left": lambda: self._step(-1),
            "right": lambda: self._step(1),
            "left_square_bracket": lambda: self._step(-1),
            "right_square_bracket": lambda: self._step(1),
            "slash": self._filter,
            "s": self._turn,
            "n": lambda: self._hunk(1),
            "N": lambda: self._hunk(-1),
            "t": self._show_call,
            "e": self._edit,
            "E": self._edit,
            "y": self._copy_path,
            "Y": lambda: copy(self.app, self.diff.patch(), "the diff"),
            NOTES_KEY: self._show_notes,
            "question_mark": self._help,
        }

    def _moves(self) -> dict[str, Callable[[], object]]:
        """What moves in the half that has the keys."""
        files, lines = self.files, self.diff.view
        if self.pane == "files":
            return {
                **dict.fromkeys(("up", "k"), lambda: files.move(-1)),
                **dict.fromkeys(("down", "j"), lambda: files.move(1)),
                "pageup": lambda: files.list.page(-1),
                "pagedown": lambda: files.list.page(1),
                **dict.fromkeys(("home", "g"), lambda: files.end(0)),
                **dict.fromkeys(("end", "G"), lambda: files.end(-1)),
                "space": lines.scroll_page_down,
            }
        return {
            **dict.fromkeys(("up", "k"), lambda: lines.action_step(-1)),
            **dict.fromkeys(("down", "j"), lambda: lines.action_step(1)),
            **dict.fromkeys(("shift+up", "K"), lambda: lines.action_step(-1, True)),
            **dict.fromkeys(("shift+down", "J"), lambda: lines.action_step(1, True)),
            "pageup": lambda: lines.action_page(-1),
            **dict.fromkeys(("pagedown", "space"), lambda: lines.action_page(1)),
            **dict.fromkeys(("home", "g"), lambda: lines.action_ends(-1)),
            **dict.fromkeys(("end", "G"), lambda: lines.action_ends(1)),
            "V": lines.action_select,
            "h": lambda: lines.action_side(True),
            "l": lambda: lines.action_side(False),
        }

    def _filter_acts(self) -> dict[str, Callable[[], object]]:
        files = self.files
        return {
            "up": lambda: files.move(-1),
            "down": lambda: files.move(1),
            "shift+tab": lambda: files.move(-1),
            "tab": lambda: files.move(1),
            "pageup": lambda: files.list.page(-1),
            "pagedown": lambda: files.list.page(1),
            "escape": self._end_filter,
            "ctrl+c": self._end_filter,
        }

    # which changes

    def _look_at(self, wanted: Wanted) -> None:
        self.wanted, self.is_looking = wanted, True
        self.changes_read.ask()
        self.say()

    def _step(self, by: int) -> None:
        turn = step(self.source.points, self.between, by)
        if turn is None:
            say(self.app, "No turn yet" if not self.source.points else "No more turns that way", 2)
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
            say(self.app, "The last hunk" if by > 0 else "The first hunk", 2)

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
            say(self.app, "There is no such file now", 3)
            return
        lines = [line.new for line in here.lines]
        first = next((line for line in lines if line is not None), None)
        line = first or (here.hunk.new[0] + 1 if here.hunk is not None else None)
        edit_file(self.app, file.absolute, line, self._view.client.roots(self.session))

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
        """Undo the nearest thing: the selected lines, the diff, the filter; in the end leave."""
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


def _nothing() -> None:
    pass
