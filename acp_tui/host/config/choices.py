"""Choices of the user for later runs: options set without a question, consents, and the prompts that were sent.

One file per agent in the state folder has what is kept, in the order in which it was chosen, the options about which
the user does not want to be asked, and which values of an option were used last. What nobody chose is never in it.

A consent is to what a project may have started or sent: the one to a prompt is for its folder, name and text; the one
to the agent that a project proposes is for its folder and that name; the one to go on with the last session's agent is
for its command and the project's files that it names.

Prompts are in one file per project: JSON lines, `{"text": ...}` each, oldest first. Lines are appended in one write, so
that several runs can share the file; what is damaged is skipped; what is too much is dropped when the file is read.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from acp_tui.frozen import Frozen
from acp_tui.host.config.state_files import (
    JsonFile,
    append_object,
    json_line,
    json_lines,
    json_object,
    kept_name,
    state_folder,
    write_private,
)
from acp_tui.host.system.paths import real_path

if TYPE_CHECKING:
    from acp_tui.protocol.vocabulary.config_options import ConfigOption, OptionValue

RECENT = 5  # values of one option
ASKING = ("mode", "permissions")
"""Categories of options that say how much an agent asks; the second is Copilot's."""
AskingMore = Mapping[str, Sequence[str | bool]]
"""The values of an agent's options that are known to ask more than others, by the options' ids."""
NOTHING_KNOWN: AskingMore = {}


class Choice(Frozen):
    """A config option and the value that was chosen, with the names that the user knows them by."""

    option_id: str
    value: OptionValue
    option_name: str
    value_name: str

    def __str__(self) -> str:
        return f"{self.option_name}={self.value_name}"

    @property
    def words(self) -> str:
        """As a user would say it: `Model Opus`."""
        return f"{self.option_name} {self.value_name}"


def choice_of(option: ConfigOption, value: OptionValue) -> Choice:
    return Choice(option.id, value, option.shown_name, option.value_name(value))


def in_order(choices: Iterable[Choice], options: Sequence[ConfigOption]) -> list[Choice]:
    """The order to choose in: models first, since other options depend on them; else as it was."""
    models = {option.id for option in options if option.category == "model"}
    return sorted(choices, key=lambda choice: choice.option_id not in models)


def obstacle(choice: Choice, option: ConfigOption | None) -> str | None:
    """Why a choice cannot be made of this option, in words; `None` if it can, empty if it is made already."""
    if option is None:
        return "the option no longer exists"
    if option.current_value == choice.value:
        return ""
    return None if option.offers(choice.value) else "the value no longer exists"


class KeptChoices:
    """The choices that are kept for one agent. Trouble with the file never raises: `problem` says what it is."""

    def __init__(self, path: Path | None) -> None:
        """Read the file at `path`; `None` keeps nothing beyond this run."""
        self._file = JsonFile(path)
        self.kept: dict[str, Choice] = {}
        self.declined: set[str] = set()
        self.recent: dict[str, list[str]] = {}
        self._in_run: dict[tuple[str, str], Choice] = {}  # by session and option
        self._file.load(self._read)

    @classmethod
    def for_agent(cls, name: str) -> Self:
        stem = file_stem(name.encode(errors="surrogatepass"), name)
        return cls(state_folder() / "choices" / f"{stem}.json")

    @property
    def problem(self) -> str:
        return self._file.problem

    def keep(self, choices: Iterable[Choice]) -> None:
        """Keep these from now on; later choices of the same options take their places."""
        for choice in choices:
            self.kept.pop(choice.option_id, None)
            self.kept[choice.option_id] = choice
            self.declined.discard(choice.option_id)
        self._store()

    def decline(self, choices: Iterable[Choice]) -> None:
        self.declined.update(choice.option_id for choice in choices)
        self._store()

    def keeps(self, choice: Choice) -> bool:
        kept = self.kept.get(choice.option_id)
        return kept is not None and kept.value == choice.value

    def was_chosen(self, session_id: str, choice: Choice) -> bool:
        """Whether the user chose this value last, of this option in this session in this run of the program."""
        chosen = self._in_run.get((session_id, choice.option_id))
        return chosen is not None and chosen.value == choice.value

    def used(self, choice: Choice, session_id: str) -> None:
        """A value was chosen: it is the most recent one of its option. Switches have none."""
        self._in_run[session_id, choice.option_id] = choice
        if isinstance(choice.value, str):
            before = [value for value in self.recent.get(choice.option_id, ()) if value != choice.value]
            self.recent[choice.option_id] = [choice.value, *before][:RECENT]
            self._store()

    def forget(self) -> None:
        self.kept, self.declined, self.recent = {}, set(), {}
        self._file.delete()

    def recent_values(self, option_id: str) -> tuple[str, ...]:
        return tuple(self.recent.get(option_id, ()))

    def unknown(self, choices: Iterable[Choice]) -> tuple[Choice, ...]:
        """Those that are not kept and were never declined: the user is asked once about them."""
        return tuple(each for each in self.unkept(choices) if each.option_id not in self.declined)

    def unkept(self, choices: Iterable[Choice]) -> tuple[Choice, ...]:
        return tuple(each for each in choices if each.option_id not in self.kept)

    def _read(self, data: Any) -> None:
        kept = {each["option_id"]: _choice(each) for each in data["kept"]}
        declined = {str(each) for each in data["declined"]}
        recent = data.get("recent", {}).items()
        self.recent = {option_id: [str(value) for value in values][:RECENT] for option_id, values in recent}
        self.kept, self.declined = kept, declined

    def _store(self) -> None:
        kept = [asdict(each) for each in self.kept.values()]
        self._file.store({"kept": kept, "declined": sorted(self.declined), "recent": self.recent}, indent=1)


def _choice(data: dict[str, Any]) -> Choice:
    value = data["value"]
    if value is None or isinstance(value, dict | list):  # no type of option has such values
        raise TypeError
    return Choice(str(data["option_id"]), value, str(data["option_name"]), str(data["value_name"]))


def file_stem(key: bytes, readable: str) -> str:
    """The name of the file for `key`, with as much of `readable` as a name can have."""
    shown = "".join(sign if sign.isalnum() or sign in "-_." else "_" for sign in readable)[:40]
    return f"{shown or 'agent'}-{hashlib.sha256(key).hexdigest()[:16]}"


class RecordedOptions:
    """What is set again when a session is continued: all but what says how much the agent asks.

    That is set only where the user has chosen it in this run, keeps it for new sessions, or where it is known to ask
    more. Else the session begins as its agent begins it, and a row says so. `left` are the options with the values with
    which it was left, in the agent's order: what says how much is asked is known from them too, for before it is open
    there are no other options.
    """

    def __init__(
        self,
        left: Sequence[ConfigOption] = (),
        asking_more: AskingMore = NOTHING_KNOWN,
        kept: KeptChoices | None = None,
        session_id: str = "",
    ) -> None:
        self._left, self._asking_more, self._kept, self._session_id = left, asking_more, kept, session_id
        self._choices = [choice_of(option, option.current_value) for option in left]

    def again(self, options: Sequence[ConfigOption]) -> dict[str, Choice]:
        """What is set again, by the ids of the options."""
        asking = self._asking(options)
        return {each.option_id: each for each in self._choices if each.option_id not in asking or self._may(each)}

    def left_out(self, options: Sequence[ConfigOption]) -> list[Choice]:
        """What is not set again and is another value now."""
        again = self.again(options)
        now = {option.id: option.current_value for option in options}
        left = (each for each in self._choices if each.option_id not in again)
        return [each for each in left if now.get(each.option_id, each.value) != each.value]

    def _asking(self, options: Sequence[ConfigOption]) -> set[str]:
        return {*self._asking_more, *(each.id for each in (*self._left, *options) if each.category in ASKING)}

    def _may(self, choice: Choice) -> bool:
        if choice.value in self._asking_more.get(choice.option_id, ()):
            return True
        return self._kept is not None and (self._kept.keeps(choice) or self._kept.was_chosen(self._session_id, choice))


def fingerprint(folder: Path, name: str, start: object) -> str:
    """One short word for all that would be started or sent; `start` is plain data."""
    told = json.dumps([str(real_path(folder)), name, start], sort_keys=True, default=str)
    return hashlib.sha256(told.encode(errors="surrogatepass")).hexdigest()


class Consents:
    """Consents that were given, one line each: `{"start": FINGERPRINT, "folder": ..., "agent": NAME or /PROMPT}`."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or state_folder() / "consents.jsonl"

    def holds(self, start: str) -> bool:
        """Whether the user agreed to that; a file that cannot be read holds nothing."""
        try:
            lines = json_lines(self._path)
        except OSError:
            return False
        return any((json_object(line) or {}).get("start") == start for line in lines)

    def add(self, start: str, folder: Path, name: str) -> None:
        """Remember that the user agreed. Raises OSError."""
        append_object(self._path, {"start": start, "folder": str(folder), "agent": name})


MAX_PROMPTS = 1000
MAX_CHARACTERS = 100_000  # of one prompt; a longer one is recalled in this run only
_MAX_BYTES = 8 * 1024 * 1024  # of the file; only its end is read
_SLACK = 2  # the file may hold this many times MAX_PROMPTS lines before it is written anew


def history_file(project: Path) -> Path:
    """The history file of the project folder `project`: its name to be recognised, its path to be told apart."""
    real = real_path(project)
    name = kept_name(real.name, str(real).encode(errors="surrogateescape"), "root")
    return state_folder() / "history" / f"{name}.jsonl"


_COMMAND_ALONE = re.compile(r"/[^\s/]*\s*")  # `/`, `/undo`: sooner typed than found; `/etc/hosts` is a path


class PromptHistory:
    """The prompts of one project, oldest first, none twice. Commands without an argument are no prompts.

    Trouble with the file never raises: `problem` says in words what keeps the history from being kept, and the
    prompts of this run are still recalled.
    """

    def __init__(self, path: Path | None) -> None:
        """The file at `path` is read when its prompts are wanted; `None` keeps nothing beyond this run."""
        self.path = path
        self.problem = ""

    @cached_property
    def entries(self) -> list[str]:
        return self._load(self.path) if self.path is not None else []

    def add(self, text: str) -> None:
        """Remember a prompt that was sent; an earlier one with the same text gives way, an empty one is ignored."""
        if not _is_prompt(text) or self.entries[-1:] == [text]:
            return
        self.entries = _latest([*self.entries, text])
        if self.path is not None and len(text) <= MAX_CHARACTERS:
            try:
                append_object(self.path, {"text": text})
            except OSError as error:
                self.problem = f"{self.path}: {error.strerror or error}"

    def _load(self, path: Path) -> list[str]:
        entries: list[str] = []
        try:
            lines = json_lines(path, _MAX_BYTES)
            entries = _latest(text for line in lines if (text := _read(line)) is not None)
            if len(lines) > _SLACK * MAX_PROMPTS or path.stat().st_size > _MAX_BYTES:
                write_private(path, b"".join(json_line({"text": text}) for text in entries), sync=False)  # on the loop
        except FileNotFoundError:
            pass
        except OSError as error:
            self.problem = f"{path}: {error.strerror or error}"
        return entries


def _latest(texts: Iterable[str]) -> list[str]:
    unique = dict.fromkeys(reversed(list(texts)))
    return list(reversed(list(unique)[:MAX_PROMPTS]))


def _read(line: bytes) -> str | None:
    text = (json_object(line) or {}).get("text")
    return text if isinstance(text, str) and _is_prompt(text) and len(text) <= MAX_CHARACTERS else None


def _is_prompt(text: str) -> bool:
    return bool(text.strip()) and not _COMMAND_ALONE.fullmatch(text)
