"""Sessions of protocol 1: what the answer to opening one says about it."""

from typing import Any

from acp_tui.protocol.base import Lenient, LenientItems, Model
from acp_tui.protocol.dialect import SAME_SESSION, Call
from acp_tui.protocol.reading import read, read_if_told
from acp_tui.protocol.v1.config_options import OptionsAndModes, legacy_option
from acp_tui.protocol.vocabulary.config_options import ConfigValue, SelectOption
from acp_tui.protocol.vocabulary.updates import Update


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
        """The modes as a config option."""
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
        """The models as a config option."""
        values = [
            ConfigValue(value=each.model_id, name=each.name or each.model_id, description=each.description)
            for each in self.available_models
        ]
        return legacy_option("model", self.current_model_id, values)


class SessionSetupResponse(Model):
    """The answer to `session/load` and `session/resume`, and what the answers about new sessions share with it."""

    modes: Lenient[SessionModeState | None] = None
    config_options: LenientItems[list[dict[str, Any]] | None] = None
    models: Lenient[SessionModelState | None] = None


class NewSessionResponse(SessionSetupResponse):
    """The answer to `session/new` and (unstable) `session/fork`."""

    session_id: str


def read_setup(call: Call, result: Any) -> tuple[str, SessionSetupResponse]:
    """The session's id, which only the answer to loading or resuming need not name, and what is said about it."""
    if call.method in SAME_SESSION:
        return call.params["sessionId"], read_if_told(SessionSetupResponse, result)
    response = read(NewSessionResponse, result)
    return response.session_id, response


def fold_setup(options: OptionsAndModes, response: SessionSetupResponse) -> list[Update]:
    """What can be chosen in the session, as far as the answer says it."""
    if response.modes is None and response.models is None and response.config_options is None:
        return []
    if response.modes is not None:
        options.modes = response.modes.folded()
    if response.models is not None:
        options.models = response.models.folded()
    if response.config_options is not None:
        options.replace(response.config_options)
    return [options.update()]
