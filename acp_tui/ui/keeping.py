"""Whether what a person chose is to be kept for the next sessions: asked once, in one line, beside the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from acp_tui.host.choices import Choice
from acp_tui.ui.commands.table import first_way
from acp_tui.ui.render.text import cut, sanitise_line
from acp_tui.ui.tones import KEY, MUTED

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen

NAMED = 3


class OfferLine(Static):
    """One row above the status line."""

    DEFAULT_CSS = """
    OfferLine { display: none; height: 1; padding: 0 3; margin: 1 0 0 0; }
    """

    def __init__(self) -> None:
        super().__init__(id="offer")
        self._words = ""

    def show(self, words: str) -> None:
        """Offer this; nothing, where the words are empty."""
        self._words = words
        self.display = bool(words)
        self._paint()

    def on_resize(self) -> None:
        """Another width cuts elsewhere."""
        self._paint()

    def _paint(self) -> None:
        keys = ((first_way("keep_choices"), " keep · "), (first_way("decline_choices"), " do not"))
        hint = Content.assemble(*(part for key, word in keys for part in ((key, KEY), (word, MUTED))))
        words = Content(cut(self._words, max(8, self.size.width - hint.cell_length - 2)))
        gap = " " * max(1, self.size.width - words.cell_length - hint.cell_length)
        self.update(Content.assemble(words, gap, hint))


class KeepingActs:
    """The choices of one session."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen
        self._offered: tuple[Choice, ...] = ()

    def look(self) -> None:
        """Something was chosen: offer to keep what was not offered before."""
        screen = self._screen
        self._offered = screen.client.kept.unknown(screen.client.choices(screen.session))
        screen.offer.show(self._question() if self._offered else "")

    def pass_by(self) -> None:
        """The person goes on without an answer: enough asked about these, in the next sessions too."""
        if self._offered:
            self.decline()

    def keep(self) -> None:
        """Keep what was chosen."""
        screen = self._screen
        chosen = screen.client.kept.unkept(screen.client.choices(screen.session))
        if not chosen:
            self._say("There is nothing new to keep")
            return
        screen.client.kept.keep(chosen)
        self.look()
        self._say(f"Kept: {_named(chosen)}")

    def decline(self) -> None:
        """Leave it to the agent from the next session on."""
        screen = self._screen
        unknown = screen.client.kept.unknown(screen.client.choices(screen.session))
        if unknown:
            screen.client.kept.decline(unknown)
            self.look()

    def forget(self) -> None:
        """Keep nothing any more."""
        self._screen.client.kept.forget()
        self.look()
        self._say("No options are kept for this agent any more")

    def _question(self) -> str:
        agent = sanitise_line(self._screen.session.agent_name, 40) or "this agent"
        return f"Keep {_named(self._offered)} for {agent}?"

    def _say(self, text: str) -> None:
        self._screen.app.notify(text, markup=False, timeout=4)


def _named(choices: tuple[Choice, ...]) -> str:
    names = ", ".join(sanitise_line(str(choice), 60) for choice in choices[:NAMED])
    return f"{names} and {len(choices) - NAMED} more" if len(choices) > NAMED else names
