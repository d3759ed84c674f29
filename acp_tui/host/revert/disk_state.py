"""Paths on the disk now, seen through the checked door: no link is followed, nothing but files is opened."""

import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import blake2b, file_digest
from typing import BinaryIO, Protocol

from acp_tui.host.revert.steps import DIGEST_SIZE, DiskState, parents
from acp_tui.host.snapshots.path_state import ABSENT, PathState
from acp_tui.host.system.sandbox_paths import LinkOnTheWay, RequestFault, SandboxPath, SandboxRoots, reach
from acp_tui.host.system.workspace_files import open_regular

_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
ACL = "system.posix_acl_access"
EXTRAS = "owner and attributes"
_OUTSIDE = "Outside this session's folders"


class ContentStore(Protocol):
    """Where bytes are kept by their digest; what raises here is an `OSError` or a `Fault`."""

    def has(self, digest: str) -> bool: ...

    def pieces(self, digest: str) -> Iterator[bytes]:
        """The bytes, which are those of the digest if this comes to its end."""
        ...

    def keep(self, data: bytes | BinaryIO) -> str:
        """The digest of bytes that are on the disk when this returns."""
        ...


class LeftAlone(Exception):
    """A path stays as it is; the words say why."""


@contextmanager
def at(root: str, path: str, roots: SandboxRoots) -> Iterator[SandboxPath]:
    """The place of a path below one of the roots, without any link on the way.

    Raises `LeftAlone`, and `OSError` where a folder on the way is missing or none.
    """
    with ExitStack() as door:
        try:
            place = door.enter_context(reach(_full(root, path, roots), roots, links=False))
        except LinkOnTheWay as fault:
            link = fault.link.removeprefix(f"{root.rstrip('/')}/")
            raise LeftAlone(f"{link} is now a symlink, possibly to another place") from fault
        except RequestFault as fault:
            raise LeftAlone(_OUTSIDE) from fault
        yield place


def _full(root: str, path: str, roots: SandboxRoots) -> str:
    """The full path, if it is plainly below a root of the session and not Git's own. Raises `LeftAlone`."""
    names = path.split("/")
    if "\0" in path + root or any(name in ("", ".", "..") for name in names) or not roots.hold(root):
        raise LeftAlone(_OUTSIDE)
    if os.sep != "/" and (os.sep in path or ":" in path):
        raise LeftAlone("Not a valid file name here")
    if any(name.casefold().rstrip(" .") in (".git", "git~1") for name in names):
        raise LeftAlone("Git's own files are never changed")
    return f"{root.rstrip('/')}/{path}"


def found_at(root: str, path: str, roots: SandboxRoots) -> DiskState:
    """How a path is now; never raises for what is on the disk."""
    try:
        with at(root, path, roots) as place:
            return look(place)
    except LeftAlone as trouble:
        way = _obstacle(root, path, roots)
        return DiskState(ABSENT, way=way) if way else DiskState(ABSENT, trouble=str(trouble))
    except FileNotFoundError:
        return DiskState(ABSENT)
    except NotADirectoryError:
        return DiskState(ABSENT, way=_obstacle(root, path, roots))
    except OSError as error:
        return DiskState(PathState("unknown", reason=error.strerror or "not readable"))


def _obstacle(root: str, path: str, roots: SandboxRoots) -> str:
    """The outermost folder of a path that is none; empty where it is above the root, or none is."""
    for folder in parents(path):
        try:
            with at(root, folder, roots) as place:
                if not stat.S_ISDIR(os.stat(place.name, dir_fd=place.folder, follow_symlinks=False).st_mode):
                    return folder
        except (LeftAlone, OSError):
            return ""
    return ""


def look(place: SandboxPath) -> DiskState:
    """How what is at a place is now. Raises `OSError` where that cannot be seen."""
    try:
        info = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return DiskState(ABSENT)
    mode, node = stat.S_IMODE(info.st_mode), (info.st_dev, info.st_ino)
    if stat.S_ISLNK(info.st_mode):
        words = os.fsencode(os.readlink(place.name, dir_fd=place.folder))
        return DiskState(PathState("link", mode, len(words), digest_of(words)), node=node)
    if stat.S_ISDIR(info.st_mode):
        return DiskState(PathState("folder", mode), holds=_names_in(place), node=node)
    if not stat.S_ISREG(info.st_mode):
        return DiskState(PathState("unknown", mode, reason="special file"), node=node)
    try:
        return _file(place)
    except PermissionError:
        return DiskState(PathState("unknown", mode, info.st_size, reason="not readable"), node=node)
    except RequestFault:  # it became something else just now
        return DiskState(PathState("unknown", mode, reason="special file"))


def _file(place: SandboxPath) -> DiskState:
    with open_regular(place.path, place) as file:
        digest = file_digest(file, partial(blake2b, digest_size=DIGEST_SIZE)).hexdigest()  # type: ignore[arg-type]
        info = os.fstat(file.fileno())
        state = PathState("file", stat.S_IMODE(info.st_mode), file.tell(), digest)
        return DiskState(state, node=(info.st_dev, info.st_ino), lost=_lost(file.fileno(), info))


def _names_in(place: SandboxPath) -> list[str]:
    try:
        folder = open_folder(place)
    except PermissionError:
        return ["files that cannot be listed"]
    try:
        return sorted(os.listdir(folder if os.listdir in os.supports_fd else place.name))  # noqa: PTH208 (a handle)
    finally:
        os.close(folder)


def open_folder(place: SandboxPath) -> int:
    """A handle of the folder at a place, which is no link. Raises `OSError`."""
    return os.open(place.name, _FOLDER_FLAGS, dir_fd=place.folder)


def _lost(descriptor: int, info: os.stat_result) -> list[str]:
    """What a file that takes this one's place does not have; `EXTRAS` only if this one is gone before."""
    lost, names = ["hard links"] if info.st_nlink > 1 else [], attributes(descriptor)
    if any(not name.startswith("user.") and name != ACL for name in names):
        lost.append("attributes of the system")
    if names or (hasattr(os, "geteuid") and info.st_uid != os.geteuid()):
        lost.append(EXTRAS)
    if info.st_mode & (stat.S_ISUID | stat.S_ISGID):
        lost.append("setuid")
    return lost


def attributes(descriptor: int) -> list[str]:
    """The names of extended attributes; none where the system has none. Labels, given by a policy, do not count."""
    if not hasattr(os, "listxattr"):
        return []
    try:
        return [name for name in os.listxattr(descriptor) if name != "security.selinux"]
    except OSError:
        return []


def digest_of(data: bytes) -> str:
    """The name of bytes in the store."""
    return blake2b(data, digest_size=DIGEST_SIZE).hexdigest()


def folds_case(root: str) -> bool:
    """Whether names in a root that differ only in case are one; told by what is in it, for it may be mounted there."""
    try:
        names = set(os.listdir(root))  # noqa: PTH208 (names)
        name = next(each for each in sorted(names) if each.swapcase() != each)
        one, other = (os.lstat(os.path.join(root, each)) for each in (name, name.swapcase()))  # noqa: PTH118 (a text)
    except (OSError, StopIteration):
        return False
    return name.swapcase() not in names and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
