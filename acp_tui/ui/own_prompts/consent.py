"""The question before a project's prompt is used: all its text, which speaks to the agent in the user's name."""

from collections.abc import Iterator

from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.ui.agents.agreement import Agreement, Question, facts, in_groups
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Unit
from acp_tui.views.formatting import home_path


class PromptConsent(Agreement):
    """Whether a prompt of the project may be used."""

    def __init__(self, prompt: OwnPrompt) -> None:
        super().__init__(
            Question(
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
