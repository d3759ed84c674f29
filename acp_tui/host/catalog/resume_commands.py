"""Commands that go on with a session: its agent started once more here, in its own CLI, or from a shell.

A record lies in the user's own folders, but what it names may by now be something else: a project's file of that name,
or a program of the project. So an agent that was chosen by its name is looked up by that name, with all that holds for
it then; and a command that the user had written out is theirs as long as the project has no say in what it runs. Where
it may have one, the user is asked: for the command, and for the project's files that it names, as they are then. What
those load in turn is not looked at.

A session's id is what the agent says: for a shell, what is no plain word is refused, not quoted.
"""

import hashlib
import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from acp_tui.errors import UserFault
from acp_tui.host.catalog.agent_entries import KNOWN_AGENTS, known_by_argv, program_name
from acp_tui.host.catalog.launch_plan import AgentCommand, Consent, LaunchPlan, by_command, is_kept_apart
from acp_tui.host.config.choices import fingerprint
from acp_tui.host.records.records import Records
from acp_tui.host.system.paths import Programs, is_inside, open_regular, project_folders
from acp_tui.protocol.capabilities import Offer
from acp_tui.safe_text import named, one_line

_OFFERS: Mapping[Any, Offer] = {"1": "1", "2": "2", "auto": "auto"}
# Interpreters and runners: what they run is looked for in the folder that they are started in.
_RUNNERS = re.compile(
    r"(?:python|pypy|node|nodejs|ruby|perl|php|lua|tclsh)[\d.]*|(?:ba|da|z|fi|k)?sh|env|npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|tsx|uv|uvx"
    r"|pipx|poetry|pdm|hatch|rye|pixi|nix|make|just|task|cargo|go|dotnet|java|mise|direnv|docker|podman"
)
_TELLS = re.compile(r"-\w*[mce]|--eval.*|--module.*")  # what is run is not a file: a module, or a line of code
MOST = 512 * 1024 * 1024  # bytes that are read at most of all files together: below a second
_CHUNK = 1024 * 1024
# What separates paths from options, from each other, and from the rest of a shell line.
_BETWEEN = re.compile(r"""[\s=:,;|&()<>{}\[\]"'`$@]+""")
_SHORT_OPTION = re.compile(r"-\w")
SESSION = "{session}"  # where the id stands in the table of known agents
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,199}")  # it is no option, and means itself in every shell


@dataclass(slots=True)
class WatchedFiles:
    """`files` are digests by path, `others` paths of what is not watched: folders, devices, what cannot be read.

    It is not `whole` where there was more to read than MOST; then it is no proof that nothing has changed.
    """

    files: dict[str, str] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    whole: bool = True


def watch(words: Iterable[str], bases: Sequence[Path], project: Sequence[Path]) -> WatchedFiles:
    """What the words name inside the folders `project` (resolved); relative paths are relative to any of `bases`."""
    found = WatchedFiles()
    room = MOST
    for path, is_path in _candidates(words, bases):
        if path in found.files or path in found.others:
            continue
        try:
            mode = os.stat(path).st_mode  # noqa: PTH116 - there may be ten thousands of words
        except (OSError, ValueError):
            continue
        if not is_inside(path, project):
            continue
        digest, size = _digest(path, room) if stat.S_ISREG(mode) else ("", 0)
        room -= size
        if digest:
            found.files[path] = f"{digest} {os.path.realpath(path)}"
        elif not stat.S_ISDIR(mode) or is_path:
            found.others.append(path)
        found.whole = found.whole and room > 0
    return found


def _candidates(words: Iterable[str], bases: Sequence[Path]) -> Iterator[tuple[str, bool]]:
    for part in dict.fromkeys(part for word in words for part in _parts(word) if part):
        written = os.path.expanduser(part)  # noqa: PTH111 - `Path` raises for a user that there is not
        for base in bases:
            # Not made shorter: `link/..` is not the folder of `link`.
            yield os.path.join(base, written), os.sep in part or part.startswith(".")  # noqa: PTH118


def _parts(word: str) -> Iterator[str]:
    yield word
    yield word.partition("=")[2]
    yield from _BETWEEN.split(word)
    yield from _BETWEEN.split(_SHORT_OPTION.sub("", word, count=1))  # -r./hook.js
    with suppress(ValueError):
        yield from shlex.split(word)  # quoted within a line for a shell


def _digest(path: str, room: int) -> tuple[str, int]:
    """The SHA-256 of a regular file and how much of it was read; empty where it cannot be read, or not to its end."""
    digest, size = hashlib.sha256(), 0
    try:
        with open_regular(path) as file:
            while size < room and (data := file.read(min(_CHUNK, room - size))):
                digest.update(data)
                size += len(data)
    except OSError:
        return "", size
    return (digest.hexdigest() if size < room else ""), size


def last_start(folder: Path, *, runs: bool = False) -> AgentCommand:
    """How the agent of the last recorded session in `folder` was started: by its `name`, or a command.

    Raises `UserFault` where nothing says so. Without `runs` those of `acp-tui run` count only where there is no
    other session.
    """
    info = Records().last_of_all(str(folder), runs=runs)
    if info is None:
        raise UserFault(
            "No recorded session in this folder",
            named(folder),
            "Start a new session: acp-tui\nOr continue an agent's own last session: acp-tui -c -- AGENT",
        )
    start = read_start(info.start)
    if start is None:
        raise UserFault(
            "The agent of this folder's last session is not recorded",
            named(info.agent or info.title),
            "Name the agent: acp-tui -c -- AGENT, or acp-tui -c --agent NAME",
        )
    return start


def read_start(told: Mapping[str, Any]) -> AgentCommand | None:
    """What a record says, if it makes sense."""
    agent, argv, program = told.get("agent"), told.get("argv"), told.get("program", "")
    if isinstance(agent, str) and agent:
        return AgentCommand((), name=agent)
    words = argv if isinstance(argv, list) and all(isinstance(word, str) and "\0" not in word for word in argv) else []
    if not words or not words[0] or not isinstance(program, str):
        return None
    return AgentCommand(tuple(words), protocol=_OFFERS.get(told.get("protocol"), "1"), program=program)


def plan_again(start: AgentCommand, folder: Path, protocol: Offer | None = None) -> LaunchPlan:
    """How to start what the user had written out; with a consent where the project may have a say in it.

    Raises `UserFault` where its program is not found.
    """
    project = project_folders(folder)
    if start.program and is_inside(start.program, project):
        program = start.program if Path(start.program).exists() else ""
    else:
        program = Programs(folder).find(start.argv[0])
    if not program:
        raise UserFault(
            f"{named(start.argv[0])}: command not found",
            "It started the agent of the last session.",
            "Name another agent: acp-tui -c -- AGENT",
        )
    plan = by_command(start.argv, folder, protocol or start.protocol).with_command(program=program)
    found = watch([program, *start.argv[1:]], (folder,), project)
    if found.files or found.others or _looks_in_folder(start.argv):
        return _with_consent(plan, found, project)
    return plan


def _looks_in_folder(argv: Sequence[str]) -> bool:
    """Whether a runner looks for something in the folder: the program, or one that it starts (`nice npx agent`)."""
    return not is_kept_apart(argv) and any(_runs_from_folder(argv[at:]) for at in range(len(argv)))


def _runs_from_folder(argv: Sequence[str]) -> bool:
    if not _RUNNERS.fullmatch(program_name(argv[0])):
        return False
    first = next((at for at, word in enumerate(argv) if at and not word.startswith("-")), 0)
    told = any(_TELLS.fullmatch(word) for word in argv[1:first])
    return told or first == 0 or not os.path.isabs(argv[first])  # noqa: PTH117 - a script elsewhere is not the project's


def _with_consent(plan: LaunchPlan, found: WatchedFiles, project: Sequence[Path]) -> LaunchPlan:
    command, folder = plan.command, plan.cwd
    agreed = fingerprint(folder, "recorded", [command.argv, command.program, command.protocol, found.files])

    def check() -> None:
        now = watch([command.program, *command.argv[1:]], (folder,), project)
        if now.files != found.files:
            raise UserFault(
                "Project files that start the agent have changed since you agreed",
                "\n".join(sorted(map(named, now.files.keys() | found.files.keys()))),
                "Start acp-tui again to review the change.",
            )

    consent = Consent(
        Path(command.argv[0]).name,
        folder,
        agreed,
        watched=tuple(found.files),
        unwatched=tuple(found.others),
        lasts=found.whole,
    )
    return replace(plan.with_command(check=check), consent=consent)


def is_plain_id(session_id: str) -> bool:
    """Whether what an agent calls a session is a word that any shell takes as it is, and no option."""
    return _PLAIN.fullmatch(session_id) is not None


def own_cli_line(argv: Sequence[str], title: str, session_id: str, folder: str) -> str:
    """A line for a POSIX shell that goes on with the session in its absolute `folder`.

    `argv` is how the agent was started, `title` what it is called. Raises `UserFault` where there is no such line.
    """
    known = known_by_argv(argv)
    if known is None or not known.own_cli:
        others = ", ".join(agent.title for agent in KNOWN_AGENTS if agent.own_cli)
        sessions = f"{named(title)} sessions in its" if title else "this agent's sessions in its"
        raise UserFault(f"acp-tui doesn't know how to continue {sessions} own CLI", f"Supported: {others}")
    if not session_id:
        raise UserFault("The session is not open yet", hint="Try again when the agent is ready.")
    if not is_plain_id(session_id):
        raise UserFault(
            "The session's ID contains characters that are not safe in a shell command", named(session_id[:80])
        )
    if one_line(folder) != folder:
        raise UserFault(
            "The name of the session's folder contains characters that are not safe in a shell command", named(folder)
        )
    command = [session_id if word == SESSION else word for word in known.own_cli]
    return f"cd {shlex.quote(folder)} && {shlex.join(command)}"


def continue_line(command: AgentCommand, session_id: str, folder: str, here: str, *, can_resume: bool) -> str:
    """It is for the shell that this program was started in, in the absolute folder `here`.

    Where the agent does not bring sessions back (`can_resume`), what was recorded last in the session's `folder` is
    gone on with. Empty where no such line would be right: the id may be anything that an agent says, and a command with
    a secret in it is not repeated.
    """
    if can_resume and not is_plain_id(session_id):
        return ""
    if not command.recorded():
        return ""
    words = ["acp-tui", *([] if folder == here else ["-C", folder])]
    words += ["--resume", session_id] if can_resume else ["--continue"]
    words += ["--protocol", command.protocol] if command.protocol != "1" else []
    words += ["--agent", command.name] if command.name else ["--", *command.argv]
    line = shlex.join(words)
    return line if one_line(line) == line else ""
