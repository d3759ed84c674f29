"""What was sent from the prompt: a shell command, a slash command of whichever side, or a prompt.

One after the other: where a line has to wait, what was sent after it waits too.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.session.changes import Change, CommandsChanged
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import LEAVING, Draft, EditorExtension
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.prompt.shell import line_of
from acp_tui.views.command_index import EXPECTED, PREFIXES, Offer, SessionCommands, SlashCommands, read_line

AS_TEXT = "Enter again sends it as text."
_BREAKS = re.compile(r"\s*[\r\n]+\s*")


def obstacle(draft: Draft, commands: SlashCommands) -> str:
    """Why a draft is not sent unasked: it looks like a slash command and is none; empty if it may go."""
    line = read_line(draft.text)
    if line is None:
        return ""
    name, argument = line
    offer = commands.named(name)
    if offer is None and commands.of_line(draft.text) is None:
        return f"This agent has no /{name}." if name in EXPECTED else "No such command."
    if offer is not None and offer.command is not None:
        if draft.attachments:
            return f"/{name} takes no attachments."
        if argument and not offer.command.argument:
            return f"/{name} takes no argument."
    return ""


class Ways(NamedTuple):
    """Where what was sent goes.

    `prompt` takes what is for the agent, `own` an own prompt with its argument and the draft that asked for it, `run` a
    command of ours by its id and argument, `shell` a command line.
    """

    prompt: Callable[[Draft], object]
    own: Callable[[OwnPrompt, str, Draft], Awaitable[None]]
    run: Callable[[str, str], object]
    shell: Callable[[str], object]


class SentLines(EditorExtension):
    """What was sent from one prompt, each on its way."""

    def __init__(self, view: SessionView, editor: PromptEditor, commands: SessionCommands, ways: Ways) -> None:
        self._view, self._editor, self._commands, self._ways = view, editor, commands, ways
        self._asked = ""
        self._elsewhere: Callable[[Draft], None] | None = None
        self._waiting: list[tuple[Draft, float]] = []

    def go_elsewhere(self, send: Callable[[Draft], None]) -> None:
        """Another session is in this place: what waits, and what is still sent, is sent there."""
        rest, self._waiting[1:] = self._waiting[1:], []
        self._elsewhere = send
        for draft, _ in rest:
            send(draft)

    def holds_back(self, draft: Draft) -> bool:
        """Hold back what looks like a slash command and is none; sent once more as it is, it goes as text."""
        if draft.text == self._asked or self._commands.waiting(draft.text, self._now):
            return False
        told = obstacle(draft, self._commands.now)
        if told:
            self._asked = draft.text
            near = self._commands.now.nearest(draft.text)
            self._view.say(f"{told} {AS_TEXT}{f' Did you mean /{near}?' if near else ''}", 5)
        return bool(told)

    def send(self, draft: Draft) -> None:
        if self._elsewhere is not None:
            self._elsewhere(draft)
            return
        sent_at = self._now
        if self._waiting or self._must_wait(draft, sent_at):
            self._waiting.append((draft, sent_at))
            if len(self._waiting) == 1:
                self._editor.run_worker(self._send_waiting(), group="sent")
        else:
            self._act(draft)

    async def _send_waiting(self) -> None:
        while self._waiting:
            draft, sent_at = self._waiting[0]
            try:
                if draft.text != self._asked:
                    await self._commands_told(draft, sent_at)
                own = self._own_prompt(draft)
                if own is None:
                    self._act(draft)
                else:
                    await self._ways.own(*own, draft)
            finally:
                self._waiting.pop(0)

    async def _commands_told(self, draft: Draft, sent_at: float) -> None:
        """Wait until the agent has said which commands it has, or its time is over."""
        came = asyncio.Event()

        def heard(change: Change) -> None:
            if isinstance(change, CommandsChanged):
                came.set()

        unsubscribe = self._view.session.subscribe(heard)
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(came.wait(), self._commands.waiting(draft.text, sent_at))
        finally:
            unsubscribe()

    def _must_wait(self, draft: Draft, sent_at: float) -> bool:
        if draft.text == self._asked:
            return False
        return self._commands.waiting(draft.text, sent_at) > 0 or self._own_prompt(draft) is not None

    def _own_prompt(self, draft: Draft) -> tuple[OwnPrompt, str] | None:
        """The own prompt that a draft asks for, and its argument."""
        meant = None if draft.text == self._asked else self._commands.now.of_line(draft.text)
        return (meant[0].prompt, meant[1]) if meant is not None and meant[0].prompt is not None else None

    def _act(self, draft: Draft) -> None:
        line = line_of(draft.text)
        if line is not None:
            self._ways.shell(line)
        elif draft.text.rstrip() in LEAVING and not draft.attachments:
            self._ways.run("quit", "")
        elif self.holds_back(draft):
            self._editor.give_back(draft.text, draft.attachments)
        else:
            as_text, self._asked = draft.text == self._asked, ""
            meant = None if as_text else self._commands.now.of_line(draft.text)
            if meant is None:
                self._ways.prompt(draft)
            else:
                self._use(draft, *meant)

    def _use(self, draft: Draft, offer: Offer, argument: str) -> None:
        if offer.command is not None:
            self._ways.run(offer.command.id, _BREAKS.sub(" ", argument))
        else:
            named = f"/{PREFIXES['agent']}{offer.agent_name}"
            text = f"/{offer.agent_name}{draft.text[len(named) :]}" if draft.text.startswith(named) else draft.text
            self._ways.prompt(replace(draft, text=text if argument else text.rstrip()))

    @property
    def _now(self) -> float:
        return self._view.session.clock()
