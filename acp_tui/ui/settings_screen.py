"""The settings screen: a list of all settings, filtered as one types; Enter changes one, at once and in the file."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from textual.content import Content
from textual.widgets import Static

from acp_tui.errors import Fault, UserFault
from acp_tui.host.config.config_writer import OwnSettings, create, is_read_only
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.settings_table import SETTINGS, Setting
from acp_tui.host.config.toml_edit import Value
from acp_tui.host.system.paths import real_path
from acp_tui.host.user_programs import editor_command
from acp_tui.safe_text import named, one_line
from acp_tui.ui.app import AcpTuiApp
from acp_tui.ui.command_palette import ThemePicker
from acp_tui.ui.kit.base_screens import BESIDE_SHORT
from acp_tui.ui.kit.list_panel import ListPanel, PanelKey
from acp_tui.ui.kit.picker import AskLine, Picker
from acp_tui.ui.kit.row_list import ROOMY, ListRow, RowList, grouped
from acp_tui.ui.kit.session_view import announce_fault
from acp_tui.ui.kit.theme import ACCENT, CLOSE, MUTED
from acp_tui.ui.screen_parts import Parts
from acp_tui.ui.terminal.suspension import give_mouse, run_on_terminal
from acp_tui.ui.transcript.placed_scroll_view import FULL_WIDTH
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.formatting import home_path
from acp_tui.views.row_search import PickerRow
from acp_tui.views.setting_rows import (
    SOURCES,
    Listed,
    SettingGroup,
    SettingRow,
    about,
    as_line,
    found_rows,
    in_words,
    kind_of,
    number_of,
    question,
    rows_of,
    words_of,
)

SOURCE, GAP = 14, 2  # cells
NAME = max(len(each.title) + 2 * bool(each.under) for each in SETTINGS.values())
VALUE_AT_LEAST = 14  # cells; where a row would leave less, it does without the source


def draw(row: Listed) -> Callable[[int], Content]:
    def drawn(width: int) -> Content:
        room = width - NAME - SOURCE - 2 * GAP
        name, source = (
            (f"{'▾' if row.expanded else '▸'} {row.title}", "")
            if isinstance(row, SettingGroup)
            else ("  " * bool(row.setting.under) + row.setting.title, row.source)
        )
        value = row.value if room < VALUE_AT_LEAST else _fitted(row.value, room)
        source = "" if source == SOURCES["default"] else source  # which goes without saying
        style = "bold" if source else MUTED
        parts = [(name.ljust(NAME + GAP), ""), (value, style)]
        return Content.assemble(*parts, *([(" " * GAP + source, MUTED)] if room >= VALUE_AT_LEAST else []))

    return drawn


def _fitted(text: str, width: int) -> str:
    content = Content(text)
    if content.cell_length > width:
        content = content.truncate(width, ellipsis=True)
    return content.plain + " " * (width - content.cell_length)


Appliers = Mapping[str, Callable[[Any], object]]
MARGINS = 10  # rows of title, filter and hints, with what is blank between them
ABOUT_ROWS, FAULT_ROWS, FAULT_ROWS_SHORT = 3, 4, 2  # rows of what is said of a setting, and of a fault in the file
TOLD_AT_MOST = 400  # characters


class SettingsScreen(ListPanel[Listed, None]):
    """What the config file has. Where the file cannot be used, it says where the fault is, and writes nothing."""

    FILTER, PANEL = "Type to filter", "settings-panel"
    KEYS = (
        PanelKey("enter", lambda panel: panel.enter_word),
        PanelKey(
            "delete", lambda panel: "default" * (panel.is_usable and panel.setting_row is not None), "use_default"
        ),
        PanelKey("ctrl+underscore", lambda panel: "undo" * panel.is_usable, "undo"),
        PanelKey("ctrl+g", "edit file", "edit"),
        PanelKey("f5", lambda panel: "reload" * (not panel.is_usable), "look_again"),
        CLOSE,
    )

    def __init__(
        self, preferences: Preferences, appliers: Appliers, themes: Callable[[], Picker[str]], words: str = ""
    ) -> None:
        """`appliers` let a new value count at once, if its users do not read it each time. `themes` makes the list of
        themes; `words` are the filter that is there from the beginning.
        """
        super().__init__(query=words)
        self._preferences, self._appliers, self._themes = preferences, appliers, themes
        self._settings = OwnSettings(preferences)
        self._fault, self._about = Static(id="settings-fault"), Static(id="settings-about")
        self.above, self.below = [self._fault], [self._about]
        self._told: Content | None = None  # what came of the last change
        self._known = self._values()
        self._expanded: set[str] = set()  # titles of groups

    def start(self) -> None:
        self.action_look_again()

    @property
    def is_usable(self) -> bool:
        return self._settings.fault is None

    def fit(self) -> None:
        height = self.app.size.height
        fault_rows = FAULT_ROWS_SHORT if self.is_short else FAULT_ROWS
        self._fault.styles.max_height = fault_rows
        self._about.styles.height = ABOUT_ROWS
        self._about.styles.margin = (1, 0, 0, 1)  # on few rows, too: right below a heading it reads as what that has
        room = height - BESIDE_SHORT - 1 if self.is_short else height * 92 // 100 - MARGINS
        self.list.styles.max_height = max(1, room - ABOUT_ROWS - fault_rows * self._fault.display)

    @property
    def enter_word(self) -> str:
        if isinstance(row := self.list.value, SettingGroup):
            return "collapse" if row.expanded else "expand"
        return "change" * self.is_usable

    @property
    def setting_row(self) -> SettingRow | None:
        """The highlighted setting, if it is one and no group of them."""
        return row if isinstance(row := self.list.value, SettingRow) else None

    def typed(self) -> None:
        self._told = None
        self.fill()

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if self.rows.moved:
            self.rows.moved, self._told = False, None
        self._describe()
        self._hints.show(self.hints())

    def choose(self, value: Listed) -> None:
        if isinstance(value, SettingGroup):
            self._expanded ^= {value.title}
            self.fill(lambda row: row.title == value.title)
            return
        setting = value.setting
        name, now = setting.name, self._preferences.get(setting.name, object)
        match kind_of(setting):
            case "switch":
                self._set(name, not now)
            case "choice":
                self._pick(setting, now)
            case "table":
                self.action_edit()
            case "text" if "\n" in str(now):  # a line for it would lose its breaks
                self.action_edit()
            case _:
                self.app.push_screen(AskLine(question(setting), as_line(now), self._asked(setting)))

    def _pick(self, setting: Setting, now: object) -> None:
        name = setting.name

        def chosen(value: str | None) -> None:
            if value is not None:
                self._set(name, value)

        rows = [PickerRow(each, in_words(setting, each), current=each == now) for each in setting.choices]
        self.app.push_screen(Picker(setting.title, rows) if rows else self._themes(), chosen)

    def action_use_default(self) -> None:
        if (row := self.setting_row) is None:
            return
        if kind_of(row.setting) == "table":
            self._told = Content(f"{row.setting.title}: edit in the file (^G)")
            self._describe()
        else:
            self._do(lambda: self._settings.use_default(row.setting.name))

    def action_undo(self) -> None:
        def undo() -> str:
            name = self._settings.undo()
            return f"Undone: {SETTINGS[name].title}" if name else "Nothing to undo"

        self._do(undo)

    def action_look_again(self) -> None:
        self._settings.read()
        self._show()

    def action_edit(self) -> None:
        """The file in the user's editor, at its fault or at the line of the highlighted setting."""
        row = self.setting_row
        self.app.run_worker(self._edit(row.setting.name if row else ""), group="editor", exclusive=True)

    def _asked(self, setting: Setting) -> Callable[[str], Awaitable[None]]:
        async def act(line: str) -> None:
            match kind_of(setting):
                case "words":
                    value: Value = words_of(setting, line)
                case "number":
                    value = number_of(line)
                case _:
                    value = line
            try:
                told = self._settings.set(setting.name, value)
            except UserFault as fault:
                self._show()
                raise UserFault("Not saved", self._reason(fault)) from fault
            self._announce(told, setting.name)

        return act

    async def _edit(self, name: str) -> None:
        try:
            path, line = create(), self._settings.fault_line or self._preferences.place(name).line
            await run_on_terminal(self.app, editor_command(str(path), line or None))
        except Fault as fault:
            announce_fault(self.app, fault)
        if self.is_mounted:
            self.action_look_again()

    def _set(self, name: str, value: Value) -> None:
        self._do(lambda: self._settings.set(name, value), name)

    def _do(self, act: Callable[[], str], name: str = "") -> None:
        try:
            self._announce(act(), name)
        except UserFault as fault:
            self._show(name)
            told = f"Not saved: {self._reason(fault)}. {fault.hint}"
            if self._settings.fault is not None:  # which is told above the list
                told = "Not saved: correct the file first (^G)."
            self._told = Content.styled(one_line(told, TOLD_AT_MOST), "$warning")
            self._describe()

    def _reason(self, fault: UserFault) -> str:
        """Without the file, which the title names."""
        return fault.message.removeprefix(named(self._preferences.own.path)).removeprefix(":").lstrip(", ")

    def _announce(self, told: str, name: str) -> None:
        at_once = not name or name in self._appliers or SETTINGS[name].read_each_time
        later = "" if at_once else " · takes effect after a restart"
        self._show(name)
        self._told = Content.styled(one_line(f"{told}{later}", TOLD_AT_MOST), ACCENT) if told else None
        self._describe()

    def _describe(self) -> None:
        """What came of the last change, or what the highlighted setting does and where its value comes from."""
        row = self.list.value
        lines = about(row, self._preferences) if row is not None else []
        shown = [Content.styled(line, MUTED if at else "") for at, line in enumerate(lines)]
        self._about.update(Content("\n").join([self._told, *shown[1:]] if self._told else shown))

    def _values(self) -> dict[str, Any]:
        return {name: self._preferences.get(name, object) for name in SETTINGS}

    def _show(self, tried: str = "") -> None:
        """Let count what has changed, and show how it is now. What the user `tried` may be seen without being so."""
        before, self._known = self._known, self._values()
        for name, apply in self._appliers.items():
            if self._known[name] != before[name] or name == tried:
                apply(self._known[name])
        fault = self._settings.fault
        self._fault.display = fault is not None
        if fault is not None:
            told = f"The file cannot be used: {self._reason(fault)}. Correct it to change settings (^G)."
            self._fault.update(Content(one_line(told, TOLD_AT_MOST)))
        self.fit()
        before_it = self.list.value
        self.fill(lambda row: before_it is not None and row.title == before_it.title)

    def heading(self) -> Content:
        path = self._preferences.own.path
        target = f"{path.name} → {home_path(str(real_path(path)))}" if path.is_symlink() else home_path(str(path))
        where = one_line(f"{target}{' (read-only)' * is_read_only(path)}", 120)
        return Content.assemble(("Settings", "bold"), (f"  {where}", MUTED))

    def listed(self) -> list[ListRow[Listed]]:
        found = found_rows(self.rows.line.value, rows_of(self._preferences), self._expanded)
        rows: list[tuple[str, ListRow[Listed]]] = [(row.group, ListRow(draw(row), row)) for row in found]
        return grouped(rows, apart=self.app.size.height >= ROOMY)


def open_settings(app: AcpTuiApp, parts: Parts, transcript: TranscriptView, words: str) -> None:
    themes = partial(ThemePicker, app, app.change_theme)
    parts.view.open(SettingsScreen(app.preferences, _appliers(app, parts, transcript), themes, words))


def _appliers(app: AcpTuiApp, parts: Parts, transcript: TranscriptView) -> dict[str, Callable[[Any], None]]:
    def use_theme(name: str) -> None:
        app.theme = name if name in app.available_themes else app.default_theme

    def use_width(words: str) -> None:
        app.set_class(words == "full", FULL_WIDTH)
        for tab in app.tabs.entries:
            tab.screen.fit_width()
        parts.sidebar.setting_changed()

    def show_details(on: bool) -> None:
        if on is not transcript.unfolded:
            transcript.toggle_all()

    return {
        "theme": use_theme,
        "sidebar": lambda _on: parts.sidebar.setting_changed(),
        "details": show_details,
        "width": use_width,
        "notifications": app.call_by,
        "mouse": lambda on: give_mouse(app, on),
    }
