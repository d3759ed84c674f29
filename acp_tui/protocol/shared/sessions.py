"""What the answer to opening a session says about it, in either version and its drafts."""

from typing import Any

from acp_tui.protocol.base import Lenient, LenientItems, Model
from acp_tui.protocol.vocabulary.commands import AvailableCommand
from acp_tui.protocol.vocabulary.config_options import ConfigValue, SelectOption


def legacy_option(category: str, current: str, values: list[ConfigValue]) -> SelectOption:
    return SelectOption(id=category, name=category.title(), category=category, current_value=current, values=values)


class SessionMode(Model):
    """A mode that the agent can work in."""

    id: str
    name: str
    description: Lenient[str | None] = None


class SessionModeState(Model):
    """All modes, and the one that the agent is in."""

    current_mode_id: str
    available_modes: LenientItems[list[SessionMode]]

    def folded(self) -> SelectOption:
        values = [
            ConfigValue(value=each.id, name=each.name, description=each.description) for each in self.available_modes
        ]
        return legacy_option("mode", self.current_mode_id, values)


class SessionModel(Model):
    """A model that the agent can use (withdrawn before it was stable, and still spoken)."""

    model_id: str
    name: Lenient[str] = ""
    description: Lenient[str | None] = None


class SessionModelState(Model):
    """All models, and the one in use."""

    current_model_id: str
    available_models: LenientItems[list[SessionModel]] = []

    def folded(self) -> SelectOption:
        values = [
            ConfigValue(value=each.model_id, name=each.name or each.model_id, description=each.description)
            for each in self.available_models
        ]
        return legacy_option("model", self.current_model_id, values)


class SessionSetupResponse(Model):
    """The answer to `session/load` and `session/resume`, and what the answers about new sessions share with it.

    Modes and models are of protocol 1, commands of protocol 2.
    """

    modes: Lenient[SessionModeState | None] = None
    config_options: LenientItems[list[dict[str, Any]] | None] = None
    models: Lenient[SessionModelState | None] = None
    available_commands: LenientItems[list[AvailableCommand] | None] = None


class NewSessionResponse(SessionSetupResponse):
    """The answer to `session/new` and (unstable) `session/fork`."""

    session_id: str
