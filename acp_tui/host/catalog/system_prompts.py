"""System prompts as the user writes them: on the command line, in files, in a config file. All are bounded."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.launch import Launch
from acp_tui.host.config.config import Config, ConfigFile, ConfiguredAgent
from acp_tui.host.config.consent import Consents, fingerprint
from acp_tui.host.config.places import Place
from acp_tui.protocol.capabilities import SystemPrompt
from acp_tui.safe_text import named

MOST = 256 * 1024
"""Bytes of UTF-8 of all texts of a session together; agents send them to their model with every request."""
Option = tuple[str, str]
"""An option as it is spelled, and its value: the text, or the file of one that ends in `-file`."""

_UNUSABLE = "The system prompt cannot be used"


def joined(before: SystemPrompt, after: SystemPrompt) -> SystemPrompt:
    """Both prompts: of two in place of the agent's own the later one, all that are added.

    What a project adds to `before`, or withholds, stays so; `after` is no project's.
    """
    first, later = before.sources[: bool(before.override)], after.sources[: bool(after.override)]
    added = before.sources[bool(before.override) :] + after.sources[bool(after.override) :]
    append, sources = before.append + after.append, (later or first) + added
    outside = None if before.outside is None else joined(before.outside, after)
    return replace(
        before, override=after.override or before.override, append=append, sources=sources, given=False, outside=outside
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


class ProjectPrompt(Frozen):
    """The system prompt that a project's config file has for all agents; it goes to one once the user has agreed.

    The consent is for the text and the folder: where one of them changes, it is asked again.
    """

    prompt: SystemPrompt
    file: Path

    @property
    def agreed(self) -> bool:
        return Consents().holds(self._fingerprint)

    def agree(self) -> None:
        """Remember that the user agreed to this text. Raises OSError."""
        Consents().add(self._fingerprint, self.file.parent, "system prompt")

    @property
    def _fingerprint(self) -> str:
        return fingerprint(self.file.parent, "system prompt", [self.prompt.override, *self.prompt.append])


def with_project(prompt: SystemPrompt, project: ProjectPrompt) -> SystemPrompt:
    """The prompt with this project's text, in place of what it had of one; it counts in the project's folder."""
    outside = replace(prompt.outside or prompt, withheld="")
    return replace(joined(outside, project.prompt), project=str(project.file.parent), outside=outside)


def configured_prompt(agent: ConfiguredAgent) -> SystemPrompt:
    """What the settings of an agent say. Raises `UserFault` with file, line and field for what is too long."""
    said = agent.settings
    return _said(said.system_prompt, said.append_system_prompt, agent.file, agent.place)


def project_prompt(config: Config) -> ProjectPrompt | None:
    """What the project's file says for all agents; None where that is nothing. Raises `UserFault`, as above."""
    prompt = _general(config.project)
    return ProjectPrompt(prompt, config.project.path) if config.project is not None and prompt.texts else None


def prompted(launch: Launch, config: Config, *, trusted: bool = False) -> Launch:
    """The launch with what the config files say for all agents: the user's before the agent's own, the project's after.

    The project's is left out, which is said in the session, until the user has agreed to it, or where it cannot be
    used; `trusted`: they agree for this run. Raises `UserFault`, as above, for what is the user's.
    """
    prompt, withheld = joined(_general(config.own), launch.system_prompt), ""
    try:
        project = project_prompt(config)
    except UserFault as fault:
        project, withheld = None, fault.message
    if project is not None and (trusted or project.agreed):
        prompt = with_project(prompt, project)
    elif project is not None:
        withheld = f"{sum(map(len, project.prompt.texts)):,} characters in {named(project.file)}"
    if withheld and config.project is not None:
        folder = str(config.project.path.parent)
        prompt = replace(prompt, withheld=withheld, project=folder, outside=prompt)
    return replace(launch, system_prompt=prompt)


def _general(file: ConfigFile | None) -> SystemPrompt:
    if file is None:
        return SystemPrompt()
    return _said(file.says("system_prompt", ""), file.says("append_system_prompt", ""), file, file.place)


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
