"""System prompts as the user writes them: on the command line, in files, in a config file. All are bounded."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.host.catalog.launch import Launch
from acp_tui.host.config.config import ConfigFile, ConfiguredAgent, FolderTable
from acp_tui.host.config.source_files import Place
from acp_tui.protocol.capabilities import SystemPrompt
from acp_tui.safe_text import named

MOST = 256 * 1024
"""Bytes of UTF-8 of all texts of a session together; agents send them to their model with every request."""
Option = tuple[str, str]
"""An option as it is spelled, and its value: the text, or the file of one that ends in `-file`."""

_UNUSABLE = "The system prompt cannot be used"


def joined(before: SystemPrompt, after: SystemPrompt) -> SystemPrompt:
    """Both prompts: of two in place of the agent's own the later one, all that are added.

    What counts in one folder only, which one of them may have, does so still.
    """
    first, later = before.sources[: bool(before.override)], after.sources[: bool(after.override)]
    added = before.sources[bool(before.override) :] + after.sources[bool(after.override) :]
    append, sources = before.append + after.append, (later or first) + added
    elsewhere = before.outside or after.outside
    outside = None if elsewhere is None else joined(before.outside or before, after.outside or after)
    return SystemPrompt(
        after.override or before.override, append, sources, folder=before.folder or after.folder, outside=outside
    )


def given_prompt(before: SystemPrompt, own: Option | None, added: Sequence[Option]) -> SystemPrompt:
    """The prompt with what the command line says after `before`: `own` in place of the agent's, `added` to it.

    Raises `UserFault` for what cannot be read, is not UTF-8, is empty, or is too long.
    """
    prompt = before
    if own is not None:
        prompt = joined(prompt, SystemPrompt(_text(*own), (), own[:1]))
    for option in added:
        prompt = joined(prompt, SystemPrompt("", (_text(*option),), option[:1]))
    if sum(map(_size, prompt.texts)) > MOST:
        raise UserFault(_UNUSABLE, f"{', '.join(prompt.sources)}: together longer than {MOST:,} bytes")
    return replace(prompt, given=True)


def with_given(launch: Launch, own: Option | None, added: Sequence[Option], *, none: bool) -> Launch:
    """The launch with that of the command line; `none`: without any. Raises `UserFault`, as above."""
    if none and added:
        raise UserFault(f"--no-system-prompt cannot be combined with {added[0][0]}")
    prompt = SystemPrompt(given=True) if none else given_prompt(launch.system_prompt, own, added)
    return replace(launch, system_prompt=prompt)


def with_table(prompt: SystemPrompt, table: FolderTable) -> SystemPrompt:
    """The prompt with what the user adds for a folder, in which alone that counts. Raises `UserFault`, as below."""
    added = _said("", table.settings.append_system_prompt, table.file, table.place)
    return replace(joined(prompt, added), folder=str(table.folder), outside=prompt) if added.texts else prompt


def configured_prompt(agent: ConfiguredAgent) -> SystemPrompt:
    """What the settings of an agent say. Raises `UserFault` with file, line and field for what is too long."""
    said = agent.settings
    return _said(said.system_prompt, said.append_system_prompt, agent.file, agent.place)


def prompted(launch: Launch, own: ConfigFile) -> Launch:
    """The launch with what the user's file says for all agents, before all else. Raises `UserFault`, as above."""
    general = _said(own.says("system_prompt", ""), own.says("append_system_prompt", ""), own, own.place)
    return replace(launch, system_prompt=joined(general, launch.system_prompt))


def _said(override: str, append: str, file: ConfigFile, place: Callable[[str], Place]) -> SystemPrompt:
    prompt = SystemPrompt()
    for text, name in ((override, "system_prompt"), (append, "append_system_prompt")):
        if _size(text) > MOST:
            raise UserFault(_UNUSABLE, f"{place(name)}: longer than {MOST:,} bytes")
        if text.strip():
            source = (f"{name} of {named(file.path.name)}",)
            own = name == "system_prompt"
            prompt = joined(prompt, SystemPrompt(text if own else "", () if own else (text,), source))
    return prompt


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
