"""Which branch is checked out, read from the files of Git: nothing is run for it."""

import os
import re

from acp_tui.host.system.git import content_of, find_checkout

HEAD_AT_MOST = 4096  # bytes
SHORT = 7  # digits of a commit, as Git shows it
_COMMIT = re.compile("[0-9a-f]{40}([0-9a-f]{24})?")
_NOT_HERE = "refs/heads/.invalid"  # what HEAD says where references are kept in another form (reftable)


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
