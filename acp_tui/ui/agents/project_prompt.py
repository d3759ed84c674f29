"""The system prompt that a project has for all agents: read as a whole, and used once the user has agreed to it."""

from collections.abc import Callable, Iterator
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.catalog.system_prompts import ProjectPrompt, project_prompt, with_project
from acp_tui.host.config.config import load_config
from acp_tui.host.system.blocking import in_thread
from acp_tui.ui.agents.agreement import Agreement, Question, facts, in_groups
from acp_tui.ui.kit.announcements import announce_fault
from acp_tui.ui.kit.figures import home_path
from acp_tui.ui.kit.session_view import SessionView
from acp_tui.ui.render.unit import Unit


class ProjectPromptConsent(Agreement):
    """Whether a project's system prompt may be used."""

    def __init__(self, project: ProjectPrompt) -> None:
        prompt = project.prompt
        groups = [_origin(project)]
        if prompt.override:
            groups.append(_text("In place of the agent's system prompt:", prompt.override))
        if prompt.append:
            groups.append(_text("Added to the agent's system prompt:", "\n".join(prompt.append)))
        super().__init__(
            Question(
                "Use the project's system prompt?",
                in_groups(groups),
                no="Do not use it",
                yes="Use it in new sessions",
                warning="The agent treats it as its own instructions. Do you trust its author?",
            )
        )


class ProjectPromptActions:
    """What the user does with it in one session; `begin` begins a new session in this place where this is `unused`."""

    def __init__(self, view: SessionView, unused: Callable[[], bool], begin: Callable[[], object]) -> None:
        self._view, self._unused, self._begin = view, unused, begin

    def ask_about(self) -> None:
        self._view.run(self._ask())

    async def _ask(self) -> None:
        view, folder = self._view, Path(self._view.session.cwd)
        try:
            project = await in_thread(lambda: project_prompt(load_config(folder)))
        except UserFault as fault:
            announce_fault(view.app, fault)
            return
        if project is None:
            view.say("This project has no system prompt")
        elif await view.ask(ProjectPromptConsent(project)):
            self._use(project)

    def _use(self, project: ProjectPrompt) -> None:
        view = self._view
        try:
            project.agree()
        except OSError as error:
            view.say(f"Your answer could not be saved, so this will be asked again: {reason_of(error)}", 8, "warning")
        general = view.client.general_prompt
        if general.project not in ("", str(project.file.parent)):
            view.say("The project's system prompt is used from the next start in its folder")
            return
        view.client.use_prompt(with_project(general, project))
        if self._unused():
            self._begin()
        else:
            view.say("New sessions get the project's system prompt")


def _origin(project: ProjectPrompt) -> Iterator[Unit]:
    yield from facts("file", home_path(str(project.file)))
    yield from facts("asks again", "when its text changes", muted=True)


def _text(what: str, text: str) -> Iterator[Unit]:
    yield from facts("prompt", what, *(line or " " for line in text.split("\n")))
