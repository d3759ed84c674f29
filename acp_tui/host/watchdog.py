"""Ends processes where this program was killed so that it could not: a shell that outlives it does.

The shell reads a pipe whose other end only this program has, so that it hears of any end. It must not know what the
processes are. On Windows, and where there is no shell, nothing ends them.
"""

import os
import subprocess
from contextlib import suppress
from functools import cache

# Without its own `<`, what runs in the background would read nothing. The first second is for agents that end
# by themselves when their input does.
_SHELL = """# acp-tui: if it is killed, this ends the agents and commands that it started
exec 3<&0
{
    groups=
    while read -r act group; do
        rest=
        for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done
        groups=$rest
        [ "$act" = end ] && groups="$groups $group"
    done
    [ -z "$groups" ] && exit
    for name in TERM KILL; do
        sleep 1
        for one in $groups; do kill -s $name -- -$one; done
    done
} <&3 3<&- &
"""


def end_if_killed(group: int) -> None:
    """Have this process group ended when this program is killed, until `forget` is called."""
    _tell(f"end {group}\n")


def forget(group: int) -> None:
    """The process group has ended, or is nobody's care any more; its number may soon be another's."""
    _tell(f"forget {group}\n")


def _tell(line: str) -> None:
    pipe = _shell()
    if pipe is not None:
        with suppress(OSError):  # somebody ended the shell, or stopped it
            os.write(pipe, line.encode())


@cache
def _shell() -> int | None:
    """Start the shell; the pipe to it stays open until this program ends."""
    if os.name == "nt":
        return None
    theirs, ours = os.pipe()
    try:
        subprocess.run(  # noqa: S603 (a fixed command)
            ["/bin/sh", "-c", _SHELL],
            stdin=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
            check=False,
        )
    except OSError:
        os.close(ours)
        return None
    finally:
        os.close(theirs)
    os.set_blocking(ours, False)
    return ours
