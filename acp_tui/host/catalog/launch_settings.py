"""Settings in a launch plan: those of an agent and of a folder in the user's config file, and system prompts.

An agent is the user's own or one that is known, and starts as they have configured it: for itself, and for the folder
that it works in. Only where it was the project that named it, that needs consent. System prompts come from the command
line, from files and from the config file; all are bounded.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from acp_tui.errors import UserFault, reason_of
from acp_tui.host.catalog.agent_entries import Agent
from acp_tui.host.catalog.launch_plan import AgentCommand, Consent, LaunchPlan, with_defaults
from acp_tui.host.catalog.mcp_file import filled, with_path
from acp_tui.host.config.choices import fingerprint
from acp_tui.host.config.config import ConfigFile, ConfiguredAgent, FolderTable
from acp_tui.host.config.settings import McpServerSettings
from acp_tui.host.config.source_files import ConfigLocation, Placeholders, Unfilled, UnusableConfig, read_env_file
from acp_tui.protocol.capabilities import ClientCapabilities, McpServer, SystemPrompt
from acp_tui.safe_text import named

MOST = 256 * 1024
"""Bytes of UTF-8 of all texts of a session together; agents send them to their model with every request."""
Option = tuple[str, str]
"""An option as it is spelled, and its value: the text, or the file of one that ends in `-file`."""

_UNUSABLE = "The system prompt cannot be used"


def plan_of(
    agent: Agent, cwd: Path, own: ConfigFile, *, cwd_given: bool = False, proposed_by: ConfigFile | None = None
) -> LaunchPlan:
    """How to start `agent` in the folder `cwd`; where it is configured with a folder, that counts unless `cwd_given`.

    `own` is the user's file, `proposed_by` the project's that names it as the default agent, where the user has not
    named it. Raises `UserFault` when its settings cannot be used.
    """
    command = AgentCommand(agent.argv, agent.env, program=agent.program, name=agent.name)
    plan = LaunchPlan(command, cwd, agent.title)
    if agent.configured is not None:
        plan = _configured(plan, agent.configured, cwd_given=cwd_given)
    if agent.configured is None or "fs" not in agent.configured.settings.model_fields_set:
        plan = with_defaults(plan)
    plan = for_folder(plan, own)
    if proposed_by is None:
        return plan
    folder = proposed_by.path.parent
    agreed = fingerprint(folder, agent.name, "default_agent")
    return replace(plan, consent=Consent(agent.name, folder, agreed, proposed_by.path))


def _configured(plan: LaunchPlan, agent: ConfiguredAgent, *, cwd_given: bool) -> LaunchPlan:
    said, env, cwd = agent.settings, dict(plan.command.env), plan.cwd
    if said.env_file:
        env = {**read_env_file(agent.file.path_of(said.env_file)), **env}
    if said.cwd and not cwd_given:
        cwd = _folder(agent, "cwd", said.cwd)
    reads, writes = said.fs is True, bool(said.fs)
    return replace(
        plan.with_command(env=env, protocol=said.protocol),
        cwd=cwd,
        capabilities=ClientCapabilities(read_text_file=reads, write_text_file=writes, terminal=said.terminal),
        mcp_servers=tuple(_server(name, server, agent, cwd, env) for name, server in said.mcp_servers.items()),
        roots=tuple(str(_folder(agent, "roots", written)) for written in said.roots),
        system_prompt=_said(said.system_prompt, said.append_system_prompt, agent.file, agent.place),
    )


def for_folder(plan: LaunchPlan, own: ConfigFile) -> LaunchPlan:
    """The plan with what the user's file `own` has for the folder that is worked in, which counts more.

    Raises `UserFault` where that cannot be used.
    """
    table = own.table_of(plan.cwd)
    if table is None:
        return plan
    said = table.settings
    if said.env_file:
        plan = plan.with_command(env={**plan.command.env, **read_env_file(own.path_of(said.env_file))})
    servers = {server.name: server for server in plan.mcp_servers}
    for name, told in said.mcp_servers.items():
        server = _server(name, told, table, plan.cwd, plan.command.env)
        servers[name] = replace(server, folder=str(table.folder))
    prompt, added = plan.system_prompt, _said("", said.append_system_prompt, own, table.place)
    if added.texts:  # in that folder alone
        prompt = replace(joined(prompt, added), folder=str(table.folder), outside=prompt)
    return replace(plan, mcp_servers=tuple(servers.values()), system_prompt=prompt)


def _server(
    name: str, told: McpServerSettings, said: ConfiguredAgent | FolderTable, cwd: Path, env: Mapping[str, str]
) -> McpServer:
    server = McpServer(name, told.type, told.command, told.args, told.env, told.url, told.headers)
    try:
        return with_path(filled(server, Placeholders(env, cwd)), cwd, env)
    except Unfilled as error:
        raise UnusableConfig(said.place("mcp_servers", name), str(error)) from error


def _folder(configured: ConfiguredAgent, name: str, written: str) -> Path:
    folder = os.path.realpath(configured.file.path_of(written))
    if not os.path.isdir(folder):  # noqa: PTH112 - never raises, whatever is written
        raise UserFault("The agent cannot be started", f"{configured.place(name)}: {named(folder)} is not a folder")
    return Path(folder)


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


def with_given(plan: LaunchPlan, own: Option | None, added: Sequence[Option], *, none: bool) -> LaunchPlan:
    """The plan with that of the command line; `none`: without any. Raises `UserFault`, as above."""
    if none and added:
        raise UserFault(f"--no-system-prompt cannot be combined with {added[0][0]}")
    prompt = SystemPrompt(given=True) if none else given_prompt(plan.system_prompt, own, added)
    return replace(plan, system_prompt=prompt)


def prompted(plan: LaunchPlan, own: ConfigFile) -> LaunchPlan:
    """The plan with what the user's file says for all agents, before all else.

    Raises `UserFault` with file, line and field for what is too long.
    """
    general = _said(own.says("system_prompt", ""), own.says("append_system_prompt", ""), own, own.place)
    return replace(plan, system_prompt=joined(general, plan.system_prompt))


def _said(override: str, append: str, file: ConfigFile, place: Callable[[str], ConfigLocation]) -> SystemPrompt:
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
        reason = reason_of(error)
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
