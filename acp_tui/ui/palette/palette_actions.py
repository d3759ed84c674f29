"""What the palette finds and what choosing it does: put together when it opens; what was chosen is remembered."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

from textual.theme import Theme

from acp_tui.host.config.preferences import recall, remember
from acp_tui.host.records.records import Records
from acp_tui.protocol.vocabulary.config_options import ConfigOption
from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import key_words
from acp_tui.ui.commands.keys import spell_out
from acp_tui.ui.commands.registry import BY_ID, COMMANDS
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.kit.theme import grounds_of
from acp_tui.ui.palette.palette import Palette, PaletteItem, PaletteRows, Row
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
    SearchTexts,
    Value,
    command_rows,
    offer_rows,
    past_session_rows,
    runs_row,
    tab_row,
    theme_row,
)
from acp_tui.views.session_labels import LOOKS, waiting

USED = "palette"  # the name under which is kept what was used
SHOWN, KEPT = 3, 10  # of them; some may be another agent's
SUGGESTED = ("new_session", "browse_sessions", "pick_model", "settings", "pick_theme", "find", "help")
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
    """The other sessions that are open."""

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
        agent = sanitise_line(self._view.agent_name, 30) or "Agent"
        found = PaletteRows(commands, slash_rows(offers, agent, self._write), list(others))
        present = {row.value.id for row in (*found.commands, *found.lines)}
        recently = [each for each in _used() if each in present][:SHOWN]
        self._view.open(Palette(found, recently, _suggested(self._view.session), more), _chosen)

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
    """What was used recently, by ids, the last first."""
    kept = recall().get(USED)
    return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []


def _suggested(session: Session) -> Sequence[str]:
    """What one wants most often, as things are."""
    asked = ["answer_permission"] if waiting(session) else []
    return [*asked, *(["cancel"] if session.turn.active else []), *SUGGESTED]
