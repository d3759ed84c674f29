"""From a draft to the blocks of a prompt; files are read beside the loop, and the order of drafts is kept."""

import asyncio
from collections.abc import Callable

from acp_tui.host.project_files.mentions import Attached, Mentioned, attach, look_up
from acp_tui.host.system.blocking import in_thread
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent
from acp_tui.ui.answers.asking_screens import Choice
from acp_tui.ui.kit.picker import PickerRow
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.prompt.attachments import fitted
from acp_tui.ui.prompt.draft import Draft
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.transcript.view import TranscriptView

WITHIN = 10.0  # seconds for each file


class Outbox:
    """Drafts on their way to the agent. Where nothing has to be read they go at once."""

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        transcript: TranscriptView,
        restart: Callable[[], None],
        completed: Callable[[Draft, list[ContentBlock]], list[ContentBlock]],
    ) -> None:
        """`completed` is told of each draft right before it is submitted, and puts first what the agent has to know."""
        self._view, self._editor, self._transcript = view, editor, transcript
        self._restart, self._completed = restart, completed
        self._waiting: list[Draft] = []

    @property
    def on_their_way(self) -> int:
        return len(self._waiting)

    def send(self, draft: Draft) -> None:
        if self._waiting:
            self._waiting.append(draft)
        elif draft.mentions or (draft.attachments and self._unknown):
            self._waiting.append(draft)
            self._editor.run_worker(self._send_all(), group="outbox")
        else:
            self._submit(draft, [])

    async def _send_all(self) -> None:
        while self._waiting:
            draft = self._waiting[0]
            try:
                files = await self._files(draft) if not draft.attachments or await self._introduced() else None
                if files is None:
                    self._editor.give_back(draft.text, draft.attachments)
                else:
                    for note in filter(None, (attached.note for attached in files)):
                        self._say(note)
                    self._submit(draft, [attached.block for attached in files])
            finally:
                self._waiting.pop(0)

    @property
    def _unknown(self) -> bool:
        """Whether the agent has not said yet what it takes."""
        connection = self._view.client.connection
        return not connection.spoken and connection.phase in ("starting", "gone")

    async def _introduced(self) -> bool:
        """Wait until the agent has said what it takes, starting it again if it is gone; whether it has."""
        client, moved = self._view.client, asyncio.Event()
        unsubscribe = client.subscribe(moved.set)
        try:
            if self._unknown and client.connection.phase == "gone":
                self._restart()
            while self._unknown and client.connection.phase == "starting":
                moved.clear()
                await moved.wait()
        finally:
            unsubscribe()
        if self._unknown:
            self._say("The agent did not start. The prompt was not sent.")
        return not self._unknown

    async def _files(self, draft: Draft) -> list[Attached] | None:
        """What goes with the text; None if the user wants it back."""
        client, session = self._view.client, self._view.session
        roots = client.roots(session)
        files: list[Attached] = []
        for mention in {mention.name: mention for mention in draft.mentions}.values():
            try:
                found = await in_thread(look_up, mention, roots, within=WITHIN)
                if found is None:
                    continue
                answer = "send" if found.inside else await self._ask(found)
                if answer == "back":
                    return None
                if answer == "send":
                    agent = client.connection.capabilities.prompt
                    files.append(await in_thread(attach, found, agent, within=WITHIN))
            except TimeoutError:
                self._say(f"Timed out reading {mention.path}. Only its name was sent.")
        return files

    async def _ask(self, found: Mentioned) -> str:
        rows = [
            PickerRow("back", "Do not send", "the prompt goes back to the editor"),
            PickerRow("send", "Attach the file", sanitise_line(str(found.path))),
            PickerRow("name", "Send its name only", "the agent may ask to read it"),
        ]
        title = f"{sanitise_line(found.mention.path, 40)} is outside the session's folders"
        return await self._view.ask(Choice(title, rows)) or "back"

    def _submit(self, draft: Draft, files: list[ContentBlock]) -> None:
        view = self._view
        if view.client.connection.phase in ("closing", "closed"):
            self._editor.give_back(draft.text, draft.attachments)
            view.say("The agent has exited. The prompt was not sent.", 5, "error")
            return
        attached, notes = fitted(draft.attachments, view.client.connection.capabilities.prompt)
        for note in notes:
            self._say(note)
        blocks = [TextContent(text=draft.text), *attached, *files]
        if draft.goes is not None:
            draft.goes(blocks)
        else:
            view.client.of(view.session).submit(self._completed(draft, blocks), draft.place)
            self._transcript.follow_end()
        if view.client.connection.phase == "gone":
            self._restart()  # a prompt for an agent that ended is a wish to have it back

    def _say(self, note: str) -> None:
        self._view.say(sanitise_line(note), 5, "warning")
