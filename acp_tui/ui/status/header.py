"""The first line: who speaks, where, and about what; with several sessions, which ones."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from acp_tui.host.client import Client
from acp_tui.session.state import Session
from acp_tui.ui.kit.figures import counted, elsewhere, home_path
from acp_tui.ui.kit.theme import MUTED
from acp_tui.ui.render.text import cut, cut_left, sanitise_line
from acp_tui.ui.sessions.strip import Label, strip_of

SEPARATOR = " · "
WARNING = "bold $warning"
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
    """One row: agent · what it speaks · folder · title; where there are several sessions, their tabs."""

    class TabClicked(Message):
        """The user clicked the tab of this number."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, client: Client, session: Session, labels: Callable[[], Sequence[Label]]) -> None:
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
            self._places = ()
            return self._about(width)
        agent = Content.styled(cut(agent_title(self._client, self._session), max(8, width // 4)), MUTED)
        if beyond := self._elsewhere():
            agent = Content.styled(_cut_folders(beyond, max(20, width // 3)), WARNING)
        strip = strip_of(labels, width - agent.cell_length - len(SEPARATOR))
        self._places = strip.places
        gap = max(1, width - strip.content.cell_length - agent.cell_length)
        return Content.assemble(strip.content, " " * gap, agent).truncate(width, ellipsis=True)

    def _about(self, width: int) -> Content:
        sessions = "● " + counted(1, "session")
        room = width - len(sessions) - 2
        left = Content.styled(agent_title(self._client, self._session), "bold")
        title = sanitise_line(self._session.title or "")
        spoken = self._client.connection.spoken
        folder = cut_left(sanitise_line(home_path(self._session.cwd), 4096), 60)
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
        if left.cell_length + len(sessions) + 2 > width:
            return left.truncate(width, ellipsis=True)
        gap = width - left.cell_length - len(sessions)
        return Content.assemble(left, " " * gap, ("●", "$success"), (sessions[1:], MUTED))

    def _elsewhere(self) -> list[str]:
        return elsewhere(self._client.roots(self._session), self._client.roots())


def _cut_folders(folders: Sequence[str], width: int) -> str:
    more = f" +{len(folders) - 1}" if len(folders) > 1 else ""
    lead = "outside: "
    return lead + cut_left(sanitise_line(home_path(folders[0]), 4096), max(8, width - len(lead) - len(more))) + more
