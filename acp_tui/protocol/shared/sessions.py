"""What the answer to opening a session says about it, in either version and its drafts."""

from typing import Any, Literal

from acp_tui.protocol.base import Lenient, LenientItems, Model
from acp_tui.protocol.calls import Call
from acp_tui.protocol.vocabulary.config_options import ConfigValue, SelectOption
from acp_tui.protocol.vocabulary.updates import AvailableCommand


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


_PATH = ("jetbrains", "air", "fork")


def forked_after(call: Call, message_id: str) -> Call:
    """The fork is to know what was said up to that answer and no more."""
    place: dict[str, Any] = {"version": 1, "messageId": message_id}
    for name in reversed(_PATH):
        place = {name: place}
    return Call(call.method, {**call.params, "_meta": place})


def fork_point(params: Any) -> str:
    """The id of the answer that a request to fork names; empty for a fork of all."""
    for name in ("_meta", *_PATH, "messageId"):
        params = params.get(name) if isinstance(params, dict) else None
    return params if isinstance(params, str) else ""


STEERING = "_session/steering"
Outcome = Literal["joined", "apart", "left"]


def offers_steering(initialized: dict[str, Any]) -> bool:
    """Whether the answer to `initialize` says that prompts may join a turn."""
    meta = initialized.get("_meta")
    steering = meta.get("steering") if isinstance(meta, dict) else None
    return isinstance(steering, dict) and steering.get("supported") is True


def read_outcome(result: Any) -> Outcome:
    """What became of it: it joined the turn, it is `left` to us, or taken `apart`, which odd answers count as."""
    outcomes: dict[str, Outcome] = {"injected": "joined", "promptRequired": "left"}
    return outcomes.get(str(result.get("outcome")), "apart") if isinstance(result, dict) else "apart"
