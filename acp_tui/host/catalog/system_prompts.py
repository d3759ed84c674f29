"""System prompts as the user writes them: on the command line, in files, in a config file. All are bounded."""

from collections.abc import Sequence
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.config.config import ConfiguredAgent
from acp_tui.protocol.capabilities import SystemPrompt
from acp_tui.safe_text import named

MOST = 256 * 1024
"""Bytes of UTF-8 of all texts of a session together; agents send them to their model with every request."""
Option = tuple[str, str]
"""An option as it is spelled, and its value: the text, or the file of one that ends in `-file`."""

_UNUSABLE = "The system prompt cannot be used"


def given_prompt(before: SystemPrompt, own: Option | None, added: Sequence[Option]) -> SystemPrompt:
    """The prompt with what the command line says after `before`: `own` in place of the agent's, `added` to it.

    Raises `UserFault` for what cannot be read, is not UTF-8, is empty, or is too long.
    """
    prompt = before
    if own is not None:
        prompt = _with(prompt, SystemPrompt(_text(*own), (), own[:1]))
    for option in added:
        prompt = _with(prompt, SystemPrompt("", (_text(*option),), option[:1]))
    if sum(map(_size, prompt.texts)) > MOST:
        raise UserFault(_UNUSABLE, f"{', '.join(prompt.sources)}: together longer than {MOST:,} bytes")
    return SystemPrompt(prompt.override, prompt.append, prompt.sources, given=True)


def configured_prompt(agent: ConfiguredAgent) -> SystemPrompt:
    """What the settings of an agent say. Raises `UserFault` with file, line and field for what is too long."""
    prompt = SystemPrompt()
    override, append = agent.settings.system_prompt, agent.settings.append_system_prompt
    for text, name in ((override, "system_prompt"), (append, "append_system_prompt")):
        if _size(text) > MOST:
            raise UserFault(_UNUSABLE, f"{agent.place(name)}: longer than {MOST:,} bytes")
        if text.strip():
            source = (f"{name} of {named(agent.file.path.name)}",)
            said = SystemPrompt(text, (), source) if text is override else SystemPrompt("", (text,), source)
            prompt = _with(prompt, said)
    return prompt


def _with(before: SystemPrompt, after: SystemPrompt) -> SystemPrompt:
    """Both: of two in place of the agent's own the later one, all that are added."""
    first, later = before.sources[: bool(before.override)], after.sources[: bool(after.override)]
    added = before.sources[bool(before.override) :] + after.sources[bool(after.override) :]
    return SystemPrompt(after.override or before.override, before.append + after.append, (later or first) + added)


def _text(option: str, value: str) -> str:
    """What an option says. Raises `UserFault`."""
    of_file = option.endswith("-file")
    try:
        data = _read(value) if of_file else value.encode()
        text = data.decode("utf-8-sig")
    except UnicodeError:
        reason = "not UTF-8"
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
    else:
        if text.strip():
            return text
        reason = "the text is empty"
    raise UserFault(_UNUSABLE, ": ".join((option, *([named(value)] if of_file else []), reason)))


def _read(written: str) -> bytes:
    """All of a file, which may be a pipe. Raises OSError, RuntimeError (no such user) and ValueError."""
    with Path(written).expanduser().open("rb") as file:
        data = file.read(MOST + 1)
    if len(data) > MOST:
        raise ValueError(f"larger than {MOST:,} bytes")
    return data


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
