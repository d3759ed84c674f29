"""All prompts of one's own that can be used in a folder, and what the user agreed to of a project's.

The user's are in `prompts/` of the config folder, a project's in `.acp-tui/prompts/` of the folder that is worked in,
or the nearest one above. A project's prompt speaks to the agent in the user's name: it needs a consent,
which holds for exactly one text.
"""

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from acp_tui.frozen import Frozen
from acp_tui.host.config.choices import Consents, fingerprint
from acp_tui.host.config.source_files import is_ours, read_bytes
from acp_tui.host.config.state_files import config_folder
from acp_tui.host.prompts.own_prompt import OwnPrompt
from acp_tui.safe_text import is_plain, named, one_line

FENCES = ("---", "+++")
SHOWN = 40  # characters of a wrong line
_FIELD = re.compile(r"([A-Za-z][\w-]*)\s*[:=](?:\s+|$|(?=[\"']))(.*)")
_OURS = re.compile(r"(?i:description|argument[-_]hint|send)\b")
_BLOCK = re.compile(r"[|>]\d?[+-]?\d?")  # YAML: the lines below are the value
_WORDS = {"true": True, "false": False}


class Unreadable(Exception):
    """`line` counts from 1, in the file."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        super().__init__(reason)


class FrontMatter(Frozen):
    """What a prompt file says of itself; `send` is whether the prompt is sent at once, or edited first."""

    description: str = ""
    argument_hint: str = ""
    send: bool = True


def split(text: str) -> tuple[FrontMatter, str]:
    """The front matter of a file and the prompt below it. Raises `Unreadable`.

    What is not ours is passed over, so that files for other clients can be used as they are. Lines that are set in, and
    items of a list, belong to the key above them.
    """
    lines = text.split("\n")
    fence = lines[0].rstrip()
    if fence not in FENCES:
        return FrontMatter(), text.strip()
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() == fence), 0)
    if not end:
        raise Unreadable(1, f"the front matter has no closing {fence}")
    said = {name.lower().replace("_", "-"): (value, at) for name, value, at in _fields(lines[1:end])}
    description, hint = (said.get(name, ("", 0))[0] for name in ("description", "argument-hint"))
    send, at = said.get("send", ("true", 0))
    if send.lower() not in _WORDS:
        raise Unreadable(at, f"send must be true or false, not {one_line(send, SHOWN) or 'empty'}")
    return FrontMatter(description, hint, _WORDS[send.lower()]), "\n".join(lines[end + 1 :]).strip()


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str, int]]:
    at = 0
    while at < len(lines):
        first = at
        at += 1
        line = lines[first].rstrip()
        if not line or line.startswith("#"):
            continue
        found = _FIELD.fullmatch(line)
        if found is None and _OURS.match(line) is None:
            continue
        if found is None:
            raise Unreadable(first + 2, f'"{one_line(line, SHOWN)}" is not `key: value`')
        below: list[str] = []
        while at < len(lines) and (not lines[at].strip() or lines[at][0] in " \t" or lines[at].startswith("- ")):
            below.append(lines[at].strip())
            at += 1
        value = "" if _BLOCK.fullmatch(found[2]) else _value(found[2])
        yield found[1], " ".join(part for part in (value, *below) if part), first + 2


def _value(written: str) -> str:
    quoted = len(written) > 1 and written[0] == written[-1] and written[0] in "'\""
    return written[1:-1] if quoted else written


ENDING = ".md"
FILES_AT_MOST = 1_000
ENTRIES_AT_MOST = 10_000  # of one folder that are looked at
DEPTH_AT_MOST = 8  # folders below each other
MAX_BYTES = 256 * 1024  # of a file: a prompt of 40,000 words
MAX_TOGETHER = 16 * 1024 * 1024  # bytes

Stamp = tuple[str, int, int, int]


class PromptFile(Frozen):
    """A file that was found, by its way from the folder; `stamp` is another one when the file changed.

    `kind` says what it is where it is no file that can be read.
    """

    path: Path
    parts: tuple[str, ...]
    stamp: Stamp
    kind: str = ""

    @property
    def size(self) -> int:
        """Bytes, as they were counted when it was found."""
        return self.stamp[2]


class Search:
    """The prompt files below a folder, in the order of their names; `problems` says what is left out, and why.

    In a `foreign` folder, a project's, no link is followed and nothing counts that another user may have put there;
    `here` says that the project is the folder that one has gone to work in. Blocks.
    """

    def __init__(self, folder: Path, *, foreign: bool = False, here: bool = False) -> None:
        self.problems: list[str] = []
        self._folder, self._foreign, self._here = folder, foreign, here
        self._seen: set[tuple[int, int]] = set()  # folders, by which links lead back
        self.files: list[PromptFile] = []
        size = 0
        for file in self._below(folder, ()):
            size += min(file.size, MAX_BYTES)
            if len(self.files) == FILES_AT_MOST or size > MAX_TOGETHER:
                self.problems.append(f"{named(folder)}: too many prompts, only the first {len(self.files):,} are used")
                break
            self.files.append(file)

    def _below(self, folder: Path, parts: tuple[str, ...]) -> Iterator[PromptFile]:
        for name in self._names(folder):
            path = folder / name
            found = self._stat(path)
            if found is None:
                continue
            if stat.S_ISDIR(found.st_mode):
                if len(parts) < DEPTH_AT_MOST and self._counts(path) and self._is_new(found):
                    yield from self._below(path, (*parts, name))
            elif name.lower().endswith(ENDING) and self._counts(path):
                stamp = (str(path), found.st_mtime_ns, found.st_size, found.st_ino)
                yield PromptFile(path, (*parts, name[: -len(ENDING)]), stamp, _odd_kind(found.st_mode))

    def _stat(self, path: Path) -> os.stat_result | None:
        """What is there, of a link what it leads to, unless the folder is foreign or that is nowhere."""
        for follow in (not self._foreign, False):
            try:
                return path.stat(follow_symlinks=follow)
            except OSError:
                continue
        return None  # it went away meanwhile

    def _names(self, folder: Path) -> list[str]:
        try:
            self._is_new(folder.stat())
            with os.scandir(folder) as entries:
                names = [entry.name for entry in islice(entries, ENTRIES_AT_MOST + 1)]
        except OSError as error:
            if folder != self._folder or not isinstance(error, FileNotFoundError | NotADirectoryError):
                self.problems.append(f"{named(folder)}: {error.strerror or error}")
            return []
        if len(names) > ENTRIES_AT_MOST:
            names.pop()
            self.problems.append(f"{named(folder)}: only its first {ENTRIES_AT_MOST:,} files are read")
        return sorted(name for name in names if not name.startswith("."))

    def _is_new(self, folder: os.stat_result) -> bool:
        key = folder.st_dev, folder.st_ino
        new = key not in self._seen
        self._seen.add(key)
        return new

    def _counts(self, path: Path) -> bool:
        ours = not self._foreign or is_ours(path, here=self._here)
        if not ours:
            self.problems.append(f"{named(path)}: belongs to another user (not used)")
        return ours


class Unusable(Exception):
    """A prompt file that cannot be used: which, at which line, and why, in words."""


def read(file: PromptFile) -> tuple[FrontMatter, str]:
    """What a prompt file says of itself, and its text. Raises `Unusable`."""
    if file.kind:
        raise Unusable(f"{named(file.path)}: {file.kind}")
    try:
        data = read_bytes(file.path, foreign=True, most=MAX_BYTES)
        front, text = split(_text(data))
        if not text:
            raise Unreadable(0, "no text below the front matter" if data.strip() else "empty")
    except Unreadable as error:
        line = f", line {error.line}" if error.line else ""
        raise Unusable(f"{named(file.path)}{line}: {error}") from error
    except OSError as error:
        raise Unusable(f"{named(file.path)}: {error.strerror or error}") from error
    return front, text


def _odd_kind(mode: int) -> str:
    return "" if stat.S_ISREG(mode) else "a symlink" if stat.S_ISLNK(mode) else "not a regular file"


def _text(data: bytes) -> str:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(data[: error.start].count(b"\n") + 1, "not UTF-8") from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


FOLDER = "prompts"
PROJECT_FOLDER = Path(".acp-tui", FOLDER)
PREFIX = "project:"  # of a project's prompt where the user has one of that name
FIRST_LINE = 100  # characters of the text that describe a prompt without a description
_IN_THE_WAY = frozenset(":/\\")


class OwnPrompts:
    """The prompts for work in `folder`: `listed` by their names, and the `problems` of files.

    A file that cannot be used keeps its name, if it has one of its own, and says why when it is used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._consents = Consents()
        self._found: tuple[list[Stamp], list[str]] | None = None
        self.listed: tuple[OwnPrompt, ...] = ()
        self.problems: tuple[str, ...] = ()

    def look(self) -> bool:
        """Read the files again if any has changed, and say whether that is so. Blocks; never raises OSError."""
        problems: list[str] = []
        own = Search(config_folder() / FOLDER)
        project = _project(self._folder, problems)
        theirs = Search(project / PROJECT_FOLDER, foreign=True, here=project == self._folder) if project else None
        searches = [search for search in (own, theirs) if search is not None]
        problems += [problem for search in searches for problem in search.problems]
        found = [file.stamp for search in searches for file in search.files], [*problems]
        if found == self._found:
            return False
        prompts: dict[str, OwnPrompt] = {}
        for search in searches:
            for file in search.files:
                _add(prompts, file, project if search is theirs else None, problems)
        self._found, self.listed, self.problems = found, tuple(prompts.values()), tuple(problems)
        return True

    def find(self, name: str) -> OwnPrompt | None:
        return next((prompt for prompt in self.listed if prompt.name == name), None)

    def may_be_used(self, prompt: OwnPrompt) -> bool:
        """Whether it is the user's own, or the user agreed to its very text (or it has none). Reads a file."""
        return prompt.project is None or bool(prompt.problem) or self._consents.holds(_fingerprint(prompt))

    def agree(self, prompt: OwnPrompt) -> None:
        """Remember that the user agreed to a project's prompt. Raises OSError."""
        if prompt.project is not None:
            self._consents.add(_fingerprint(prompt), prompt.project, f"/{prompt.name}")


def _fingerprint(prompt: OwnPrompt) -> str:
    return fingerprint(prompt.project or Path(), f"/{prompt.name}", {"prompt": prompt.text, "send": prompt.send})


def _add(prompts: dict[str, OwnPrompt], file: PromptFile, project: Path | None, problems: list[str]) -> None:
    name = slash_name(file.parts)
    taken = prompts.get(name)
    if taken is not None and project is not None and taken.project is None:
        name = PREFIX + name
        taken = prompts.get(name)
    if taken is not None:
        problems.append(f"{named(file.path)}: /{name} is taken by {named(taken.path)} (not used)")
        return
    try:
        front, text = read(file)
    except Unusable as error:
        problems.append(f"{error} (not used)")
        prompts[name] = OwnPrompt(name, file.path, "", "cannot be used", project=project, problem=str(error))
    else:
        description = front.description or text.partition("\n")[0].lstrip("# ")[:FIRST_LINE]
        prompts[name] = OwnPrompt(name, file.path, text, description, front.argument_hint, front.send, project)


def slash_name(parts: Sequence[str]) -> str:
    """The name by which a file is called: `git/commit` is `git:commit`; what cannot be typed or seen is a dash."""
    return ":".join(
        "".join(
            sign if is_plain(sign) and not sign.isspace() and sign not in _IN_THE_WAY else "-"
            for sign in unicodedata.normalize("NFC", part)
        )
        for part in parts
    )


def _project(folder: Path, problems: list[str]) -> Path | None:
    for place in (folder, *folder.parents):
        prompts = place / PROJECT_FOLDER
        try:
            if not prompts.is_dir():
                continue
            linked = next((path for path in (prompts.parent, prompts) if path.is_symlink()), None)
        except OSError:
            continue
        if linked is not None:
            problems.append(f"{named(linked)}: a symlink (the project's prompts are not used)")
        elif all(is_ours(path, here=place == folder) for path in (prompts.parent, prompts)):
            return place
        else:
            problems.append(f"{named(prompts)}: belongs to another user (not used)")
    return None
