"""How a process ended, in words."""

import signal


def ending(returncode: int) -> str:
    """`exit code 3`, or `killed by SIGKILL` where the code is negative, as Python tells a signal."""
    return f"exit code {returncode}" if returncode >= 0 else f"killed by {signal_name(-returncode)}"


def signal_name(number: int) -> str:
    """`SIGINT`; a number that has no name here is `signal 99`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
