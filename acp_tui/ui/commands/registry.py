"""All commands, in the order in which help shows them, and what is generated from them."""

from collections.abc import Iterable

from textual.binding import Binding

from acp_tui.ui.commands import (
    application,
    connection,
    inspect,
    options,
    prompt,
    queue,
    sessions,
    transcript,
    turn,
    view,
)
from acp_tui.ui.commands.command import Command, Scope

COMMANDS: tuple[Command, ...] = (
    turn.Submit(),
    turn.NewLine(),
    turn.Cancel(),
    turn.Interrupt(),
    turn.OlderPrompt(),
    turn.NewerPrompt(),
    turn.SearchHistory(),
    prompt.PickEarlier(),
    prompt.EditExternally(),
    prompt.AttachOutput(),
    prompt.UnfoldPaste(),
    prompt.Undo(),
    turn.WithdrawQueued(),
    queue.FocusQueue(),
    turn.CancelWork(),
    options.NextMode(),
    options.PickModel(),
    options.NextThoughtLevel(),
    options.ChangeModelConfig(),
    options.AllOptions(),
    view.AnswerPermission(),
    view.ToggleDetails(),
    view.TogglePlan(),
    view.FocusTranscript(),
    view.Find(),
    view.ToggleSidebar(),
    view.ToggleFollow(),
    view.OpenInEditor(),
    view.ShowNotices(),
    view.PageUp(),
    view.PageDown(),
    view.ToStart(),
    view.ToEnd(),
    transcript.PreviousBlock(),
    transcript.NextBlock(),
    transcript.PreviousPrompt(),
    transcript.NextPrompt(),
    transcript.UnfoldBlock(),
    transcript.FullScreenDiff(),
    transcript.OpenBlock(),
    transcript.CopyBlock(),
    transcript.CopyBlockCode(),
    inspect.InspectBlock(),
    queue.PreviousQueued(),
    queue.NextQueued(),
    queue.EditQueued(),
    queue.MoveQueuedUp(),
    queue.MoveQueuedDown(),
    queue.DeleteQueued(),
    sessions.NewSession(),
    sessions.NewAgent(),
    sessions.BrowseSessions(),
    sessions.SwitchSession(),
    *(sessions.by_number(number) for number in range(1, sessions.DIGITS + 1)),
    sessions.NextSession(),
    sessions.PreviousSession(),
    sessions.ForkSession(),
    sessions.RenameSession(),
    sessions.CloseSession(),
    connection.RestartAgent(),
    connection.ShowErrors(),
    connection.LogIn(),
    connection.LogOut(),
    connection.KeepChoices(),
    connection.DeclineChoices(),
    connection.ForgetChoices(),
    inspect.SearchRecords(),
    application.Palette(),
    application.ShowHelp(),
    application.QuestionMark(),
    application.CopyAnswer(),
    application.CopyCode(),
    application.CopyTranscript(),
    application.ExportMarkdown(),
    application.ExportJson(),
    inspect.Inspect(),
    application.ToggleTheme(),
    application.PickTheme(),
    prompt.Suspend(),
    application.EndOfInput(),
    application.Quit(),
)


class Leader:
    """The key that makes the next one a command's `leader`; empty where there is none."""

    key: str = "ctrl+x"


LEADER = Leader()
BY_ID = {command.id: command for command in COMMANDS}
BY_LEADER: dict[str, Command] = {}
BY_TRANSCRIPT_KEY: dict[str, Command] = {}
BY_CATEGORY = {command.category: command for command in COMMANDS if command.category}


def note_keys() -> None:
    """The keys of commands changed: find commands by the new ones."""
    BY_LEADER.clear()
    BY_LEADER.update({command.leader: command for command in COMMANDS if command.leader})
    BY_TRANSCRIPT_KEY.clear()
    for command in COMMANDS:
        BY_TRANSCRIPT_KEY.update(dict.fromkeys(command.keys, command) if command.scope == "transcript" else {})


note_keys()


def bindings(scope: Scope) -> list[Binding]:
    """Textual's bindings for the commands of one scope, with the keys that they have now."""
    return [_binding(command) for command in COMMANDS if command.scope == scope and command.keys]


def grouped(commands: Iterable[Command] = COMMANDS) -> dict[str, list[Command]]:
    """The commands by group, in order."""
    groups: dict[str, list[Command]] = {}
    for command in commands:
        groups.setdefault(command.group, []).append(command)
    return groups


def _binding(command: Command) -> Binding:
    keys = ",".join(command.keys)
    action = f"screen.command('{command.id}')"
    return Binding(keys, action, command.label, show=False, tooltip=command.tooltip, id=command.id)
