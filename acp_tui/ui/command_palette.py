"""The palette: a short order of commands while nothing is typed, and all that is found by what is; and the themes.

It is put together when it opens; what was chosen is remembered.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from rich.cells import cell_len
from textual.app import App
from textual.content import Content
from textual.theme import Theme

from acp_tui.frozen import Frozen
from acp_tui.host.config.preferences import recall, remember
from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.config_options import ConfigOption
from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import key_words
from acp_tui.ui.commands.registry import BY_ID, COMMANDS
from acp_tui.ui.kit.picker import DESCRIPTION_AT_LEAST, GAP, MARK, Picker, meant_by
from acp_tui.ui.kit.row_list import ListRow, RowList, grouped, words_row
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import ACCENT, MUTED, grounds_of, other_ground, spell_out
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.sessions.browser import SessionBrowser
from acp_tui.ui.sessions.past_session_actions import PastSessionActions
from acp_tui.ui.sessions.session_actions import SessionActions
from acp_tui.ui.sessions.tabs import Tab, Tabs
from acp_tui.views.command_index import SessionCommands, SlashOffer
from acp_tui.views.options import OptionChoice, option_name, value_choices, value_name
from acp_tui.views.past_sessions import PastSession, filtered
from acp_tui.views.row_search import (
    NAME_AT_MOST,
    PickerRow,
    RowIndex,
    SearchTexts,
    Value,
    command_rows,
    list_opening,
    offer_rows,
    past_session_rows,
    runs_row,
    tab_row,
    theme_row,
)
from acp_tui.views.status import LOOKS, waiting

RECENT, SUGGESTED = "Recently used", "Suggested"
LINES_AT_REST = 5  # slash commands of the agent, and own prompts, while nothing is typed
OF_A_KIND = 30  # rows that one kind may take of what is found
KIND_AT_LEAST = 12  # cells of what kind a row is of; where less would be left, its key is not shown


class PaletteItem(Frozen):
    """What a row does, where something can be done. With an `id` it is remembered as used recently."""

    act: Callable[[], object] | None
    id: str = ""


Row: TypeAlias = PickerRow[PaletteItem]


class PaletteRows(NamedTuple):
    """What there is: commands, the agent's slash `lines`, and what is shown once something is typed."""

    commands: Sequence[Row]
    lines: Sequence[Row]
    others: Sequence[Row]

    def first(self, ids: Iterable[str], heading: str) -> list[Row]:
        """The rows of these ids, as shortcuts below another heading."""
        by_id = {row.value.id: row for row in (*self.lines, *self.commands)}
        return [replace(by_id[each], heading=heading, shortcut=True, description="") for each in ids if each in by_id]


class PalettePicker(Picker[PaletteItem]):
    """While nothing is typed: what was used `recently`, what is `suggested`, and the commands in their groups.

    What is typed is looked for in all of it, best first, whatever kind it is of. `more` brings what is not at hand.
    """

    FILTER = "Find commands, sessions, models…"

    def __init__(
        self,
        found: PaletteRows,
        recently: Sequence[str] = (),
        suggested: Sequence[str] = (),
        more: Callable[[], Awaitable[Sequence[Row]]] | None = None,
    ) -> None:
        others = [each for each in suggested if each not in recently]
        lines, self._left = _first_of_each([row for row in found.lines if row.value.act is not None])
        first = [*found.first(recently, RECENT), *found.first(others, SUGGESTED), *lines]
        self._columns: dict[str, int] = {}  # cells of the longest name of each group that has descriptions
        for row in (*first, *found.commands):
            if row.description:
                self._columns[row.heading] = max(cell_len(row.name), self._columns.get(row.heading, 0))
        super().__init__("Commands", [*first, *found.commands])
        self._found, self._more, self.complete = found, more, False
        self._drawn: dict[tuple[int, int], ListRow[Row]] = {}  # by the identity of rows, which are kept, and the column

    def on_mount(self) -> None:
        self.run_worker(self._bring(), exit_on_error=False)

    def drawn(self, row: Row) -> ListRow[Row]:
        """A row below the heading of its kind, so that it need not name that."""
        return ListRow(partial(answer_words, replace(row, heading=""), self._columns.get(row.heading, 0)), row)

    def listed(self) -> list[ListRow[Row]]:
        query = self.query_typed.removeprefix("/")
        return self._answers(query) if query else self._at_rest()

    def _at_rest(self) -> list[ListRow[Row]]:
        rows = [(row.heading, drawn) for row, drawn in self._rows]
        rows += [(group, _more_words(f"{count:,} more, type to find them")) for group, count in self._left.items()]
        return grouped(rows, apart=self.is_roomy)

    def _answers(self, query: str) -> list[ListRow[Row]]:
        found: list[Row] = []
        kinds: Counter[str] = Counter()
        for row in self._everything.find(query):
            kinds[row.heading] += 1
            if kinds[row.heading] <= OF_A_KIND:
                found.append(row)
        left, column = kinds.total() - len(found), max((cell_len(row.name) for row in found), default=0)
        for row in found:
            if (id(row), column) not in self._drawn:
                self._drawn[id(row), column] = self._answer(row, column)
        shown = [self._drawn[id(row), column] for row in found]
        return [*shown, _more_words(f"{left:,} more, keep typing")] if left else shown

    def _answer(self, row: Row, column: int) -> ListRow[Row]:
        """A row that says what kind it is of; where there is nothing to be done, it cannot be chosen."""
        return ListRow(partial(answer_words, row, column), row if row.value.act else None)

    @cached_property
    def _everything(self) -> RowIndex[PaletteItem]:
        return RowIndex((*self._found.commands, *self._found.lines, *self._found.others))

    async def _bring(self) -> None:
        if self._more is not None:
            self.add(await self._more())
        self.complete = True
        self.call_after_refresh(lambda: self._everything)  # before the first letter, where there is time

    def add(self, rows: Sequence[Row]) -> None:
        """Find these, too; the highlight stays where the user moved it."""
        self._found = self._found._replace(others=(*self._found.others, *rows))
        self.__dict__.pop("_everything", None)
        if self.query_typed:
            highlighted = self.list.value if self.rows.moved else None
            self.fill(lambda row: row is highlighted)


def _first_of_each(rows: Iterable[Row]) -> tuple[list[Row], Mapping[str, int]]:
    counts: Counter[str] = Counter()
    first = []
    for row in rows:
        counts[row.heading] += 1
        if counts[row.heading] <= LINES_AT_REST:
            first.append(row)
    left = {heading: count - LINES_AT_REST for heading, count in counts.items() if count > LINES_AT_REST}
    return first, left


def answer_words(row: Row, name_width: int, width: int) -> Content:
    """Name, kind and description, and the key at the right edge: it is the first to go where there is no room."""
    mark, column = ("● " if row.current else "  ", "bold"), min(name_width, width - MARK - GAP - DESCRIPTION_AT_LEAST)
    line = Content.assemble(mark, row.name)
    words = Content(" · ".join(filter(None, (row.heading, row.description))))
    line += Content(" " * max(GAP, MARK + column + GAP - line.cell_length))
    key = Content.styled(row.hint, ACCENT)
    beside = key.cell_length + GAP if row.hint else 0
    room = width - line.cell_length - beside
    if room < min(KIND_AT_LEAST, words.cell_length):
        room, key = room + beside, Content("")
    if words.cell_length > room:
        words = words.truncate(max(0, room), ellipsis=True)
    line += words.stylize(MUTED)
    return line + Content(" " * (width - line.cell_length - key.cell_length)) + key if key else line


def _more_words(text: str) -> ListRow[Row]:
    return words_row(f"  {text}", f"{MUTED} italic")


USED = "palette"  # the name under which is kept what was used
SHOWN, KEPT = 3, 10  # of them; some may be another agent's
SUGGESTED_COMMANDS = ("new_session", "browse_sessions", "pick_model", "settings", "pick_theme", "find", "help")
REMEMBERED_AT_MOST = 100  # characters of a slash and a name


def row_that(
    act: Callable[[Value], object] | None, row: PickerRow[Value], id_: str = "", cells: int = NAME_AT_MOST
) -> Row:
    """The row as one that does this with what it stands for; without an act it is only read."""
    item = PaletteItem(None if act is None else partial(act, row.value), id_)
    return PickerRow(item, cut(row.name, cells), row.description, row.heading, row.hint, row.current, texts=row.texts)


def client_rows(run: Callable[[str], object], typed: Mapping[str, str]) -> list[Row]:
    """The client's commands; `typed` are the names by which they can be typed now, by their ids."""
    return [row_that(lambda each: run(each.id), row, row.value.id) for row in command_rows(COMMANDS, typed, key_words)]


def slash_rows(offers: Iterable[SlashOffer], agent: str, write: Callable[[SlashOffer], None]) -> list[Row]:
    """The agent's slash commands, own prompts, and what the agent does not offer though one looks for it."""

    def row_of(row: PickerRow[SlashOffer]) -> Row:
        offer, name = row.value, f"/{row.value.name}"
        id_ = name if len(name) <= REMEMBERED_AT_MOST else ""
        return row_that(write if offer.can_run else None, row, id_, NAME_AT_MOST + 1)

    return [row_of(row) for row in offer_rows(offers, agent)]


def option_rows(
    options: Sequence[ConfigOption], change: Callable[[str], None], choose: Callable[[OptionChoice], None]
) -> Iterator[Row]:
    """The options, each with its value, and behind all of them the values that there are."""
    named = [(option, option_name(option, NAME_AT_MOST)) for option in options]
    for option, name in named:
        yield row_that(change, PickerRow(option.id, name, value_name(option), "Option"))
    for option, name in named:
        for each in value_choices([option]) if not option.is_switch else ():
            texts = SearchTexts((each.name,), "", (name, each.heading, each.description, str(each.value)))
            row = PickerRow(each, each.name, each.description, name, current=each.current, texts=texts)
            yield row_that(choose, row)


def tab_rows(tabs: Tabs) -> Iterator[Row]:
    def show(tab: Tab) -> None:
        if tab in tabs.entries:
            tabs.show(tab)

    for label, tab in zip(tabs.labels(), tabs.entries, strict=True):
        if not label.current:
            ways = BY_ID[f"show_session_{label.number}"].ways if f"show_session_{label.number}" in BY_ID else []
            yield row_that(show, tab_row(tab, label.name, LOOKS[label.state].words, spell_out(ways[0]) if ways else ""))


def theme_rows(themes: Mapping[str, Theme], current: str, choose: Callable[[str], None]) -> list[Row]:
    return [row_that(choose, theme_row(name, ground, current=name == current)) for name, ground in grounds_of(themes)]


async def past_rows(view: SessionView, sessions: SessionActions, records: Records | None) -> Sequence[Row]:
    """Sessions of this folder that are not open: the agent is not asked, records are read in a thread."""
    folder, past = view.session.cwd, PastSessionActions(view, sessions, records)
    archived = view.client.known_sessions.list.archived
    known = [
        each
        for each in past.known(await past.recorded(folder))
        if each.session is None and each.cwd == folder and not (archived and each.info)
    ]

    def open_it(known: PastSession) -> None:
        """Open it; where only the agent can say how, the list of sessions asks it first."""
        if past.undecided(known, asked=False):
            view.open(SessionBrowser(view, sessions, records, wanted=known))
        elif (opening := past.opening(known)) is not None:
            opening()

    def show_runs(_: None) -> None:
        view.open(SessionBrowser(view, sessions, records, runs=True))

    shown, hidden = filtered(known)
    rows = [row_that(open_it, row) for row in past_session_rows(shown, datetime.now(UTC))]
    return [*rows, row_that(show_runs, runs_row(hidden))] if hidden else rows


class PaletteActions:
    """Opens the palette of one session. `run` does a command by its id, `send` takes a draft as the prompt's go."""

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        commands: SessionCommands,
        run: Callable[[str], object],
        send: Callable[[Draft], object],
    ) -> None:
        self._view, self._editor, self._commands, self._run, self._send = view, editor, commands, run, send

    def open(self, others: Iterable[Row], more: Callable[[], Awaitable[Sequence[Row]]]) -> None:
        """Open it with the `others` beside commands; `more` brings what is not at hand."""
        offers = self._commands.now.rows
        commands = client_rows(self._run, {each.command.id: each.name for each in offers if each.command is not None})
        if not self._view.session.turn.active:
            commands = [row for row in commands if row.value.id != "cancel"]
        agent = sanitise_line(self._view.agent_name, 30) or "Agent"
        found = PaletteRows(commands, slash_rows(offers, agent, self._write), list(others))
        present = {row.value.id for row in (*found.commands, *found.lines)}
        recently = [each for each in _used() if each in present][:SHOWN]
        self._view.open(PalettePicker(found, recently, _suggested(self._view.session), more), _chosen)

    def _write(self, offer: SlashOffer) -> None:
        """Send it; one that asks for words is put before what is written, with the cursor behind all."""
        if not offer.asks:
            self._send(Draft(f"/{offer.name}"))
            return
        editor = self._editor
        begun = editor.text.startswith("/") and not editor.is_text and not any(map(str.isspace, editor.text))
        editor.replace(f"/{offer.name} ", (0, 0), (0, len(editor.text) if begun else 0))
        self._view.focus_prompt()
        editor.move_cursor(editor.document.end)


def _chosen(item: PaletteItem | None) -> None:
    if item is None or item.act is None:
        return
    if item.id:
        remember(USED, list(dict.fromkeys([item.id, *_used()]))[:KEPT])
    item.act()


def _used() -> list[str]:
    kept = recall().get(USED)
    return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []


def _suggested(session: Session) -> Sequence[str]:
    asked = ["answer_permission"] if waiting(session) else []
    return [*asked, *(["cancel"] if session.turn.active else []), *SUGGESTED_COMMANDS]


Change = Callable[[str], Awaitable[None]]


class ThemeActions:
    """Setting the theme. `change` draws everything in another one, in one frame."""

    def __init__(self, view: SessionView, change: Change) -> None:
        self._view, self._change = view, change

    def set(self, name: str | None) -> None:
        if name is not None:
            self._view.app.theme = name
            self._view.prefer("theme", name)

    def toggle(self) -> None:
        self.set(other_ground(self._view.app.current_theme))

    def pick(self, name: str) -> None:
        """Set the theme that this names; where that is not one, open the list, with what was written as its filter."""
        app = self._view.app
        if (meant := meant_by(name, app.available_themes, lambda theme: (theme,))) is not None:
            self.set(meant)
        else:
            self._view.open(ThemePicker(app, self._change, name), self.set)


class ThemePicker(Picker[str]):
    """Shows the theme of the highlighted row; however it is left without a choice, the one from before comes back."""

    KEYS = (("↑↓", "preview"), ("enter", "select"), ("esc", "cancel"))

    def __init__(self, app: App[Any], change: Change, query: str = "") -> None:
        grounds = grounds_of(app.available_themes)
        rows = [PickerRow(name, name, ground, current=name == app.theme) for name, ground in grounds]
        title, words = list_opening("Themes", rows, query)
        super().__init__(title, rows, query=words)
        self._change, self._picked, self._changing = change, False, False
        self._before = self._wanted = app.theme

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        row = self.list.value
        self._show_theme(row.value if row else self._before)

    def choose(self, value: PickerRow[str]) -> None:
        self._picked = True
        self._wanted = value.value
        super().choose(value)

    def on_unmount(self) -> None:
        if not self._picked:
            self._show_theme(self._before)

    def _show_theme(self, name: str) -> None:
        self._wanted = name
        if not self._changing and name != self.app.theme:
            self._changing = True
            self.app.run_worker(self._follow(), exit_on_error=False)

    async def _follow(self) -> None:
        """One theme after the other; those that were passed by meanwhile are left out."""
        try:
            while self._wanted != self.app.theme:
                await self._change(self._wanted)
        finally:
            self._changing = False
