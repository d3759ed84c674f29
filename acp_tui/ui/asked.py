"""What the agent asks, one thing at a time and the oldest first; must not know how any of it is answered.

Permissions, forms, addresses and the options before a session wait in one queue, whichever panel asks them. A
log-in comes before all: nothing goes on without it. While one is being tried its panel only waits, and what the agent
asks comes first: it may need the answer to finish the log-in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from acp_tui.session.pending import InputOptions, PendingElicitation, PendingPermission
    from acp_tui.session.state import Session
    from acp_tui.ui.screen import ConversationScreen

Asked: TypeAlias = "PendingPermission | PendingElicitation | InputOptions"


def waiting(session: Session) -> list[Asked]:
    """All that waits for the person, the oldest first; what comes before the session before all."""
    questions: list[Asked] = [*session.permissions, *session.elicitations]
    if session.input_options is not None:
        questions.append(session.input_options)
    return sorted(questions, key=lambda asked: asked.asked_at)


def oldest_of(session: Session) -> Asked | None:
    """What waits longest, if anything does."""
    return next(iter(waiting(session)), None)


class AskedActs:
    """Which panel of one screen asks, and who has the focus."""

    def __init__(self, screen: ConversationScreen) -> None:
        self._screen = screen

    @property
    def has_focus(self) -> bool:
        """Whether the person is about to answer."""
        if not self._screen.complete:
            return False
        panels = (self._screen.login, self._screen.permission, self._screen.elicitation)
        return any(panel.has_focus or panel.has_focus_within for panel in panels)

    def came(self) -> None:
        """An empty draft gives the panel the focus; a draft keeps it, and the panel's one line says who waits."""
        screen = self._screen
        free = not screen.editor.text and not screen.completion.is_open and screen.app.screen is screen
        self._show(take_focus=free and not self.has_focus)

    def went(self) -> None:
        """The next one, or back to the prompt."""
        had_focus = self.has_focus
        if not self._show(take_focus=had_focus) and (had_focus or self._screen.focused is None):
            self._screen.focus_prompt()

    def focus(self) -> None:
        """Give what the agent asks the focus."""
        if not self._show(take_focus=True):
            self._screen.app.notify("The agent asks nothing", markup=False, timeout=3)

    def look(self) -> None:
        """Show what comes first now; the focus stays where it is."""
        self._show(take_focus=False)

    def _show(self, *, take_focus: bool) -> bool:
        """Have the oldest asked, by whichever panel; whether there is anything."""
        screen, questions = self._screen, waiting(self._screen.session)
        if not screen.complete:
            return False
        from acp_tui.session.pending import PendingPermission  # noqa: PLC0415 (the first frame does not need it)

        if screen.logins.login is not None and (screen.logins.comes_first or not questions):
            screen.logins.show(take_focus=take_focus or (self.has_focus and not screen.login.has_focus_within))
            screen.permission.put_away()
            screen.elicitation.put_away()
            return True
        take_focus = take_focus or screen.login.has_focus_within
        # The panel that asks gets the focus before the other one is hidden, or Textual would take it from both.
        match questions[0] if questions else None:
            case None:
                screen.permission.put_away()
                screen.elicitation.put_away()
            case PendingPermission():
                screen.permission.show_next(take_focus=take_focus)
                screen.elicitation.put_away()
            case oldest:
                screen.elicitations.show(oldest, take_focus=take_focus)
                screen.elicitation.count(len(questions))
                screen.permission.put_away()
        screen.login.put_away()
        return bool(questions)
