"""With what an agent's session was opened and left, as its records have it, so that it can be continued so."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

from acp_tui.frozen import Frozen
from acp_tui.host.records.info import RecordInfo
from acp_tui.host.records.lines import HEAD, said_in
from acp_tui.protocol.base import Model
from acp_tui.protocol.vocabulary.config_options import ConfigOption, ConfigOptionUpdate
from acp_tui.protocol.vocabulary.content import TextContent, for_agent_only
from acp_tui.protocol.vocabulary.updates import MessageChunk, MessageUpdate
from acp_tui.session.facts import Fact, OptionsAwaited, OptionsSettled, SystemPromptSent
from acp_tui.session.text.own_prompts import beginning_of
from acp_tui.session.text.told import without_note

MOST_PROMPTS = 10_000  # that are known again

_KINDS = (SystemPromptSent, ConfigOptionUpdate, OptionsAwaited, OptionsSettled, MessageUpdate, MessageChunk)


class RecordedSetup(Frozen):
    """What is known of a session from its records.

    `system_prompt` is the last one, empty if without any; None where no record says so. `options` have the values with
    which it was left, in the agent's order. `prompts` are the beginnings of what the user sent; empty where no record
    says so. `begun_here`: it has no messages that are older than its records.
    """

    system_prompt: SystemPromptSent | None = None
    options: tuple[ConfigOption, ...] = ()
    prompts: frozenset[str] = frozenset()
    begun_here: bool = False


NO_SETUP = RecordedSetup()


def read_setup(infos: Iterable[RecordInfo]) -> RecordedSetup:
    """The setup of the session of which these are the records, the newest first. What cannot be read says nothing."""
    system_prompt: SystemPromptSent | None = None
    options: tuple[ConfigOption, ...] = ()
    prompts: set[str] = set()
    begun_here = False
    for info in infos:
        seen = _Seen()
        with suppress(OSError):
            for event in said_in(info.path, *_KINDS, counts=_counts):
                seen.take(event)
        system_prompt = system_prompt or seen.system_prompt
        options = options or seen.left
        prompts |= seen.prompts
        begun_here = seen.begun_here
    return RecordedSetup(system_prompt, options, frozenset(prompts), begun_here)


class _Seen:
    """What one record says. Options count once they are settled: before that they are the agent's own."""

    def __init__(self) -> None:
        self.system_prompt: SystemPromptSent | None = None
        self.prompts: set[str] = set()
        self.begun_here = True
        self.left: tuple[ConfigOption, ...] = ()
        self._now: tuple[ConfigOption, ...] = ()
        self._settled = True

    def take(self, event: Fact | Model) -> None:
        match event:
            case SystemPromptSent():
                self.system_prompt = event
            case ConfigOptionUpdate():
                self._now = tuple(each for each in event.config_options if each.is_named)
                self.left = self._now if self._settled else self.left
            case OptionsAwaited():
                self._settled = False
            case OptionsSettled():
                self._settled, self.left = True, self._now
            case MessageUpdate() if event.from_here:
                self.prompts.update(_beginnings(event) if len(self.prompts) < MOST_PROMPTS else ())
            case MessageUpdate() | MessageChunk() if not self.prompts:
                self.begun_here = False


def _counts(line: bytes) -> bool:
    """Of messages only those of the user, which are few."""
    return b'"kind":"Message' not in line[:HEAD] or b'"sessionUpdate":"user_message' in line[: 2 * HEAD]


def _beginnings(message: MessageUpdate) -> Iterator[str]:
    for block in message.content or ():
        if isinstance(block, TextContent) and not for_agent_only(block):
            yield beginning_of(without_note(block.text))
