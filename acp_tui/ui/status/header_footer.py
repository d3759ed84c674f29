"""The rows at the screen's edges: the header with its tabs, and the selector bar; and the welcome."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style as ContentStyle
from textual.widgets import Static

from acp_tui.host.client import Client
from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import WINNING
from acp_tui.ui.kit.theme import ACCENT, FAINT, MUTED
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, cut_left, painted, sanitise_line
from acp_tui.ui.render.wrap import LEFT, Row, block_edge
from acp_tui.ui.status.footer import SIDEBAR
from acp_tui.views.board import TabLabel, total_of
from acp_tui.views.formatting import SEPARATOR, elsewhere, home_path, usage_notes
from acp_tui.views.options import OptionLabel, can_change, option_labels
from acp_tui.views.status import LOOKS, agent_title, standing_of

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.session_updates import AvailableCommand

COMMANDS_SHOWN = 3  # of the agent's own, which show what it is good for
FIRST = ("init", "review")  # of these, if it has them
NEEDED = (0, 3, 1, 4, 2)  # of the ways that every agent has: commands, shortcuts, mentions, the palette, the shell
SHORT = 50  # characters of a description that is short
NAME_AT_MOST = 24


class Welcome:
    """The empty transcript, at its top, so that nothing moves when the conversation begins there."""

    def __init__(self, session: Session, touches: Callable[[], bool] = bool) -> None:
        """`touches`: the header stands right above it now."""
        self._session, self._touches = session, touches

    def rows(self, width: int, height: int, palette: Palette) -> Sequence[Row]:
        """At most `height` rows, the most needed ones; none before the agent is ready, or without room."""
        touches = self._touches()
        ways = most_needed(list(self._ways()), height - 2 - touches)
        if not (self._session.id and ways):
            return ()
        column = max(cell_len(way) for way, _ in ways) + 2
        room = block_edge(width) - LEFT - column
        name = sanitise_line(self._session.agent_name, 60) or "The agent"
        rows = [_row((name, palette.agent + Style(bold=True)), (" is ready", palette.muted)), _row()]
        rows += [
            _row((way + " " * (column - cell_len(way)), palette.text), (cut(words, room), palette.muted))
            for way, words in ways
        ]
        return [*[_row()] * touches, *rows] if room > 0 else ()

    def _ways(self) -> Iterator[tuple[str, str]]:
        commands = [each for each in self._session.commands if each.type == "command"]
        own = [each for each in commands if each.name not in WINNING]  # what is typed so is the agent's
        for command in sorted(own, key=_rank)[:COMMANDS_SHOWN]:
            yield f"/{sanitise_line(command.name, NAME_AT_MOST)}", sanitise_line(command.description)
        more = len(commands) > COMMANDS_SHOWN
        yield "/", f"All commands ({len(commands)})" if more else "Slash commands"
        yield "@", "Mention a file or folder"
        yield "!", "Run a shell command"
        yield first_way("question_mark"), "Keyboard shortcuts"
        yield first_way("palette"), "Command palette"


def most_needed(ways: list[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    """At most `count` of the ways, in their order: the agent's own commands go first, then those needed least."""
    others = len(ways) - len(NEEDED)
    order = [*(others + each for each in NEEDED), *range(others)]
    return [ways[at] for at in sorted(order[: max(0, count)])]


def _rank(command: "AvailableCommand") -> tuple[int, int]:
    """First what most agents have, then what a row can explain; the others in the agent's order."""
    common = FIRST.index(command.name) if command.name in FIRST else len(FIRST)
    return common, len(command.description) > SHORT


def _row(*runs: tuple[str, Style]) -> Row:
    return Row([Segment(" " * LEFT), *(Segment(text, style) for text, style in runs)], 0, gutter=LEFT)


WARNING = "bold $warning"
GAP = 3  # cells between two tabs
NAMES = (26, 20, 14, 9, 5)  # cells of a name; the first that fits is taken
USUAL = "ACP 1"  # a protocol that need not be named where room is short
BESIDE_TABS = ((60, 60), (24, 24), (16, 16), (10, 10), (16, 0), (8, 0))  # cells of agent and folder: the first to fit
VERSION_WANTS = 24  # cells for the agent, from which its version has room
NAME_WANTS = 14  # cells of a session's name beside that
TITLE_WANTS, FOLDER_WANTS = 24, 12  # cells; below that the folder, then what is spoken, makes room for the title


class HeaderLine(Static):
    """One row: agent · what it speaks · folder · title, and the state; with several sessions their tabs."""

    @dataclass
    class TabClicked(Message):
        """The tab of a session was clicked; 0 is what stands for other sessions."""

        number: int

    def __init__(self, client: Client, session: Session, labels: Callable[[], Sequence[TabLabel]]) -> None:
        super().__init__(id="header")
        self._client, self._session, self._labels = client, session, labels
        self._places: tuple[tuple[int, int, int], ...] = ()

    def look(self) -> None:
        self.update(self._line(self.size.width), layout=False)

    def on_resize(self) -> None:
        self.look()

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for start, end, number in self._places:
            if start <= x < end:
                self.post_message(self.TabClicked(number))
                return

    def _line(self, width: int) -> Content:
        labels = self._labels()
        if len(labels) < 2:
            return self._about(width)
        agent = self._agent_words(labels, width)
        strip = strip_of(labels, width - agent.cell_length - len(SEPARATOR))
        if len(strip.places) < len(labels):  # each tab in sight has its own sign
            agent = self._beside_tabs(labels, width)
            strip = strip_of(labels, width - agent.cell_length - len(SEPARATOR))
        words = ((0, strip.content.cell_length), (width - agent.cell_length, width))
        self._places = (*strip.places, *((start, end, 0) for start, end in words))  # beside them: those left out
        gap = max(1, width - strip.content.cell_length - agent.cell_length)
        return Content.assemble(strip.content, " " * gap, agent).truncate(width, ellipsis=True)

    def _beside_tabs(self, labels: Sequence[TabLabel], width: int) -> Content:
        counts = painted([part for each in total_of(labels).parts for part in (each, (" ", ""))]).rstrip()
        if not counts:
            return self._agent_words(labels, width)
        words = self._agent_words(labels, width - counts.cell_length - len(SEPARATOR))
        return Content.assemble(counts, (SEPARATOR, MUTED), words)

    def _agent_words(self, labels: Sequence[TabLabel], width: int) -> Content:
        if beyond := self._elsewhere():
            return Content.styled(_cut_folders(beyond, max(20, width // 3)), WARNING)
        folder, full = self._folder, agent_title(self._client, self._session)
        named = self._client.connection.agent
        short = full if named is None else full.removesuffix(sanitise_line(named.version, 16)).rstrip()
        spoken = self._client.connection.spoken
        spoken = "" if spoken == USUAL else spoken
        told = ""
        for agent_cells, folder_cells in BESIDE_TABS:
            agent = full if agent_cells >= VERSION_WANTS or not folder_cells else short
            parts = cut(agent, agent_cells), spoken, cut_left(folder, folder_cells) if folder_cells else ""
            told = SEPARATOR.join(filter(None, parts))
            if strip_width(labels, NAME_WANTS) + len(SEPARATOR) + cell_len(told) <= width:
                break
        return Content.styled(cut(told, max(8, width // 2)), MUTED)

    def _about(self, width: int) -> Content:
        sign = standing_of(self._session, self._client.connection)
        right = Content.assemble((sign.sign, tone := f"${sign.tone}"), (f" {sign.words}", MUTED if sign.calm else tone))
        if sign.sign == LOOKS["waiting"].sign:  # the panel, or its one line, has that
            right = Content("")
        room = width - right.cell_length - 2
        left = Content.styled(agent_title(self._client, self._session), "bold")
        title = sanitise_line(self._session.title or "")
        spoken, folder = self._client.connection.spoken, self._folder
        if beyond := self._elsewhere():
            left = Content.styled(cut(left.plain, max(8, room // 3)), "bold")
            for_it = max(20, room - left.cell_length - 2 * len(SEPARATOR) - min(cell_len(title), TITLE_WANTS))
            left += Content.assemble((SEPARATOR, MUTED), (_cut_folders(beyond, for_it), WARNING))
            spoken = folder = ""
        wanted = len(SEPARATOR) + min(cell_len(title), TITLE_WANTS) if title else 0
        for_folder = room - left.cell_length - wanted - len(SEPARATOR)
        if spoken and for_folder - len(SEPARATOR + spoken) >= min(cell_len(folder), FOLDER_WANTS):
            left += Content.styled(SEPARATOR + spoken, MUTED)
            for_folder -= len(SEPARATOR + spoken)
        if folder and for_folder >= min(cell_len(folder), FOLDER_WANTS):
            left += Content.styled(SEPARATOR + cut_left(folder, for_folder), MUTED)
        if title:
            left += Content.assemble((SEPARATOR, MUTED), cut(title, max(1, room - left.cell_length - len(SEPARATOR))))
        left = left.truncate(max(1, room), ellipsis=True)
        self._places = ((0, left.cell_length, 0), (width - right.cell_length, width, 0))  # its words, not the gap
        return Content.assemble(left, " " * (width - left.cell_length - right.cell_length), right)

    @property
    def _folder(self) -> str:
        return cut_left(sanitise_line(home_path(self._session.cwd), 4096), 60)

    def _elsewhere(self) -> list[str]:
        return elsewhere(self._client.roots(self._session), self._client.roots())


def _cut_folders(folders: Sequence[str], width: int) -> str:
    more = f" +{len(folders) - 1}" if len(folders) > 1 else ""
    lead = "outside: "
    return lead + cut_left(sanitise_line(home_path(folders[0]), 4096), max(8, width - len(lead) - len(more))) + more


class Strip(NamedTuple):
    """What is shown, and which cells show which number."""

    content: Content
    places: tuple[tuple[int, int, int], ...]


def strip_of(labels: Sequence[TabLabel], width: int) -> Strip:
    """As many tabs as fit in `width` cells, with the current one; those left out are counted at either side."""
    for cells in NAMES:
        if strip_width(labels, cells) <= width:
            return _drawn(labels, cells, 0, 0)
    first, last = _around(labels, NAMES[-1], width)
    return _drawn(labels[first:last], NAMES[-1], first, len(labels) - last)


def _around(labels: Sequence[TabLabel], cells: int, width: int) -> tuple[int, int]:
    at = next((index for index, label in enumerate(labels) if label.current), 0)
    first, last = at, at + 1
    while True:
        grown = [(first, last + 1)] * (last < len(labels)) + [(first - 1, last)] * (first > 0)
        fitting = [(a, b) for a, b in grown if strip_width(labels[a:b], cells) + 2 * (GAP + 3) <= width]
        if not fitting:
            return first, last
        first, last = fitting[0]


def strip_width(labels: Sequence[TabLabel], cells: int) -> int:
    """Cells that all tabs take with names of at most so many."""
    return sum(_words(label, cells).cell_length for label in labels) + GAP * max(0, len(labels) - 1)


def _words(label: TabLabel, cells: int) -> Content:
    look = LOOKS[label.state]
    parts: list[tuple[str, str]] = [
        (f"{label.number} ", f"{ACCENT} underline" if label.current else FAINT),
        ("└ " * label.branch, f"{FAINT} underline" if label.current else FAINT),
        (cut(label.name, cells), "bold underline" if label.current else MUTED),
    ]
    if look.sign:
        many = f"{label.counts.needs:,}" if label.counts.needs > 1 else ""
        parts.append((f" {look.sign}{many}", f"${look.tone}"))
    return Content.assemble(*parts)


def _drawn(labels: Sequence[TabLabel], cells: int, before: int, after: int) -> Strip:
    line = Content.styled(f"+{before}" + " " * GAP, FAINT) if before else Content("")
    places: list[tuple[int, int, int]] = []
    for label in labels:
        if places:
            line += Content(" " * GAP)
        start = line.cell_length
        line += _words(label, cells)
        places.append((start, line.cell_length, label.number))
    if after:
        line += Content.styled(" " * GAP + f"+{after}", FAINT)
    return Strip(line, tuple(places))


WIDEST = 40  # cells of either part of the usage
OPTION = "option"  # what the cells of one carry


def fitting(labels: Sequence[OptionLabel], width: int) -> int:
    """How many of the labels are shown in `width` cells: all, else the first of them and the count of the others."""
    widths = [painted(label.words()).cell_length for label in labels]
    if sum(widths) + GAP * max(0, len(labels) - 1) <= width:
        return len(labels)
    shown, taken = min(1, len(labels) - 1), -GAP
    for count, label_width in enumerate(widths[:-1], 1):
        taken += GAP + label_width
        if taken + GAP + len(f"+{len(labels) - count}") > width:
            break
        shown = count
    return shown


class Modal(Protocol):
    """What is edited in modes, as with vim's keys."""

    @property
    def mode(self) -> str: ...


class SelectorBar(Static):
    """One row; a click on an option changes it: there are none while no agent could do that.

    It does not tell the usage where a status line of one's own or the sidebar does.
    """

    shows_usage = True

    @dataclass
    class OptionClicked(Message):
        """The user clicked an option, or (with an empty id) the count of those that do not fit."""

        option_id: str

    def __init__(self, client: Client, session: Session, prompt: Modal) -> None:
        super().__init__(id="selectors")
        self._client, self._session, self._prompt = client, session, prompt

    def look(self) -> None:
        """What there is to show; without anything the prompt does without the row, and the one before it."""
        session, connection = self._session, self._client.connection
        has_words = bool(session.config_options and can_change(session, connection)) or bool(self._prompt.mode)
        has_usage = self.shows_usage and session.usage is not None
        self.display = has_words or has_usage or connection.phase == "starting"
        self.update(self._line(self.size.width), layout=False)

    def on_resize(self) -> None:
        self.look()

    def on_click(self, event: events.Click) -> None:
        option_id = event.style.meta.get(OPTION)
        if option_id is not None:
            self.post_message(self.OptionClicked(option_id))

    def _line(self, width: int) -> Content:
        labels = option_labels(self._session) if can_change(self._session, self._client.connection) else []
        notes = usage_notes(self._session.usage) if self.shows_usage and not self.screen.has_class(SIDEBAR) else [[]]
        mode = Content.styled(word + " " * GAP, f"{MUTED} bold") if (word := self._prompt.mode) else Content("")
        width -= mode.cell_length
        for note in notes:
            usage = painted(note, WIDEST)
            hidden = len(labels) - fitting(labels, width - usage.cell_length - GAP)
            if not hidden:
                break
        shown = [(label.option_id, painted(label.words())) for label in labels[: len(labels) - hidden]]
        rest = f"+{hidden}" if hidden else ""
        room = max(4, width - usage.cell_length - GAP - (GAP + len(rest) if rest else 0))
        shown += [("", Content.styled(rest, ACCENT))] if rest else []
        parts = [
            part.truncate(room, ellipsis=True).stylize(ContentStyle.from_meta({OPTION: each})) for each, part in shown
        ]
        line = Content(" " * GAP).join(parts)
        gap = max(1, width - line.cell_length - usage.cell_length)
        return Content.assemble(mode, line, " " * gap, usage)
