"""The question before a project's agent starts: everything that would be started, and yes or no."""

import shlex

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from acp_tui.host.launch import Consent, Launch
from acp_tui.ui.figures import home_path
from acp_tui.ui.overlay import Overlay
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.tones import MUTED

LABEL = 13
ANSWERS = (("no", "n  Do not start it"), ("yes", "y  Start it, and ask again only when this changes"))


def told(launch: Launch, consent: Consent) -> Content:
    """Everything that the project has a say in. Values of variables are not shown, their names are."""
    rows = [
        ("runs", shlex.join(launch.command.argv)),
        ("in", home_path(str(launch.cwd))),
        ("variables", ", ".join(sorted(launch.command.env))),
        ("more folders", ", ".join(home_path(folder) for folder in launch.roots)),
    ]
    rows += [
        (f"tools {server.name}", shlex.join((server.command, *server.args)) if server.command else server.url)
        for server in launch.mcp_servers
    ]
    rows.append(("says", home_path(str(consent.file))))
    lines = [
        Content.assemble((sanitise_line(label, LABEL - 1).ljust(LABEL), MUTED), sanitise_line(value, 4000))
        for label, value in rows
        if value
    ]
    return Content("\n").join(lines)


class ConsentScreen(Overlay[bool]):
    """Says what would run; nothing but `y` or choosing that answer agrees."""

    BINDINGS = [
        Binding("y", "answer(True)", show=False),
        Binding("n,escape,ctrl+c,ctrl+q", "answer(False)", show=False),
    ]

    def __init__(self, launch: Launch, consent: Consent) -> None:
        super().__init__(classes="picker")
        self._launch, self._consent = launch, consent

    def compose(self) -> ComposeResult:
        """Question, facts, answers."""
        name = sanitise_line(self._consent.name, 40)
        with Vertical(classes="picker-panel consent-panel"):
            yield Static(
                Content.assemble(("△ ", "$warning"), (f"This project wants to start “{name}”", "bold")),
                classes="picker-title",
            )
            with VerticalScroll():
                yield Static(told(self._launch, self._consent))
            yield OptionList(*(Option(Content(words), id=id_) for id_, words in ANSWERS), markup=False, compact=True)
            yield Static(
                Content.styled("It runs with your rights: agree only if you trust its author.", MUTED),
                classes="picker-hints",
            )

    def on_mount(self) -> None:
        """Stand on the answer that starts nothing."""
        answers = self.query_one(OptionList)
        answers.highlighted = 0
        answers.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Answer with the chosen line."""
        event.stop()
        self.dismiss(event.option_id == "yes")

    def action_answer(self, agreed: bool) -> None:
        """Answer by a letter."""
        self.dismiss(agreed)
