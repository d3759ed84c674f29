"""The question before an agent starts in whose start the project has a say: what would be started, and by whose word.

A project says no more than a name; a command and what is in it are the user's.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from acp_tui.host.catalog.launch import Consent, Launch
from acp_tui.session.text.secret_masking import masked_words
from acp_tui.ui.agents.agreement import Agreement, Question, facts, in_groups
from acp_tui.ui.render.text import sanitise_line
from acp_tui.ui.render.unit import Unit
from acp_tui.views.formatting import home_path

_ONE_ROW = 60  # characters of a command that is told in one row
_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


class ConsentScreen(Agreement):
    """Whether the agent that the project names, or that of the last session, may start."""

    def __init__(self, launch: Launch, consent: Consent) -> None:
        name = sanitise_line(consent.name, 40)
        super().__init__(
            Question(
                f"This project wants to start “{name}”" if consent.file else f"Start “{name}” as in the last session?",
                consent_units(launch, consent),
                no="Do not start",
                yes="Start" if consent.lasts else "Start this time",
                warning="The agent runs with your permissions. Do you trust the author of this project?",
            )
        )


def consent_units(launch: Launch, consent: Consent) -> list[Unit]:
    """What would be started, by whom that is said, and what the consent is bound to."""
    return in_groups((_start(launch, consent), _bounds(consent)))


def _start(launch: Launch, consent: Consent) -> Iterator[Unit]:
    if consent.file is not None:
        yield from facts("config file", home_path(str(consent.file)))
        yield from facts("", f'default_agent = "{consent.name}"')
    command = launch.command
    # What the user configured may hold a secret; what the last session was started with holds none, and must be seen.
    yield from command_facts("command", masked_words(command.argv) if consent.file else command.argv)
    if command.program != command.argv[0]:
        yield from facts("program", home_path(command.program), muted=True)
    yield from facts("folder", home_path(str(launch.cwd)))


def _bounds(consent: Consent) -> Iterator[Unit]:
    if consent.file is not None:
        yield from facts("asks again", "when the project names another agent", muted=True)
        return
    if consent.lasts:
        when = "when one of these files changes:" if consent.watched else "when this changes"
        yield from facts("asks again", when, *(_path(path, consent) for path in consent.watched), muted=True)
    else:
        yield from facts("asks again", "every time: its files are too large to compare")
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
