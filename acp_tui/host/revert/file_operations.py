"""Operations on one path: nothing that was not looked at is replaced, nothing goes that was not kept before.

What takes another's place is made beside it and exchanged with it; what came out is looked at again, and put back if it
is not what was shown. So a program that writes between two of these calls loses nothing.
"""

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b

from acp_tui.errors import Fault, reason_of
from acp_tui.host.revert.disk_state import ACL, ContentStore, LeftAlone, attributes, look, open_folder
from acp_tui.host.revert.steps import DIGEST_SIZE, DiskState
from acp_tui.host.snapshots.path_state import PathState, same
from acp_tui.host.system.atomic_replace import beside, exchange, keep_owner, put, remove, set_mode, written
from acp_tui.host.system.sandbox_paths import SandboxPath
from acp_tui.host.system.workspace_files import open_regular

LEFT = "Skipped: "
CHANGED = "Skipped: changed since the preview"
FULL = "The disk of acp-tui's state folder is full, so the current version cannot be saved"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_PATH_ONLY = getattr(os, "O_PATH", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)


class NotKept(LeftAlone):
    """A path stays as it is because what it holds could not be kept."""


def why_not_kept(error: Exception) -> str:
    """What has to be said of a path if the store failed so."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno in _NO_ROOM:
            return FULL
        cause = cause.__cause__
    return f"{LEFT}the current version could not be saved ({_reason(error)})"


def why_left(error: Exception) -> str:
    """What has to be said of a path that something has failed at."""
    if isinstance(error, LookupError):
        return f"{LEFT}its content is no longer saved"
    return str(error) if isinstance(error, LeftAlone) else LEFT + _reason(error)


def _reason(error: Exception) -> str:
    return error.message or error.title if isinstance(error, Fault) else reason_of(error)


def checked(place: SandboxPath, shown: PathState) -> DiskState:
    """What is at a place. Raises `LeftAlone` if that is not what was shown."""
    found = look(place)
    if not same(found.state, shown):
        raise LeftAlone(CHANGED)
    return found


def keep(place: SandboxPath, shown: PathState, store: ContentStore) -> None:
    """Keep the bytes of a file or link. Raises `LeftAlone` if they are others than shown, `NotKept` if that fails.

    Those of a snapshot are kept already; to look for them is 50 times as fast as to open the store for writing.
    """
    try:
        if shown.digest and store.has(shown.digest):
            return
        if shown.kind == "link":
            digest = store.keep(os.fsencode(os.readlink(place.name, dir_fd=place.folder)))
        elif shown.kind == "file":
            with open_regular(place.path, place) as file:
                digest = store.keep(file)
        else:
            return
    except (OSError, Fault) as error:
        raise NotKept(why_not_kept(error)) from error
    if digest != shown.digest:
        raise LeftAlone(CHANGED)


def make(place: SandboxPath, target: PathState, pieces: Iterable[bytes], like: SandboxPath | None) -> int | None:
    """A new file, link or folder as a target; the mode that a file got. Raises `LeftAlone`; then there is nothing."""
    try:
        if target.kind == "file":
            return _make_file(place, target, pieces, like)
        if target.kind == "link":
            os.symlink(os.fsdecode(b"".join(pieces)), place.name, dir_fd=place.folder)
        elif target.kind == "folder":
            make_folder(place)
        else:
            raise LeftAlone(f"{LEFT}its earlier version is unknown")
    except BaseException:
        discard(place)
        raise
    return None


def _make_file(place: SandboxPath, target: PathState, pieces: Iterable[bytes], like: SandboxPath | None) -> int:
    """With the target's bytes and mode, and what comes along from a file that is there; private until it has its mode.

    Raises `LeftAlone` if the bytes are not those of the target.
    """
    hashed = blake2b(digest_size=DIGEST_SIZE)
    with written(place) as file:
        for piece in pieces:
            hashed.update(piece)
            file.write(piece)
        file.flush()
        if hashed.hexdigest() != target.digest:
            raise LeftAlone(f"{LEFT}the saved version is damaged")
        if like is not None:
            _carry_over(like, file.fileno(), target)
        set_mode(file.fileno(), target.mode)
        return os.fstat(file.fileno()).st_mode & 0o7777


def _carry_over(old: SandboxPath, descriptor: int, target: PathState) -> None:
    """The owner, and the attributes that a user gave; an ACL only where nobody can read more by it than before."""
    with open_regular(old.path, old) as file:
        before = os.fstat(file.fileno())
        keep_owner(descriptor, before)
        for name in attributes(file.fileno()):
            if name.startswith("user.") or (name == ACL and before.st_mode & 0o7777 == target.mode):
                with suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(file.fileno(), name))


def make_folder(place: SandboxPath) -> None:
    """A folder that is private until it gets its mode."""
    os.mkdir(place.name, 0o700, dir_fd=place.folder)


def replace_by(new: SandboxPath, place: SandboxPath, shown: PathState) -> None:
    """Give what was made the name of what was shown, which goes. Raises `LeftAlone` if that changed meanwhile."""
    ours = _print_of(new)
    try:
        if shown.kind == "absent":
            put(new, place)
        elif shown.kind == "folder":
            _replace_folder(new, place, shown)
        else:
            exchange(new, place)
            _let_go(new, place, shown)
    except (FileExistsError, FileNotFoundError) as error:
        raise LeftAlone(CHANGED) from error
    finally:
        if _print_of(new) == ours:
            discard(new)


def _let_go(old: SandboxPath, place: SandboxPath, shown: PathState) -> None:
    """Remove what was exchanged if it is what was shown; else it gets its name again."""
    if _is_removed(old, shown):
        return
    ours = _print_of(place)
    exchange(old, place)
    raise LeftAlone(CHANGED if _print_of(old) == ours else _in_two_versions(old))


def _is_removed(aside: SandboxPath, shown: PathState) -> bool:
    with suppress(OSError):
        if same(look(aside).state, shown):
            remove(aside)
            return True
    return False


def _in_two_versions(aside: SandboxPath) -> str:
    return f"Changed during undo; both versions were saved, the other one as {os.path.basename(aside.name)}"  # noqa: PTH119


def _replace_folder(new: SandboxPath, place: SandboxPath, shown: PathState) -> None:
    remove_folder(place)
    try:
        put(new, place)
    except OSError:
        with suppress(OSError):
            make_folder(place)
            set_folder_mode(place, shown.mode)
        raise


def take(place: SandboxPath, shown: PathState) -> None:
    """Remove a file or link that was kept. Raises `LeftAlone` if it is not what was shown."""
    aside = beside(place)
    try:
        os.rename(place.name, aside.name, src_dir_fd=place.folder, dst_dir_fd=aside.folder)
    except FileNotFoundError as error:
        raise LeftAlone(CHANGED) from error
    if _is_removed(aside, shown):
        return
    try:
        put(aside, place)
    except FileExistsError as error:
        raise LeftAlone(_in_two_versions(aside)) from error
    raise LeftAlone(CHANGED)


def remove_folder(place: SandboxPath) -> None:
    """Remove a folder. Raises `LeftAlone` if it holds anything."""
    try:
        os.rmdir(place.name, dir_fd=place.folder)
    except FileNotFoundError as error:
        raise LeftAlone(CHANGED) from error
    except OSError as error:
        with suppress(OSError):
            if look(place).holds:
                raise LeftAlone(f"{LEFT}it contains other files") from error
        raise


def set_file_mode(place: SandboxPath, found: DiskState, mode: int) -> int:
    """Give a file that was looked at a mode; the one that it got."""
    with open_regular(place.path, place) as file:
        info = os.fstat(file.fileno())
        if (info.st_dev, info.st_ino) != found.node:
            raise LeftAlone(CHANGED)
        set_mode(file.fileno(), mode)
        return os.fstat(file.fileno()).st_mode & 0o7777


def set_folder_mode(place: SandboxPath, mode: int) -> int:
    """Give a folder a mode, also one that may not be read; the one that it got."""
    by_path = False
    try:
        folder = open_folder(place)
    except PermissionError:
        folder, by_path = os.open(place.name, _PATH_ONLY, dir_fd=place.folder), True
    try:
        if by_path:
            os.chmod(f"/proc/self/fd/{folder}", mode)  # noqa: PTH101 (a handle)
        elif hasattr(os, "fchmod"):
            os.fchmod(folder, mode)
        return os.fstat(folder).st_mode & 0o7777
    finally:
        os.close(folder)


def _print_of(place: SandboxPath) -> tuple[int, ...] | None:
    """By what a file that was made is known, and that nobody has written to it since."""
    try:
        info = os.stat(place.name, dir_fd=place.folder, follow_symlinks=False)
    except OSError:
        return None
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def discard(place: SandboxPath) -> None:
    with suppress(OSError):
        os.unlink(place.name, dir_fd=place.folder)
        return
    with suppress(OSError):
        os.rmdir(place.name, dir_fd=place.folder)
