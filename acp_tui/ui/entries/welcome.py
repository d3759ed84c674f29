"""What an empty transcript says: that the agent is ready, and what one can do."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from acp_tui.session.state import Session
from acp_tui.ui.commands.key_table import first_way
from acp_tui.ui.commands.registry import WINNING
from acp_tui.ui.render.palette import Palette
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.render.unit import Row
from acp_tui.ui.render.wrap import LEFT, block_edge

COMMANDS_SHOWN = 3  # of the agent's own, which say what it is good for
NAME_AT_MOST = 24


class Welcome:
    """Stands at the bottom of the empty transcript, next to the prompt of which it speaks."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def rows(self, width: int, height: int, palette: Palette) -> Sequence[Row]:
        """At most `height` rows, the last of them blank; none before the agent is ready, or without room."""
        if not self._session.id:
            return ()
        ways = list(self._ways())
        column = max(cell_len(way) for way, _ in ways) + 2
        room = block_edge(width) - LEFT - column
        name = sanitise_line(self._session.agent_name, 60) or "The agent"
        rows = [_row((name, palette.agent + Style(bold=True)), (" is ready", palette.muted)), _row()]
        rows += [
            _row((way + " " * (column - cell_len(way)), palette.text), (cut(words, room), palette.muted))
            for way, words in ways
        ]
        return [*rows, _row()] if len(rows) + 1 < height and room > 0 else ()

    def _ways(self) -> Iterator[tuple[str, str]]:
        commands = [each for each in self._session.commands if each.type == "command"]
        own = [each for each in commands if each.name not in WINNING]  # what is typed so is the agent's
        for command in own[:COMMANDS_SHOWN]:
            yield f"/{sanitise_line(command.name, NAME_AT_MOST)}", sanitise_line(command.description)
        more = len(commands) > COMMANDS_SHOWN
        yield "/", f"All {len(commands)} agent commands, and those of acp-tui" if more else "Slash commands"
        yield "@", "Mention a file or folder"
        yield "!", "Run a shell command"
        yield first_way("question_mark"), "Keyboard shortcuts"
        yield first_way("palette"), "Command palette"


def _row(*runs: tuple[str, Style]) -> Row:
    return Row([Segment(" " * LEFT), *(Segment(text, style) for text, style in runs)], 0, gutter=LEFT)
