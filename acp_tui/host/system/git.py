"""Git, which says what files a folder holds and what is ignored there; nothing that a checkout holds is run.

A checkout can name programs in many of its settings (filters, monitors, transports, hooks, pagers), and each release
of Git has more of them. So none of its settings is read: Git works in a repository of our own, made for one listing,
with a copy of the checkout's index and of its `info/exclude`, without objects of its own and without remotes; what is
committed is read from the checkout's objects, which ours borrows. Of the user's own settings only `core.excludesFile`
counts, and nothing of the environment's `GIT_*`.
"""

import atexit
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer
from typing import BinaryIO

from acp_tui.host.system.paths import open_regular
from acp_tui.safe_text import one_line

WITHIN = 20.0  # seconds that one call may take
LOOK_AFTER = 1.0  # seconds of a call, after which it is looked whether Git waits for a rule file that is no file
LOOK_FOR = 5.0  # seconds that this may take
INDEX_AT_MOST = 256 << 20  # bytes; about 2.5 million files
RULES_AT_MOST = 1 << 20  # bytes of one file of ignore rules
OUTPUT_AT_MOST = 128 << 20  # bytes of one call
MEMORY_AT_MOST = 4 << 30  # bytes of address space, where the system can limit it: paths of an index may be compressed
_DONE = (0, 1)  # 1: the setting is not there
_VERSION_2 = b"DIRC\0\0\0\2"  # of an index without extended flags, and so without files that are left out
_PACKS = "packedGitWindowSize = 32m\npackedGitLimit = 512m\n"  # of packs in memory, which is limited
HEAD_AT_MOST = 4096  # bytes
SHORT = 7  # digits of a commit, as Git shows it
_COMMIT = re.compile("[0-9a-f]{40}([0-9a-f]{24})?")
_NOT_HERE = "refs/heads/.invalid"  # what HEAD says where references are kept in another form (reftable)
_SHA256 = re.compile(rb"(?im)^\s*objectformat\s*=\s*\"?sha256")
# What a program needs to start; DEVELOPER_DIR is where macOS looks for its Git.
_KEPT = ("TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "DEVELOPER_DIR")
_HOMES = ("HOME", "USERPROFILE", "XDG_CONFIG_HOME")  # where the user's own settings are
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    **dict.fromkeys(("GIT_TRACE2", "GIT_TRACE2_EVENT", "GIT_TRACE2_PERF"), "0"),
}
_CUT_OFF = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
_running: set[subprocess.Popen[bytes]] = set()


class Git:
    """The Git of this machine. One that lies below `roots`, or in a checkout around them, is not run: an agent or an
    archive may have put it there.
    """

    def __init__(self, roots: Sequence[str]) -> None:
        tops = [str(checkout[0]) for root in roots if (checkout := find_checkout(root)) is not None]
        self._program = _program([*map(os.path.realpath, roots), *tops])
        self.trouble = ""  # why its rules could not be read, in words

    @cached_property
    def _rules(self) -> bytes:
        words = "config", "--type=path", "--get", "core.excludesFile"
        with GitView(self._program or "", "") as view:
            named = view.run(view.folder, *words, own_settings=True)
        home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111 (never fails)
        return content_of(os.fsdecode(named or b"").removesuffix("\n") or f"{home}/git/ignore", RULES_AT_MOST) or b""

    def checkout_of(self, folder: str) -> "GitView | None":
        """The checkout that holds a folder; None without one, without Git, or if its index cannot be used.

        What says which files are in it is copied.
        """
        checkout = None if self._program is None else find_checkout(folder)
        if self._program is None or checkout is None:
            return None
        top, own, common = checkout
        with suppress(OSError):  # no room for what is copied
            data = content_of(own / "index", INDEX_AT_MOST) if os.path.lexists(own / "index") else b""
            if data is None:
                return None
            exclude = content_of(common / "info/exclude", RULES_AT_MOST) or b""
            view = GitView(self._program, str(top), lambda: self._rules + b"\n" + exclude, self._waits_for)
            # What a split index refers to; of those that are left over Git removes the old ones.
            for path in [] if not data else islice(own.glob("sharedindex.*"), 4):
                view.put(path.name, content_of(path, INDEX_AT_MOST) or b"")
            if data:
                view.put("index", data)
            view.may_be_sparse = not data.startswith(_VERSION_2)
            theirs = content_of(common / "config", RULES_AT_MOST) or b""
            ignore_case = os.path.lexists(own / "head")  # which is written HEAD
            view.configure(ignore_case=ignore_case, sha256=_SHA256.search(theirs) is not None)
            return view
        return None

    def objects_of(self, common: Path, *, sha256: bool) -> "GitView | None":
        """A view without a work tree that reads the objects of a repository, and those that it borrows itself."""
        if self._program is None:
            return None
        with suppress(OSError):
            view = GitView(self._program, "")
            view.configure(ignore_case=False, sha256=sha256)
            view.borrow(common / "objects")
            return view
        return None

    def keys_in(self, settings: bytes, within: float) -> list[str] | None:
        """The keys in the content of a config file, without those of files that it includes; None if Git fails.

        `within`: seconds that it may take.
        """
        if self._program is None:
            return None
        with suppress(OSError), GitView(self._program, "") as view:
            view.put("settings", settings)
            words = "config", "--file", f"{view.folder}/settings", "--no-includes", "--list", "-z"
            output = view.run(view.folder, *words, done=(0,), within=within)
            return None if output is None else [os.fsdecode(e.partition(b"\n")[0]) for e in output.split(b"\0")[:-1]]
        return None

    def _waits_for(self, trouble: str) -> None:
        self.trouble = trouble

    def rules_below(self, folder: str) -> "GitView | None":
        """A view that has no index and knows the `.gitignore`s from this folder on; None without Git."""
        if self._program is None:
            return None
        with suppress(OSError):
            view = GitView(self._program, os.path.realpath(folder), lambda: self._rules, self._waits_for)
            view.configure(ignore_case=os.path.lexists(f"{folder}/.GITIGNORE"))
            return view
        return None


class GitView:
    """Git on the work tree `top`, as a context: its end removes the repository that was made for it.

    `rules` gives the ignore rules that are in no `.gitignore`; the last ones outweigh the first. `waits_for` is told
    of a `.gitignore` for which Git would wait for ever, or which is too large. `folder`: where our repository is.
    """

    def __init__(
        self,
        program: str,
        top: str,
        rules: Callable[[], bytes] = bytes,
        waits_for: Callable[[str], object] = lambda _trouble: None,
    ) -> None:
        self._waits_for = waits_for
        self._made = TemporaryDirectory(prefix="acp-tui-")
        self.folder = os.path.realpath(self._made.name)
        self._program, self._top, self._rules = program, top or self.folder, rules
        self.may_be_sparse = False
        Path(self.folder, "refs").mkdir()
        self.put("HEAD", b"ref: refs/heads/none\n")

    def __enter__(self) -> "GitView":
        return self

    def __exit__(self, *_: object) -> None:
        self._made.cleanup()

    def put(self, name: str, data: bytes) -> None:
        Path(self.folder, name).write_bytes(data)

    def configure(self, *, ignore_case: bool, sha256: bool = False) -> None:
        """Write what Git has to know of the file system and of the index; nothing else is set."""
        core = f"bare = false\nignoreCase = {ignore_case}\nprecomposeUnicode = {sys.platform == 'darwin'}\n{_PACKS}"
        settings = f"[core]\nrepositoryFormatVersion = {int(sha256)}\n{core}"
        self.put("config", (settings + ("[extensions]\nobjectFormat = sha256\n" if sha256 else "")).encode())

    def borrow(self, objects: Path) -> None:
        """Have the objects in a folder read as if they were ours; Git writes nothing there."""
        Path(self.folder, "info").mkdir()
        path = re.sub(rb'[\\"\n]', lambda found: b"\\%03o" % found[0][0], os.fsencode(objects))
        self.put("info/alternates", b'"%s"\n' % path)

    def cat_file(self, ids: Sequence[str]) -> bytes:
        """What `cat-file --batch` says of objects: their bytes as they are kept, without any filter.

        Where it fails in the midst, what it had said until then.
        """
        self.put("asked", "".join(f"{each}\n" for each in ids).encode())
        with Path(self.folder, "asked").open("rb") as asked:
            return self.run(self.folder, "cat-file", "--batch", "--buffer", asked=asked, done=range(-64, 256)) or b""

    def tracked(self, folder: str) -> list[str] | None:
        """What the index has below a folder, but what a sparse checkout left out; None if Git cannot read it."""
        if not self.may_be_sparse:
            return self.listed(folder, "--cached")
        output = self.listed(folder, "--cached", "-t")  # a letter for the state, a blank, the path
        if output is None:
            return None
        return [entry[2:] for entry in output if entry[0] != "S" or Path(folder, entry[2:]).exists()]

    def others(self, folder: str, *options: str) -> list[str] | None:
        """What is neither in the index nor ignored; a checkout inside is listed as a folder, which ends in `/`."""
        return self.listed(folder, "--others", "--exclude-standard", *options)

    def ignored(self, folder: str) -> list[str] | None:
        """What is ignored and not in the index: folders, which end in `/`, without what is in them.

        A folder that is not ignored itself, but all that it holds, is listed too, and then all that. `./`: all of it.
        """
        if folder != self._top:  # from far inside an ignored folder Git fails to list
            itself = self.run(folder, "check-ignore", "--", ".", excluding=True)
            if itself != b"":
                return None if itself is None else ["./"]
        return self.listed(folder, "--others", "--ignored", "--exclude-standard", "--directory")

    def listed(self, folder: str, *options: str) -> list[str] | None:
        output = self.run(folder, "ls-files", "-z", *options, excluding="--exclude-standard" in options)
        return None if output is None else os.fsdecode(output).split("\0")[:-1]

    def run(
        self,
        folder: str,
        *words: str,
        excluding: bool = False,
        own_settings: bool = False,
        asked: BinaryIO | None = None,
        done: Collection[int] = _DONE,
        within: float = WITHIN,
    ) -> bytes | None:
        """The output of Git in a folder; None if it cannot be run there, or fails.

        `excluding`: the ignore rules count that are in no `.gitignore`. `own_settings`: those of the user and the
        system count. `asked` is what it reads, `done` with which exit codes it has not failed, `within` the seconds
        that it may take.
        """
        environment = {name: os.environ[name] for name in (*_KEPT, *_HOMES) if name in os.environ} | _ENVIRONMENT
        if not own_settings:
            environment |= {"HOME": self.folder, "XDG_CONFIG_HOME": self.folder, **_CUT_OFF}
        environment["PATH"] = str(Path(self._program).parent)
        environment |= {"GIT_DIR": self.folder, "GIT_OBJECT_DIRECTORY": self.folder, "GIT_WORK_TREE": self._top}
        try:
            process = subprocess.Popen(  # noqa: S603 (a fixed command)
                [self._program, *(self._excluding() if excluding else ()), *words],
                cwd=folder,
                stdin=subprocess.DEVNULL if asked is None else asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        except (OSError, ValueError):
            return None
        output = _output_of(process, lambda: self._look(folder, process) if excluding else None, within)
        return output if process.returncode in done else None

    def _look(self, folder: str, process: subprocess.Popen[bytes]) -> None:
        """Git takes long: end it if it waits for a pipe, which it would do for ever."""
        if trouble := odd_rules(folder, time.monotonic() + LOOK_FOR):
            self._waits_for(trouble)
            process.kill()

    def _excluding(self) -> tuple[str, str]:
        copy = Path(self.folder, "excludes")
        if not copy.exists():
            copy.write_bytes(self._rules())
        return "-c", f"core.excludesFile={copy}"


def odd_rules(folder: str, until: float) -> str:
    """The first `.gitignore` below a folder that is no regular file, or too large, in words; empty if none is found.

    `until`: monotonic seconds. Where it is a link, what counts is where that leads.
    """
    for here, folders, names in os.walk(folder):
        if time.monotonic() > until:
            break
        folders[:] = [name for name in folders if name != ".git"]
        if ".gitignore" in names:
            path = os.path.join(here, ".gitignore")  # noqa: PTH118 (a text)
            with suppress(OSError):
                info = os.stat(path)  # noqa: PTH116 (a text)
                if not stat.S_ISREG(info.st_mode):
                    return f"{one_line(os.path.relpath(path, folder))} is not a regular file"
                if info.st_size > RULES_AT_MOST:
                    return f"{one_line(os.path.relpath(path, folder))} is too large"
    return ""


def _output_of(process: subprocess.Popen[bytes], look: Callable[[], object], within: float) -> bytes | None:
    _limit_memory(process.pid)
    timers = [Timer(within, process.kill), Timer(LOOK_AFTER, look)]
    for timer in timers:
        timer.daemon = True
        timer.start()
    _running.add(process)
    try:
        with process:
            output = bytearray()
            while process.stdout is not None and (piece := process.stdout.read(1 << 20)):
                output += piece
                if len(output) > OUTPUT_AT_MOST:
                    process.kill()
                    return None
    finally:
        for timer in timers:
            timer.cancel()
        _running.discard(process)
    return bytes(output)


@atexit.register
def _end_all() -> None:
    """What the program does not wait for at its end has no use after it."""
    for process in list(_running):
        process.kill()


def _limit_memory(pid: int) -> None:
    if sys.platform == "linux":
        import resource  # noqa: PLC0415 (not everywhere)

        with suppress(OSError, ValueError):  # it has ended already, or is limited more
            resource.prlimit(pid, resource.RLIMIT_AS, (MEMORY_AT_MOST, MEMORY_AT_MOST))


def _program(roots: Sequence[str]) -> str | None:
    """The first `git` of the path that does not lie in one of these folders; `/` is everybody's and no such folder."""

    def is_theirs(path: str) -> bool:
        real = Path(os.path.realpath(path))
        return any(real.is_relative_to(root) for root in roots if root != os.path.dirname(root))  # noqa: PTH120 (a text)

    for entry in os.environ.get("PATH", "").split(os.pathsep):
        if os.path.isabs(entry) and not is_theirs(entry):  # noqa: PTH117 (a text)
            found = shutil.which("git", path=entry)
            if found is not None and not is_theirs(found):
                return found
    return None


def find_checkout(folder: str) -> tuple[Path, Path, Path] | None:
    """The checkout around a folder, as Git looks for it: up to the top of the file system.

    Its work tree, the folder with its index, and the one that all work trees of the repository share.
    """
    here = Path(os.path.realpath(folder))
    with suppress(OSError):
        device = here.stat().st_dev
        for top in (here, *here.parents):
            if top.stat().st_dev != device or top.name == ".git":
                return None
            own = _git_folder(top / ".git")
            if own is not None:
                shared = os.fsdecode(content_of(own / "commondir", 4096) or b"").rstrip("\r\n")
                return top, own, own / shared
    return None


def branch_of(folder: str) -> str:
    """The branch of the checkout around a folder, a short commit where there is none; empty outside of one.

    The name is as it stands there, which may be anything. It reads two or three small files: not for the event loop.
    """
    checkout = find_checkout(folder)
    if checkout is None:
        return ""
    head = os.fsdecode(content_of(checkout[1] / "HEAD", HEAD_AT_MOST) or b"").partition("\n")[0].strip()
    if head.startswith("ref:"):
        name = head.removeprefix("ref:").strip()
        return "" if name == _NOT_HERE else name.removeprefix("refs/heads/")
    return head[:SHORT] if _COMMIT.fullmatch(head) else ""


def _git_folder(place: Path) -> Path | None:
    """The folder that `.git` is, or that it names as a file: so it is in submodules and further work trees."""
    if not place.is_dir():
        words = os.fsdecode(content_of(place, 4096) or b"").rstrip("\r\n")
        if not words.startswith("gitdir: "):
            return None
        place = place.parent / words.removeprefix("gitdir: ")
    return place if os.path.lexists(place / "HEAD") else None


def content_of(path: str | Path, most: int) -> bytes | None:
    """A regular file of at most so many bytes; None for any other and where nothing can be read."""
    with suppress(OSError, ValueError), open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        return file.read(size) if size <= most else None  # not `most`, for which room would be made
    return None
