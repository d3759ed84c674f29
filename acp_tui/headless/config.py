"""`acp-tui config`: the settings that count, or the user's file in an editor."""

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from acp_tui.console import write_output
from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.config.config import Config, ConfigFile, load_config
from acp_tui.host.config.config_writer import create
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.settings import AgentSettings, FolderSettings, McpServerSettings, config_schema
from acp_tui.host.config.settings_table import SETTINGS
from acp_tui.host.config.source_files import spelled
from acp_tui.host.config.toml_edit import toml
from acp_tui.host.desktop.user_commands import editor_command
from acp_tui.host.prompts.own_prompts import OwnPrompts
from acp_tui.host.system.paths import why_not_started
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.secret_masking import masked_value, masked_values, masked_words, without_secrets

PROMPTS = ("system_prompt", "append_system_prompt")
SHOWN = 60  # characters of one of them


def show_config(folder: Path, keys: Callable[[Config], Iterable[str]]) -> int:
    """Print which files there are and what they say together, as TOML without secrets; the exit code.

    `keys` gives lines about the keys: they are not known here.
    """
    config = load_config(folder)
    for line in [*_lines(config, folder), *_prompts(folder), "", *keys(config)]:
        write_output(line)
    return 0


def show_schema() -> int:
    """Print the JSON schema of a config file; the exit code."""
    write_output(json.dumps(config_schema(), indent=2))
    return 0


def edit_config() -> int:
    """Open the user's file in the editor, with all settings as comments if it is new; the exit code.

    Raises `UserFault` when there is no editor, or what was written cannot be used.
    """
    path = create()
    command = editor_command(str(path))
    try:
        ended = subprocess.run(command, check=False)  # noqa: S603 (the user's own editor)
    except OSError as error:
        hint = f"Set $EDITOR to the command of your editor, or edit {named(path)} yourself."
        raise UserFault(
            f"Cannot start the editor {named(command[0])}", why_not_started(error, command[0]), hint
        ) from error
    for warning in ConfigFile.read(path).warnings:
        write_output(one_line(warning))
    return ended.returncode


def _lines(config: Config, folder: Path) -> Iterator[str]:
    for whose, file in (("yours", config.own), ("project", config.project)):
        if file is not None:
            yield f"# {whose}: {named(file.path)}{'' if file.text else ' (does not exist)'}"
    ignored = AgentList(folder, config).ignored
    yield from (f"# {one_line(warning, 500)}" for warning in [*config.warnings, *([ignored] if ignored else [])])
    yield ""
    preferences = Preferences(config)
    yield from (_setting(preferences, name) for name, one in SETTINGS.items() if not isinstance(one.default, dict))
    for agent in config.agents.values():
        yield from _table(("agents", agent.name), agent.settings)
    folders: dict[str, FolderSettings] = config.own.says("folders", {})
    for name, settings in folders.items():
        yield from _table(("folders", name), settings)


def _prompts(folder: Path) -> Iterator[str]:
    prompts = OwnPrompts(folder)
    prompts.look()
    if prompts.listed or prompts.problems:
        yield ""
    for prompt in prompts.listed:
        consent = " (from the project: needs your consent)" if prompt.project is not None else ""
        yield f"# prompt /{named(prompt.name)}: {named(prompt.path)}{consent}"
    yield from (f"# {one_line(problem, 500)}" for problem in prompts.problems)


def _setting(preferences: Preferences, name: str) -> str:
    value, source = _brief(name, masked_value(preferences.get(name, object))), preferences.source(name)
    if source == "default":
        return f"# {name} = {toml(value)}  (default)" if value not in ("", ()) else f"# {name}  (not set)"
    if source == "key":
        return f"{name} = {toml(value)}  # set by key"
    consent = ", needs your consent" if source == "project" and name == "default_agent" else ""
    whose = {"user": "yours", "folder": "yours for this folder"}.get(source, source)
    return f"{name} = {toml(value)}  # {whose}, line {preferences.place(name).line}{consent}"


def _table(field: tuple[str, ...], settings: AgentSettings | FolderSettings) -> Iterator[str]:
    yield from ("", f"[{spelled(field)}]", *_pairs(_said(settings, leave="mcp_servers")))
    for name, server in settings.mcp_servers.items():
        yield from ("", f"[{spelled((*field, 'mcp_servers', name))}]", *_pairs(_said(server)))


def _said(settings: AgentSettings | FolderSettings | McpServerSettings, leave: str = "") -> dict[str, Any]:
    known = type(settings).model_fields
    said = {name: getattr(settings, name) for name in known if name in settings.model_fields_set and name != leave}
    for name, value in said.items():
        if name in ("env", "headers"):
            said[name] = masked_values(value)
        elif name == "args":
            said[name] = masked_words(value or ())
        elif name in PROMPTS:
            said[name] = _brief(name, masked_value(value))
        elif name == "url":
            said[name] = without_secrets(value)
    return said


def _brief(name: str, value: Any) -> Any:
    if name not in PROMPTS or len(value) <= SHOWN:
        return value
    return f"{value[:SHOWN]}… ({len(value):,} characters)"


def _pairs(said: Mapping[str, Any]) -> Iterator[str]:
    for name, value in said.items():
        yield f"{spelled((name,))} = {toml(value)}"
