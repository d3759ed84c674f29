"""Prompts of the user's own: listing them, agreeing to a project's, and using one."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.host.prompts.own_prompts import OwnPrompts
from acp_tui.host.system.threads import in_thread
from acp_tui.session.text.mentions import Mention, mentions_in
from acp_tui.ui.agents.consent_dialog import ConsentDialog, ConsentQuestion, facts, in_groups
from acp_tui.ui.kit.session_view import SessionView, announce_fault, announce_problems
from acp_tui.ui.prompt.draft import Draft, Stop
from acp_tui.ui.prompt.editor import PromptEditor
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Unit
from acp_tui.views.formatting import home_path

WITHIN = 5.0  # seconds for files that are read
TITLE = "Prompts"


class OwnPromptActions:
    """The prompts that can be used in one session; files are read beside the loop."""

    def __init__(
        self,
        view: SessionView,
        editor: PromptEditor,
        changed: Callable[[], object],
    ) -> None:
        """`changed` is called when others are listed."""
        self._view, self._editor, self._changed = view, editor, changed
        self._prompts = OwnPrompts(Path(view.session.cwd))
        self._reading = self.are_read = False
        self._told: set[str] = set()  # problems

    @property
    def listed(self) -> Sequence[OwnPrompt]:
        """Those that are known; `look` is what reads them."""
        return self._prompts.listed

    def look(self) -> None:
        """Read what there is, beside the loop: for when the list of commands opens."""
        if not self._reading:
            self._view.run(self._look())

    async def _look(self) -> None:
        self._reading = True
        try:
            with suppress(TimeoutError):  # a file system that does not answer: what is known stays listed
                if await in_thread(self._prompts.look, within=WITHIN):
                    self._tell_problems()
                    self._changed()
        finally:
            self._reading, self.are_read = False, True

    async def use(self, prompt: OwnPrompt, arguments: str, draft: Draft) -> Draft | Stop:
        """The prompt as its file is now, with the words and attachments of a draft; or it is put into the editor.

        A project's prompt is shown first, and used if the user agrees to it; if not, the draft comes back.
        """
        await self._look()
        now = self._prompts.find(prompt.name)
        if now is None:
            self._view.say(f"/{prompt.name} is no longer there. Nothing was sent.", 5, "warning")
        if now is None or not await self._is_agreed(now):
            return Stop.BACK
        try:
            text = now.expand(arguments)
        except UserFault as fault:
            announce_fault(self._view.app, fault)
            return Stop.BACK
        if now.send:
            return replace(draft, text=text, mentions=tuple(_mentions(text, arguments, draft)))
        self._editor.give_back(text, draft.attachments)
        return Stop.DONE

    async def _is_agreed(self, prompt: OwnPrompt) -> bool:
        if await in_thread(self._prompts.may_be_used, prompt):
            return True
        if not await self._view.ask(PromptConsent(prompt)):
            return False
        try:
            await in_thread(self._prompts.agree, prompt)
        except OSError as error:
            self._view.say(f"Cannot remember this ({error.strerror or error}). You will be asked again.", 5)
        return True

    def _tell_problems(self) -> None:
        new = [problem for problem in self._prompts.problems if problem not in self._told]
        if new:
            self._told.update(new)
            announce_problems(self._view.app, new, TITLE)


def _mentions(text: str, arguments: str, draft: Draft) -> Iterator[Mention]:
    """The files that a prompt names; of its arguments only what the user typed: a paste may name anything."""
    pasted = {mention.name for mention in mentions_in(arguments)} - {mention.name for mention in draft.mentions}
    return (mention for mention in mentions_in(text) if mention.name not in pasted)


class PromptConsent(ConsentDialog):
    """Whether a prompt of the project may be used: shows all its text, which speaks to the agent in the user's name."""

    def __init__(self, prompt: OwnPrompt) -> None:
        super().__init__(
            ConsentQuestion(
                f"Use the project's /{sanitise_line(prompt.name, 40)}?",
                in_groups((_origin(prompt), facts("prompt", *(line or " " for line in prompt.text.split("\n"))))),
                no="Do not use it",
                yes="Send it to the agent" if prompt.send else "Put it into the editor",
                warning="The agent takes it as your own words. Do you trust its author?",
            )
        )


def _origin(prompt: OwnPrompt) -> Iterator[Unit]:
    path = prompt.path
    if prompt.project is not None and path.is_relative_to(prompt.project):
        path = path.relative_to(prompt.project)
    yield from facts("file", home_path(str(path)))
    yield from facts("asks again", "when its text changes", muted=True)
