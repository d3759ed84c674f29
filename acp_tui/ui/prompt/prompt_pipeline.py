"""The way of a prompt that is sent: what takes it from step to step, and the steps that are the prompt's own.

The list of all steps, in their order, is in `ui/screen_parts.py`.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from acp_tui.host.prompts.mentions import AttachedBlock, Mentioned, attach, find_mention
from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.host.system.threads import in_thread
from acp_tui.protocol.vocabulary.content import TextContent
from acp_tui.ui.kit.picker import AnswerChoice
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.draft import LEAVING, Draft, EditorExtension, Stop
from acp_tui.ui.prompt.draft_actions import fitted
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.transcript.transcript_view import TranscriptView
from acp_tui.views.command_index import EXPECTED, PREFIXES, SessionCommands, SlashCommands, read_line
from acp_tui.views.row_search import PickerRow

AS_TEXT = "Press Enter again to send it as text."
WITHIN = 10.0  # seconds for each file
_BREAKS = re.compile(r"\s*[\r\n]+\s*")

Step = Callable[[Draft], Draft | Stop | Awaitable[Draft | Stop]]
"""Gives the draft as it goes on, or ends its way, or has to wait for one of both."""


def for_commands(step: Step) -> Step:
    """The step of a draft that may be a command of the client's; another one passes."""
    return lambda draft: draft if draft.verbatim else step(draft)


class SentDraft:
    """A draft on its way: as it was sent, as it is now, and at which step of which stage that is."""

    def __init__(self, draft: Draft) -> None:
        self.sent = self.draft = draft
        self.stage = self.step = 0
        self.is_busy = False  # a step has it


class PromptPipeline:
    """Drafts in the order in which they were sent; none overtakes another.

    The steps stand in stages: where a step waits, all that was sent later waits before its stage. Where none waits, a
    draft goes all its way at once and not in a task, or keys that were typed after Enter would come first.
    """

    def __init__(
        self, begin: Callable[[Coroutine[Any, Any, None]], object], give_back: Callable[[Draft], object]
    ) -> None:
        """`begin` does what has to wait beside the loop of messages; `give_back` takes drafts that are not sent."""
        self.stages: list[Sequence[Step]] = []
        self._begin, self._give_back = begin, give_back
        self._queue: list[SentDraft] = []
        self._current: SentDraft | None = None  # that a step has right now
        self._elsewhere: Callable[[Draft], None] | None = None

    @property
    def on_their_way(self) -> int:
        """How many drafts wait; of those behind the one that a step has right now none counts."""
        return len(self._queue) if self._current is None else self._queue.index(self._current)

    def send(self, draft: Draft) -> None:
        if self._elsewhere is not None:
            self._elsewhere(draft)
            return
        self._queue.append(SentDraft(draft))
        self._advance()

    def go_elsewhere(self, send: Callable[[Draft], None]) -> None:
        """Another session is in this place: what is still sent, and what was sent after the wish for it, goes there."""
        self._elsewhere = send
        behind = self.on_their_way + 1
        rest, self._queue[behind:] = self._queue[behind:], []
        for each in rest:
            send(replace(each.sent, goes=each.draft.goes))

    def _advance(self) -> None:
        """Let each go on until it waits, or comes to the stage in which the one before it is."""
        at = 0
        while at < len(self._queue):
            sent, end = self._queue[at], self._queue[at - 1].stage if at else len(self.stages)
            if sent.is_busy or sent.stage >= end:
                at += 1
            else:
                self._do(sent)

    def _do(self, sent: SentDraft) -> None:
        before, self._current, sent.is_busy = self._current, sent, True
        outcome = self.stages[sent.stage][sent.step](sent.draft)
        self._current = before
        if isinstance(outcome, Draft | Stop):
            self._leave_step(sent, outcome)
        else:
            self._begin(self._wait(sent, outcome))

    async def _wait(self, sent: SentDraft, waits: Awaitable[Draft | Stop]) -> None:
        outcome = await waits
        if sent in self._queue:  # else it was sent elsewhere meanwhile
            self._leave_step(sent, outcome)
            self._advance()

    def _leave_step(self, sent: SentDraft, outcome: Draft | Stop) -> None:
        sent.is_busy, sent.step = False, sent.step + 1
        if sent.step == len(self.stages[sent.stage]):
            sent.stage, sent.step = sent.stage + 1, 0
        if isinstance(outcome, Draft):
            sent.draft = outcome
        if isinstance(outcome, Stop) or sent.stage == len(self.stages):
            self._queue.remove(sent)
        if outcome is Stop.BACK:
            self._give_back(sent.draft)


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


class CommandSteps(EditorExtension):
    """The steps of a draft that may be a command of the client, of the agent, or an own prompt."""

    def __init__(
        self,
        view: SessionView,
        commands: SessionCommands,
        own: Callable[[OwnPrompt, str, Draft], Awaitable[Draft | Stop]],
        run: Callable[[str, str], object],
    ) -> None:
        """`own` is the step of an own prompt, with its argument; `run` does a command by its id and argument."""
        self._view, self._commands = view, commands
        self._own, self._run = own, run
        self._held = ""  # what was held back; sent once more as it is, it is text

    def holds_back(self, draft: Draft) -> bool:
        """Hold back what looks like a slash command and is none; the editor asks before it is emptied."""
        if draft.text == self._held or self._commands.waiting(draft.text, self._view.session.clock()):
            return False
        told = obstacle(draft, self._commands.now)
        if told:
            self._held = draft.text
            near = self._commands.now.nearest(draft.text)
            self._view.say(f"{told} {AS_TEXT}{f' Did you mean /{near}?' if near else ''}", 5)
        return bool(told)

    def await_lists(self, draft: Draft) -> Draft | Awaitable[Draft]:
        """Wait until others have said which commands they have, or their time is over."""
        seconds = 0 if draft.text == self._held else self._commands.waiting(draft.text, draft.sent_at)
        return self._listed(draft, seconds) if seconds else draft

    async def _listed(self, draft: Draft, seconds: float) -> Draft:
        listed = _until(self._view.session.subscribe, lambda: not self._commands.waiting(draft.text, draft.sent_at))
        with suppress(TimeoutError):
            await asyncio.wait_for(listed, seconds)
        return draft

    def leave(self, draft: Draft) -> Draft | Stop:
        """Quit at a word that ends other clients."""
        if draft.attachments or draft.text.rstrip() not in LEAVING:
            return draft
        self._run("quit", "")
        return Stop.DONE

    def hold_back(self, draft: Draft) -> Draft | Stop:
        """The same as the editor does, now that others have said which commands they have."""
        return Stop.BACK if self.holds_back(draft) else draft

    def use(self, draft: Draft) -> Draft | Stop | Awaitable[Draft | Stop]:
        """Do a command of ours; an own prompt, and an agent's command by its name alone, are prompts."""
        meant = None if draft.text == self._held else self._commands.now.of_line(draft.text)
        self._held = ""
        if meant is None:
            return draft
        offer, argument = meant
        if offer.prompt is not None:
            return self._own(offer.prompt, argument, draft)
        if offer.command is not None:
            self._run(offer.command.id, _BREAKS.sub(" ", argument))
            return Stop.DONE
        named = f"/{PREFIXES['agent']}{offer.agent_name}"
        text = f"/{offer.agent_name}{draft.text[len(named) :]}" if draft.text.startswith(named) else draft.text
        return replace(draft, text=text if argument else text.rstrip())


class DeliverySteps:
    """The last steps: from a draft to the blocks of a prompt, which the conversation takes."""

    def __init__(self, view: SessionView, transcript: TranscriptView, restart: Callable[[], None]) -> None:
        self._view, self._transcript, self._restart = view, transcript, restart

    @property
    def _unknown(self) -> bool:
        connection = self._view.client.connection
        return not connection.spoken and connection.phase in ("starting", "gone")

    def await_agent(self, draft: Draft) -> Draft | Awaitable[Draft | Stop]:
        """Attachments wait until the agent has said what it takes; it is started again if it is gone."""
        return self._introduced(draft) if draft.attachments and self._unknown else draft

    async def _introduced(self, draft: Draft) -> Draft | Stop:
        client = self._view.client
        if client.connection.phase == "gone":
            self._restart()
        await _until(client.subscribe, lambda: not self._unknown or client.connection.phase != "starting")
        if not self._unknown:
            return draft
        self._say("The agent did not start. The prompt was not sent.")
        return Stop.BACK

    def read_files(self, draft: Draft) -> Draft | Awaitable[Draft | Stop]:
        return self._files(draft) if draft.mentions else draft

    async def _files(self, draft: Draft) -> Draft | Stop:
        client, session = self._view.client, self._view.session
        roots = client.roots(session)
        files: list[AttachedBlock] = []
        for mention in {mention.name: mention for mention in draft.mentions}.values():
            try:
                found = await in_thread(find_mention, mention, roots, within=WITHIN)
                if found is None:
                    continue
                answer = "send" if found.inside else await self._ask(found)
                if answer == "back":
                    return Stop.BACK
                if answer == "send":
                    agent = client.connection.capabilities.prompt
                    files.append(await in_thread(attach, found, agent, within=WITHIN))
            except TimeoutError:
                self._say(f"Timed out reading {mention.path}. Only its name was sent.")
        for note in filter(None, (attached.note for attached in files)):
            self._say(note)
        return replace(draft, blocks=tuple(attached.block for attached in files))

    async def _ask(self, found: Mentioned) -> str:
        rows = [
            PickerRow("back", "Don't send", "the prompt returns to the editor"),
            PickerRow("send", "Attach the file", sanitise_line(str(found.path))),
            PickerRow("name", "Send only its name", "the agent may ask to read it"),
        ]
        title = f"{sanitise_line(found.mention.path, 40)} is outside the session's folders"
        return await self._view.ask(AnswerChoice(title, rows)) or "back"

    def pack(self, draft: Draft) -> Draft | Stop:
        """All blocks of a prompt, as far as the agent takes them."""
        connection = self._view.client.connection
        if connection.phase in ("closing", "closed") or connection.never_started:
            why = "No agent" if connection.never_started else "The agent has exited"
            self._view.say(f"{why}. The prompt was not sent.", 5, "error")
            return Stop.BACK
        attached, notes = fitted(draft.attachments, connection.capabilities.prompt)
        for note in notes:
            self._say(note)
        return replace(draft, blocks=(TextContent(text=draft.text), *attached, *draft.blocks))

    def branch_off(self, draft: Draft) -> Draft | Stop:
        if draft.goes is None:
            return draft
        draft.goes(draft.blocks)
        self._wake_agent()
        return Stop.DONE

    def submit(self, draft: Draft) -> Stop:
        self._view.client.of(self._view.session).submit([*draft.blocks], draft.place)
        self._transcript.follow_end()
        self._wake_agent()
        return Stop.DONE

    def _wake_agent(self) -> None:
        """A prompt for an agent that ended is a wish to have it back."""
        if self._view.client.connection.phase == "gone":
            self._restart()

    def _say(self, note: str) -> None:
        self._view.say(sanitise_line(note), 5, "warning")


async def _until(subscribe: Callable[[Callable[..., None]], Callable[[], None]], is_so: Callable[[], bool]) -> None:
    changed = asyncio.Event()
    unsubscribe = subscribe(lambda *_: changed.set())
    try:
        while not is_so():
            changed.clear()
            await changed.wait()
    finally:
        unsubscribe()
