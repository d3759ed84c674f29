"""The memory of a session of protocol 1: its prompt turn and messages, its config options, modes and models.

Updates mean different things in different places: messages get ids and the session states. Modes and models become
config options: those come first. Modes are shown where there are no config options, models where no option has the
category `model` (session config options in the spec).
"""

from dataclasses import dataclass, field
from typing import Any

from acp_tui.protocol.base import Lenient, LenientItems, Model, read
from acp_tui.protocol.capabilities import UNNAMED
from acp_tui.protocol.faults import ProtocolFault
from acp_tui.protocol.session_setup import Call, SessionOptions, SessionSetupResponse, legacy_option
from acp_tui.protocol.update_readers import SessionMemory, turn_failed
from acp_tui.protocol.vocabulary.config_options import (
    ConfigOption,
    ConfigOptionUpdate,
    OptionValue,
    SelectOption,
)
from acp_tui.protocol.vocabulary.content import ContentBlock, TextContent, for_agent_only
from acp_tui.protocol.vocabulary.session_updates import (
    MessageChunk,
    MessageUpdate,
    RejectedUpdate,
    StateUpdate,
    SubagentUpdate,
    TokenUsage,
    Update,
)


class ConfigOptions(Model):
    """`config_option_update`, or the answer to `session/set_config_option`: all options, read one by one later."""

    config_options: LenientItems[list[dict[str, Any]]]


@dataclass(slots=True)
class OptionsAndModes(SessionOptions):
    """The config options, modes and models of one session.

    `legacy` says which of the options last reported are really modes or models, by their ids.
    """

    modes: SelectOption | None = None
    models: SelectOption | None = None
    legacy: dict[str, str] = field(default_factory=dict)

    def update(self) -> ConfigOptionUpdate:
        options = list(self.options)
        self.legacy = {}
        if self.modes is not None and not options:
            options.append(self.modes)
            self.legacy[self.modes.id] = "mode"
        if self.models is not None and not any(option.category == "model" for option in options):
            taken = any(option.id == self.models.id for option in options)
            models = self.models.model_copy(update={"id": "models"}) if taken else self.models
            options.append(models)
            self.legacy[models.id] = "model"
        return ConfigOptionUpdate(config_options=options, unknown=self.unknown)

    def begin(self, response: SessionSetupResponse) -> list[ConfigOptionUpdate]:
        if response.modes is None and response.models is None and response.config_options is None:
            return []
        if response.modes is not None:
            self.modes = response.modes.folded()
        if response.models is not None:
            self.models = response.models.folded()
        return [self.update() if response.config_options is None else self.replace(response.config_options)]

    def read(self, update: dict[str, Any]) -> ConfigOptionUpdate:
        return self.replace(read(ConfigOptions, update).config_options)

    def read_mode(self, update: dict[str, Any]) -> ConfigOptionUpdate:
        """The agent is in another mode now; `modeId` is how the spec's own example has it."""
        return self._set_mode(_first_id(update, "currentModeId", "modeId"))

    def read_model(self, update: dict[str, Any]) -> ConfigOptionUpdate:
        """The agent uses another model now, told in any of the forms that drafts and agents gave it."""
        model = update.get("model")
        nested = model if isinstance(model, dict) else {"modelId": model}
        forms = {"nested": nested.get("modelId"), **update}
        return self._set_model(_first_id(forms, "currentModelId", "modelId", "modeId", "currentModel", "nested"))

    def set_call(self, session_id: str, option: ConfigOption, value: OptionValue) -> Call:
        """Choose a value, by the method that fits what the option was folded from."""
        legacy = self.legacy.get(option.id)
        if legacy is not None:
            return Call(f"session/set_{legacy}", {"sessionId": session_id, f"{legacy}Id": value})
        params = {"sessionId": session_id, "configId": option.id, "value": value}
        if option.sent_as != "id":
            params["type"] = option.sent_as
        return Call("session/set_config_option", params)

    def was_set(self, call: Call, result: Any) -> ConfigOptionUpdate:
        if isinstance(result, dict) and isinstance(result.get("configOptions"), list):
            return self.replace(result["configOptions"])
        if call.method == "session/set_mode":
            return self._set_mode(call.params["modeId"])
        if call.method == "session/set_model":
            return self._set_model(call.params["modelId"])
        return self.set_value(call.params["configId"], call.params["value"])

    def _set_mode(self, mode_id: str) -> ConfigOptionUpdate:
        self.modes = (self.modes or legacy_option("mode", mode_id, [])).with_value(mode_id)
        return self._set_category("mode", mode_id)

    def _set_model(self, model_id: str) -> ConfigOptionUpdate:
        self.models = (self.models or legacy_option("model", model_id, [])).with_value(model_id)
        return self._set_category("model", model_id)

    def _set_category(self, category: str, value: str) -> ConfigOptionUpdate:
        """Agents that have both speak of one thing in two ways; a value that an option does not have is not meant."""
        self.options = [
            each.with_value(value) if each.category == category and each.offers(value) else each
            for each in self.options
        ]
        return self.update()


def _first_id(update: dict[str, Any], *names: str) -> str:
    for name in names:
        if isinstance(update.get(name), str):
            return str(update[name])
    raise ProtocolFault("The agent sent an invalid update", names[0], "a string is required")


class PromptResponse(Model):
    """The answer to `session/prompt`: the turn is over. `usage` is unstable."""

    stop_reason: str
    usage: Lenient[TokenUsage | None] = None


@dataclass(slots=True)
class PromptEcho:
    """A prompt that was sent, compared with the user's message as the agent sends it back during the turn.

    What was sent is shown already.
    Text is compared without white space, because agents join and trim blocks; other blocks by their type,
    because agents rewrite them.
    """

    sent: list[ContentBlock]
    _text: str | None = None
    _position: int = 0
    _types: list[str] = field(default_factory=list)

    def takes(self, block: ContentBlock) -> bool:
        """Whether `block` only repeats the next part of what was sent."""
        if self._text is None:
            self._text = "".join(_squeezed(each.text) for each in self.sent if isinstance(each, TextContent))
            self._types = [each.type for each in self.sent if not isinstance(each, TextContent)]
        if isinstance(block, TextContent):
            return self._takes_text(self._text, _squeezed(block.text))
        if block.type in self._types:
            self._types.remove(block.type)
            return True
        return False

    def _takes_text(self, expected: str, text: str) -> bool:
        if not expected.startswith(text, self._position):
            return False
        self._position += len(text)
        return True


@dataclass(slots=True)
class Version1Memory(SessionMemory):
    """The memory of one session.

    `open_kind` and `open_id` name the message that a chunk without an id continues; `ends_in_text` is whether the last
    block of it that is for the user is text. `titles` and `statuses` have the title and the status of every tool call
    seen so far. `echo` is there while a turn runs. `announced` are the children that have their places.
    """

    open_kind: str = ""
    open_id: str = ""
    ends_in_text: bool = False
    unnamed: int = 0
    titles: dict[str, str] = field(default_factory=dict)
    statuses: dict[str, str | None] = field(default_factory=dict)
    echo: PromptEcho | None = None
    options: OptionsAndModes = field(default_factory=OptionsAndModes)
    announced: set[str] = field(default_factory=set)

    def read_chunk(self, update: dict[str, Any]) -> list[Update]:
        """Read a piece of a message; what only repeats the prompt that was sent gives nothing.

        A prompt in a history comes block by block, not in pieces: without ids, text after text is the next prompt (of
        one to which the agent never answered there is nothing between them).
        """
        kind, given = update["sessionUpdate"], update.get("messageId")
        chunk = read(MessageChunk, {**update, "messageId": self._message_id(kind, given)})
        block = chunk.content
        if self.echo is not None:
            if chunk.role == "user" and self.echo.takes(block):
                return []
        elif chunk.message_id != given and chunk.role == "user" and self._is_next_text(kind, block):
            chunk = chunk.model_copy(update={"message_id": self._fresh_id()})
        self.open_kind, self.open_id = kind, chunk.message_id
        if not for_agent_only(block):
            self.ends_in_text = isinstance(block, TextContent)
        return [chunk]

    def read_subagent(self, update: dict[str, Any]) -> list[Update]:
        """Read an announcement, which has a place in the conversation, or a patch, which may come amid a sentence."""
        child = read(SubagentUpdate, update)
        if child.session_id not in self.announced:
            self.announced.add(child.session_id)
            self.close_message()
        return [child]

    def prompt_sent(self, _call: Call, blocks: list[ContentBlock]) -> list[Update]:
        self.close_message()
        self.echo = PromptEcho(blocks)
        message_id = self._fresh_id()
        message = MessageUpdate(session_update="user_message", message_id=message_id, content=blocks, from_here=True)
        return [message, StateUpdate(state="running")]

    def prompt_answered(self, _call: Call, result: Any) -> list[Update]:
        """The turn is over, whatever the answer says; an answer without a stop reason is rejected beside that."""
        self.turn_ended()
        try:
            response = read(PromptResponse, result)
        except ProtocolFault as fault:
            return [
                RejectedUpdate("session/prompt", fault.path, fault.reason, result),
                StateUpdate(state="idle", stop_reason="error"),
            ]
        idle = StateUpdate(state="idle", stop_reason=response.stop_reason, usage=response.usage, meta=response.meta)
        return [idle]

    def prompt_failed(self, _call: Call, code: int, message: str, data: Any) -> list[Update]:
        self.turn_ended()
        return [turn_failed(code, message, data)]

    def close_message(self) -> None:
        self.open_kind = self.open_id = ""
        self.ends_in_text = False

    def turn_ended(self) -> None:
        self.close_message()
        self.echo = None

    def _fresh_id(self) -> str:
        self.unnamed += 1
        return f"{UNNAMED}{self.unnamed}"

    def _message_id(self, kind: str, given: object) -> str:
        if isinstance(given, str) and given:
            return given
        return self.open_id if kind == self.open_kind else self._fresh_id()

    def _is_next_text(self, kind: str, block: ContentBlock) -> bool:
        is_text = isinstance(block, TextContent) and not for_agent_only(block)
        return is_text and kind == self.open_kind and self.ends_in_text


def _squeezed(text: str) -> str:
    return "".join(text.split())
