"""The question before a project's agent starts: everything that would be started, and by whom that is said."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from acp_tui.host.catalog.launch import Consent, Launch
from acp_tui.protocol.capabilities import McpServer
from acp_tui.session.text.masking import masked_words
from acp_tui.session.text.secret_names import CONCEALED, option_asks
from acp_tui.ui.agents.agreement import Agreement, Question, facts, in_groups
from acp_tui.ui.kit.figures import home_path
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Unit

_ONE_ROW = 60  # characters of a command that is told in one row
_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


class ConsentScreen(Agreement):
    """Whether an agent of the project may start."""

    def __init__(self, launch: Launch, consent: Consent) -> None:
        name = sanitise_line(consent.name, 40)
        super().__init__(
            Question(
                f"Start “{name}” as in the last session?"
                if consent.recorded
                else f"This project wants to start “{name}”",
                consent_units(launch, consent),
                no="Do not start",
                yes="Start" if consent.lasts else "Start this time",
                warning="The agent runs with your permissions. Do you trust its author?",
            )
        )


def consent_units(launch: Launch, consent: Consent) -> list[Unit]:
    """Everything that would be started, by whom that is said, and what the consent is bound to."""
    return in_groups((_start(launch, consent), _servers(launch.mcp_servers, consent), _bounds(consent)))


def _start(launch: Launch, consent: Consent) -> Iterator[Unit]:
    if not consent.recorded:
        yield from facts("config file", home_path(str(consent.file)))
    if consent.proposed:
        yield from facts("", f'default_agent = "{consent.name}"')
    command = launch.command
    # What the user configured may hold a secret; what the project says must be seen.
    yield from command_facts("command", masked_words(command.argv) if consent.proposed else command.argv)
    if command.program != command.argv[0]:
        yield from facts("program", home_path(command.program), muted=True)
    yield from facts("folder", home_path(str(launch.cwd)))
    yield from facts("variables", *_variables(command.env, consent))
    for folder in launch.roots:
        yield from facts("more folders", home_path(folder))
    prompt = launch.system_prompt
    if prompt.override:
        yield from facts("prompt", "in place of the agent's system prompt:", prompt.override)
    if prompt.append:
        yield from facts("prompt", "added to the agent's system prompt:", *prompt.append)


def _servers(servers: Sequence[McpServer], consent: Consent) -> Iterator[Unit]:
    for server in servers:
        yield from facts("MCP server", server.name)
        if server.command:
            yield from command_facts("  command", (server.command, *server.args))
        if server.url:
            yield from facts("  address", server.url)
        yield from facts("  variables", *_variables(server.env, consent))
        for name in server.headers:
            yield from facts("  header", f"{name}: {CONCEALED}")


def _bounds(consent: Consent) -> Iterator[Unit]:
    if consent.lasts:
        files = consent.watched if consent.recorded else (str(consent.file), *consent.watched)
        when = "when one of these files changes:" if files else "when this changes"
        yield from facts("asks again", when, *(_path(path, consent) for path in files), muted=True)
    else:
        yield from facts("asks again", "every time: its files are too large to compare")
    if not consent.proposed:
        loaded = "anything these files load" if consent.watched else "anything it loads"
        others = [f"{_path(path, consent)} and its contents" for path in consent.unwatched]
        yield from facts("not checked", loaded, *others, muted=True)


def _path(path: str, consent: Consent) -> str:
    shown = Path(path)
    return str(shown.relative_to(consent.folder)) if shown.is_relative_to(consent.folder) else home_path(path)


def command_facts(label: str, words: Sequence[str]) -> Iterator[Unit]:
    """A command in one row where no word can be mistaken, else a word a row, each in quotes if it needs them."""
    joined = " ".join(words)
    if len(joined) <= _ONE_ROW and all(map(_PLAIN.fullmatch, words)):
        return facts(label, joined)
    return facts(label, *(word if _PLAIN.fullmatch(word) else shlex.quote(word) for word in words))


def _variables(variables: Mapping[str, str], consent: Consent) -> Iterator[str]:
    """Names with their values, unless a value is the user's or sounds secret."""
    for name, value in sorted(variables.items()):
        if name in consent.hidden:
            source = f" from {home_path(consent.env_file)}" if consent.env_file else ""
            yield f"{name}={CONCEALED}{source}"
        else:
            yield f"{name}={CONCEALED} ({len(value):,} characters)" if option_asks(name) else f"{name}={value}"
