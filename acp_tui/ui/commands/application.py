"""Commands of the program itself: help, palette, copy, theme, quit."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from acp_tui.ui.commands.command import Command, Scope

if TYPE_CHECKING:
    from acp_tui.ui.screen import ConversationScreen


class ApplicationCommand(Command):
    """A command about the program."""

    group: ClassVar[str] = "Program"


class CopyAnswer(ApplicationCommand):
    """Copy the last answer."""

    id = "copy_answer"
    leader = "y"
    label = "Copy the last answer"
    tooltip = "The agent's last message, as markdown, to the clipboard"

    def run(self, screen: ConversationScreen) -> None:
        """Copy it."""
        screen.copies.last_answer()


class CopyCode(ApplicationCommand):
    """Copy the last code block."""

    id = "copy_code"
    leader = "k"
    label = "Copy the last code block"
    tooltip = "The last fenced code of the agent's messages, to the clipboard"

    def run(self, screen: ConversationScreen) -> None:
        """Copy it."""
        screen.copies.last_code()


class CopyTranscript(ApplicationCommand):
    """Copy everything."""

    id = "copy_transcript"
    label = "Copy the whole transcript"
    tooltip = "All of the session as markdown, to the clipboard"

    def run(self, screen: ConversationScreen) -> None:
        """Copy it."""
        screen.copies.transcript()


class ExportMarkdown(ApplicationCommand):
    """Export for people."""

    id = "export_markdown"
    label = "Export to Markdown"
    tooltip = "All of the session as a Markdown file; asks for its name and never overwrites"

    def run(self, screen: ConversationScreen) -> None:
        """Ask for the name."""
        from acp_tui.ui.exports import export_markdown  # noqa: PLC0415 (the first frame does not need it)

        export_markdown(screen.app, screen.session)


class ExportJson(ApplicationCommand):
    """Export for programs."""

    id = "export_json"
    label = "Export to JSON"
    tooltip = "Everything that is known of the session as a JSON file; asks for its name and never overwrites"

    def run(self, screen: ConversationScreen) -> None:
        """Ask for the name."""
        from acp_tui.ui.exports import export_json  # noqa: PLC0415 (the first frame does not need it)

        export_json(screen.app, screen.session)


class ShowHelp(ApplicationCommand):
    """Show the keys."""

    id = "help"
    keys = ("f1",)
    leader = "question_mark"
    label = "Help"
    tooltip = "All keys and what they do (also ? on an empty prompt)"

    def run(self, screen: ConversationScreen) -> None:
        """Open the help screen."""
        from acp_tui.ui.help import HelpScreen  # noqa: PLC0415 (the first frame does not need it)

        screen.app.push_screen(HelpScreen())


class QuestionMark(ApplicationCommand):
    """Help by `?` where nothing is written."""

    id = "question_mark"
    keys = ("question_mark",)
    label = "Help on an empty prompt"
    tooltip = "All keys and what they do"
    scope: ClassVar[Scope] = "prompt"
    footer = "help"
    footer_rank = 1
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Open the help screen, or write a question mark."""
        if screen.editor.text:
            screen.editor.insert_typed("?")
        else:
            ShowHelp().run(screen)


class Palette(ApplicationCommand):
    """All commands in a list."""

    id = "palette"
    keys = ("ctrl+p",)
    label = "Command palette"
    tooltip = "Find any command by its name"
    footer = "palette"
    footer_rank = 0
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Open the palette."""
        from acp_tui.ui.palette import open_palette  # noqa: PLC0415 (the first frame does not need it)

        open_palette(screen)


class ToggleTheme(ApplicationCommand):
    """Dark or light."""

    id = "toggle_theme"
    label = "Dark or light"
    tooltip = "Switch between the dark and the light theme"

    def run(self, screen: ConversationScreen) -> None:
        """Switch."""
        screen.app.theme = "acp-light" if screen.app.current_theme.dark else "acp-dark"


class PickTheme(ApplicationCommand):
    """Any theme."""

    id = "pick_theme"
    label = "Pick a theme"
    tooltip = "All themes, in a list"

    def run(self, screen: ConversationScreen) -> None:
        """Open the list of themes."""
        from acp_tui.ui.palette import open_themes  # noqa: PLC0415 (the first frame does not need it)

        open_themes(screen)


class EndOfInput(ApplicationCommand):
    """Ctrl+D, as shells have it."""

    id = "end_of_input"
    keys = ("ctrl+d",)
    label = "Quit on an empty prompt"
    tooltip = "Quits if nothing is written, else deletes to the right"
    scope: ClassVar[Scope] = "prompt"
    in_palette = False

    def run(self, screen: ConversationScreen) -> None:
        """Quit if nothing is written."""
        if screen.editor.text:
            screen.editor.action_delete_right()
        else:
            screen.leaving.quit()


class Quit(ApplicationCommand):
    """Leave."""

    id = "quit"
    keys = ("ctrl+q",)
    label = "Quit"
    tooltip = "End the agent and leave; asks first if the agent is at work"
    footer = "quit"

    def run(self, screen: ConversationScreen) -> None:
        """Leave, if nothing would be lost."""
        screen.leaving.quit()
