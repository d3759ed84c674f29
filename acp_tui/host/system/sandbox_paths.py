"""The folders that an agent's requests stay inside, and the way to a file in them that nothing can turn aside.

Folders may be exchanged for links while a path is walked. So each is opened by the handle of the one that holds it and
never through a link; links are read, and what they say is walked instead. What is done at the end of the way is done by
the handle of the last folder. This keeps a mistaken agent in its place, and one that is boxed in elsewhere; an agent
that is not runs with all rights of the user who started it."""

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import Any

from acp_tui.frozen import Frozen
from acp_tui.protocol.faults import INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND
from acp_tui.wire.jsonrpc import INTERNAL_ERROR


class RequestFault(Exception):
    """The answer to a request of the agent is a JSON-RPC error with this code, message and data."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.code, self.message, self.data = code, message, data
        super().__init__(message)


class OutsideFault(RequestFault):
    """A path leads out of the folders that a session has, to the absolute path `target`, which has no links."""

    def __init__(self, message: str, path: str, target: str) -> None:
        super().__init__(INVALID_PARAMS, message, {"path": path})
        self.target = target


def not_offered(method: str) -> RequestFault:
    """The method is known, but this connection's capabilities do not offer it."""
    return RequestFault(METHOD_NOT_FOUND, f"{method} is not supported by this client", {"method": method})


def invalid_params(message: str, data: Any = None) -> RequestFault:
    """The request cannot be served as it was given."""
    return RequestFault(INVALID_PARAMS, message, data)


def not_found(message: str, data: Any = None) -> RequestFault:
    """What the request names does not exist."""
    return RequestFault(RESOURCE_NOT_FOUND, message, data)


def failed(message: str, data: Any = None) -> RequestFault:
    """The request is in order, but this machine could not do it."""
    return RequestFault(INTERNAL_ERROR, message, data)


_CALLS = {os.open, os.stat, os.access, os.readlink, os.mkdir, os.rename, os.unlink}
BY_HANDLE = hasattr(os, "O_NOFOLLOW") and os.supports_dir_fd >= _CALLS
LINKS_AT_MOST = 40  # on one way, as the kernel has it
LONGEST = 4096  # characters of a path
# Without O_PATH (macOS) a folder has to be readable to be passed through.
_ENTER = os.O_RDONLY | getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class LinkOnTheWay(RequestFault):
    """A folder on a way that may not pass links is one now: `link`, an absolute path."""

    def __init__(self, path: str, link: str, target: str) -> None:
        fault = failed(f"{path}: {link} is a symlink to {target}", {"path": path})
        super().__init__(fault.code, fault.message, fault.data)
        self.link = link


class SandboxPath(Frozen):
    """Where a file is or may be: `name`, for calls with `dir_fd=folder`. `path` is the real path."""

    path: str
    name: str
    folder: int | None


class SandboxRoots:
    """Folders, by the real paths that they had when this program first used them: what takes their place is not them.

    They are looked up beside the loop, each by itself: one that does not answer holds up nobody who does not need it.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = tuple(paths)
        self._roots = [_root(path) for path in paths]

    @property
    def paths(self) -> tuple[Path, ...]:
        return self._paths

    @property
    def reals(self) -> list[str]:
        """Their real paths, without those that have none; waits for all of them."""
        for root in self._roots:
            root.known.wait()
        return [root.real for root in self._roots if root.real]

    def hold(self, path: str) -> bool:
        """Whether a real path is in one of them; waits for those that are being looked up."""
        return any(root.holds(path) for root in sorted(self._roots, key=lambda root: not root.known.is_set()))

    def have(self, path: str) -> bool:
        return any(root.real == path for root in self._roots)


class _Root:
    def __init__(self, path: Path) -> None:
        self.known, self.real = Event(), ""
        Thread(target=self._look_up, args=(path,), name="root", daemon=True).start()

    def _look_up(self, path: Path) -> None:
        with suppress(OSError, ValueError):
            self.real = os.path.realpath(path)
        self.known.set()

    def holds(self, path: str) -> bool:
        self.known.wait()
        return self.real != "" and Path(path).is_relative_to(self.real)


_root = cache(_Root)  # a session that is opened again does not follow what a folder has become


def outside(folders: Iterable[str], roots: Sequence[str]) -> list[str]:
    """Which folders lead out of all `roots`, by their real paths; what is no absolute path does.

    It looks at the disk: call it in a thread.
    """

    def is_inside(folder: str) -> bool:
        try:
            resolve(folder, [Path(root) for root in roots])
        except RequestFault:
            return False
        return True

    return [folder for folder in folders if not is_inside(folder)]


def resolve(path: str, roots: Sequence[Path]) -> Path:
    """The absolute `path` with every symbolic link followed, whether or not it exists; it may be another one later.

    Raises `RequestFault` when it is not absolute, cannot be a path, or leads out of all `roots`.
    """
    _check_absolute(path)
    try:
        target = Path(os.path.realpath(path))
    except ValueError as error:
        raise _no_path(path, error) from error
    if not any(target.is_relative_to(os.path.realpath(root)) for root in roots):
        raise _outside(path, str(target), roots)
    return target


@contextmanager
def reach(path: str, roots: SandboxRoots, *, make: bool = False, links: bool = True) -> Iterator[SandboxPath]:
    """The place of a file below the roots; its folder stays open. `make`: folders that are missing are made.

    Without `links` none is followed, neither on the way nor at its end, and `path` has no `..`.
    Raises `RequestFault` like `resolve`, and `OSError` where there is no way.
    """
    _check_absolute(path)
    if not BY_HANDLE:
        yield _place_by_path(path, roots, make=make, links=links)
        return
    way = _Way(links=links)
    try:
        try:
            way.go(path)
        except ValueError as error:
            raise _no_path(path, error) from error
        _check_inside(path, way.real, roots)
        way.arrive(path, make=make)
        yield SandboxPath(way.real, way.ahead[0], way.folder)
    finally:
        os.close(way.folder)


class _Way:
    """A walk from `/` on. `folder` is the handle of the last folder that was entered, `ahead` what comes after it."""

    def __init__(self, *, links: bool = True) -> None:
        self.folder = os.open("/", _ENTER)
        self.passed: list[str] = []
        self.ahead: list[str] = []
        self._links = links
        self._obstacle: OSError | None = None

    @property
    def real(self) -> str:
        return "/" + "/".join([*self.passed, *self.ahead])

    def go(self, path: str) -> None:
        """Enter all folders of a path but its last name, links or not; stop where there is none."""
        if len(path) > LONGEST:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        left, links = _names(path), 0
        if not self._links and ".." in left:
            raise _no_path(path, ValueError('it contains ".."'))
        while left:
            name = left.pop()
            if name == "..":
                self._go_back()
            elif self.ahead or not (left or self._links):
                self.ahead.append(name)
            elif (words := self._read_link(name)) is not None:
                if not self._links:
                    raise LinkOnTheWay(path, "/" + "/".join([*self.passed, name]), words)
                links += 1
                if links > LINKS_AT_MOST:
                    self._stop(name, OSError(errno.ELOOP, os.strerror(errno.ELOOP)))
                    continue
                if words.startswith("/"):
                    self._begin([])
                left += _names(words)
            elif left and not self.ahead:
                self._try_to_enter(name)
            elif not self.ahead:
                self.ahead.append(name)
        if not self.ahead:
            self.ahead = self.passed[-1:] or ["."]
            self._begin(self.passed[:-1])

    def arrive(self, path: str, *, make: bool) -> None:
        """Have one name ahead; folders on the way to it are made, or else have to be there."""
        if self._obstacle is not None and not (make and isinstance(self._obstacle, FileNotFoundError)):
            if make and isinstance(self._obstacle, NotADirectoryError):
                raise _no_folder(path) from self._obstacle
            raise self._obstacle
        while len(self.ahead) > 1:
            with suppress(FileExistsError):
                os.mkdir(self.ahead[0], dir_fd=self.folder)
            try:
                self._enter(self.ahead[0])
            except NotADirectoryError as error:
                raise _no_folder(path) from error
            self.ahead.pop(0)

    def _go_back(self) -> None:
        if self.ahead:
            self.ahead.pop()
            self._obstacle = self._obstacle if self.ahead else None
        else:
            self._begin(self.passed[:-1])

    def _begin(self, names: Sequence[str]) -> None:
        self._become(os.open("/", _ENTER))
        self.passed = []
        for name in names:
            self._enter(name)

    def _try_to_enter(self, name: str) -> None:
        try:
            self._enter(name)
        except OSError as error:
            self._stop(name, error)

    def _enter(self, name: str) -> None:
        self._become(os.open(name, _ENTER, dir_fd=self.folder))
        self.passed.append(name)

    def _become(self, folder: int) -> None:
        os.close(self.folder)
        self.folder = folder

    def _read_link(self, name: str) -> str | None:
        try:
            return os.readlink(name, dir_fd=self.folder)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOENT):
                self._stop(name, error)
            return None

    def _stop(self, name: str, obstacle: OSError) -> None:
        self.ahead.append(name)
        self._obstacle = obstacle


def _names(path: str) -> list[str]:
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _place_by_path(path: str, roots: SandboxRoots, *, make: bool, links: bool) -> SandboxPath:
    """Where handles cannot be used (Windows): looked at as late as can be, which is not at the same moment."""
    target = resolve(path, roots.paths) if links else _without_links(path)
    _check_inside(path, str(target), roots)
    if make:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise _no_folder(path) from error
        if resolve(str(target.parent), roots.paths) != target.parent:
            raise failed(f"{path} was moved while it was being written", {"path": path})
    return SandboxPath(str(target), str(target), None)


def _without_links(path: str) -> Path:
    target = Path(path)
    if ".." in target.parts:
        raise _no_path(path, ValueError('it contains ".."'))
    for folder in reversed(target.parents):
        if folder.is_symlink():
            raise LinkOnTheWay(path, str(folder), str(folder.readlink()))
    return target


def _check_inside(path: str, real: str, roots: SandboxRoots) -> None:
    if not roots.hold(real):
        raise _outside(path, real, roots.paths)
    if roots.have(real):
        raise invalid_params(f"{path} is a folder, not a file", {"path": path})


def _check_absolute(path: str) -> None:
    if not Path(path).is_absolute():
        raise invalid_params(f"{path!r} is not an absolute path", {"path": path})


def _no_path(path: str, error: ValueError) -> RequestFault:
    return invalid_params(f"{path!r} is not a valid path: {error}", {"path": path})


def _no_folder(path: str) -> RequestFault:
    return failed(f"{path}: its parent is a file, not a folder", {"path": path})


def _outside(path: str, target: str, roots: Sequence[Path]) -> RequestFault:
    allowed = ", ".join(str(root) for root in roots) or "none"
    leads = f" (it links to {target})" if target != path else ""
    return OutsideFault(f"{path} is outside the session's folders{leads}; allowed: {allowed}", path, target)
