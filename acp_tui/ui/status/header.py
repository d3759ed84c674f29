"""The first line: who speaks, where, about what, and how that stands; with several sessions, which ones."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import Static

from acp_tui.host.client import Client
from acp_tui.session.state import Session
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut, cut_left, sanitise_line
from acp_tui.ui.sessions.strip import Label, standing_of, strip_of, strip_width
from acp_tui.views.formatting import elsewhere, home_path

SEPARATOR = " · "
WARNING = "bold $warning"
USUAL = "ACP 1"  # a protocol that need not be named where room is short
BESIDE_TABS = ((60, 60), (24, 24), (16, 16), (10, 10), (16, 0), (8, 0))  # cells of agent and folder: the first to fit
VERSION_WANTS = 24  # cells for the agent, from which its version has room
NAME_WANTS = 14  # cells of a session's name beside that
TITLE_WANTS, FOLDER_WANTS = 24, 12  # cells; below that the folder, then what is spoken, makes room for the title


def agent_title(client: Client, session: Session) -> str:
    """The agent's name and version as one reads them; before it answered, the command."""
    agent = client.connection.agent
    if agent is None:
        argv = client.command.argv
        return sanitise_line(session.agent_name or (argv[0].rsplit("/", 1)[-1] if argv else "agent"), 40)
    name = sanitise_line(agent.title or agent.name, 40)
    version = sanitise_line(agent.version, 16)
    return f"{name} {version}".strip()


class HeaderLine(Static):
    """One row: agent · what it speaks · folder · title, and the state; with several sessions their tabs."""

    def __init__(self, client: Client, session: Session, labels: Callable[[], Sequence[Label]]) -> None:
        super().__init__(id="header")
        self._client, self._session, self._labels = client, session, labels
        self._places: tuple[tuple[int, int, int], ...] = ()
        self.clicked: Callable[[int], object] = lambda _number: None  # a tab, or 0: what stands for other sessions

    def look(self) -> None:
        self.update(self._line(self.size.width), layout=False)

    def on_resize(self) -> None:
        self.look()

    def on_click(self, event: events.Click) -> None:
        x = event.x - self.gutter.left
        for start, end, number in self._places:
            if start <= x < end:
                self.clicked(number)
                return

    def _line(self, width: int) -> Content:
        labels = self._labels()
        if len(labels) < 2:
            return self._about(width)
        agent = self._beside_tabs(labels, width)
        strip = strip_of(labels, width - agent.cell_length - len(SEPARATOR))
        self._places = (*strip.places, (0, strip.content.cell_length, 0))  # beside them: those that are left out
        gap = max(1, width - strip.content.cell_length - agent.cell_length)
        return Content.assemble(strip.content, " " * gap, agent).truncate(width, ellipsis=True)

    def _beside_tabs(self, labels: Sequence[Label], width: int) -> Content:
        """Agent, protocol where it is not the usual one, and folder, as far as the tabs leave room for it."""
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
        look = standing_of(self._session, self._client.connection)
        right = Content.assemble((look.sign, look.tone), (f" {look.words}", MUTED if look.calm else look.tone))
        room = width - right.cell_length - 2
        self._places = ((width - right.cell_length, width, 0),)
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
