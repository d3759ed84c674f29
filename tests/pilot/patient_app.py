"""The program with a terminal that it would wait for by the hour; run by hostile/test_answers."""

import sys

from acp_tui.startup import main
from acp_tui.ui.terminal import terminal_driver as keyboard

if __name__ == "__main__":
    keyboard.ANSWERED_WITHIN = 3600.0
    sys.exit(main())
