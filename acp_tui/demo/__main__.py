"""`python -m acp_tui.demo`: serve ACP on standard input and output until the input ends."""

import asyncio
import contextlib

from acp_tui.demo.agent import Agent

if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(Agent().connection.run())
