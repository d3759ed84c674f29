"""Lists of the command line: agents, found sessions, what Tab in a shell completes; and `acp-tui config`: the settings
that count, or the user's file in an editor.
"""

import argparse
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from acp_tui.console import write_output
from acp_tui.errors import Fault, UserFault
from acp_tui.frozen import Frozen
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS, Agent
from acp_tui.host.catalog.agent_list import AgentList
from acp_tui.host.config.config import Config, ConfigFile, load_config
from acp_tui.host.config.config_writer import create
from acp_tui.host.config.preferences import Preferences
from acp_tui.host.config.presets import own_presets
from acp_tui.host.config.settings import (
    AgentSettings,
    FolderSettings,
    LimitTable,
    Settings,
    config_schema,
)
from acp_tui.host.config.settings_table import SETTINGS
from acp_tui.host.config.source_files import spelled
from acp_tui.host.config.toml_edit import toml
from acp_tui.host.prompts.own_prompts import OwnPrompts
from acp_tui.host.records.record_info import RecordInfo, run_check
from acp_tui.host.records.records import Records
from acp_tui.host.records.search import Hit, SearchResult
from acp_tui.host.system.paths import real_path, why_not_started, written_path
from acp_tui.host.user_programs import editor_command
from acp_tui.safe_text import named, one_line
from acp_tui.session.text.phrases import counted
from acp_tui.session.text.secret_masking import masked_value, masked_values, masked_words, without_secrets
from acp_tui.views.past_sessions import LIST_COLUMNS, PastSession, usage_json, usage_notes, usage_table

NO_HITS = 1
WIDE = 110
"""Columns from which on there is room for descriptions."""
_GAP, _BELOW = "  ", " " * 6  # between columns, and before a command that has a row of its own
_TIME = 16  # cells of `2026-07-12 14:03`
_ORIGINS = {"known": "", "own": "configured", "registry": "registry"}


def show_agents(folder: Path) -> int:
    """Print what is installed, what is not and how to get it; the exit code."""
    agent_list = AgentList(folder)
    agent_list.fetch()
    write_output("\n".join(agents_table(agent_list.agents.listed, _width())))
    for problem in [*agent_list.agents.problems, *agent_list.config.warnings]:
        write_output(f"\n{one_line(problem)}")
    return 0


def agents_table(agents: Sequence[Agent], columns: int) -> list[str]:
    installed = [agent for agent in agents if agent.installed]
    others = [agent for agent in agents if not agent.installed]
    lines: list[str] = []
    for heading, sign, members in (
        ("Installed", "✓", installed),
        ("Not installed", " ", others),
    ):
        if members:
            lines += ["", heading, *_rows(sign, members, agents, columns)]
    lines += ["", "Start an agent: acp-tui NAME", "Choose or install one: acp-tui", "Try the demo: acp-tui --demo"]
    lines += ["See who is logged in: acp-tui agents status"] if installed else []
    return lines[1:]


def _rows(sign: str, members: Sequence[Agent], agents: Sequence[Agent], columns: int) -> list[str]:
    names, titles = [named(agent.name) for agent in agents], [agent.title for agent in agents]
    sizes = [1, _widest(names, 20), _widest(titles, 20)]
    wide = columns >= WIDE
    if wide:
        sizes.append(_widest([agent.description for agent in agents], 46))
    rows = [
        [sign, named(agent.name), agent.title, *([agent.description] if wide else []), _how(agent)] for agent in members
    ]
    lines: list[str] = []
    for row, line in zip(rows, _in_columns(rows, sizes), strict=True):
        if len(line) < columns:
            lines.append(f" {line}")
        else:  # the command has a row of its own, in which it can be marked and copied
            lines += [f" {_in_columns([row[:-1]], sizes)[0]}", f"{_BELOW}{one_line(row[-1], 1000)}"]
    return lines


def _how(agent: Agent) -> str:
    origin = _ORIGINS[agent.origin]
    page = agent.homepage if agent.configured is None else ""
    how = shlex.join(agent.argv) if agent.program else agent.install or page
    if agent.origin == "registry" and agent.package is not None:
        how = f"{agent.package.spec} ({agent.package.kind}): install it from the list in acp-tui"
    if not how:
        how, origin = shlex.join(agent.argv), f"{origin}, not found"
    return f"{named(how)} ({origin})" if origin else named(how)


class SessionFilter(Frozen):
    """A filter of sessions: those of an `agent` and a `folder` (empty: of all), and whether `runs` are, too."""

    agent: str = ""
    folder: str = ""
    runs: bool = False

    def search(self, records: Records, words: Sequence[str]) -> tuple[SearchResult, int]:
        """What is found among these sessions, and in how many runs that are hidden."""
        infos = records.list()
        is_run, of = run_check(infos), [info for info in infos if self._has(info)]
        found = records.search(words, among=[info for info in of if self.runs or not is_run(info)])
        hidden = [] if self.runs else [info for info in of if is_run(info)]
        return found, len(records.search(words, among=hidden).hits)

    def _has(self, info: RecordInfo) -> bool:
        """An agent has the name that it tells, and the one by which it was started."""
        names = [str(name).casefold() for name in (info.agent, info.start.get("agent", ""))]
        return (not self.agent or self.agent.casefold() in names) and self.folder in ("", info.cwd)


def show_hits(options: argparse.Namespace) -> int:
    """Print the sessions in which all of the words were said, the newest first; 1 if there are none."""
    folder = "" if options.cwd is None else str(real_path(written_path(options.cwd)))  # it may be gone by now
    only, records = SessionFilter(options.agent or "", folder, options.runs), Records()
    found, hidden = only.search(records, " ".join(options.words).split())
    write_output("\n".join(hits_table(found, _width(), hidden)))
    return 0 if found.hits else NO_HITS


def show_usage(options: argparse.Namespace) -> int:
    """Print the usage of all recorded sessions as a table, or as one JSON object; the exit code."""
    ledger = Records().ledger()
    if options.format == "json":
        write_output(json.dumps(usage_json(ledger, options.by)))
    else:
        table = usage_table(ledger, options.by, _width()) if ledger.rows else []
        write_output("\n".join([*table, *([""] if table else []), *usage_notes(ledger)]))
    return 0


def hits_table(found: SearchResult, columns: int, hidden: int = 0) -> list[str]:
    """The lines of the table, at most about `columns` wide: a row and a snippet for each session; `hidden` runs."""
    lines: list[str] = []
    if found.hits:
        rows = [["when", *(column.name for column in LIST_COLUMNS), "title"], *map(_hit_row, found.hits)]
        texts = list(zip(*rows, strict=True))[1:]
        most = (column.printed or column.width for column in LIST_COLUMNS)
        sizes = [_TIME, *map(_widest, texts, most)]
        heading, *lines_of_hits = _in_columns(rows, sizes)
        lines.append(heading)
        for line, hit in zip(lines_of_hits, found.hits, strict=True):
            lines += [line[:columns], f"    {one_line(hit.line, min(columns - 4, 240))}"]
    else:
        lines.append(f"No matches in {counted(found.searched, 'recorded session')}.")
    lines += [f"({counted(hidden, 'run')} hidden; show with --runs)"] * bool(hidden)
    return [*lines, f"({found.shortfall})"] if found.shortfall else lines


def _hit_row(hit: Hit) -> list[str]:
    when = hit.info.updated.astimezone().strftime("%Y-%m-%d %H:%M")
    return [when, *(column.text(PastSession(record=hit.info)) for column in LIST_COLUMNS), hit.info.title]


def _width() -> int:
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 1000


def _in_columns(rows: Sequence[Sequence[str]], widths: Sequence[int]) -> list[str]:
    lines: list[str] = []
    for row in rows:
        cells = [one_line(cell, size).ljust(size) for cell, size in zip(row, widths, strict=False)]
        rest = [one_line(cell, 1000) for cell in row[len(widths) :]]
        lines.append(_GAP.join([*cells, *rest]).rstrip())
    return lines


def _widest(texts: Sequence[str], most: int) -> int:
    return min(most, max((len(one_line(text)) for text in texts), default=0))


SESSIONS_AT_MOST = 50
LONGEST = 60  # characters of a description
_PLAIN = re.compile(r"[\w@%+=:,./][\w@%+=:,./-]*", re.ASCII)
"""Words that mean themselves in every shell: a config file names agents, and an agent its sessions."""


def agents(folder: Path) -> Iterator[tuple[str, str]]:
    """Names for `--agent`, those that can be started first; nothing is fetched."""
    try:
        listed = AgentList(folder).agents.listed
    except Fault:  # a config file that cannot be used: a line that is still written is no place to say so
        yield from ((agent.name, agent.title) for agent in KNOWN_AGENTS)
        return
    for agent in sorted(listed, key=lambda agent: not agent.program):
        title = one_line(agent.title, LONGEST)
        yield agent.name, title if agent.program else f"{title}, not installed"


def sessions(folder: Path) -> Iterator[tuple[str, str]]:
    """IDs for `--resume`, the session that was used last first; runs come behind all others, and are named so."""
    found = [info for info in Records().list(str(folder)) if info.session_id]
    is_run = run_check(found)
    for info in sorted(found, key=is_run)[:SESSIONS_AT_MOST]:
        run = "run" * is_run(info)
        names = one_line(info.title, LONGEST), one_line(info.agent, LONGEST)
        parts = run, *names, f"{info.updated.astimezone():%d %b %H:%M}"
        yield info.session_id, " · ".join(part for part in parts if part)


LISTS = {"agents": agents, "sessions": sessions}


def rows(kind: str, folder: Path) -> Iterable[tuple[str, str]]:
    """The words of a kind, without any that a shell would take for more than a word."""
    seen: set[str] = set()
    for word, told in LISTS[kind](folder):
        if _PLAIN.fullmatch(word) and word not in seen:
            seen.add(word)
            yield word, told


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
    for name, values in own_presets(config.own).items():
        yield from ("", f"[{spelled(('presets', name))}]", *_pairs(values))
    yield from _limits(preferences.get("limits", object))
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
        return f"{name} = {toml(value)}  # set with a shortcut"
    consent = ", needs your consent" if source == "project" and name == "default_agent" else ""
    whose = {"user": "yours", "folder": "yours for this folder"}.get(source, source)
    return f"{name} = {toml(value)}  # {whose}, line {preferences.place(name).line}{consent}"


def _table(field: tuple[str, ...], settings: AgentSettings | FolderSettings) -> Iterator[str]:
    yield from ("", f"[{spelled(field)}]", *_pairs(_said(settings, leave=("mcp_servers", "limits"))))
    yield from _limits(getattr(settings, "limits", None), *field)
    for name, server in settings.mcp_servers.items():
        yield from ("", f"[{spelled((*field, 'mcp_servers', name))}]", *_pairs(_said(server)))


def _limits(limits: object, *field: str) -> Iterator[str]:
    if isinstance(limits, LimitTable) and limits:
        yield from ("", f"[{spelled((*field, 'limits'))}]", *_pairs(_said(limits)))


def _said(settings: Settings, leave: Container[str] = ()) -> dict[str, Any]:
    known = type(settings).model_fields
    said = {name: getattr(settings, name) for name in known if name in settings.model_fields_set and name not in leave}
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
