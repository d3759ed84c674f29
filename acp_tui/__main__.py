"""`python -m acp_tui` is `acp-tui`."""

import sys

from acp_tui.startup import main

if __name__ == "__main__":
    sys.exit(main())
